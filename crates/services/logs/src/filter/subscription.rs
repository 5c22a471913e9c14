//! Subscription filters: log events that are delivered to a destination.

use crate::{
    Empty, destination, errors,
    filter::{self, Filter, FilterQuery, pattern::Pattern},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    Arn, FromModel, ManagerOperation, OnModel, Record, Resource, Result, Slot, Text, WorkflowContext,
    choices, operation,
};

/// Services that destinations can belong to.
const VENDORS: [&str; 4] = ["kinesis", "firehose", "lambda", "logs"];

choices! {
    /// Distribution of events over the shards of a Kinesis stream.
    pub enum Distribution {
        /// Random distribution.
        Random,
        /// Events of a log stream go to the same shard.
        ByLogStream,
    }
}

/// A subscription filter: selects events of a log group that are delivered to a destination.
#[derive(Resource)]
#[resource(
    case = "camel", name = "filterName", pk("logGroupName", "filterName"), exists_if = "creationTime", derive_fields = add_pattern,
    not_found = |name| errors::subscription_filter_not_found().with_hint(name)
)]
pub struct SubscriptionFilter {
    /// Name of the log group.
    #[field(required, length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    log_group_name: Option<Text>,
    /// Name of the filter, unique within the log group.
    #[field(required, length(1..=512), pattern = "[^:*]*")]
    filter_name: Option<Text>,
    /// Filter pattern of the events; an empty pattern matches all events.
    #[field(default = "", length(..=1024))]
    filter_pattern: Option<Text>,
    /// ARN of the destination: a Kinesis stream, Firehose delivery stream, Lambda function or logs destination.
    #[field(required, length(1..))]
    destination_arn: Option<Text>,
    /// ARN of the IAM role for writing to the destination; not needed for logs destinations, not allowed for Lambda functions.
    #[field(length(1..))]
    role_arn: Option<Text>,
    /// Distribution of events over the shards of a Kinesis stream; by log stream by default.
    distribution: Option<Distribution>,
    /// Applies the filter to transformed events.
    apply_on_transformed_logs: Option<bool>,
    /// Condition on the account and Region that events come from.
    #[field(no_effect, length(..=2000))]
    field_selection_criteria: Option<Text>,
    /// System fields that are delivered with the events: `@aws.account`, `@aws.region`, `@source.log`.
    #[field(no_effect)]
    emit_system_fields: Option<Vec<Text>>,
    /// Creation time, in milliseconds since 1970.
    #[field(service_set)]
    creation_time: Option<i64>,
    slot: Slot,
}

nephos_cloud::stored!(SubscriptionFilter in "logs/subscription-filter" by log_group_name, filter_name);

impl Filter for SubscriptionFilter {
    const MAX_PER_GROUP: usize = 5;

    fn creation_time_mut(&mut self) -> &mut Option<i64> {
        &mut self.creation_time
    }

    fn group_name(&self) -> &str {
        self.log_group_name.as_deref().unwrap_or_default()
    }
}

/// Sets the pattern of a filter without one, which matches all events.
fn add_pattern(filter: &mut SubscriptionFilter) {
    filter.filter_pattern.get_or_insert_default();
}

/// Creates or replaces a subscription filter of a log group.
#[operation(
    of = SubscriptionFilter, replaces, case = "camel",
    needs(log_group_name, filter_name, filter_pattern, destination_arn), takes(settable),
    effect = write,
    subject = "log-group:{logGroupName}:log-stream: + destinationArn? {destinationArn}",
    also_requires("iam:PassRole" = "roleArn? {roleArn}")
)]
pub struct PutSubscriptionFilter {}

impl PutSubscriptionFilter {
    fn check(&self, cx: &Tx<'_>) -> Result<()> {
        let Some(arn) = Arn::read(&self.destination_arn) else {
            let error = errors::invalid_destination_arn().with_field("destinationArn");
            return Err(error.with_hint(self.destination_arn.as_str()));
        };
        let vendor = arn.service();
        if vendor == "lambda" && arn.account() != cx.scope().account() {
            return Err(errors::function_of_other_account().with_field("destinationArn"));
        }
        match &self.role_arn {
            None if !matches!(vendor, "lambda" | "logs") => {
                return Err(errors::destination_role_missing(vendor));
            }
            Some(_) if vendor == "lambda" => {
                return Err(errors::destination_role_given(vendor).with_field("roleArn"));
            }
            role => role.iter().try_for_each(|role| destination::check_role(role))?,
        }
        if !VENDORS.contains(&vendor) {
            let error = errors::unsupported_destination(vendor);
            return Err(error
                .with_field("destinationArn")
                .with_hint(format!("allowed are {}", VENDORS.join(", "))));
        }
        Pattern::parse_for(&self.filter_pattern, errors::invalid_subscription_filter_pattern).map(drop)
    }
}

impl Handler for PutSubscriptionFilter {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Empty> {
        self.check(cx)?;
        let supported = ["@aws.region", "@aws.account", "@source.log"];
        filter::check_system_fields(&mut self.emit_system_fields, &supported, "emitSystemFields")?;
        filter::require_group::<Self>(cx, &self.log_group_name)?;
        if Arn::read(&self.destination_arn).is_some_and(|arn| arn.service() == "logs") {
            destination::check_access(cx, &self.destination_arn)?;
        }
        let group = filter::group_prefix::<SubscriptionFilter>(cx.scope(), &self.log_group_name);
        let count = cx.all::<SubscriptionFilter>(&group)?.len();
        let mut filter = SubscriptionFilter::from_given(self);
        filter.distribution.get_or_insert(Distribution::ByLogStream);
        filter.apply_on_transformed_logs.get_or_insert(false);
        filter::put(cx, filter, count)?;
        Ok(Empty {})
    }
}

/// Describes the subscription filters of a log group, ordered by name.
#[operation(
    of = SubscriptionFilter, call = "list", page(subscription_filters, next_token),
    case = "camel", needs(log_group_name), include(FilterQuery), effect = read, subject = "log-group:{logGroupName}:log-stream:", access = list
)]
pub struct DescribeSubscriptionFilters {}

impl Handler for DescribeSubscriptionFilters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (group, prefix) = (Some(&self.log_group_name), self.filter_name_prefix.as_ref());
        Ok(filter::page(cx, &self, group, prefix, |_| true)?.into())
    }
}

/// Gets a subscription filter of a log group; `None` if it does not exist.
#[operation(
    kind = SubscriptionFilter, of = SubscriptionFilter, call = "get", case = "camel", needs(log_group_name, filter_name),
    effect = read, output = Option<SubscriptionFilter>
)]
pub struct SubscriptionFilterGet {}

impl ManagerOperation for SubscriptionFilterGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<SubscriptionFilter>> {
        let describe = DescribeSubscriptionFilters::from_given(self.clone())
            .filter_name_prefix(self.filter_name.clone());
        let found = context.find(describe.limit(1)).await?.and_then(|found| found.subscription_filters);
        Ok(filter::first_named(found, &self.filter_name))
    }
}

/// Creates a subscription filter of a log group; the name must not be in use.
#[operation(kind = SubscriptionFilter, call = "create", case = "snake", effect = write, output = ())]
pub struct SubscriptionFilterCreate {
    /// The filter.
    #[field(model)]
    pub model: SubscriptionFilter,
}

impl ManagerOperation for SubscriptionFilterCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        if SubscriptionFilterGet::for_model(&self.model)?.run(context).await?.is_some() {
            return Err(errors::subscription_filter_exists());
        }
        context.call(PutSubscriptionFilter::from_model(&self.model)?).await.map(drop)
    }
}

/// Replaces the settings of a subscription filter if the model was changed.
#[operation(kind = SubscriptionFilter, call = "update", changes(PutSubscriptionFilter), effect = write)]
pub struct SubscriptionFilterUpdate {}

/// Deletes a subscription filter of a log group.
#[operation(
    of = SubscriptionFilter, call = "delete", on_model, case = "camel",
    needs(log_group_name, filter_name), effect = write, subject = "log-group:{logGroupName}:log-stream:"
)]
pub struct DeleteSubscriptionFilter {}

impl Handler for DeleteSubscriptionFilter {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        filter::remove::<SubscriptionFilter>(cx, &self.log_group_name, &self.filter_name)?;
        Ok(Empty {})
    }
}
