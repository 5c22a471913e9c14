//! Relations of pipelines to executions, roles and crypto keys.

use nephos::{Cloud, CryptoKey, Pipeline, Role, prelude::*};

const TRUST: &str = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",
    "Principal": {"Service": "codepipeline.amazonaws.com"}}]}"#;

#[test]
fn pipeline_leads_to_its_executions_role_and_key() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let role = Role::builder().role_name("pipelines").path("/build/").assume_role_policy_document(TRUST);
    let role = Role::objects(&session).create(&role.build().unwrap()).wait().unwrap();
    let key = CryptoKey::objects(&session).create(&CryptoKey::builder().build().unwrap()).wait().unwrap();
    let (role_arn, key_arn) = (role.require_arn().unwrap(), key.require_arn().unwrap());
    let pipeline = format!(
        r#"{{"name": "web", "roleArn": "{role_arn}", "artifactStore": {{"type": "S3", "location": "artifacts",
            "encryptionKey": {{"id": "{key_arn}", "type": "KMS"}}}}, "stages": [
        {{"name": "Source", "actions": [{{"name": "Fetch", "outputArtifacts": [{{"name": "source"}}],
            "actionTypeId": {{"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"}},
            "configuration": {{"S3Bucket": "sources", "S3ObjectKey": "web.zip"}}}}]}},
        {{"name": "Build", "actions": [{{"name": "Compile", "inputArtifacts": [{{"name": "source"}}],
            "actionTypeId": {{"category": "Build", "owner": "Provider", "provider": "CodeBuild", "version": "1"}},
            "configuration": {{"ProjectName": "web"}}}}]}}]}}"#
    );
    let pipelines = Pipeline::objects(&session);
    let created = pipelines.create(&Pipeline::from_json(pipeline.as_str()).unwrap()).wait().unwrap();
    // Listings omit the structure; the relations get it.
    let listed = pipelines.list().results().all().wait().unwrap().remove(0);
    for pipeline in [&created, &listed] {
        assert_eq!(pipeline.role().wait().unwrap().unwrap().role_name(), Some("pipelines"));
        assert_eq!(pipeline.artifact_key().wait().unwrap().unwrap().require_arn().unwrap(), key_arn);
        assert_eq!(pipeline.executions().wait().unwrap().len(), 1);
    }
    let found = pipelines.list().results().filter_by([("role__RoleName", "pipelines")]).unwrap();
    assert_eq!(found.count().wait().unwrap(), 1);
}
