//! Messages on the wire for parameters that break rules: the provider's general form.

use crate::toys::{garden, shelf::PutBook};
use nephos_core::{
    Empty, Error, Operation as _, Text, Value, dynamic,
    fill::{self, Reader},
    operation,
    shape::ServiceShape,
};

/// A service whose messages have no values.
static DISCREET: ServiceShape = ServiceShape { shows_values: false, ..garden::SHAPE };

/// Names a bed.
#[operation(service = DISCREET, effect = write, output = Empty, subject = "*")]
pub struct NameBed {
    /// Name of the bed.
    #[field(length(..=3))]
    pub name: Text,
}

/// Refusal of a request to put a book with these fields.
fn refusal(fields: &[(&str, Value)]) -> Error {
    let book: Value = fields.iter().map(|(name, value)| (*name, value.clone())).collect();
    let filled = dynamic::request(PutBook::OPERATION, &mut |params| {
        fill::fill_field(params, "book", book.view(), &Reader::REQUEST, 0)
    });
    filled.map(drop).unwrap_err()
}

#[test]
fn every_broken_rule_is_one_sentence() {
    let error = refusal(&[("title", "Sage".into()), ("pages", 0.into()), ("days", 8.into())]);
    assert_eq!(
        error.wire_message(),
        "3 validation errors detected: Value 'Sage' at 'book.title' failed to satisfy constraint: Member must satisfy regular \
         expression pattern: [a-z][a-z0-9/-]*; Value '0' at 'book.pages' failed to satisfy constraint: Member must have value \
         greater than or equal to 1; Value '8' at 'book.days' failed to satisfy constraint: Member must satisfy enum value \
         set: [7, 14, 30]"
    );
    assert_eq!(error.field(), Some("book.title"), "the typed error has the first field");
    assert!(!error.message().contains("validation error"), "and its own words: {}", error.message());
}

#[test]
fn missing_members_and_lengths_are_named() {
    let error = refusal(&[("authors", Value::from(Vec::<Value>::new()))]);
    assert_eq!(
        error.wire_message(),
        "2 validation errors detected: Value null at 'book.title' failed to satisfy constraint: Member must not be null; Value \
         '[]' at 'book.authors' failed to satisfy constraint: Member must have length greater than or equal to 1"
    );
    let long = refusal(&[("title", "sage".into()), ("authors", Value::from(["Annabelle the Elder"]))]);
    assert_eq!(
        long.wire_message(),
        "1 validation error detected: Value 'Annabelle the Elder' at 'book.authors.1.member' failed to satisfy constraint: \
         Member must have length less than or equal to 10"
    );
}

#[test]
fn values_of_sensitive_members_are_left_out() {
    let error = refusal(&[("title", "sage".into()), ("note", "123456789".into())]);
    assert_eq!(
        error.wire_message(),
        "1 validation error detected: Value at 'book.note' failed to satisfy constraint: Member must have length less than or \
         equal to 8"
    );
}

#[test]
fn a_service_can_leave_out_all_values() {
    let name = Value::from("roses");
    let filled = dynamic::request(NameBed::OPERATION, &mut |params| {
        fill::fill_field(params, "Name", name.view(), &Reader::REQUEST, 0)
    });
    assert_eq!(
        filled.map(drop).unwrap_err().wire_message(),
        "1 validation error detected: Value at 'name' failed to satisfy constraint: Member must have length less than or \
         equal to 3"
    );
}
