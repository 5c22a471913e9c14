//! A log group that is not there: every operation on it says so, and does nothing.

use super::{World, ask, errors};
use crate::{
    AssociateKmsKey, CreateLogStream, DeleteDataProtectionPolicy, DeleteLogGroup, DeleteLogStream,
    DeleteMetricFilter, DeleteRetentionPolicy, DeleteSubscriptionFilter, DescribeLogStreams,
    DescribeMetricFilters, DescribeSubscriptionFilters, DisassociateKmsKey, FilterLogEvents,
    GetDataProtectionPolicy, GetLogEvents, GetLogGroupFields, ListTagsForResource, LogEvent, LogGroup,
    LogStream, MetricFilter, PutBearerTokenAuthentication, PutDataProtectionPolicy, PutLogEvents,
    PutLogGroupDeletionProtection, PutMetricFilter, PutRetentionPolicy, PutSubscriptionFilter,
    SubscriptionFilter, TagResource, UntagResource,
};
use nephos_core::{Map, Result, Text, operation::WireOperation};

const ARN: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/none";

/// Asserts that `operation` finds no log group.
#[track_caller]
fn finds_none<O: WireOperation>(world: &World, operation: O) {
    let error = world.refused(&errors::NOT_FOUND, None, || ask(&world.session(), operation));
    assert_eq!(error.message(), "The specified log group does not exist.");
}

/// The settings of a group that is not there are not changed.
pub(super) fn settings_need_a_group(world: &World) -> Result<()> {
    const KEY: &str = "arn:aws:kms:us-east-1:123456789012:key/one";
    finds_none(world, DeleteLogGroup::new("/none"));
    finds_none(world, PutRetentionPolicy::new("/none", 7));
    finds_none(world, DeleteRetentionPolicy::new("/none"));
    for identifier in ["/none", ARN] {
        finds_none(world, PutLogGroupDeletionProtection::new(identifier, true));
        finds_none(world, PutBearerTokenAuthentication::new(identifier, true));
    }
    finds_none(world, AssociateKmsKey::new(KEY).log_group_name("/none"));
    finds_none(world, AssociateKmsKey::new(KEY).resource_identifier(ARN));
    finds_none(world, DisassociateKmsKey::new().log_group_name("/none"));
    Ok(())
}

/// A group that is not there has no tags.
pub(super) fn tags_need_a_group(world: &World) -> Result<()> {
    let tags: Map<Text> = [(Text::new("team"), Text::new("web"))].into_iter().collect();
    finds_none(world, TagResource::new(ARN, tags));
    finds_none(world, UntagResource::new(ARN, vec![Text::new("team")]));
    finds_none(world, ListTagsForResource::new(ARN));
    Ok(())
}

/// A group that is not there has no streams and events.
pub(super) fn streams_and_events_need_a_group(world: &World) -> Result<()> {
    finds_none(world, CreateLogStream::new("/none", "main"));
    finds_none(world, DeleteLogStream::new("/none", "main"));
    finds_none(world, DescribeLogStreams::new().log_group_name("/none"));
    finds_none(world, DescribeLogStreams::new().log_group_identifier(ARN));
    finds_none(world, PutLogEvents::new("/none", "main", super::inputs(&[(world.now(), "hello")])?));
    finds_none(world, GetLogEvents::new("main").log_group_name("/none"));
    finds_none(world, FilterLogEvents::new().log_group_name("/none"));
    finds_none(world, FilterLogEvents::new().log_group_identifier(ARN));
    finds_none(world, GetLogGroupFields::new().log_group_name("/none"));
    finds_none(world, GetLogGroupFields::new().log_group_identifier(ARN));
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

/// A group that is not there has no filters.
pub(super) fn filters_need_a_group(world: &World) -> Result<()> {
    let transformation = super::metric_filter::transformation("1")?;
    finds_none(world, PutMetricFilter::new("/none", "errors", "", vec![transformation]));
    finds_none(world, DescribeMetricFilters::new().log_group_name("/none"));
    finds_none(world, DeleteMetricFilter::new("/none", "errors"));
    let function = "arn:aws:lambda:us-east-1:123456789012:function:out";
    finds_none(world, PutSubscriptionFilter::new("/none", "out", "", function));
    finds_none(world, DescribeSubscriptionFilters::new("/none"));
    finds_none(world, DeleteSubscriptionFilter::new("/none", "out"));
    assert_eq!(MetricFilter::objects(&world.session()).get("/none", "errors").wait()?, None);
    assert_eq!(SubscriptionFilter::objects(&world.session()).get("/none", "out").wait()?, None);
    Ok(())
}

/// A group that is not there has no data protection policy.
pub(super) fn policies_need_a_group(world: &World) -> Result<()> {
    for identifier in ["/none", ARN] {
        finds_none(world, PutDataProtectionPolicy::new(identifier, super::protection::EMAIL));
        finds_none(world, GetDataProtectionPolicy::new(identifier));
        finds_none(world, DeleteDataProtectionPolicy::new(identifier));
    }
    let objects = LogGroup::objects(&world.session());
    assert_eq!(objects.get_data_protection_policy("/none").wait()?, None);
    Ok(())
}

/// A resource name of another account or Region names no group here, even if there is one of that name.
pub(super) fn resource_names_of_elsewhere_name_no_group_here(world: &World) -> Result<()> {
    world.group("/none")?;
    for arn in [
        "arn:aws:logs:us-east-1:210987654321:log-group:/none",
        "arn:aws:logs:eu-west-1:123456789012:log-group:/none",
    ] {
        finds_none(world, PutLogGroupDeletionProtection::new(arn, true));
        finds_none(world, ListTagsForResource::new(arn));
        finds_none(world, UntagResource::new(arn, vec![Text::new("team")]));
        finds_none(world, DisassociateKmsKey::new().resource_identifier(arn));
        finds_none(world, DescribeLogStreams::new().log_group_identifier(arn));
        finds_none(world, FilterLogEvents::new().log_group_identifier(arn));
        finds_none(world, GetLogGroupFields::new().log_group_identifier(arn));
        finds_none(world, PutDataProtectionPolicy::new(arn, super::protection::EMAIL));
    }
    Ok(())
}

/// What is no resource name of a log group is refused as such.
pub(super) fn resource_names_of_other_things_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    for arn in ["arn:aws:kms:us-east-1:123456789012:key/one", "arn:aws:logs:us-east-1:123456789012:query:x"] {
        world.invalid("logGroupIdentifier", || ask(&session, PutLogGroupDeletionProtection::new(arn, true)));
        world.invalid("logGroupIdentifier", || ask(&session, PutBearerTokenAuthentication::new(arn, true)));
        world.invalid("logGroupIdentifier", || {
            ask(&session, DescribeLogStreams::new().log_group_identifier(arn))
        });
        world.invalid("logGroupIdentifier", || ask(&session, GetDataProtectionPolicy::new(arn)));
        world.invalid("resourceArn", || ask(&session, ListTagsForResource::new(arn)));
    }
    Ok(())
}
