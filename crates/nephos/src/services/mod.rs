//! The services: one folder each, and this list.

pub mod logs;
pub mod schemas;

use crate::cloud::Service;
use nephos_core::Registry;

/// Every service.
pub static ALL: &[&Service] = &[&logs::LOGS, &schemas::SCHEMAS];

/// Every service's description.
pub static REGISTRY: Registry = Registry { services: &[&logs::SERVICE, &schemas::SERVICE] };
