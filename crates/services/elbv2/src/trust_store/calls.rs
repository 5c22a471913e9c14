//! The manager of trust stores.

use super::{
    CreateTrustStore, DeleteTrustStore, DescribeTrustStoreAssociations, DescribeTrustStores,
    ModifyTrustStore, TrustStore, TrustStoreAssociation, TrustStoreManager,
};
use crate as elbv2;
use crate::{names, none_if_missing, tagging};
use nephos_core::{Listing, Page, PageRequest, Resource, Result, Steppable, Steps, Tag, Text, operation};

impl TrustStore {
    /// The bucket and the object that its certificates come from, which whoever makes or changes it has to say.
    fn bundle(&self) -> Result<(Text, Text)> {
        let said = |text: &Option<Text>, field: &str| {
            text.clone().ok_or_else(|| names::invalid(field, "is required"))
        };
        Ok((
            said(&self.ca_certificates_bundle_s3_bucket, "CaCertificatesBundleS3Bucket")?,
            said(&self.ca_certificates_bundle_s3_key, "CaCertificatesBundleS3Key")?,
        ))
    }
}

/// Creates a trust store, with its tags.
#[operation(kind = TrustStore, call = "create", effect = write, output = Vec<TrustStore>)]
pub struct Create {
    /// The trust store.
    #[field(model, name = "model")]
    pub model: TrustStore,
    /// Its tags; they win over those of the model, key by key.
    pub tags: Option<Vec<Tag>>,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Vec<TrustStore>> {
        let store = &self.model;
        let tags = tagging::merged(store.tags.as_deref(), self.tags.as_deref());
        let (bucket, key) = store.bundle()?;
        let create = CreateTrustStore::new(store.name.clone().unwrap_or_default(), bucket, key)
            .ca_certificates_bundle_s3_object_version(store.ca_certificates_bundle_s3_object_version.clone())
            .tags(tags.clone());
        let made = steps.call(create).await?.trust_stores.unwrap_or_default();
        Ok(made.into_iter().map(|made| TrustStore { tags: tags.clone(), ..made }).collect())
    }
}

/// A trust store by its resource name or its name, if there is one.
#[operation(kind = TrustStore, call = "get", effect = read, output = Option<TrustStore>)]
pub struct Get {
    /// Its resource name.
    #[field(from = "TrustStoreArn")]
    pub trust_store_arn: Option<Text>,
    /// Its name.
    pub name: Option<Text>,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<TrustStore>> {
        elbv2::exactly_one("TrustStoreArn", self.trust_store_arn.is_some(), "Name", self.name.is_some())?;
        let one = |text: &Option<Text>| text.clone().map(|text| vec![text]);
        let describe =
            DescribeTrustStores::new().trust_store_arns(one(&self.trust_store_arn)).names(one(&self.name));
        let Some(found) = none_if_missing(steps.call(describe).await)? else { return Ok(None) };
        let Some(mut store) = found.trust_stores.unwrap_or_default().into_iter().next() else {
            return Ok(None);
        };
        store.tags = tagging::of(steps, store.own_arn()).await?;
        Ok(Some(store))
    }
}

/// The trust stores, in order of their names.
#[operation(kind = TrustStore, call = "list", effect = read, output = Page<TrustStore>, pages)]
pub struct List {
    /// Only these, by resource name.
    pub trust_store_arns: Option<Vec<Text>>,
    /// Only these, by name.
    pub names: Option<Vec<Text>>,
    /// How many to fetch at a time; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub limit: Option<i64>,
}

impl Listing for List {
    type Model = TrustStore;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<TrustStore>> {
        if elbv2::any_empty([&self.trust_store_arns, &self.names]) {
            return Ok(Page::default());
        }
        let describe = DescribeTrustStores::new()
            .trust_store_arns(self.trust_store_arns.clone())
            .names(self.names.clone())
            .page_size(self.limit)
            .marker(request.token.clone());
        let found = steps.call(describe).await?;
        Ok(Page { items: found.trust_stores.unwrap_or_default(), next_token: found.next_marker })
    }
}

/// Changes the certificates and tags of a trust store: those that differ from what the model was read with. Bucket and object
/// are needed whenever one of them or the version changes.
#[operation(kind = TrustStore, call = "update", effect = write, output = Vec<TrustStore>)]
pub struct Update {
    /// The trust store.
    #[field(model, name = "model")]
    pub model: TrustStore,
}

/// The fields that say where the certificates come from.
const BUNDLE: [&str; 3] =
    ["CaCertificatesBundleS3Bucket", "CaCertificatesBundleS3Key", "CaCertificatesBundleS3ObjectVersion"];

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<Vec<TrustStore>> {
        let (store, changed) = (&self.model, self.model.changed());
        store.check_changes()?;
        let arn = elbv2::marked(&store.trust_store_arn, "TrustStoreArn")?;
        if BUNDLE.iter().any(|field| changed.contains(field)) {
            let (bucket, key) = store.bundle()?;
            let version = store.ca_certificates_bundle_s3_object_version.clone();
            let modify = ModifyTrustStore::new(arn.clone(), bucket, key);
            steps.call(modify.ca_certificates_bundle_s3_object_version(version)).await?;
        }
        tagging::retag(steps, &arn, store).await?;
        let found = steps.call(DescribeTrustStores::new().trust_store_arns([arn.clone()])).await?;
        let tags = tagging::of(steps, &arn).await?;
        let found = found.trust_stores.unwrap_or_default().into_iter();
        Ok(found.map(|found| TrustStore { tags: tags.clone(), ..found }).collect())
    }
}

/// Deletes a trust store that no listener verifies against.
#[operation(kind = TrustStore, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its resource name.
    pub trust_store_arn: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteTrustStore::new(self.trust_store_arn.clone())).await?;
        Ok(())
    }
}

/// What uses a trust store: the listeners that verify against it.
#[operation(
    kind = TrustStore, call = "associations", effect = read, output = Vec<TrustStoreAssociation>, instance
)]
pub struct Associations {
    /// Its resource name.
    pub trust_store_arn: Text,
}

impl Steppable for Associations {
    async fn run(&self, steps: &Steps) -> Result<Vec<TrustStoreAssociation>> {
        let (mut all, mut marker) = (Vec::new(), None);
        loop {
            let describe = DescribeTrustStoreAssociations::new(self.trust_store_arn.clone()).marker(marker);
            let found = steps.call(describe).await?;
            all.extend(found.trust_store_associations.unwrap_or_default());
            marker = found.next_marker;
            if marker.is_none() {
                return Ok(all);
            }
        }
    }
}
