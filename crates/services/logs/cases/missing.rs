//! Operations on a missing log group return a not-found error and change nothing.

use super::{World, ask, errors};
use nephos_core::{Map, Result, Text, operation::WireOperation};
use nephos_logs::{
    AssociateKmsKey, CreateLogStream, DeleteDataProtectionPolicy, DeleteLogGroup, DeleteLogStream,
    DeleteMetricFilter, DeleteRetentionPolicy, DeleteSubscriptionFilter, DescribeLogStreams,
    DescribeMetricFilters, DescribeSubscriptionFilters, DisassociateKmsKey, FilterLogEvents,
    GetDataProtectionPolicy, GetLogEvents, GetLogGroupFields, ListTagsForResource, LogEvent, LogGroup,
    LogStream, MetricFilter, PutBearerTokenAuthentication, PutDataProtectionPolicy, PutLogEvents,
    PutLogGroupDeletionProtection, PutMetricFilter, PutRetentionPolicy, PutSubscriptionFilter,
    SubscriptionFilter, TagResource, UntagResource,
};

const ARN: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/none";

/// Asserts that `operation` returns the not-found error of log groups.
#[track_caller]
fn assert_not_found<O: WireOperation>(world: &World, operation: O) {
    let error = world.refused(&errors::NOT_FOUND, None, || ask(&world.session(), operation));
    assert_eq!(error.message(), "The specified log group does not exist.");
}

pub(super) fn settings_of_missing_log_group_are_not_found(world: &World) -> Result<()> {
    const KEY: &str = "arn:aws:kms:us-east-1:123456789012:key/one";
    assert_not_found(world, DeleteLogGroup::new("/none"));
    assert_not_found(world, PutRetentionPolicy::new("/none", 7));
    assert_not_found(world, DeleteRetentionPolicy::new("/none"));
    for identifier in ["/none", ARN] {
        assert_not_found(world, PutLogGroupDeletionProtection::new(identifier, true));
        assert_not_found(world, PutBearerTokenAuthentication::new(identifier, true));
    }
    assert_not_found(world, AssociateKmsKey::new(KEY).log_group_name("/none"));
    assert_not_found(world, AssociateKmsKey::new(KEY).resource_identifier(ARN));
    assert_not_found(world, DisassociateKmsKey::new().log_group_name("/none"));
    Ok(())
}

pub(super) fn tags_of_missing_log_group_are_not_found(world: &World) -> Result<()> {
    let tags: Map<Text> = [(Text::new("team"), Text::new("web"))].into_iter().collect();
    assert_not_found(world, TagResource::new(ARN, tags));
    assert_not_found(world, UntagResource::new(ARN, vec![Text::new("team")]));
    assert_not_found(world, ListTagsForResource::new(ARN));
    Ok(())
}

pub(super) fn streams_and_events_of_missing_log_group_are_not_found(world: &World) -> Result<()> {
    assert_not_found(world, CreateLogStream::new("/none", "main"));
    assert_not_found(world, DeleteLogStream::new("/none", "main"));
    assert_not_found(world, DescribeLogStreams::new().log_group_name("/none"));
    assert_not_found(world, DescribeLogStreams::new().log_group_identifier(ARN));
    assert_not_found(
        world,
        PutLogEvents::new("/none", "main", super::input_events(&[(world.now(), "hello")])?),
    );
    assert_not_found(world, GetLogEvents::new("main").log_group_name("/none"));
    assert_not_found(world, FilterLogEvents::new().log_group_name("/none"));
    assert_not_found(world, FilterLogEvents::new().log_group_identifier(ARN));
    assert_not_found(world, GetLogGroupFields::new().log_group_name("/none"));
    assert_not_found(world, GetLogGroupFields::new().log_group_identifier(ARN));
    let session = world.session();
    world.refused(&errors::NOT_FOUND, None, || {
        LogStream::objects(&session).list("/none").results().all().wait()
    });
    world.refused(&errors::NOT_FOUND, None, || {
        LogEvent::objects(&session).list("/none").results().all().wait()
    });
    assert_eq!(LogStream::objects(&session).get("/none", "main").wait()?, None);
    Ok(())
}

pub(super) fn filters_of_missing_log_group_are_not_found(world: &World) -> Result<()> {
    let transformation = super::metric_filter::transformation("1")?;
    assert_not_found(world, PutMetricFilter::new("/none", "errors", "", vec![transformation]));
    assert_not_found(world, DescribeMetricFilters::new().log_group_name("/none"));
    assert_not_found(world, DeleteMetricFilter::new("/none", "errors"));
    let function = "arn:aws:lambda:us-east-1:123456789012:function:out";
    assert_not_found(world, PutSubscriptionFilter::new("/none", "out", "", function));
    assert_not_found(world, DescribeSubscriptionFilters::new("/none"));
    assert_not_found(world, DeleteSubscriptionFilter::new("/none", "out"));
    assert_eq!(MetricFilter::objects(&world.session()).get("/none", "errors").wait()?, None);
    assert_eq!(SubscriptionFilter::objects(&world.session()).get("/none", "out").wait()?, None);
    Ok(())
}

pub(super) fn policy_of_missing_log_group_is_not_found(world: &World) -> Result<()> {
    for identifier in ["/none", ARN] {
        assert_not_found(world, PutDataProtectionPolicy::new(identifier, super::protection::EMAIL_POLICY));
        assert_not_found(world, GetDataProtectionPolicy::new(identifier));
        assert_not_found(world, DeleteDataProtectionPolicy::new(identifier));
    }
    let objects = LogGroup::objects(&world.session());
    assert_eq!(objects.get_data_protection_policy("/none").wait()?, None);
    Ok(())
}

/// Also if this account and Region have a group with the same name.
pub(super) fn arn_of_other_account_or_region_is_not_found(world: &World) -> Result<()> {
    world.create_group("/none")?;
    for arn in [
        "arn:aws:logs:us-east-1:210987654321:log-group:/none",
        "arn:aws:logs:eu-west-1:123456789012:log-group:/none",
    ] {
        assert_not_found(world, PutLogGroupDeletionProtection::new(arn, true));
        assert_not_found(world, ListTagsForResource::new(arn));
        assert_not_found(world, UntagResource::new(arn, vec![Text::new("team")]));
        assert_not_found(world, DisassociateKmsKey::new().resource_identifier(arn));
        assert_not_found(world, DescribeLogStreams::new().log_group_identifier(arn));
        assert_not_found(world, FilterLogEvents::new().log_group_identifier(arn));
        assert_not_found(world, GetLogGroupFields::new().log_group_identifier(arn));
        assert_not_found(world, PutDataProtectionPolicy::new(arn, super::protection::EMAIL_POLICY));
    }
    Ok(())
}

/// An identifier can be longer than a name.
pub(super) fn identifier_with_a_name_over_512_characters_is_rejected(world: &World) -> Result<()> {
    let (longest, too_long) = ("a".repeat(512), "a".repeat(513));
    let session = world.session();
    for prefix in ["", "arn:aws:logs:us-east-1:123456789012:log-group:"] {
        assert_not_found(world, DescribeLogStreams::new().log_group_identifier(format!("{prefix}{longest}")));
        let error = world.assert_invalid("logGroupIdentifier", || {
            ask(&session, DescribeLogStreams::new().log_group_identifier(format!("{prefix}{too_long}")))
        });
        let text = "Invalid LogGroup or LogStream, both must have length less than or equal to 512.";
        assert_eq!(error.message(), text);
    }
    Ok(())
}

pub(super) fn arn_of_other_resource_type_is_rejected(world: &World) -> Result<()> {
    let session = world.session();
    for arn in ["arn:aws:kms:us-east-1:123456789012:key/one", "arn:aws:logs:us-east-1:123456789012:query:x"] {
        world.assert_invalid("logGroupIdentifier", || {
            ask(&session, PutLogGroupDeletionProtection::new(arn, true))
        });
        world.assert_invalid("logGroupIdentifier", || {
            ask(&session, PutBearerTokenAuthentication::new(arn, true))
        });
        world.assert_invalid("logGroupIdentifier", || {
            ask(&session, DescribeLogStreams::new().log_group_identifier(arn))
        });
        world.assert_invalid("logGroupIdentifier", || ask(&session, GetDataProtectionPolicy::new(arn)));
        world.assert_invalid("resourceArn", || ask(&session, ListTagsForResource::new(arn)));
    }
    Ok(())
}
