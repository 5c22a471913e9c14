//! Refused rotations. Tests of rotation functions are in `tests/secrets/rotation.rs`, where they can be registered.

use super::{World, errors};
use nephos_core::Result;
use nephos_secrets::{RotationRules, Secret};

pub(super) fn rotation_needs_registered_function(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    let objects = Secret::objects(&world.session());
    world.refused(&errors::INVALID_REQUEST, None, || objects.rotate("web").wait());
    let function = "arn:aws:lambda:us-east-1:123456789012:function:none";
    world.refused(&errors::DENIED, "RotationFunctionARN", || {
        objects.rotate("web").rotation_function_arn(function).wait()
    });
    assert_eq!(world.existing_secret("web")?.rotation_enabled(), None);
    Ok(())
}

pub(super) fn rotation_rules_are_checked(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    let rotate =
        |rules: RotationRules| Secret::objects(&world.session()).rotate("web").rotation_rules(rules).wait();
    let rules = RotationRules::builder;
    world.assert_invalid("RotationRules", || rotate(rules().build()?));
    world.assert_invalid("RotationRules", || {
        rotate(rules().automatically_after_days(1).schedule_expression("rate(1 day)").build()?)
    });
    for schedule in ["rate(1 days)", "rate(2 hours)", "cron(0 8 * * *)", "cron(5 8 * * ? *)", "at(noon)"] {
        let field = "RotationRules.ScheduleExpression";
        world.assert_invalid(field, || rotate(rules().schedule_expression(schedule).build()?));
    }
    world.assert_invalid("RotationRules.Duration", || {
        rotate(rules().schedule_expression("cron(0 22 * * ? *)").duration("4h").build()?)
    });
    for (days, duration) in [(0, None), (1001, None), (1, Some("h")), (1, Some("10")), (1, Some("100h"))] {
        let built = rules().automatically_after_days(days).duration(duration).build();
        assert!(built.is_err(), "{days} {duration:?}");
    }
    Ok(())
}

pub(super) fn cancel_without_rotation_is_refused(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    world.refused(&errors::INVALID_REQUEST, None, || {
        Secret::objects(&world.session()).cancel_rotation("web").wait()
    });
    Ok(())
}
