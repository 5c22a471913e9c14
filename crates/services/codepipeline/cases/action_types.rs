//! Cases: action types.

use super::{World, plan};
use nephos_codepipeline::{
    ActionCategory, ActionOwner, ActionType, ActionTypeDeclaration, Pipeline, UpdateActionType, errors,
};
use nephos_core::{Record, Resource as _, Result};
use nephos_testing::ask;

/// A custom action type with a secret property.
const JENKINS: &str = r#"{"id": {"category": "Build", "owner": "Custom", "provider": "Jenkins", "version": "1"},
    "inputArtifactDetails": {"minimumCount": 0, "maximumCount": 5},
    "outputArtifactDetails": {"minimumCount": 0, "maximumCount": 5},
    "actionConfigurationProperties": [
        {"name": "Project", "required": true, "key": true, "secret": false, "queryable": true},
        {"name": "Password", "required": false, "key": false, "secret": true}]}"#;

fn jenkins(replacements: &[(&str, &str)]) -> Result<ActionType> {
    let text = replacements.iter().fold(JENKINS.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from} is not in the type");
        text.replacen(from, to, 1)
    });
    ActionType::from_json(&text)
}

pub(super) fn provided_types_are_found(world: &World) -> Result<()> {
    let types = ActionType::objects(&world.session());
    let get = |category, owner, provider| types.get(category, owner, provider, "1").wait();
    let github = get(ActionCategory::Source, ActionOwner::ThirdParty, "GitHub")?.unwrap();
    let secret: Vec<_> =
        github.properties().unwrap().iter().filter(|one| one.no_echo() == Some(true)).collect();
    assert_eq!(secret[0].name(), Some("OAuthToken"));
    assert!(get(ActionCategory::Deploy, ActionOwner::Provider, "CodeBuild")?.is_none());
    let all = types.list().action_owner_filter(ActionOwner::Provider).results().all().wait()?;
    let has = |provider: &str| all.iter().any(|one| one.id().unwrap().provider() == Some(provider));
    assert!(has("CodeBuild") && has("Manual") && !has("GitHub"));
    Ok(())
}

pub(super) fn custom_type_is_created_listed_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let types = ActionType::objects(&session);
    let created = types.create(&jenkins(&[])?).wait()?;
    assert_eq!(created.id().unwrap().owner(), Some(&ActionOwner::Custom));
    types.create(&jenkins(&[])?).wait()?;
    let found = types.get(ActionCategory::Build, ActionOwner::Custom, "Jenkins", "1").wait()?;
    assert_eq!(found.as_ref(), Some(&created));
    let custom = types.list().action_owner_filter(ActionOwner::Custom).results().all().wait()?;
    assert_eq!(custom, [created]);
    types.delete(ActionCategory::Build, "Jenkins", "1").wait()?;
    assert!(types.get(ActionCategory::Build, ActionOwner::Custom, "Jenkins", "1").wait()?.is_none());
    types.delete(ActionCategory::Build, "Jenkins", "1").wait()
}

pub(super) fn deleted_version_keeps_its_definition(world: &World) -> Result<()> {
    let session = world.session();
    let types = ActionType::objects(&session);
    types.create(&jenkins(&[])?).wait()?;
    types.delete(ActionCategory::Build, "Jenkins", "1").wait()?;
    let other = jenkins(&[(r#""Project""#, r#""Job""#)])?;
    let error = world.refused(&errors::ACTION_TYPE_EXISTS, "version", || types.create(&other).wait());
    let text = "ActionType (Category: 'Build', Provider: 'Jenkins', Owner: 'Custom', Version: '1') already exists with a \
                different definition";
    assert_eq!(error.wire_message(), text);
    types.create(&jenkins(&[])?).wait().map(drop)
}

pub(super) fn custom_types_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    let create =
        |replacements: &[(&str, &str)]| ActionType::objects(&session).create(&jenkins(replacements)?).wait();
    let properties = "configurationProperties";
    let same = [(r#""Password""#, r#""Project""#)];
    world.refused(&errors::VALIDATION, properties, || create(&same));
    let two = [(
        r#""required": false, "key": false, "secret": true"#,
        r#""required": true, "key": false, "secret": false, "queryable": true"#,
    )];
    world.refused(&errors::VALIDATION, properties, || create(&two));
    let optional = [(r#""required": true"#, r#""required": false"#)];
    world.refused(&errors::VALIDATION, properties, || create(&optional));
    let reversed = [(r#""minimumCount": 0, "maximumCount": 5"#, r#""minimumCount": 3, "maximumCount": 2"#)];
    world.refused(&errors::VALIDATION, "inputArtifactDetails", || create(&reversed));
    Ok(())
}

pub(super) fn secrets_of_custom_types_are_masked(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    let custom =
        (r#""owner": "Provider", "provider": "CodeBuild""#, r#""owner": "Custom", "provider": "Jenkins""#);
    let configured = (r#"{"ProjectName": "web"}"#, r#"{"Project": "web", "Password": "hunter2"}"#);
    let create = |replacements: &[(&str, &str)]| pipelines.create(&plan("web", replacements)?).wait();
    let at = "pipeline.stages[1].actions[0]";
    world.refused(&errors::INVALID_ACTION, at, || create(&[custom, configured]));
    ActionType::objects(&session).create(&jenkins(&[])?).wait()?;
    let error = world.refused(&errors::INVALID_ACTION, at, || {
        create(&[custom, (configured.0, r#"{"Project": "web", "Colour": "red"}"#)])
    });
    let text = "Action configuration for action 'Compile' contains unknown configuration 'Colour'";
    assert_eq!(error.wire_message(), text);
    let created = create(&[custom, configured])?;
    let configuration = created.stages().unwrap()[1].actions().unwrap()[0].configuration().unwrap();
    assert_eq!(configuration.get("Password").map(|text| text.as_str()), Some("****"));
    assert_eq!(configuration.get("Project").map(|text| text.as_str()), Some("web"));
    Ok(())
}

pub(super) fn model_of_a_type_is_saved_and_deletes_itself(world: &World) -> Result<()> {
    let session = world.session();
    let types = ActionType::objects(&session);
    let custom = || types.list().action_owner_filter(ActionOwner::Custom).results();
    let mut built = jenkins(&[])?;
    assert!(!built.is_saved());
    built.set_session(session.clone());
    built.save().wait()?;
    assert!(built.is_saved() && built.changed().is_empty());
    assert!(built.name().unwrap_err().is_value_error(), "action types have no names");
    let found = types.get(ActionCategory::Build, ActionOwner::Custom, "Jenkins", "1").wait()?.unwrap();
    assert_eq!(found.wait_until(|_| true).at_most(1).wait()?, built);
    for model in [found, custom().first().wait()?.unwrap()] {
        assert!(model.is_saved());
        model.delete().wait()?;
        assert_eq!(custom().count().wait()?, 0);
        types.create(&built).wait()?;
    }
    built.delete().wait()?;
    assert_eq!(custom().count().wait()?, 0);
    Ok(())
}

pub(super) fn details_are_for_types_of_a_provider(world: &World) -> Result<()> {
    let session = world.session();
    let types = ActionType::objects(&session);
    let mut custom = jenkins(&[])?;
    custom.set_description("builds")?;
    world.refused(&errors::VALIDATION, "description", || types.create(&custom).wait());
    let mut custom = types.create(&jenkins(&[])?).wait()?;
    custom.set_description("builds")?;
    world.refused(&errors::VALIDATION, "id.owner", || types.update(&custom).wait());
    world.refused(&errors::VALIDATION, "id.owner", || custom.save().wait());
    let mut provided =
        types.get(ActionCategory::Build, ActionOwner::Provider, "CodeBuild", "1").wait()?.unwrap();
    provided.set_description("builds")?;
    world.refused(&errors::ACTION_TYPE_NOT_FOUND, "actionType.id", || types.update(&provided).wait());
    provided.clear_executor()?;
    world.refused(&errors::VALIDATION, "executor", || types.update(&provided).wait());
    Ok(())
}

pub(super) fn types_of_the_provider_cannot_be_updated(world: &World) -> Result<()> {
    let session = world.session();
    let declaration = ActionTypeDeclaration::from_json(
        r#"{"id": {"category": "Build", "owner": "AWS", "provider": "CodeBuild", "version": "1"},
        "executor": {"type": "JobWorker", "configuration": {}},
        "inputArtifactDetails": {"minimumCount": 0, "maximumCount": 1},
        "outputArtifactDetails": {"minimumCount": 0, "maximumCount": 1}}"#,
    )?;
    world.refused(&errors::ACTION_TYPE_NOT_FOUND, "actionType.id", || {
        ask(&session, UpdateActionType::new(declaration.clone()))
    });
    Ok(())
}
