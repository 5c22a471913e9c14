//! Facts about the kinds of the service for the laws over all kinds.

use nephos_core::{Resource, Result, Session, SignedDuration, Value};
use nephos_secrets::{RotationRules, Secret, SecretVersion};
use nephos_testing::{
    CreatedBy, FilledResource, KindFacts, LawFacts, StateFileCheck, Step, World, filled_resource,
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

const SECRET: KindFacts = KindFacts {
    examples: &[
        r#"{"Name": "/a", "Description": "d", "Tags": [{"Key": "team", "Value": "web"}, {"Key": "x", "Value": ""}],
        "SecretString": "hunter2"}"#,
        r#"{"Name": "one", "CryptoKeyId": "$KeyAlias0.AliasName", "Type": "partner"}"#,
    ],
    extras: &[
        Step::last(
            "set_resource_policy",
            r#"{"ResourcePolicy": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"secretsmanager:*\", \"Resource\": \"*\"}}"}"#,
        ),
        Step::last("get_value", "{}"),
        Step::last(
            "rotate",
            r#"{"RotationFunctionARN": "renew", "RotationRules": {"AutomaticallyAfterDays": 1}}"#,
        ),
    ],
    deletion_blockers: &[("remove_regions", r#"{"RemoveReplicaRegions": ["eu-west-1"]}"#)],
    ..KindFacts::of::<Secret>()
};

const SECRET_VERSION: KindFacts = KindFacts {
    examples: &[
        r#"{"SecretId": "/a", "SecretString": "hunter3"}"#,
        r#"{"SecretId": "one", "SecretString": "hunter4"}"#,
    ],
    created_by: Some(CreatedBy { kind: Secret::KIND, call: "set_value", items: None }),
    unique: Some(("SecretString", "hunter#")),
    list_flags: &["IncludeDeprecated"],
    ..KindFacts::of::<SecretVersion>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[SECRET, SECRET_VERSION],
    unchecked_references: &[
        (&["Secret create CryptoKeyId"], "a secret without a value does not use its key yet"),
        (
            &[
                "Secret update_version_stage RemoveFromVersionId",
                "Secret update_version_stage MoveToVersionId",
            ],
            "needs a stage",
        ),
    ],
    functions: &["renew"],
    values: &[
        (
            "ResourcePolicy",
            r#"{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "secretsmanager:*", "Resource": "*"}}"#,
        ),
        ("RotationFunctionARN", "renew"),
        ("VersionStage", "PROVIDERCURRENT"),
    ],
    page_parameters: &[
        ("ListSecretVersionIds", r#"{"SecretId": "$Secret0.ARN"}"#),
        ("ListSecretVersionIds", r#"{"SecretId": "$Secret.ARN"}"#),
        ("BatchGetSecretValue", r#"{"Filters": [{"Key": "name", "Values": ["/a", "one"]}]}"#),
    ],
    written_by_reads: &[("secretsmanager/access", "a secret has the date of its last access")],
    fill_tables,
    state_files: &[StateFileCheck { file: "state-1", opened: check_opened, later: check_later }],
    ..LawFacts::of(&nephos_secrets::SERVICE)
};

/// Adds a secret with a scheduled rotation, and a secret in its recovery window.
fn fill_tables(session: &Session) -> Result<Vec<FilledResource>> {
    let secrets = Secret::objects(session);
    secrets.cancel_rotation("one").wait()?;
    secrets.create(&Secret::builder().name("rotated").build()?).secret_string("hunter5").wait()?;
    let rarely = RotationRules::builder().automatically_after_days(1000).build()?;
    let rotate = secrets.rotate("rotated").rotation_function_arn("renew").rotation_rules(rarely);
    rotate.rotate_immediately(false).wait()?;
    secrets.get_value("/a").wait()?;
    secrets.delete("/a").recovery_window_in_days(7).wait()?;
    let rotated = secrets.get("rotated").wait()?.expect("it was created");
    Ok(vec![filled_resource(&rotated)])
}

/// Checks an encrypted value, and a secret in its recovery window.
fn check_opened(world: &World) -> Result<()> {
    let secrets = Secret::objects(&world.session());
    let value = secrets.get_value("one").wait()?;
    assert_eq!(value.secret_string().map(|text| text.expose()), Some("hunter4"));
    let planned = secrets.get("/a").wait()?.expect("it is in its recovery window of seven days");
    assert!(planned.deleted_date().is_some());
    Ok(())
}

/// Checks that the secret of the recovery window is deleted, and that the other is rotated in the last day before its date.
fn check_later(world: &World) -> Result<()> {
    let secrets = Secret::objects(&world.session());
    assert!(secrets.get("/a").wait()?.is_none());
    let rotated = secrets.get("rotated").wait()?.expect("it exists");
    let next = rotated.next_rotation_date().expect("its rotation is scheduled");
    let calls = Arc::new(AtomicUsize::new(0));
    let renew = calls.clone();
    let count = move |_: &Session, _: &Value| {
        renew.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    world.cloud().register("renew", Arc::new(count));
    world.cloud().clock().set(next - SignedDuration::from_hours(25))?;
    assert_eq!(calls.load(Ordering::Relaxed), 0, "it is not rotated earlier");
    world.cloud().clock().set(next)?;
    assert!(calls.load(Ordering::Relaxed) > 0, "it is rotated");
    Ok(())
}
