//! Variables: references in configurations, and the variables that actions produce.

use super::{ActionRunRow, ExecutionRow};
use crate::pipeline::{ActionDeclaration, PipelineDeclaration};
use nephos_core::{Map, Text};

/// Namespace of the variables of the pipeline.
const PIPELINE_VARIABLES: &str = "variables";
/// Namespace of the variables that the service sets.
const SERVICE_VARIABLES: &str = "codepipeline";

/// Values that references of one execution can have.
pub(super) struct KnownVariables(Vec<(String, Text)>);

impl KnownVariables {
    /// Collects the variables of an execution, and those of its actions that succeeded and have a namespace.
    pub(super) fn new(
        execution: &ExecutionRow,
        pipeline: &PipelineDeclaration,
        runs: &[ActionRunRow],
    ) -> Self {
        let mut known = vec![(format!("{SERVICE_VARIABLES}.PipelineExecutionId"), execution.id().into())];
        for variable in execution.variables.iter().flatten() {
            let (Some(name), Some(value)) = (&variable.name, &variable.resolved_value) else { continue };
            known.push((format!("{PIPELINE_VARIABLES}.{name}"), value.clone()));
        }
        for run in runs.iter().filter(|run| run.is_current()) {
            let Some(namespace) = find_namespace(pipeline, run) else { continue };
            for (name, value) in run.output_variables.iter().flatten() {
                known.push((format!("{namespace}.{name}"), value.clone()));
            }
        }
        Self(known)
    }

    /// Replaces all references in the values of a configuration. An error is the first reference without a value.
    pub(super) fn resolve(&self, configuration: Option<&Map<Text>>) -> Result<Map<Text>, String> {
        let mut resolved = Map::default();
        for (key, value) in configuration.into_iter().flatten() {
            resolved.insert(key.clone(), self.resolve_text(value)?.into());
        }
        Ok(resolved)
    }

    fn resolve_text(&self, text: &str) -> Result<String, String> {
        let mut resolved = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find("#{") {
            let Some(length) = rest[start..].find('}') else { break };
            let name = &rest[start + 2..start + length];
            let value = self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value);
            resolved.push_str(&rest[..start]);
            resolved.push_str(value.ok_or_else(|| format!("#{{{name}}}"))?);
            rest = &rest[start + length + 1..];
        }
        resolved.push_str(rest);
        Ok(resolved)
    }
}

/// Returns the namespace of the action of a run.
fn find_namespace<'p>(pipeline: &'p PipelineDeclaration, run: &ActionRunRow) -> Option<&'p str> {
    let position = run.position();
    pipeline.all_stages().get(position.stage)?.all_actions().get(position.action)?.namespace.as_deref()
}

/// Returns the variables that a source action produces for a revision.
pub(super) fn source_variables(action: &ActionDeclaration, revision: &str, account: &str) -> Map<Text> {
    let setting = |name: &str| action.configuration.as_ref().and_then(|all| all.get(name)).cloned();
    let settings: &[(&str, &str)] = match action.provider() {
        "S3" => &[("BucketName", "S3Bucket"), ("ObjectKey", "S3ObjectKey")],
        "CodeCommit" => &[("BranchName", "BranchName"), ("RepositoryName", "RepositoryName")],
        "CodeStarSourceConnection" => &[
            ("BranchName", "BranchName"),
            ("ConnectionArn", "ConnectionArn"),
            ("FullRepositoryName", "FullRepositoryId"),
        ],
        "GitHub" => &[("BranchName", "Branch"), ("RepositoryName", "Repo")],
        "ECR" => &[("ImageTag", "ImageTag"), ("RepositoryName", "RepositoryName")],
        _ => &[],
    };
    let mut variables: Map<Text> =
        settings.iter().filter_map(|(name, key)| Some((Text::from(*name), setting(key)?))).collect();
    let revision_name = match action.provider() {
        "S3" => "VersionId",
        "ECR" => "ImageDigest",
        _ => "CommitId",
    };
    variables.insert(revision_name.into(), revision.into());
    if action.provider() == "ECR" {
        variables.insert("RegistryId".into(), account.into());
    }
    variables
}
