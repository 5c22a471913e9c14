//! Listing of the materials of a key.

use crate::{
    CryptoKey, CryptoKeyManager, KeyOrigin, KeySpec, RotationType, errors,
    key::{
        KeyIdOrArn, KeyRow, find,
        material_row::{self, MaterialRow},
    },
    paging::Page,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Result, Text, Timestamp, choices, operation, record_of};

choices! {
    /// Materials that a listing contains.
    #[derive(Eq)]
    pub enum IncludeKeyMaterial {
        /// All.
        AllKeyMaterial = "ALL_KEY_MATERIAL",
        /// Those that rotations made current.
        RotationsOnly = "ROTATIONS_ONLY",
    }
}

choices! {
    /// Presence of imported material.
    #[derive(Eq)]
    pub enum ImportState {
        /// It is imported.
        Imported = "IMPORTED",
        /// It must be imported again.
        PendingImport = "PENDING_IMPORT",
    }
}

choices! {
    /// State of a material.
    #[derive(Eq)]
    pub enum KeyMaterialState {
        /// It decrypts.
        NonCurrent = "NON_CURRENT",
        /// It encrypts and decrypts.
        Current = "CURRENT",
        /// It was imported for the next rotation.
        PendingRotation = "PENDING_ROTATION",
        /// It was imported for the next rotation, but not into every replica.
        PendingMultiRegionImportAndRotation = "PENDING_MULTI_REGION_IMPORT_AND_ROTATION",
    }
}

/// Lists the rotations of a key, the oldest first.
#[operation(
    of = CryptoKey, include(KeyIdOrArn, Page), call = "list_rotations", on_model,
    page(rotations: KeyRotation, next_marker, truncated), effect = read
)]
pub struct ListKeyRotations {
    /// Materials to list; by default, those that rotations made current.
    pub include_key_material: Option<IncludeKeyMaterial>,
}

/// A material of a key, and the rotation that made it current.
#[record_of(of = CryptoKey, takes(arn as key_id, expiration_model, valid_to), answer, name = "RotationsListEntry")]
pub struct KeyRotation {
    /// ID of the material.
    key_material_id: Option<Text>,
    /// Description of imported material.
    key_material_description: Option<Text>,
    /// Presence of imported material.
    import_state: Option<ImportState>,
    /// State of the material.
    key_material_state: Option<KeyMaterialState>,
    /// Time of the rotation.
    rotation_date: Option<Timestamp>,
    /// Cause of the rotation.
    rotation_type: Option<RotationType>,
}

impl Handler for ListKeyRotations {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let key = find::require_own(cx, &self.key_id)?;
        let is_all = self.include_key_material == Some(IncludeKeyMaterial::AllKeyMaterial)
            && *key.spec() == KeySpec::SymmetricDefault;
        let pending = material_row::pending_state(cx, &key)?;
        let rows = material_row::find_all(cx, key.id())?;
        let listed = rows.into_iter().filter(|row| is_all || row.rotation_type.is_some());
        let arn = Text::from(key.arn(cx.scope()));
        let items = listed.map(|row| to_rotation(&key, &arn, row, &pending));
        let invalid_marker = |_| errors::invalid_marker_of_rotations().with_field("Marker");
        Ok(cx.page_list(&self, items).map_err(invalid_marker)?.into())
    }
}

fn to_rotation(key: &KeyRow, arn: &Text, row: MaterialRow, pending: &KeyMaterialState) -> KeyRotation {
    let is_external = *key.origin() == KeyOrigin::External;
    let import_state = if row.sealed.is_some() { ImportState::Imported } else { ImportState::PendingImport };
    let state = match row.number.cmp(&key.material) {
        std::cmp::Ordering::Less => KeyMaterialState::NonCurrent,
        std::cmp::Ordering::Equal => KeyMaterialState::Current,
        std::cmp::Ordering::Greater => pending.clone(),
    };
    KeyRotation {
        key_id: Some(arn.clone()),
        key_material_id: row.material_id,
        key_material_description: row.description,
        import_state: is_external.then_some(import_state),
        key_material_state: Some(state),
        expiration_model: row.expiration_model,
        valid_to: row.valid_to,
        rotation_date: row.rotation_type.as_ref().and(row.since),
        rotation_type: row.rotation_type,
    }
}
