//! Lifecycle policies: which images of a repository expire.
//!
//! A policy is a JSON document with rules. `LifecyclePolicy::parse` reads it, and `evaluate` finds the images that its rules
//! select.

mod document;
mod evaluate;
mod operations;
mod schema;

pub use document::{Action, CountType, LifecyclePolicy, Rule, TagSelection};
pub use evaluate::{ImageFacts, evaluate};
pub use operations::{
    DeleteLifecyclePolicy, GetLifecyclePolicy, PutLifecyclePolicy, PutLifecyclePolicyResponse,
    RepositoryLifecyclePolicy,
};
pub(crate) use operations::{LifecyclePolicyRow, remove};
