//! Cases: the structure of pipelines.

use super::{V2, World, plan};
use nephos_codepipeline::{Pipeline, errors};
use nephos_core::{Code, Record as _, Result};

/// Asserts that a pipeline with these replacements is refused, with this field and text.
#[track_caller]
fn refused(world: &World, replacements: &[(&str, &str)], code: &Code, field: &str, text: &str) {
    let session = world.session();
    let create = || Pipeline::objects(&session).create(&plan("web", replacements)?).wait();
    let error = world.refused(code, field, create);
    assert_eq!(error.wire_message(), text);
}

/// Asserts that a pipeline with these replacements is accepted.
#[track_caller]
fn accepted(world: &World, replacements: &[(&str, &str)]) -> Result<Pipeline> {
    let session = world.session();
    let created = Pipeline::objects(&session).create(&plan("web", replacements)?).wait()?;
    Pipeline::objects(&session).delete("web").wait()?;
    Ok(created)
}

const MANUAL: &str = r#"{"name": "Ask", "actionTypeId": {"category": "Approval", "owner": "Provider", "provider": "Manual", "version": "1"}}"#;

pub(super) fn only_the_first_stage_has_sources(world: &World) -> Result<()> {
    let text = "Pipeline should start with a stage that only contains source actions";
    let later = [(
        r#""category": "Build", "owner": "Provider", "provider": "CodeBuild""#,
        r#""category": "Source", "owner": "Provider", "provider": "S3""#,
    )];
    refused(world, &later, &errors::INVALID_STRUCTURE, "pipeline.stages[1].actions[0]", text);
    let mixed = format!(r#""actions": [{MANUAL}, {{"name": "Fetch""#);
    let first = [(r#""actions": [{"name": "Fetch""#, mixed.as_str())];
    refused(world, &first, &errors::INVALID_STRUCTURE, "pipeline.stages[0].actions[0]", text);
    Ok(())
}

pub(super) fn numbers_of_stages_and_actions_are_limited(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    let mut one = plan("web", &[])?;
    one.set_stages(one.stages().unwrap()[..1].to_vec())?;
    let error =
        world.refused(&errors::INVALID_STRUCTURE, "pipeline.stages", || pipelines.create(&one).wait());
    let text = "Pipeline has only 1 stage(s). There should be a minimum of 2 stages in a pipeline";
    assert_eq!(error.wire_message(), text);
    let mut many = plan("web", &[])?;
    let stages = many.stages().unwrap();
    let mut all = stages[..1].to_vec();
    for n in 0..50 {
        let mut stage = stages[1].clone();
        stage.set("name", format!("Build{n}"))?;
        all.push(stage);
    }
    many.set_stages(all)?;
    world.refused(&errors::INVALID_STRUCTURE, "pipeline.stages", || pipelines.create(&many).wait());
    let empty = [(
        r#""name": "Build", "actions": ["#,
        r#""name": "None", "actions": []}, {"name": "Build", "actions": ["#,
    )];
    let text = "Stage None has no actions. There should be a minimum of 1 action in a stage";
    refused(world, &empty, &errors::INVALID_STAGE, "pipeline.stages[1]", text);
    let actions = (0..50).map(|n| MANUAL.replace("Ask", &format!("Ask{n}"))).collect::<Vec<_>>().join(", ");
    let many = format!(r#""actions": [{actions}, {{"name": "Compile""#);
    let many = [(r#""actions": [{"name": "Compile""#, many.as_str())];
    let text = "Stage Build has 51 actions. There should be a maximum of 50 actions in a stage";
    refused(world, &many, &errors::INVALID_STAGE, "pipeline.stages[1]", text);
    Ok(())
}

pub(super) fn names_are_unique(world: &World) -> Result<()> {
    let stage = [(r#""name": "Build""#, r#""name": "Source""#)];
    let text = "Stage name must be unique within the pipeline. Source has been used more than once.";
    refused(world, &stage, &errors::INVALID_STRUCTURE, "pipeline.stages", text);
    let twice = format!(r#""actions": [{}, {{"name": "Compile""#, MANUAL.replace("Ask", "Compile"));
    let action = [(r#""actions": [{"name": "Compile""#, twice.as_str())];
    let text =
        "Action name must be unique within the stage. Compile has been used more than once in stage Build.";
    refused(world, &action, &errors::INVALID_STAGE, "pipeline.stages[1]", text);
    let namespaces = [
        (r#""name": "Fetch""#, r#""name": "Fetch", "namespace": "n""#),
        (r#""name": "Compile""#, r#""name": "Compile", "namespace": "n""#),
    ];
    let text = "Namespaces must be unique across the pipeline definition. The following occur more than once in the pipeline. \
                StageName=[Build], ActionName=[Compile], Namespace=[n]";
    refused(world, &namespaces, &errors::INVALID_ACTION, "pipeline.stages[1].actions[0]", text);
    Ok(())
}

pub(super) fn artifacts_are_produced_before_they_are_taken(world: &World) -> Result<()> {
    let at = "pipeline.stages[1].actions[0]";
    let twice = [(r#""name": "program""#, r#""name": "source""#)];
    let text = "Output Artifact Bundle name must be unique within the pipeline. source has been used more than once.";
    refused(world, &twice, &errors::INVALID_ACTION, at, text);
    let missing = [(r#""inputArtifacts": [{"name": "source"}]"#, r#""inputArtifacts": [{"name": "other"}]"#)];
    let text = "Input Artifact Bundle other in action Compile is not declared as Output Artifact Bundle in any of the \
                preceding actions";
    refused(world, &missing, &errors::INVALID_ACTION, at, text);
    // An action of the same run order is no earlier action, one of a lower run order is.
    let test = |order: i64| {
        let test = r#"{"name": "Test", "actionTypeId": {"category": "Test", "owner": "Provider", "provider": "CodeBuild",
            "version": "1"}, "configuration": {"ProjectName": "web"}, "inputArtifacts": [{"name": "program"}], "runOrder": "#;
        format!(r#""actions": [{test}{order}}}, {{"name": "Compile""#)
    };
    let (same, later) = (test(1), test(2));
    let from = r#""actions": [{"name": "Compile""#;
    let text = "Input Artifact Bundle program in action Test is not declared as Output Artifact Bundle in any of the \
                preceding actions";
    refused(world, &[(from, &same)], &errors::INVALID_ACTION, at, text);
    accepted(world, &[(from, &later)]).map(drop)
}

pub(super) fn actions_fit_to_their_types(world: &World) -> Result<()> {
    let at = "pipeline.stages[1].actions[0]";
    let none = [(r#""inputArtifacts": [{"name": "source"}]"#, r#""inputArtifacts": []"#)];
    let text = "Action Compile declares 0 input artifacts which is less than the minimum count (1)";
    refused(world, &none, &errors::INVALID_ACTION, at, text);
    let two = [(r#"[{"name": "source"}]}]"#, r#"[{"name": "source"}, {"name": "more"}]}]"#)];
    let text = "Action Fetch declares 2 output artifacts which is more than the maximum count (1)";
    refused(world, &two, &errors::INVALID_ACTION, "pipeline.stages[0].actions[0]", text);
    let unknown = [(r#""provider": "CodeBuild""#, r#""provider": "Jenkins""#)];
    let text = "ActionType (Category: 'Build', Provider: 'Jenkins', Owner: 'AWS', Version: '1') in action 'Compile' is not \
                available in region 'US_EAST_1'";
    refused(world, &unknown, &errors::INVALID_ACTION, at, text);
    let missing = [(r#"{"ProjectName": "web"}"#, r#"{"PrimarySource": "source"}"#)];
    let text = "Action configuration for action 'Compile' is missing required configuration 'ProjectName'";
    refused(world, &missing, &errors::INVALID_ACTION, at, text);
    let timeout = [(r#""name": "Compile""#, r#""name": "Compile", "timeoutInMinutes": 5"#)];
    let text = "Action Compile has timeoutInMinutes, which only manual approval actions can have";
    refused(world, &timeout, &errors::INVALID_ACTION, at, text);
    let source = [(r#""name": "Fetch""#, r#""name": "Fetch", "region": "eu-west-1""#)];
    let text =
        "Source action Fetch is in Region eu-west-1. Source actions must be in the Region of the pipeline";
    refused(world, &source, &errors::INVALID_ACTION, "pipeline.stages[0].actions[0]", text);
    Ok(())
}

pub(super) fn configurations_have_limits(world: &World) -> Result<()> {
    let at = "pipeline.stages[1].actions[0]";
    let long = format!(r#"{{"ProjectName": "{}"}}"#, "x".repeat(50_001));
    let text = "1 validation error detected: Value at 'pipeline.stages.2.member.actions.1.member.configuration' failed to \
                satisfy constraint: Map value must satisfy constraint: [Member must have length less than or equal to 50000, \
                Member must have length greater than or equal to 1]";
    refused(world, &[(r#"{"ProjectName": "web"}"#, &long)], &errors::VALIDATION, at, text);
    let key = format!(r#"{{"ProjectName": "web", "{}": "x"}}"#, "k".repeat(51));
    let text = "1 validation error detected: Value at 'pipeline.stages.2.member.actions.1.member.configuration' failed to \
                satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 50, Member \
                must have length greater than or equal to 1]";
    refused(world, &[(r#"{"ProjectName": "web"}"#, &key)], &errors::VALIDATION, at, text);
    Ok(())
}

pub(super) fn commands_belong_to_compute_actions(world: &World) -> Result<()> {
    let at = "pipeline.stages[1].actions[0]";
    let given = [(r#""name": "Compile""#, r#""name": "Compile", "commands": ["ls"]"#)];
    let text = "Action Compile has commands, which only actions of provider Commands can have";
    refused(world, &given, &errors::INVALID_ACTION, at, text);
    let compute = (
        r#""category": "Build", "owner": "Provider", "provider": "CodeBuild""#,
        r#""category": "Compute", "owner": "Provider", "provider": "Commands""#,
    );
    let text = "Action Compile must have a non-empty commands field";
    refused(world, &[compute], &errors::INVALID_ACTION, at, text);
    let lines = [compute, (r#""name": "Compile""#, r#""name": "Compile", "commands": ["ls\nls"]"#)];
    let text = "Action Compile has a command with several lines. Commands must be single lines";
    refused(world, &lines, &errors::INVALID_ACTION, at, text);
    let variable = r#""name": "Compile", "commands": ["ls"], "environmentVariables": [{"name": "A", "value": "b", "type": "#;
    let parameter = format!(r#"{variable}"PARAMETER_STORE"}}]"#);
    let text =
        "Environment variables of type PARAMETER_STORE are not supported; use PLAINTEXT or SECRETS_MANAGER";
    refused(world, &[compute, (r#""name": "Compile""#, &parameter)], &errors::VALIDATION, "stages", text);
    let secret = format!(r#"{variable}"SECRETS_STORE"}}]"#);
    accepted(world, &[compute, (r#""name": "Compile""#, &secret)]).map(drop)
}

pub(super) fn stores_cover_all_regions(world: &World) -> Result<()> {
    let one = r#""artifactStore": {"type": "S3", "location": "artifacts"}"#;
    let stores = |regions: &[&str]| {
        let store = |region: &&str| format!(r#""{region}": {{"type": "S3", "location": "artifacts"}}"#);
        let all: Vec<_> = regions.iter().map(store).collect();
        format!(r#""artifactStores": {{{}}}"#, all.join(", "))
    };
    let none = [(one, r#""variables": []"#)];
    let text = "Pipeline should have either artifactStore or artifactStores";
    refused(world, &none, &errors::INVALID_STRUCTURE, "pipeline.artifactStore", text);
    let both = format!("{one}, {}", stores(&["us-east-1"]));
    let text = "Pipeline should not have both artifactStore and artifactStores";
    refused(world, &[(one, &both)], &errors::INVALID_STRUCTURE, "pipeline.artifactStores", text);
    let other = stores(&["eu-west-1"]);
    let text = "Pipeline does not have an artifact store in its Region us-east-1";
    refused(world, &[(one, &other)], &errors::INVALID_STRUCTURE, "pipeline.artifactStores", text);
    let abroad = (r#""name": "Compile""#, r#""name": "Compile", "region": "eu-west-1""#);
    let text = "Action Compile is in Region eu-west-1, but the pipeline has no artifact store in this Region. Use \
                artifactStores with a store for each Region";
    refused(world, &[abroad], &errors::INVALID_STRUCTURE, "pipeline.stages[1].actions[0]", text);
    let all = stores(&["us-east-1", "eu-west-1"]);
    accepted(world, &[abroad, (one, &all)]).map(drop)
}

pub(super) fn second_type_has_variables_triggers_and_conditions(world: &World) -> Result<()> {
    let variables =
        (r#""artifactStore""#, r#""variables": [{"name": "v", "defaultValue": "1"}], "artifactStore""#);
    let text = "Variables can only be used in pipelines of type V2";
    refused(world, &[variables], &errors::INVALID_STRUCTURE, "pipeline.variables", text);
    let created = accepted(world, &[variables, V2])?;
    assert_eq!(created.variables().unwrap()[0].default_value(), Some("1"));
    let twice = (r#""artifactStore""#, r#""variables": [{"name": "v"}, {"name": "v"}], "artifactStore""#);
    let text = "Variable name must be unique within the pipeline. v has been used more than once.";
    refused(world, &[twice, V2], &errors::INVALID_STRUCTURE, "pipeline.variables", text);
    let mode = (r#""artifactStore""#, r#""executionMode": "PARALLEL", "artifactStore""#);
    let text = "Execution modes QUEUED and PARALLEL can only be used in pipelines of type V2";
    refused(world, &[mode], &errors::INVALID_STRUCTURE, "pipeline.executionMode", text);
    let rule = r#"{"name": "r", "ruleTypeId": {"category": "Rule", "owner": "Provider", "provider": "DeploymentWindow", "version": "1"}}"#;
    let condition = |rules: &str| {
        format!(
            r#""name": "Build", "onSuccess": {{"conditions": [{{"result": "FAIL", "rules": [{rules}]}}]}}"#
        )
    };
    let one = condition(rule);
    let text = "Stage conditions can only be used in pipelines of type V2";
    refused(world, &[(r#""name": "Build""#, &one)], &errors::INVALID_STRUCTURE, "pipeline.stages[1]", text);
    accepted(world, &[(r#""name": "Build""#, &one), V2])?;
    let twice = condition(&format!("{rule}, {rule}"));
    let text =
        "Rule name must be unique within the condition. r has been used more than once in stage Build.";
    refused(world, &[(r#""name": "Build""#, &twice), V2], &errors::INVALID_STAGE, "pipeline.stages[1]", text);
    let retry = (
        r#""name": "Build""#,
        r#""name": "Build", "onFailure": {"result": "FAIL", "retryConfiguration": {"retryMode": "ALL_ACTIONS"}}"#,
    );
    let text = "Stage Build has a retryConfiguration, but the result of onFailure is not RETRY";
    refused(world, &[retry, V2], &errors::INVALID_STAGE, "pipeline.stages[1]", text);
    Ok(())
}

pub(super) fn triggers_name_connections(world: &World) -> Result<()> {
    let trigger = r#"{"providerType": "CodeStarSourceConnection", "gitConfiguration": {"sourceActionName": "Fetch",
        "push": [{"branches": {"includes": ["main"]}}]}}"#;
    let one = format!(r#""triggers": [{trigger}], "artifactStore""#);
    let at = "pipeline.triggers[0].gitConfiguration";
    let text = "Trigger refers to Fetch, which is not a source action of provider CodeStarSourceConnection";
    refused(world, &[V2, (r#""artifactStore""#, &one)], &errors::INVALID_STRUCTURE, at, text);
    let connection = [
        (r#""provider": "S3""#, r#""provider": "CodeStarSourceConnection""#),
        (
            r#""S3Bucket": "sources", "S3ObjectKey": "web.zip""#,
            r#""ConnectionArn": "arn", "FullRepositoryId": "acme/web", "BranchName": "main""#,
        ),
        V2,
    ];
    let with = |text: &str| {
        let mut all = connection.to_vec();
        all.push((r#""artifactStore""#, Box::leak(text.to_owned().into_boxed_str())));
        all
    };
    accepted(world, &with(&one))?;
    let two = format!(r#""triggers": [{trigger}, {trigger}], "artifactStore""#);
    let text = "Source action Fetch has more than one trigger";
    refused(world, &with(&two), &errors::INVALID_STRUCTURE, "pipeline.triggers[1].gitConfiguration", text);
    let tags = one.replace(r#""branches""#, r#""tags": {"includes": ["v*"]}, "branches""#);
    let text = "A push filter can have either tags, or branches and file paths";
    refused(world, &with(&tags), &errors::INVALID_STRUCTURE, at, text);
    Ok(())
}
