//! Crypto keys: encryption, signatures, message authentication and key agreement.

mod access;
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
mod grant;
mod grant_list;
mod grant_policy;
mod grant_retire;
mod grant_rules;
mod import;
mod import_deletion;
mod import_material;
mod key;
mod key_policy;
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
#[path = "../cases/mod.rs"]
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
pub use grant::*;
pub use grant_list::*;
pub use grant_retire::*;
pub use import::*;
pub use import_deletion::*;
pub use import_material::*;
pub use key::*;
pub use key_policy::*;
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

use nephos_core::shape::{Protocol, TagNames};

nephos_cloud::service! {
    KMS = "kms", "Crypto keys: encryption, signatures, message authentication and key agreement.";
    shape {
        api_version: "2014-11-01",
        tag_names: TagNames::WithPrefix,
        protocol: Protocol::AwsJson { target: "TrentService.", version: "1.1", message: "message" },
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
    }
    kinds {
        CryptoKey, KeyAlias, KeyGrant,
    }
    operations {
        CreateKey, DescribeKey, ListKeys, UpdateKeyDescription, EnableKey, DisableKey, ScheduleKeyDeletion,
        CancelKeyDeletion, CreateAlias, UpdateAlias, DeleteAlias, ListAliases, TagResource, UntagResource,
        ListResourceTags, PutKeyPolicy, GetKeyPolicy, ListKeyPolicies, CreateGrant, ListGrants, ListRetirableGrants,
        RetireGrant, RevokeGrant, Encrypt, Decrypt, ReEncrypt, GenerateDataKey, GenerateDataKeyWithoutPlaintext, GenerateDataKeyPair,
        GenerateDataKeyPairWithoutPlaintext, GenerateRandom, Sign, Verify, GenerateMac, VerifyMac, GetPublicKey,
        DeriveSharedSecret,
        GetParametersForImport, ImportKeyMaterial, DeleteImportedKeyMaterial, EnableKeyRotation,
        DisableKeyRotation, GetKeyRotationStatus, RotateKeyOnDemand, ListKeyRotations, ReplicateKey, UpdatePrimaryRegion,
    }
    calls {
        CryptoKeyGet, CryptoKeyList, CryptoKeyUpdate, CryptoKeyCreateAlias, CryptoKeyUpdateAlias,
        CryptoKeyDeleteAlias, CryptoKeyAliases, KeyGrantGet, KeyAliasGet,
    }
    works {
        deletion::KeyPurge, import_deletion::MaterialExpiry, rotation::AutomaticRotation,
        rotation_on_demand::OnDemandRotation, replica::NextState,
    }
    tables {
        key::KeyRow, material_row::MaterialRow, policy::PolicyRow, alias::KeyAlias, alias::AliasOfKeyRow,
        grant::KeyGrant, grant::GrantOfGranteeRow, grant::RetirableGrantRow,
    }
    access {
        find_resource: Some(access::find_resource),
        find_grants: Some(access::find_grants),
        find_subjects: Some(access::find_subjects),
    }
    crypto_keys {
        keys: &service_use::Keys,
        generate_data_key: "kms:GenerateDataKey",
        decrypt: "kms:Decrypt",
        via_service: "kms:ViaService",
        encryption_context: "kms:EncryptionContext:",
        encryption_context_keys: "kms:EncryptionContextKeys",
    }
}
