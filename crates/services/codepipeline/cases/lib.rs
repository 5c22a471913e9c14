//! Behaviour cases: delivery pipelines.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the case")]

mod action_types;
mod conditions;
mod executions;
mod jobs;
mod laws;
mod pipelines;
mod structure;
mod tags;
mod transitions;
mod webhook_requests;
mod webhooks;

use nephos_codepipeline::Pipeline;
use nephos_core::{Record, Result, Session};

pub use laws::LAWS;

nephos_testing::world!(nephos_codepipeline::CODEPIPELINE);

nephos_testing::cases! {
    "codepipeline", World;
    action_types {
        custom_type_is_created_listed_and_deleted,
        custom_types_are_checked,
        deleted_version_keeps_its_definition,
        details_are_for_types_of_a_provider,
        model_of_a_type_is_saved_and_deletes_itself,
        provided_types_are_found,
        secrets_of_custom_types_are_masked,
        types_of_the_provider_cannot_be_updated,
    }
    conditions {
        entry_condition_fails_or_skips_the_stage,
        failed_condition_is_overridden,
        failure_condition_rolls_back_if_it_is_not_met,
        met_condition_changes_nothing,
        success_condition_rolls_back,
        waiting_rule_keeps_the_stage,
    }
    executions {
        abandoned_actions_stop_at_once,
        creation_starts_an_execution,
        execution_keeps_its_version,
        executions_are_filtered_by_stage,
        failed_action_ends_the_execution,
        newer_execution_supersedes_the_one_that_waits,
        outcomes_are_for_stages_and_actions_that_exist,
        parallel_executions_share_stages,
        pipelines_have_calls_for_executions,
        queued_executions_wait_for_each_other,
        references_are_resolved,
        revisions_can_be_chosen,
        runs_have_artifacts_and_variables,
        start_is_idempotent_and_checked,
        stopped_execution_waits_for_its_actions,
        unresolved_reference_fails_the_action,
    }
    jobs {
        job_is_continued_by_another,
        jobs_are_selected,
        partners_end_their_actions,
        reported_revision_starts_an_execution,
        worker_ends_a_custom_action,
        worker_fails_a_custom_action,
    }
    pipelines {
        created_pipeline_is_returned_by_get,
        defaults_are_filled_in,
        duplicate_name_is_refused,
        earlier_versions_are_kept,
        executions_have_no_names,
        missing_pipeline_is_not_found,
        pipelines_are_listed_by_name,
        save_sends_what_changed,
        secrets_are_masked_and_kept,
        version_of_a_caller_is_not_used,
    }
    structure {
        actions_fit_to_their_types,
        artifacts_are_produced_before_they_are_taken,
        commands_belong_to_compute_actions,
        configurations_have_limits,
        names_are_unique,
        numbers_of_stages_and_actions_are_limited,
        only_the_first_stage_has_sources,
        second_type_has_variables_triggers_and_conditions,
        stores_cover_all_regions,
        triggers_name_connections,
    }
    tags {
        invalid_tags_are_refused,
        listed_pipeline_fetches_and_saves_its_tags,
        stages_have_the_tags_of_their_pipeline,
        tags_are_added_listed_and_removed,
    }
    transitions {
        approval_lets_the_execution_continue,
        approval_times_out,
        changed_pipeline_is_not_retried,
        disabled_transition_keeps_executions_waiting,
        failed_stage_is_retried,
        failed_stage_is_retried_by_itself_once,
        failed_stage_is_rolled_back_by_itself,
        rollback_enters_before_others,
        rollback_is_about_one_stage,
        stage_is_rolled_back,
    }
    webhook_requests {
        request_starts_the_pipeline,
        requests_are_authenticated,
    }
    webhooks {
        webhook_is_put_listed_registered_and_deleted,
        webhooks_are_checked,
    }
}

/// Structure of a pipeline with a source in a bucket and a build.
const STRUCTURE: &str = r#"{"name": "web", "roleArn": "arn:aws:iam::210987654321:role/pipelines",
    "artifactStore": {"type": "S3", "location": "artifacts"}, "stages": [
    {"name": "Source", "actions": [{"name": "Fetch",
        "actionTypeId": {"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"},
        "configuration": {"S3Bucket": "sources", "S3ObjectKey": "web.zip"}, "outputArtifacts": [{"name": "source"}]}]},
    {"name": "Build", "actions": [{"name": "Compile",
        "actionTypeId": {"category": "Build", "owner": "Provider", "provider": "CodeBuild", "version": "1"},
        "configuration": {"ProjectName": "web"}, "inputArtifacts": [{"name": "source"}],
        "outputArtifacts": [{"name": "program"}]}]}]}"#;

/// Name of the second stage.
const BUILD_STAGE: &str = "Build";

/// Replacement that makes a pipeline one of the second type.
const V2: (&str, &str) = (r#""artifactStore""#, r#""pipelineType": "V2", "artifactStore""#);

/// Returns the model of a pipeline, with replacements in its structure.
fn plan(name: &str, replacements: &[(&str, &str)]) -> Result<Pipeline> {
    let mut text = STRUCTURE.replace(r#""name": "web""#, &format!(r#""name": "{name}""#));
    for (from, to) in replacements {
        assert!(text.contains(from), "{from} is not in the structure");
        text = text.replacen(from, to, 1);
    }
    Pipeline::from_json(&text)
}

/// Creates a pipeline.
fn create(session: &Session, name: &str) -> Result<Pipeline> {
    Pipeline::objects(session).create(&plan(name, &[])?).wait()
}

/// Returns the pipeline `name`, which must exist.
#[track_caller]
fn existing(session: &Session, name: &str) -> Result<Pipeline> {
    let found = Pipeline::objects(session).get(name).wait()?;
    Ok(found.unwrap_or_else(|| panic!("pipeline {name} does not exist")))
}
