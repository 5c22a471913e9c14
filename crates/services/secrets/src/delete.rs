//! Deleting secrets: at once, or after a while in which they can be restored.

use super::{
    Kept, SERVICE, Secret, SecretManager, SecretName, access, create, errors, kept, list, policy, value,
    versions,
};
use nephos_cloud::{Handler, Stored, Tx, Work};
use nephos_core::{Arn, Record, Result, SignedDuration, Steppable, Steps, Text, Timestamp, operation};

/// How many days a deleted secret can be restored, if nothing is said.
const WINDOW: i64 = 30;

/// Schedules a secret for deletion, or deletes it at once.
#[operation(service = SERVICE, effect = write, output = DeleteSecretResponse, subject = "secret:{SecretId}")]
pub struct DeleteSecret {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
    /// For how many days it can be restored, from 7 to 30; 30 if not said.
    pub recovery_window_in_days: Option<i64>,
    /// Whether it goes at once; then it need not even be there.
    pub force_delete_without_recovery: Option<bool>,
}

/// When a secret goes for good.
#[derive(Record)]
pub struct DeleteSecretResponse {
    /// The secret's resource name.
    #[field(name = "ARN")]
    arn: Option<Text>,
    /// The secret's name.
    name: Option<Text>,
    /// When it goes for good.
    deletion_date: Option<Timestamp>,
}

impl DeleteSecret {
    fn window(&self) -> Result<SignedDuration> {
        let wrong = |why: &str| Err(errors::INVALID.because(why).with_field("RecoveryWindowInDays"));
        match self.recovery_window_in_days {
            Some(_) if self.force_delete_without_recovery == Some(true) => {
                wrong("is for secrets that can be restored, not with ForceDeleteWithoutRecovery")
            }
            Some(days) if !(7..=30).contains(&days) => wrong("is from 7 to 30 days"),
            days => Ok(SignedDuration::from_hours(24 * days.unwrap_or(WINDOW))),
        }
    }
}

impl Handler for DeleteSecret {
    fn run(self, cx: &mut Tx<'_>) -> Result<DeleteSecretResponse> {
        let window = self.window()?;
        let forced = self.force_delete_without_recovery == Some(true);
        let Some(mut kept) = kept::find(cx, &self.secret_id)? else {
            if !forced {
                return Err(kept::not_found(&self.secret_id));
            }
            // Whoever wants it gone has what they want.
            let name = Arn::parts(&self.secret_id).map(|[.., resource]| resource);
            let name = name.and_then(|resource| resource.strip_prefix("secret:"));
            return Ok(DeleteSecretResponse {
                arn: Some(kept::subject(cx.scope(), &self.secret_id).into()),
                name: Some(name.unwrap_or(&self.secret_id).into()),
                deletion_date: Some(cx.now()),
            });
        };
        kept.must_be_primary(cx.scope())?;
        if kept.replicas.is_some() {
            let why = format!("secret {} has replicas; remove them first", kept.called());
            return Err(errors::INVALID_REQUEST.because(why));
        }
        let (arn, name) = (Some(kept.arn(cx.scope()).into()), kept.name.clone());
        if forced {
            remove(cx, &kept)?;
            return Ok(DeleteSecretResponse { arn, name, deletion_date: Some(cx.now()) });
        }
        kept.must_be_active()?;
        let date = cx.now().checked_add(window).unwrap_or(Timestamp::MAX);
        (kept.deleted_date, kept.deletion_date) = (Some(cx.now()), Some(date));
        cx.at(date, &Purge { name: kept.name.clone(), suffix: kept.suffix.clone() })?;
        kept.put_changed(cx)?;
        Ok(DeleteSecretResponse { arn, name, deletion_date: Some(date) })
    }
}

/// Removes a secret and everything of it.
pub(super) fn remove(cx: &mut Tx<'_>, kept: &Kept) -> Result<()> {
    let (scope, name) = (cx.scope().clone(), kept.called());
    cx.remove(kept)?;
    cx.add_to_count(create::COUNTED, -1)?;
    list::unindex(cx, kept)?;
    for key in [access::key(&scope, name), policy::key(&scope, name)] {
        cx.remove_row(&key)?;
    }
    for within in [versions::within(&scope, name), value::within(&scope, name)] {
        cx.remove_all(&within.within())?;
    }
    Ok(())
}

/// Removes a secret that nobody restored in time.
#[derive(Record)]
pub struct Purge {
    /// The secret's name.
    name: Option<Text>,
    /// What follows the name in its resource name.
    suffix: Option<Text>,
}

impl Work for Purge {
    const NAME: &'static str = "secretsmanager/purge";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let key = Kept::table(cx.scope()).text(self.name.as_deref().unwrap_or_default());
        match cx.get::<Kept>(&key)? {
            // It may have been restored, and deleted again for longer, or be another one of the same name.
            Some(kept)
                if kept.suffix == self.suffix && kept.deletion_date.is_some_and(|at| at <= cx.now()) =>
            {
                remove(cx, &kept)
            }
            _ => Ok(()),
        }
    }
}

/// Takes back the deletion of a secret.
#[operation(service = SERVICE, effect = write, output = SecretName, subject = "secret:{SecretId}")]
pub struct RestoreSecret {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
}

impl Handler for RestoreSecret {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecretName> {
        let mut kept = kept::require(cx, &self.secret_id)?;
        kept.must_be_primary(cx.scope())?;
        let told = SecretName::of(&kept, cx.scope());
        if kept.deleted_date.is_some() {
            (kept.deleted_date, kept.deletion_date) = (None, None);
            kept.resume_rotation(cx)?;
            kept.put_changed(cx)?;
        }
        Ok(told)
    }
}

/// Schedules a secret for deletion, or deletes it at once.
#[operation(kind = Secret, call = "delete", effect = write, output = DeleteSecretResponse, instance)]
pub struct Delete {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
    /// For how many days it can be restored, from 7 to 30; 30 if not said.
    pub recovery_window_in_days: Option<i64>,
    /// Whether it goes at once.
    pub force_delete_without_recovery: Option<bool>,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<DeleteSecretResponse> {
        let delete = DeleteSecret::new(self.secret_id.clone())
            .recovery_window_in_days(self.recovery_window_in_days)
            .force_delete_without_recovery(self.force_delete_without_recovery);
        steps.call(delete).await
    }
}

/// Takes back the deletion of a secret.
#[operation(kind = Secret, call = "restore", effect = write, output = SecretName, instance)]
pub struct Restore {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
}

impl Steppable for Restore {
    async fn run(&self, steps: &Steps) -> Result<SecretName> {
        steps.call(RestoreSecret::new(self.secret_id.clone())).await
    }
}
