//! Rows of secrets: lookup by name or ARN, and the steps that every change shares.

use crate::{
    DescribeSecretResponse, ReplicationStatus, SERVICE, Secret, SecretName, SecretRow, SecretVersionName,
    errors,
    secret::{access, replication},
    version::labels,
};
use nephos_cloud::{DataKey, KeyUse, Scope, Stored, Tx, is_key_refusal};
use nephos_core::{Arn, Blob, Error, ErrorKind, Record, Result, Text};

/// Number of random characters after the name of a secret in its ARN.
pub(crate) const SUFFIX_LENGTH: usize = 6;

nephos_cloud::stored!(SecretRow in "secretsmanager/secret" by name);

impl SecretRow {
    /// Returns the name, which every stored secret has.
    pub(crate) fn own_name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// Returns the ARN of the secret in `scope`.
    pub(crate) fn arn(&self, scope: &Scope) -> Arn {
        let suffix = self.suffix.as_deref().unwrap_or_default();
        scope.arn("secretsmanager", &["secret:", self.own_name(), "-", suffix])
    }

    /// Returns the ARN and the name of the secret in `scope`.
    pub(crate) fn to_name(&self, scope: &Scope) -> SecretName {
        SecretName { arn: Some(self.arn(scope).into()), name: self.name.clone() }
    }

    /// Returns the ARN and the name of the secret in `scope`, and the ID of a version.
    pub(crate) fn to_version_name(&self, scope: &Scope, version_id: Option<Text>) -> SecretVersionName {
        SecretVersionName { arn: Some(self.arn(scope).into()), name: self.name.clone(), version_id }
    }

    /// True if the secret is a replica of a secret in another Region.
    pub(crate) fn is_replica(&self, scope: &Scope) -> bool {
        self.primary_region.as_deref().is_some_and(|primary| primary != scope.region())
    }

    /// Checks that the secret is not scheduled for deletion.
    pub(crate) fn check_active(&self) -> Result<()> {
        if self.deleted_date.is_none() {
            return Ok(());
        }
        Err(errors::secret_marked_for_deletion().with_hint(self.own_name()))
    }

    /// Checks that the secret is not a replica.
    pub(crate) fn check_primary(&self, scope: &Scope) -> Result<()> {
        if !self.is_replica(scope) {
            return Ok(());
        }
        let primary = self.primary_region.as_deref().unwrap_or_default();
        Err(errors::replica_is_read_only().with_hint(format!("the primary is in {primary}")))
    }

    /// Opens the data key that the values are sealed with, which is encrypted under the crypto key of the secret.
    pub(crate) fn open_data_key(&self, cx: &mut Tx<'_>) -> Result<DataKey> {
        let sealed = self.data_key.as_ref().ok_or_else(|| decryption_error("the secret has no data key"))?;
        self.open_own_key(cx, sealed)
    }

    /// Opens a data key of this secret.
    pub(crate) fn open_own_key(&self, cx: &mut Tx<'_>, sealed: &Blob) -> Result<DataKey> {
        let arn = self.arn(cx.scope());
        let context = [("SecretARN", arn.as_str())];
        cx.data_key_under(&key_use(&context), &[arn.as_str()], sealed)
            .map_err(|error| key_error(error, errors::decryption_failed))
    }

    /// Opens the data key that the values are sealed with; creates it if the secret has none yet.
    pub(crate) fn open_or_create_data_key(&mut self, cx: &mut Tx<'_>) -> Result<DataKey> {
        if self.data_key.is_some() {
            return self.open_data_key(cx);
        }
        let arn = self.arn(cx.scope());
        let context = [("SecretARN", arn.as_str())];
        let created =
            cx.new_data_key_under(self.crypto_key_id.as_deref(), &key_use(&context), &[arn.as_str()]);
        let (key, sealed) = created.map_err(|error| key_error(error, errors::encryption_failed))?;
        self.data_key = Some(sealed);
        Ok(key)
    }

    /// Stores the secret as changed now, and schedules the update of its replicas.
    pub(crate) fn put_changed(mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.last_changed_date = Some(cx.now());
        replication::schedule_update(cx, &mut self)?;
        cx.put(self)
    }

    /// Returns the status of the replicas, if there are any.
    pub(crate) fn replication_status(&self, cx: &Tx<'_>) -> Result<Option<Vec<ReplicationStatus>>> {
        self.replicas.as_ref().map(|replicas| replication::replica_statuses(cx, self, replicas)).transpose()
    }

    /// Returns the answer of `DescribeSecret`, with the status of the replicas.
    pub(crate) fn into_description(self, cx: &Tx<'_>) -> Result<DescribeSecretResponse> {
        let replication_status = self.replication_status(cx)?;
        Ok(DescribeSecretResponse { replication_status, ..self.into_model(cx)?.into() })
    }

    /// Returns the secret as a model.
    pub(crate) fn into_model(self, cx: &Tx<'_>) -> Result<Secret> {
        let arn = Some(self.arn(cx.scope()).into());
        let last_accessed_date = access::last_access(cx, self.own_name())?;
        let secret_versions_to_stages = labels::labels_by_version(&self);
        let secret = Secret::from_given(self);
        Ok(Secret { arn, last_accessed_date, secret_versions_to_stages, ..secret })
    }
}

/// Use of a crypto key by a secret.
fn key_use<'u>(context: &'u [(&'u str, &'u str)]) -> KeyUse<'u> {
    KeyUse { service: &SERVICE, context, principal: None }
}

/// Returns the error for a crypto key that cannot be used: access is denied, or `failed`.
fn key_error(error: Error, failed: fn() -> Error) -> Error {
    match error.kind() {
        ErrorKind::Denied => errors::key_access_denied().with_hint(error.message()),
        ErrorKind::Corrupt => failed().with_hint(error.message()),
        _ if is_key_refusal(&error) => failed().with_hint(error.message()),
        _ => error,
    }
}

/// Returns the error for a value that cannot be decrypted.
pub(crate) fn decryption_error(reason: &str) -> Error {
    errors::decryption_failed().with_hint(reason)
}

/// Checks that a text has only characters that are allowed in names of secrets.
pub(crate) fn check_name(name: &str, field: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/_+=.@!-".contains(&byte);
    if name.bytes().all(allowed) { Ok(()) } else { Err(errors::invalid_name().with_field(field)) }
}

/// Returns the names that a name or ARN can stand for, each with the suffix of the ARN if it has one.
fn candidate_names<'i>(scope: &Scope, id: &'i str) -> Result<Vec<(&'i str, Option<&'i str>)>> {
    let Some([_, service, region, account, resource]) = Arn::parts(id) else {
        check_name(id, "SecretId")?;
        return Ok(vec![(id, None)]);
    };
    let Some(rest) = resource.strip_prefix("secret:").filter(|_| service == "secretsmanager") else {
        let hint = format!("{id:?} is not the ARN of a secret");
        return Err(errors::invalid_name().with_field("SecretId").with_hint(hint));
    };
    if (account, region) != (scope.account(), scope.region()) {
        return Ok(Vec::new());
    }
    let whole = rest.len().checked_sub(SUFFIX_LENGTH + 1).and_then(|at| rest.split_at_checked(at));
    let whole = whole.and_then(|(name, rest)| Some((name, Some(rest.strip_prefix('-')?))));
    // An ARN without its suffix is also accepted.
    Ok(whole.into_iter().chain([(rest, None)]).collect())
}

/// Finds the secret with the name or ARN `id`.
pub(crate) fn find(cx: &Tx<'_>, id: &str) -> Result<Option<SecretRow>> {
    for (name, suffix) in candidate_names(cx.scope(), id)? {
        let found = cx.get::<SecretRow>(&SecretRow::table(cx.scope()).text(name))?;
        if let Some(found) = found.filter(|found| suffix.is_none() || found.suffix.as_deref() == suffix) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Finds the secret with this name, unless it was deleted and created again, which changes the suffix.
pub(crate) fn find_with_suffix(
    cx: &Tx<'_>,
    name: &Option<Text>,
    suffix: &Option<Text>,
) -> Result<Option<SecretRow>> {
    let key = SecretRow::table(cx.scope()).text(name.as_deref().unwrap_or_default());
    Ok(cx.get::<SecretRow>(&key)?.filter(|secret| secret.suffix == *suffix))
}

/// Returns the secret with the name or ARN `id`, or an error if it does not exist.
pub(crate) fn require(cx: &Tx<'_>, id: &str) -> Result<SecretRow> {
    find(cx, id)?.ok_or_else(|| errors::secret_not_found().with_hint(id))
}

/// Returns the secret with the name or ARN `id`, or an error if it does not exist, is a replica, or is scheduled for
/// deletion.
pub(crate) fn require_changeable(cx: &Tx<'_>, id: &str) -> Result<SecretRow> {
    let secret = require(cx, id)?;
    secret.check_primary(cx.scope())?;
    secret.check_active()?;
    Ok(secret)
}

/// Returns the ARN that an operation on `id` acts on.
pub(crate) fn subject_arn(scope: &Scope, id: &str) -> Arn {
    Arn::read(id).unwrap_or_else(|| scope.arn("secretsmanager", &["secret:", id]))
}
