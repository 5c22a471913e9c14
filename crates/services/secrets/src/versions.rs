//! SecretListVersions of secrets: each has an id, a value, and any number of labels.

use super::{
    SERVICE, Secret, SecretManager, SecretRow, access, errors, labels, secret::SecretId, secret_row,
};
use nephos_cloud::{Handler, Key, Scope, Stored, Tx};
use nephos_core::{
    Listing, ManagerOperation, PageRequest, Record, Resource, Result, SignedDuration, Slot, Text, Timestamp,
    WorkflowContext, field_value::FieldType, operation,
};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// Number of versions of a secret above which old versions without labels are removed.
const RETAINED_VERSIONS: usize = 100;

/// Maximum number of versions of a secret: one every ten minutes for the day in which none is removed, and some more.
const MAX_VERSIONS: usize = 150;

/// Minimum age at which a version without labels is removed.
const MIN_REMOVAL_AGE: SignedDuration = SignedDuration::from_hours(24);

/// Name of the provider's own key.
const DEFAULT_KEY: &str = "DefaultEncryptionKey";

/// A version of a secret.
#[derive(Resource)]
#[resource(service = SERVICE, name = "VersionId", pk = "VersionId", calls(ListSecretVersionIds))]
pub struct SecretVersion {
    /// ID.
    #[field(service_set)]
    pub(super) version_id: Option<Text>,
    /// Labels; a version that has none may be removed.
    #[field(service_set, spellings = labels::SPELLINGS)]
    pub(super) version_stages: Option<Vec<Text>>,
    /// Day on which it was last read.
    #[field(service_set)]
    last_accessed_date: Option<Timestamp>,
    /// Time at which it was made.
    #[field(service_set)]
    created_date: Option<Timestamp>,
    /// Keys that it is encrypted with.
    #[field(wire = "KmsKeyIds", service_set)]
    crypto_key_ids: Option<Vec<Text>>,
    slot: Slot,
}

/// A version without its value: its row.
#[derive(Record)]
#[record(row, hot, name = "SecretVersion")]
pub(crate) struct VersionRow {
    /// The secret.
    name: Option<Text>,
    /// The id.
    pub(super) version_id: Option<Text>,
    /// Time at which it was made.
    pub(super) created_date: Option<Timestamp>,
    /// Key that it is encrypted with; the provider's own if absent.
    pub(super) crypto_key_id: Option<Text>,
    /// True if its value is bytes, false if it is text; absent as long as it has none.
    pub(super) binary: Option<bool>,
}

nephos_cloud::stored!(VersionRow in "secretsmanager/version" by name, version_id);

impl VersionRow {
    /// A version of `secret`, without a value, as made now.
    pub(super) fn new(cx: &Tx<'_>, secret: &SecretRow, id: &Text) -> Self {
        Self {
            name: secret.name.clone(),
            version_id: Some(id.clone()),
            created_date: Some(cx.now()),
            crypto_key_id: secret.crypto_key_id.clone(),
            binary: None,
        }
    }
}

/// The versions of a secret.
pub(super) fn key_prefix(scope: &Scope, name: &str) -> Key {
    VersionRow::table(scope).text(name)
}

/// A version of a secret, if there is one.
pub(super) fn find(cx: &Tx<'_>, secret: &SecretRow, id: &str) -> Result<Option<VersionRow>> {
    cx.get(&key_prefix(cx.scope(), secret.own_name()).text(id))
}

pub(super) fn not_found(id: &str) -> nephos_core::Error {
    let message = format!("Secrets Manager can't find the specified secret value for VersionId: {id}");
    errors::NOT_FOUND.with_message(message)
}

/// Refuses an ID, given as the idempotency token, that a version of the secret has already.
pub(super) fn check_unused_id(cx: &Tx<'_>, secret: &SecretRow, id: &str) -> Result<()> {
    if find(cx, secret, id)?.is_none() {
        return Ok(());
    }
    Err(token_in_use(cx, secret, id).with_field("ClientRequestToken"))
}

/// The error for an idempotency token that is the ID of another version of the secret.
pub(super) fn token_in_use(cx: &Tx<'_>, secret: &SecretRow, id: &str) -> nephos_core::Error {
    let arn = secret.arn(cx.scope());
    errors::EXISTS.with_message(format!(
        "You can't use ClientRequestToken {id} because that value is already in use for a version of secret {arn}."
    ))
}

/// All versions of a secret.
pub(super) fn find_all(cx: &Tx<'_>, name: &str) -> Result<Vec<VersionRow>> {
    let mut versions = Vec::new();
    cx.scan(
        cx.scope(),
        &key_prefix(cx.scope(), name).prefix_range(),
        Direction::Ascending,
        |version: VersionRow| {
            versions.push(version);
            ControlFlow::Continue(())
        },
    )?;
    Ok(versions)
}

/// Which versions make room for another one: the oldest of those that have no label and are not young.
pub(super) fn versions_to_remove(cx: &Tx<'_>, secret: &SecretRow) -> Result<Vec<VersionRow>> {
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
        let message = format!(
            "a secret can have at most {MAX_VERSIONS} versions, got {left}; \
             versions without labels can be removed after 24 hours"
        );
        return Err(errors::LIMIT_EXCEEDED.with_message(message));
    }
    Ok(versions)
}

/// Lists the versions of a secret, in order of their ids.
#[operation(
    service = SERVICE, of = SecretVersion, also(SecretId), call = "list", pages, gives(versions, next_token),
    effect = read, output = SecretVersions, subject = "secret:{SecretId}"
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
#[derive(Record)]
#[record(answer, name = "ListSecretVersionIdsResponse")]
pub struct SecretVersions {
    /// The versions.
    versions: Option<Vec<SecretVersion>>,
    /// Pagination token of the next page.
    next_token: Option<Text>,
    /// ARN of the secret.
    #[field(name = "ARN")]
    arn: Option<Text>,
    /// Name of the secret.
    name: Option<Text>,
}

impl Handler for ListSecretVersionIds {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecretVersions> {
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
        let (versions, next_token) = cx.page_rows(&self, &prefix, Direction::Ascending, to_model)?;
        Ok(SecretVersions {
            versions: Some(versions),
            next_token,
            arn: Some(secret.arn(cx.scope()).into()),
            name: secret.name,
        })
    }
}

/// The versions of a secret, in order of their ids.
#[operation(kind = Secret, also(SecretId), call = "versions", effect = read, output = Vec<SecretVersion>, instance)]
pub struct SecretListVersions {
    /// True to include versions without labels.
    pub include_deprecated: Option<bool>,
}

impl ManagerOperation for SecretListVersions {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<SecretVersion>> {
        let list =
            ListSecretVersionIds::new(self.secret_id.clone()).include_deprecated(self.include_deprecated);
        let (mut versions, mut request) = (Vec::new(), PageRequest::first());
        loop {
            let page = list.page(context, &request).await?;
            versions.extend(page.items);
            match page.next_token {
                None => return Ok(versions),
                token => request.token = token,
            }
        }
    }
}
