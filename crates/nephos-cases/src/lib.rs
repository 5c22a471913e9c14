//! The behaviour cases of every service, and the facts for laws over all kinds, for tests of any backend.

use nephos_testing::{Case, LawFacts};

/// Lists services, each with the crate of its cases. The dollar sign is for the variables of the inner macro.
macro_rules! services {
    (($dollar:tt) $($service:ident: $cases:ident,)+) => {
        static CASES: &[&[Case]] = &[$($cases::CASES),+];

        static LAWS: &[&LawFacts] = &[$(&$cases::LAWS),+];

        /// Declares a test for each case that holds everywhere, in a module for each service. `RUN` takes the list and the name of
        /// a case.
        #[macro_export]
        macro_rules! each_case {
            ($dollar run:path) => {
                $(mod $service {
                    $dollar crate::$service::each_case!($dollar crate::$service::CASES, $dollar run);
                })+
            };
        }

        $(#[doc(hidden)]
        pub use $cases as $service;)+
    };
}

services! {
    ($)
    codepipeline: nephos_codepipeline_cases,
    ec2: nephos_ec2_cases,
    ecr: nephos_ecr_cases,
    ecs: nephos_ecs_cases,
    elasticache: nephos_elasticache_cases,
    elb: nephos_elb_cases,
    elbv2: nephos_elbv2_cases,
    events: nephos_events_cases,
    iam: nephos_iam_cases,
    inspector2: nephos_inspector2_cases,
    kms: nephos_kms_cases,
    logs: nephos_logs_cases,
    rds: nephos_rds_cases,
    schemas: nephos_schemas_cases,
    secrets: nephos_secrets_cases,
    sts: nephos_sts_cases,
    tagging: nephos_tagging_cases,
}

/// The cases of every service.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    CASES.iter().copied().flatten()
}

/// The facts of every service for the laws over all kinds.
pub fn laws() -> impl Iterator<Item = &'static LawFacts> {
    LAWS.iter().copied()
}
