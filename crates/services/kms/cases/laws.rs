//! Facts about the kinds of the service for the laws over all kinds.

use nephos_kms::{CryptoKey, KeyAlias, KeyGrant};
use nephos_testing::{Duplicate, KindFacts, LawFacts, RemainingRows, Step};

const CRYPTO_KEY: KindFacts = KindFacts {
    examples: &[
        r#"{"Description": "one", "Tags": [{"Key": "team", "Value": "web"}]}"#,
        r#"{"KeySpec": "HMAC_256", "KeyUsage": "GENERATE_VERIFY_MAC"}"#,
        r#"{"Description": "three"}"#,
    ],
    duplicate: Duplicate::Allowed,
    extras: &[Step::last(
        "set_policy",
        r#"{"Policy": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"kms:*\", \"Resource\": \"*\"}}"}"#,
    )],
    page_items: &[Step::last(
        "tag",
        r#"{"Tags": [{"Key": "law", "Value": "beside"}, {"Key": "team", "Value": "web"}]}"#,
    )],
    never_created: &[("CustomKeyStoreId", "there are no custom key stores")],
    ..KindFacts::of::<CryptoKey>()
};

const KEY_ALIAS: KindFacts = KindFacts {
    examples: &[
        r#"{"AliasName": "alias/one", "TargetKeyId": "$CryptoKey0.KeyId"}"#,
        r#"{"AliasName": "alias/two", "TargetKeyId": "$CryptoKey0.KeyId"}"#,
    ],
    changes: &[r#"{"TargetKeyId": "$CryptoKey.KeyId"}"#],
    ..KindFacts::of::<KeyAlias>()
};

const KEY_GRANT: KindFacts = KindFacts {
    examples: &[
        r#"{"KeyId": "$CryptoKey0.Arn", "Name": "one", "GranteePrincipal": "arn:aws:iam::123456789012:root",
        "RetiringPrincipal": "arn:aws:iam::123456789012:root", "Operations": ["DescribeKey", "RetireGrant"]}"#,
        r#"{"KeyId": "$CryptoKey0.Arn", "Name": "two", "GranteePrincipal": "arn:aws:iam::210987654321:root",
        "RetiringPrincipal": "arn:aws:iam::123456789012:root", "Operations": ["Decrypt"],
        "Constraints": {"EncryptionContextSubset": {"team": "web"}}}"#,
    ],
    duplicate: Duplicate::Idempotent,
    settings: &[r#"{"GranteePrincipal": null, "GranteeServicePrincipal": "logs.us-east-1.amazonaws.com",
        "RetiringPrincipal": null, "RetiringServicePrincipal": "logs.us-east-1.amazonaws.com",
        "Constraints": {"SourceArn": "arn:aws:logs:us-east-1:123456789012:log-group:one"}}"#],
    ..KindFacts::of::<KeyGrant>()
};

/// Reason for random answers with key pairs.
const KEY_PAIR: &str =
    "the library that makes key pairs has randomness of its own, so that their length differs";

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[CRYPTO_KEY, KEY_ALIAS, KEY_GRANT],
    unchecked_references: &[(
        &[
            "CryptoKey create_alias AliasName",
            "CryptoKey create_alias TargetKeyId",
            "CryptoKey update_alias AliasName",
            "CryptoKey update_alias TargetKeyId",
        ],
        "calls of aliases try the same operations",
    )],
    values: &[(
        "Policy",
        r#"{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "kms:*", "Resource": "*"}}"#,
    )],
    texts: &["arn:aws:kms:us-east-1:123456789012:key/one"],
    unreachable: &[
        (&["CryptoKey decrypt", "kms Decrypt"], "needs a ciphertext"),
        (&["CryptoKey re_encrypt", "kms ReEncrypt"], "needs a ciphertext"),
        (&["CryptoKey sign", "kms Sign"], "needs a key pair"),
        (&["CryptoKey verify", "kms Verify"], "needs a signature"),
        (&["CryptoKey verify_mac", "kms VerifyMac"], "needs a message authentication code"),
        (&["CryptoKey public_key", "kms GetPublicKey"], "needs a key pair"),
        (&["CryptoKey derive_shared_secret", "kms DeriveSharedSecret"], "needs a key pair"),
        (
            &["CryptoKey get_parameters_for_import", "kms GetParametersForImport"],
            "needs a key without material",
        ),
        (&["CryptoKey import_material", "kms ImportKeyMaterial"], "needs a key without material"),
        (&["CryptoKey delete_imported_material", "kms DeleteImportedKeyMaterial"], "needs imported material"),
        (&["CryptoKey replicate", "kms ReplicateKey"], "needs a multi-Region key"),
        (&["CryptoKey update_primary_region", "kms UpdatePrimaryRegion"], "needs a multi-Region key"),
    ],
    random_answers: &[
        (&["CryptoKey generate_data_key_pair", "kms GenerateDataKeyPair"], KEY_PAIR),
        (
            &[
                "CryptoKey generate_data_key_pair_without_plaintext",
                "kms GenerateDataKeyPairWithoutPlaintext",
            ],
            KEY_PAIR,
        ),
    ],
    unpaged: &[
        ("ListKeyRotations", "no key of the examples is rotated"),
        ("ListKeyPolicies", "a key has exactly one policy"),
    ],
    page_parameters: &[("ListRetirableGrants", r#"{"RetiringPrincipal": "arn:aws:iam::123456789012:root"}"#)],
    remaining_rows: &[
        (
            RemainingRows::Key("kms/alias", "alias/aws/secretsmanager"),
            "alias of a key that the provider manages",
        ),
        (
            RemainingRows::Resource("kms/key", r#""KeyManager":"PROVIDER""#),
            "nobody can delete a key that the provider manages",
        ),
    ],
    ..LawFacts::of(&nephos_kms::SERVICE)
};
