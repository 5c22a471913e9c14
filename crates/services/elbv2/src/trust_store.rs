//! Trust stores: bundles of CA certificates that listeners verify client certificates against.
//!
//! The bundle is an object in a bucket. Buckets are not emulated: the object is assumed to exist if a bucket can have that
//! name, and the number of its certificates is unknown.

pub(crate) mod bucket;
mod operations;
mod revocations;
mod sharing;

pub use operations::*;
pub use revocations::*;
pub use sharing::*;

use super::{Listener, errors};
use nephos_cloud::{Addressed, Stored, StoredResource, Tx};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, choices};

choices! {
    /// Status of a trust store.
    pub enum TrustStoreStatus {
        /// Ready for use.
        Active = "ACTIVE",
        /// Being created.
        Creating = "CREATING",
    }
}

/// A trust store: a bundle of CA certificates that listeners verify client certificates against.
#[derive(Resource)]
#[resource(
    arn("TrustStoreArn", "truststore/{Name}/{}"),
    not_found = |which| errors::trust_stores_not_found().with_hint(which),
    name = "Name", pk = "TrustStoreArn", exists_if = "TrustStoreArn", tags = "Tags"
)]
pub struct TrustStore {
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=32), pattern = "([a-zA-Z0-9]+-)*[a-zA-Z0-9]+")]
    pub(super) name: Option<Text>,
    /// ARN.
    #[field(service_set)]
    pub(super) trust_store_arn: Option<Text>,
    /// Status.
    #[field(service_set)]
    pub(super) status: Option<TrustStoreStatus>,
    /// Number of CA certificates; absent in the cloud in this process, which does not read buckets.
    #[field(service_set)]
    number_of_ca_certificates: Option<i64>,
    /// Number of revoked certificates; absent in the cloud in this process if there are revocation files.
    #[field(service_set)]
    total_revoked_entries: Option<i64>,
    /// Bucket of the CA certificates bundle. Required, and not returned.
    #[field(not_on_wire, length(1..))]
    ca_certificates_bundle_s3_bucket: Option<Text>,
    /// Key of the bundle in the bucket. Required, and not returned.
    #[field(not_on_wire, length(1..))]
    ca_certificates_bundle_s3_key: Option<Text>,
    /// Version of the bundle; the newest by default.
    #[field(not_on_wire)]
    ca_certificates_bundle_s3_object_version: Option<Text>,
    /// Tags.
    #[field(not_in_list, not_on_wire)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    TrustStore in "elbv2/trust-store" by name; states("Status": "CREATING" => "ACTIVE" 30)
}

impl TrustStore {
    /// Refuses a bundle in a bucket that cannot exist.
    fn check_bundle(&self) -> Result<()> {
        match self.ca_certificates_bundle_s3_bucket.as_deref() {
            Some(bucket) if !bucket::is_bucket_name(bucket) => {
                Err(errors::bundle_not_found().with_field("CaCertificatesBundleS3Bucket"))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses a trust store that is not active.
pub(super) fn check_ready(cx: &Tx<'_>, arn: &str, field: &str) -> Result<()> {
    let store = TrustStore::require(cx, arn, field).map_err(|error| error.with_field(field))?;
    if store.status != Some(TrustStoreStatus::Active) {
        return Err(errors::trust_store_not_ready().with_field(field).with_hint(store.own_name()));
    }
    Ok(())
}

/// Row of a listener that uses a trust store.
#[derive(Record)]
#[record(row)]
pub(crate) struct TrustStoreUseRow {
    /// Name of the trust store.
    store: Option<Text>,
    /// ARN of the listener.
    listener_arn: Option<Text>,
}

nephos_cloud::stored!(TrustStoreUseRow in "elbv2/trust" by store, listener_arn);

impl TrustStoreUseRow {
    fn for_listener(listener: &Listener) -> Option<Self> {
        let arn = listener.mutual_authentication.as_ref()?.trust_store_arn.as_deref()?;
        let store = *TrustStore::read_arn(arn)?.first()?;
        Some(Self { store: Some(store.into()), listener_arn: listener.listener_arn.clone() })
    }
}

/// Replaces the recorded association of a listener with a trust store.
pub(super) fn update_association(
    cx: &mut Tx<'_>,
    before: Option<&Listener>,
    after: Option<&Listener>,
) -> Result<()> {
    let (before, after) =
        (before.and_then(TrustStoreUseRow::for_listener), after.and_then(TrustStoreUseRow::for_listener));
    if before == after {
        return Ok(());
    }
    before.iter().try_for_each(|trust| cx.remove(trust))?;
    after.into_iter().try_for_each(|trust| cx.put(trust))
}

/// Returns the ARNs of the listeners that use the trust store, in order.
fn listener_arns(cx: &Tx<'_>, store: &TrustStore) -> Result<Vec<Text>> {
    let uses: Vec<TrustStoreUseRow> = cx.all(&TrustStoreUseRow::table(cx.scope()).text(store.own_name()))?;
    Ok(uses.into_iter().filter_map(|trust| trust.listener_arn).collect())
}
