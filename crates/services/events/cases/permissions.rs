//! Policies of buses, as a whole and by statements.

use super::{PATTERN, World, bus_arn, put_events::entry};
use nephos_core::{Result, Value, json};
use nephos_events::{
    Condition, EventBus, EventRule, EventTarget, ListDeliveries, PutEventsRequestEntryBuilder, errors,
};
use nephos_testing::OTHER_ACCOUNT;

const ACTION: &str = "events:PutEvents";

/// Adds a statement to the policy of the default bus.
fn allow(world: &World, principal: &str, id: &str) -> Result<()> {
    let put = EventBus::objects(&world.session()).put_permission();
    put.action(ACTION).principal(principal).statement_id(id).wait()
}

/// Returns the statements of the policy of a bus.
fn statements(world: &World, bus: &str) -> Result<Vec<Value>> {
    let policy = json::parse(world.existing_bus(bus)?.policy().unwrap_or("{}").as_bytes())?;
    Ok(policy.get("Statement").and_then(Value::as_list).map(<[Value]>::to_vec).unwrap_or_default())
}

pub(super) fn statements_are_added_replaced_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    allow(world, "111111111111", "one")?;
    allow(world, "222222222222", "two")?;
    allow(world, "333333333333", "one")?;
    let found = statements(world, "default")?;
    let texts = |key: &str| -> Vec<_> { found.iter().filter_map(|item| item.get(key)?.as_text()).collect() };
    assert_eq!(texts("Sid"), ["two", "one"]);
    assert_eq!(texts("Resource"), ["arn:aws:events:us-east-1:123456789012:event-bus/default"; 2]);
    let root = found[1].get("Principal").and_then(|principal| principal.get("AWS")?.as_text());
    assert_eq!(root, Some("arn:aws:iam::333333333333:root"));
    let organization = Condition::builder()
        .r#type("StringEquals")
        .key("aws:PrincipalOrgID")
        .value("o-1234567890")
        .build()?;
    let bus = world.create_bus("a")?;
    bus.put_permission().action(ACTION).principal("*").statement_id("all").condition(organization).wait()?;
    let of_bus = statements(world, "a")?;
    assert_eq!(of_bus[0].get("Principal").and_then(Value::as_text), Some("*"));
    assert!(of_bus[0].get("Condition").is_some());
    let remove = |id: &str| EventBus::objects(&session).remove_permission().statement_id(id).wait();
    remove("two")?;
    world.refused(&errors::NOT_FOUND, "StatementId", || remove("two"));
    remove("one")?;
    assert_eq!(world.existing_bus("default")?.policy(), None);
    let refused = world.refused(&errors::NOT_FOUND, "StatementId", || remove("one"));
    assert_eq!(refused.message(), "Statement with the provided id does not exist.");
    bus.remove_permission().remove_all_permissions(true).wait()?;
    bus.remove_permission().remove_all_permissions(true).wait()?;
    assert_eq!(world.existing_bus("a")?.policy(), None);
    Ok(())
}

pub(super) fn policy_is_replaced_as_a_whole(world: &World) -> Result<()> {
    let bus = world.create_bus("a")?;
    let policy = |account: &str| {
        format!(
            r#"{{"Statement": {{"Effect": "Allow", "Sid": "s", "Principal": {{"AWS": "{account}"}}, "Action": "events:PutEvents",
            "Resource": "arn:aws:events:us-east-1:123456789012:event-bus/a"}}, "Version": "2012-10-17"}}"#
        )
    };
    // It is stored compact, with a list of statements, elements in order, and ARNs of accounts.
    let stored = |account: &str| {
        format!(
            r#"{{"Version":"2012-10-17","Statement":[{{"Sid":"s","Effect":"Allow","Principal":{{"AWS":"arn:aws:iam::{account}:root"}},"Action":"events:PutEvents","Resource":"{}"}}]}}"#,
            bus_arn("a")
        )
    };
    for account in ["111111111111", "222222222222"] {
        bus.put_permission().policy(policy(account)).wait()?;
        assert_eq!(world.existing_bus("a")?.policy(), Some(stored(account).as_str()));
    }
    // A statement is added to the one of the document.
    bus.put_permission().action(ACTION).principal("*").statement_id("t").wait()?;
    assert_eq!(statements(world, "a")?.len(), 2);
    Ok(())
}

/// Sets the policy of the bus `a`: statements for the other account, by their effects and conditions.
fn set_policy(world: &World, statements: &[(&str, &str)]) -> Result<()> {
    let arn = bus_arn("a");
    let write = |(n, (effect, condition)): (usize, &(&str, &str))| {
        format!(
            r#"{{"Sid": "s{n}", "Effect": "{effect}", "Principal": {{"AWS": "{OTHER_ACCOUNT}"}}, "Action": "{ACTION}", "Resource": "{arn}",
            "Condition": {{{condition}}}}}"#
        )
    };
    let statements: Vec<_> = statements.iter().enumerate().map(write).collect();
    let policy = format!(r#"{{"Version": "2012-10-17", "Statement": [{}]}}"#, statements.join(","));
    world.existing_bus("a")?.put_permission().policy(policy).wait()
}

/// Sends an entry for each source to the bus `a` from another account; returns the sources that were accepted.
fn accepted<'s>(world: &World, sources: &[&'s str]) -> Result<Vec<&'s str>> {
    let entries = sources.iter().map(|source| entry().source(*source).event_bus_name(bus_arn("a")));
    let entries: Result<Vec<_>> = entries.map(PutEventsRequestEntryBuilder::build).collect();
    let sent = EventBus::objects(&world.other_account()).put_events("default", entries?).wait()?;
    let codes = sent.entries().unwrap().iter().map(|sent| sent.error_code());
    let is_accepted = |code: Option<&str>| {
        assert!(matches!(code, None | Some("AccessDeniedException")), "{code:?}");
        code.is_none()
    };
    Ok(sources.iter().zip(codes).filter(|(_, code)| is_accepted(*code)).map(|(source, _)| *source).collect())
}

pub(super) fn conditions_of_a_policy_hold_for_each_entry(world: &World) -> Result<()> {
    world.create_bus("a")?;
    let any = r#""StringEquals": {"aws:PrincipalAccount": "210987654321"}"#;
    assert_eq!(OTHER_ACCOUNT, "210987654321");
    for (statements, expected) in [
        (&[("Allow", r#""StringEquals": {"events:source": "shop"}"#)][..], &["shop"][..]),
        (&[("Allow", any), ("Deny", r#""StringEquals": {"events:source": "evil"}"#)], &["shop", "bank"]),
        (&[("Allow", r#""StringNotEquals": {"events:source": "evil"}"#)], &["shop", "bank"]),
        (&[("Allow", r#""ForAllValues:StringEquals": {"events:source": ["bank"]}"#)], &["bank"]),
        (&[("Allow", r#""StringLike": {"events:detail-type": "Ord*"}"#)], &["shop", "evil", "bank"]),
        (&[("Allow", r#""StringEquals": {"events:detail-type": "Refund"}"#)], &[]),
    ] {
        set_policy(world, statements)?;
        assert_eq!(accepted(world, &["shop", "evil", "bank"])?, expected, "{statements:?}");
    }
    Ok(())
}

pub(super) fn conditions_of_a_policy_hold_for_targets(world: &World) -> Result<()> {
    world.create_bus("a")?;
    let session = world.other_account();
    let rule = EventRule::builder().name("r").event_pattern(PATTERN.replace("shop", r#"shop", "evil"#));
    EventRule::objects(&session).create(&rule.build()?).wait()?;
    let target = EventTarget::builder().rule("r").id("t").arn(bus_arn("a")).build()?;
    EventTarget::objects(&session).create(&target).wait()?;
    set_policy(world, &[("Allow", r#""StringEquals": {"events:source": "shop"}"#)])?;
    for source in ["shop", "evil"] {
        let entries = [entry().source(source).build()?];
        EventBus::objects(&session).put_events("default", entries).strict(true).wait()?;
    }
    let mut list = ListDeliveries::new();
    list.account = Some(OTHER_ACCOUNT.into());
    let found = world.cloud().control(list)?;
    let [failed] = found.deliveries().unwrap() else { panic!("{found:?}") };
    assert_eq!(failed.error_code(), Some("NO_PERMISSIONS"));
    assert!(failed.input().unwrap().contains("evil"));
    Ok(())
}

pub(super) fn invalid_permissions_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let put = || EventBus::objects(&session).put_permission();
    let full = || put().action(ACTION).principal("111111111111").statement_id("s");
    let refused = world.refused(&errors::VALIDATION, "Action", || put().wait());
    assert_eq!(refused.message(), "Parameter(s) Action must be specified.");
    let refused = world.refused(&errors::VALIDATION, "Principal", || put().action(ACTION).wait());
    assert_eq!(refused.message(), "Parameter(s) Principal must be specified.");
    let refused = world.refused(&errors::VALIDATION, "Action", || full().action("events:PutRule").wait());
    assert_eq!(refused.message(), "Provided value in parameter 'action' is not supported.");
    world.refused(&errors::VALIDATION, "Principal", || full().principal("1").wait());
    world.refused(&errors::VALIDATION, "StatementId", || full().statement_id("a b").wait());
    let refused = world.refused(&errors::VALIDATION, "Policy", || full().policy("{}").wait());
    let text = "Action, Principal, StatementId and Condition could not be combined with Policy parameter.";
    assert_eq!(refused.message(), text);
    let statement = |elements: &str| {
        format!(
            r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Principal": "*", {elements}}}]}}"#
        )
    };
    let action = r#""Action": "events:PutEvents""#;
    for (policy, text) in [
        ("{", "This policy contains invalid Json"),
        ("", "This policy contains invalid Json"),
        ("null", "This text appears not to be a policy"),
        ("{}", "Missing required field Version"),
        (r#"{"Version": "2012-10-17", "Statement": []}"#, "Could not parse the policy: Statement is empty!"),
        (&statement(&format!(r#"{action}, "Resource": "*""#)), "Missing required field Sid"),
        (&statement(&format!(r#"{action}, "Sid": "s""#)), "Missing required field Resource"),
    ] {
        let refused = world.refused(&errors::VALIDATION, "Policy", || put().policy(policy).wait());
        assert_eq!(refused.message(), text, "{policy}");
    }
    world.refused(&errors::NOT_FOUND, None, || full().event_bus_name("missing").wait());
    for ([kind, key, value], principal, text) in [
        (["StringLike", "aws:PrincipalOrgID", "o-*"], "*", "'condition.type' is not supported."),
        (["StringEquals", "events:source", "shop"], "*", "'condition.key' is not supported."),
        (["StringEquals", "aws:PrincipalOrgID", "not-an-org"], "*", "'condition.value' is invalid."),
        (["StringEquals", "aws:PrincipalOrgID", "o-123456789"], "*", "'condition.value' is invalid."),
        (["StringEquals", "aws:PrincipalOrgID", "o-1234567890"], "111111111111", "principal * is supported."),
    ] {
        let condition = Condition::builder().r#type(kind).key(key).value(value).build()?;
        let put = || full().principal(principal).condition(condition.clone()).wait();
        let refused = world.refused(&errors::VALIDATION, "Condition", put);
        assert!(refused.message().ends_with(text), "{refused}");
    }
    let remove = || EventBus::objects(&session).remove_permission();
    world.refused(&errors::VALIDATION, "StatementId", || remove().wait());
    let both = || remove().statement_id("s").remove_all_permissions(true).wait();
    let refused = world.refused(&errors::VALIDATION, "StatementId", both);
    assert_eq!(refused.message(), "StatementId could not be combined with All parameter.");
    let long = "x".repeat(64);
    for number in 0..40 {
        allow(world, "111111111111", &format!("{}{number:02}", &long[2..]))?;
    }
    let one_more = |number: i32| allow(world, "111111111111", &format!("{}{number:02}", &long[2..]));
    let refused = (40..99).find_map(|number| one_more(number).err()).unwrap();
    assert_eq!(refused.code(), errors::POLICY_TOO_LONG.code);
    Ok(())
}
