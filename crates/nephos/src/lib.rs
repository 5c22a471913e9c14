//! Typed resources of cloud services, on a transactional cloud inside your process or on any AWS-compatible endpoint.
//!
//! A resource is a validated model: [`LogGroup`], [`Secret`], [`LoadBalancer`]. Its manager creates, gets, lists, updates and
//! deletes it. The cloud that answers is a value in your program, with durable state, several accounts and Regions, and a
//! clock that you move; or it is an endpoint on the network. The code is the same.
//!
//! ```
//! use nephos::{Cloud, LogGroup, SignedDuration, prelude::*};
//!
//! let cloud = Cloud::in_memory(); // or Cloud::open("state"), which survives kill -9
//! let session = cloud.session(); // account 123456789012, us-east-1
//! let groups = LogGroup::objects(&session);
//!
//! // Models are checked when they are built and whenever a field is set.
//! let group = LogGroup::builder().log_group_name("/web/api").retention_in_days(30).build()?;
//! groups.create(&group).tags([("team", "web")]).wait()?;
//!
//! let mut group = groups.get("/web/api").wait()?.expect("it was created");
//! assert_eq!(group.set_retention_in_days(31).unwrap_err().field(), Some("retentionInDays"));
//! group.set_retention_in_days(90)?;
//! group.save().wait()?; // sends what changed, in one transaction
//!
//! // Listings are lazy: pages are fetched when they are needed.
//! let long = groups.list().results().filter(LogGroup::FIELDS.retention_in_days.ge(30));
//! assert_eq!(long.count().wait()?, 1);
//!
//! // Any change can be previewed: it runs, and is rolled back.
//! let preview = groups.delete("/web/api").preview().wait()?;
//! assert!(!preview.changes.is_empty() && groups.get("/web/api").wait()?.is_some());
//!
//! // A fork is a copy that costs microseconds; its time is its own.
//! let fork = cloud.fork()?;
//! fork.clock().advance(SignedDuration::from_hours(24 * 365))?;
//! # Ok::<(), nephos::Error>(())
//! ```
//!
//! # Services and kinds
//!
//! A service is a module, with its kinds, enums, errors and the operations on the wire: `nephos::iam::User`. The kinds also
//! stand at the root of the crate.
//!
//! <!-- generated: kinds of the crate -->
//! | Service | Kinds |
//! |---|---|
//! | [`codepipeline`] | [`Pipeline`], [`PipelineExecution`], [`ActionType`] |
//! | [`ec2`] | [`Vpc`], [`Subnet`], [`SecurityGroup`], [`Instance`] |
//! | [`ecr`] | [`Repository`], [`Image`] |
//! | [`ecs`] | [`Cluster`], [`Service`], [`TaskDefinition`] |
//! | [`elasticache`] | [`CacheSubnetGroup`], [`CacheParameterGroup`], [`CacheCluster`], [`CacheUser`], [`CacheUserGroup`], [`ServerlessCache`], [`ServerlessCacheSnapshot`], [`CacheSnapshot`], [`ReplicationGroup`] |
//! | [`elb`] | [`ClassicELB`] |
//! | [`elbv2`] | [`TargetGroup`], [`LoadBalancer`], [`Listener`], [`Rule`], [`TrustStore`] |
//! | [`events`] | [`EventBus`], [`EventRule`], [`EventTarget`], [`Archive`], [`Replay`], [`Connection`], [`ApiDestination`] |
//! | [`iam`] | [`User`], [`Group`], [`Role`], [`InstanceProfile`], [`AccessKey`], [`Policy`], [`PolicyVersion`], [`LoginProfile`], [`VirtualMFADevice`], [`OpenIDConnectProvider`], [`SAMLProvider`], [`ServerCertificate`], [`SigningCertificate`], [`SSHPublicKey`], [`ServiceSpecificCredential`], [`PasswordPolicy`], [`AccountSummary`] |
//! | [`inspector2`] | [`Finding`] |
//! | [`kms`] | [`CryptoKey`], [`KeyAlias`], [`KeyGrant`] |
//! | [`logs`] | [`LogGroup`], [`LogStream`], [`LogEvent`], [`MetricFilter`], [`SubscriptionFilter`], [`Destination`] |
//! | [`rds`] | [`DBSubnetGroup`], [`DBParameterGroup`], [`DBClusterParameterGroup`], [`OptionGroup`], [`DBInstance`], [`DBCluster`], [`DocDBCluster`], [`DBSnapshot`], [`DBClusterSnapshot`], [`EventSubscription`] |
//! | [`schemas`] | [`SchemaRegistry`], [`Schema`], [`Discoverer`] |
//! | [`secrets`] | [`Secret`], [`SecretVersion`] |
//! | [`sts`] | [`AssumeRole`], [`CallerIdentity`] |
//! | [`tagging`] | none; operations on the resources of all services |
//! <!-- end -->
//!
//! Each service's module also has its operations as they are on the wire (`CreateLogGroup`), its records, and the table of
//! its error codes (`errors`).
//!
//! # Features
//!
//! <!-- generated: features -->
//! | Feature | Default | Adds |
//! |---|---|---|
//! | `codepipeline`, `ec2`, `ecr`, `ecs`, `elasticache`, `elb`, `elbv2`, `events`, `iam`, `inspector2`, `kms`, `logs`, `rds`, `schemas`, `secrets`, `sts`, `tagging` | yes | one service each; `ecr` needs `ecs` and `inspector2`, `elasticache` needs `ec2`, `elb` needs `ec2`, `elbv2` needs `ec2`, `rds` needs `ec2` and `secrets`, `sts` needs `iam` |
//! | `remote` | no | [`Session::remote`](prelude): signed sessions on endpoints; tokio, hyper and rustls |
//! | `postgres` | no | [clouds in a database](CloudOptions::connect), which several machines share |
//! | `profiles` | no | credentials from profiles, roles, web identity, containers and instances |
//! <!-- end -->
//!
//! Without `remote` there is no network stack and no async runtime in the build.
//!
//! # Async and blocking
//!
//! A call is a value. `.await` it in any runtime, or `.wait()` for it without one: `groups.get("/web/api").await?`. The same
//! holds for relations (`load_balancer.listeners()`), saves, previews and waiters. Result sets are
//! [`Stream`]s and iterators ([`Results::iter`]); one page at a time, for web handlers, is
//! `list().page(token)`.
//!
//! # Errors
//!
//! There is one [`Error`]: its [`kind`](Error::kind) is one of a small set to decide by, its [`code`](Error::code) is the
//! provider's (`ResourceNotFoundException`), its [`field`](Error::field) is the path of the field that is wrong, and its text names
//! the value, the rule and the nearest valid choice. A call that fails has changed nothing.
//!
//! # Testing
//!
//! Prepare one cloud, give each test a [`fork`](Kernel::fork), and move its [clock](CloudClock). [`CloudOptions`] sets the start
//! time, the seed of IDs and whether transitions of state take as long as the provider's ([`Transitions`]). The
//! program `nephos serve` gives the same to boto3, the AWS CLI and every SDK.
//!
//! # Names by text
//!
//! Every model and record can be read and changed by the names of the specification ([`Record::get`], [`Record::set`]), has
//! serde, and reads and writes JSON. [`python`] has the methods that follow Python's conventions, and [`shape`] describes kinds
//! at run time.

#[cfg(feature = "postgres")]
mod connect;
#[cfg(feature = "events")]
mod event_lookups;
mod kinds;
mod local_daemon;
#[cfg(feature = "remote")]
mod remote;
pub mod services;
#[cfg(feature = "tagging")]
mod tagged;

#[cfg(feature = "postgres")]
pub use connect::{Connect, ConnectOptions};
#[cfg(feature = "events")]
pub use event_lookups::EventLookups;
#[allow(unused_imports, unreachable_pub, reason = "a build may have no service with kinds")]
#[doc(inline)]
pub use kinds::*;
pub use local_daemon::LocalDaemon;
#[doc(inline)]
pub use nephos_cloud::{
    AccessQuery, BlobDigest, BlobReader, BlobWriter, Blobs, Caller, ClockAdvance, CloudClock, CloudKey,
    Control, DecisionPage, ExplainedAccess, FrontAnswer, FrontReceiver, FrontReply, FrontReplyBody,
    FrontRequest, Function, HttpClient, HttpFront, Kernel, KnownKey, LoggedDecision, NewKey, OutgoingRequest,
    Permissions, RequestSource, RetryAfter, RootKey, TIMEOUT_CODE, Transitions, WholeBody, WrittenBlob,
    account_of_access_key, blobs_folder, schedule, smallest_policy,
};
#[doc(inline)]
pub use nephos_core::{
    AnyPredicate, Arn, Blob, Call, CallFuture, Change, Clock, Code, Compared, ContainerDaemon, Credentials,
    DEFAULT_ACCOUNT, DEFAULT_REGION, DaemonReply, DaemonRequest, Difference, Error, ErrorKind, Extra, Field,
    FieldSet, Holds, Ids, IntoField, IntoOptional, Iter, Lookup, Map, Operation, Order, Ordered, Page, Pk,
    Place, Predicate, Preview, QueryFuture, Record, Ref, Resource, Results, Save, Secret as SecretText,
    Session, SignedDuration, Slot, Stream, Strings, Tag, TagChange, Tagged, TagsMut, Test, Text, TextLike,
    TimeForm, Timestamp, Transport, UnsupportedCall, Value, Waiter, python, relation, shape,
    time::parse_duration, wait,
};
#[cfg(feature = "remote")]
pub use remote::{RemoteBuilder, RemoteSession};
#[cfg(feature = "secrets")]
pub use services::secrets::{RotationFunctions, RotationStep};
#[cfg(feature = "sts")]
pub use services::sts::{Assume, AssumeSession};
pub use services::*;
#[cfg(feature = "tagging")]
pub use tagged::{AnyModel, TaggedModels};

/// Result with an [`Error`].
pub use nephos_core::Result;

/// A cloud in this process, with every service of this build. [`Kernel`] has its methods.
pub type Cloud = nephos_cloud::Cloud<AllServices>;

/// Options of a cloud that is opened: file or memory, clock, seed, keys, transitions.
pub type CloudOptions = nephos_cloud::CloudOptions<AllServices>;

/// Traits and types that most code with models needs.
pub mod prelude {
    #[cfg(feature = "sts")]
    pub use crate::AssumeSession as _;
    #[cfg(feature = "events")]
    pub use crate::EventLookups as _;
    #[cfg(feature = "remote")]
    pub use crate::RemoteSession as _;
    #[cfg(feature = "secrets")]
    pub use crate::RotationFunctions as _;
    #[cfg(feature = "tagging")]
    pub use crate::TaggedModels as _;
    #[cfg(feature = "postgres")]
    pub use crate::{Connect as _, ConnectOptions as _};
    pub use nephos_core::prelude::*;
}
