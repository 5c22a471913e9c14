//! Resource policies of secrets.

use crate::{
    Secret, SecretManager, SecretName, SecretRow,
    cross_account::{self, SecretHandler},
    errors,
    secret::{SecretId, secret_row},
};
use nephos_cloud::{Handler, Key, PolicyRules, PolicyService, Scope, Stored, Tx};
use nephos_core::{Operation, Record, Result, Text, operation, record_of};

/// Row of the resource policy of a secret.
#[record_of(of = Secret, takes(name), row, name = "SecretPolicy")]
pub(crate) struct PolicyRow {
    /// Policy document.
    pub(crate) resource_policy: Option<Text>,
}

nephos_cloud::stored!(PolicyRow in "secretsmanager/policy" by name);

/// Rules for resource policies of secrets.
const RULES: PolicyRules = PolicyRules {
    has_principals: true,
    service: Some(PolicyService {
        name: "secretsmanager",
        resource: "secret",
        action: "secretsmanager:GetSecretValue",
        narrowing: &["secretsmanager:vpcsourceip"],
    }),
    ..PolicyRules::new("ResourcePolicy", |reason| errors::malformed_policy().with_hint(reason.to_string()))
};

pub(crate) fn key(scope: &Scope, name: &str) -> Key {
    PolicyRow::table(scope).text(name)
}

/// Finds the resource policy of a secret.
pub(crate) fn find(cx: &Tx<'_>, secret: &SecretRow) -> Result<Option<PolicyRow>> {
    cx.get(&key(cx.scope(), secret.own_name()))
}

/// Attaches a resource policy to a secret, or replaces the attached one.
#[operation(
    of = Secret, include(SecretId), call = "set_resource_policy",
    effect = write, output = SecretName, subject = "secret:{SecretId}", access = permissions
)]
pub struct PutResourcePolicy {
    /// Policy document.
    #[field(length(1..=20_480))]
    pub resource_policy: Text,
    /// True to refuse a policy that grants access to everyone.
    #[field(condition = "secretsmanager:BlockPublicPolicy")]
    pub block_public_policy: Option<bool>,
}

impl SecretHandler for PutResourcePolicy {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<SecretName> {
        let policy = RULES.parse(&self.resource_policy)?;
        if self.block_public_policy == Some(true) && policy.is_public() {
            let hint = "name principals, or add a condition that restricts them";
            return Err(errors::policy_is_public().with_field("ResourcePolicy").with_hint(hint));
        }
        let secret = secret_row::require_changeable(cx, &self.secret_id)?;
        let response = secret.to_name(cx.scope());
        cx.put(PolicyRow { name: secret.name.clone(), resource_policy: Some(self.resource_policy) })?;
        secret.put_changed(cx)?;
        Ok(response)
    }
}

/// Returns the resource policy of a secret.
#[operation(
    of = Secret, include(SecretId), call = "get_resource_policy", on_model,
    effect = read, output = GetResourcePolicyResponse, subject = "secret:{SecretId}"
)]
pub struct GetResourcePolicy {}

/// Resource policy of a secret.
#[record_of(of = Secret, takes(arn, name), answer)]
pub struct GetResourcePolicyResponse {
    /// Policy document, if one is attached.
    resource_policy: Option<Text>,
}

impl SecretHandler for GetResourcePolicy {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<GetResourcePolicyResponse> {
        let secret = secret_row::require(cx, &self.secret_id)?;
        secret.check_active()?;
        let attached = find(cx, &secret)?;
        Ok(GetResourcePolicyResponse {
            arn: Some(secret.arn(cx.scope()).into()),
            name: secret.name,
            resource_policy: attached.and_then(|attached| attached.resource_policy),
        })
    }
}

/// Removes the resource policy of a secret.
#[operation(
    of = Secret, include(SecretId), call = "delete_resource_policy", on_model,
    effect = write, output = SecretName, subject = "secret:{SecretId}", access = permissions
)]
pub struct DeleteResourcePolicy {}

impl SecretHandler for DeleteResourcePolicy {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<SecretName> {
        let secret = secret_row::require_changeable(cx, &self.secret_id)?;
        let response = secret.to_name(cx.scope());
        if let Some(attached) = find(cx, &secret)? {
            cx.remove(&attached)?;
            secret.put_changed(cx)?;
        }
        Ok(response)
    }
}

/// Validates a resource policy without attaching it, and checks that it does not grant access to everyone.
#[operation(
    of = Secret, call = "validate_resource_policy",
    effect = read, output = ValidateResourcePolicyResponse, subject = "secret:{SecretId}", access = permissions
)]
pub struct ValidateResourcePolicy {
    /// Name or ARN of the secret that the policy is for.
    #[field(length(1..=2048), condition = "secretsmanager:SecretId")]
    pub secret_id: Option<Text>,
    /// Policy document.
    #[field(length(1..=20_480))]
    pub resource_policy: Text,
}

/// Result of the validation of a resource policy.
#[derive(Record)]
#[record(answer)]
pub struct ValidateResourcePolicyResponse {
    /// True if no problem was found.
    policy_validation_passed: Option<bool>,
    /// Problems found.
    validation_errors: Option<Vec<ValidationErrorsEntry>>,
}

/// Problem of a resource policy.
#[derive(Record)]
pub struct ValidationErrorsEntry {
    /// Name of the check.
    check_name: Option<Text>,
    /// Description of the problem.
    error_message: Option<Text>,
}

impl Handler for ValidateResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<ValidateResourcePolicyResponse> {
        if let Some(id) = &self.secret_id {
            cross_account::run_in_account_of(cx, id, Self::OPERATION.name, |cx| {
                secret_row::require(cx, id)?.check_active()
            })?;
        }
        let policy = RULES.parse(&self.resource_policy)?;
        let public = policy.is_public().then(|| ValidationErrorsEntry {
            check_name: Some("PUBLIC_POLICY".into()),
            error_message: Some(errors::policy_is_public().wire_message().into()),
        });
        Ok(ValidateResourcePolicyResponse {
            policy_validation_passed: Some(public.is_none()),
            validation_errors: Some(public.into_iter().collect()),
        })
    }
}
