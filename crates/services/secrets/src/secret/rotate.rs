//! Operations on rotation: turn on, rotate now, turn off.

use crate::{
    Secret, SecretManager, SecretVersionName,
    cross_account::SecretHandler,
    errors,
    secret::{SecretId, rotation, secret_row, window},
    version::{self, labels},
};
use nephos_cloud::Tx;
use nephos_core::{Record, Result, Text, operation};

/// Configures the rotation of a secret, and rotates it.
#[operation(
    of = Secret, include(SecretId),
    call = "rotate", on_model,
    takes(
        rotation_function_arn(length(..=2048), condition = "secretsmanager:RotationLambdaARN"), rotation_rules,
        external_secret_rotation_metadata,
        external_secret_rotation_role_arn(
            length(20..=2048), condition = "secretsmanager:ExternalSecretRotationRoleArn"
        )
    ),
    effect = write, output = SecretVersionName, subject = "secret:{SecretId}"
)]
pub struct RotateSecret {
    /// Idempotency token, which becomes the ID of the new version.
    #[field(idempotency_token, length(32..=64))]
    pub client_request_token: Option<Text>,
    /// True to rotate now; false to only test the rotation function and wait for the schedule. True by default.
    #[field(condition = "secretsmanager:RotateImmediately")]
    pub rotate_immediately: Option<bool>,
}

impl SecretHandler for RotateSecret {
    fn run_in_owner(mut self, cx: &mut Tx<'_>) -> Result<SecretVersionName> {
        let token = self.client_request_token.take();
        let id = version::new_id(cx, token, errors::rotation_without_client_token)?;
        let mut secret = secret_row::require_changeable(cx, &self.secret_id)?;
        if let Some(rules) = &self.rotation_rules {
            window::check_rules(rules, cx.now())?;
        }
        let requested = self.rotation_function_arn.take().filter(|function| !function.is_empty());
        let Some(function) = requested.or_else(|| secret.rotation_function_arn.clone()) else {
            return Err(errors::no_rotation_function().with_hint(secret.own_name()));
        };
        rotation::check_callable(cx, &function)?;
        rotation::check_idle(&secret, &id)?;
        let ongoing = secret.rotation.as_ref().and_then(|rotation| rotation.version_id.as_ref());
        if ongoing == Some(&id) || secret.version_with_label(labels::CURRENT) == Some(&id) {
            // A repeated request for the same rotation.
            return Ok(secret.to_version_name(cx.scope(), Some(id)));
        }
        if secret.version_with_label(labels::PENDING) != Some(&id) {
            version::check_unused_id(cx, &secret, &id)?;
        }
        let first = secret.rotation_enabled != Some(true);
        secret.rotation_enabled = Some(true);
        secret.rotation_function_arn = Some(function);
        let rescheduled = first || self.rotation_rules.is_some();
        secret.take_given(&mut self);
        if rescheduled {
            secret.schedule_rotation(cx, cx.now())?;
        }
        let trial = self.rotate_immediately == Some(false);
        secret.begin_rotation(cx, &id, None, trial)?;
        let response = secret.to_version_name(cx.scope(), Some(id).filter(|_| !trial));
        secret.put_changed(cx)?;
        Ok(response)
    }
}

/// Turns rotation off, and cancels a rotation in progress.
#[operation(
    of = Secret, include(SecretId), call = "cancel_rotation", on_model,
    effect = write, output = SecretVersionName, subject = "secret:{SecretId}"
)]
pub struct CancelRotateSecret {}

impl SecretHandler for CancelRotateSecret {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<SecretVersionName> {
        let mut secret = secret_row::require_changeable(cx, &self.secret_id)?;
        if secret.rotation_function_arn.is_none() {
            return Err(errors::no_rotation_function().with_hint(secret.own_name()));
        }
        let version = secret.rotation.as_ref().and_then(|rotation| rotation.version_id.clone());
        let response = secret.to_version_name(cx.scope(), version);
        if secret.rotation_enabled == Some(true) || secret.rotation.is_some() {
            secret.rotation_enabled = Some(false);
            (secret.rotation, secret.next_rotation_date, secret.rotation_opens) = (None, None, None);
            secret.put_changed(cx)?;
        }
        Ok(response)
    }
}
