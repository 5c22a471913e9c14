//! Code that the derives emit for all records, kinds, operations and enums alike: they call the macros here with
//! the names, types and tables that differ.

mod choice;
mod operation;
mod record;
mod resource;

use crate::{
    QueryFuture, Result, Slot,
    relation::{Found, Remembered},
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

/// Copies a list, in less code for each type than `Vec::clone`.
pub fn clone_list<T: Clone>(list: &[T]) -> Vec<T> {
    let mut copy = Vec::with_capacity(list.len());
    while let Some(item) = list.get(copy.len()) {
        copy.push(item.clone());
    }
    copy
}

/// Copies a list, if there is one.
pub fn clone_optional_list<T: Clone>(list: &Option<Vec<T>>) -> Option<Vec<T>> {
    match list {
        Some(list) => Some(clone_list(list)),
        None => None,
    }
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
