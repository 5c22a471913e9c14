//! Task definitions: containers that run together, in numbered revisions of a family.

mod list;
mod operations;

pub use list::*;
pub use operations::*;

use crate::errors;
use nephos_cloud::{Scope, Stored, Tx};
use nephos_core::{Arn, Map, Record, Resource, Result, Slot, Tag, Text, Timestamp, Value, choices};

choices! {
    /// Status of a task definition.
    #[derive(Eq)]
    pub enum TaskDefinitionStatus {
        /// It can be used.
        Active = "ACTIVE",
        /// It was deregistered.
        Inactive = "INACTIVE",
        /// It is being deleted.
        DeleteInProgress = "DELETE_IN_PROGRESS",
    }
}

choices! {
    /// Network of the containers.
    pub enum NetworkMode {
        /// A virtual network of the host.
        Bridge = "bridge",
        /// The network of the host.
        Host = "host",
        /// An interface of their own.
        AwsVpc = "awsvpc",
        /// None.
        None = "none",
    }
}

choices! {
    /// Capacity that a task definition is for.
    pub enum Compatibility {
        /// Instances.
        Ec2 = "EC2",
        /// Capacity without instances.
        Fargate = "FARGATE",
        /// Machines elsewhere.
        External = "EXTERNAL",
        /// Instances that the provider manages.
        ManagedInstances = "MANAGED_INSTANCES",
    }
}

/// A name with a value, such as a variable of the environment.
#[derive(Record)]
#[record(case = "camel")]
pub struct KeyValuePair {
    /// Name.
    name: Option<Text>,
    /// Value.
    value: Option<Text>,
}

/// A port of a container.
#[derive(Record)]
#[record(case = "camel")]
pub struct PortMapping {
    /// Port of the container.
    container_port: Option<i64>,
    /// Port of the host.
    host_port: Option<i64>,
    /// Protocol: `tcp` or `udp`.
    protocol: Option<Text>,
    /// Name of the mapping.
    name: Option<Text>,
    /// Protocol of the application: `http`, `http2` or `grpc`.
    app_protocol: Option<Text>,
    /// Range of ports of the container.
    container_port_range: Option<Text>,
}

/// A container of a task definition. No container runs here: its members are kept and returned as they were given.
#[derive(Record)]
#[record(case = "camel")]
pub struct ContainerDefinition {
    /// Name, unique in the task definition.
    pub(crate) name: Option<Text>,
    /// Image: `123456789012.dkr.ecr.us-east-1.amazonaws.com/web:v1`.
    pub(crate) image: Option<Text>,
    /// Units of processor time.
    pub(crate) cpu: Option<i64>,
    /// Hard limit of memory in MiB.
    memory: Option<i64>,
    /// Soft limit of memory in MiB.
    memory_reservation: Option<i64>,
    /// Containers that it is linked to.
    links: Option<Vec<Text>>,
    /// Ports.
    pub(crate) port_mappings: Option<Vec<PortMapping>>,
    /// True if the task ends with the container.
    pub(crate) essential: Option<bool>,
    /// Entry point.
    entry_point: Option<Vec<Text>>,
    /// Command.
    command: Option<Vec<Text>>,
    /// Variables of the environment.
    pub(crate) environment: Option<Vec<KeyValuePair>>,
    /// Seconds to wait for containers that it depends on.
    start_timeout: Option<i64>,
    /// Seconds to wait for its end.
    stop_timeout: Option<i64>,
    /// Host name.
    hostname: Option<Text>,
    /// User.
    user: Option<Text>,
    /// Working directory.
    working_directory: Option<Text>,
    /// True for a container without a network.
    disable_networking: Option<bool>,
    /// True for a container with the permissions of the host.
    privileged: Option<bool>,
    /// True for a root file system that is read-only.
    readonly_root_filesystem: Option<bool>,
    /// DNS servers.
    dns_servers: Option<Vec<Text>>,
    /// Domains that names are searched in.
    dns_search_domains: Option<Vec<Text>>,
    /// Security options.
    docker_security_options: Option<Vec<Text>>,
    /// True for a container with standard input.
    interactive: Option<bool>,
    /// True for a container with a terminal.
    pseudo_terminal: Option<bool>,
    /// Labels.
    docker_labels: Option<Map<Text>>,
    /// Credential specifications.
    credential_specs: Option<Vec<Text>>,
    /// Credentials of a private registry.
    repository_credentials: Option<Value>,
    /// Restarts after an exit.
    restart_policy: Option<Value>,
    /// Files with variables of the environment.
    environment_files: Option<Vec<Value>>,
    /// Volumes that it mounts.
    pub(crate) mount_points: Option<Vec<Value>>,
    /// Containers whose volumes it mounts.
    pub(crate) volumes_from: Option<Vec<Value>>,
    /// Options of Linux.
    linux_parameters: Option<Value>,
    /// Secrets of the environment, by their ARNs.
    secrets: Option<Vec<Value>>,
    /// Containers that must be in a state before it starts.
    depends_on: Option<Vec<Value>>,
    /// Tags of images are resolved to digests: `enabled` or `disabled`.
    version_consistency: Option<Text>,
    /// Lines of its `/etc/hosts`.
    extra_hosts: Option<Vec<Value>>,
    /// Limits of the operating system.
    ulimits: Option<Vec<Value>>,
    /// Log driver and its options.
    log_configuration: Option<Value>,
    /// Health check.
    health_check: Option<Value>,
    /// Parameters of the kernel.
    pub(crate) system_controls: Option<Vec<Value>>,
    /// Graphics processors and accelerators.
    resource_requirements: Option<Vec<Value>>,
    /// Router of logs.
    firelens_configuration: Option<Value>,
}

/// A task definition: containers that run together.
#[derive(Resource)]
#[resource(
    case = "camel",
    arn = "taskDefinitionArn",
    name = "family",
    pk = "taskDefinitionArn",
    exists_if = "taskDefinitionArn",
    tags = "tags",
    not_found = |_| errors::resource_not_found()
)]
pub struct TaskDefinition {
    /// ARN of the revision.
    #[field(service_set)]
    pub(crate) task_definition_arn: Option<Text>,
    /// Containers.
    #[field(required, fixed)]
    pub(crate) container_definitions: Option<Vec<ContainerDefinition>>,
    /// Name of the family.
    #[field(required, fixed)]
    pub(crate) family: Option<Text>,
    /// ARN of the role of the containers.
    #[field(fixed)]
    task_role_arn: Option<Text>,
    /// ARN of the role that starts the containers.
    #[field(fixed)]
    execution_role_arn: Option<Text>,
    /// Network of the containers.
    #[field(fixed)]
    network_mode: Option<NetworkMode>,
    /// Number of the revision.
    #[field(service_set)]
    pub(crate) revision: Option<i64>,
    /// Status.
    #[field(service_set)]
    pub(crate) status: Option<TaskDefinitionStatus>,
    /// Capacity that it is compatible with.
    #[field(service_set)]
    compatibilities: Option<Vec<Compatibility>>,
    /// Capacity that it is for.
    #[field(fixed)]
    requires_compatibilities: Option<Vec<Compatibility>>,
    /// Units of processor time.
    #[field(fixed)]
    cpu: Option<Text>,
    /// Memory in MiB.
    #[field(fixed)]
    memory: Option<Text>,
    /// Volumes that containers mount.
    #[field(fixed)]
    volumes: Option<Vec<Value>>,
    /// Rules for the choice of an instance.
    #[field(fixed)]
    placement_constraints: Option<Vec<Value>>,
    /// Processes that containers see: `host` or `task`.
    #[field(fixed)]
    pid_mode: Option<Text>,
    /// Memory that containers share: `host`, `task` or `none`.
    #[field(fixed)]
    ipc_mode: Option<Text>,
    /// Proxy of App Mesh.
    #[field(fixed)]
    proxy_configuration: Option<Value>,
    /// Accelerators of containers.
    #[field(fixed)]
    inference_accelerators: Option<Vec<Value>>,
    /// Storage that ends with the task.
    #[field(fixed)]
    ephemeral_storage: Option<Value>,
    /// Operating system and processor.
    #[field(fixed)]
    runtime_platform: Option<Value>,
    /// True if faults may be injected.
    #[field(fixed)]
    enable_fault_injection: Option<bool>,
    /// Time of the registration.
    #[field(service_set)]
    registered_at: Option<Timestamp>,
    /// Time of the deregistration.
    #[field(service_set)]
    deregistered_at: Option<Timestamp>,
    /// ARN of the caller that registered it.
    #[field(service_set)]
    registered_by: Option<Text>,
    /// Tags.
    #[field(not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    TaskDefinition in "ecs/task-definition" by family, revision;
    derived(task_definition_arn) => set_arn
}

/// Row of a family: the number of its last revision, which is not used again.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct FamilyRow {
    /// Name of the family.
    family: Option<Text>,
    /// Number of the last revision.
    last_revision: Option<i64>,
}

nephos_cloud::stored!(FamilyRow in "ecs/family" by family);

impl TaskDefinition {
    fn set_arn(&mut self, scope: &Scope) {
        let revision = self.revision.unwrap_or_default();
        let name = format!("{}:{revision}", self.family.as_deref().unwrap_or_default());
        self.task_definition_arn = Some(scope.arn("ecs", &["task-definition/", &name]).into());
    }

    pub(crate) fn is_active(&self) -> bool {
        self.status == Some(TaskDefinitionStatus::Active)
    }
}

/// Finds a task definition by `family`, `family:revision` or ARN; without a revision, the newest that is active.
pub(crate) fn find(cx: &Tx<'_>, given: &str) -> Result<Option<TaskDefinition>> {
    let name = match given.parse::<Arn>() {
        Ok(arn) if cx.scope().owns(given) => Text::from(arn.resource()),
        Ok(_) => return Ok(None),
        Err(_) => format!("task-definition/{given}").into(),
    };
    let Some(name) = name.strip_prefix("task-definition/") else { return Ok(None) };
    let table = TaskDefinition::table(cx.scope());
    match name.split_once(':') {
        Some((family, revision)) => match revision.parse::<i64>() {
            Ok(revision) => cx.get(&table.text(family).number(revision)),
            Err(_) => Ok(None),
        },
        None => {
            let all: Vec<TaskDefinition> = cx.all(&table.text(name))?;
            Ok(all.into_iter().rfind(TaskDefinition::is_active))
        }
    }
}

/// Finds the task definition of a new or changed service, or refuses.
pub(crate) fn require_active(cx: &Tx<'_>, given: &str) -> Result<TaskDefinition> {
    let refused = |error: nephos_core::Error| error.with_field("taskDefinition");
    let found = find(cx, given)?.ok_or_else(|| refused(errors::definition_missing()))?;
    if found.is_active() { Ok(found) } else { Err(refused(errors::definition_inactive())) }
}
