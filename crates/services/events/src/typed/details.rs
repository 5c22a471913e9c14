//! The table of known events.

use super::{read, records::*, render};
use nephos_core::{Map, Result, Value, record::Fields};

/// A known type of event.
pub(super) struct DetailKind {
    /// Source; empty if events of all sources can have the type.
    source: &'static str,
    detail_types: &'static [&'static str],
    pub(super) parse: fn(&Map<Value>) -> Result<EventDetail>,
}

/// Finds the kind of an event.
pub(super) fn find_kind(source: &str, detail_type: &str) -> Option<&'static DetailKind> {
    let is_of = |kind: &&DetailKind| {
        (kind.source.is_empty() || kind.source == source) && kind.detail_types.contains(&detail_type)
    };
    KINDS.iter().find(is_of)
}

/// Lists the known events: the record, the source, the types, and the text for people.
macro_rules! details {
    ($($(#[doc = $docs:literal])+ $name:ident: $source:literal [$($detail_type:literal),+] $text:literal;)+) => {
        /// Detail of an event.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        #[expect(clippy::large_enum_variant, reason = "events are parsed one by one")]
        pub enum EventDetail {
            $($(#[doc = $docs])+ $name($name),)+
            /// Detail of an event that is not known.
            Other(Map<Value>),
        }

        static KINDS: &[DetailKind] = &[$(DetailKind {
            source: $source,
            detail_types: &[$($detail_type),+],
            parse: |detail| Ok(EventDetail::$name(read(detail)?)),
        }),+];

        impl EventDetail {
            /// The detail as a record; `None` if the event is not known.
            pub fn record(&self) -> Option<&dyn Fields> {
                match self {
                    $(Self::$name(record) => Some(record),)+
                    Self::Other(_) => None,
                }
            }

            /// The most important members, for people.
            pub(super) fn text(&self) -> String {
                match self {
                    $(Self::$name(record) => render($text, record),)+
                    Self::Other(_) => String::new(),
                }
            }
        }
    };
}

details! {
    /// A call of an operation of any service.
    ApiCall: "" ["AWS API Call via CloudTrail"] "{eventName} by {userIdentity.arn}";
    /// An image or another artifact was pushed or deleted.
    EcrImageAction: "aws.ecr" ["ECR Image Action", "ECR Referrer Action"]
        "{action-type} of {repository-name}:{image-tag}@{image-digest}: {result}";
    /// A scan of an image ended.
    EcrImageScan: "aws.ecr" ["ECR Image Scan"]
        "{repository-name}:{image-tags}@{image-digest}: {scan-status}, {finding-severity-counts}";
    /// An image was pulled from another registry.
    EcrPullThroughCacheAction: "aws.ecr" ["ECR Pull Through Cache Action"]
        "{repository-name}:{image-tag} from {upstream-registry-url}: {sync-status}, {failure-reason}";
    /// An image was replicated.
    EcrReplicationAction: "aws.ecr" ["ECR Replication Action"]
        "{action-type} of {repository-name}:{image-tag} from {source-account}/{source-region}: {result}";
    /// The scan settings of repositories changed.
    EcrScanResourceChange: "aws.ecr" ["ECR Scan Resource Change"] "{action-type} of {resource-type} to {scan-type}";
    /// The state of a pipeline execution changed.
    PipelineExecutionStateChange: "aws.codepipeline" ["CodePipeline Pipeline Execution State Change"]
        "{pipeline} {execution-id}: {state}";
    /// The state of a stage of a pipeline execution changed.
    PipelineStageStateChange: "aws.codepipeline" ["CodePipeline Stage Execution State Change"]
        "{pipeline} {execution-id}, stage {stage}: {state}";
    /// The state of an action of a pipeline execution changed.
    PipelineActionStateChange: "aws.codepipeline" ["CodePipeline Action Execution State Change"]
        "{pipeline} {execution-id}, stage {stage}, action {action}: {state}";
    /// Something happened to a cache or its snapshot.
    CacheChange: "aws.elasticache" [
        "Cache Created", "Cache Creation Failed", "Cache Deleted", "Cache Limit Approaching", "Cache Update Failed",
        "Cache Updated", "Snapshot Copy Failed", "Snapshot Created", "Snapshot Creation Failed", "Snapshot Export Failed"
    ] "{SourceIdentifier}: {Message}";
    /// A schema or a version of one was created.
    SchemaChange: "aws.schemas" ["Schema Created", "Schema Version Created"]
        "{SchemaName} in {RegistryName}, version {Version}";
    /// A schedule of a rule occurred.
    ScheduledEvent: "aws.events" ["Scheduled Event"] "";
}
