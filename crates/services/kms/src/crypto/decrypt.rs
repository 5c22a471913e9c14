//! Decryption, also with materials from before a rotation.

use crate::{
    CryptoKey, CryptoKeyManager, EncryptionAlgorithm, KeyUsage,
    crypto::{
        DryRun, EncryptionContext, Recipient, Use, check_dry_run, check_recipient,
        encrypt::{Encryption, Names, encode},
        to_error,
    },
    errors,
    key::{self, KeyRow, describe::GrantTokens, find, material_row::MaterialRow},
    material,
};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{Blob, Error, ErrorKind, Map, Record, Result, Text, choices, operation, record_of};

choices! {
    /// Change of a dry run.
    #[derive(Eq)]
    pub enum DryRunModifier {
        /// The ciphertext is neither needed nor read.
        IgnoreCiphertext = "IGNORE_CIPHERTEXT",
    }
}

/// Ciphertext of an operation that decrypts.
#[derive(Record)]
#[record(shared)]
pub struct Ciphertext {
    /// Ciphertext. A dry run does not need it if it ignores ciphertexts.
    #[field(length(1..=6144))]
    ciphertext_blob: Option<Blob>,
    /// Changes of a dry run.
    #[field(wire_only)]
    dry_run_modifiers: Option<Vec<DryRunModifier>>,
}

/// Decrypts. The ciphertext of a symmetric encryption key names its key; other ciphertexts need the key.
#[operation(
    of = CryptoKey, include(Ciphertext, EncryptionContext, GrantTokens, Recipient, DryRun), call = "decrypt",
    on_model, effect = read, access = write, output = DecryptResponse
)]
pub struct Decrypt {
    /// ID or ARN of the key, or name or ARN of an alias.
    #[field(from_field = "KeyId", length(1..=2048))]
    pub key_id: Option<Text>,
    /// Algorithm of encryption; AES-256-GCM by default.
    #[field(condition = "kms:EncryptionAlgorithm")]
    pub encryption_algorithm: Option<EncryptionAlgorithm>,
}

/// Decrypted data.
#[record_of(of = CryptoKey, takes(arn as key_id), answer)]
pub struct DecryptResponse {
    /// Plaintext.
    #[field(sensitive)]
    plaintext: Option<Blob>,
    /// Algorithm of encryption.
    encryption_algorithm: Option<EncryptionAlgorithm>,
    /// Plaintext, encrypted for an enclave. Enclaves are not supported here.
    ciphertext_for_recipient: Option<Blob>,
    /// ID of the material of a symmetric encryption key.
    key_material_id: Option<Text>,
}

const USE: Use = Use::new("Decrypt", &KeyUsage::EncryptDecrypt);

impl Handler for Decrypt {
    fn run(self, cx: &mut Tx<'_>) -> Result<DecryptResponse> {
        check_recipient(self.recipient.as_ref())?;
        let algorithm = self.encryption_algorithm.clone().unwrap_or(EncryptionAlgorithm::SymmetricDefault);
        let decryption = Decryption {
            key_use: USE,
            key_id: self.key_id.as_deref(),
            ciphertext: self.ciphertext_blob.as_ref(),
            ignores_ciphertext: ignores_ciphertext(self.dry_run, self.dry_run_modifiers.as_deref()),
            algorithm: &algorithm,
            context: self.encryption_context.as_ref(),
            names: &NAMES,
        };
        let source = decryption.find_source(cx)?;
        let opened = decryption.decrypt(cx, &source)?;
        check_dry_run(self.dry_run)?;
        Ok(DecryptResponse {
            key_id: Some(source.arn()),
            plaintext: Some(opened.plaintext),
            encryption_algorithm: Some(algorithm),
            ciphertext_for_recipient: None,
            key_material_id: opened.material_id,
        })
    }
}

/// True if a dry run ignores ciphertexts.
pub(crate) fn ignores_ciphertext(dry_run: Option<bool>, modifiers: Option<&[DryRunModifier]>) -> bool {
    dry_run == Some(true) && modifiers.unwrap_or_default().contains(&DryRunModifier::IgnoreCiphertext)
}

/// Names of the parameters of a decryption.
pub(crate) struct DecryptionNames {
    /// Parameter with the key.
    pub(crate) key: &'static str,
    /// The same, as the provider's messages about missing members spell it.
    pub(crate) key_member: &'static str,
    /// Parameters with the algorithm and the encryption context.
    pub(crate) others: Names,
}

const NAMES: DecryptionNames = DecryptionNames {
    key: "KeyId",
    key_member: "keyId",
    others: Names { algorithm: "EncryptionAlgorithm", context: "EncryptionContext" },
};

/// A decryption.
pub(crate) struct Decryption<'d> {
    pub(crate) key_use: Use,
    pub(crate) key_id: Option<&'d str>,
    pub(crate) ciphertext: Option<&'d Blob>,
    pub(crate) ignores_ciphertext: bool,
    pub(crate) algorithm: &'d EncryptionAlgorithm,
    pub(crate) context: Option<&'d Map<Text>>,
    pub(crate) names: &'d DecryptionNames,
}

/// Key of a decryption.
pub(crate) struct Source {
    key: KeyRow,
    /// Account and Region of the key.
    owner: Scope,
    /// ID of the material that a ciphertext names.
    material_id: Option<Text>,
}

/// Result of a decryption.
pub(crate) struct Opened {
    pub(crate) plaintext: Blob,
    /// ID of the material of a symmetric encryption key.
    pub(crate) material_id: Option<Text>,
}

impl Source {
    /// ARN of the key.
    pub(crate) fn arn(&self) -> Text {
        self.key.arn(&self.owner).into()
    }
}

impl Decryption<'_> {
    /// Finds the key, which must be usable.
    pub(crate) fn find_source(&self, cx: &mut Tx<'_>) -> Result<Source> {
        let name = self.read_name()?;
        let found = match (self.key_id, &name) {
            (Some(id), name) => find::with_key(cx, id, self.key_use.action(), |cx, key| {
                let is_same = |name: &material::KeyName| {
                    name.key_id == key.id() && name.account == cx.scope().account() && is_here(cx, name)
                };
                if !name.as_ref().is_none_or(is_same) {
                    return Err(errors::incorrect_key().with_field("KeyId"));
                }
                self.check_key(cx, key)
            }),
            (None, Some(name)) => self.find_named(cx, name),
            (None, None) => Err(errors::member_missing(self.names.key_member).with_field("KeyId")),
        };
        let (key, owner) = found.map_err(|error| self.rename_field(error))?;
        Ok(Source { key, owner, material_id: name.map(|name| name.material_id.into()) })
    }

    /// Finds the key that a ciphertext names.
    fn find_named(&self, cx: &mut Tx<'_>, name: &material::KeyName) -> Result<(KeyRow, Scope)> {
        if !is_here(cx, name) {
            return Err(self.key_missing(cx));
        }
        let owner = cx.scope().with_account(&name.account);
        let arn = key::arn(&owner, &name.key_id);
        let found =
            find::with_key(cx, arn.as_str(), self.key_use.action(), |cx, key| self.check_key(cx, key));
        found.map_err(|error| match error.kind() {
            ErrorKind::NotFound => self.key_missing(cx),
            _ => error,
        })
    }

    /// Error for a ciphertext whose key does not exist in this Region.
    fn key_missing(&self, cx: &Tx<'_>) -> Error {
        let principal = &cx.caller().principal().arn;
        errors::ciphertext_key_missing(principal, self.key_use.action()).with_field("CiphertextBlob")
    }

    /// Reads the name of the key in the ciphertext of a symmetric encryption key.
    fn read_name(&self) -> Result<Option<material::KeyName>> {
        if self.ignores_ciphertext {
            return Ok(None);
        }
        let ciphertext = self.require_ciphertext()?;
        match self.algorithm {
            EncryptionAlgorithm::SymmetricDefault => {
                material::read_header(ciphertext).map(Some).map_err(to_error)
            }
            _ => Ok(None),
        }
    }

    fn require_ciphertext(&self) -> Result<&[u8]> {
        let missing = || errors::member_missing("ciphertextBlob").with_field("CiphertextBlob");
        self.ciphertext.map(|ciphertext| ciphertext.0.as_slice()).ok_or_else(missing)
    }

    /// Refuses a key that cannot decrypt; returns it with its account and Region.
    fn check_key(&self, cx: &Tx<'_>, key: KeyRow) -> Result<(KeyRow, Scope)> {
        self.key_use.check(cx, &key)?;
        let Names { algorithm, context } = self.names.others;
        let names = Names { algorithm, context };
        Encryption { key: &key, algorithm: self.algorithm, context: self.context, names }.check()?;
        Ok((key, cx.scope().clone()))
    }

    /// Decrypts with the material that the ciphertext names, or the only material of an RSA key. A dry run that ignores the
    /// ciphertext ends here.
    pub(crate) fn decrypt(&self, cx: &mut Tx<'_>, source: &Source) -> Result<Opened> {
        check_dry_run(Some(self.ignores_ciphertext))?;
        let ciphertext = self.require_ciphertext()?;
        let key = &source.key;
        cx.in_scope(&source.owner, |cx| {
            let plaintext = match &source.material_id {
                Some(id) => {
                    let missing = || errors::invalid_ciphertext().with_field("CiphertextBlob");
                    let row = MaterialRow::find(cx, key.id(), id)?.ok_or_else(missing)?;
                    material::decrypt(&row.open(cx)?, &encode(self.context), ciphertext)
                }
                None => {
                    material::decrypt_rsa(key.spec(), &key.open_material(cx)?, self.algorithm, ciphertext)
                }
            };
            let plaintext = Blob(std::mem::take(&mut *plaintext.map_err(to_error)?));
            Ok(Opened { plaintext, material_id: source.material_id.clone() })
        })
    }

    /// Names the parameter with the key as this operation does.
    fn rename_field(&self, error: Error) -> Error {
        if error.field() == Some("KeyId") { error.with_field(self.names.key) } else { error }
    }
}

/// True if the key of a ciphertext is in this Region. A multi-Region key can have a replica here.
fn is_here(cx: &Tx<'_>, name: &material::KeyName) -> bool {
    name.region == cx.scope().region() || name.key_id.starts_with("mrk-")
}
