//! The services: one folder each, and this list.

pub mod ec2;
pub mod elbv2;
pub mod logs;
pub mod schemas;
pub mod secrets;

use crate::cloud::Service;
use nephos_core::Registry;

/// Every service.
pub static ALL: &[&Service] = &[&ec2::EC2, &elbv2::ELBV2, &logs::LOGS, &schemas::SCHEMAS, &secrets::SECRETS];

/// Every service's description.
pub static REGISTRY: Registry = Registry {
    services: &[&ec2::SERVICE, &elbv2::SERVICE, &logs::SERVICE, &schemas::SERVICE, &secrets::SERVICE],
};
