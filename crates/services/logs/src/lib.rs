//! Logs: groups of streams of events, with retention, search and filters.

mod account_policy;
mod describe;
pub mod errors;
mod events;
mod expiry;
mod fields;
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
mod update;

pub use account_policy::{
    AccountPolicies, AccountPolicy, AccountPolicyResult, DeleteAccountPolicy, DescribeAccountPolicies,
    PolicyScope, PolicyType, PutAccountPolicy,
};
pub use describe::{DescribeLogGroups, LogGroups};
pub use events::{
    InputLogEvent, LogEvent, LogEventManager, PutEventsResult, PutLogEvents, RejectedLogEventsInfo,
};
pub use expiry::Expire;
pub use fields::{GetFields, GetLogGroupFields, LogGroupField, LogGroupFields};
pub use linked::LinkAccounts;
pub use log_group::{
    Create, CreateLogGroup, DataProtectionStatus, Delete, DeleteLogGroup, Get, InheritedProperty, List,
    LogGroup, LogGroupClass, LogGroupManager,
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
    DataProtectionPolicy, DeleteDataProtectionPolicy, DeletePolicy, GetDataProtectionPolicy, GetPolicy,
    PutDataProtectionPolicy, PutPolicy,
};
pub use search::{
    FilterLogEvents, FilteredEvents, GetLogEvents, ListEvents, OutputLogEvent, PutEvents, SearchedLogStream,
    StreamEvents,
};
pub use settings::{
    AssociateKmsKey, DeleteRetentionPolicy, DisassociateKmsKey, PutBearerTokenAuthentication,
    PutLogGroupDeletionProtection, PutRetentionPolicy,
};
pub use subscription_filter::{
    DeleteSubscriptionFilter, DescribeSubscriptionFilters, Distribution, PutSubscriptionFilter,
    SubscriptionFilter, SubscriptionFilterManager, SubscriptionFilters,
};
pub use tagging::{ListTagsForResource, TagResource, TagsOfResource, UntagResource};
pub use update::Update;

use nephos_cloud::{Control, Key, Service, Table, Tx, Wanted, WorkEntry};
use nephos_core::{
    Record, Resource, Result,
    shape::{Protocol, ServiceShape},
    view::{Lines, View, ViewForm},
};
use nephos_store::Direction;

/// Nothing.
#[derive(Record)]
pub struct Empty {}

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
    controls: &[Control::of::<linked::LinkAccounts>("links")],
    views: &[TAIL],
    works: &[WorkEntry::of::<Expire>()],
    tables: &[
        Table::of::<LogGroup>(),
        Table::of::<LogStream>(),
        Table::of::<LogEvent>(),
        Table::of::<MetricFilter>(),
        Table::of::<SubscriptionFilter>(),
        Table::of::<DataProtectionPolicy>(),
        Table::of::<AccountPolicy>(),
    ],
};

/// Removes everything within a log group that is deleted.
fn remove_within(cx: &mut Tx<'_>, group: &str) -> Result<()> {
    let scope = cx.scope().clone();
    for within in [
        log_stream::within(&scope, group),
        events::within_group(&scope, group),
        metric_filter::within(&scope, group),
        subscription_filter::within(&scope, group),
        protection::within(&scope, group),
    ] {
        cx.remove_all(&within.within())?;
    }
    Ok(())
}

/// The page that a caller asks for, among `within`: of 50, unless they want fewer.
fn wanted<'a>(within: &'a Key, token: Option<&'a str>, limit: Option<i64>) -> Wanted<'a> {
    Wanted { within, token, size: size(limit), direction: Direction::Ascending }
}

fn size(limit: Option<i64>) -> usize {
    usize::try_from(limit.unwrap_or(50)).unwrap_or(50)
}
