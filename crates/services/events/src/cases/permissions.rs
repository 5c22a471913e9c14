//! Policies of buses, as a whole and by statements.

use super::World;
use crate::{Condition, EventBus, errors};
use nephos_core::{Result, Value, json};

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
    let organization =
        Condition::builder().r#type("StringEquals").key("aws:PrincipalOrgID").value("o-1").build()?;
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
    let refused = world.refused(&errors::NOT_FOUND, None, || remove("one"));
    assert_eq!(refused.message(), "EventBus does not have a policy.");
    bus.remove_permission().remove_all_permissions(true).wait()?;
    bus.remove_permission().remove_all_permissions(true).wait()?;
    assert_eq!(world.existing_bus("a")?.policy(), None);
    Ok(())
}

pub(super) fn policy_is_replaced_as_a_whole(world: &World) -> Result<()> {
    let bus = world.create_bus("a")?;
    let policy = |account: &str| {
        format!(
            r#"{{"Version": "2012-10-17", "Statement": {{"Sid": "s", "Effect": "Allow", "Principal": {{"AWS": "{account}"}},
            "Action": "events:PutEvents", "Resource": "arn:aws:events:us-east-1:123456789012:event-bus/a"}}}}"#
        )
    };
    for account in ["111111111111", "222222222222"] {
        bus.put_permission().policy(policy(account)).wait()?;
        assert_eq!(world.existing_bus("a")?.policy(), Some(policy(account).as_str()));
    }
    // A statement is added to the one of the document.
    bus.put_permission().action(ACTION).principal("*").statement_id("t").wait()?;
    assert_eq!(statements(world, "a")?.len(), 2);
    Ok(())
}

pub(super) fn invalid_permissions_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let put = || EventBus::objects(&session).put_permission();
    let full = || put().action(ACTION).principal("111111111111").statement_id("s");
    let refused = world.refused(&errors::VALIDATION, "Principal", || put().action(ACTION).wait());
    assert_eq!(refused.message(), "Parameter(s) Principal, StatementId must be specified.");
    let refused = world.refused(&errors::VALIDATION, "Action", || full().action("events:PutRule").wait());
    assert_eq!(refused.message(), "Provided value in parameter 'action' is not supported.");
    world.refused(&errors::VALIDATION, "Principal", || full().principal("1").wait());
    world.refused(&errors::VALIDATION, "StatementId", || full().statement_id("a b").wait());
    world.refused(&errors::VALIDATION, "Policy", || full().policy("{}").wait());
    world.refused(&errors::VALIDATION, "Policy", || put().policy("{}").wait());
    world.refused(&errors::NOT_FOUND, None, || full().event_bus_name("missing").wait());
    let condition =
        Condition::builder().r#type("StringEquals").key("aws:PrincipalOrgID").value("o-1").build()?;
    world.refused(&errors::VALIDATION, "Condition", || full().condition(condition.clone()).wait());
    let remove = || EventBus::objects(&session).remove_permission();
    world.refused(&errors::VALIDATION, "StatementId", || remove().wait());
    let long = "x".repeat(64);
    for number in 0..40 {
        allow(world, "111111111111", &format!("{}{number:02}", &long[2..]))?;
    }
    let one_more = |number: i32| allow(world, "111111111111", &format!("{}{number:02}", &long[2..]));
    let refused = (40..99).find_map(|number| one_more(number).err()).unwrap();
    assert_eq!(refused.code(), errors::POLICY_TOO_LONG.code);
    Ok(())
}
