//! Operations that make, change and delete trust stores.

use super::{OneTrustStore, TrustStore, TrustStoreStatus, arn_of, find, listeners, named, require};
use crate::{Empty, SERVICE, errors, limits, names, tagging};
use nephos_cloud::{Handler, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Tag, Text, datum::DatumType, operation};

/// How long it takes until a new trust store can be used.
const MAKING: SignedDuration = SignedDuration::from_secs(30);

/// Creates a trust store.
#[operation(service = SERVICE, effect = write, output = OneTrustStore, subject = "truststore/{Name}/*")]
pub struct CreateTrustStore {
    /// Its name.
    #[field(like = TrustStore::name)]
    pub name: Text,
    /// The bucket that its certificates come from.
    pub ca_certificates_bundle_s3_bucket: Text,
    /// The object in the bucket.
    pub ca_certificates_bundle_s3_key: Text,
    /// The version of the object; the newest if not said.
    pub ca_certificates_bundle_s3_object_version: Option<Text>,
    /// Its tags.
    #[field(length(1..))]
    pub tags: Option<Vec<Tag>>,
}

impl Handler for CreateTrustStore {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneTrustStore> {
        let tags = tagging::given(self.tags.as_deref())?;
        let bundle = Bundle {
            bucket: self.ca_certificates_bundle_s3_bucket,
            key: self.ca_certificates_bundle_s3_key,
            version: self.ca_certificates_bundle_s3_object_version,
        };
        bundle.check()?;
        if named(cx, &self.name)?.is_some() {
            let why = format!("there is a trust store {} already", self.name);
            return Err(errors::DUPLICATE_TRUST_STORE.because(why));
        }
        limits::TRUST_STORES.count_one(cx, &errors::TOO_MANY_TRUST_STORES)?;
        let id = cx.ids().hex(16);
        let mut store = TrustStore::blank();
        store.trust_store_arn = Some(arn_of(cx.scope(), &self.name, &id).into());
        store.name = Some(self.name);
        store.status = Some(TrustStoreStatus::Creating);
        store.total_revoked_entries = Some(0);
        bundle.put_into(&mut store);
        cx.put(store.clone())?;
        tagging::put(cx, store.own_arn(), tags)?;
        cx.settle(MAKING, &Ready { trust_store_arn: store.trust_store_arn.clone() })?;
        Ok(OneTrustStore::of(store))
    }
}

/// Where the certificates of a trust store come from.
struct Bundle {
    bucket: Text,
    key: Text,
    version: Option<Text>,
}

impl Bundle {
    /// Refuses a place that is none; whether there is anything at it is not known here.
    fn check(&self) -> Result<()> {
        for (text, field) in
            [(&self.bucket, "CaCertificatesBundleS3Bucket"), (&self.key, "CaCertificatesBundleS3Key")]
        {
            if text.is_empty() {
                return Err(names::invalid(field, "is empty"));
            }
        }
        Ok(())
    }

    fn put_into(self, store: &mut TrustStore) {
        store.ca_certificates_bundle_s3_bucket = Some(self.bucket);
        store.ca_certificates_bundle_s3_key = Some(self.key);
        store.ca_certificates_bundle_s3_object_version = self.version;
    }
}

/// A trust store can be used.
#[derive(Record)]
pub struct Ready {
    /// Its resource name.
    trust_store_arn: Option<Text>,
}

impl Work for Ready {
    const NAME: &'static str = "elbv2/trust-store-ready";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let arn = self.trust_store_arn.unwrap_or_default();
        let Some(mut store) = find(cx, &arn, "TrustStoreArn")? else { return Ok(()) };
        store.status = Some(TrustStoreStatus::Active);
        cx.put(store)
    }
}

/// Puts other certificates into a trust store, in place of all those that are there.
#[operation(service = SERVICE, effect = write, output = OneTrustStore, subject = "{TrustStoreArn}")]
pub struct ModifyTrustStore {
    /// Its resource name.
    pub trust_store_arn: Text,
    /// The bucket that its certificates come from.
    pub ca_certificates_bundle_s3_bucket: Text,
    /// The object in the bucket.
    pub ca_certificates_bundle_s3_key: Text,
    /// The version of the object; the newest if not said.
    pub ca_certificates_bundle_s3_object_version: Option<Text>,
}

impl Handler for ModifyTrustStore {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneTrustStore> {
        let mut store = require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let bundle = Bundle {
            bucket: self.ca_certificates_bundle_s3_bucket,
            key: self.ca_certificates_bundle_s3_key,
            version: self.ca_certificates_bundle_s3_object_version,
        };
        bundle.check()?;
        bundle.put_into(&mut store);
        cx.put(store.clone())?;
        Ok(OneTrustStore::of(store))
    }
}

/// Deletes a trust store that no listener verifies against.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{TrustStoreArn}")]
pub struct DeleteTrustStore {
    /// Its resource name.
    pub trust_store_arn: Text,
}

impl Handler for DeleteTrustStore {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let store = require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        if let Some(listener) = listeners(cx, &store)?.first() {
            let why = format!("the listener {listener} verifies against trust store {}", store.own_name());
            return Err(errors::TRUST_STORE_IN_USE.because(why));
        }
        tagging::forget(cx, store.own_arn())?;
        limits::TRUST_STORES.uncount_one(cx)?;
        cx.remove(&store)?;
        Ok(Empty {})
    }
}
