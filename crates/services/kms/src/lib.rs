//! Crypto keys: encryption, signatures, message authentication and key agreement.

mod agree;
mod alias;
mod create;
mod data_key;
mod data_key_pair;
mod decrypt;
mod deletion;
mod describe;
mod encrypt;
pub mod errors;
mod find;
mod import;
mod import_deletion;
mod import_material;
mod key;
mod mac;
mod material;
mod material_row;
mod paging;
mod policy;
mod primary_region;
mod public_key;
mod random;
mod re_encrypt;
mod replica;
mod rotation;
mod rotation_list;
mod rotation_on_demand;
mod service_use;
mod sign;
mod specs;
mod state;
mod tagging;
/// Behaviour cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "cases/mod.rs"]
pub mod testing;
mod update;
mod usage;

pub use agree::*;
pub use alias::*;
pub use create::*;
pub use data_key::*;
pub use data_key_pair::*;
pub use decrypt::*;
pub use deletion::*;
pub use describe::*;
pub use encrypt::*;
pub use import::*;
pub use import_deletion::*;
pub use import_material::*;
pub use key::*;
pub use mac::*;
pub use primary_region::*;
pub use public_key::*;
pub use random::*;
pub use re_encrypt::*;
pub use replica::*;
pub use rotation::*;
pub use rotation_list::*;
pub use rotation_on_demand::*;
pub use sign::*;
pub use specs::*;
pub use state::*;
pub use tagging::*;
pub use update::*;
pub use usage::*;

use nephos_cloud::{Service, ServiceAccess, Table, WorkEntry};
use nephos_core::{
    Resource,
    shape::{Protocol, ServiceShape},
};

/// Description of the service: its kinds, operations and error codes.
pub static SERVICE: ServiceShape = ServiceShape {
    name: "kms",
    docs: "Crypto keys: encryption, signatures, message authentication and key agreement.",
    api_version: "2014-11-01",
    protocol: Protocol::AwsJson { target: "TrentService.", version: "1.1", message: "message" },
    endpoint: "kms",
    signing: "kms",
    global: false,
    kinds: &[CryptoKey::KIND, KeyAlias::KIND],
    operations: OPERATIONS,
    codes: errors::ALL,
    invalid: &errors::VALIDATION,
    shows_values: true,
    invalid_token: errors::invalid_marker,
    resource_keys: &[("key/", &["aws:ResourceTag/${TagKey}"])],
};

nephos_cloud::handlers! {
    CreateKey, DescribeKey, ListKeys, UpdateKeyDescription, EnableKey, DisableKey, ScheduleKeyDeletion,
    CancelKeyDeletion, CreateAlias, UpdateAlias, DeleteAlias, ListAliases, TagResource, UntagResource,
    ListResourceTags,
    Encrypt, Decrypt, ReEncrypt, GenerateDataKey, GenerateDataKeyWithoutPlaintext, GenerateDataKeyPair,
    GenerateDataKeyPairWithoutPlaintext, GenerateRandom, Sign, Verify, GenerateMac, VerifyMac, GetPublicKey,
    DeriveSharedSecret,
    GetParametersForImport, ImportKeyMaterial, DeleteImportedKeyMaterial, EnableKeyRotation,
    DisableKeyRotation, GetKeyRotationStatus, RotateKeyOnDemand, ListKeyRotations, ReplicateKey, UpdatePrimaryRegion,
}

/// Implementation of the service: handlers, due work and tables.
pub static KMS: Service = Service {
    shape: &SERVICE,
    handlers: HANDLERS,
    controls: &[],
    views: &[],
    works: &[
        WorkEntry::new::<deletion::KeyPurge>(),
        WorkEntry::new::<import_deletion::MaterialExpiry>(),
        WorkEntry::new::<rotation::AutomaticRotation>(),
        WorkEntry::new::<rotation_on_demand::OnDemandRotation>(),
        WorkEntry::new::<replica::NextState>(),
    ],
    tables: &[
        Table::new::<key::KeyRow>(),
        Table::new::<material_row::MaterialRow>(),
        Table::new::<policy::PolicyRow>(),
        Table::new::<alias::KeyAlias>(),
        Table::new::<alias::AliasOfKeyRow>(),
    ],
    access: ServiceAccess::NONE,
    crypto_keys: Some(&service_use::Keys),
};
