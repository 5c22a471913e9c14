//! Revocation files of trust stores: lists of client certificates that are no longer valid.
//!
//! A file is an object in a bucket. Buckets are not emulated: the number of revoked certificates is unknown.

use super::{TrustStore, TrustStoreManager, bucket};
use crate::{errors, paging::Page, validation::has_items};
use nephos_cloud::{Addressed, Handler, Stored, StoredResource, Tx};
use nephos_core::{Empty, Record, Result, Text, choices, field_value::FieldType, operation};

/// Maximum number of revocation files of a trust store.
const MAX_REVOCATIONS: usize = 30;

choices! {
    /// Type of a revocation file.
    pub enum RevocationType {
        /// Certificate revocation list.
        Crl = "CRL",
    }
}

/// Location of a revocation file.
#[derive(Record)]
pub struct RevocationContent {
    /// Bucket of the file. Required.
    s3_bucket: Option<Text>,
    /// Key of the file in the bucket. Required.
    s3_key: Option<Text>,
    /// Version of the file; the newest by default.
    s3_object_version: Option<Text>,
    /// Type of the file; CRL by default.
    revocation_type: Option<RevocationType>,
}

/// A revocation file of a trust store.
#[derive(Record)]
pub struct TrustStoreRevocation {
    /// ARN of the trust store.
    trust_store_arn: Option<Text>,
    /// ID of the revocation file.
    revocation_id: Option<i64>,
    /// Type of the file.
    revocation_type: Option<RevocationType>,
    /// Number of revoked certificates; absent in the cloud in this process, which does not read buckets.
    number_of_revoked_entries: Option<i64>,
}

/// Location of a revocation file, with its ID.
#[derive(Record)]
#[record(row)]
pub(crate) struct NumberedContent {
    /// ID of the revocation file.
    id: Option<i64>,
    /// Location.
    content: Option<RevocationContent>,
}

/// Row of the revocation files of a trust store.
#[derive(Record)]
#[record(row)]
pub(crate) struct RevocationsRow {
    /// Name of the trust store.
    store: Option<Text>,
    /// Highest ID that was assigned. IDs are not used again.
    last_id: Option<i64>,
    /// Revocation files, in order of their IDs.
    files: Option<Vec<NumberedContent>>,
}

nephos_cloud::stored!(RevocationsRow in "elbv2/revocations" by store);

impl RevocationsRow {
    fn get(cx: &Tx<'_>, store: &TrustStore) -> Result<Self> {
        let row: Option<Self> = cx.get(&Self::table(cx.scope()).text(store.own_name()))?;
        Ok(row.unwrap_or_else(|| Self { store: store.name.clone(), ..Self::blank() }))
    }

    fn files(&self) -> &[NumberedContent] {
        self.files.as_deref().unwrap_or_default()
    }

    /// Returns the file with this ID.
    fn require(&self, id: i64) -> Result<&NumberedContent> {
        let mut files = self.files().iter();
        let file = files.find(|file| file.id == Some(id));
        file.ok_or_else(|| errors::revocation_id_not_found().with_hint(id.to_string()))
    }

    /// Stores the row and the total of revoked certificates, which is only known without files.
    fn put(self, cx: &mut Tx<'_>, mut store: TrustStore) -> Result<()> {
        store.total_revoked_entries = self.files().is_empty().then_some(0);
        cx.put(store)?;
        cx.put(self)
    }
}

/// Removes the revocation files of a trust store that is deleted.
pub(super) fn remove_all(cx: &mut Tx<'_>, store: &TrustStore) -> Result<()> {
    let row = RevocationsRow::get(cx, store)?;
    cx.remove(&row)
}

impl NumberedContent {
    fn describe(&self, store: &TrustStore) -> TrustStoreRevocation {
        TrustStoreRevocation {
            trust_store_arn: store.trust_store_arn.clone(),
            revocation_id: self.id,
            revocation_type: self.content.as_ref().and_then(|content| content.revocation_type.clone()),
            number_of_revoked_entries: None,
        }
    }
}

impl RevocationContent {
    /// Fills in the type and refuses an incomplete location, or a bucket that cannot exist.
    fn normalized(mut self) -> Result<Self> {
        let is_given = |text: &Option<Text>| text.as_ref().is_some_and(|text| !text.is_empty());
        if !is_given(&self.s3_bucket) {
            return Err(errors::setting_missing("S3 bucket").with_field("S3Bucket"));
        }
        if !is_given(&self.s3_key) {
            return Err(errors::setting_missing("S3 key").with_field("S3Key"));
        }
        if !self.s3_bucket.as_deref().is_some_and(bucket::is_bucket_name) {
            return Err(errors::revocation_not_found().with_field("S3Bucket"));
        }
        self.revocation_type.get_or_insert(RevocationType::Crl);
        Ok(self)
    }
}

/// Adds revocation files to a trust store.
#[operation(
    of = TrustStore, call = "add_revocations", needs(trust_store_arn),
    wraps(trust_store_revocations: Vec<TrustStoreRevocation>), effect = write
)]
pub struct AddTrustStoreRevocations {
    /// Locations of the revocation files. Required.
    pub revocation_contents: Option<Vec<RevocationContent>>,
}

impl Handler for AddTrustStoreRevocations {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        const FIELD: &str = "RevocationContents";
        let store = TrustStore::require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let contents = self.revocation_contents.unwrap_or_default();
        if contents.is_empty() {
            return Err(errors::setting_missing("revocation content").with_field(FIELD));
        }
        let mut row = RevocationsRow::get(cx, &store)?;
        let (mut files, mut added) = (row.files.take().unwrap_or_default(), Vec::new());
        for (n, content) in contents.into_iter().enumerate() {
            let content = content.normalized().map_err(|error| error.in_field(&format!("{FIELD}[{n}]")))?;
            row.last_id = Some(row.last_id.unwrap_or_default() + 1);
            files.push(NumberedContent { id: row.last_id, content: Some(content) });
            added.extend(files.last().map(|file| file.describe(&store)));
        }
        if files.len() > MAX_REVOCATIONS {
            return Err(errors::too_many_revocations().with_field(FIELD).with_hint(format!(
                "a trust store can have at most {MAX_REVOCATIONS} revocation files, got {}",
                files.len()
            )));
        }
        row.files = Some(files);
        row.put(cx, store)?;
        Ok(added.into())
    }
}

/// Removes revocation files from a trust store.
#[operation(of = TrustStore, call = "remove_revocations", needs(trust_store_arn), effect = write)]
pub struct RemoveTrustStoreRevocations {
    /// IDs of the revocation files.
    pub revocation_ids: Vec<i64>,
}

impl Handler for RemoveTrustStoreRevocations {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let store = TrustStore::require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let mut row = RevocationsRow::get(cx, &store)?;
        self.revocation_ids.iter().try_for_each(|id| row.require(*id).map(drop))?;
        let is_kept = |file: &NumberedContent| file.id.is_some_and(|id| !self.revocation_ids.contains(&id));
        if row.files().iter().all(is_kept) {
            return Ok(Empty {});
        }
        row.files.iter_mut().for_each(|files| files.retain(is_kept));
        row.put(cx, store)?;
        Ok(Empty {})
    }
}

/// Describes the revocation files of a trust store, in order of their IDs: all of them, or those with the given IDs.
#[operation(
    of = TrustStore, call = "revocations", on_model, needs(trust_store_arn),
    page(trust_store_revocations: TrustStoreRevocation, next_marker), include(Page), effect = read, subject = "*"
)]
pub struct DescribeTrustStoreRevocations {
    /// IDs of the revocation files.
    pub revocation_ids: Option<Vec<i64>>,
}

impl Handler for DescribeTrustStoreRevocations {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let store = TrustStore::require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let row = RevocationsRow::get(cx, &store)?;
        let ids = self.revocation_ids.as_deref().unwrap_or_default();
        ids.iter().try_for_each(|id| row.require(*id).map(drop))?;
        let all = !has_items(&self.revocation_ids);
        let is_selected = |file: &&NumberedContent| all || file.id.is_some_and(|id| ids.contains(&id));
        let files = row.files().iter().filter(is_selected).map(|file| file.describe(&store));
        let position =
            |file: &TrustStoreRevocation| format!("{:020}", file.revocation_id.unwrap_or_default()).into();
        Ok(cx.page_items(&self, files, position)?.into())
    }
}

/// Returns the location of a revocation file of a trust store: its address at the provider. It is not signed: buckets are
/// not emulated.
#[operation(
    of = TrustStore, call = "revocation_content", needs(trust_store_arn), wraps(location: Text), effect = read
)]
pub struct GetTrustStoreRevocationContent {
    /// ID of the revocation file.
    pub revocation_id: i64,
}

impl Handler for GetTrustStoreRevocationContent {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let store = TrustStore::require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let row = RevocationsRow::get(cx, &store)?;
        let content =
            row.require(self.revocation_id)?.content.clone().unwrap_or_else(RevocationContent::blank);
        let location: Text = bucket::object_address(
            cx.scope(),
            content.s3_bucket.as_deref().unwrap_or_default(),
            content.s3_key.as_deref().unwrap_or_default(),
            content.s3_object_version.as_deref(),
        );
        Ok(location.into())
    }
}
