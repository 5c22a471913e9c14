//! Finding trust stores, and who uses them.

use super::{TrustStore, listeners, missing, named, require};
use crate::{SERVICE, names, paging};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Describes trust stores, in order of their names, or in that in which they are asked for.
#[operation(service = SERVICE, effect = read, output = TrustStores, subject = "truststore/*")]
pub struct DescribeTrustStores {
    /// Only these, by resource name.
    pub trust_store_arns: Option<Vec<Text>>,
    /// Only these, by name.
    pub names: Option<Vec<Text>>,
    /// Where the page before ended.
    #[field(page_token)]
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub page_size: Option<i64>,
}

/// A page of trust stores.
#[derive(Record)]
#[record(name = "DescribeTrustStoresOutput")]
pub struct TrustStores {
    /// The trust stores.
    pub(super) trust_stores: Option<Vec<TrustStore>>,
    /// Where this page ends.
    pub(super) next_marker: Option<Text>,
}

/// The trust store that was made or changed.
#[derive(Record)]
#[record(name = "CreateTrustStoreOutput")]
pub struct OneTrustStore {
    /// The trust store.
    pub(super) trust_stores: Option<Vec<TrustStore>>,
}

impl OneTrustStore {
    pub(super) fn of(store: TrustStore) -> Self {
        Self { trust_stores: Some(vec![store.told()]) }
    }
}

impl Handler for DescribeTrustStores {
    fn run(self, cx: &mut Tx<'_>) -> Result<TrustStores> {
        if self.trust_store_arns.is_some() && self.names.is_some() {
            return Err(names::invalid("Names", "names and resource names exclude each other"));
        }
        let by_name = |name: &Text| named(cx, name)?.ok_or_else(|| missing(name));
        let chosen = match &self.names {
            None => paging::each(self.trust_store_arns.as_ref(), |arn| require(cx, arn, "TrustStoreArns"))?,
            names => paging::each(names.as_ref(), by_name)?,
        };
        let (token, size) = (self.marker.as_deref(), self.page_size);
        let (stores, next_marker) = paging::of_named(cx, &self, chosen, token, size, TrustStore::own_name)?;
        let stores = stores.into_iter().map(TrustStore::told).collect();
        Ok(TrustStores { trust_stores: Some(stores), next_marker })
    }
}

/// Describes the listeners that verify against a trust store.
#[operation(service = SERVICE, effect = read, output = TrustStoreAssociations, subject = "{TrustStoreArn}")]
pub struct DescribeTrustStoreAssociations {
    /// Its resource name.
    pub trust_store_arn: Text,
    /// Where the page before ended.
    #[field(page_token)]
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub page_size: Option<i64>,
}

/// What uses a trust store.
#[derive(Record)]
pub struct TrustStoreAssociation {
    /// The resource name of the listener.
    resource_arn: Option<Text>,
}

/// A page of what uses a trust store.
#[derive(Record)]
#[record(name = "DescribeTrustStoreAssociationsOutput")]
pub struct TrustStoreAssociations {
    /// What uses it.
    pub(super) trust_store_associations: Option<Vec<TrustStoreAssociation>>,
    /// Where this page ends.
    pub(super) next_marker: Option<Text>,
}

impl Handler for DescribeTrustStoreAssociations {
    fn run(self, cx: &mut Tx<'_>) -> Result<TrustStoreAssociations> {
        let store = require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let all = listeners(cx, &store)?;
        let (token, size) = (self.marker.as_deref(), self.page_size);
        let (page, next_marker) = paging::page(cx, &self, all, token, size, |_, arn| arn.clone())?;
        let told = page.into_iter().map(|arn| TrustStoreAssociation { resource_arn: Some(arn) }).collect();
        Ok(TrustStoreAssociations { trust_store_associations: Some(told), next_marker })
    }
}
