//! Creation and deletion of log groups.

use super::{GROUP_NAMES, GROUP_QUOTA, LogGroup, LogGroupClass, LogGroupManager, encryption, settings};
use crate::{
    Empty, MetricFilter, PutRetentionPolicy, SubscriptionFilter, errors, filter, log_stream, policy, tagging,
};
use nephos_cloud::{Addressed, Handler, Stored, Tx, tags::to_list};
use nephos_core::{FromModel, ManagerOperation, Map, Record, Result, Text, WorkflowContext, operation, tags};

/// Creates a log group.
#[operation(
    hot, of = LogGroup, case = "camel", needs(log_group_name), takes(settable), except(retention_in_days, tags),
    effect = write, subject = "log-group:{logGroupName}:log-stream:",
    also_requires("TagResource" = "tags? log-group:{logGroupName}")
)]
pub struct CreateLogGroup {
    /// Tags of the log group.
    pub tags: Option<Map<Text>>,
}

impl Handler for CreateLogGroup {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = &self.log_group_name;
        if name.starts_with("aws/") {
            return Err(errors::reserved_log_group_name()
                .with_field("logGroupName")
                .with_hint(name.as_str()));
        }
        if let Some(key) = &self.kms_key_id {
            settings::check_kms_key(cx.scope(), key)?;
        }
        let tags = self.tags.take().unwrap_or_default();
        tagging::check_tags(&tags)?;
        if cx.exists(&LogGroup::table(cx.scope()).text(name))? {
            return Err(errors::log_group_exists().with_hint(name.as_str()));
        }
        if let Some(key) = &self.kms_key_id {
            encryption::check_key(cx, name, key)?;
        }
        GROUP_QUOTA.add_one(cx, errors::limit_exceeded)?;
        GROUP_NAMES.add(cx, name)?;
        let mut group = LogGroup::from_given(self);
        group.creation_time = Some(cx.now().as_millisecond());
        // The retention of class DELIVERY is always one day.
        group.retention_in_days = (group.log_group_class == Some(LogGroupClass::Delivery)).then_some(1);
        group.tags = to_list(tags);
        cx.put(group)?;
        Ok(Empty {})
    }
}

/// Deletes a log group with all its streams and events.
#[operation(
    of = LogGroup, call = "delete", on_model, case = "camel", needs(log_group_name),
    effect = write, subject = "log-group:{logGroupName}:log-stream:"
)]
pub struct DeleteLogGroup {}

impl Handler for DeleteLogGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let group = LogGroup::require(cx, &self.log_group_name, "logGroupName")?;
        group.check_unprotected()?;
        cx.remove(&group)?;
        GROUP_QUOTA.remove_one(cx)?;
        GROUP_NAMES.remove(cx, &self.log_group_name)?;
        remove_group_contents(cx, &self.log_group_name)?;
        Ok(Empty {})
    }
}

/// Creates a log group, with its tags and retention.
#[operation(kind = LogGroup, call = "create", case = "snake", effect = write, output = ())]
pub struct LogGroupCreate {
    /// The log group.
    #[field(model)]
    pub model: LogGroup,
    /// Additional tags; they replace tags of the model with the same key.
    pub tags: Option<Map<Text>>,
}

impl ManagerOperation for LogGroupCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let mut group = self.model.clone();
        if group.log_group_name.is_none() {
            return Err(errors::log_group_name_missing().with_field("logGroupName"));
        }
        let mut tags = tags::known(&group);
        tags.extend(self.tags.clone().unwrap_or_default());
        // The operation takes a mapping of tags.
        group.tags = None;
        let create = CreateLogGroup::from_model(&group)?.tags((!tags.is_empty()).then_some(tags));
        let retention = match group.retention_in_days {
            Some(_) => Some(PutRetentionPolicy::from_model(&group)?),
            None => None,
        };
        context.call(create).await?;
        let Some(retention) = retention else { return Ok(()) };
        let put = async { context.call(retention).await.map(drop) };
        context.or_undo(put, DeleteLogGroup::from_model(&group)?).await
    }
}

/// Removes the streams, events, filters and policies of a log group that is being deleted.
fn remove_group_contents(cx: &mut Tx<'_>, group: &str) -> Result<()> {
    let scope = cx.scope().clone();
    for prefix in [
        log_stream::group_prefix(&scope, group),
        log_stream::events::group_prefix(&scope, group),
        filter::group_prefix::<MetricFilter>(&scope, group),
        filter::group_prefix::<SubscriptionFilter>(&scope, group),
        policy::protection::key_of(&scope, group),
        log_stream::entity::group_prefix(&scope, group),
        encryption::group_prefix(&scope, group),
        policy::resource::group_key(&scope, group),
    ] {
        cx.remove_all(&prefix.prefix_range())?;
    }
    Ok(())
}
