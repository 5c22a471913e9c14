//! A typed API for cloud resources that runs on a transactional cloud inside your process.
//!
//! Nothing is lost, time can be moved, every change can be tried first. See [`Cloud`].

#[cfg(feature = "testing")]
pub mod cases;
pub mod cloud;
#[cfg(feature = "remote")]
mod remote;
pub mod schedule;
pub mod services;

pub use cloud::{Cloud, CloudClock, CloudKey, CloudOptions, Moved, RootKey, Transitions};
pub use nephos_core::{
    AnyPredicate, Arn, Asked, Change, Clock, Code, Credentials, DEFAULT_ACCOUNT, DEFAULT_REGION, Error,
    ErrorKind, Field, Ids, Lookup, Map, Order, Page, Predicate, Preview, Record, Refused, Resource, Results,
    Save, Secret as SecretText, Session, SignedDuration, Tag, Text, Timestamp, Value, shape,
};
#[cfg(feature = "remote")]
pub use remote::{RemoteBuilder, RemoteSession};
pub use services::{
    REGISTRY,
    ec2::{Instance, SecurityGroup, Subnet, Vpc},
    elbv2::{Health, Listener, LoadBalancer, Rule, TargetGroup, TrustStore},
    logs::LogGroup,
    schemas::{Discoverer, Registry as SchemaRegistry, Schema},
    secrets::{RotationStep, Secret, SecretVersion},
};

/// The result of an operation.
pub use nephos_core::Result;

/// What code that works with models brings into scope.
pub mod prelude {
    #[cfg(feature = "remote")]
    pub use crate::RemoteSession as _;
    pub use nephos_core::{prelude::*, tags::Tagged as _};
}
