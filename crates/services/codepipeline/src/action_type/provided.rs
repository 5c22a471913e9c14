//! Action types of the provider and its partners, as a table.

use super::{ActionConfigurationProperty, ActionType, ArtifactDetails};
use crate::pipeline::{
    ActionCategory::{self, Approval, Build, Compute, Deploy, Invoke, Source, Test},
    ActionOwner::{self, Provider, ThirdParty},
    ActionTypeId,
};
use nephos_core::{Text, field_value::FieldType};

/// Version of all provided action types.
const VERSION: &str = "1";

/// A provided action type.
pub(crate) struct ProvidedType {
    category: ActionCategory,
    owner: ActionOwner,
    provider: &'static str,
    /// Minimum and maximum number of input artifacts.
    inputs: (i64, i64),
    /// Minimum and maximum number of output artifacts.
    outputs: (i64, i64),
    /// Names of the properties that actions must have; a `!` follows the name of a secret one.
    required: &'static [&'static str],
    /// Names of the other properties.
    optional: &'static [&'static str],
}

/// Makes the table: owner, category, provider, numbers of inputs and outputs, required and optional properties.
macro_rules! provided {
    ($($owner:ident $category:ident $provider:literal $inputs:tt -> $outputs:tt, [$($required:literal),*] [$($optional:literal),*];)+) => {
        pub(crate) static TYPES: &[ProvidedType] = &[$(ProvidedType {
            category: $category,
            owner: $owner,
            provider: $provider,
            inputs: $inputs,
            outputs: $outputs,
            required: &[$($required),*],
            optional: &[$($optional),*],
        }),+];
    };
}

provided! {
    Provider Approval "Manual" (0, 0) -> (0, 0), [] ["NotificationArn", "ExternalEntityLink", "CustomData"];
    Provider Build "CodeBuild" (1, 5) -> (0, 5), ["ProjectName"]
        ["PrimarySource", "BatchEnabled", "CombineArtifacts", "EnvironmentVariables", "BuildspecOverride"];
    Provider Build "ECRBuildAndPublish" (1, 1) -> (0, 1), ["ECRRepositoryName"] ["DockerFilePath", "ImageTags", "RegistryType"];
    Provider Compute "Commands" (1, 10) -> (0, 1), [] [];
    Provider Deploy "AppConfig" (1, 1) -> (0, 0), ["Application", "Environment", "ConfigurationProfile", "InputArtifactConfigurationPath"]
        ["DeploymentStrategy"];
    Provider Deploy "CloudFormation" (0, 10) -> (0, 1), ["ActionMode", "StackName"]
        ["Capabilities", "ChangeSetName", "OutputFileName", "ParameterOverrides", "RoleArn", "TemplateConfiguration", "TemplatePath"];
    Provider Deploy "CloudFormationStackInstances" (0, 10) -> (0, 1), ["StackSetName", "Regions"]
        ["DeploymentTargets", "ParameterOverrides", "FailureTolerancePercentage", "MaxConcurrentPercentage", "CallAs"];
    Provider Deploy "CloudFormationStackSet" (1, 10) -> (0, 1), ["StackSetName", "TemplatePath"]
        ["Description", "Parameters", "Capabilities", "PermissionModel", "AdministrationRoleArn", "ExecutionRoleName",
        "OrganizationsAutoDeployment", "DeploymentTargets", "Regions", "FailureTolerancePercentage", "MaxConcurrentPercentage", "CallAs"];
    Provider Deploy "CodeDeploy" (1, 1) -> (0, 0), ["ApplicationName", "DeploymentGroupName"] [];
    Provider Deploy "CodeDeployToECS" (1, 5) -> (0, 0), ["ApplicationName", "DeploymentGroupName"]
        ["AppSpecTemplateArtifact", "AppSpecTemplatePath", "TaskDefinitionTemplateArtifact", "TaskDefinitionTemplatePath",
        "Image1ArtifactName", "Image1ContainerName", "Image2ArtifactName", "Image2ContainerName"];
    Provider Deploy "ECS" (1, 1) -> (0, 0), ["ClusterName", "ServiceName"] ["FileName", "DeploymentTimeout"];
    Provider Deploy "ElasticBeanstalk" (1, 1) -> (0, 0), ["ApplicationName", "EnvironmentName"] [];
    Provider Deploy "OpsWorks" (1, 1) -> (0, 0), ["App", "Stack"] ["Layer"];
    Provider Deploy "S3" (1, 1) -> (0, 0), ["BucketName", "Extract"] ["ObjectKey", "KMSEncryptionKeyARN", "CannedACL", "CacheControl"];
    Provider Deploy "ServiceCatalog" (1, 1) -> (0, 0), ["ProductId"]
        ["ProductType", "ProductVersionName", "ProductVersionDescription", "TemplateFilePath", "ConfigurationFilePath"];
    Provider Invoke "Lambda" (0, 5) -> (0, 5), ["FunctionName"] ["UserParameters"];
    Provider Invoke "StepFunctions" (0, 1) -> (0, 1), ["StateMachineArn"] ["ExecutionNamePrefix", "InputType", "Input"];
    Provider Source "CodeCommit" (0, 0) -> (1, 1), ["RepositoryName", "BranchName"] ["PollForSourceChanges", "OutputArtifactFormat"];
    Provider Source "CodeStarSourceConnection" (0, 0) -> (1, 1), ["ConnectionArn", "FullRepositoryId", "BranchName"]
        ["OutputArtifactFormat", "DetectChanges"];
    Provider Source "ECR" (0, 0) -> (1, 1), ["RepositoryName"] ["ImageTag"];
    Provider Source "S3" (0, 0) -> (1, 1), ["S3Bucket", "S3ObjectKey"] ["PollForSourceChanges", "AllowOverrideForS3ObjectKey"];
    Provider Test "CodeBuild" (1, 5) -> (0, 5), ["ProjectName"]
        ["PrimarySource", "BatchEnabled", "CombineArtifacts", "EnvironmentVariables", "BuildspecOverride"];
    Provider Test "DeviceFarm" (1, 1) -> (0, 0), ["ProjectId", "DevicePoolArn", "AppType", "TestType"]
        ["App", "Test", "FuzzEventCount", "FuzzEventThrottle", "RecordVideo", "RecordAppPerformanceData"];
    ThirdParty Deploy "AlexaSkillsKit" (1, 2) -> (0, 0), ["ClientId", "ClientSecret!", "RefreshToken!", "SkillId"] [];
    ThirdParty Source "GitHub" (0, 0) -> (1, 1), ["Owner", "Repo", "Branch", "OAuthToken!"] ["PollForSourceChanges"];
}

impl ProvidedType {
    /// Returns the type as a model.
    pub(crate) fn to_model(&self) -> ActionType {
        let required = self.required.iter().map(|name| property(name, true));
        let properties = required.chain(self.optional.iter().map(|name| property(name, false))).collect();
        let mut model = ActionType::blank();
        model.id = Some(ActionTypeId {
            category: Some(self.category.clone()),
            owner: Some(self.owner.clone()),
            provider: Some(self.provider.into()),
            version: Some(VERSION.into()),
        });
        model.action_configuration_properties = Some(properties);
        model.input_artifact_details = Some(counts(self.inputs));
        model.output_artifact_details = Some(counts(self.outputs));
        model
    }
}

fn counts((minimum, maximum): (i64, i64)) -> ArtifactDetails {
    ArtifactDetails { minimum_count: Some(minimum), maximum_count: Some(maximum) }
}

pub(crate) fn property(name: &str, required: bool) -> ActionConfigurationProperty {
    let is_secret = name.ends_with('!');
    let mut property = ActionConfigurationProperty::blank();
    property.name = Some(Text::from(name.trim_end_matches('!')));
    property.required = Some(required);
    property.key = Some(required && !is_secret);
    property.secret = Some(is_secret);
    property.queryable = Some(false);
    property
}

/// Finds a provided type.
pub(crate) fn find(id: &ActionTypeId) -> Option<ActionType> {
    let same = |one: &&ProvidedType| {
        Some(&one.category) == id.category.as_ref()
            && Some(&one.owner) == id.owner.as_ref()
            && Some(one.provider) == id.provider.as_deref()
            && Some(VERSION) == id.version.as_deref()
    };
    TYPES.iter().find(same).map(ProvidedType::to_model)
}
