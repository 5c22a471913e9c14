//! What the derives emit for every record, kind, operation and enum alike: they name the macros here and fill in the
//! names, types and tables that differ.

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

/// A record with a field of a name, told by the name's hash: how an operation gets the type of a field that it takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no such field",
    label = "`{Self}` has no field of this name",
    note = "an operation takes fields of its kind, by their names in Rust"
)]
pub trait HasField<const NAME: u64> {
    /// The type within the field's `Option`.
    type Inner: crate::field_value::FieldType;
}

/// Of which fields there is anything to check.
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

/// Whether any of them has a default, or something within it that may have.
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

/// Those that may be shown, and stand in bodies as their type does.
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

/// What a relation leads to: what the model remembers, or else what `look_up` finds, which it remembers.
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

/// What a relation that is remembered leads to, without its type.
pub async fn remembered<T: Remembered>(look_up: impl Future<Output = Result<T::Shared>>) -> Result<Found> {
    look_up.await.map(|shared| T::found(&shared))
}

/// What a relation that is looked up each time leads to, without its type.
pub async fn uncached<T: Remembered>(look_up: impl Future<Output = Result<T>>) -> Result<Found> {
    look_up.await.map(|found| T::found(&found.share()))
}
