//! Resource policies of secrets.

use super::{Kept, SERVICE, Secret, SecretManager, SecretName, errors, kept};
use nephos_cloud::{Handler, Key, Parts, PolicyRules, PolicyService, Scope, Stored, Tx};
use nephos_core::{Record, Result, Steppable, Steps, Text, operation};

/// The resource policy of a secret: its row.
#[derive(Record)]
#[record(name = "SecretPolicy")]
pub struct Attached {
    /// The secret.
    pub(super) name: Option<Text>,
    /// The policy.
    pub(super) resource_policy: Option<Text>,
}

impl Stored for Attached {
    const TABLE: &'static str = "secretsmanager/policy";

    fn identify(&self, key: Key) -> Key {
        key.text(self.name.as_deref().unwrap_or_default())
    }

    fn shed(&mut self) {
        self.name = None;
    }

    fn restore(&mut self, _scope: &Scope, mut identity: Parts<'_>) {
        self.name = identity.text();
    }
}

/// The rules for resource policies of secrets.
const RULES: PolicyRules = PolicyRules {
    malformed: &errors::MALFORMED_POLICY,
    parameter: "ResourcePolicy",
    has_principals: true,
    service: Some(PolicyService {
        name: "secretsmanager",
        resource: "secret",
        action: "secretsmanager:GetSecretValue",
        narrowing: &["secretsmanager:vpcsourceip"],
    }),
};

pub(super) fn key(scope: &Scope, name: &str) -> Key {
    Attached::table(scope).text(name)
}

/// The policy of a secret, if it has one.
pub(super) fn of(cx: &Tx<'_>, kept: &Kept) -> Result<Option<Attached>> {
    cx.get(&key(cx.scope(), kept.called()))
}

/// Attaches a resource policy to a secret, in place of the one it has.
#[operation(service = SERVICE, effect = write, output = SecretName, subject = "secret:{SecretId}")]
pub struct PutResourcePolicy {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
    /// The policy.
    #[field(length(1..=20_480))]
    pub resource_policy: Text,
    /// Whether a policy that lets everybody in is refused.
    pub block_public_policy: Option<bool>,
}

impl Handler for PutResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecretName> {
        let policy = RULES.parse(&self.resource_policy)?;
        if self.block_public_policy == Some(true) && policy.is_public() {
            let why =
                "the policy lets everybody in; name principals, or add a condition that tells them apart";
            return Err(errors::PUBLIC_POLICY.because(why).with_field("ResourcePolicy"));
        }
        let kept = kept::require_own(cx, &self.secret_id)?;
        let told = SecretName::of(&kept, cx.scope());
        cx.put(Attached { name: kept.name.clone(), resource_policy: Some(self.resource_policy) })?;
        kept.put_changed(cx)?;
        Ok(told)
    }
}

/// Tells the resource policy of a secret.
#[operation(service = SERVICE, effect = read, output = GetResourcePolicyResponse, subject = "secret:{SecretId}")]
pub struct GetResourcePolicy {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
}

/// The resource policy of a secret.
#[derive(Record)]
pub struct GetResourcePolicyResponse {
    /// The secret's resource name.
    #[field(name = "ARN")]
    arn: Option<Text>,
    /// The secret's name.
    name: Option<Text>,
    /// The policy, if it has one.
    resource_policy: Option<Text>,
}

impl Handler for GetResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetResourcePolicyResponse> {
        let kept = kept::require(cx, &self.secret_id)?;
        kept.must_be_active()?;
        let attached = of(cx, &kept)?;
        Ok(GetResourcePolicyResponse {
            arn: Some(kept.arn(cx.scope()).into()),
            name: kept.name,
            resource_policy: attached.and_then(|attached| attached.resource_policy),
        })
    }
}

/// Takes the resource policy off a secret.
#[operation(service = SERVICE, effect = write, output = SecretName, subject = "secret:{SecretId}")]
pub struct DeleteResourcePolicy {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
}

impl Handler for DeleteResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecretName> {
        let kept = kept::require_own(cx, &self.secret_id)?;
        let told = SecretName::of(&kept, cx.scope());
        if let Some(attached) = of(cx, &kept)? {
            cx.remove(&attached)?;
            kept.put_changed(cx)?;
        }
        Ok(told)
    }
}

/// Says whether a resource policy could be attached, and lets nobody in who should not be.
#[operation(service = SERVICE, effect = read, output = ValidateResourcePolicyResponse, subject = "secret:{SecretId}")]
pub struct ValidateResourcePolicy {
    /// The secret it is for.
    #[field(length(1..=2048))]
    pub secret_id: Option<Text>,
    /// The policy.
    #[field(length(1..=20_480))]
    pub resource_policy: Text,
}

/// Whether a resource policy is right.
#[derive(Record)]
pub struct ValidateResourcePolicyResponse {
    /// Whether nothing is wrong with it.
    policy_validation_passed: Option<bool>,
    /// What is wrong with it.
    validation_errors: Option<Vec<ValidationErrorsEntry>>,
}

/// Something that is wrong with a resource policy.
#[derive(Record)]
pub struct ValidationErrorsEntry {
    /// What was looked at.
    check_name: Option<Text>,
    /// What is wrong.
    error_message: Option<Text>,
}

impl Handler for ValidateResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<ValidateResourcePolicyResponse> {
        if let Some(id) = &self.secret_id {
            kept::require(cx, id)?.must_be_active()?;
        }
        let policy = RULES.parse(&self.resource_policy)?;
        let public = policy.is_public().then(|| ValidationErrorsEntry {
            check_name: Some("PUBLIC_POLICY".into()),
            error_message: Some("the policy lets everybody in".into()),
        });
        Ok(ValidateResourcePolicyResponse {
            policy_validation_passed: Some(public.is_none()),
            validation_errors: Some(public.into_iter().collect()),
        })
    }
}

/// Attaches a resource policy to a secret, in place of the one it has.
#[operation(kind = Secret, call = "set_resource_policy", effect = write, output = SecretName)]
pub struct SetResourcePolicy {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
    /// The policy.
    #[field(length(1..=20_480))]
    pub resource_policy: Text,
    /// Whether a policy that lets everybody in is refused.
    pub block_public_policy: Option<bool>,
}

impl Steppable for SetResourcePolicy {
    async fn run(&self, steps: &Steps) -> Result<SecretName> {
        let put = PutResourcePolicy::new(self.secret_id.clone(), self.resource_policy.clone());
        steps.call(put.block_public_policy(self.block_public_policy)).await
    }
}

/// The resource policy of a secret.
#[operation(
    kind = Secret, call = "get_resource_policy", effect = read, output = GetResourcePolicyResponse, instance
)]
pub struct GetPolicy {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
}

impl Steppable for GetPolicy {
    async fn run(&self, steps: &Steps) -> Result<GetResourcePolicyResponse> {
        steps.call(GetResourcePolicy::new(self.secret_id.clone())).await
    }
}

/// Takes the resource policy off a secret.
#[operation(kind = Secret, call = "delete_resource_policy", effect = write, output = SecretName, instance)]
pub struct DeletePolicy {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
}

impl Steppable for DeletePolicy {
    async fn run(&self, steps: &Steps) -> Result<SecretName> {
        steps.call(DeleteResourcePolicy::new(self.secret_id.clone())).await
    }
}

/// Whether a resource policy could be attached, and lets nobody in who should not be.
#[operation(
    kind = Secret, call = "validate_resource_policy", effect = read, output = ValidateResourcePolicyResponse
)]
pub struct ValidatePolicy {
    /// The policy.
    #[field(length(1..=20_480))]
    pub resource_policy: Text,
    /// The secret it is for.
    #[field(length(1..=2048))]
    pub secret_id: Option<Text>,
}

impl Steppable for ValidatePolicy {
    async fn run(&self, steps: &Steps) -> Result<ValidateResourcePolicyResponse> {
        let validate = ValidateResourcePolicy::new(self.resource_policy.clone());
        steps.call(validate.secret_id(self.secret_id.clone())).await
    }
}
