//! Data key pairs: key pairs whose private key a symmetric encryption key protects, for use outside the service.

use crate::{
    CryptoKey, CryptoKeyManager, KeySpec, KeyUsage,
    crypto::{
        DryRun, EncryptionContext, Recipient, Use, check_dry_run, check_recipient, data_key::check_symmetric,
        encrypt::encrypt_under, to_error,
    },
    errors,
    key::{KeyName, KeyRow, create, describe::GrantTokens},
    material,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    Blob, Choice, Map, Result, Text, choices,
    field_value::{self},
    operation, record_of,
};

choices! {
    /// Spec of a data key pair.
    #[derive(Eq)]
    pub enum DataKeyPairSpec {
        /// RSA with 2048 bits.
        Rsa2048 = "RSA_2048",
        /// RSA with 3072 bits.
        Rsa3072 = "RSA_3072",
        /// RSA with 4096 bits.
        Rsa4096 = "RSA_4096",
        /// The curve P-256.
        EccNistP256 = "ECC_NIST_P256",
        /// The curve P-384.
        EccNistP384 = "ECC_NIST_P384",
        /// The curve P-521.
        EccNistP521 = "ECC_NIST_P521",
        /// The curve secp256k1.
        EccSecgP256k1 = "ECC_SECG_P256K1",
        /// SM2, in Regions of China only.
        Sm2 = "SM2",
        /// The curve Edwards25519.
        EccNistEdwards25519 = "ECC_NIST_EDWARDS25519",
        /// ML-KEM, security category 1. Not supported here.
        MlKem512 = "ML_KEM_512",
        /// ML-KEM, security category 3. Not supported here.
        MlKem768 = "ML_KEM_768",
        /// ML-KEM, security category 5. Not supported here.
        MlKem1024 = "ML_KEM_1024",
    }
}

impl DataKeyPairSpec {
    /// Returns the spec of keys of the same type. `None` if it is not supported.
    fn key_spec(&self) -> Option<KeySpec> {
        let spec: KeySpec = field_value::choice_from_text(self.as_str());
        let is_supported = self.index().is_some() && !spec.usages().is_empty();
        is_supported.then_some(spec)
    }
}

/// Generates a data key pair: public key, private key, and a copy of the private key that is encrypted under the key.
#[operation(
    of = CryptoKey, include(KeyName, EncryptionContext, GrantTokens, Recipient, DryRun),
    call = "generate_data_key_pair", effect = read, access = write, output = GenerateDataKeyPairResponse
)]
pub struct GenerateDataKeyPair {
    /// Spec of the data key pair.
    #[field(condition = "kms:DataKeyPairSpec")]
    pub key_pair_spec: DataKeyPairSpec,
}

/// A data key pair.
#[record_of(of = CryptoKey, takes(arn as key_id, current_key_material_id as key_material_id), answer)]
pub struct GenerateDataKeyPairResponse {
    /// Private key, encrypted.
    private_key_ciphertext_blob: Option<Blob>,
    /// Private key, in the DER encoding of PKCS #8.
    #[field(sensitive)]
    private_key_plaintext: Option<Blob>,
    /// Public key, in the DER encoding of SubjectPublicKeyInfo.
    public_key: Option<Blob>,
    /// Spec of the data key pair.
    key_pair_spec: Option<DataKeyPairSpec>,
    /// Private key, encrypted for an enclave. Enclaves are not supported here.
    ciphertext_for_recipient: Option<Blob>,
}

impl Handler for GenerateDataKeyPair {
    fn run(self, cx: &mut Tx<'_>) -> Result<GenerateDataKeyPairResponse> {
        check_recipient(self.recipient.as_ref())?;
        const USE: Use = Use::new("GenerateDataKeyPair", &KeyUsage::EncryptDecrypt);
        USE.with_key(cx, &self.key_id, |cx, key| {
            let spec = check(&key, &self.key_pair_spec)?;
            check_dry_run(self.dry_run)?;
            let pair = generate(cx, &key, self.encryption_context.as_ref(), &spec)?;
            Ok(GenerateDataKeyPairResponse {
                private_key_ciphertext_blob: Some(pair.ciphertext),
                private_key_plaintext: Some(pair.private_key),
                public_key: Some(pair.public_key),
                key_id: Some(key.arn(cx.scope()).into()),
                key_pair_spec: Some(self.key_pair_spec),
                ciphertext_for_recipient: None,
                key_material_id: key.current_key_material_id,
            })
        })
    }
}

/// Generates a data key pair, and returns only the public key and the private key that is encrypted under the key.
#[operation(
    of = CryptoKey, include(KeyName, EncryptionContext, GrantTokens, DryRun),
    call = "generate_data_key_pair_without_plaintext", effect = read, access = write,
    output = GenerateDataKeyPairWithoutPlaintextResponse
)]
pub struct GenerateDataKeyPairWithoutPlaintext {
    /// Spec of the data key pair.
    #[field(condition = "kms:DataKeyPairSpec")]
    pub key_pair_spec: DataKeyPairSpec,
}

/// A data key pair with an encrypted private key.
#[record_of(of = CryptoKey, takes(arn as key_id, current_key_material_id as key_material_id), answer)]
pub struct GenerateDataKeyPairWithoutPlaintextResponse {
    /// Private key, encrypted.
    private_key_ciphertext_blob: Option<Blob>,
    /// Public key, in the DER encoding of SubjectPublicKeyInfo.
    public_key: Option<Blob>,
    /// Spec of the data key pair.
    key_pair_spec: Option<DataKeyPairSpec>,
}

impl Handler for GenerateDataKeyPairWithoutPlaintext {
    fn run(self, cx: &mut Tx<'_>) -> Result<GenerateDataKeyPairWithoutPlaintextResponse> {
        const USE: Use = Use::new("GenerateDataKeyPairWithoutPlaintext", &KeyUsage::EncryptDecrypt);
        USE.with_key(cx, &self.key_id, |cx, key| {
            let spec = check(&key, &self.key_pair_spec)?;
            check_dry_run(self.dry_run)?;
            let pair = generate(cx, &key, self.encryption_context.as_ref(), &spec)?;
            Ok(GenerateDataKeyPairWithoutPlaintextResponse {
                private_key_ciphertext_blob: Some(pair.ciphertext),
                public_key: Some(pair.public_key),
                key_id: Some(key.arn(cx.scope()).into()),
                key_pair_spec: Some(self.key_pair_spec),
                key_material_id: key.current_key_material_id,
            })
        })
    }
}

/// Refuses a key that does not protect data keys, and a spec that is not supported.
fn check(key: &KeyRow, spec: &DataKeyPairSpec) -> Result<KeySpec> {
    check_symmetric(key)?;
    spec.key_spec().ok_or_else(|| errors::pair_spec_unsupported(spec).with_field("KeyPairSpec"))
}

/// A generated data key pair.
struct GeneratedPair {
    ciphertext: Blob,
    private_key: Blob,
    public_key: Blob,
}

/// Generates a data key pair. It takes long, so this is done outside the transaction.
fn generate(
    cx: &mut Tx<'_>,
    key: &KeyRow,
    context: Option<&Map<Text>>,
    spec: &KeySpec,
) -> Result<GeneratedPair> {
    let mut stored = create::generate(cx, spec)?;
    let public_key = material::public_key(spec, &stored).map(Blob).map_err(to_error)?;
    let ciphertext = encrypt_under(cx, key, context, &stored)?;
    Ok(GeneratedPair { ciphertext, private_key: Blob(std::mem::take(&mut *stored)), public_key })
}
