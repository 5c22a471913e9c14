//! Logs: groups of streams of events, with retention, search and filters.

mod account_policy;
mod describe;
#[cfg(test)]
mod endpoint;
pub mod errors;
mod events;
mod expiry;
mod fields;
mod filter;
mod find;
mod linked;
mod log_group;
pub mod log_stream;
mod masking;
pub mod metric_filter;
mod pattern;
mod protection;
mod search;
mod settings;
pub mod subscription_filter;
mod tagging;
/// Handler cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "cases/mod.rs"]
pub mod testing;

pub use account_policy::{
    AccountPolicies, AccountPolicy, AccountPolicyResult, DeleteAccountPolicy, DescribeAccountPolicies,
    PolicyScope, PolicyType, PutAccountPolicy,
};
pub use describe::{DescribeLogGroups, LogGroups};
pub use events::{
    InputLogEvent, LogEvent, LogEventManager, PutEventsResult, PutLogEvents, RejectedLogEventsInfo,
};
pub use expiry::Expire;
pub use fields::{GetLogGroupFields, LogGroupField, LogGroupFields};
pub use find::{Get, List};
pub use linked::LinkAccounts;
pub use log_group::{
    Create, CreateLogGroup, DataProtectionStatus, DeleteLogGroup, InheritedProperty, LogGroup, LogGroupClass,
    LogGroupManager,
};
pub use log_stream::{
    CreateLogStream, DeleteLogStream, DescribeLogStreams, LogStream, LogStreamManager, LogStreams, OrderBy,
};
pub use metric_filter::{
    DeleteMetricFilter, DescribeMetricFilters, MetricFilter, MetricFilterManager, MetricFilterMatchRecord,
    MetricFilters, MetricTransformation, PutMetricFilter, StandardUnit, TestMetricFilter,
    TestMetricFilterResult,
};
pub use protection::{
    DataProtectionPolicy, DeleteDataProtectionPolicy, GetDataProtectionPolicy, PutDataProtectionPolicy,
};
pub use search::{
    FilterLogEvents, FilteredEvents, GetLogEvents, ListEvents, OutputLogEvent, SearchedLogStream,
    StreamEvents,
};
pub use settings::{
    AssociateKmsKey, DeleteRetentionPolicy, DisassociateKmsKey, PutBearerTokenAuthentication,
    PutLogGroupDeletionProtection, PutRetentionPolicy, Update,
};
pub use subscription_filter::{
    DeleteSubscriptionFilter, DescribeSubscriptionFilters, Distribution, PutSubscriptionFilter,
    SubscriptionFilter, SubscriptionFilterManager, SubscriptionFilters,
};
pub use tagging::{ListTagsForResource, TagResource, TagsOfResource, UntagResource};

use nephos_cloud::{Control, Service, Table, Tx, WorkEntry};
pub use nephos_core::Empty;
use nephos_core::{
    Resource, Result,
    shape::{Protocol, ServiceShape},
    view::{Lines, View, ViewForm},
};

/// The service's description.
pub static SERVICE: ServiceShape = ServiceShape {
    name: "logs",
    docs: "Logs: groups of streams of events, with retention, search and filters.",
    api_version: "2014-03-28",
    protocol: Protocol::AwsJson { target: "Logs_20140328.", version: "1.1" },
    endpoint: "logs",
    signing: "logs",
    global: false,
    kinds: &[LogGroup::KIND, LogStream::KIND, LogEvent::KIND, MetricFilter::KIND, SubscriptionFilter::KIND],
    operations: OPERATIONS,
    codes: errors::ALL,
    invalid: &errors::INVALID,
};

nephos_cloud::handlers! {
    CreateLogGroup, DeleteLogGroup, DescribeLogGroups,
    PutRetentionPolicy, DeleteRetentionPolicy,
    PutLogGroupDeletionProtection, PutBearerTokenAuthentication, AssociateKmsKey, DisassociateKmsKey,
    TagResource, UntagResource, ListTagsForResource,
    CreateLogStream, DeleteLogStream, DescribeLogStreams,
    PutLogEvents, GetLogEvents, FilterLogEvents, GetLogGroupFields,
    PutMetricFilter, DescribeMetricFilters, DeleteMetricFilter, TestMetricFilter,
    PutSubscriptionFilter, DescribeSubscriptionFilters, DeleteSubscriptionFilter,
    PutDataProtectionPolicy, GetDataProtectionPolicy, DeleteDataProtectionPolicy,
    PutAccountPolicy, DescribeAccountPolicies, DeleteAccountPolicy,
}

/// The view `tail`: the events of a log group as lines.
const TAIL: View = View {
    kind: LogGroup::KIND,
    name: "tail",
    docs: "Prints the events of a log group: time, stream, message",
    subject: "Name or ARN of the log group",
    form: ViewForm::Lines(Lines {
        kind: LogEvent::KIND,
        subject: "logGroupIdentifier",
        since: "startTime",
        filter: "filterPattern",
        id: "eventId",
        time: "timestamp",
        source: "logStreamName",
        text: "message",
    }),
};

/// The service in the cloud.
pub static LOGS: Service = Service {
    shape: &SERVICE,
    handlers: HANDLERS,
    controls: &[Control::new::<linked::LinkAccounts>("links")],
    views: &[TAIL],
    works: &[WorkEntry::new::<Expire>()],
    tables: &[
        Table::new::<LogGroup>(),
        Table::new::<LogStream>(),
        Table::new::<LogEvent>(),
        Table::new::<MetricFilter>(),
        Table::new::<SubscriptionFilter>(),
        Table::new::<DataProtectionPolicy>(),
        Table::new::<AccountPolicy>(),
    ],
};

/// Removes everything within a log group that is deleted.
fn remove_within(cx: &mut Tx<'_>, group: &str) -> Result<()> {
    let scope = cx.scope().clone();
    for within in [
        log_stream::within(&scope, group),
        events::within_group(&scope, group),
        filter::within::<MetricFilter>(&scope, group),
        filter::within::<SubscriptionFilter>(&scope, group),
        protection::key_of(&scope, group),
    ] {
        cx.remove_all(&within.prefix_range())?;
    }
    Ok(())
}
