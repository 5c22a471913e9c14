//! Stored key material: sealed with the key of the cloud.

use super::{errors, key::KeyRow, material};
use nephos_cloud::{Key, Scope, Stored, Tx};
use nephos_core::{Blob, Record, Result, Text, Timestamp};
use nephos_store::Direction;
use std::ops::ControlFlow;
use zeroize::Zeroizing;

/// Row of one material of a key. A key that was never rotated has one.
#[derive(Record)]
#[record(row, name = "KeyMaterial")]
pub(crate) struct MaterialRow {
    /// ID of the key.
    pub(crate) key_id: Option<Text>,
    /// Number of the material, from 1.
    pub(crate) number: Option<i64>,
    /// ID of the material.
    pub(crate) material_id: Option<Text>,
    /// The material, sealed.
    #[field(sensitive)]
    pub(crate) sealed: Option<Blob>,
    /// Time at which it became the current material.
    pub(crate) since: Option<Timestamp>,
}

nephos_cloud::stored!(MaterialRow in "kms/material" by key_id, number);

/// Returns the prefix of the materials of a key.
pub(crate) fn prefix(cx: &Tx<'_>, key_id: &str) -> Key {
    MaterialRow::table(cx.scope()).text(key_id)
}

impl KeyRow {
    /// Stores new material of the key, and makes it the current one.
    pub(crate) fn add_material(&mut self, cx: &mut Tx<'_>, stored: &[u8]) -> Result<()> {
        let number = self.material.unwrap_or_default() + 1;
        let id = Text::from(material::material_id(self.id(), stored));
        let row = MaterialRow {
            key_id: self.key_id.clone(),
            number: Some(number),
            sealed: Some(cx.seal(&["kms", self.id(), &id], stored)?),
            material_id: Some(id.clone()),
            since: Some(cx.now()),
        };
        cx.put(row)?;
        self.material = Some(number);
        self.current_key_material_id =
            (!self.spec().is_pair() && self.spec().mac_algorithms().is_empty()).then_some(id);
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
