//! Parameters of targets, by the type of the target.

use nephos_core::{Map, Record, Secret, Tag, Text, choices};

/// Input that a template makes from values of the event.
#[derive(Record)]
pub struct InputTransformer {
    /// Paths into the event, by the names of variables.
    #[field(length(..=100), each(length(..=256)))]
    pub(crate) input_paths_map: Option<Map<Text>>,
    /// Template with the variables in angle brackets.
    #[field(required, length(1..=8192))]
    pub(crate) input_template: Option<Text>,
}

/// Parameters of a Kinesis stream.
#[derive(Record)]
pub struct KinesisParameters {
    /// Path of the partition key in the event.
    #[field(required, length(..=256))]
    pub(crate) partition_key_path: Option<Text>,
}

/// Instances that a command runs on.
#[derive(Record)]
pub struct RunCommandTarget {
    /// `InstanceIds`, or `tag:` and the key of a tag.
    #[field(required, length(1..=128), pattern = r"^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$")]
    key: Option<Text>,
    /// IDs of instances, or values of the tag.
    #[field(required, length(1..=50), each(length(1..=256)))]
    values: Option<Vec<Text>>,
}

/// Parameters of a command on instances.
#[derive(Record)]
pub struct RunCommandParameters {
    /// Instances that the command runs on.
    #[field(required, length(1..=5))]
    run_command_targets: Option<Vec<RunCommandTarget>>,
}

choices! {
    /// Infrastructure of tasks.
    pub enum LaunchType {
        /// Instances of the account.
        Ec2 = "EC2",
        /// Without instances.
        Fargate = "FARGATE",
        /// Machines outside the provider.
        External = "EXTERNAL",
    }
}

choices! {
    /// Public addresses of tasks.
    pub enum AssignPublicIp {
        /// Tasks have public addresses; only with the launch type `FARGATE`.
        Enabled = "ENABLED",
        /// Tasks do not have public addresses.
        Disabled = "DISABLED",
    }
}

/// Network of tasks.
#[derive(Record)]
pub struct VpcConfiguration {
    /// Subnets, of one network.
    #[field(required, length(..=16))]
    subnets: Option<Vec<Text>>,
    /// Security groups, of the same network; its default group if none are given.
    #[field(length(..=5))]
    security_groups: Option<Vec<Text>>,
    /// Public addresses.
    pub(crate) assign_public_ip: Option<AssignPublicIp>,
}

/// Network configuration of tasks.
#[derive(Record)]
pub struct NetworkConfiguration {
    /// Network of the tasks.
    #[field(name = "vpcConfiguration", wire = "awsvpcConfiguration")]
    pub(crate) vpc_configuration: Option<VpcConfiguration>,
}

/// Capacity provider of tasks.
#[derive(Record)]
#[record(case = "camel")]
pub struct CapacityProviderStrategyItem {
    /// Name of the capacity provider.
    #[field(required, length(1..=255))]
    capacity_provider: Option<Text>,
    /// Share of the tasks.
    #[field(range(0..=1000))]
    weight: Option<i64>,
    /// Minimum number of tasks.
    #[field(range(0..=100_000))]
    base: Option<i64>,
}

choices! {
    /// Type of a placement constraint.
    pub enum PlacementConstraintType {
        /// Each task on another instance.
        DistinctInstance = "distinctInstance",
        /// Instances that an expression selects.
        MemberOf = "memberOf",
    }
}

/// Constraint of the placement of tasks.
#[derive(Record)]
#[record(case = "camel")]
pub struct PlacementConstraint {
    /// Type of the constraint.
    pub(crate) r#type: Option<PlacementConstraintType>,
    /// Expression; not with `distinctInstance`.
    #[field(length(..=2000))]
    pub(crate) expression: Option<Text>,
}

choices! {
    /// Type of a placement strategy.
    pub enum PlacementStrategyType {
        /// Any instance.
        Random = "random",
        /// Tasks are spread over the values of the field.
        Spread = "spread",
        /// As few instances as possible, by the field.
        Binpack = "binpack",
    }
}

/// Strategy of the placement of tasks.
#[derive(Record)]
#[record(case = "camel")]
pub struct PlacementStrategy {
    /// Type of the strategy.
    r#type: Option<PlacementStrategyType>,
    /// Field that the strategy uses: an attribute, or `cpu` or `memory`.
    #[field(length(..=255))]
    field: Option<Text>,
}

impl PlacementStrategy {
    /// False for a field that the strategy cannot use.
    pub(crate) fn has_valid_field(&self) -> bool {
        let is_binpack = self.r#type == Some(PlacementStrategyType::Binpack);
        !is_binpack
            || self.field.as_deref().is_none_or(|field| matches!(field, "cpu" | "memory" | "CPU" | "MEMORY"))
    }
}

choices! {
    /// Source of the tags of tasks.
    pub enum PropagateTags {
        /// The task definition.
        TaskDefinition = "TASK_DEFINITION",
    }
}

/// Parameters of tasks in containers.
#[derive(Record)]
pub struct EcsParameters {
    /// ARN of the task definition.
    #[field(required, length(1..=1600))]
    task_definition_arn: Option<Text>,
    /// Number of tasks.
    #[field(range(1..))]
    task_count: Option<i64>,
    /// Infrastructure of the tasks.
    pub(crate) launch_type: Option<LaunchType>,
    /// Network configuration; required for the launch type `FARGATE`.
    pub(crate) network_configuration: Option<NetworkConfiguration>,
    /// Version of the platform.
    platform_version: Option<Text>,
    /// Task group.
    group: Option<Text>,
    /// Capacity providers; not with a launch type.
    #[field(length(..=6))]
    pub(crate) capacity_provider_strategy: Option<Vec<CapacityProviderStrategyItem>>,
    /// Tags of the service on tasks.
    #[field(name = "EnableECSManagedTags")]
    enable_ecs_managed_tags: Option<bool>,
    /// Commands in running containers.
    enable_execute_command: Option<bool>,
    /// Constraints of the placement.
    #[field(length(..=10))]
    pub(crate) placement_constraints: Option<Vec<PlacementConstraint>>,
    /// Strategies of the placement.
    #[field(length(..=5))]
    pub(crate) placement_strategy: Option<Vec<PlacementStrategy>>,
    /// Source of the tags of the tasks.
    propagate_tags: Option<PropagateTags>,
    /// Reference of the caller.
    #[field(length(..=1024))]
    reference_id: Option<Text>,
    /// Tags of the tasks.
    tags: Option<Vec<Tag>>,
}

/// Array of a batch job.
#[derive(Record)]
pub struct BatchArrayProperties {
    /// Number of jobs.
    size: Option<i64>,
}

/// Retries of a batch job.
#[derive(Record)]
pub struct BatchRetryStrategy {
    /// Number of attempts.
    attempts: Option<i64>,
}

/// Parameters of a batch job.
#[derive(Record)]
pub struct BatchParameters {
    /// ARN or name of the job definition.
    #[field(required)]
    job_definition: Option<Text>,
    /// Name of the job.
    #[field(required)]
    job_name: Option<Text>,
    /// Array of jobs.
    array_properties: Option<BatchArrayProperties>,
    /// Retries.
    retry_strategy: Option<BatchRetryStrategy>,
}

/// Parameters of a queue.
#[derive(Record)]
pub struct SqsParameters {
    /// Message group; required for FIFO queues.
    #[field(length(..=100))]
    pub(crate) message_group_id: Option<Text>,
}

/// Parameters of an API or an API destination.
#[derive(Record)]
pub struct HttpParameters {
    /// Values for the wildcards in the path.
    #[field(each(pattern = r".*\S.*"))]
    pub(crate) path_parameter_values: Option<Vec<Text>>,
    /// Headers.
    #[field(each(length(..=512), pattern = r"^[ \t]*[\x20-\x7E]+([ \t]+[\x20-\x7E]+)*[ \t]*$"))]
    pub(crate) header_parameters: Option<Map<Text>>,
    /// Query parameters.
    #[field(each(length(..=512), pattern = r"[^\x00-\x09\x0B\x0C\x0E-\x1F\x7F]+"))]
    pub(crate) query_string_parameters: Option<Map<Text>>,
}

/// Parameters of a Redshift cluster.
#[derive(Record)]
pub struct RedshiftDataParameters {
    /// ARN of the secret with the credentials.
    #[field(
        length(1..=1600),
        pattern = r"(^arn:aws([a-z]|\-)*:secretsmanager:[a-z0-9-.]+:.*)|(\$(\.[\w_-]+(\[(\d+|\*)\])*)*)"
    )]
    secret_manager_arn: Option<Text>,
    /// Name of the database.
    #[field(required, length(1..=64))]
    database: Option<Text>,
    /// Database user.
    #[field(length(1..=128))]
    db_user: Option<Text>,
    /// SQL statement.
    #[field(sensitive, length(1..=100_000))]
    pub(crate) sql: Option<Secret>,
    /// Name of the statement.
    #[field(length(1..=500))]
    statement_name: Option<Text>,
    /// True to send an event when the statement has run.
    with_event: Option<bool>,
    /// SQL statements.
    #[field(sensitive, length(..=40), each(length(1..=100_000)))]
    pub(crate) sqls: Option<Vec<Secret>>,
}

/// Parameter of a SageMaker pipeline.
#[derive(Record)]
pub struct SageMakerPipelineParameter {
    /// Name.
    #[field(required, length(1..=256), pattern = "^[a-zA-Z0-9](-*[a-zA-Z0-9])*$")]
    name: Option<Text>,
    /// Value.
    #[field(required, length(..=1024))]
    value: Option<Text>,
}

/// Parameters of a SageMaker pipeline.
#[derive(Record)]
pub struct SageMakerPipelineParameters {
    /// Parameters.
    #[field(length(..=200))]
    pipeline_parameter_list: Option<Vec<SageMakerPipelineParameter>>,
}

/// Parameters of a GraphQL API.
#[derive(Record)]
#[record(name = "AppSyncParameters")]
pub struct GraphQLParameters {
    /// GraphQL operation.
    #[field(name = "GraphQLOperation", sensitive, length(1..=1_048_576))]
    pub(crate) graph_ql_operation: Option<Secret>,
}

/// Retries of failed deliveries.
#[derive(Record)]
pub struct RetryPolicy {
    /// Maximum number of retries.
    #[field(range(0..=185))]
    pub(crate) maximum_retry_attempts: Option<i64>,
    /// Maximum age of an event, in seconds.
    #[field(range(60..=86_400))]
    pub(crate) maximum_event_age_in_seconds: Option<i64>,
}
