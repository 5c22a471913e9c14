//! The form of action types that are made for customers of a provider.

use super::{ActionType, ActionTypeSettings, provided};
use crate::{
    errors,
    pipeline::{ActionCategory, ActionOwner, ActionTypeId},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Error, Record, Result, Text, choices, field_value::FieldType, operation};

choices! {
    /// Type of an executor.
    pub enum ExecutorType {
        /// A worker that polls for jobs.
        JobWorker = "JobWorker",
        /// A function.
        Lambda = "Lambda",
    }
}

/// Function that runs actions.
#[derive(Record)]
#[record(case = "camel")]
pub struct LambdaExecutorConfiguration {
    /// ARN of the function.
    #[field(required, length(1..=140), pattern = r"arn:aws(-[\w]+)*:lambda:.+:[0-9]{12}:function:.+")]
    lambda_function_arn: Option<Text>,
}

/// Workers that poll for jobs.
#[derive(Record)]
#[record(case = "camel")]
pub struct JobWorkerExecutorConfiguration {
    /// Accounts of the workers.
    #[field(length(1..=1000), each(pattern = r"[0-9]{12}"))]
    polling_accounts: Option<Vec<Text>>,
    /// Service principals of the workers.
    #[field(length(1..=10), each(length(1..=128)))]
    polling_service_principals: Option<Vec<Text>>,
}

/// Configuration of an executor.
#[derive(Record)]
#[record(case = "camel")]
pub struct ExecutorConfiguration {
    /// Function that runs the actions.
    lambda_executor_configuration: Option<LambdaExecutorConfiguration>,
    /// Workers that run the actions.
    job_worker_executor_configuration: Option<JobWorkerExecutorConfiguration>,
}

/// Executor of the actions of a type.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionTypeExecutor {
    /// Configuration.
    #[field(required)]
    configuration: Option<ExecutorConfiguration>,
    /// Type.
    #[field(required)]
    r#type: Option<ExecutorType>,
    /// Statements of a policy that the actions need.
    #[field(length(1..=2048))]
    policy_statements_template: Option<Text>,
    /// Seconds until a job fails.
    #[field(range(60..=43200))]
    job_timeout: Option<i64>,
}

/// Accounts that can use a type.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionTypePermissions {
    /// Accounts; `*` for all.
    #[field(required, length(1..=1000), each(pattern = r"[0-9]{12}|\*"))]
    allowed_accounts: Option<Vec<Text>>,
}

/// A property of the configuration of actions.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionTypeProperty {
    /// Name.
    #[field(required, length(1..=50))]
    name: Option<Text>,
    /// True if actions may leave it out.
    #[field(required)]
    optional: Option<bool>,
    /// True if it identifies the resource that an action uses.
    #[field(required)]
    key: Option<bool>,
    /// True if its value is never returned.
    #[field(required)]
    no_echo: Option<bool>,
    /// True if job workers can ask for jobs by its value.
    queryable: Option<bool>,
    /// Description.
    #[field(length(1..=250))]
    description: Option<Text>,
}

/// Addresses that the console shows.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionTypeUrls {
    /// Address of a page to configure the service that runs the actions.
    #[field(length(1..=2048))]
    configuration_url: Option<Text>,
    /// Template of the address of the resource that an action uses.
    #[field(like = ActionTypeSettings::entity_url_template)]
    entity_url_template: Option<Text>,
    /// Template of the address of an execution of an action.
    #[field(like = ActionTypeSettings::execution_url_template)]
    execution_url_template: Option<Text>,
    /// Template of the address of a page to change the configuration.
    #[field(like = ActionTypeSettings::revision_url_template)]
    revision_url_template: Option<Text>,
}

/// Numbers of artifacts that actions of a type take or produce.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionTypeArtifactDetails {
    /// Minimum number.
    #[field(required, range(0..=10))]
    minimum_count: Option<i64>,
    /// Maximum number.
    #[field(required, range(0..=10))]
    maximum_count: Option<i64>,
}

/// Identity of an action type that the provider or a partner owns.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionTypeIdentifier {
    /// Category.
    #[field(required)]
    category: Option<ActionCategory>,
    /// Owner: `AWS` or `ThirdParty`.
    #[field(required, pattern = r"AWS|ThirdParty")]
    owner: Option<Text>,
    /// Provider.
    #[field(required, like = ActionTypeId::provider)]
    provider: Option<Text>,
    /// Version.
    #[field(required, like = ActionTypeId::version)]
    version: Option<Text>,
}

/// An action type for customers of a provider.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionTypeDeclaration {
    /// Description.
    #[field(length(1..=1024))]
    pub(super) description: Option<Text>,
    /// Executor of the actions.
    #[field(required)]
    pub(super) executor: Option<ActionTypeExecutor>,
    /// Identity.
    #[field(required)]
    id: Option<ActionTypeIdentifier>,
    /// Numbers of artifacts that actions take.
    #[field(required)]
    input_artifact_details: Option<ActionTypeArtifactDetails>,
    /// Numbers of artifacts that actions produce.
    #[field(required)]
    output_artifact_details: Option<ActionTypeArtifactDetails>,
    /// Accounts that can use the type.
    pub(super) permissions: Option<ActionTypePermissions>,
    /// Properties of the configuration.
    #[field(length(..=10))]
    pub(super) properties: Option<Vec<ActionTypeProperty>>,
    /// Addresses that the console shows.
    pub(super) urls: Option<ActionTypeUrls>,
}

impl From<ActionType> for ActionTypeDeclaration {
    fn from(model: ActionType) -> Self {
        let id = model.id.clone().unwrap_or_else(ActionTypeId::blank);
        let counts = |details: Option<super::ArtifactDetails>| {
            details.map(|details| ActionTypeArtifactDetails {
                minimum_count: details.minimum_count,
                maximum_count: details.maximum_count,
            })
        };
        let property = |one: &super::ActionConfigurationProperty| ActionTypeProperty {
            name: one.name.clone(),
            optional: one.required.map(|required| !required),
            key: one.key,
            no_echo: one.secret,
            queryable: one.queryable,
            description: one.description.clone(),
        };
        let worker = JobWorkerExecutorConfiguration {
            polling_accounts: None,
            polling_service_principals: Some(vec!["codepipeline.amazonaws.com".into()]),
        };
        let configuration = ExecutorConfiguration {
            lambda_executor_configuration: None,
            job_worker_executor_configuration: Some(worker),
        };
        let properties = model.properties_list().iter().map(property).collect();
        let executor = ActionTypeExecutor {
            configuration: Some(configuration),
            r#type: Some(ExecutorType::JobWorker),
            policy_statements_template: None,
            job_timeout: None,
        };
        let permissions = ActionTypePermissions { allowed_accounts: Some(vec!["*".into()]) };
        Self {
            description: model.description,
            executor: model.executor.or(Some(executor)),
            properties: model.properties.or(Some(properties)),
            id: Some(ActionTypeIdentifier {
                category: id.category,
                owner: id.owner.map(|owner| owner_on_wire(&owner).into()),
                provider: id.provider,
                version: id.version,
            }),
            input_artifact_details: counts(model.input_artifact_details),
            output_artifact_details: counts(model.output_artifact_details),
            permissions: model.permissions.or(Some(permissions)),
            urls: model.urls,
        }
    }
}

/// Name of an owner on the wire.
pub(crate) fn owner_on_wire(owner: &ActionOwner) -> &str {
    match owner {
        ActionOwner::Provider => "AWS",
        ActionOwner::ThirdParty => "ThirdParty",
        ActionOwner::Custom => "Custom",
        ActionOwner::Unknown(other) => other,
    }
}

/// Returns an action type of the provider or a partner.
#[operation(
    of = ActionType, case = "camel", wraps(action_type: ActionTypeDeclaration), effect = read,
    subject = "*"
)]
pub struct GetActionType {
    /// Category.
    pub category: ActionCategory,
    /// Owner: `AWS` or `ThirdParty`.
    #[field(like = ActionTypeIdentifier::owner)]
    pub owner: Text,
    /// Provider.
    #[field(like = ActionTypeId::provider)]
    pub provider: Text,
    /// Version.
    #[field(like = ActionTypeId::version)]
    pub version: Text,
}

impl Handler for GetActionType {
    fn run(self, _cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = if self.owner == "AWS" { ActionOwner::Provider } else { ActionOwner::ThirdParty };
        let id = ActionTypeId {
            category: Some(self.category),
            owner: Some(owner),
            provider: Some(self.provider),
            version: Some(self.version),
        };
        let found = provided::find(&id).ok_or_else(|| not_found(&id))?;
        Ok(ActionTypeDeclaration::from(found).into())
    }
}

/// Error for an action type that does not exist, or that the account does not own.
pub(crate) fn not_found(id: &ActionTypeId) -> Error {
    let category = id.category.as_ref().map(ToString::to_string).unwrap_or_default();
    let owner = id.owner.as_ref().map(owner_on_wire).unwrap_or_default();
    let provider = id.provider.as_deref().unwrap_or_default();
    let version = id.version.as_deref().unwrap_or_default();
    errors::action_type_not_found(category, owner, provider, version)
}

/// Replaces an action type for customers of a provider, which the account must own. Accounts get these types from the provider,
/// which has given none here: every update is refused.
#[operation(
    of = ActionType, case = "camel", effect = write,
    subject = "actiontype:{actionType.id.owner}/{actionType.id.category}/{actionType.id.provider}/{actionType.id.version}"
)]
pub struct UpdateActionType {
    /// The action type.
    pub action_type: ActionTypeDeclaration,
}

impl Handler for UpdateActionType {
    fn run(self, _cx: &mut Tx<'_>) -> Result<Empty> {
        let given = self.action_type.id;
        let owner = match given.as_ref().and_then(|id| id.owner.as_deref()) {
            Some("AWS") => ActionOwner::Provider,
            _ => ActionOwner::ThirdParty,
        };
        let id = ActionTypeId {
            category: given.as_ref().and_then(|id| id.category.clone()),
            owner: Some(owner),
            provider: given.as_ref().and_then(|id| id.provider.clone()),
            version: given.and_then(|id| id.version),
        };
        Err(not_found(&id).with_field("actionType.id"))
    }
}
