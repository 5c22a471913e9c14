//! The services of this build: a crate and a feature each, and this list.

use nephos_cloud::{Service, ServiceSet};
use nephos_core::{Registry, shape::ServiceShape};

/// Lists services: the feature, the crate and the static of each.
macro_rules! services {
    ($($(#[doc = $docs:literal])+ $feature:literal: $krate:ident as $module:ident :: $service:ident;)+) => {
        $(
            $(#[doc = $docs])+
            #[cfg(feature = $feature)]
            pub mod $module {
                pub use $krate::*;
            }
        )+

        /// Every service of this build.
        #[derive(Debug)]
        pub struct AllServices;

        impl ServiceSet for AllServices {
            const SERVICES: &'static [&'static Service] = &[$(#[cfg(feature = $feature)] &$krate::$service),+];
        }

        static SHAPES: &[&ServiceShape] = &[$(#[cfg(feature = $feature)] &$krate::SERVICE),+];
    };
}

services! {
    /// Delivery pipelines, action types and webhooks.
    "codepipeline": nephos_codepipeline as codepipeline::CODEPIPELINE;
    /// VPCs, subnets, security groups and instances.
    "ec2": nephos_ec2 as ec2::EC2;
    /// Container repositories, images and the registry of an account.
    "ecr": nephos_ecr as ecr::ECR;
    /// Clusters, services and task definitions of containers.
    "ecs": nephos_ecs as ecs::ECS;
    /// Caches: clusters, users and user groups.
    "elasticache": nephos_elasticache as elasticache::ELASTICACHE;
    /// Classic load balancers.
    "elb": nephos_elb as elb::ELB;
    /// Load balancers, listeners, rules, target groups and trust stores.
    "elbv2": nephos_elbv2 as elbv2::ELBV2;
    /// Event buses, rules and targets.
    "events": nephos_events as events::EVENTS;
    /// Users, groups, roles, policies and access keys.
    "iam": nephos_iam as iam::IAM;
    /// Findings about vulnerabilities of container images.
    "inspector2": nephos_inspector2 as inspector2::INSPECTOR2;
    /// Crypto keys and their aliases.
    "kms": nephos_kms as kms::KMS;
    /// Log groups, streams, events and filters.
    "logs": nephos_logs as logs::LOGS;
    /// Relational and document databases.
    "rds": nephos_rds as rds::RDS;
    /// Event schema registries, schemas and discoverers.
    "schemas": nephos_schemas as schemas::SCHEMAS;
    /// Secrets in versions.
    "secrets": nephos_secrets as secrets::SECRETS;
    /// Security tokens: temporary credentials, and the identity of the caller.
    "sts": nephos_sts as sts::STS;
    /// Resources of all services by their tags.
    "tagging": nephos_tagging as tagging::TAGGING;
}

/// Every service's description.
pub static REGISTRY: Registry = Registry { services: SHAPES };
