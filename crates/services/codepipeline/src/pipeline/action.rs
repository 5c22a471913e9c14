//! Actions of a stage: what they run, and their artifacts and variables.

use nephos_core::{Map, Record, Text, choices};

choices! {
    /// Category of an action.
    #[derive(Eq)]
    pub enum ActionCategory {
        /// Fetches a revision that the pipeline works on.
        Source = "Source",
        /// Builds artifacts.
        Build = "Build",
        /// Deploys artifacts.
        Deploy = "Deploy",
        /// Tests artifacts.
        Test = "Test",
        /// Invokes a function or a workflow.
        Invoke = "Invoke",
        /// Waits for a person.
        Approval = "Approval",
        /// Runs commands.
        Compute = "Compute",
    }
}

choices! {
    /// Owner of an action type.
    #[derive(Eq)]
    pub enum ActionOwner {
        /// The provider of the cloud.
        Provider = "Provider" => "AWS",
        /// A partner of the provider.
        ThirdParty = "ThirdParty",
        /// The account.
        Custom = "Custom",
    }
}

choices! {
    /// Source of the value of an environment variable.
    #[derive(Eq)]
    pub enum EnvironmentVariableType {
        /// The value itself.
        Plaintext = "PLAINTEXT",
        /// The name of a parameter, which the service does not support.
        ParameterStore = "PARAMETER_STORE",
        /// The name of a secret.
        SecretsStore = "SECRETS_STORE" => "SECRETS_MANAGER",
    }
}

/// Identity of an action type.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionTypeId {
    /// Category.
    #[field(required)]
    pub(crate) category: Option<ActionCategory>,
    /// Owner.
    #[field(required)]
    pub(crate) owner: Option<ActionOwner>,
    /// Provider.
    #[field(required, length(1..=35), pattern = r"[0-9A-Za-z_-]+")]
    pub(crate) provider: Option<Text>,
    /// Version.
    #[field(required, length(1..=9), pattern = r"[0-9A-Za-z_-]+")]
    pub(crate) version: Option<Text>,
}

/// Artifact that an action takes.
#[derive(Record)]
#[record(case = "camel")]
pub struct InputArtifact {
    /// Name of the artifact, which an earlier action produces.
    #[field(required, length(1..=100), pattern = r"[a-zA-Z0-9_\-]+")]
    pub(crate) name: Option<Text>,
}

/// Artifact that an action produces.
#[derive(Record)]
#[record(case = "camel")]
pub struct OutputArtifact {
    /// Name of the artifact, unique within the pipeline.
    #[field(required, like = InputArtifact::name)]
    pub(crate) name: Option<Text>,
    /// Paths of the files that the artifact has.
    #[field(length(1..=10), each(length(1..=128)))]
    files: Option<Vec<Text>>,
}

/// Environment variable of the commands of an action.
#[derive(Record)]
#[record(case = "camel")]
pub struct EnvironmentVariable {
    /// Name.
    #[field(required, length(1..=128), pattern = r"[A-Za-z0-9_]+")]
    name: Option<Text>,
    /// Value, or the name of the secret that has it.
    #[field(required, length(1..=2000), pattern = r".*")]
    value: Option<Text>,
    /// Source of the value.
    pub(crate) r#type: Option<EnvironmentVariableType>,
}

/// An action of a stage.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionDeclaration {
    /// Name of the action, unique within the stage.
    #[field(required, length(1..=100), pattern = r"[A-Za-z0-9.@\-_]+")]
    pub(crate) name: Option<Text>,
    /// Type of the action.
    #[field(required)]
    pub(crate) action_type_id: Option<ActionTypeId>,
    /// Position within the stage: actions with the same number run in parallel.
    #[field(range(1..=999))]
    pub(crate) run_order: Option<i64>,
    /// Configuration, as the action type defines it.
    pub(crate) configuration: Option<Map<Text>>,
    /// Shell commands of a compute action, one line each.
    #[field(length(1..=50), each(length(1..=1000)))]
    pub(crate) commands: Option<Vec<Text>>,
    /// Artifacts that the action produces.
    pub(crate) output_artifacts: Option<Vec<OutputArtifact>>,
    /// Artifacts that the action takes.
    pub(crate) input_artifacts: Option<Vec<InputArtifact>>,
    /// Names of the environment variables that the action exports.
    #[field(length(1..=15), each(length(1..=128)))]
    pub(crate) output_variables: Option<Vec<Text>>,
    /// ARN of the role that the pipeline's role assumes for the action.
    #[field(length(..=1024), pattern = r"arn:aws(-[\w]+)*:iam::[0-9]{12}:role/.*")]
    pub(crate) role_arn: Option<Text>,
    /// Region of the action; that of the pipeline if it is not given.
    #[field(length(4..=30))]
    pub(crate) region: Option<Text>,
    /// Namespace of the variables that the action exports, unique within the pipeline.
    #[field(length(1..=100), pattern = r"[A-Za-z0-9@\-_]+")]
    pub(crate) namespace: Option<Text>,
    /// Minutes until a manual approval fails.
    #[field(range(5..=86400))]
    pub(crate) timeout_in_minutes: Option<i64>,
    /// Environment variables of the commands.
    #[field(length(1..=10))]
    pub(crate) environment_variables: Option<Vec<EnvironmentVariable>>,
}

impl ActionDeclaration {
    /// Sets what is not given to the values that the service returns.
    pub(crate) fn set_defaults(&mut self) {
        self.run_order.get_or_insert(1);
        self.configuration.get_or_insert_default();
        self.input_artifacts.get_or_insert_default();
        self.output_artifacts.get_or_insert_default();
    }

    /// Category of the action.
    pub(crate) fn category(&self) -> Option<&ActionCategory> {
        self.action_type_id.as_ref()?.category.as_ref()
    }

    /// Provider of the action.
    pub(crate) fn provider(&self) -> &str {
        self.action_type_id.as_ref().and_then(|id| id.provider.as_deref()).unwrap_or_default()
    }

    /// True if the action fetches a revision.
    pub(crate) fn is_source(&self) -> bool {
        self.category() == Some(&ActionCategory::Source)
    }
}
