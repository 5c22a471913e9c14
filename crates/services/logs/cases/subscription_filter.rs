//! Subscription filters.

use super::{HOUR, World, ask, errors, names};
use nephos_core::{Resource, Result};
use nephos_logs::{Distribution, LogGroup, LogGroupClass, PutSubscriptionFilter, SubscriptionFilter};

const FUNCTION: &str = "arn:aws:lambda:us-east-1:123456789012:function:out";
const STREAM: &str = "arn:aws:kinesis:us-east-1:123456789012:stream/out";
const ROLE: &str = "arn:aws:iam::123456789012:role/out";

fn build_filter(group: &str, name: &str) -> Result<SubscriptionFilter> {
    let builder = SubscriptionFilter::builder().log_group_name(group).filter_name(name);
    builder.destination_arn(FUNCTION).build()
}

/// Creates a filter of a group.
pub(super) fn create_filter(world: &World, group: &str, name: &str) -> Result<()> {
    SubscriptionFilter::objects(&world.session()).create(&build_filter(group, name)?).wait()
}

pub(super) fn get_returns_a_subscription_filter_as_created(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let filter = SubscriptionFilter::builder()
        .log_group_name("/web")
        .filter_name("out")
        .filter_pattern("ERROR")
        .destination_arn(STREAM)
        .role_arn(ROLE)
        .distribution(Distribution::Random)
        .field_selection_criteria(r#"@aws.region = "us-east-1""#)
        .emit_system_fields(["@aws.account", "@source.log", "@aws.account"])
        .build()?;
    let objects = SubscriptionFilter::objects(&world.session());
    objects.create(&filter).wait()?;
    let found = objects.get("/web", "out").wait()?.expect("it was created");
    assert_eq!((found.log_group_name(), found.require_name()?), (Some("/web"), "out"));
    assert_eq!((found.filter_pattern(), found.destination_arn()), (Some("ERROR"), Some(STREAM)));
    assert_eq!((found.role_arn(), found.distribution()), (Some(ROLE), Some(&Distribution::Random)));
    assert_eq!(found.creation_time(), Some(world.now()));
    assert_eq!(found.field_selection_criteria(), Some(r#"@aws.region = "us-east-1""#));
    assert_eq!(found.emit_system_fields().map(<[_]>::len), Some(2));
    create_filter(world, "/web", "plain")?;
    let plain = objects.get("/web", "plain").wait()?.expect("it was created");
    assert_eq!((plain.filter_pattern(), plain.role_arn()), (Some(""), None));
    assert_eq!(plain.distribution(), Some(&Distribution::ByLogStream));
    assert_eq!(plain.apply_on_transformed_logs(), Some(false));
    ask(
        &world.session(),
        PutSubscriptionFilter::new("/web", "plain", "", FUNCTION).distribution(Distribution::Random),
    )?;
    let plain = objects.get("/web", "plain").wait()?.expect("it was created");
    assert_eq!(plain.distribution(), Some(&Distribution::Random));
    Ok(())
}

/// Create requires a new name, update an existing one.
pub(super) fn subscription_filter_create_update_and_delete(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let objects = SubscriptionFilter::objects(&world.session());
    let mut changed = build_filter("/web", "out")?;
    world.refused(&errors::NOT_FOUND, None, || objects.update(&changed).wait());
    create_filter(world, "/web", "out")?;
    world.refused(&errors::EXISTS, None, || create_filter(world, "/web", "out"));
    let created = world.now();
    world.advance(HOUR)?;
    changed.set_filter_pattern("WARN")?;
    let updated = objects.update(&changed).wait()?;
    assert_eq!((updated.filter_pattern(), updated.creation_time()), (Some("WARN"), Some(created)));
    let found = objects.get("/web", "out").wait()?.expect("the filter exists");
    found.delete().wait()?;
    assert_eq!(objects.get("/web", "out").wait()?, None);
    world.refused(&errors::NOT_FOUND, None, || found.delete().wait());
    Ok(())
}

/// The default distribution in the answer is accepted for a Lambda function.
pub(super) fn subscription_filter_can_be_saved_after_get(world: &World) -> Result<()> {
    world.create_group("/web")?;
    create_filter(world, "/web", "out")?;
    let mut found =
        SubscriptionFilter::objects(&world.session()).get("/web", "out").wait()?.expect("the filter exists");
    let before = world.state()?;
    found.save().wait()?;
    world.assert_unchanged(&before)?;
    found.set_filter_pattern("ERROR")?;
    found.save().wait()?;
    assert_eq!(found.filter_pattern(), Some("ERROR"));
    Ok(())
}

/// Filters are listed by name.
pub(super) fn subscription_filters_are_limited_to_5_per_log_group(world: &World) -> Result<()> {
    world.create_group("/web")?;
    world.create_group("/api")?;
    create_filter(world, "/web", "out")?;
    create_filter(world, "/web", "in")?;
    create_filter(world, "/api", "api")?;
    for name in ["3", "4", "5"] {
        create_filter(world, "/web", name)?;
    }
    world.refused(&errors::LIMIT_EXCEEDED, None, || create_filter(world, "/web", "sixth"));
    ask(&world.session(), PutSubscriptionFilter::new("/web", "out", "again", FUNCTION))?;
    let list = || SubscriptionFilter::objects(&world.session()).list("/web");
    for limit in [1, 2, 50] {
        assert_eq!(names(&list().limit(limit).results().all().wait()?)?, ["3", "4", "5", "in", "out"]);
    }
    assert_eq!(names(&list().filter_name_prefix("o").results().all().wait()?)?, ["out"]);
    for limit in [0, 51] {
        world.assert_invalid("limit", || list().limit(limit).results().all().wait());
    }
    SubscriptionFilter::objects(&world.session()).delete("/web", "in").wait()?;
    create_filter(world, "/web", "sixth")
}

pub(super) fn invalid_subscription_filters_are_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let put = |destination: &str| PutSubscriptionFilter::new("/web", "out", "", destination);
    let session = world.session();
    let bucket = "arn:aws:s3:::bucket";
    world.assert_invalid("destinationArn", || ask(&session, put("out")));
    let error =
        world.refused(&errors::INVALID, "destinationArn", || ask(&session, put(bucket).role_arn(ROLE)));
    let text = "PutSubscriptionFilter operation cannot work with destinationArn for vendor s3";
    assert_eq!(error.message(), text);
    let error = world.refused(&errors::INVALID, "roleArn", || ask(&session, put(FUNCTION).role_arn(ROLE)));
    assert_eq!(error.message(), "destinationArn for vendor lambda cannot be used with roleArn");
    // The missing role is refused before the service.
    let error = world.refused(&errors::INVALID, None, || ask(&session, put(bucket)));
    assert_eq!(error.message(), "destinationArn for vendor s3 cannot be used without roleArn");
    for stream in [STREAM, "arn:aws:firehose:us-east-1:123456789012:deliverystream/out"] {
        let error = world.refused(&errors::INVALID, None, || ask(&session, put(stream)));
        assert!(error.message().ends_with("cannot be used without roleArn"), "{error}");
        for role in ["out", "arn:aws:iam::123456789012:user/out", FUNCTION] {
            world.assert_invalid("roleArn", || ask(&session, put(stream).role_arn(role)));
        }
        ask(&session, put(stream).role_arn(ROLE))?;
    }
    let error = world.refused(&errors::DENIED, "destinationArn", || {
        ask(&session, put("arn:aws:lambda:us-east-1:210987654321:function:out"))
    });
    assert!(
        error.message().starts_with("Cross-account lambda invocation passing is not allowed."),
        "{error}"
    );
    let error = world.refused(&errors::INVALID, "emitSystemFields", || {
        ask(&session, put(FUNCTION).emit_system_fields(["@aws.account", "@aws.zone"]))
    });
    assert_eq!(
        error.message(),
        "The provided system fields are invalid. The supported system fields are - [@aws.region, @aws.account, @source.log]"
    );
    world.assert_invalid("fieldSelectionCriteria", || {
        ask(&session, put(FUNCTION).field_selection_criteria("x".repeat(2001)))
    });
    world.assert_invalid("filterPattern", || {
        ask(&session, PutSubscriptionFilter::new("/web", "out", "[a", FUNCTION))
    });
    world.assert_invalid("filterName", || {
        ask(&session, PutSubscriptionFilter::new("/web", "a*", "", FUNCTION))
    });
    Ok(())
}

pub(super) fn subscription_filters_require_class_standard(world: &World) -> Result<()> {
    for class in [LogGroupClass::InfrequentAccess, LogGroupClass::Delivery] {
        let name = class.to_string();
        world.create(&LogGroup::builder().log_group_name(name.as_str()).log_group_class(class).build()?)?;
        world.refused(&errors::INVALID_OPERATION, None, || create_filter(world, &name, "out"));
    }
    Ok(())
}
