//! Access to secrets of other accounts, which the resource policies of the secrets allow.

use crate::{
    SERVICE, errors,
    secret::{managed, policy, secret_row},
};
use nephos_cloud::{Handler, ResourceFacts, Scope, Tx};
use nephos_core::{Arn, Operation, Result, operation::WireOperation, tags};

/// An operation on one secret, which may belong to another account.
pub(crate) trait SecretHandler: WireOperation {
    /// Executes the operation in the account of the secret.
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<Self::Output>;
}

/// Implements the handlers of operations on one secret.
macro_rules! secret_handlers {
    ($($operation:ident),+ $(,)?) => { $(
        impl Handler for crate::$operation {
            fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
                let id = self.secret_id.clone();
                run_in_account_of(cx, &id, Self::OPERATION.name, |cx| {
                    managed::check(cx, &id, Self::OPERATION.name)?;
                    self.run_in_owner(cx)
                })
            }
        }
    )+ };
}

secret_handlers! {
    DescribeSecret, UpdateSecret, DeleteSecret, RestoreSecret,
    GetSecretValue, PutSecretValue, ListSecretVersionIds, UpdateSecretVersionStage,
    RotateSecret, CancelRotateSecret,
    PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy,
    ReplicateSecretToRegions, RemoveRegionsFromReplication, StopReplicationToReplica,
    TagResource, UntagResource,
}

/// Operations that use the key of a secret, which other accounts cannot do with the provider's default key.
const KEY_USERS: [&str; 2] = ["GetSecretValue", "PutSecretValue"];

/// Condition key with the ARN of the rotation function of a secret.
pub(crate) const ROTATION_FUNCTION: &str = "secretsmanager:resource/AllowRotationLambdaArn";

/// Condition key with the type of a secret that a partner holds.
pub(crate) const TYPE: &str = "secretsmanager:resource/Type";

/// Condition key with the Region of the primary of a secret.
pub(crate) const PRIMARY_REGION: &str = "secretsmanager:SecretPrimaryRegion";

/// Calls `body` in the account that owns the secret `id`. If it is not the account of the caller, the resource policy of
/// the secret must allow `operation`.
pub(crate) fn run_in_account_of<T>(
    cx: &mut Tx<'_>,
    id: &str,
    operation: &str,
    body: impl FnOnce(&mut Tx<'_>) -> Result<T>,
) -> Result<T> {
    let Some(owner) = other_account(cx.scope(), id) else { return body(cx) };
    cx.check_shared_access(&SERVICE, &format!("secretsmanager:{operation}"), id)?;
    cx.in_scope(&owner, |cx| {
        let uses_key = KEY_USERS.contains(&operation);
        if uses_key && secret_row::find(cx, id)?.is_some_and(|secret| secret.crypto_key_id.is_none()) {
            return Err(errors::default_key_of_other_account());
        }
        body(cx)
    })
}

/// Returns the scope of the secret `id` if it is an ARN of another account.
fn other_account(caller: &Scope, id: &str) -> Option<Scope> {
    let [_, service, _, account, _] = Arn::parts(id)?;
    (service == "secretsmanager" && account != caller.account()).then(|| caller.with_account(account))
}

/// Finds what decisions about access need to know about the secret with this ARN, whose suffix may be missing.
pub(crate) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let Some(name) = arn.resource().strip_prefix("secret:") else { return Ok(None) };
    let shown = Some(name.into());
    let Some(secret) = secret_row::find(cx, arn.as_str())? else {
        return Ok(Some(ResourceFacts { shown, ..ResourceFacts::default() }));
    };
    let policy = policy::find(cx, &secret)?.and_then(|attached| attached.resource_policy);
    let primary = secret.primary_region.clone().unwrap_or_else(|| cx.scope().region().into());
    let keys = [
        (ROTATION_FUNCTION, secret.rotation_function_arn.clone()),
        (TYPE, secret.r#type.clone()),
        (PRIMARY_REGION, Some(primary)),
    ];
    Ok(Some(ResourceFacts {
        arn: Some(secret.arn(cx.scope()).into()),
        shown,
        policies: policy.into_iter().collect(),
        tags: tags::to_map(secret.tags.as_deref().unwrap_or_default()),
        context: keys.into_iter().filter_map(|(key, value)| Some((key.into(), value?))).collect(),
        ..ResourceFacts::default()
    }))
}
