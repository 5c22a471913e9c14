//! Deletion of secrets: immediate, or after a recovery window in which they can be restored.

use crate::{
    Secret, SecretManager, SecretName, SecretRow,
    cross_account::SecretHandler,
    errors,
    secret::{
        SecretId, access, create, list, policy,
        secret_row::{self, find_with_suffix},
    },
    version::{self, value},
};
use nephos_cloud::{Tx, Work};
use nephos_core::{Arn, Result, SignedDuration, Text, Timestamp, operation, record_of};

/// Default recovery window in days.
const DEFAULT_RECOVERY_DAYS: i64 = 30;

/// Schedules a secret for deletion, or deletes it immediately.
#[operation(
    of = Secret, include(SecretId), call = "delete", on_model,
    effect = write, output = DeleteSecretResponse, subject = "secret:{SecretId}"
)]
pub struct DeleteSecret {
    /// Recovery window in days, from 7 to 30; 30 by default.
    #[field(condition = "secretsmanager:RecoveryWindowInDays")]
    pub recovery_window_in_days: Option<i64>,
    /// True to delete the secret immediately, without recovery; no error if it does not exist.
    #[field(condition = "secretsmanager:ForceDeleteWithoutRecovery")]
    pub force_delete_without_recovery: Option<bool>,
}

/// ARN and name of the secret that was deleted.
#[record_of(of = Secret, takes(arn, name), answer)]
pub struct DeleteSecretResponse {
    /// Time at which the secret is removed.
    deletion_date: Option<Timestamp>,
}

impl DeleteSecret {
    fn recovery_window(&self) -> Result<SignedDuration> {
        match self.recovery_window_in_days {
            Some(_) if self.force_delete_without_recovery == Some(true) => {
                Err(errors::forced_deletion_with_window().with_field("RecoveryWindowInDays"))
            }
            Some(days) if !(7..=30).contains(&days) => Err(errors::recovery_window_out_of_range()
                .with_field("RecoveryWindowInDays")
                .with_hint(format!("got {days}"))),
            days => Ok(SignedDuration::from_hours(24 * days.unwrap_or(DEFAULT_RECOVERY_DAYS))),
        }
    }
}

impl SecretHandler for DeleteSecret {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<DeleteSecretResponse> {
        let window = self.recovery_window()?;
        let forced = self.force_delete_without_recovery == Some(true);
        let Some(mut secret) = secret_row::find(cx, &self.secret_id)? else {
            if !forced {
                return Err(errors::secret_not_found().with_hint(self.secret_id));
            }
            // A forced deletion is idempotent: a missing secret counts as deleted.
            let name = Arn::parts(&self.secret_id).map(|[.., resource]| resource);
            let name = name.and_then(|resource| resource.strip_prefix("secret:"));
            return Ok(DeleteSecretResponse {
                arn: Some(secret_row::subject_arn(cx.scope(), &self.secret_id).into()),
                name: Some(name.unwrap_or(&self.secret_id).into()),
                deletion_date: Some(cx.now()),
            });
        };
        secret.check_primary(cx.scope())?;
        if let Some(replicas) = &secret.replicas {
            let regions: Vec<_> = replicas.iter().filter_map(|replica| replica.region.as_deref()).collect();
            return Err(errors::secret_has_replicas(secret.arn(cx.scope()), regions.join(", ")));
        }
        let (arn, name) = (Some(secret.arn(cx.scope()).into()), secret.name.clone());
        if forced {
            remove(cx, &secret)?;
            return Ok(DeleteSecretResponse { arn, name, deletion_date: Some(cx.now()) });
        }
        secret.check_active()?;
        let date = cx.now().checked_add(window).unwrap_or(Timestamp::MAX);
        (secret.deleted_date, secret.deletion_date) = (Some(cx.now()), Some(date));
        cx.schedule(date, &Purge { name: secret.name.clone(), suffix: secret.suffix.clone() })?;
        secret.put_changed(cx)?;
        Ok(DeleteSecretResponse { arn, name, deletion_date: Some(date) })
    }
}

/// Removes a secret with its versions, values, policy and access times.
pub(crate) fn remove(cx: &mut Tx<'_>, secret: &SecretRow) -> Result<()> {
    let (scope, name) = (cx.scope().clone(), secret.own_name());
    cx.remove(secret)?;
    create::SECRETS_QUOTA.remove_one(cx)?;
    list::unindex(cx, secret)?;
    for key in [access::key(&scope, name), policy::key(&scope, name)] {
        cx.remove_row(&key)?;
    }
    for prefix in [version::key_prefix(&scope, name), value::key_prefix(&scope, name)] {
        cx.remove_all(&prefix.prefix_range())?;
    }
    Ok(())
}

/// Due work that removes a secret at the end of its recovery window.
#[record_of(of = Secret, takes(name), row)]
pub(crate) struct Purge {
    /// Random characters after the name in the ARN.
    suffix: Option<Text>,
}

impl Work for Purge {
    const NAME: &'static str = "secretsmanager/purge";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        // The secret may have been restored, deleted again with a longer window, or replaced by another of that name.
        let secret = find_with_suffix(cx, &self.name, &self.suffix)?;
        match secret.filter(|secret| secret.deletion_date.is_some_and(|at| at <= cx.now())) {
            Some(secret) => remove(cx, &secret),
            None => Ok(()),
        }
    }
}

/// Restores a secret that is scheduled for deletion.
#[operation(
    of = Secret, include(SecretId), call = "restore", on_model,
    effect = write, output = SecretName, subject = "secret:{SecretId}"
)]
pub struct RestoreSecret {}

impl SecretHandler for RestoreSecret {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<SecretName> {
        let mut secret = secret_row::require(cx, &self.secret_id)?;
        secret.check_primary(cx.scope())?;
        let response = secret.to_name(cx.scope());
        if secret.deleted_date.is_some() {
            (secret.deleted_date, secret.deletion_date) = (None, None);
            secret.resume_rotation(cx)?;
            secret.put_changed(cx)?;
        }
        Ok(response)
    }
}
