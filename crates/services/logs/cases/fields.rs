//! Field discovery in log events.

use super::{MINUTE, SECOND, World, ask, errors};
use nephos_core::{Resource, Result};
use nephos_logs::{GetLogGroupFields, LogGroup, LogGroupField};

fn percentages(fields: &[LogGroupField]) -> Vec<(String, i64)> {
    let percentage =
        |field: &LogGroupField| (field.name().unwrap_or_default().to_owned(), field.percent().unwrap_or(-1));
    fields.iter().map(percentage).collect()
}

/// Returns the fields without the generated ones.
fn own_percentages(fields: &[LogGroupField]) -> Vec<(String, i64)> {
    percentages(fields).into_iter().filter(|(name, _)| !name.starts_with('@')).collect()
}

fn pairs(expected: &[(&str, i64)]) -> Vec<(String, i64)> {
    expected.iter().map(|(name, percent)| ((*name).to_owned(), *percent)).collect()
}

fn discover_fields(world: &World) -> Result<Vec<LogGroupField>> {
    LogGroup::objects(&world.session()).get_fields().log_group_name("/web").wait()
}

/// A group without events has no fields.
pub(super) fn plain_text_events_have_only_generated_fields(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    assert_eq!(percentages(&discover_fields(world)?), []);
    world.put_events(
        "/web",
        "main",
        &[(world.now(), "hello"), (world.now(), "[1, 2]"), (world.now(), "\"text\"")],
    )?;
    let all = ["@ingestionTime", "@log", "@logStream", "@message", "@timestamp"];
    assert_eq!(percentages(&discover_fields(world)?), pairs(&all.map(|name| (name, 100))));
    Ok(())
}

/// Fields are named by their paths: `a.b` in objects, `a.0` in lists.
pub(super) fn nested_json_values_are_fields(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let event = r#"{"a": 1, "b": {"c": true, "d": {"e": null}}, "f": ["x", {"g": 2}], "h": {}, "i": []}"#;
    world.put_events("/web", "main", &[(world.now(), event)])?;
    let expected = ["a", "b.c", "b.d.e", "f.0", "f.1.g", "h", "i"].map(|name| (name, 100));
    assert_eq!(own_percentages(&discover_fields(world)?), pairs(&expected));
    Ok(())
}

/// The percentage is of all events in the time range; equal percentages are sorted by name.
pub(super) fn fields_are_sorted_by_percentage(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    world.create_stream("/web", "other")?;
    let now = world.now();
    world.put_events(
        "/web",
        "main",
        &[(now, r#"{"b": 1, "a": 1}"#), (now, r#"{"b": 2, "a": 2, "z": 3}"#)],
    )?;
    world.put_events("/web", "other", &[(now, r#"{"b": 1}"#), (now, "plain")])?;
    let fields = discover_fields(world)?;
    assert_eq!(own_percentages(&fields), pairs(&[("b", 75), ("a", 50), ("z", 25)]));
    assert!(percentages(&fields)[..5].iter().all(|(name, percent)| name.starts_with('@') && *percent == 100));
    let many: Vec<_> = (0..300).map(|_| (now, "plain")).collect();
    world.put_events("/web", "main", &many)?;
    assert_eq!(
        own_percentages(&discover_fields(world)?),
        pairs(&[("b", 1), ("a", 1), ("z", 1)]),
        "rare, but there"
    );
    Ok(())
}

pub(super) fn field_discovery_covers_the_last_15_minutes_by_default(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let now = world.now();
    world.put_events(
        "/web",
        "main",
        &[
            (now - 15 * MINUTE - 1, r#"{"before": 1}"#),
            (now - 15 * MINUTE, r#"{"first": 1}"#),
            (now, r#"{"last": 1}"#),
            (now + 1, r#"{"after": 1}"#),
        ],
    )?;
    assert_eq!(own_percentages(&discover_fields(world)?), pairs(&[("first", 50), ("last", 50)]));
    world.advance(MINUTE)?;
    assert_eq!(own_percentages(&discover_fields(world)?), pairs(&[("after", 50), ("last", 50)]));
    Ok(())
}

/// The time is in seconds.
pub(super) fn field_discovery_covers_8_minutes_around_a_time(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let middle = world.now() - 60 * MINUTE;
    let (start, end) = (middle - 8 * MINUTE, middle + 8 * MINUTE);
    world.put_events(
        "/web",
        "main",
        &[
            (start - 1, r#"{"before": 1}"#),
            (start, r#"{"first": 1}"#),
            (end, r#"{"last": 1}"#),
            (end + 1, r#"{"after": 1}"#),
        ],
    )?;
    let get = |time: i64| LogGroup::objects(&world.session()).get_fields().log_group_name("/web").time(time);
    assert_eq!(own_percentages(&get(middle / SECOND).wait()?), pairs(&[("first", 50), ("last", 50)]));
    assert_eq!(percentages(&get(0).wait()?), []);
    assert_eq!(percentages(&get(i64::MAX).wait()?), []);
    assert_eq!(
        own_percentages(&get(middle / SECOND + 16 * 60).wait()?),
        pairs(&[("after", 50), ("last", 50)])
    );
    Ok(())
}

/// Both or neither is an error.
pub(super) fn get_fields_requires_either_name_or_identifier(world: &World) -> Result<()> {
    let group = world.create_group_with_stream("/web")?;
    world.put_events("/web", "main", &[(world.now(), r#"{"a": 1}"#)])?;
    let objects = LogGroup::objects(&world.session());
    for identifier in ["/web", group.require_arn()?, group.log_group_arn().unwrap_or_default()] {
        let fields = objects.get_fields().log_group_identifier(identifier).wait()?;
        assert_eq!(own_percentages(&fields), pairs(&[("a", 100)]), "{identifier}");
    }
    world.assert_invalid("logGroupName", || objects.get_fields().wait());
    world.assert_invalid("logGroupName", || objects.get_fields().time(0).wait());
    world.assert_invalid("logGroupIdentifier", || {
        objects.get_fields().log_group_name("/web").log_group_identifier("/web").wait()
    });
    let both = GetLogGroupFields::new().log_group_name("/web").log_group_identifier("/web");
    world.refused(&errors::VALIDATION, "logGroupName", || ask(&world.session(), both));
    world.assert_invalid("logGroupName", || ask(&world.session(), GetLogGroupFields::new()));
    world.assert_invalid("time", || objects.get_fields().log_group_name("/web").time(-1).wait());
    world.refused(&errors::NOT_FOUND, None, || objects.get_fields().log_group_name("/none").wait());
    for session in [world.other_account(), world.other_region()] {
        world.refused(&errors::NOT_FOUND, None, || {
            LogGroup::objects(&session).get_fields().log_group_name("/web").wait()
        });
    }
    Ok(())
}
