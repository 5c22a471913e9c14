//! Code that the derives emit for all records, kinds, operations and enums alike: they call the macros here with
//! the names, types and tables that differ.

mod choice;
mod operation;
mod record;
mod resource;

use crate::{
    FieldSet, QueryFuture, Result, Slot, TimeForm,
    relation::{Found, Remembered},
    shape::{FieldShape, Location, Presence},
};
use std::{future::Future, sync::Arc};

/// A record with a field of a name, given by the name's hash. An operation gets the types of the fields that it
/// takes by it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no such field",
    label = "`{Self}` has no field of this name",
    note = "an operation takes fields of its kind, by their names in Rust"
)]
pub trait HasField<const NAME: u64> {
    /// Type within the field's `Option`.
    type Inner: crate::field_value::FieldType;
}

/// Marks the fields that have anything to check.
pub const fn checked<const N: usize>(fields: &[FieldShape]) -> [bool; N] {
    let mut checked = [false; N];
    let mut at = 0;
    while at < N {
        let field = &fields[at];
        let required = matches!(field.presence, Presence::Required);
        checked[at] = required || !field.rules.is_empty() || field.ty.has_rules_within();
        at += 1;
    }
    checked
}

/// True if a field, or a nested record, has a default.
pub const fn has_defaults(fields: &[FieldShape]) -> bool {
    let mut at = 0;
    while at < fields.len() {
        if fields[at].default.is_some() || fields[at].ty.has_records_within() {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns the fields that may be shown and whose form in a body is that of their type.
pub const fn plain(fields: &[FieldShape]) -> FieldSet {
    let mut plain = FieldSet::NONE;
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        let stands_there = matches!(field.location, Location::Body) && matches!(field.time, TimeForm::Usual);
        if stands_there && !field.sensitive && field.spellings.is_empty() {
            plain.insert(at);
        }
        at += 1;
    }
    plain
}

/// Returns the fields that the record on the wire does not have.
pub const fn not_on_wire(fields: &[FieldShape]) -> FieldSet {
    let mut found = FieldSet::NONE;
    let mut at = 0;
    while at < fields.len() {
        if matches!(fields[at].location, Location::NotOnWire) {
            found.insert(at);
        }
        at += 1;
    }
    found
}

/// Returns the fields that listings omit.
pub const fn not_in_list(fields: &[FieldShape]) -> FieldSet {
    let mut found = FieldSet::NONE;
    let mut at = 0;
    while at < fields.len() {
        if fields[at].not_in_list {
            found.insert(at);
        }
        at += 1;
    }
    found
}

/// Returns what a relation leads to: the remembered answer, or else what `look_up` finds, which is remembered.
pub fn look_up_once<'m, T: Remembered>(
    slot: &'m Slot,
    relation: &'static str,
    look_up: impl Future<Output = Result<T>> + Send + 'm,
) -> QueryFuture<'m, T::Shared> {
    QueryFuture::new(async move {
        if let Some(shared) = slot.related::<T::Shared>(relation) {
            return Ok(T::Shared::clone(&shared));
        }
        let shared = look_up.await?.share();
        slot.remember(relation, Arc::new(shared.clone()));
        Ok(shared)
    })
}

/// Type-erased lookup of a relation that is remembered.
pub async fn remembered<T: Remembered>(look_up: impl Future<Output = Result<T::Shared>>) -> Result<Found> {
    look_up.await.map(|shared| T::without_type(&shared))
}

/// Type-erased lookup of a relation that is not remembered.
pub async fn uncached<T: Remembered>(look_up: impl Future<Output = Result<T>>) -> Result<Found> {
    look_up.await.map(|found| T::without_type(&found.share()))
}
