//! Every kind, with the example that its page starts with: a file for each service.

#[cfg(feature = "codepipeline")]
mod codepipeline;
#[cfg(feature = "ec2")]
mod ec2;
#[cfg(feature = "ecr")]
mod ecr;
#[cfg(feature = "ecs")]
mod ecs;
#[cfg(feature = "elasticache")]
mod elasticache;
#[cfg(feature = "elb")]
mod elb;
#[cfg(feature = "elbv2")]
mod elbv2;
#[cfg(feature = "events")]
mod events;
#[cfg(feature = "iam")]
mod iam;
#[cfg(feature = "inspector2")]
mod inspector2;
#[cfg(feature = "kms")]
mod kms;
#[cfg(feature = "logs")]
mod logs;
#[cfg(feature = "rds")]
mod rds;
#[cfg(feature = "schemas")]
mod schemas;
#[cfg(feature = "secrets")]
mod secrets;
#[cfg(feature = "sts")]
mod sts;

#[cfg(feature = "codepipeline")]
pub use codepipeline::*;
#[cfg(feature = "ec2")]
pub use ec2::*;
#[cfg(feature = "ecr")]
pub use ecr::*;
#[cfg(feature = "ecs")]
pub use ecs::*;
#[cfg(feature = "elasticache")]
pub use elasticache::*;
#[cfg(feature = "elb")]
pub use elb::*;
#[cfg(feature = "elbv2")]
pub use elbv2::*;
#[cfg(feature = "events")]
pub use events::*;
#[cfg(feature = "iam")]
pub use iam::*;
#[cfg(feature = "inspector2")]
pub use inspector2::*;
#[cfg(feature = "kms")]
pub use kms::*;
#[cfg(feature = "logs")]
pub use logs::*;
#[cfg(feature = "rds")]
pub use rds::*;
#[cfg(feature = "schemas")]
pub use schemas::*;
#[cfg(feature = "secrets")]
pub use secrets::*;
#[cfg(feature = "sts")]
pub use sts::*;
