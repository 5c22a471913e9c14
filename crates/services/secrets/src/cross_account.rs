//! Access to secrets of other accounts, which the resource policies of the secrets allow.

use super::{errors, policy, secret_row};
use nephos_cloud::{AccessRequest, Effect, Handler, Principal, Scope, Tx};
use nephos_core::{Arn, Operation, Result, operation::WireOperation};

/// An operation on one secret, which may belong to another account.
pub(super) trait SecretHandler: WireOperation {
    /// Executes the operation in the account of the secret.
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<Self::Output>;
}

/// Implements the handlers of operations on one secret.
macro_rules! secret_handlers {
    ($($operation:ident),+ $(,)?) => { $(
        impl Handler for super::$operation {
            fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
                let id = self.secret_id.clone();
                run_in_account_of(cx, &id, Self::OPERATION.name, |cx| self.run_in_owner(cx))
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

/// Calls `body` in the account that owns the secret `id`. If it is not the account of the caller, the resource policy of
/// the secret must allow `operation`.
pub(super) fn run_in_account_of<T>(
    cx: &mut Tx<'_>,
    id: &str,
    operation: &str,
    body: impl FnOnce(&mut Tx<'_>) -> Result<T>,
) -> Result<T> {
    let Some(owner) = other_account(cx.scope(), id) else { return body(cx) };
    let caller = cx.scope().clone();
    cx.in_scope(&owner, |cx| {
        check_access(cx, &caller, id, operation)?;
        body(cx)
    })
}

/// Returns the scope of the secret `id` if it is an ARN of another account.
fn other_account(caller: &Scope, id: &str) -> Option<Scope> {
    let [_, service, _, account, _] = Arn::parts(id)?;
    (service == "secretsmanager" && account != caller.account()).then(|| caller.with_account(account))
}

/// Checks that the resource policy of a secret of this scope allows an operation to another account.
fn check_access(cx: &Tx<'_>, caller: &Scope, id: &str, operation: &str) -> Result<()> {
    let caller = Principal::root(caller.account());
    let action = format!("secretsmanager:{operation}");
    let secret = secret_row::find(cx, id)?;
    let effect = match &secret {
        Some(secret) => {
            let request = AccessRequest::new(caller.clone(), action.as_str(), secret.arn(cx.scope()));
            policy::evaluate(cx, secret, &request)?
        }
        None => None,
    };
    match effect {
        Some(Effect::Allow) => {}
        Some(Effect::Deny) => return Err(errors::explicitly_denied(caller.arn, action, id)),
        None => return Err(errors::not_allowed(caller.arn, action, id)),
    }
    if KEY_USERS.contains(&operation) && secret.is_some_and(|secret| secret.crypto_key_id.is_none()) {
        return Err(errors::default_key_of_other_account());
    }
    Ok(())
}
