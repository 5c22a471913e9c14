//! Clusters, services and task definitions of containers, as far as lookups of images need them. No task runs.
//!
//! ```
//! use nephos::{Cloud, Cluster, prelude::*};
//!
//! let clusters = Cluster::objects(&Cloud::in_memory().session());
//! let shop = clusters.create(&Cluster::builder().cluster_name("shop").build()?).wait()?;
//! assert_eq!(shop.cluster_arn(), Some("arn:aws:ecs:us-east-1:123456789012:cluster/shop"));
//! # Ok::<(), nephos::Error>(())
//! ```

mod cluster;
pub mod errors;
mod paging;
mod service;
mod tagging;
mod task_definition;

pub use cluster::*;
pub use service::*;
pub use tagging::*;
pub use task_definition::*;

pub use nephos_core::Empty;
use nephos_core::{
    Record, Text,
    shape::{Protocol, TagNames},
};

/// A name of a batch that was not found.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Failure {
    /// ARN.
    arn: Option<Text>,
    /// Reason: `MISSING`.
    reason: Option<Text>,
    /// Further facts.
    detail: Option<Text>,
}

impl Failure {
    fn missing(arn: Text) -> Self {
        Self { arn: Some(arn), reason: Some("MISSING".into()), detail: None }
    }
}

nephos_cloud::service! {
    ECS = "ecs", "Clusters, services and task definitions of containers.";
    shape {
        api_version: "2014-11-13",
        protocol: Protocol::AwsJson { target: "AmazonEC2ContainerServiceV20141113.", version: "1.1", message: "message" },
        tag_names: TagNames::LowerCase,
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_next_token,
        resource_keys: &[("", &["aws:ResourceTag/${TagKey}", "ecs:ResourceTag/${TagKey}"])],
    }
    kinds { Cluster, Service, TaskDefinition }
    operations {
        CreateCluster, DeleteCluster, DescribeClusters, ListClusters,
        RegisterTaskDefinition, DeregisterTaskDefinition, DescribeTaskDefinition, ListTaskDefinitionFamilies, ListTaskDefinitions,
        CreateService, UpdateService, DeleteService, DescribeServices, ListServices,
        TagResource, UntagResource, ListTagsForResource,
    }
    calls {
        ClusterGet, ClusterList, ServiceGet, ServiceList, TaskDefinitionGet,
        ClusterTag, ClusterUntag, ClusterListTags, ServiceTag, ServiceUntag, ServiceListTags,
        TaskDefinitionTag, TaskDefinitionUntag, TaskDefinitionListTags,
    }
    tables { Cluster, Service, TaskDefinition, task_definition::FamilyRow }
    access {
        find_resource: Some(tagging::find_resource),
    }
    tagged { tagging::TAGGED }
}
