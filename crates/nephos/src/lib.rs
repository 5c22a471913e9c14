//! A typed API for cloud resources that runs on a transactional cloud inside your process.
//!
//! Nothing is lost, time can be moved, every change can be tried first. See [`Cloud`].
//!
//! ```
//! use nephos::{Cloud, LogGroup, prelude::*};
//!
//! let cloud = Cloud::in_memory();
//! let session = cloud.session();
//! let group = LogGroup::builder().log_group_name("/web/api").retention_in_days(30).build()?;
//! LogGroup::objects(&session).create(&group).tags([("team", "web")]).wait()?;
//!
//! let found = LogGroup::objects(&session).get("/web/api").wait()?.expect("it was created");
//! assert_eq!(found.retention_in_days(), Some(30));
//! # Ok::<(), nephos::Error>(())
//! ```

#[cfg(feature = "remote")]
mod remote;
pub mod services;

pub use nephos_cloud::{
    ClockAdvance, CloudClock, CloudKey, Control, Function, Kernel, RootKey, Transitions, schedule,
};
pub use nephos_core::{
    AnyPredicate, Arn, Blob, Call, CallFuture, Change, Clock, Code, Compared, Credentials, DEFAULT_ACCOUNT,
    DEFAULT_REGION, Difference, Error, ErrorKind, Extra, Field, FieldSet, Holds, Ids, IntoField,
    IntoOptional, Iter, Lookup, Map, Operation, Order, Ordered, Page, Pk, Place, Predicate, Preview,
    QueryFuture, Record, Ref, Resource, Results, Save, Secret as SecretText, Session, SignedDuration, Slot,
    Strings, Tag, TagChange, Tagged, TagsMut, Test, Text, TextLike, TimeForm, Timestamp, Transport,
    Unsupported, UnsupportedCall, Value, Waiter, relation, shape, wait,
};
#[cfg(feature = "remote")]
pub use remote::{RemoteBuilder, RemoteSession};
#[cfg(feature = "ec2")]
pub use services::ec2::{Instance, SecurityGroup, Subnet, Vpc};
#[cfg(feature = "elbv2")]
pub use services::elbv2::{Listener, LoadBalancer, Rule, TargetGroup, TrustStore};
#[cfg(feature = "logs")]
pub use services::logs::LogGroup;
#[cfg(feature = "schemas")]
pub use services::schemas::{Discoverer, Registry as SchemaRegistry, Schema};
#[cfg(feature = "secrets")]
pub use services::secrets::{RotationFunctions, RotationStep, Secret, SecretVersion};
pub use services::{AllServices, REGISTRY};

/// The result of an operation.
pub use nephos_core::Result;

/// A cloud in this process, with every service of this build. [`Kernel`] says what can be done with it.
pub type Cloud = nephos_cloud::Cloud<AllServices>;

/// How a cloud is opened.
pub type CloudOptions = nephos_cloud::CloudOptions<AllServices>;

/// Handler cases, for every way in.
#[cfg(feature = "testing")]
pub mod testing {
    pub use nephos_cloud::testing::*;

    /// The cases of every service.
    pub fn cases() -> impl Iterator<Item = &'static Case> {
        super::services::CASES.iter().copied().flatten()
    }
}

/// What code that works with models brings into scope.
pub mod prelude {
    #[cfg(feature = "remote")]
    pub use crate::RemoteSession as _;
    #[cfg(feature = "secrets")]
    pub use crate::RotationFunctions as _;
    pub use nephos_core::prelude::*;
}
