//! Routing of requests: actions, conditions and transforms of rules, and the target groups that they lead to.

pub(crate) mod action;
pub(crate) mod condition;
mod display;
pub(crate) mod map;
mod protocol;
pub(crate) mod routes;
pub(crate) mod transform;

pub use action::*;
pub use condition::*;
pub use protocol::*;
pub use transform::*;
