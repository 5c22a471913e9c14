//! Subscription filters: log events that are delivered to a destination.

use super::{
    Empty, SERVICE, errors,
    filter::{self, Filter, FilterQuery},
    pattern::Pattern,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    Arn, FromModel, ManagerOperation, Record, Resource, Result, Slot, Text, WorkflowContext, choices,
    operation, operation::OnModel,
};

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
    service = SERVICE, case = "camel", name = "filterName", pk("logGroupName", "filterName"), saved_when = "creationTime",
    calls(
        SubscriptionFilterCreate, SubscriptionFilterGet, DescribeSubscriptionFilters, SubscriptionFilterUpdate,
        DeleteSubscriptionFilter
    ),
    create = SubscriptionFilterCreate, update = SubscriptionFilterUpdate, delete = DeleteSubscriptionFilter,
    get = SubscriptionFilterGet
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
    /// ARN of the IAM role for writing to the destination; not needed for Lambda functions and logs destinations.
    #[field(length(1..))]
    role_arn: Option<Text>,
    /// Distribution of events over the shards of a Kinesis stream; by log stream by default.
    distribution: Option<Distribution>,
    /// Applies the filter to transformed events.
    apply_on_transformed_logs: Option<bool>,
    /// Creation time, in milliseconds since 1970.
    #[field(service_set)]
    creation_time: Option<i64>,
    slot: Slot,
}

filter::filter_kind!(
    SubscriptionFilter { SubscriptionFilterCreate, SubscriptionFilterGet, SubscriptionFilterUpdate },
    "logs/subscription-filter",
    "subscription filter",
    2,
    PutSubscriptionFilter,
    DescribeSubscriptionFilters { subscription_filters }
);

/// Creates or replaces a subscription filter of a log group.
#[operation(
    service = SERVICE, of = SubscriptionFilter, case = "camel",
    needs(log_group_name, filter_name, filter_pattern, destination_arn), takes(settable),
    effect = write, output = Empty, subject = "log-group:{logGroupName}"
)]
pub struct PutSubscriptionFilter {}

impl PutSubscriptionFilter {
    fn check(&self) -> Result<()> {
        let invalid = |field: &str, message: String| Err(errors::invalid(field, message));
        let Ok(destination) = self.destination_arn.parse::<Arn>() else {
            return invalid("destinationArn", format!("{:?} is not an ARN", self.destination_arn));
        };
        if !["kinesis", "firehose", "lambda", "logs"].contains(&destination.service()) {
            let message =
                format!("service {:?} is not one of kinesis, firehose, lambda, logs", destination.service());
            return invalid("destinationArn", message);
        }
        let stream = matches!(destination.service(), "kinesis" | "firehose");
        if stream && self.role_arn.is_none() {
            let vendor = destination.service();
            return invalid(
                "roleArn",
                format!("destinationArn for vendor {vendor} cannot be used without roleArn"),
            );
        }
        if let Some(role) = &self.role_arn
            && !Arn::read(role)
                .is_some_and(|arn| arn.service() == "iam" && arn.resource().starts_with("role/"))
        {
            return invalid("roleArn", format!("{role:?} is not the ARN of an IAM role"));
        }
        // ByLogStream is the default in responses of all filters, so it is accepted for all destinations.
        let by_stream = self.distribution.is_none() || self.distribution == Some(Distribution::ByLogStream);
        if !by_stream && destination.service() != "kinesis" {
            return invalid("distribution", "Random is only allowed for Kinesis streams".to_owned());
        }
        Pattern::parse(&self.filter_pattern).map(drop)
    }
}

impl Handler for PutSubscriptionFilter {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        self.check()?;
        filter::require_group::<SubscriptionFilter>(cx, &self.log_group_name)?;
        let group = filter::group_prefix::<SubscriptionFilter>(cx.scope(), &self.log_group_name);
        let count = cx.all::<SubscriptionFilter>(&group)?.len();
        let mut filter = SubscriptionFilter::from_given(self);
        filter.distribution.get_or_insert(Distribution::ByLogStream);
        filter::put(cx, filter, count)?;
        Ok(Empty {})
    }
}

/// Describes the subscription filters of a log group, ordered by name.
#[operation(
    service = SERVICE, of = SubscriptionFilter, call = "list", pages, gives(subscription_filters, next_token),
    case = "camel", needs(log_group_name), also(FilterQuery),
    effect = read, output = SubscriptionFilters, subject = "log-group:{logGroupName}"
)]
pub struct DescribeSubscriptionFilters {}

nephos_core::page! {
    /// A page of subscription filters.
    #[record(case = "camel", name = "DescribeSubscriptionFiltersResponse")]
    pub struct SubscriptionFilters { subscription_filters: SubscriptionFilter, next_token }
}

impl Handler for DescribeSubscriptionFilters {
    fn run(self, cx: &mut Tx<'_>) -> Result<SubscriptionFilters> {
        let (group, prefix) = (Some(&self.log_group_name), self.filter_name_prefix.as_ref());
        Ok(filter::page(cx, &self, group, prefix, |_| true)?.into())
    }
}

/// Deletes a subscription filter of a log group.
#[operation(
    service = SERVICE, of = SubscriptionFilter, call = "delete", instance, case = "camel",
    needs(log_group_name, filter_name), effect = write, output = Empty, subject = "log-group:{logGroupName}"
)]
pub struct DeleteSubscriptionFilter {}

impl Handler for DeleteSubscriptionFilter {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        filter::remove::<SubscriptionFilter>(cx, &self.log_group_name, &self.filter_name)?;
        Ok(Empty {})
    }
}
