//! Moves of labels between versions.

use crate::{
    Secret, SecretManager, SecretName,
    cross_account::SecretHandler,
    errors,
    secret::{SecretId, secret_row},
    version::{self, labels},
};
use nephos_cloud::Tx;
use nephos_core::{Result, Text, operation};

/// Moves a label from one version of a secret to another, or removes it.
#[operation(
    of = Secret, include(SecretId), call = "update_version_stage",
    effect = write, output = SecretName, subject = "secret:{SecretId}"
)]
pub struct UpdateSecretVersionStage {
    /// Label to move or remove.
    #[field(length(1..=256), spellings = labels::SPELLINGS, condition = "secretsmanager:VersionStage")]
    pub version_stage: Text,
    /// ID of the version to remove the label from; required if a version has it.
    #[field(length(32..=64))]
    pub remove_from_version_id: Option<Text>,
    /// ID of the version to move the label to.
    #[field(length(32..=64))]
    pub move_to_version_id: Option<Text>,
}

impl SecretHandler for UpdateSecretVersionStage {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<SecretName> {
        let mut secret = secret_row::require_changeable(cx, &self.secret_id)?;
        let label = labels::canonical_spelling(&self.version_stage);
        let wire_label = labels::wire_spelling(label);
        let on = secret.version_with_label(label).cloned();
        if let Some(from) = &self.remove_from_version_id
            && on.as_ref() != Some(from)
        {
            return Err(errors::label_is_not_attached(wire_label).with_field("RemoveFromVersionId"));
        }
        let Some(to) = &self.move_to_version_id else {
            if self.remove_from_version_id.is_none() {
                return Err(errors::version_id_needed().with_field("MoveToVersionId"));
            }
            if label == labels::CURRENT {
                return Err(errors::current_label_removed().with_field("VersionStage"));
            }
            secret.remove_label(label);
            let response = secret.to_name(cx.scope());
            secret.put_changed(cx)?;
            return Ok(response);
        };
        let version = version::find(cx, &secret, to)?.ok_or_else(|| errors::version_not_found(to))?;
        if let Some(on) = on.as_ref().filter(|on| *on != to)
            && self.remove_from_version_id.is_none()
        {
            return Err(errors::label_is_attached(wire_label, on).with_field("RemoveFromVersionId"));
        }
        if label == labels::CURRENT && version.binary.is_none() {
            return Err(errors::version_has_no_value(to).with_field("MoveToVersionId"));
        }
        let response = secret.to_name(cx.scope());
        if on.as_ref() != Some(to) {
            secret.move_label(label, to)?;
            secret.put_changed(cx)?;
        }
        Ok(response)
    }
}
