//! Import of key material.

use crate::{
    CryptoKey, CryptoKeyManager, ExpirationModel, KeySpec, errors,
    import::{ImportToken, deletion::MaterialExpiry, require_importable},
    key::{
        KeyIdOrArn, KeyRow,
        material_row::{self, MaterialRow},
        replica::change_related,
        rotation::after_days,
    },
    material::{self, Failure, StoredMaterial},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Error, Result, Text, Timestamp, choices, operation, record_of};

choices! {
    /// Type of an import.
    #[derive(Eq)]
    pub enum ImportType {
        /// Material that the key does not have.
        NewKeyMaterial = "NEW_KEY_MATERIAL",
        /// Material that the key has, or had before it expired or was deleted.
        ExistingKeyMaterial = "EXISTING_KEY_MATERIAL",
    }
}

/// Longest time until imported material expires, in days.
const MAX_DAYS: i64 = 365;

/// Imports material into a key that was created without. The same material can be imported again; a symmetric encryption key can
/// also get other material for its next rotation.
#[operation(
    of = CryptoKey, include(KeyIdOrArn), call = "import_material", effect = write, output = ImportKeyMaterialResponse
)]
pub struct ImportKeyMaterial {
    /// Token for the import.
    #[field(length(1..=6144))]
    pub import_token: Blob,
    /// The material, wrapped.
    #[field(length(1..=6144))]
    pub encrypted_key_material: Blob,
    /// Time at which the material expires, at most 365 days from now.
    #[field(condition = "kms:ValidTo")]
    pub valid_to: Option<Timestamp>,
    /// Expiration of the material; by default, it expires.
    #[field(condition = "kms:ExpirationModel")]
    pub expiration_model: Option<ExpirationModel>,
    /// Type of the import; by default, the first material of a key is new, and all other is not.
    pub import_type: Option<ImportType>,
    /// Description of the material of a symmetric encryption key.
    #[field(length(..=256), pattern = r"[a-zA-Z0-9:/_\s.-]*")]
    pub key_material_description: Option<Text>,
    /// ID of the material of a symmetric encryption key that is imported again.
    #[field(length(64..=64), pattern = "[a-f0-9]+")]
    pub key_material_id: Option<Text>,
}

/// Imported material.
#[record_of(of = CryptoKey, takes(arn as key_id), answer)]
pub struct ImportKeyMaterialResponse {
    /// ID of the material of a symmetric encryption key.
    key_material_id: Option<Text>,
}

impl Handler for ImportKeyMaterial {
    fn run(self, cx: &mut Tx<'_>) -> Result<ImportKeyMaterialResponse> {
        let model = self.check_expiration(cx)?;
        let mut key = require_importable(cx, &self.key_id)?;
        self.check_symmetric(cx, &key)?;
        let token = ImportToken::open(cx, &key, &self.import_token)?;
        let stored = unwrap(cx, &key, token, &self.encrypted_key_material)?;
        let id = Text::from(material::material_id(key.id(), &stored));
        let mut row = self.find_row(cx, &key, id.clone())?;
        if let Some(description) = &self.key_material_description {
            row.description = Some(description.clone());
        }
        row.expiration_model = Some(model);
        row.valid_to = self.valid_to;
        row.seal(cx, &stored)?;
        if let Some(time) = self.valid_to {
            cx.schedule(time, &MaterialExpiry::new(&row))?;
        }
        if key.material.is_none() {
            row.since = Some(cx.now());
            key.set_current_material(&row);
        }
        add_to_replicas(cx, &key, &row)?;
        cx.put(row)?;
        key.settle_import(cx)?;
        let is_symmetric = *key.spec() == KeySpec::SymmetricDefault;
        let key_id = Some(key.arn(cx.scope()).into());
        cx.put(key)?;
        Ok(ImportKeyMaterialResponse { key_id, key_material_id: is_symmetric.then_some(id) })
    }
}

impl ImportKeyMaterial {
    /// Checks the expiration of the material.
    fn check_expiration(&self, cx: &Tx<'_>) -> Result<ExpirationModel> {
        let model = self.expiration_model.clone().unwrap_or(ExpirationModel::KeyMaterialExpires);
        let refused = match (&model, self.valid_to) {
            (ExpirationModel::KeyMaterialExpires, None) => errors::valid_to_missing(),
            (ExpirationModel::KeyMaterialDoesNotExpire, Some(_)) => errors::valid_to_given(),
            (_, Some(time)) if time <= cx.now() => errors::valid_to_in_past(),
            (_, Some(time)) if time > after_days(cx.now(), MAX_DAYS) => errors::valid_to_too_late(),
            _ => return Ok(model),
        };
        Err(refused.with_field("ValidTo"))
    }

    /// Refuses parameters that only symmetric encryption keys have.
    fn check_symmetric(&self, cx: &Tx<'_>, key: &KeyRow) -> Result<()> {
        let given = [
            ("ImportType", self.import_type.is_some()),
            ("KeyMaterialDescription", self.key_material_description.is_some()),
            ("KeyMaterialId", self.key_material_id.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => key.check_symmetric(cx).map_err(|error| error.with_field(*name)),
            None => Ok(()),
        }
    }

    /// Returns the row for the material with this ID: the one that the key has, or a new one.
    fn find_row(&self, cx: &Tx<'_>, key: &KeyRow, id: Text) -> Result<MaterialRow> {
        let rows = material_row::find_all(cx, key.id())?;
        let is_new = match &self.import_type {
            Some(import_type) => *import_type == ImportType::NewKeyMaterial,
            None => rows.is_empty(),
        };
        let known = rows.iter().find(|row| row.material_id.as_ref() == Some(&id));
        if !is_new {
            let is_expected = self.key_material_id.as_ref().is_none_or(|expected| *expected == id);
            let hint = "the key has other material; new material must be imported as NEW_KEY_MATERIAL";
            return known.filter(|_| is_expected).cloned().ok_or_else(|| incorrect(hint));
        }
        if self.key_material_id.is_some() {
            return Err(errors::new_material_id_given().with_field("KeyMaterialId"));
        }
        key.check_not_replica(cx)?;
        if known.is_some() {
            return Err(incorrect("the key has this material already"));
        }
        if let Some(pending) = rows.iter().find(|row| !key.has_used(row)) {
            let pending = pending.material_id.as_deref().unwrap_or_default();
            return Err(errors::other_material_pending(id, key.arn(cx.scope()), pending));
        }
        Ok(MaterialRow::new(key, key.material.unwrap_or_default() + 1, id))
    }
}

fn incorrect(hint: impl Into<String>) -> Error {
    errors::material_invalid().with_field("EncryptedKeyMaterial").with_hint(hint.into())
}

/// Unwraps and checks material, outside the transaction.
fn unwrap(cx: &mut Tx<'_>, key: &KeyRow, token: ImportToken, wrapped: &Blob) -> Result<StoredMaterial> {
    let (spec, wrapped) = (key.spec().clone(), wrapped.clone());
    let unwrapped = cx.compute(move || {
        let plain = material::unwrap(&token.wrapping_key, &token.algorithm, &wrapped.0);
        Ok(plain.and_then(|plain| material::check_imported(&spec, &plain)))
    })?;
    unwrapped.map_err(|failure| match failure {
        Failure::WrongLength { expected, actual } => {
            incorrect(format!("a key of spec {} has {expected} bytes, got {actual}", key.spec()))
        }
        Failure::InvalidKey => incorrect(format!("not a PKCS #8 private key of spec {}", key.spec())),
        _ => errors::invalid_ciphertext().with_field("EncryptedKeyMaterial"),
    })
}

/// Announces new material of a primary to its replicas, into which it must be imported too.
fn add_to_replicas(cx: &mut Tx<'_>, key: &KeyRow, row: &MaterialRow) -> Result<()> {
    if key.is_replica(cx) {
        return Ok(());
    }
    change_related(cx, key, |cx, related| {
        let place = material_row::prefix(cx, related.id()).number(row.number.unwrap_or_default());
        if cx.exists(&place)? {
            return Ok(());
        }
        let mut announced = row.to_unimported();
        announced.description = None;
        if key.has_used(&announced) {
            related.set_current_material(&announced);
        }
        cx.put(announced)
    })
}
