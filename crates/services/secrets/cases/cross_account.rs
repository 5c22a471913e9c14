//! Access to secrets of other accounts.

use super::{World, errors};
use nephos_core::{Resource, Result, Tag};
use nephos_secrets::Secret;
use nephos_testing::OTHER_ACCOUNT;

/// Creates a secret with a key of its own, which other accounts can use, and this policy; returns its ARN.
fn create_shared_secret(world: &World, statements: &str) -> Result<String> {
    let objects = Secret::objects(&world.session());
    let secret = Secret::builder().name("web").crypto_key_id(world.crypto_key("shared")).build()?;
    let secret = objects.create(&secret).secret_string("one").wait()?;
    objects.set_resource_policy("web", format!(r#"{{"Statement": [{statements}]}}"#)).wait()?;
    Ok(secret.require_arn()?.to_owned())
}

fn statement(effect: &str, principal: &str, action: &str) -> String {
    format!(r#"{{"Effect": "{effect}", "Principal": {principal}, "Action": "{action}", "Resource": "*"}}"#)
}

fn with_condition(statement: &str, condition: &str) -> String {
    statement.replace(r#""Resource""#, &format!(r#""Condition": {{{condition}}}, "Resource""#))
}

/// Returns the text of a refusal, up to the reason.
fn refusal(operation: &str, arn: &str) -> String {
    format!(
        "User: arn:aws:iam::{OTHER_ACCOUNT}:root is not authorized to perform: secretsmanager:{operation} on resource: \
         {arn} "
    )
}

/// Without a policy, and whether or not the secret exists, access is denied.
pub(super) fn operations_of_other_account_need_resource_policy(world: &World) -> Result<()> {
    let secret = world.create_secret("web", "one")?;
    let arn = secret.require_arn()?;
    let objects = Secret::objects(&world.other_account());
    let missing = arn.replace("secret:web", "secret:none");
    for id in [arn, missing.as_str(), &arn.replace("us-east-1", "eu-west-1")] {
        let error = world.refused(&errors::DENIED, None, || objects.get_value(id).wait());
        let reason = "because no resource-based policy allows the secretsmanager:GetSecretValue action";
        assert_eq!(error.message(), refusal("GetSecretValue", id) + reason);
    }
    world.refused(&errors::DENIED, None, || objects.get(arn).wait());
    world.refused(&errors::DENIED, None, || objects.set_value(arn).secret_string("x").wait());
    world.refused(&errors::DENIED, None, || objects.delete(arn).force_delete_without_recovery(true).wait());
    world.refused(&errors::DENIED, None, || objects.tag(arn, vec![Tag::new("a", "b")]).wait());
    world.refused(&errors::DENIED, None, || objects.validate_resource_policy("{}").secret_id(arn).wait());
    let read = objects.batch_get_value().secret_id_list([arn]).wait()?;
    let codes: Vec<_> = read.errors().unwrap_or_default().iter().map(|error| error.error_code()).collect();
    assert_eq!(codes, [Some("AccessDeniedException")]);
    Ok(())
}

pub(super) fn resource_policy_allows_only_its_actions_and_principals(world: &World) -> Result<()> {
    let account = format!(r#"{{"AWS": "{OTHER_ACCOUNT}"}}"#);
    let root = format!(r#"{{"AWS": "arn:aws:iam::{OTHER_ACCOUNT}:root"}}"#);
    let statements = [
        statement("Allow", &account, "secretsmanager:GetSecretValue"),
        statement("Allow", &root, "secretsmanager:Put*Value"),
        statement("Allow", r#""*""#, "secretsmanager:DescribeSecret"),
        statement("Allow", r#"{"AWS": "333333333333"}"#, "secretsmanager:*"),
    ];
    let arn = create_shared_secret(world, &statements.join(", "))?;
    let objects = Secret::objects(&world.other_account());
    let value = || -> Result<_> {
        let value = objects.get_value(arn.as_str()).wait()?;
        assert_eq!(value.arn(), Some(arn.as_str()));
        Ok(value.secret_string().map(|text| text.expose().to_owned()))
    };
    assert_eq!(value()?.as_deref(), Some("one"));
    objects.set_value(arn.as_str()).secret_string("two").wait()?;
    assert_eq!(value()?.as_deref(), Some("two"));
    assert_eq!(objects.describe(arn.as_str()).wait()?.name(), Some("web"));
    let read = objects.batch_get_value().secret_id_list([arn.as_str()]).wait()?;
    assert_eq!(read.secret_values().map(<[_]>::len), Some(1));
    assert!(world.existing_secret("web")?.last_accessed_date().is_some(), "reads of other accounts count");
    world.refused(&errors::DENIED, None, || objects.delete(arn.as_str()).wait());
    world.refused(&errors::DENIED, None, || objects.get_resource_policy(arn.as_str()).wait());
    assert_eq!(objects.get("web").wait()?, None, "a name is one of the caller's account");
    let third = Secret::objects(&world.session_of("333333333333"));
    third.tag(arn.as_str(), vec![Tag::new("by", "third")]).wait()?;
    assert_eq!(world.existing_secret("web")?.tags(), Some(&[Tag::new("by", "third")][..]));
    Ok(())
}

/// A condition on something that is not known about the request does not hold.
pub(super) fn condition_of_resource_policy_must_hold(world: &World) -> Result<()> {
    let conditions = [
        ("DescribeSecret", r#""StringEquals": {"aws:PrincipalAccount": "210987654321"}"#),
        ("GetSecretValue", r#""StringEquals": {"aws:PrincipalAccount": "333333333333"}"#),
        ("DeleteSecret", r#""Bool": {"aws:MultiFactorAuthPresent": "true"}"#),
    ];
    let statements = conditions.map(|(operation, condition)| {
        let allow = statement("Allow", r#""*""#, &format!("secretsmanager:{operation}"));
        with_condition(&allow, condition)
    });
    let arn = create_shared_secret(world, &statements.join(", "))?;
    let objects = Secret::objects(&world.other_account());
    objects.describe(arn.as_str()).wait()?;
    world.refused(&errors::DENIED, None, || objects.get_value(arn.as_str()).wait());
    world.refused(&errors::DENIED, None, || objects.delete(arn.as_str()).wait());
    Ok(())
}

pub(super) fn deny_of_resource_policy_wins(world: &World) -> Result<()> {
    let everyone = r#""*""#;
    let statements = [
        statement("Allow", everyone, "secretsmanager:*"),
        statement("Deny", everyone, "secretsmanager:GetSecretValue"),
        with_condition(
            &statement("Deny", everyone, "secretsmanager:DeleteSecret"),
            &format!(r#""StringEquals": {{"aws:PrincipalAccount": "{OTHER_ACCOUNT}"}}"#),
        ),
    ];
    let arn = create_shared_secret(world, &statements.join(", "))?;
    let objects = Secret::objects(&world.other_account());
    let error = world.refused(&errors::DENIED, None, || objects.get_value(arn.as_str()).wait());
    let reason = "with an explicit deny in a resource-based policy";
    assert_eq!(error.message(), refusal("GetSecretValue", &arn) + reason);
    world.refused(&errors::DENIED, None, || objects.delete(arn.as_str()).wait());
    objects.describe(arn.as_str()).wait()?;
    Ok(())
}

/// Everything but the value can be read.
pub(super) fn value_under_default_key_cannot_be_read_from_other_account(world: &World) -> Result<()> {
    let secret = world.create_secret("web", "one")?;
    let policy = format!(r#"{{"Statement": {}}}"#, statement("Allow", r#""*""#, "secretsmanager:*"));
    Secret::objects(&world.session()).set_resource_policy("web", policy).wait()?;
    let arn = secret.require_arn()?;
    let objects = Secret::objects(&world.other_account());
    objects.describe(arn).wait()?;
    let error = world.refused(&errors::INVALID_REQUEST, None, || objects.get_value(arn).wait());
    assert_eq!(
        error.message(),
        "You can't access a secret from a different AWS account if you encrypt the secret with the default KMS service \
         key."
    );
    world.refused(&errors::INVALID_REQUEST, None, || objects.set_value(arn).secret_string("x").wait());
    Ok(())
}
