//! Deletion and expiry of imported key material.

use crate::{
    CryptoKey, CryptoKeyManager, KeySpec, errors,
    import::require_external,
    key::{
        KeyIdOrArn, KeyRow, KeyState, find,
        material_row::{self, MaterialRow},
        replica::change_related,
    },
};
use nephos_cloud::{Handler, Tx, Work};
use nephos_core::{Result, Text, operation, record_of};

/// Deletes imported material of a key. The key cannot be used until the same material is imported again.
#[operation(
    of = CryptoKey, include(KeyIdOrArn), call = "delete_imported_material", on_model, effect = write,
    output = DeleteImportedKeyMaterialResponse
)]
pub struct DeleteImportedKeyMaterial {
    /// ID of the material of a symmetric encryption key; by default, the current material.
    #[field(length(64..=64), pattern = "[a-f0-9]+")]
    pub key_material_id: Option<Text>,
}

/// Deleted material.
#[record_of(of = CryptoKey, takes(arn as key_id), answer)]
pub struct DeleteImportedKeyMaterialResponse {
    /// ID of the material of a symmetric encryption key.
    key_material_id: Option<Text>,
}

impl Handler for DeleteImportedKeyMaterial {
    fn run(self, cx: &mut Tx<'_>) -> Result<DeleteImportedKeyMaterialResponse> {
        let mut key = require_external(cx, &self.key_id)?;
        if !matches!(key.state(), KeyState::PendingDeletion | KeyState::PendingReplicaDeletion) {
            key.check_settled(cx)?;
        }
        let arn = key.arn(cx.scope());
        let rows = material_row::find_all(cx, key.id())?;
        let row = match &self.key_material_id {
            Some(id) => {
                key.check_symmetric(cx).map_err(|error| error.with_field("KeyMaterialId"))?;
                let row = rows.into_iter().find(|row| row.material_id.as_ref() == Some(id));
                let missing = || errors::material_not_found(id, &arn).with_field("KeyMaterialId");
                Some(row.ok_or_else(missing)?)
            }
            None => rows.into_iter().find(|row| row.number == key.material),
        };
        let is_symmetric = *key.spec() == KeySpec::SymmetricDefault;
        let id = row.as_ref().and_then(|row| row.material_id.clone()).filter(|_| is_symmetric);
        if let Some(row) = row.filter(|row| row.sealed.is_some()) {
            remove(cx, &mut key, row)?;
            cx.put(key)?;
        }
        Ok(DeleteImportedKeyMaterialResponse { key_id: Some(arn.into()), key_material_id: id })
    }
}

/// Removes imported material of a key. Material that the key has used stays known by its ID; material for the next rotation
/// of a primary is removed from its replicas too.
fn remove(cx: &mut Tx<'_>, key: &mut KeyRow, row: MaterialRow) -> Result<()> {
    if key.has_used(&row) || key.is_replica(cx) {
        cx.put(row.to_unimported())?;
    } else {
        cx.remove(&row)?;
        change_related(cx, key, |cx, _| cx.remove(&row))?;
    }
    key.settle_import(cx)
}

/// Work that removes imported material when it expires.
#[record_of(of = CryptoKey, takes(key_id), row)]
pub(crate) struct MaterialExpiry {
    /// ID of the material.
    material_id: Option<Text>,
}

impl MaterialExpiry {
    /// Creates the work for a material.
    pub(crate) fn new(row: &MaterialRow) -> Self {
        Self { key_id: row.key_id.clone(), material_id: row.material_id.clone() }
    }
}

impl Work for MaterialExpiry {
    const NAME: &'static str = "kms/expire";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let (key_id, id) = (self.key_id.unwrap_or_default(), self.material_id.unwrap_or_default());
        let Some(mut key) = find::find_by_id(cx, &key_id)? else { return Ok(()) };
        let Some(row) = MaterialRow::find(cx, &key_id, &id)? else { return Ok(()) };
        // It may have been imported again since, to expire at another time.
        if row.valid_to != Some(cx.now()) {
            return Ok(());
        }
        remove(cx, &mut key, row)?;
        cx.put(key)
    }
}
