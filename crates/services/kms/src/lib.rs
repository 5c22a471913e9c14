//! Crypto keys: encryption, signatures, message authentication and key agreement.

mod access;
mod alias;
mod create;
mod deletion;
mod describe;
pub mod errors;
mod find;
mod grant;
mod grant_list;
mod grant_policy;
mod grant_retire;
mod grant_rules;
mod key;
mod key_policy;
mod material;
mod material_row;
mod paging;
mod policy;
mod service_use;
mod specs;
mod state;
mod tagging;
/// Behaviour cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "cases/mod.rs"]
pub mod testing;
mod update;

pub use alias::*;
pub use create::*;
pub use deletion::*;
pub use describe::*;
pub use grant::*;
pub use grant_list::*;
pub use grant_retire::*;
pub use key::*;
pub use key_policy::*;
pub use specs::*;
pub use state::*;
pub use tagging::*;
pub use update::*;

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
    kinds: &[CryptoKey::KIND, KeyAlias::KIND, KeyGrant::KIND],
    operations: OPERATIONS,
    codes: errors::ALL,
    invalid: &errors::VALIDATION,
    invalid_token: errors::invalid_marker,
    resource_keys: &[(
        "key/",
        &[
            "aws:ResourceTag/${TagKey}",
            "kms:CallerAccount",
            "kms:KeyOrigin",
            "kms:KeySpec",
            "kms:KeyUsage",
            "kms:MultiRegion",
            "kms:MultiRegionKeyType",
            "kms:ResourceAliases",
            "kms:ViaService",
        ],
    )],
};

nephos_cloud::handlers! {
    CreateKey, DescribeKey, ListKeys, UpdateKeyDescription, EnableKey, DisableKey, ScheduleKeyDeletion,
    CancelKeyDeletion, CreateAlias, UpdateAlias, DeleteAlias, ListAliases, TagResource, UntagResource,
    ListResourceTags, PutKeyPolicy, GetKeyPolicy, ListKeyPolicies, CreateGrant, ListGrants, ListRetirableGrants,
    RetireGrant, RevokeGrant,
}

/// Implementation of the service: handlers, due work and tables.
pub static KMS: Service = Service {
    shape: &SERVICE,
    handlers: HANDLERS,
    controls: &[],
    views: &[],
    works: &[WorkEntry::new::<deletion::KeyPurge>()],
    tables: &[
        Table::new::<key::KeyRow>(),
        Table::new::<material_row::MaterialRow>(),
        Table::new::<policy::PolicyRow>(),
        Table::new::<alias::KeyAlias>(),
        Table::new::<alias::AliasOfKeyRow>(),
        Table::new::<grant::KeyGrant>(),
        Table::new::<grant::GrantOfGranteeRow>(),
        Table::new::<grant::RetirableGrantRow>(),
    ],
    access: ServiceAccess {
        find_resource: Some(access::find_resource),
        find_grants: Some(access::find_grants),
        find_subjects: Some(access::find_subjects),
        ..ServiceAccess::NONE
    },
    crypto_keys: Some(&service_use::Keys),
};
