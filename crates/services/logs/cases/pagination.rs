//! Pagination: each item once, also while items change, and tokens bound to their query.

use super::{DAY, World, ask, errors, names};
use nephos_core::{Resource, Result, Text};
use nephos_logs::{DescribeLogGroups, DescribeLogStreams, LogGroup, LogStream};

/// Creates groups with numbered names, in no particular order; returns the sorted names.
fn create_numbered_groups(world: &World, count: usize) -> Result<Vec<String>> {
    let mut all: Vec<_> = (0..count).map(|n| format!("group-{:03}", n * 37 % count)).collect();
    for name in &all {
        world.create_group(name)?;
    }
    all.sort();
    Ok(all)
}

pub(super) fn pagination_returns_each_group_once_for_every_page_size(world: &World) -> Result<()> {
    let all = create_numbered_groups(world, 53)?;
    for limit in 1..=50 {
        let list = || LogGroup::objects(&world.session()).list().limit(limit);
        assert_eq!(names(&list().results().all().wait()?)?, all, "{limit}");
    }
    for limit in [1, 7, 50] {
        let list = || LogGroup::objects(&world.session()).list().limit(limit);
        assert_eq!(names(&list().log_group_name_pattern("group").results().all().wait()?)?, all, "{limit}");
        let matching = list().log_group_name_prefix("group-01").results().all().wait()?;
        assert_eq!(names(&matching)?, all[10..20], "{limit}");
        let matching = list().log_group_name_pattern("-01").results().all().wait()?;
        assert_eq!(names(&matching)?, all[10..20], "{limit}");
    }
    assert_eq!(world.group_names()?, all, "the default page size is 50");
    Ok(())
}

/// Also if the last page is full.
pub(super) fn last_page_has_no_pagination_token(world: &World) -> Result<()> {
    create_numbered_groups(world, 4)?;
    let page = |limit: i64| ask(&world.session(), DescribeLogGroups::new().limit(limit));
    for (limit, more) in [(1, true), (3, true), (4, false), (5, false)] {
        let page = page(limit)?;
        assert_eq!(page.next_token().is_some(), more, "{limit}");
        assert_eq!(page.log_groups().map(<[_]>::len), Some(usize::try_from(limit).unwrap_or(0).min(4)));
    }
    let none = ask(&world.other_region(), DescribeLogGroups::new())?;
    assert_eq!((none.log_groups(), none.next_token()), (Some(&[][..]), None));
    Ok(())
}

/// Groups created or deleted between two pages do not duplicate or hide other groups.
pub(super) fn pagination_is_stable_while_groups_change(world: &World) -> Result<()> {
    for pattern in [None, Some("group")] {
        let all = create_numbered_groups(world, 20)?;
        let (mut seen, mut token, mut round) = (Vec::new(), None::<Text>, 0);
        loop {
            let describe = DescribeLogGroups::new().limit(3).log_group_name_pattern(pattern);
            let page = ask(&world.session(), describe.next_token(token))?;
            seen.extend(names(page.log_groups().unwrap_or_default())?);
            token = page.next_token().map(Into::into);
            if token.is_none() {
                break;
            }
            let objects = LogGroup::objects(&world.session());
            // Delete the last group of the page, one of an earlier page, and one of a later page.
            let last = seen.last().cloned().unwrap_or_default();
            for deleted in [last.clone(), all[round].clone(), all[19 - round].clone()] {
                if objects.get(deleted.as_str()).wait()?.is_some() {
                    objects.delete(deleted).wait()?;
                }
            }
            world.create_group(&format!("{last}-after"))?;
            world.create_group(&format!("aaa-{round}"))?;
            round += 1;
        }
        let mut unique = seen.clone();
        unique.sort();
        assert_eq!(unique, seen, "in order");
        unique.dedup();
        assert_eq!(unique, seen, "each once");
        let stayed = all.iter().filter(|name| world.group_names().is_ok_and(|names| names.contains(name)));
        for name in stayed {
            assert!(seen.contains(name), "{name} was there all the time");
        }
        for name in world.group_names()? {
            LogGroup::objects(&world.session()).delete(name).wait()?;
        }
    }
    Ok(())
}

/// A different page size is allowed.
pub(super) fn pagination_token_is_bound_to_account_region_and_query(world: &World) -> Result<()> {
    create_numbered_groups(world, 4)?;
    let describe = || DescribeLogGroups::new().limit(1);
    let first = ask(&world.session(), describe())?;
    let token = first.next_token().expect("there is a next page").to_owned();
    for session in [world.other_account(), world.other_region()] {
        world.assert_invalid("nextToken", || ask(&session, describe().next_token(token.as_str())));
    }
    for other in [
        describe().log_group_name_prefix("group"),
        describe().log_group_name_pattern("group"),
        describe().include_linked_accounts(true),
        describe().log_group_class(nephos_logs::LogGroupClass::Standard),
    ] {
        world.assert_invalid("nextToken", || ask(&world.session(), other.next_token(token.as_str())));
    }
    world.create_stream("group-000", "main")?;
    let streams = DescribeLogStreams::new().log_group_name("group-000").limit(1);
    world.assert_invalid("nextToken", || ask(&world.session(), streams.next_token(token.as_str())));
    let more = ask(&world.session(), describe().limit(2).next_token(token.as_str()))?;
    assert_eq!(names(more.log_groups().unwrap_or_default())?, ["group-001", "group-002"], "any page size");
    Ok(())
}

pub(super) fn forged_pagination_tokens_are_rejected(world: &World) -> Result<()> {
    create_numbered_groups(world, 2)?;
    let describe_with =
        |token: &str| ask(&world.session(), DescribeLogGroups::new().limit(1).next_token(token));
    let first = ask(&world.session(), DescribeLogGroups::new().limit(1))?;
    let token = first.next_token().expect("there is a next page").to_owned();
    for n in 0..token.len() {
        let mut changed = token.clone().into_bytes();
        changed[n] = if changed[n] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).expect("the token is ASCII");
        world.assert_invalid("nextToken", || describe_with(&changed));
    }
    for made_up in ["", "x", "group-000", "!", &token[1..], &format!("{token}A"), &format!("{token}=")] {
        world.assert_invalid("nextToken", || describe_with(made_up));
    }
    assert!(describe_with(&token).is_ok());
    Ok(())
}

pub(super) fn pagination_token_expires_after_24_hours(world: &World) -> Result<()> {
    create_numbered_groups(world, 3)?;
    let first = ask(&world.session(), DescribeLogGroups::new().limit(1))?;
    let describe = || DescribeLogGroups::new().limit(1).next_token(first.next_token().unwrap_or_default());
    world.advance(DAY)?;
    let second = ask(&world.session(), describe())?;
    assert_eq!(names(second.log_groups().unwrap_or_default())?, ["group-001"]);
    world.advance(1)?;
    let error = world.refused(&errors::INVALID, "nextToken", || ask(&world.session(), describe()));
    assert_eq!(error.message(), "The specified nextToken is invalid.");
    let second = second.next_token().unwrap_or_default();
    assert!(ask(&world.session(), DescribeLogGroups::new().limit(1).next_token(second)).is_ok());
    Ok(())
}

/// Ascending and descending, also while streams are created and deleted.
pub(super) fn pagination_returns_each_stream_once(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let mut all: Vec<_> = (0..12).map(|n| format!("stream {n:02}")).collect();
    for name in &all {
        world.create_stream("/web", name)?;
    }
    for descending in [false, true] {
        for limit in [1, 2, 5, 11, 12, 13, 50] {
            let list = LogStream::objects(&world.session()).list("/web").limit(limit).descending(descending);
            assert_eq!(names(&list.results().all().wait()?)?, all, "{limit}");
        }
        all.reverse();
    }
    let mut results = LogStream::objects(&world.session()).list("/web").limit(3).results();
    let mut seen = Vec::new();
    while let Some(stream) = results.try_next().wait()? {
        seen.push(stream.require_name()?.to_owned());
        LogStream::objects(&world.session()).delete("/web", stream.require_name()?).wait()?;
        world.create_stream("/web", &format!("before {}", seen.len()))?;
    }
    assert_eq!(seen, all);
    Ok(())
}

/// A page can be fetched on its own, as in a web handler.
pub(super) fn pagination_continues_from_the_token(world: &World) -> Result<()> {
    let all = create_numbered_groups(world, 5)?;
    let list = || LogGroup::objects(&world.session()).list().limit(3);
    let first = list().page(None::<Text>).wait()?;
    assert_eq!(names(&first.items)?, all[..3]);
    let second = list().page(first.next_token).wait()?;
    assert_eq!((names(&second.items)?.as_slice(), second.next_token), (&all[3..], None));
    assert!(list().page("nonsense").wait().expect_err("the token is invalid").is_value_error());
    Ok(())
}
