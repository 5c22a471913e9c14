//! Searching log events across streams, by time and pattern, and reading one stream in both directions.

use super::{HOUR, SECOND, World, ask, errors, messages};
use nephos_core::{Resource, Result};
use nephos_logs::{FilterLogEvents, GetLogEvents, LogEvent, StreamEvents};

/// Creates three streams with interleaved events, an hour apart; returns the time of the first.
fn create_interleaved_streams(world: &World) -> Result<i64> {
    world.create_group("/web")?;
    let start = world.now() - 10 * HOUR;
    for (n, stream) in ["a", "b", "c"].into_iter().enumerate() {
        world.create_stream("/web", stream)?;
        let times = (0..3).map(|round| start + (3 * round + n as i64) * HOUR);
        let events: Vec<_> =
            times.map(|time| (time, format!("{stream} at {}", (time - start) / HOUR))).collect();
        let events: Vec<_> = events.iter().map(|(time, message)| (*time, message.as_str())).collect();
        world.put_events("/web", stream, &events)?;
    }
    Ok(start)
}

/// Also across several streams and pages.
pub(super) fn search_returns_events_in_chronological_order(world: &World) -> Result<()> {
    create_interleaved_streams(world)?;
    let expected: Vec<_> = (0..9).map(|n| format!("{} at {n}", ["a", "b", "c"][n % 3])).collect();
    assert_eq!(world.messages("/web")?, expected);
    for limit in 1..=10 {
        let events = LogEvent::objects(&world.session()).list("/web").limit(limit).results().all().wait()?;
        assert_eq!(messages(&events), expected, "{limit}");
    }
    Ok(())
}

/// They are ordered by stream, then by ingestion, for every page size.
pub(super) fn search_returns_events_of_the_same_time_once(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let now = world.now();
    for stream in ["b", "a", "c"] {
        world.create_stream("/web", stream)?;
        let events = ["1", "2", "3"].map(|n| format!("{stream}{n}"));
        let events: Vec<_> = events.iter().map(|message| (now, message.as_str())).collect();
        world.put_events("/web", stream, &events)?;
    }
    for limit in 1..=10 {
        let events = LogEvent::objects(&world.session()).list("/web").limit(limit).results().all().wait()?;
        assert_eq!(messages(&events), ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"], "{limit}");
    }
    Ok(())
}

/// Names and prefix are mutually exclusive.
pub(super) fn search_selects_streams_by_name_or_prefix(world: &World) -> Result<()> {
    create_interleaved_streams(world)?;
    world.create_stream("/web", "ab")?;
    world.put_events("/web", "ab", &[(world.now(), "ab at 10")])?;
    let list = || LogEvent::objects(&world.session()).list("/web");
    let chosen = list().log_stream_names(["c", "a"]).results().all().wait()?;
    assert_eq!(messages(&chosen), ["a at 0", "c at 2", "a at 3", "c at 5", "a at 6", "c at 8"]);
    let chosen = list().log_stream_name_prefix("a").results().all().wait()?;
    assert_eq!(messages(&chosen), ["a at 0", "a at 3", "a at 6", "ab at 10"]);
    world.assert_invalid("logStreamNamePrefix", || {
        list().log_stream_names(["a"]).log_stream_name_prefix("a").results().all().wait()
    });
    world.refused(&errors::NOT_FOUND, None, || list().log_stream_names(["a", "d"]).results().all().wait());
    let too_many = vec![nephos_core::Text::from("a"); 101];
    world.assert_invalid("logStreamNames", || list().log_stream_names(too_many).results().all().wait());
    Ok(())
}

pub(super) fn time_range_includes_start_and_excludes_end(world: &World) -> Result<()> {
    let start = create_interleaved_streams(world)?;
    let list = |from: i64, to: i64| {
        let list = LogEvent::objects(&world.session()).list("/web");
        list.start_time(start + from * HOUR).end_time(start + to * HOUR)
    };
    assert_eq!(messages(&list(2, 4).results().all().wait()?), ["c at 2", "a at 3"]);
    assert_eq!(list(2, 2).results().count().wait()?, 0);
    assert_eq!(list(0, 9).results().count().wait()?, 9);
    assert_eq!(list(0, 8).results().count().wait()?, 8);
    world.assert_invalid("startTime", || list(3, 2).results().all().wait());
    world.assert_invalid("startTime", || {
        LogEvent::objects(&world.session()).list("/web").start_time(-1).results().all().wait()
    });
    Ok(())
}

pub(super) fn search_filters_events_by_pattern(world: &World) -> Result<()> {
    create_interleaved_streams(world)?;
    let found = |pattern: &str, limit: i64| {
        let list = LogEvent::objects(&world.session()).list("/web").filter_pattern(pattern).limit(limit);
        Ok::<_, nephos_core::Error>(messages(&list.results().all().wait()?))
    };
    for limit in [1, 2, 100] {
        assert_eq!(found("b", limit)?, ["b at 1", "b at 4", "b at 7"]);
        assert_eq!(found("?\"at 8\" ?\"at 0\"", limit)?, ["a at 0", "c at 8"]);
        assert_eq!(found("[stream = c, ..., hour > 2]", limit)?, ["c at 5", "c at 8"]);
        assert_eq!(found("nothing", limit)?, [""; 0]);
        assert_eq!(found("", limit)?.len(), 9);
    }
    for pattern in ["{ $.a = ", "[a, ", "{ a = 1 }"] {
        world.assert_invalid("filterPattern", || found(pattern, 1));
    }
    world.assert_invalid("filterPattern", || found(&"a".repeat(1025), 1));
    for limit in [0, 10_001] {
        world.assert_invalid("limit", || found("", limit));
    }
    Ok(())
}

/// The identifier is a name or an ARN.
pub(super) fn search_requires_either_name_or_identifier(world: &World) -> Result<()> {
    let group = world.create_group_with_stream("/web")?;
    world.put_events("/web", "main", &[(world.now(), "hello")])?;
    let session = world.session();
    for identifier in ["/web", "/web:*", group.require_arn()?, group.log_group_arn().unwrap_or_default()] {
        let found = LogEvent::objects(&session).list(identifier).results().all().wait()?;
        assert_eq!(found[0].log_group_name(), Some("/web"), "{identifier}");
        let get = || ask(&session, GetLogEvents::new("main").log_group_identifier(identifier));
        if identifier.ends_with(":*") {
            world.assert_invalid("logGroupIdentifier", get);
        } else {
            assert_eq!(get()?.events().map(<[_]>::len), Some(1));
        }
    }
    world.assert_invalid("logGroupName", || ask(&session, FilterLogEvents::new()));
    let error = world.refused(&errors::VALIDATION, "logGroupName", || {
        ask(&session, FilterLogEvents::new().log_group_name("/web").log_group_identifier("/web"))
    });
    assert_eq!(error.message(), "LogGroup name and LogGroup ARN are mutually exclusive parameters.");
    world.assert_invalid("logGroupName", || ask(&session, GetLogEvents::new("main")));
    world.refused(&errors::NOT_FOUND, None, || {
        ask(&session, GetLogEvents::new("none").log_group_name("/web"))
    });
    Ok(())
}

/// Gets a page of the stream `main`.
fn get_page(world: &World, token: Option<&str>, head: bool) -> Result<StreamEvents> {
    let get = GetLogEvents::new("main").log_group_name("/web").limit(2).start_from_head(head);
    let get = match token {
        Some(token) => get.next_token(token),
        None => get,
    };
    ask(&world.session(), get)
}

fn page_messages(page: &StreamEvents) -> Vec<&str> {
    page.events().into_iter().flatten().filter_map(|event| event.message()).collect()
}

/// At the end of the stream the token stays the same; later it returns new events.
pub(super) fn get_log_events_reads_forwards(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let now = world.now();
    world.put_events("/web", "main", &[(now, "1"), (now, "2"), (now, "3")])?;
    let first = get_page(world, None, true)?;
    assert_eq!(page_messages(&first), ["1", "2"]);
    let second = get_page(world, first.next_forward_token(), true)?;
    assert_eq!(page_messages(&second), ["3"]);
    world.advance(SECOND)?;
    let end = get_page(world, second.next_forward_token(), true)?;
    assert_eq!(page_messages(&end), [""; 0]);
    assert_eq!(end.next_forward_token(), second.next_forward_token(), "the token stays the same at the end");
    world.put_events("/web", "main", &[(now, "4")])?;
    assert_eq!(page_messages(&get_page(world, end.next_forward_token(), true)?), ["4"]);
    assert_eq!(
        page_messages(&get_page(world, second.next_backward_token(), true)?),
        ["1", "2"],
        "and back again"
    );
    Ok(())
}

/// Each page is in chronological order.
pub(super) fn get_log_events_reads_backwards(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let now = world.now();
    world.put_events("/web", "main", &[(now - 2, "1"), (now - 1, "2"), (now, "3")])?;
    let last = get_page(world, None, false)?;
    assert_eq!(page_messages(&last), ["2", "3"]);
    let first = get_page(world, last.next_backward_token(), false)?;
    assert_eq!(page_messages(&first), ["1"]);
    world.advance(SECOND)?;
    let start = get_page(world, first.next_backward_token(), false)?;
    assert_eq!(page_messages(&start), [""; 0]);
    assert_eq!(
        start.next_backward_token(),
        first.next_backward_token(),
        "the token stays the same at the start"
    );
    assert_eq!(page_messages(&get_page(world, first.next_forward_token(), false)?), ["2", "3"]);
    world.assert_invalid("nextToken", || get_page(world, Some("f/1"), true));
    Ok(())
}

pub(super) fn token_of_empty_stream_returns_later_events(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let empty = get_page(world, None, true)?;
    assert_eq!(page_messages(&empty), [""; 0]);
    world.put_events("/web", "main", &[(world.now(), "1")])?;
    assert_eq!(page_messages(&get_page(world, empty.next_forward_token(), true)?), ["1"]);
    Ok(())
}

/// The order holds across streams and pages; a token keeps it.
pub(super) fn search_can_start_with_the_newest_event(world: &World) -> Result<()> {
    let start = create_interleaved_streams(world)?;
    let mut expected = world.messages("/web")?;
    expected.reverse();
    let list = || LogEvent::objects(&world.session()).list("/web").start_from_head(false);
    for limit in 1..=10 {
        assert_eq!(messages(&list().limit(limit).results().all().wait()?), expected, "{limit}");
    }
    assert_eq!(messages(&list().filter_pattern("b").results().all().wait()?), ["b at 7", "b at 4", "b at 1"]);
    let recent = list().start_time(start + 6 * HOUR).results().all().wait()?;
    assert_eq!(messages(&recent), ["c at 8", "b at 7", "a at 6"]);
    let search = FilterLogEvents::new().log_group_name("/web").limit(2);
    let first = ask(&world.session(), search.clone().start_from_head(false))?;
    let token = first.next_token().expect("there are more pages").to_owned();
    for head in [None, Some(true), Some(false)] {
        let next = ask(&world.session(), search.clone().next_token(&token).start_from_head(head))?;
        assert_eq!(messages(next.events().unwrap_or_default()), ["a at 6", "c at 5"], "{head:?}");
    }
    world.assert_invalid("startTime", || list().start_time(1_704_067_199_999_i64).results().all().wait());
    list().start_time(1_704_067_200_000_i64).results().all().wait()?;
    LogEvent::objects(&world.session())
        .list("/web")
        .start_time(0)
        .start_from_head(true)
        .results()
        .all()
        .wait()?;
    Ok(())
}

/// Events of the same time are ordered by stream, then by ingestion, backwards, too.
pub(super) fn search_from_the_newest_event_returns_events_of_the_same_time_once(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let now = world.now();
    for stream in ["b", "a", "c"] {
        world.create_stream("/web", stream)?;
        let events = ["1", "2"].map(|n| format!("{stream}{n}"));
        let events: Vec<_> = events.iter().map(|message| (now, message.as_str())).collect();
        world.put_events("/web", stream, &events)?;
    }
    for limit in 1..=7 {
        let list = LogEvent::objects(&world.session()).list("/web").start_from_head(false).limit(limit);
        let found = messages(&list.results().all().wait()?);
        assert_eq!(found, ["c2", "c1", "b2", "b1", "a2", "a1"], "{limit}");
    }
    Ok(())
}

pub(super) fn page_of_a_search_has_at_most_1_mib(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let half = "x".repeat(1 << 19);
    for message in [half.as_str(), half.as_str(), "y"] {
        world.put_events("/web", "main", &[(world.now(), message)])?;
    }
    let search = FilterLogEvents::new().log_group_name("/web");
    let first = ask(&world.session(), search.clone())?;
    assert_eq!(first.events().map(<[_]>::len), Some(2), "two halves are exactly 1 MiB");
    let second = ask(&world.session(), search.clone().next_token(first.next_token()))?;
    assert_eq!(messages(second.events().unwrap_or_default()), ["y"]);
    assert_eq!(second.next_token(), None);
    let ys = ask(&world.session(), search.filter_pattern("y"))?;
    assert_eq!((ys.events().map(<[_]>::len), ys.next_token()), (Some(1), None), "other events do not count");
    assert_eq!(ys.searched_log_streams(), Some(&[][..]));
    Ok(())
}
