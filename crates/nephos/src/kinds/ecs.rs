//! Kinds of containers: clusters, services and task definitions.

/// Cluster: a group of services.
///
/// ```
/// # use nephos::{Cloud, Cluster, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let clusters = Cluster::objects(&session);
/// clusters.create(&Cluster::builder().cluster_name("shop").build()?).wait()?;
/// assert!(clusters.get("shop").wait()?.is_some());
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ecs::Cluster;

/// Service: a number of tasks of a task definition. No task runs.
///
/// ```
/// # use nephos::{Cloud, Service, prelude::*};
/// # let session = Cloud::in_memory().session();
/// assert!(Service::objects(&session).get("web").wait()?.is_none());
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ecs::Service;

/// Task definition: containers that run together, in numbered revisions of a family.
///
/// ```
/// # use nephos::{Cloud, TaskDefinition, ecs::ContainerDefinition, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let web = ContainerDefinition::builder().name("web").image("web:v1").build()?;
/// let shop = TaskDefinition::builder().family("shop").container_definitions([web]).build()?;
/// let shop = TaskDefinition::objects(&session).create(&shop).wait()?;
/// assert_eq!(shop.revision(), Some(1));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ecs::TaskDefinition;
