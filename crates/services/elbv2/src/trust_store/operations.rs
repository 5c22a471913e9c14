//! Operations on trust stores.

use super::{TrustStore, TrustStoreManager, TrustStoreStatus, bucket, listener_arns, revocations};
use crate::{
    errors, limits,
    paging::{self, Page},
    tagging,
};
use nephos_cloud::{Addressed, Handler, StoredResource, Tx};
use nephos_core::{Empty, ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Creates a trust store.
#[operation(
    of = TrustStore, needs(name, ca_certificates_bundle_s3_bucket, ca_certificates_bundle_s3_key),
    takes(settable, tags(length(1..))), call = "create", model, overrides(tags),
    wraps(trust_stores: Vec<TrustStore>), effect = write, also_requires("AddTags" = "Tags?")
)]
pub struct CreateTrustStore {}

impl Handler for CreateTrustStore {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        if TrustStore::find_by(cx, &[&self.name])?.is_some() {
            return Err(errors::trust_store_exists(&self.name));
        }
        let mut store = TrustStore::from_given(self);
        store.check_bundle()?;
        limits::TRUST_STORES.add_one(cx, errors::too_many_trust_stores)?;
        let arn = TrustStore::new_arn(cx, &[store.own_name()]);
        tagging::TagsRow::put(cx, &arn, tags)?;
        store.trust_store_arn = Some(arn);
        store.status = Some(TrustStoreStatus::Creating);
        store.total_revoked_entries = Some(0);
        cx.put_and_schedule_transition(store.clone())?;
        Ok(vec![store].into())
    }
}

/// Replaces the CA certificates bundle of a trust store.
#[operation(
    of = TrustStore, needs(trust_store_arn, ca_certificates_bundle_s3_bucket, ca_certificates_bundle_s3_key),
    takes(changeable), except(tags), wraps(trust_stores: Vec<TrustStore>), effect = write
)]
pub struct ModifyTrustStore {}

impl Handler for ModifyTrustStore {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut store = TrustStore::require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        store.replace_given(&mut self);
        store.check_bundle()?;
        cx.put(store.clone())?;
        Ok(vec![store].into())
    }
}

/// Deletes a trust store that no listener uses.
#[operation(of = TrustStore, call = "delete", on_model, needs(trust_store_arn), effect = write)]
pub struct DeleteTrustStore {}

impl Handler for DeleteTrustStore {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let store = TrustStore::require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        if let Some(listener) = listener_arns(cx, &store)?.first() {
            return Err(errors::trust_store_in_use().with_hint(format!("by listener {listener}")));
        }
        revocations::remove_all(cx, &store)?;
        tagging::TagsRow::remove(cx, store.own_arn())?;
        limits::TRUST_STORES.remove_one(cx)?;
        cx.remove(&store)?;
        Ok(Empty {})
    }
}

/// Describes trust stores, in order of their names, or in the order of the given ARNs or names.
#[operation(
    of = TrustStore, call = "list", page(trust_stores, next_marker),
    find(trust_store_arn in trust_store_arns, name in names), with = nephos_core::with_tags,
    include(Page), effect = read
)]
pub struct DescribeTrustStores {
    /// ARNs of the trust stores.
    pub trust_store_arns: Option<Vec<Text>>,
    /// Names of the trust stores.
    pub names: Option<Vec<Text>>,
}

impl Handler for DescribeTrustStores {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let selected = paging::select(cx, &self.trust_store_arns, &self.names)?;
        Ok(paging::page_selected_or_all(cx, &self, selected)?.into())
    }
}

/// Returns the location of the CA certificates bundle of a trust store: its address at the provider. It is not signed:
/// buckets are not emulated.
#[operation(
    of = TrustStore, call = "ca_certificates_bundle", on_model, needs(trust_store_arn),
    wraps(location: Text), effect = read
)]
pub struct GetTrustStoreCaCertificatesBundle {}

impl Handler for GetTrustStoreCaCertificatesBundle {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let store = TrustStore::require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let location: Text = bucket::object_address(
            cx.scope(),
            store.ca_certificates_bundle_s3_bucket.as_deref().unwrap_or_default(),
            store.ca_certificates_bundle_s3_key.as_deref().unwrap_or_default(),
            store.ca_certificates_bundle_s3_object_version.as_deref(),
        );
        Ok(location.into())
    }
}

/// Describes the listeners that use a trust store.
#[operation(
    of = TrustStore, call = "associations", on_model, needs(trust_store_arn),
    page(trust_store_associations: TrustStoreAssociation, next_marker), include(Page), effect = read, subject = "*"
)]
pub struct DescribeTrustStoreAssociations {}

/// An association of a trust store with a listener.
#[derive(Record)]
pub struct TrustStoreAssociation {
    /// ARN of the listener.
    resource_arn: Option<Text>,
}

impl Handler for DescribeTrustStoreAssociations {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let store = TrustStore::require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let all = listener_arns(cx, &store)?;
        let (page, next_marker) = cx.page_items(&self, all, Text::clone)?;
        let uses = page.into_iter().map(|arn| TrustStoreAssociation { resource_arn: Some(arn) });
        Ok((uses.collect(), next_marker).into())
    }
}

/// Updates the bundle and tags of a trust store, if they changed since the model was read. Bucket and key are required if
/// one of them or the version changes.
#[operation(kind = TrustStore, call = "update", effect = write, output = Vec<TrustStore>)]
pub struct TrustStoreUpdate {
    /// The trust store.
    #[field(model, name = "model")]
    pub model: TrustStore,
}

impl ManagerOperation for TrustStoreUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<TrustStore>> {
        let arn = crate::send_changes::<ModifyTrustStore>(context, &self.model).await?;
        Ok(context.run(TrustStoreGet::new().trust_store_arn(arn)).await?.into_iter().collect())
    }
}
