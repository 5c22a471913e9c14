//! Stored key material: sealed with the key of the cloud.

use crate::{
    CryptoKey, ExpirationModel, KeyMaterialState, KeyOrigin, KeyState, RotationType, errors,
    key::KeyRow,
    material::{self, StoredMaterial},
};
use nephos_cloud::{Direction, Key, Scope, Stored, Tx};
use nephos_core::{Blob, Result, Text, Timestamp, field_value::FieldType, record_of};
use std::ops::ControlFlow;
use zeroize::Zeroizing;

/// Row of one material of a key. A key that was never rotated has one. Imported material for the next rotation has a higher
/// number than the current one.
#[record_of(of = CryptoKey, takes(key_id, expiration_model, valid_to), row, hot, name = "KeyMaterial")]
pub(crate) struct MaterialRow {
    /// Number of the material, from 1.
    pub(crate) number: Option<i64>,
    /// ID of the material.
    pub(crate) material_id: Option<Text>,
    /// The material, sealed; absent if it must be imported, for the first time or again.
    #[field(sensitive)]
    pub(crate) sealed: Option<Blob>,
    /// Time at which it became the current material.
    pub(crate) since: Option<Timestamp>,
    /// Cause of the rotation that made it the current material; absent for the first material.
    pub(crate) rotation_type: Option<RotationType>,
    /// Description of imported material.
    pub(crate) description: Option<Text>,
}

nephos_cloud::stored!(MaterialRow in "kms/material" by key_id, number);

/// Returns the prefix of the materials of a key.
pub(crate) fn prefix(cx: &Tx<'_>, key_id: &str) -> Key {
    MaterialRow::table(cx.scope()).text(key_id)
}

/// Returns the materials of a key in the order of their numbers.
pub(crate) fn find_all(cx: &Tx<'_>, key_id: &str) -> Result<Vec<MaterialRow>> {
    cx.all(&prefix(cx, key_id))
}

/// Returns the materials of a key, with their bytes if a replica has them from the beginning.
pub(crate) fn open_all(cx: &Tx<'_>, key: &KeyRow) -> Result<Vec<(MaterialRow, Option<StoredMaterial>)>> {
    let is_imported = *key.origin() == KeyOrigin::External;
    let open = |row: MaterialRow| {
        let stored = if is_imported { None } else { Some(row.open(cx)?) };
        Ok((row, stored))
    };
    find_all(cx, key.id())?.into_iter().map(open).collect()
}

/// Writes the materials of a key into the Region of a replica.
pub(crate) fn copy_all(cx: &mut Tx<'_>, materials: Vec<(MaterialRow, Option<StoredMaterial>)>) -> Result<()> {
    for (row, stored) in materials {
        let mut copied = row.to_unimported();
        if let Some(stored) = stored {
            copied.seal(cx, &stored)?;
        }
        cx.put(copied)?;
    }
    Ok(())
}

/// True if the material for the next rotation is imported here and at all replicas.
pub(crate) fn is_rotation_pending(cx: &Tx<'_>, key: &KeyRow) -> Result<bool> {
    let number = key.material.unwrap_or_default() + 1;
    let regions = key.primary_region.iter().chain(key.replica_regions());
    let mut scopes: Vec<_> = regions.map(|region| Scope::new(cx.scope().account(), region)).collect();
    if scopes.is_empty() {
        scopes.push(cx.scope().clone());
    }
    for scope in scopes {
        let place = MaterialRow::table(&scope).text(key.id()).number(number);
        let row: Option<MaterialRow> = cx.get_in(&scope, &place)?;
        if row.and_then(|row| row.sealed).is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// State of the material for the next rotation, if there is one.
pub(crate) fn pending_state(cx: &Tx<'_>, key: &KeyRow) -> Result<KeyMaterialState> {
    Ok(match is_rotation_pending(cx, key)? {
        true => KeyMaterialState::PendingRotation,
        false => KeyMaterialState::PendingMultiRegionImportAndRotation,
    })
}

impl KeyRow {
    /// Stores new material of the key, and makes it the current one: its first, or one of a rotation.
    pub(crate) fn add_material(
        &mut self,
        cx: &mut Tx<'_>,
        stored: &[u8],
        rotation: Option<&RotationType>,
    ) -> Result<()> {
        let id = Text::from(material::material_id(self.id(), stored));
        let mut row = MaterialRow::new(self, self.material.unwrap_or_default() + 1, id);
        row.rotation_type = rotation.cloned();
        row.since = Some(cx.now());
        row.seal(cx, stored)?;
        self.set_current_material(&row);
        cx.put(row)
    }

    /// Makes a material the current one.
    pub(crate) fn set_current_material(&mut self, row: &MaterialRow) {
        let is_shown = !self.spec().is_pair() && self.spec().mac_algorithms().is_empty();
        self.material = row.number;
        self.current_key_material_id = row.material_id.clone().filter(|_| is_shown);
    }

    /// Makes the imported material for the next rotation the current one.
    pub(crate) fn rotate_to_pending(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let place = prefix(cx, self.id()).number(self.material.unwrap_or_default() + 1);
        let Some(mut row) = cx.get::<MaterialRow>(&place)? else { return Ok(()) };
        row.rotation_type = Some(RotationType::OnDemand);
        row.since = Some(cx.now());
        self.set_current_material(&row);
        cx.put(row)?;
        self.settle_import(cx)
    }

    /// True if a material was or is the current one. A material that is not can be replaced.
    pub(crate) fn has_used(&self, row: &MaterialRow) -> bool {
        row.number <= self.material
    }

    /// Sets state and expiration of a key with imported material: it is usable only with all materials that it has used.
    pub(crate) fn settle_import(&mut self, cx: &Tx<'_>) -> Result<()> {
        if *self.origin() != KeyOrigin::External {
            return Ok(());
        }
        let mut used = find_all(cx, self.id())?;
        used.retain(|row| self.has_used(row));
        let is_complete = !used.is_empty() && used.iter().all(|row| row.sealed.is_some());
        self.valid_to = used.iter().filter_map(|row| row.valid_to).min();
        self.expiration_model = match self.valid_to {
            Some(_) => Some(ExpirationModel::KeyMaterialExpires),
            None => used.iter().find_map(|row| row.expiration_model.clone()),
        };
        let state = match self.state() {
            KeyState::Updating | KeyState::Creating => &mut self.next_state,
            _ => &mut self.key_state,
        };
        match state {
            Some(KeyState::Enabled | KeyState::Disabled) if !is_complete => {
                *state = Some(KeyState::PendingImport);
            }
            Some(KeyState::PendingImport) if is_complete => *state = Some(KeyState::Enabled),
            _ => {}
        }
        Ok(())
    }

    /// Returns the name that ciphertexts under the current material have.
    pub(crate) fn ciphertext_name(&self, scope: &Scope) -> material::KeyName {
        material::KeyName {
            account: scope.account().into(),
            region: scope.region().into(),
            key_id: self.id().into(),
            material_id: self.current_key_material_id.as_deref().unwrap_or_default().into(),
        }
    }

    /// Opens the current material.
    pub(crate) fn open_material(&self, cx: &Tx<'_>) -> Result<Zeroizing<Vec<u8>>> {
        let row: Option<MaterialRow> =
            cx.get(&prefix(cx, self.id()).number(self.material.unwrap_or_default()))?;
        row.ok_or_else(errors::material_unreadable)?.open(cx)
    }
}

impl MaterialRow {
    /// Creates the row of a material that must be imported or sealed.
    pub(crate) fn new(key: &KeyRow, number: i64, id: Text) -> Self {
        Self { key_id: key.key_id.clone(), number: Some(number), material_id: Some(id), ..Self::blank() }
    }

    /// Returns the row without the material and what belongs to an import of it.
    pub(crate) fn to_unimported(&self) -> Self {
        Self { sealed: None, expiration_model: None, valid_to: None, ..self.clone() }
    }

    /// Sets the material.
    pub(crate) fn seal(&mut self, cx: &mut Tx<'_>, stored: &[u8]) -> Result<()> {
        let (key_id, id) = (self.key_id.as_deref(), self.material_id.as_deref());
        let place = ["kms", key_id.unwrap_or_default(), id.unwrap_or_default()];
        self.sealed = Some(cx.seal(&place, stored)?);
        Ok(())
    }

    /// Returns the material of a key with this ID.
    pub(crate) fn find(cx: &Tx<'_>, key_id: &str, material_id: &str) -> Result<Option<Self>> {
        // A key has few materials, and most ciphertexts are of the newest.
        let mut found = None;
        cx.scan(cx.scope(), &prefix(cx, key_id).prefix_range(), Direction::Descending, |row: Self| {
            if row.material_id.as_deref() != Some(material_id) {
                return ControlFlow::Continue(());
            }
            found = Some(row);
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Opens the material.
    pub(crate) fn open(&self, cx: &Tx<'_>) -> Result<Zeroizing<Vec<u8>>> {
        let (key_id, id) = (self.key_id.as_deref(), self.material_id.as_deref());
        let sealed = self.sealed.as_ref().ok_or_else(errors::material_unreadable)?;
        cx.open(&["kms", key_id.unwrap_or_default(), id.unwrap_or_default()], sealed)
    }
}
