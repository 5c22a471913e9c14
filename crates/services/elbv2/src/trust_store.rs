//! Trust stores: the certificates of authorities that listeners verify those of clients against.
//!
//! They come from an object in a bucket. There are no buckets here: whatever is said of the object is taken at its word, and
//! nobody is told how many certificates there are in it.

mod calls;
mod change;
mod describe;

pub use calls::{
    Associations, AssociationsCall, Create, CreateCall, Delete, DeleteCall, Get, GetCall, List, ListCall,
    Update, UpdateCall,
};
pub use change::{CreateTrustStore, DeleteTrustStore, ModifyTrustStore, Ready};
pub use describe::{
    DescribeTrustStoreAssociations, DescribeTrustStores, OneTrustStore, TrustStoreAssociation,
    TrustStoreAssociations, TrustStores,
};

use super::{Listener, SERVICE, errors, names, tagging};
use nephos_cloud::{Key, Scope, Stored, Tx};
use nephos_core::{Arn, Choice, Error, Record, Resource, Result, Slot, Tag, Text};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// Whether a trust store can be used.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum TrustStoreStatus {
    /// It can.
    #[choice("ACTIVE")]
    Active,
    /// It is being made.
    #[choice("CREATING")]
    Creating,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A trust store: the certificates of authorities that listeners verify those of clients against.
#[derive(Resource)]
#[resource(
    service = SERVICE, absent = super::errors::TRUST_STORE_NOT_FOUND,
    arn = "TrustStoreArn", name = "Name", pk = "TrustStoreArn", mark = "TrustStoreArn", tags = "Tags",
    calls(
        Create, Get, List, Update, Delete, Associations,
        tagging::of_trust_store::Tag, tagging::of_trust_store::Untag, tagging::of_trust_store::ListTags
    ),
    create = Create, update = Update, delete = Delete, get = Get,
)]
pub struct TrustStore {
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=32), pattern = "([a-zA-Z0-9]+-)*[a-zA-Z0-9]+")]
    pub(super) name: Option<Text>,
    /// Resource name.
    #[field(service_set)]
    pub(super) trust_store_arn: Option<Text>,
    /// Whether it can be used.
    #[field(service_set)]
    pub(super) status: Option<TrustStoreStatus>,
    /// How many certificates there are in it; not told by the cloud in the process, which does not look into buckets.
    #[field(service_set)]
    number_of_ca_certificates: Option<i64>,
    /// How many certificates are trusted no longer.
    #[field(service_set)]
    total_revoked_entries: Option<i64>,
    /// The bucket that its certificates come from. Needed, and not told afterwards.
    #[field(nowhere)]
    ca_certificates_bundle_s3_bucket: Option<Text>,
    /// The object in the bucket. Needed, and not told afterwards.
    #[field(nowhere)]
    ca_certificates_bundle_s3_key: Option<Text>,
    /// The version of the object; the newest if not said.
    #[field(nowhere)]
    ca_certificates_bundle_s3_object_version: Option<Text>,
    /// Tags. A listing does not fetch them; `get` does.
    #[field(nowhere)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

impl Stored for TrustStore {
    const TABLE: &'static str = "elbv2/trust-store";

    fn identify(&self, key: Key) -> Key {
        key.text(self.own_name())
    }
}

impl TrustStore {
    /// Its resource name, which it has once it is stored.
    pub(super) fn own_arn(&self) -> &str {
        self.trust_store_arn.as_deref().unwrap_or_default()
    }

    /// Its name, which it has once it is stored.
    pub(super) fn own_name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// The same as callers are told it: without the place of its bundle.
    fn told(mut self) -> Self {
        self.ca_certificates_bundle_s3_bucket = None;
        self.ca_certificates_bundle_s3_key = None;
        self.ca_certificates_bundle_s3_object_version = None;
        self
    }
}

/// What a trust store is called in resource names.
pub(super) const KIND: &str = "truststore";

fn arn_of(scope: &Scope, name: &str, id: &str) -> Arn {
    names::arn(scope, &[KIND, name, id])
}

/// The trust store of that name, if there is one.
fn named(cx: &Tx<'_>, name: &str) -> Result<Option<TrustStore>> {
    cx.get(&TrustStore::table(cx.scope()).text(name))
}

/// The trust store, if there is one.
fn find(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Option<TrustStore>> {
    let [name, _] = names::given(arn, KIND, field)?;
    Ok(named(cx, name)?.filter(|store| store.own_arn() == arn))
}

/// The trust store, which must exist.
pub(super) fn require(cx: &Tx<'_>, arn: &str, field: &str) -> Result<TrustStore> {
    find(cx, arn, field)?.ok_or_else(|| missing(arn))
}

fn missing(which: &str) -> Error {
    errors::TRUST_STORE_NOT_FOUND.because(format!("there is no trust store {which}"))
}

/// Refuses a trust store that a listener cannot verify certificates against.
pub(super) fn check_ready(cx: &Tx<'_>, arn: &str, field: &str) -> Result<()> {
    let store = require(cx, arn, field).map_err(|error| error.with_field(field))?;
    if store.status != Some(TrustStoreStatus::Active) {
        let why = format!("trust store {} is being made; wait until it is ACTIVE", store.own_name());
        return Err(errors::TRUST_STORE_NOT_READY.because(why).with_field(field));
    }
    Ok(())
}

/// A listener that verifies certificates against a trust store.
#[derive(Record)]
pub struct Trust {
    /// The trust store's name.
    store: Option<Text>,
    /// The listener.
    listener_arn: Option<Text>,
}

impl Stored for Trust {
    const TABLE: &'static str = "elbv2/trust";

    fn identify(&self, key: Key) -> Key {
        let text = |text: &Option<Text>| text.clone().unwrap_or_default();
        key.text(&text(&self.store)).text(&text(&self.listener_arn))
    }
}

impl Trust {
    fn of(listener: &Listener) -> Option<Self> {
        let arn = listener.mutual_authentication.as_ref()?.trust_store_arn.as_deref()?;
        let [store, _] = names::parts(arn, KIND)?;
        Some(Self { store: Some(store.into()), listener_arn: listener.listener_arn.clone() })
    }
}

/// Notes which trust store a listener verifies against, in place of what was noted of it.
pub(super) fn note(cx: &mut Tx<'_>, before: Option<&Listener>, after: Option<&Listener>) -> Result<()> {
    let (before, after) = (before.and_then(Trust::of), after.and_then(Trust::of));
    if before == after {
        return Ok(());
    }
    before.iter().try_for_each(|trust| cx.remove(trust))?;
    after.into_iter().try_for_each(|trust| cx.put(trust))
}

/// The listeners that verify against the trust store, in order.
fn listeners(cx: &Tx<'_>, store: &TrustStore) -> Result<Vec<Text>> {
    let mut arns = Vec::new();
    let range = Trust::table(cx.scope()).text(store.own_name()).within();
    cx.scan(cx.scope(), &range, Direction::Ascending, |trust: Trust| {
        arns.extend(trust.listener_arn);
        ControlFlow::Continue(())
    })?;
    Ok(arns)
}
