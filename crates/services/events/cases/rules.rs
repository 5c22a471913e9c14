//! Rules: created, read, listed, replaced, enabled, disabled, deleted.

use super::{PATTERN, World, bus_arn};
use nephos_core::{Result, prelude::*};
use nephos_events::{EventRule, PutRule, RuleState, errors};
use nephos_testing::{OTHER_ACCOUNT, ask, names};

pub(super) fn created_rule_is_returned_by_get_and_list(world: &World) -> Result<()> {
    let session = world.session();
    let rule = EventRule::builder()
        .name("nightly")
        .description("every night")
        .schedule_expression("cron(0 2 * * ? *)")
        .event_pattern(PATTERN)
        .role_arn("arn:aws:iam::123456789012:role/events")
        .state("ENABLED_WITH_ALL_AUDIT_MANAGEMENT_EVENTS")
        .tags([("team", "web")])
        .build()?;
    let created = EventRule::objects(&session).create(&rule).wait()?;
    assert_eq!(created.require_arn()?, "arn:aws:events:us-east-1:123456789012:rule/nightly");
    assert_eq!(created.event_bus_name(), Some("default"));
    assert_eq!(created.created_by(), Some("123456789012"));
    assert_eq!(created.managed_by(), None);
    assert_eq!(created.state(), Some(&RuleState::EnabledWithAllAuditManagementEvents));
    assert_eq!(created.tags_map().wait()?.len(), 1);
    assert_eq!(world.existing_rule("default", "nightly")?, created);
    let listed = EventRule::objects(&session).list().results().all().wait()?.remove(0);
    assert_eq!((listed.event_pattern(), listed.created_by()), (Some(PATTERN), None));
    world.create_bus("a")?;
    let on_bus = world.create_rule("a", "r")?;
    assert_eq!(on_bus.require_arn()?, "arn:aws:events:us-east-1:123456789012:rule/a/r");
    assert_eq!(on_bus.state(), Some(&RuleState::Enabled));
    // The bus can also be given by its ARN.
    let arn = "arn:aws:events:us-east-1:123456789012:event-bus/a";
    assert_eq!(world.existing_rule(arn, "r")?, on_bus);
    assert!(EventRule::objects(&session).get("r").wait()?.is_none());
    Ok(())
}

pub(super) fn put_replaces_all_settings(world: &World) -> Result<()> {
    let rule = EventRule::builder().name("r").event_pattern(PATTERN).description("one").tags([("a", "1")]);
    let created = EventRule::objects(&world.session()).create(&rule.build()?).wait()?;
    let rule = EventRule::builder().name("r").schedule_expression("rate(5 minutes)").tags([("b", "2")]);
    let replaced = EventRule::objects(&world.session()).create(&rule.build()?).wait()?;
    assert_eq!(replaced.require_arn()?, created.require_arn()?);
    assert_eq!((replaced.event_pattern(), replaced.description()), (None, None));
    // Tags of a request are for a new rule only.
    assert_eq!(replaced.tags_map().wait()?, created.tags_map().wait()?);
    Ok(())
}

pub(super) fn update_changes_rule_and_tags(world: &World) -> Result<()> {
    world.create_bus("a")?;
    let mut rule = world.create_rule("a", "r")?;
    rule.set_description("new")?;
    rule.tags_mut().wait()?.insert("k", "v")?;
    rule.save().wait()?;
    let found = world.existing_rule("a", "r")?;
    assert_eq!((found.description(), found.event_pattern()), (Some("new"), Some(PATTERN)));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    let mut listed =
        EventRule::objects(&world.session()).list().event_bus_name("a").results().all().wait()?.remove(0);
    listed.set_description(None::<&str>)?;
    listed.save().wait()?;
    let found = world.existing_rule("a", "r")?;
    assert_eq!((found.description(), found.tags_map().wait()?.len()), (None, 1));
    found.delete().wait()?;
    assert!(EventRule::objects(&world.session()).get("r").event_bus_name("a").wait()?.is_none());
    Ok(())
}

pub(super) fn rule_is_enabled_and_disabled(world: &World) -> Result<()> {
    world.create_bus("a")?;
    let rule = world.create_rule("a", "r")?;
    rule.disable().wait()?;
    assert_eq!(world.existing_rule("a", "r")?.state(), Some(&RuleState::Disabled));
    EventRule::objects(&world.session()).enable("r").event_bus_name("a").wait()?;
    assert_eq!(world.existing_rule("a", "r")?.state(), Some(&RuleState::Enabled));
    let mut audited = world.existing_rule("a", "r")?;
    audited.set_state(RuleState::EnabledWithAllAuditManagementEvents)?;
    audited.save().wait()?;
    audited.enable().wait()?;
    assert_eq!(world.existing_rule("a", "r")?.state(), audited.state());
    Ok(())
}

pub(super) fn rules_are_listed_by_bus_and_prefix(world: &World) -> Result<()> {
    let session = world.session();
    world.create_bus("a")?;
    for (bus, name) in [("a", "y"), ("a", "x"), ("default", "x"), ("a", "xy")] {
        world.create_rule(bus, name)?;
    }
    let list = |bus: &str| EventRule::objects(&session).list().event_bus_name(bus);
    assert_eq!(names(&list("a").limit(1).results().all().wait()?)?, ["x", "xy", "y"]);
    assert_eq!(names(&list("a").name_prefix("x").results().all().wait()?)?, ["x", "xy"]);
    assert_eq!(names(&EventRule::objects(&session).list().results().all().wait()?)?, ["x"]);
    Ok(())
}

pub(super) fn rules_of_other_accounts_are_denied(world: &World) -> Result<()> {
    world.create_bus("a")?;
    let mut put = PutRule::new("r");
    put.event_bus_name = Some(bus_arn("a").into());
    put.event_pattern = Some(PATTERN.into());
    let refused =
        world.refused(&errors::ACCESS_DENIED, "EventBusName", || ask(&world.other_account(), put.clone()));
    assert_eq!(
        refused.message(),
        format!(
            "User: arn:aws:iam::{OTHER_ACCOUNT}:root is not authorized to perform: events:PutRule on resource: {} because \
             no resource-based policy allows the events:PutRule action",
            bus_arn("a")
        )
    );
    ask(&world.session(), put).map(drop)
}

pub(super) fn bus_and_rule_must_exist(world: &World) -> Result<()> {
    let session = world.session();
    let refused = world.refused(&errors::NOT_FOUND, None, || world.create_rule("missing", "r"));
    assert_eq!(refused.message(), "Event bus missing does not exist.");
    let list = || EventRule::objects(&session).list().event_bus_name("missing").results().all().wait();
    world.refused(&errors::NOT_FOUND, None, list);
    let refused = world.refused(&errors::NOT_FOUND, None, || EventRule::objects(&session).enable("r").wait());
    assert_eq!(refused.message(), "Rule r does not exist on EventBus default.");
    world.refused(&errors::NOT_FOUND, None, || EventRule::objects(&session).disable("r").wait());
    // A rule that does not exist is deleted without an error, but not on a bus that does not exist.
    EventRule::objects(&session).delete("r").wait()?;
    let delete = || EventRule::objects(&session).delete("r").event_bus_name("missing").wait();
    world.refused(&errors::NOT_FOUND, None, delete);
    Ok(())
}

pub(super) fn pattern_or_schedule_is_required(world: &World) -> Result<()> {
    let refused =
        world.refused(&errors::VALIDATION, "EventPattern", || ask(&world.session(), PutRule::new("r")));
    assert_eq!(refused.message(), "Parameter(s) EventPattern or ScheduleExpression must be specified.");
    Ok(())
}

pub(super) fn pattern_is_checked(world: &World) -> Result<()> {
    for (pattern, reason) in [
        (r#"{"source": "shop"}"#, "\"source\" must be an object or an array"),
        (r#"{"source": []}"#, "Empty arrays are not allowed"),
        (r#"{"source": [{"PREFIX": "a"}]}"#, "Unrecognized match type PREFIX"),
    ] {
        let rule = EventRule::builder().name("r").event_pattern(pattern).build()?;
        let create = || EventRule::objects(&world.session()).create(&rule).wait();
        let refused = world.refused(&errors::INVALID_PATTERN, "EventPattern", create);
        let expected = format!("Event pattern is not valid. Reason: {reason}");
        assert!(refused.message().starts_with(&expected), "{refused}");
    }
    Ok(())
}

pub(super) fn schedules_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    let create = |schedule: &str, bus: &str| {
        let rule =
            EventRule::builder().name("r").schedule_expression(schedule).event_bus_name(bus).build()?;
        EventRule::objects(&session).create(&rule).wait()
    };
    for schedule in [
        "",
        "rate()",
        "rate(10)",
        "rate(1 minutes)",
        "rate(10 minute)",
        "rate(10 seconds)",
        "rate(foo minutes)",
        "rate(0 minutes)",
        "rate(-1 minutes)",
        "RATE(1 minute)",
        "rate(1 minute) ",
        "at(2026-01-01T00:00:00)",
        "cron(0 1 * * * *)",
        "cron(71 0 * * ? *)",
        "cron(0 0 ? * FOO *)",
        "cron(0 0 * * ?)",
    ] {
        let refused =
            world.refused(&errors::VALIDATION, "ScheduleExpression", || create(schedule, "default"));
        assert_eq!(refused.message(), "Parameter ScheduleExpression is not valid.", "{schedule}");
    }
    for schedule in [
        "rate(1 minute)",
        "rate(10 minutes)",
        "rate(1 hour)",
        "rate(2 days)",
        "cron(0 2 ? * SAT#3 *)",
        "cron(15 10 ? * 6L 2002-2005)",
        "cron(0/15 * * * ? *)",
    ] {
        assert_eq!(create(schedule, "default")?.schedule_expression(), Some(schedule));
    }
    world.create_bus("a")?;
    let refused = world.refused(&errors::VALIDATION, "ScheduleExpression", || create("rate(1 minute)", "a"));
    assert_eq!(refused.message(), "ScheduleExpression is supported only on the default event bus.");
    Ok(())
}

pub(super) fn number_of_rules_is_limited(world: &World) -> Result<()> {
    world.create_bus("a")?;
    for number in 0..300 {
        world.create_rule("a", &format!("r{number}"))?;
    }
    world.refused(&errors::LIMIT_EXCEEDED, None, || world.create_rule("a", "more"));
    // Another bus has its own number, and a rule can be replaced.
    world.create_rule("default", "more")?;
    world.create_rule("a", "r0")?;
    EventRule::objects(&world.session()).delete("r0").event_bus_name("a").wait()?;
    world.create_rule("a", "more")?;
    Ok(())
}

const EVENT: &str = r#"{"id": "1", "account": "123456789012", "source": "shop", "time": "2026-01-31T12:00:00Z",
    "region": "us-east-1", "resources": [], "detail-type": "Order", "detail": {"total": 5}}"#;

pub(super) fn patterns_are_tested(world: &World) -> Result<()> {
    let session = world.session();
    let test = |pattern: &str, event: &str| {
        EventRule::objects(&session).test_pattern(pattern, event).wait().map(|tested| tested.result())
    };
    assert_eq!(test(PATTERN, EVENT)?, Some(true));
    assert_eq!(test(r#"{"detail": {"total": [6]}}"#, EVENT)?, Some(false));
    world.refused(&errors::INVALID_PATTERN, "EventPattern", || test("{", EVENT));
    for event in ["", "[]", r#"{"source": "shop"}"#] {
        let refused = world.refused(&errors::VALIDATION, "Event", || test(PATTERN, event));
        assert_eq!(refused.message(), "Parameter Event is not valid.");
    }
    Ok(())
}
