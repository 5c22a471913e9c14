//! Versions of secrets: each has an ID, a value, and any number of labels.

pub(crate) mod batch;
pub(crate) mod labels;
pub(crate) mod rekey;
pub(crate) mod stage;
pub(crate) mod value;

use crate::{
    Secret, SecretManager, SecretRow,
    cross_account::SecretHandler,
    errors,
    secret::{SecretId, access, secret_row},
};
use nephos_cloud::{Key, Scope, Stored, Tx};
use nephos_core::{
    Blob, Error, Resource, Result, SignedDuration, Slot, Text, Timestamp, field_value::FieldType, operation,
    record_of,
};

/// Number of versions of a secret above which old versions without labels are removed.
const RETAINED_VERSIONS: usize = 100;

/// Maximum number of versions of a secret: enough for one every ten minutes on the day in which none is removed.
const MAX_VERSIONS: usize = 150;

/// Minimum age of a version without labels that is removed.
const MIN_REMOVAL_AGE: SignedDuration = SignedDuration::from_hours(24);

/// Name of the provider's default key.
const DEFAULT_KEY: &str = "DefaultEncryptionKey";

/// A version of a secret.
#[derive(Resource)]
#[resource(name = "VersionId", pk = "VersionId", no_delete)]
pub struct SecretVersion {
    /// ID of the version.
    #[field(service_set)]
    pub(crate) version_id: Option<Text>,
    /// Labels of the version; a version without labels may be removed.
    #[field(service_set, spellings = labels::SPELLINGS)]
    pub(crate) version_stages: Option<Vec<Text>>,
    /// Day on which the version was last read.
    #[field(service_set)]
    last_accessed_date: Option<Timestamp>,
    /// Time at which the version was created.
    #[field(service_set)]
    created_date: Option<Timestamp>,
    /// Keys that the version is encrypted with.
    #[field(wire = "KmsKeyIds", service_set)]
    crypto_key_ids: Option<Vec<Text>>,
    slot: Slot,
}

/// Row of a version, without its value.
#[record_of(of = SecretVersion, takes(version_id, created_date), row, hot, name = "SecretVersion")]
pub(crate) struct VersionRow {
    /// Name of the secret.
    name: Option<Text>,
    /// Key that the version is encrypted with; the provider's default key if absent.
    pub(crate) crypto_key_id: Option<Text>,
    /// True if the value is binary, false if it is text; absent while the version has no value.
    pub(crate) binary: Option<bool>,
    /// Data key that the value is sealed with, encrypted under the key of the version, if it is not that of the secret.
    #[field(sensitive)]
    pub(crate) data_key: Option<Blob>,
}

nephos_cloud::stored!(VersionRow in "secretsmanager/version" by name, version_id);

impl VersionRow {
    /// Returns a version of `secret` without a value, created now.
    pub(crate) fn new(cx: &Tx<'_>, secret: &SecretRow, id: &Text) -> Self {
        Self {
            name: secret.name.clone(),
            version_id: Some(id.clone()),
            created_date: Some(cx.now()),
            crypto_key_id: secret.crypto_key_id.clone(),
            binary: None,
            data_key: None,
        }
    }
}

/// Returns the key prefix of the versions of a secret.
pub(crate) fn key_prefix(scope: &Scope, name: &str) -> Key {
    VersionRow::table(scope).text(name)
}

/// Finds a version of a secret.
pub(crate) fn find(cx: &Tx<'_>, secret: &SecretRow, id: &str) -> Result<Option<VersionRow>> {
    cx.get(&key_prefix(cx.scope(), secret.own_name()).text(id))
}

/// Returns the ID of a new version: the idempotency token, or a new ID if the typed API was called without one. Clients on
/// the wire generate the token themselves; a request without one is refused with `missing`.
pub(crate) fn new_id(cx: &Tx<'_>, token: Option<Text>, missing: fn() -> Error) -> Result<Text> {
    match token {
        Some(token) => Ok(token),
        None if cx.is_from_wire() => Err(missing().with_field("ClientRequestToken")),
        None => Ok(cx.ids().uuid()),
    }
}

/// Checks that an idempotency token is not the ID of a version of the secret.
pub(crate) fn check_unused_id(cx: &Tx<'_>, secret: &SecretRow, id: &str) -> Result<()> {
    if find(cx, secret, id)?.is_none() {
        return Ok(());
    }
    Err(token_in_use(cx, secret, id))
}

/// Returns the error for an idempotency token that is the ID of another version of the secret.
pub(crate) fn token_in_use(cx: &Tx<'_>, secret: &SecretRow, id: &str) -> Error {
    errors::token_in_use(id, secret.arn(cx.scope())).with_field("ClientRequestToken")
}

/// Returns all versions of a secret.
pub(crate) fn find_all(cx: &Tx<'_>, name: &str) -> Result<Vec<VersionRow>> {
    cx.all(&key_prefix(cx.scope(), name))
}

/// Returns the versions to remove before another one is added: the oldest without labels that have the minimum age.
pub(crate) fn versions_to_remove(cx: &Tx<'_>, secret: &SecretRow) -> Result<Vec<VersionRow>> {
    let mut versions = find_all(cx, secret.own_name())?;
    let count = versions.len();
    if count < RETAINED_VERSIONS {
        return Ok(Vec::new());
    }
    let limit = cx.now().checked_sub(MIN_REMOVAL_AGE).unwrap_or(Timestamp::MIN);
    versions.retain(|version| {
        let labelled = secret.stages.iter().flatten().any(|(_, on)| Some(on) == version.version_id.as_ref());
        !labelled && version.created_date.is_some_and(|created| created <= limit)
    });
    versions.sort_by_key(|version| version.created_date);
    versions.truncate(count + 1 - RETAINED_VERSIONS);
    let left = count + 1 - versions.len();
    if left > MAX_VERSIONS {
        let hint = "versions without labels are removed after 24 hours";
        return Err(errors::too_many_versions(MAX_VERSIONS).with_hint(hint));
    }
    Ok(versions)
}

/// Lists the versions of a secret, in order of their IDs.
#[operation(
    of = SecretVersion, include(SecretId), call = "list", pages, returns(versions, next_token),
    effect = read, output = SecretVersions, subject = "secret:{SecretId}", access = read
)]
pub struct ListSecretVersionIds {
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size, range(1..=100))]
    pub max_results: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..=4096))]
    pub next_token: Option<Text>,
    /// True to include versions without labels.
    pub include_deprecated: Option<bool>,
}

/// A page of versions.
#[record_of(of = Secret, takes(arn, name), answer, name = "ListSecretVersionIdsResponse")]
pub struct SecretVersions {
    /// Versions on the page.
    versions: Option<Vec<SecretVersion>>,
    /// Pagination token of the next page.
    next_token: Option<Text>,
}

impl SecretHandler for ListSecretVersionIds {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<SecretVersions> {
        let secret = secret_row::require(cx, &self.secret_id)?;
        let accesses = access::version_accesses(cx, secret.own_name())?;
        let deprecated = self.include_deprecated == Some(true);
        let prefix = key_prefix(cx.scope(), secret.own_name());
        let to_model = |version: VersionRow| {
            let id = version.version_id.unwrap_or_default();
            let stages = secret.labels_of(&id);
            let mut model = SecretVersion::blank();
            model.last_accessed_date = accesses.get(&id).copied();
            model.version_id = Some(id);
            model.created_date = version.created_date;
            model.crypto_key_ids =
                Some(vec![version.crypto_key_id.unwrap_or_else(|| Text::const_new(DEFAULT_KEY))]);
            let shown = deprecated || !stages.is_empty();
            model.version_stages = (!stages.is_empty()).then_some(stages);
            Ok(shown.then_some(model))
        };
        let (versions, next_token) = cx.page_rows(&self, &prefix, to_model)?;
        Ok(SecretVersions {
            versions: Some(versions),
            next_token,
            arn: Some(secret.arn(cx.scope()).into()),
            name: secret.name,
        })
    }
}

/// Returns all versions of a secret, in order of their IDs.
#[operation(
    kind = Secret, include(SecretId), call = "versions", runs = ListSecretVersionIds,
    returns(versions: Vec<SecretVersion>, next_token), effect = read, on_model
)]
pub struct SecretListVersions {
    /// True to include versions without labels.
    pub include_deprecated: Option<bool>,
}
