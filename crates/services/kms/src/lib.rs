//! Crypto keys: encryption, signatures, message authentication and key agreement.

mod access;
mod alias;
mod crypto;
pub mod errors;
mod grant;
mod import;
mod key;
#[doc(hidden)]
pub mod material;
mod paging;

pub use alias::*;
pub use crypto::*;
pub use grant::*;
pub use import::*;
pub use key::*;

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
        key::deletion::KeyPurge, import::deletion::MaterialExpiry, key::rotation::AutomaticRotation,
        key::rotation_on_demand::OnDemandRotation, key::replica::NextState, key::service_use::ManagedKeyCreation,
    }
    tables {
        key::KeyRow, key::material_row::MaterialRow, key::policy::PolicyRow, alias::KeyAlias, alias::AliasOfKeyRow,
        grant::KeyGrant, grant::GrantOfGranteeRow, grant::RetirableGrantRow,
    }
    access {
        find_resource: Some(access::find_resource),
        find_grants: Some(access::find_grants),
        find_subjects: Some(access::find_subjects),
    }
    crypto_keys {
        keys: &key::service_use::Keys,
        generate_data_key: "kms:GenerateDataKey",
        decrypt: "kms:Decrypt",
        via_service: "kms:ViaService",
        encryption_context: "kms:EncryptionContext:",
        encryption_context_keys: "kms:EncryptionContextKeys",
    }
    tagged { key::tagging::TAGGED }
}
