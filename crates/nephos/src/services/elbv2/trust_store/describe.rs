//! Finding trust stores, and who uses them.

use super::{TrustStore, listeners, missing, named, require};
use crate::{
    cloud::{Behaviour, Scope, Stored, Tx, Wanted},
    services::elbv2::{SERVICE, names, paging},
};
use nephos_core::{Arn, Operation, Record, Result, Text};
use nephos_store::Direction;

/// Describes trust stores, in order of their names, or in that in which they are asked for.
#[derive(Operation)]
#[operation(service = SERVICE, effect = read, output = TrustStores)]
pub struct DescribeTrustStores {
    /// Only these, by resource name.
    pub trust_store_arns: Option<Vec<Text>>,
    /// Only these, by name.
    pub names: Option<Vec<Text>>,
    /// Where the page before ended.
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(range(1..=400))]
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

impl Behaviour for DescribeTrustStores {
    fn subject(&self, at: &Scope) -> Arn {
        names::every(at, super::KIND)
    }

    fn run(self, cx: &mut Tx<'_>) -> Result<TrustStores> {
        let chosen: Option<Result<Vec<_>>> = match (&self.trust_store_arns, &self.names) {
            (Some(_), Some(_)) => {
                return Err(names::invalid("Names", "names and resource names exclude each other"));
            }
            (Some(arns), None) => {
                Some(paging::once(arns).iter().map(|arn| require(cx, arn, "TrustStoreArns")).collect())
            }
            (None, Some(names)) => {
                let find = |name: &Text| named(cx, name)?.ok_or_else(|| missing(name));
                Some(paging::once(names).iter().map(find).collect())
            }
            (None, None) => None,
        };
        let (stores, next_marker) = match chosen {
            Some(chosen) => {
                paging::page(cx, &self, chosen?, self.marker.as_deref(), self.page_size, paging::numbered)?
            }
            None => {
                let table = TrustStore::table(cx.scope());
                let wanted = Wanted {
                    within: &table,
                    token: self.marker.as_deref(),
                    size: paging::size(self.page_size),
                    direction: Direction::Ascending,
                };
                let key = |name: &str| table.clone().text(name);
                let name = |store: &TrustStore| store.own_name().into();
                cx.page(&self, wanted, key, name, |store| Ok(Some(store)))?
            }
        };
        let stores = stores.into_iter().map(TrustStore::told).collect();
        Ok(TrustStores { trust_stores: Some(stores), next_marker })
    }
}

/// Describes the listeners that verify against a trust store.
#[derive(Operation)]
#[operation(service = SERVICE, effect = read, output = TrustStoreAssociations)]
pub struct DescribeTrustStoreAssociations {
    /// Its resource name.
    pub trust_store_arn: Text,
    /// Where the page before ended.
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(range(1..=400))]
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

impl Behaviour for DescribeTrustStoreAssociations {
    fn subject(&self, at: &Scope) -> Arn {
        names::subject(at, &self.trust_store_arn)
    }

    fn run(self, cx: &mut Tx<'_>) -> Result<TrustStoreAssociations> {
        let store = require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let all = listeners(cx, &store)?;
        let (token, size) = (self.marker.as_deref(), self.page_size);
        let (page, next_marker) = paging::page(cx, &self, all, token, size, |_, arn| arn.clone())?;
        let told = page.into_iter().map(|arn| TrustStoreAssociation { resource_arn: Some(arn) }).collect();
        Ok(TrustStoreAssociations { trust_store_associations: Some(told), next_marker })
    }
}
