//! Rotation, as far as it is refused; what functions do is tested where they can be registered.

use super::{World, errors};
use crate::{RotationRules, Secret};
use nephos_core::Result;

/// Without a function, or with one that nobody registered, nothing is rotated.
pub(super) fn a_rotation_needs_a_function_that_can_be_called(world: &World) -> Result<()> {
    world.secret("web", "x")?;
    let objects = Secret::objects(&world.session());
    world.refused(&errors::INVALID_REQUEST, None, || objects.rotate("web").wait());
    let function = "arn:aws:lambda:us-east-1:123456789012:function:none";
    world.refused(&errors::DENIED, "RotationFunctionARN", || {
        objects.rotate("web").rotation_function_arn(function).wait()
    });
    assert_eq!(world.found_secret("web")?.rotation_enabled(), None);
    Ok(())
}

/// Rules say when, in one way, and keep what the service asks of windows.
pub(super) fn rotation_rules_are_checked(world: &World) -> Result<()> {
    world.secret("web", "x")?;
    let rotate =
        |rules: RotationRules| Secret::objects(&world.session()).rotate("web").rotation_rules(rules).wait();
    let rules = RotationRules::builder;
    world.invalid_secret("RotationRules", || rotate(rules().build()?));
    world.invalid_secret("RotationRules", || {
        rotate(rules().automatically_after_days(1).schedule_expression("rate(1 day)").build()?)
    });
    for schedule in ["rate(1 days)", "rate(2 hours)", "cron(0 8 * * *)", "cron(5 8 * * ? *)", "at(noon)"] {
        let field = "RotationRules.ScheduleExpression";
        world.invalid_secret(field, || rotate(rules().schedule_expression(schedule).build()?));
    }
    world.invalid_secret("RotationRules.Duration", || {
        rotate(rules().schedule_expression("cron(0 22 * * ? *)").duration("4h").build()?)
    });
    for (days, duration) in [(0, None), (1001, None), (1, Some("h")), (1, Some("10")), (1, Some("100h"))] {
        let built = rules().automatically_after_days(days).duration(duration).build();
        assert!(built.is_err(), "{days} {duration:?}");
    }
    Ok(())
}

/// What is not rotated has no rotation to cancel.
pub(super) fn what_is_not_rotated_cannot_be_cancelled(world: &World) -> Result<()> {
    world.secret("web", "x")?;
    world.refused(&errors::INVALID_REQUEST, None, || {
        Secret::objects(&world.session()).cancel_rotation("web").wait()
    });
    Ok(())
}
