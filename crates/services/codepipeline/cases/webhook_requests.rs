//! Cases: requests to the addresses of webhooks.

use super::{World, create, executions::executions};
use nephos_cloud::{FrontAnswer, FrontRequest};
use nephos_codepipeline::{Pipeline, TriggerType, WebhookDefinition};
use nephos_core::{Record, Result, Session};

/// Sends a request to the address of a webhook; returns the status of the answer.
fn send(world: &World, url: &str, from: &str, signature: Option<&str>, body: &str) -> u16 {
    let front = nephos_codepipeline::CODEPIPELINE.http.unwrap();
    let (_, query) = url.split_once('?').unwrap();
    let signature = signature.map(|signature| ("x-hub-signature".into(), signature.into()));
    let request = FrontRequest {
        method: "POST".into(),
        path: "/trigger".into(),
        query: query.into(),
        headers: signature.into_iter().collect(),
        address: from.parse().unwrap(),
        is_encrypted: false,
        is_strict: false,
        max_blob_bytes: 0,
    };
    let FrontAnswer::Whole(whole) = (front.answer)(world.cloud(), request) else {
        panic!("it needs the body")
    };
    (whole.answer)(Ok(body.as_bytes())).status
}

/// Puts a webhook with this authentication; returns its address.
fn put(session: &Session, authentication: &str) -> Result<String> {
    let webhook = WebhookDefinition::from_json(format!(
        r#"{{"name": "push", "targetPipeline": "web", "targetAction": "Fetch", {authentication},
        "filters": [{{"jsonPath": "$.key", "matchEquals": "objects/{{S3ObjectKey}}"}}, {{"jsonPath": "$.size"}}]}}"#
    ))?;
    let put = Pipeline::objects(session).put_webhook(webhook).wait()?;
    Ok(put.url().unwrap().to_owned())
}

/// A body that matches the filters.
const BODY: &str = r#"{"key": "objects/web.zip", "size": 3}"#;

pub(super) fn request_starts_the_pipeline(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let open = r#""authentication": "UNAUTHENTICATED", "authenticationConfiguration": {}"#;
    let url = put(&session, open)?;
    assert_eq!(send(world, &url, "192.0.2.1", None, BODY), 200);
    let all = executions(&session)?;
    let trigger = all[1].trigger().unwrap();
    assert_eq!(trigger.trigger_type(), Some(&TriggerType::Webhook));
    assert_eq!(trigger.trigger_detail(), Some("arn:aws:codepipeline:us-east-1:123456789012:webhook:push"));
    assert!(Pipeline::objects(&session).list_webhooks().wait()?[0].last_triggered().is_some());
    for body in [r#"{"key": "objects/api.zip", "size": 3}"#, r#"{"key": "objects/web.zip"}"#, "no JSON"] {
        assert_eq!(send(world, &url, "192.0.2.1", None, body), 400, "{body}");
    }
    assert_eq!(send(world, &url.replace("&v=1", "x"), "192.0.2.1", None, BODY), 404);
    assert_eq!(executions(&session)?.len(), 2);
    Ok(())
}

pub(super) fn requests_are_authenticated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let range =
        r#""authentication": "IP", "authenticationConfiguration": {"AllowedIPRange": "192.0.2.0/24"}"#;
    let url = put(&session, range)?;
    assert_eq!(send(world, &url, "198.51.100.1", None, BODY), 403);
    assert_eq!(send(world, &url, "192.0.2.200", None, BODY), 200);
    let signed =
        r#""authentication": "GITHUB_HMAC", "authenticationConfiguration": {"SecretToken": "hunter2"}"#;
    let url = put(&session, signed)?;
    let signature = "sha1=e66ab5a3127eb548b194702df687029b79d7eef9";
    assert_eq!(send(world, &url, "192.0.2.1", None, BODY), 403);
    assert_eq!(send(world, &url, "192.0.2.1", Some("sha1=00"), BODY), 403);
    assert_eq!(send(world, &url, "192.0.2.1", Some(signature), BODY), 200);
    assert_eq!(executions(&session)?.len(), 3);
    Ok(())
}
