//! Specs, usages and algorithms of keys, and how they fit together.

use nephos_core::choices;

choices! {
    /// Spec of a key: its type and length.
    #[derive(Eq)]
    pub enum KeySpec {
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
        /// A symmetric key of 256 bits.
        SymmetricDefault = "SYMMETRIC_DEFAULT",
        /// A key of 224 bits for message authentication.
        Hmac224 = "HMAC_224",
        /// A key of 256 bits for message authentication.
        Hmac256 = "HMAC_256",
        /// A key of 384 bits for message authentication.
        Hmac384 = "HMAC_384",
        /// A key of 512 bits for message authentication.
        Hmac512 = "HMAC_512",
        /// SM2, in Regions of China only.
        Sm2 = "SM2",
        /// ML-DSA, security category 2.
        MlDsa44 = "ML_DSA_44",
        /// ML-DSA, security category 3.
        MlDsa65 = "ML_DSA_65",
        /// ML-DSA, security category 5.
        MlDsa87 = "ML_DSA_87",
        /// The curve Edwards25519.
        EccNistEdwards25519 = "ECC_NIST_EDWARDS25519",
    }
}

choices! {
    /// Cryptographic operations that a key is for.
    #[derive(Eq)]
    pub enum KeyUsage {
        /// Signing and verifying.
        SignVerify = "SIGN_VERIFY",
        /// Encrypting and decrypting.
        EncryptDecrypt = "ENCRYPT_DECRYPT",
        /// Generating and verifying message authentication codes.
        GenerateVerifyMac = "GENERATE_VERIFY_MAC",
        /// Deriving shared secrets.
        KeyAgreement = "KEY_AGREEMENT",
    }
}

choices! {
    /// Algorithm of encryption.
    #[derive(Eq)]
    pub enum EncryptionAlgorithm {
        /// AES-256-GCM.
        SymmetricDefault = "SYMMETRIC_DEFAULT",
        /// RSA with OAEP and SHA-1.
        RsaesOaepSha1 = "RSAES_OAEP_SHA_1",
        /// RSA with OAEP and SHA-256.
        RsaesOaepSha256 = "RSAES_OAEP_SHA_256",
        /// SM2, in Regions of China only.
        Sm2pke = "SM2PKE",
    }
}

choices! {
    /// Algorithm of signatures.
    #[derive(Eq)]
    pub enum SigningAlgorithm {
        /// RSA PSS with SHA-256.
        RsassaPssSha256 = "RSASSA_PSS_SHA_256",
        /// RSA PSS with SHA-384.
        RsassaPssSha384 = "RSASSA_PSS_SHA_384",
        /// RSA PSS with SHA-512.
        RsassaPssSha512 = "RSASSA_PSS_SHA_512",
        /// RSA PKCS #1 v1.5 with SHA-256.
        RsassaPkcs1V15Sha256 = "RSASSA_PKCS1_V1_5_SHA_256",
        /// RSA PKCS #1 v1.5 with SHA-384.
        RsassaPkcs1V15Sha384 = "RSASSA_PKCS1_V1_5_SHA_384",
        /// RSA PKCS #1 v1.5 with SHA-512.
        RsassaPkcs1V15Sha512 = "RSASSA_PKCS1_V1_5_SHA_512",
        /// ECDSA with SHA-256.
        EcdsaSha256 = "ECDSA_SHA_256",
        /// ECDSA with SHA-384.
        EcdsaSha384 = "ECDSA_SHA_384",
        /// ECDSA with SHA-512.
        EcdsaSha512 = "ECDSA_SHA_512",
        /// SM2, in Regions of China only.
        Sm2dsa = "SM2DSA",
        /// ML-DSA.
        MlDsaShake256 = "ML_DSA_SHAKE_256",
        /// Ed25519 over the message.
        Ed25519Sha512 = "ED25519_SHA_512",
        /// Ed25519 over the SHA-512 digest of the message.
        Ed25519PhSha512 = "ED25519_PH_SHA_512",
    }
}

choices! {
    /// Algorithm of key agreement.
    #[derive(Eq)]
    pub enum KeyAgreementAlgorithm {
        /// Elliptic-curve Diffie-Hellman.
        Ecdh = "ECDH",
    }
}

choices! {
    /// Algorithm of message authentication.
    #[derive(Eq)]
    pub enum MacAlgorithm {
        /// HMAC with SHA-384.
        HmacSha384 = "HMAC_SHA_384",
        /// HMAC with SHA-256.
        HmacSha256 = "HMAC_SHA_256",
        /// HMAC with SHA-224.
        HmacSha224 = "HMAC_SHA_224",
        /// HMAC with SHA-512.
        HmacSha512 = "HMAC_SHA_512",
    }
}

choices! {
    /// Algorithm that protects imported key material on its way.
    #[derive(Eq)]
    pub enum WrappingAlgorithm {
        /// RSA with PKCS #1 v1.5.
        RsaesPkcs1V15 = "RSAES_PKCS1_V1_5",
        /// RSA with OAEP and SHA-1.
        RsaesOaepSha1 = "RSAES_OAEP_SHA_1",
        /// RSA with OAEP and SHA-256.
        RsaesOaepSha256 = "RSAES_OAEP_SHA_256",
        /// AES key wrap under an AES key, which is encrypted with RSA, OAEP and SHA-1.
        RsaAesKeyWrapSha1 = "RSA_AES_KEY_WRAP_SHA_1",
        /// AES key wrap under an AES key, which is encrypted with RSA, OAEP and SHA-256.
        RsaAesKeyWrapSha256 = "RSA_AES_KEY_WRAP_SHA_256",
        /// SM2, in Regions of China only.
        Sm2pke = "SM2PKE",
    }
}

impl KeySpec {
    /// Usages that a key of this spec can have.
    pub(crate) fn usages(&self) -> &'static [KeyUsage] {
        match self {
            Self::SymmetricDefault => &[KeyUsage::EncryptDecrypt],
            Self::Rsa2048 | Self::Rsa3072 | Self::Rsa4096 => {
                &[KeyUsage::EncryptDecrypt, KeyUsage::SignVerify]
            }
            Self::EccNistP256 | Self::EccNistP384 | Self::EccNistP521 => {
                &[KeyUsage::SignVerify, KeyUsage::KeyAgreement]
            }
            Self::EccSecgP256k1
            | Self::EccNistEdwards25519
            | Self::MlDsa44
            | Self::MlDsa65
            | Self::MlDsa87 => &[KeyUsage::SignVerify],
            Self::Hmac224 | Self::Hmac256 | Self::Hmac384 | Self::Hmac512 => &[KeyUsage::GenerateVerifyMac],
            Self::Sm2 | Self::Unknown(_) => &[],
        }
    }

    /// True for the specs of key pairs.
    pub fn is_pair(&self) -> bool {
        let symmetric = [Self::SymmetricDefault, Self::Hmac224, Self::Hmac256, Self::Hmac384, Self::Hmac512];
        !symmetric.contains(self)
    }

    /// Algorithms of encryption of keys of this spec.
    pub fn encryption_algorithms(&self) -> &'static [EncryptionAlgorithm] {
        match self {
            Self::SymmetricDefault => &[EncryptionAlgorithm::SymmetricDefault],
            Self::Rsa2048 | Self::Rsa3072 | Self::Rsa4096 => {
                &[EncryptionAlgorithm::RsaesOaepSha1, EncryptionAlgorithm::RsaesOaepSha256]
            }
            _ => &[],
        }
    }

    /// Algorithms of signatures of keys of this spec.
    pub fn signing_algorithms(&self) -> &'static [SigningAlgorithm] {
        match self {
            Self::Rsa2048 | Self::Rsa3072 | Self::Rsa4096 => &[
                SigningAlgorithm::RsassaPkcs1V15Sha256,
                SigningAlgorithm::RsassaPkcs1V15Sha384,
                SigningAlgorithm::RsassaPkcs1V15Sha512,
                SigningAlgorithm::RsassaPssSha256,
                SigningAlgorithm::RsassaPssSha384,
                SigningAlgorithm::RsassaPssSha512,
            ],
            Self::EccNistP256 | Self::EccSecgP256k1 => &[SigningAlgorithm::EcdsaSha256],
            Self::EccNistP384 => &[SigningAlgorithm::EcdsaSha384],
            Self::EccNistP521 => &[SigningAlgorithm::EcdsaSha512],
            Self::EccNistEdwards25519 => {
                &[SigningAlgorithm::Ed25519PhSha512, SigningAlgorithm::Ed25519Sha512]
            }
            Self::MlDsa44 | Self::MlDsa65 | Self::MlDsa87 => &[SigningAlgorithm::MlDsaShake256],
            _ => &[],
        }
    }

    /// Algorithms of message authentication of keys of this spec.
    pub(crate) fn mac_algorithms(&self) -> &'static [MacAlgorithm] {
        match self {
            Self::Hmac224 => &[MacAlgorithm::HmacSha224],
            Self::Hmac256 => &[MacAlgorithm::HmacSha256],
            Self::Hmac384 => &[MacAlgorithm::HmacSha384],
            Self::Hmac512 => &[MacAlgorithm::HmacSha512],
            _ => &[],
        }
    }
}
