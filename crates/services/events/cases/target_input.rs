//! Input of targets.

use super::{QUEUE, World};
use nephos_core::{Map, Record, Result, Text};
use nephos_events::{EventTarget, InputTransformer, errors};

/// Creates a target with this field.
fn create(world: &World, fields: &[(&str, &str)]) -> Result<EventTarget> {
    let mut target = EventTarget::builder().rule("r").id("t").arn(QUEUE).build()?;
    for (name, value) in fields {
        target.set(name, *value)?;
    }
    EventTarget::objects(&world.session()).create(&target).wait()
}

/// Creates a target with a template.
fn transform(world: &World, paths: &[(&str, &str)], template: &str) -> Result<EventTarget> {
    let paths: Map<Text> = paths.iter().map(|(name, path)| (Text::new(name), Text::new(path))).collect();
    let transformer = InputTransformer::builder().input_paths_map(paths).input_template(template).build()?;
    let target =
        EventTarget::builder().rule("r").id("t").arn(QUEUE).input_transformer(transformer).build()?;
    EventTarget::objects(&world.session()).create(&target).wait()
}

pub(super) fn input_is_given_in_one_form(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    let both = || create(world, &[("Input", "{}"), ("InputPath", "$.detail")]);
    let refused = world.refused(&errors::VALIDATION, "Targets", both);
    let expected = "Only one of Input, InputPath, or InputTransformer must be provided for target t.";
    assert_eq!(refused.message(), expected);
    assert_eq!(create(world, &[("Input", "{}")])?.input(), Some("{}"));
    assert_eq!(create(world, &[("InputPath", "$.detail")])?.input_path(), Some("$.detail"));
    Ok(())
}

pub(super) fn input_must_be_json(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    let refused = world.refused(&errors::VALIDATION, "Targets", || create(world, &[("Input", "hello")]));
    assert_eq!(refused.message(), "JSON syntax error in input for target t");
    create(world, &[("Input", "\"hello\"")])?;
    Ok(())
}

pub(super) fn paths_are_checked(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    for path in ["detail", "$detail", "$..x", "$.a[x]"] {
        world.refused(&errors::VALIDATION, "Targets", || create(world, &[("InputPath", path)]));
        world.refused(&errors::VALIDATION, "Targets", || transform(world, &[("a", path)], "\"<a>\""));
    }
    for name in ["a b", "a.b", "AWS", "awsx", ""] {
        world.refused(&errors::VALIDATION, "Targets", || transform(world, &[(name, "$.id")], "\"x\""));
    }
    let names: Vec<_> = (0..101).map(|number| format!("v{number}")).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), "$.id")).collect();
    assert!(transform(world, &many, "\"x\"").is_err());
    transform(world, &many[..100], "\"<v99>\"")?;
    Ok(())
}

pub(super) fn templates_are_checked(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    let paths = [("state", "$.detail.state")];
    for (template, expected) in [
        ("\"<other>\"", "InputTemplate for target t contains invalid placeholder other."),
        (
            "\"<aws.events.event.json>\"",
            "InputTemplate for target t contains placeholder aws.events.event.json valid only for JSON template.",
        ),
        ("it is <state>", "Invalid InputTemplate for target t."),
    ] {
        let refused = world.refused(&errors::VALIDATION, "Targets", || transform(world, &paths, template));
        assert_eq!(refused.message(), expected);
    }
    for template in ["\"it is <state>\"", r#"{"state": <state>, "rule": "<aws.events.rule-name>"}"#] {
        let created = transform(world, &paths, template)?;
        assert_eq!(created.input_transformer().unwrap().input_template(), Some(template));
    }
    Ok(())
}
