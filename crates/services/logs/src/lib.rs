//! CloudWatch Logs: log groups, log streams and log events, with retention, search and filters.

mod access;
mod destination;
pub mod errors;
mod filter;
mod log_group;
mod log_stream;
#[doc(hidden)]
pub mod masking;
mod policy;
mod tagging;

pub use destination::{
    DeleteDestination, DeleteDestinationCall, DescribeDestinations, DescribeDestinationsCall,
    DescribeDestinationsResponse, Destination, DestinationCreate, DestinationCreateCall, DestinationGet,
    DestinationGetCall, DestinationManager, DestinationUpdate, DestinationUpdateCall, PutDestination,
    PutDestinationPolicy, PutDestinationResponse,
};
pub use filter::metric::{
    DeleteMetricFilter, DeleteMetricFilterCall, DescribeMetricFilters, DescribeMetricFiltersCall,
    DescribeMetricFiltersResponse, MetricFilter, MetricFilterCreate, MetricFilterCreateCall, MetricFilterGet,
    MetricFilterGetCall, MetricFilterManager, MetricFilterMatchRecord, MetricFilterUpdate,
    MetricFilterUpdateCall, MetricTransformation, PutMetricFilter, StandardUnit, TestMetricFilter,
    TestMetricFilterCall, TestMetricFilterResponse,
};
pub use filter::subscription::{
    DeleteSubscriptionFilter, DeleteSubscriptionFilterCall, DescribeSubscriptionFilters,
    DescribeSubscriptionFiltersCall, DescribeSubscriptionFiltersResponse, Distribution,
    PutSubscriptionFilter, SubscriptionFilter, SubscriptionFilterCreate, SubscriptionFilterCreateCall,
    SubscriptionFilterGet, SubscriptionFilterGetCall, SubscriptionFilterManager, SubscriptionFilterUpdate,
    SubscriptionFilterUpdateCall,
};
pub use log_group::describe::{DescribeLogGroups, LogGroups};
pub use log_group::fields::{
    GetLogGroupFields, GetLogGroupFieldsCall, GetLogGroupFieldsResponse, LogGroupField,
};
pub use log_group::find::{LogGroupGet, LogGroupGetCall, LogGroupList, LogGroupListCall};
pub use log_group::linked::LinkAccounts;
pub use log_group::list_groups::{
    DataSourceFilter, ListLogGroups, ListLogGroupsResponse, LogGroupSummary, TagFilter,
};
pub use log_group::settings::{
    AssociateKmsKey, DeleteRetentionPolicy, DisassociateKmsKey, LogGroupUpdate, LogGroupUpdateCall,
    PutBearerTokenAuthentication, PutLogGroupDeletionProtection, PutRetentionPolicy,
};
pub use log_group::{
    CreateLogGroup, DataProtectionStatus, DeleteLogGroup, DeleteLogGroupCall, InheritedProperty, LogGroup,
    LogGroupClass, LogGroupCreate, LogGroupCreateCall, LogGroupManager,
};
pub use log_stream::entity::{Entity, EntityRejectionErrorType, RejectedEntityInfo};
pub use log_stream::events::{
    InputLogEvent, LogEvent, LogEventManager, PutEventsResult, PutLogEvents, PutLogEventsCall,
    RejectedLogEventsInfo,
};
pub use log_stream::search::{
    FilterLogEvents, FilteredEvents, GetLogEvents, LogEventList, LogEventListCall, OutputLogEvent,
    SearchedLogStream, StreamEvents,
};
pub use log_stream::{
    CreateLogStream, DeleteLogStream, DeleteLogStreamCall, DescribeLogStreams, DescribeLogStreamsResponse,
    LogStream, LogStreamCreate, LogStreamCreateCall, LogStreamGet, LogStreamGetCall, LogStreamList,
    LogStreamListCall, LogStreamManager, OrderBy,
};
pub use policy::account::{
    AccountPolicy, AccountPolicyResult, DeleteAccountPolicy, DeleteAccountPolicyResponse,
    DescribeAccountPolicies, DescribeAccountPoliciesResponse, DryRunResult, LogGroupImpact, PolicyScope,
    PolicyType, PutAccountPolicy,
};
pub use policy::protection::{
    DataProtectionPolicy, DeleteDataProtectionPolicy, DeleteDataProtectionPolicyCall,
    GetDataProtectionPolicy, GetDataProtectionPolicyCall, PutDataProtectionPolicy,
    PutDataProtectionPolicyCall,
};
pub use policy::resource::{
    DeleteResourcePolicy, DeleteResourcePolicyCall, DescribeResourcePolicies, DescribeResourcePoliciesCall,
    DescribeResourcePoliciesResponse, PutResourcePolicy, PutResourcePolicyCall, PutResourcePolicyResult,
    ResourcePolicy, ResourcePolicyScope,
};
pub use tagging::{
    DestinationListTags, DestinationListTagsCall, DestinationTag, DestinationTagCall, DestinationUntag,
    DestinationUntagCall, ListTagsForResource, ListTagsForResourceResponse, ListTagsLogGroup,
    ListTagsLogGroupResponse, LogGroupListTags, LogGroupListTagsCall, LogGroupTag, LogGroupTagCall,
    LogGroupUntag, LogGroupUntagCall, TagLogGroup, TagResource, UntagLogGroup, UntagResource,
};

pub use nephos_core::Empty;
use nephos_core::{
    Resource,
    shape::Protocol,
    view::{Lines, View, ViewForm},
};

/// View `tail`: the events of a log group as lines.
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

nephos_cloud::parts! {
    pattern: filter::pattern,
    condition: filter::pattern::condition,
    dialect: filter::pattern::dialect,
    list_groups: log_group::list_groups,
    search: log_stream::search,
    access: policy::access,
}

nephos_cloud::service! {
    LOGS = "logs", "CloudWatch Logs: log groups, log streams and log events, with retention, search and filters.";
    shape {
        api_version: "2014-03-28",
        protocol: Protocol::AwsJson { target: "Logs_20140328.", version: "1.1", message: "message" },
        shows_unknown_values: false,
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_next_token,
        resource_keys: &[
            ("log-group:{", &["aws:ResourceTag/${TagKey}"]),
            ("destination:", &["aws:ResourceTag/${TagKey}"]),
            ("{resourceArn}", &["aws:ResourceTag/${TagKey}"]),
        ],
    }
    kinds {
        LogGroup, LogStream, LogEvent, MetricFilter, SubscriptionFilter, Destination,
    }
    operations {
        CreateLogGroup, DeleteLogGroup, DescribeLogGroups, ListLogGroups,
        PutRetentionPolicy, DeleteRetentionPolicy,
        PutLogGroupDeletionProtection, PutBearerTokenAuthentication, AssociateKmsKey, DisassociateKmsKey,
        TagResource, UntagResource, ListTagsForResource,
        TagLogGroup, UntagLogGroup, ListTagsLogGroup,
        CreateLogStream, DeleteLogStream, DescribeLogStreams,
        PutLogEvents, GetLogEvents, FilterLogEvents, GetLogGroupFields,
        PutMetricFilter, DescribeMetricFilters, DeleteMetricFilter, TestMetricFilter,
        PutSubscriptionFilter, DescribeSubscriptionFilters, DeleteSubscriptionFilter,
        PutDataProtectionPolicy, GetDataProtectionPolicy, DeleteDataProtectionPolicy,
        PutAccountPolicy, DescribeAccountPolicies, DeleteAccountPolicy,
        PutResourcePolicy, DescribeResourcePolicies, DeleteResourcePolicy,
        PutDestination, PutDestinationPolicy, DescribeDestinations, DeleteDestination,
    }
    calls {
        DestinationCreate, DestinationGet, DestinationUpdate, DestinationTag, DestinationUntag,
        DestinationListTags, LogEventList, LogStreamGet, LogStreamList,
        LogGroupCreate, LogGroupGet, LogGroupList, LogGroupUpdate, LogGroupTag, LogGroupUntag,
        LogGroupListTags, SubscriptionFilterCreate,
        SubscriptionFilterGet, SubscriptionFilterUpdate, MetricFilterCreate, MetricFilterGet,
        MetricFilterUpdate,
    }
    controls {
        "links" => log_group::linked::LinkAccounts,
    }
    views { TAIL }
    works {
        log_group::expiry::EventExpiry,
    }
    tables {
        LogGroup, LogStream, LogEvent, log_group::encryption::GroupKeyRow, MetricFilter, SubscriptionFilter,
        DataProtectionPolicy, AccountPolicy, ResourcePolicy, Destination, log_stream::entity::EntityRow,
    }
    access {
        find_resource: Some(access::find_resource),
    }
    event_targets {
        "log-group:" needs "logs:PutLogEvents" => log_stream::event_target::put,
    }
    data_operations { PutLogEvents }
    tagged { tagging::TAGGED }
}
