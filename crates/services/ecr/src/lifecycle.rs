//! Lifecycle policies: which images of a repository expire.
//!
//! A policy is a JSON document with rules. `LifecyclePolicy::parse` reads it, and `evaluate` finds the images that its rules
//! select. Every 24 hours, the images that the policy of a repository selects are deleted or archived.

mod document;
mod evaluate;
mod expiry;
mod operations;
mod preview;
mod schema;

pub use document::{Action, CountType, LifecyclePolicy, Rule, TagSelection};
pub use evaluate::{ImageFacts, evaluate};
pub(crate) use expiry::EvaluateLifecyclePolicy;
pub use operations::{
    DeleteLifecyclePolicy, GetLifecyclePolicy, PutLifecyclePolicy, PutLifecyclePolicyResponse,
    RepositoryLifecyclePolicy,
};
pub(crate) use operations::{LifecyclePolicyRow, remove};
pub(crate) use preview::PreviewRow;
pub use preview::*;
