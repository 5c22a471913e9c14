//! Shapes of kinds.

use super::{OperationShape, RecordShape, ServiceShape};
use crate::{Error, ErrorKind, ResourcePath};
use std::fmt;

/// Fields that identify a resource.
#[derive(Debug)]
pub enum Identity {
    /// The kind has no such identity.
    None,
    /// Value at a path of field names.
    Path(&'static [&'static str]),
    /// Ordered mapping. Each entry is the value at a path, under the path's last name.
    Mapping(&'static [&'static [&'static str]]),
}

/// A relation of a kind.
#[derive(Debug)]
pub struct RelationShape {
    /// Name of the relation.
    pub name: &'static str,
    /// Record of the kind that it leads to.
    pub kind: &'static RecordShape,
    /// True if it leads to any number of models.
    pub many: bool,
}

/// A kind of resource.
pub struct KindShape {
    /// Specification's name.
    pub name: &'static str,
    /// Service that it belongs to. A function, because services refer to their kinds.
    pub service: fn() -> &'static ServiceShape,
    /// Fields.
    pub record: &'static RecordShape,
    /// Field that is its `arn`.
    pub arn: Identity,
    /// Field that is its `name`.
    pub name_identity: Identity,
    /// Fields that are its `pk`.
    pub pk: Identity,
    /// Field that only the service assigns: set once the resource is saved.
    pub exists_if: Option<usize>,
    /// Field with its tags.
    pub tags: Option<usize>,
    /// True if callers cannot change it.
    pub frozen: bool,
    /// Resource part of its ARNs: `archive/{ArchiveName}`; empty if it does not follow from its fields.
    pub path: ResourcePath,
    /// Error for a missing resource with this name or ARN; by default one with the not-found code of the service.
    pub not_found: Option<fn(&str) -> Error>,
    /// Relations.
    pub relations: &'static [RelationShape],
}

impl KindShape {
    /// Calls of the kind's manager: create, get, list, update and delete, then the others in the order of the service.
    pub fn calls(&self) -> Vec<&'static OperationShape> {
        const FIRST: [&str; 5] = ["create", "get", "list", "update", "delete"];
        let mut calls: Vec<_> = self.listed_calls().collect();
        calls.sort_by_key(|call| FIRST.iter().position(|name| *name == call.name).unwrap_or(FIRST.len()));
        calls
    }

    /// Finds the call of the manager by name.
    pub fn call(&self, name: &str) -> Option<&'static OperationShape> {
        self.listed_calls().find(|call| call.name == name)
    }

    /// Error for a missing resource with this name or ARN.
    pub fn missing(&self, name: &str) -> Error {
        if let Some(not_found) = self.not_found {
            return not_found(name);
        }
        let message = format!("the {} {name} does not exist", self.name);
        match (self.service)().codes.iter().find(|code| code.kind == ErrorKind::NotFound) {
            Some(code) => code.with_message(message),
            None => Error::new(ErrorKind::NotFound, message),
        }
    }

    /// Returns its name as words: `load balancer`.
    pub fn words(&self) -> String {
        let mut words = String::new();
        for letter in self.name.chars() {
            if letter.is_uppercase() && words.ends_with(char::is_lowercase) {
                words.push(' ');
            }
            words.push(letter);
        }
        words.to_lowercase()
    }

    fn listed_calls(&self) -> impl Iterator<Item = &'static OperationShape> {
        let calls = (self.service)().calls.iter().flat_map(|calls| calls.iter().copied());
        calls.filter(|call| call.kind.is_some_and(|kind| std::ptr::eq(kind, self)))
    }
}

impl fmt::Debug for KindShape {
    /// Writes the name only, because a kind leads to its service and that to all its kinds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", (self.service)().name, self.name)
    }
}
