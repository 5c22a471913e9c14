//! Secrets that another service manages: only that service can change them.

use crate::{
    errors,
    secret::{SecretId, secret_row},
};
use nephos_cloud::{Handler, Tx, tags::to_list};
use nephos_core::{Empty, Result, Text, operation, tags};

/// Operations that only the owning service may call.
const REFUSED: &[&str] = &[
    "UpdateSecret",
    "DeleteSecret",
    "RestoreSecret",
    "PutSecretValue",
    "UpdateSecretVersionStage",
    "RotateSecret",
    "CancelRotateSecret",
    "ReplicateSecretToRegions",
    "RemoveRegionsFromReplication",
    "TagResource",
    "UntagResource",
];

/// Refuses the change of a secret that another service manages.
pub(crate) fn check(cx: &Tx<'_>, id: &str, operation: &str) -> Result<()> {
    if !REFUSED.contains(&operation) {
        return Ok(());
    }
    // Other errors about the secret are those of the operation.
    match secret_row::find(cx, id).ok().flatten().and_then(|secret| secret.owning_service) {
        Some(service) => Err(errors::secret_is_managed(service)),
        None => Ok(()),
    }
}

/// Tag of a secret with the service that manages it.
const OWNER_TAG: &str = "aws:secretsmanager:owningService";

/// Sets the service that manages a secret. Until it is removed again, users can read the secret, but not change or delete it.
/// Internal: other services of the cloud manage secrets with it.
#[operation(include(SecretId), effect = write, subject = "*")]
pub struct SetSecretOwner {
    /// Name of the service, such as `events`; nobody manages the secret if it is not given.
    #[field(length(1..=50))]
    pub owning_service: Option<Text>,
}

impl Handler for SetSecretOwner {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut secret = secret_row::require(cx, &self.secret_id)?;
        let mut tags = tags::to_map(secret.tags.as_deref().unwrap_or_default());
        match &self.owning_service {
            Some(service) => drop(tags.insert(OWNER_TAG.into(), service.clone())),
            None => drop(tags.shift_remove(OWNER_TAG)),
        }
        secret.tags = to_list(tags);
        secret.owning_service = self.owning_service;
        cx.put(secret)?;
        Ok(Empty {})
    }
}
