//! Tests of `secret::window`.

use nephos_core::Timestamp;
use nephos_secrets::RotationRules;
use nephos_secrets::parts::window::*;

fn rules(days: Option<i64>, schedule: Option<&str>, duration: Option<&str>) -> RotationRules {
    let rules = RotationRules::builder().automatically_after_days(days).schedule_expression(schedule);
    rules.duration(duration).build().unwrap()
}

fn timestamp(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn rules_define_when_windows_open_and_close() {
    let noon = timestamp("2026-01-31T12:34:56Z");
    for (rules, opens, closes) in [
        (rules(Some(10), None, None), "2026-02-10T00:00:00Z", "2026-02-11T00:00:00Z"),
        (rules(Some(1), None, Some("3h")), "2026-02-01T00:00:00Z", "2026-02-01T03:00:00Z"),
        (rules(None, Some("rate(2 days)"), None), "2026-02-02T00:00:00Z", "2026-02-03T00:00:00Z"),
        (rules(None, Some("rate(6 hours)"), None), "2026-01-31T18:00:00Z", "2026-01-31T19:00:00Z"),
        (rules(None, Some("cron(0 8 1 * ? *)"), None), "2026-02-01T08:00:00Z", "2026-02-02T00:00:00Z"),
        (rules(None, Some("cron(0 8 1 * ? *)"), Some("2h")), "2026-02-01T08:00:00Z", "2026-02-01T10:00:00Z"),
        (rules(None, Some("cron(0 /8 * * ? *)"), None), "2026-01-31T16:00:00Z", "2026-01-31T17:00:00Z"),
    ] {
        check_rules(&rules, noon).unwrap();
        let window = next_window(&rules, noon).unwrap();
        assert_eq!((window.opens, window.closes), (timestamp(opens), timestamp(closes)), "{rules:?}");
    }
    assert_eq!(days_between(noon, timestamp("2026-02-10T00:00:00Z")), 10);
    assert_eq!(days_between(noon, timestamp("2026-01-31T18:00:00Z")), 1);
}

#[test]
fn invalid_rules_are_refused_with_their_field() {
    let noon = timestamp("2026-01-31T12:34:56Z");
    for (rules, field) in [
        (rules(None, None, None), "RotationRules"),
        (rules(None, None, Some("3h")), "RotationRules"),
        (rules(Some(1), Some("rate(1 day)"), None), "RotationRules"),
        (rules(None, Some("daily"), None), "RotationRules.ScheduleExpression"),
        (rules(None, Some("rate(10 minutes)"), None), "RotationRules.ScheduleExpression"),
        (rules(None, Some("rate(3 hours)"), None), "RotationRules.ScheduleExpression"),
        (rules(None, Some("cron(0 /2 * * ? *)"), None), "RotationRules.ScheduleExpression"),
        (rules(None, Some("cron(30 8 * * ? *)"), None), "RotationRules.ScheduleExpression"),
        (rules(None, Some("cron(0 8 * * ? 2030)"), None), "RotationRules.ScheduleExpression"),
        (rules(None, Some("cron(0 8 30 2 ? *)"), None), "RotationRules.ScheduleExpression"),
        (rules(None, Some("cron(0 22 * * ? *)"), Some("3h")), "RotationRules.Duration"),
        (rules(None, Some("rate(4 hours)"), Some("5h")), "RotationRules.Duration"),
        (rules(Some(1), None, Some("25h")), "RotationRules.Duration"),
        (rules(Some(1), None, Some("0h")), "RotationRules.Duration"),
    ] {
        let error = check_rules(&rules, noon).expect_err(&format!("{rules:?}"));
        assert_eq!((error.code(), error.field()), ("InvalidParameterException", Some(field)), "{error}");
    }
}
