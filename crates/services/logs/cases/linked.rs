//! Source accounts linked to a monitoring account.

use super::{OTHER_ACCOUNT, THIRD_ACCOUNT, World, ask, names};
use nephos_core::{Resource, Result, Tagged, Text};
use nephos_logs::{DescribeLogGroups, LinkAccounts, ListLogGroups, LogGroup};

/// Creates groups in this account, in a linked account, and in an account that is not linked.
fn create_linked_groups(world: &World) -> Result<()> {
    world.control(LinkAccounts::new("123456789012", OTHER_ACCOUNT))?;
    for (account, group) in [
        ("123456789012", "/web"),
        (OTHER_ACCOUNT, "/web"),
        (OTHER_ACCOUNT, "/api"),
        (THIRD_ACCOUNT, "/third"),
    ] {
        let session = world.session_of(account);
        let group = LogGroup::builder().log_group_name(group).tags([("account", account)]).build()?;
        LogGroup::objects(&session).create(&group).wait()?;
    }
    Ok(())
}

fn names_and_accounts(groups: &[LogGroup]) -> Vec<(&str, &str)> {
    let account_range = |group: &'_ LogGroup| -> Option<(usize, usize)> {
        let arn = group.require_arn().ok()?;
        let start = arn.match_indices(':').nth(3)?.0 + 1;
        Some((start, start + 12))
    };
    let both = groups.iter().map(|group| {
        let (start, end) = account_range(group).expect("a group has an ARN");
        (group.require_name().unwrap_or_default(), &group.require_arn().unwrap_or_default()[start..end])
    });
    both.collect()
}

/// Linked accounts are searched with `includeLinkedAccounts`, in one direction.
pub(super) fn list_includes_linked_accounts_only_on_request(world: &World) -> Result<()> {
    create_linked_groups(world)?;
    let list = || LogGroup::objects(&world.session()).list();
    assert_eq!(names(&list().results().all().wait()?)?, ["/web"]);
    assert_eq!(names(&list().include_linked_accounts(false).results().all().wait()?)?, ["/web"]);
    let expected = [("/api", OTHER_ACCOUNT), ("/web", "123456789012"), ("/web", OTHER_ACCOUNT)];
    for limit in 1..=4 {
        let all = list().include_linked_accounts(true).limit(limit).results().all().wait()?;
        assert_eq!(names_and_accounts(&all), expected, "{limit}");
        let named = list().include_linked_accounts(true).log_group_name_pattern("web").limit(limit);
        assert_eq!(names_and_accounts(&named.results().all().wait()?), expected[1..], "{limit}");
    }
    let theirs = LogGroup::objects(&world.other_account()).list().include_linked_accounts(true);
    assert_eq!(theirs.results().count().wait()?, 2, "a link has one direction");
    Ok(())
}

/// The own account is also allowed.
pub(super) fn account_identifiers_must_be_linked_accounts(world: &World) -> Result<()> {
    create_linked_groups(world)?;
    let list = |wanted: &[&str]| {
        let wanted: Vec<Text> = wanted.iter().map(|account| Text::new(account)).collect();
        let list = LogGroup::objects(&world.session()).list().include_linked_accounts(true);
        list.account_identifiers(wanted).results().all().wait()
    };
    assert_eq!(
        names_and_accounts(&list(&[OTHER_ACCOUNT])?),
        [("/api", OTHER_ACCOUNT), ("/web", OTHER_ACCOUNT)]
    );
    assert_eq!(names_and_accounts(&list(&["123456789012"])?), [("/web", "123456789012")]);
    world.assert_invalid("accountIdentifiers", || list(&[THIRD_ACCOUNT]));
    world.assert_invalid("accountIdentifiers", || list(&[OTHER_ACCOUNT; 21]));
    assert!(list(&[OTHER_ACCOUNT; 20]).is_ok());
    world.assert_invalid("accountIdentifiers[1]", || list(&[OTHER_ACCOUNT, "12"]));
    world.assert_invalid("accountIdentifiers", || {
        LogGroup::objects(&world.session()).list().account_identifiers([OTHER_ACCOUNT]).results().all().wait()
    });
    Ok(())
}

pub(super) fn duplicate_account_identifiers_are_searched_once(world: &World) -> Result<()> {
    create_linked_groups(world)?;
    let list = LogGroup::objects(&world.session()).list().include_linked_accounts(true);
    let twice = list.account_identifiers([OTHER_ACCOUNT, OTHER_ACCOUNT]);
    let twice = twice.results().all().wait()?;
    assert_eq!(names_and_accounts(&twice), [("/api", OTHER_ACCOUNT), ("/web", OTHER_ACCOUNT)]);
    Ok(())
}

/// Tags of a group in a linked account are not returned.
pub(super) fn get_finds_a_group_of_a_linked_account_by_arn(world: &World) -> Result<()> {
    create_linked_groups(world)?;
    let get = |arn: &str| LogGroup::objects(&world.session()).get(arn).include_linked_accounts(true);
    let arn = |account: &str, name: &str| format!("arn:aws:logs:us-east-1:{account}:log-group:{name}");
    for end in ["", ":*"] {
        let found =
            get(&format!("{}{end}", arn(OTHER_ACCOUNT, "/api"))).wait()?.expect("the account is linked");
        assert_eq!(names_and_accounts(std::slice::from_ref(&found)), [("/api", OTHER_ACCOUNT)]);
        assert_eq!(found.tags(), None, "tags of linked accounts are not readable");
    }
    let own = get(&arn("123456789012", "/web")).wait()?.expect("the group is in this account");
    assert_eq!(own.tags_map().wait()?.len(), 1);
    for (account, name) in [(THIRD_ACCOUNT, "/third"), (OTHER_ACCOUNT, "/none"), ("123456789012", "/api")] {
        assert_eq!(get(&arn(account, name)).wait()?, None, "{account} {name}");
    }
    world.assert_invalid("logGroupIdentifiers", || get("/web").wait());
    let among = |account: &str| get(&arn(OTHER_ACCOUNT, "/web")).account_identifiers([account]).wait();
    assert!(among(OTHER_ACCOUNT)?.is_some());
    assert_eq!(among("123456789012")?, None);
    assert_eq!(get(&arn(OTHER_ACCOUNT, "/api")).log_group_name_pattern("web").wait()?, None);
    let plain = LogGroup::objects(&world.session()).get(arn(OTHER_ACCOUNT, "/api"));
    assert_eq!(plain.wait()?, None, "linked accounts are only searched on request");
    Ok(())
}

pub(super) fn describe_log_groups_finds_linked_groups_by_arn(world: &World) -> Result<()> {
    create_linked_groups(world)?;
    let arn =
        |account: &str, name: &str| Text::from(format!("arn:aws:logs:us-east-1:{account}:log-group:{name}"));
    let wanted = vec![arn(OTHER_ACCOUNT, "/web"), arn("123456789012", "/web"), arn(THIRD_ACCOUNT, "/third")];
    let describe = DescribeLogGroups::new().log_group_identifiers(wanted).include_linked_accounts(true);
    let found = ask(&world.session(), describe)?;
    let found = found.log_groups().expect("the answer has a list");
    assert_eq!(names_and_accounts(found), [("/web", "123456789012"), ("/web", OTHER_ACCOUNT)]);
    Ok(())
}

/// A link needs two different valid accounts.
pub(super) fn invalid_account_links_are_rejected(world: &World) -> Result<()> {
    for (monitoring, source) in
        [("123456789012", "123456789012"), ("12", OTHER_ACCOUNT), (OTHER_ACCOUNT, "x")]
    {
        let before = world.state()?;
        let error = world.control(LinkAccounts::new(monitoring, source)).expect_err("the link is invalid");
        assert!(error.is_value_error() && error.field() == Some("account"), "{error}");
        world.assert_unchanged(&before)?;
    }
    Ok(())
}

/// Groups are ordered by name, then by account.
pub(super) fn list_log_groups_finds_groups_of_linked_accounts(world: &World) -> Result<()> {
    create_linked_groups(world)?;
    let arns = |list: ListLogGroups| -> Result<Vec<String>> {
        let (mut found, mut token) = (Vec::new(), None::<String>);
        loop {
            let page = ask(&world.session(), list.clone().limit(1).next_token(token.as_deref()))?;
            let groups = page.log_groups().unwrap_or_default();
            found.extend(groups.iter().filter_map(|group| group.log_group_arn().map(str::to_owned)));
            token = page.next_token().map(str::to_owned);
            if token.is_none() {
                return Ok(found);
            }
        }
    };
    let arn = |account: &str, name: &str| format!("arn:aws:logs:us-east-1:{account}:log-group:{name}");
    let (own, theirs) = (arn("123456789012", "/web"), arn(OTHER_ACCOUNT, "/web"));
    assert_eq!(arns(ListLogGroups::new())?, std::slice::from_ref(&own));
    let linked = || ListLogGroups::new().include_linked_accounts(true);
    assert_eq!(arns(linked())?, [arn(OTHER_ACCOUNT, "/api"), own, theirs.clone()]);
    let of_other = linked().account_identifiers([OTHER_ACCOUNT]).log_group_name_pattern("web");
    assert_eq!(arns(of_other)?, [theirs]);
    world.assert_invalid("accountIdentifiers", || {
        ask(&world.session(), linked().account_identifiers([THIRD_ACCOUNT]))
    });
    world.assert_invalid("accountIdentifiers", || {
        ask(&world.session(), ListLogGroups::new().account_identifiers([OTHER_ACCOUNT]))
    });
    Ok(())
}
