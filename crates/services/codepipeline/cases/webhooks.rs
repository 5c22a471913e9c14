//! Cases: webhooks.

use super::{World, create};
use nephos_codepipeline::{Pipeline, WebhookDefinition, errors};
use nephos_core::{Record, Result};

const WEBHOOK: &str = r#"{"name": "push", "targetPipeline": "web", "targetAction": "Fetch",
    "filters": [{"jsonPath": "$.ref", "matchEquals": "refs/heads/{Branch}"}], "authentication": "GITHUB_HMAC",
    "authenticationConfiguration": {"SecretToken": "hunter2"}}"#;

fn webhook(from: &str, to: &str) -> Result<WebhookDefinition> {
    assert!(WEBHOOK.contains(from), "{from} is not in the webhook");
    WebhookDefinition::from_json(WEBHOOK.replacen(from, to, 1))
}

pub(super) fn webhook_is_put_listed_registered_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    create(&session, "web")?;
    let put = pipelines.put_webhook(webhook("push", "push")?).wait()?;
    assert_eq!(put.arn(), Some("arn:aws:codepipeline:us-east-1:123456789012:webhook:push"));
    let settings = put.definition().unwrap().authentication_configuration().unwrap();
    assert_eq!(settings.secret_token(), Some("****"));
    let again = pipelines.put_webhook(webhook("$.ref", "$.head")?).wait()?;
    assert_eq!(again.url(), put.url());
    let all = pipelines.list_webhooks().wait()?;
    assert_eq!(all.len(), 1);
    pipelines.register_webhook().webhook_name("push").wait()?;
    pipelines.deregister_webhook().webhook_name("push").wait()?;
    pipelines.delete_webhook("push").wait()?;
    pipelines.delete_webhook("push").wait()?;
    world.refused(&errors::WEBHOOK_NOT_FOUND, "webhookName", || {
        pipelines.register_webhook().webhook_name("push").wait()
    });
    Ok(())
}

pub(super) fn webhooks_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    let put = |from: &str, to: &str| pipelines.put_webhook(webhook(from, to)?).wait();
    let target = "webhook.targetPipeline";
    world.refused(&errors::PIPELINE_NOT_FOUND, target, || put("push", "push"));
    create(&session, "web")?;
    let settings = "webhook.authenticationConfiguration";
    let authentication = &errors::INVALID_WEBHOOK_AUTHENTICATION;
    world.refused(authentication, settings, || put(r#"{"SecretToken": "hunter2"}"#, "{}"));
    world.refused(authentication, settings, || put("GITHUB_HMAC", "UNAUTHENTICATED"));
    let ip = r#""IP", "authenticationConfiguration": {"AllowedIPRange": "#;
    let given = r#""GITHUB_HMAC",
    "authenticationConfiguration": {"SecretToken": "hunter2""#;
    world.refused(authentication, settings, || put(given, &format!(r#"{ip}"192.0.2.0""#)));
    world.refused(authentication, settings, || put(given, &format!(r#"{ip}"192.0.2.0/33""#)));
    put(given, &format!(r#"{ip}"192.0.2.0/24""#))?;
    world.refused(&errors::INVALID_WEBHOOK_FILTER, "webhook.filters[0].jsonPath", || put("$.ref", "ref"));
    Ok(())
}
