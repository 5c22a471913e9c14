//! Checks of the texts of errors that came over the wire.

use nephos_core::{
    Error,
    shape::{FieldShape, Protocol, RecordShape, ServiceShape, Type},
};
use std::{collections::BTreeSet, ptr};

/// Asserts that the text of an error that came over the wire is the provider's: it is in the table of its code, or
/// describes broken rules of members in the general form, and has no name that only the specification has.
#[track_caller]
pub(super) fn assert_from_provider(error: &Error, service: &ServiceShape) {
    let text = error.message();
    let code = service.find_code(error.code(), text);
    let is_listed = code.is_some_and(|code| code.has_text(text));
    assert!(is_listed || is_general_form(text), "the text is not in the table of {}: {error}", service.name);
    let words: BTreeSet<_> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let names = Names::of_service(service);
    let neutral: Vec<_> =
        words.intersection(&names.neutral).filter(|name| !names.wire.contains(*name)).collect();
    assert!(neutral.is_empty(), "{neutral:?} are not names of the provider: {error}");
}

/// True if the text describes broken rules of members, or denies access.
fn is_general_form(text: &str) -> bool {
    let counted = text.trim_start_matches(|c: char| c.is_ascii_digit());
    counted.starts_with(" validation error detected: Value ")
        || counted.starts_with(" validation errors detected: Value ")
        || text.starts_with("The request must contain the parameter ")
        || (text.starts_with("User: ") && text.contains(" is not authorized to perform: "))
        || (text.starts_with("Value (") && text.ends_with(" is invalid."))
}

/// Names of members and values of a service.
#[derive(Default)]
struct Names {
    /// Names of the specification that differ from the provider's. Plain words, which texts may use, are left out.
    neutral: BTreeSet<&'static str>,
    wire: BTreeSet<&'static str>,
    /// True if names begin with a capital letter in requests and with a small one in answers.
    capitalizes: bool,
    visited: Vec<&'static RecordShape>,
}

impl Names {
    fn of_service(service: &ServiceShape) -> Self {
        let capitalizes = matches!(service.protocol, Protocol::Ec2Query { .. });
        let mut names = Self { capitalizes, ..Self::default() };
        for operation in service.operations {
            names.add_record(operation.params);
            names.add_type(operation.output.unwrap_or(Type::Bool));
        }
        service.kinds.iter().for_each(|kind| names.add_record(kind.record));
        names
    }

    fn add(&mut self, name: &'static str, wire: &'static str) {
        self.wire.insert(wire);
        let is_same = name == wire || (self.capitalizes && name.eq_ignore_ascii_case(wire));
        if !is_same && name.chars().skip(1).any(char::is_uppercase) {
            self.neutral.insert(name);
        }
    }

    fn add_record(&mut self, record: &'static RecordShape) {
        if self.visited.iter().any(|visited| ptr::eq(*visited, record)) {
            return;
        }
        self.visited.push(record);
        record.fields.iter().for_each(|field| self.add_field(field));
    }

    fn add_field(&mut self, field: &'static FieldShape) {
        self.add(field.name, field.wire);
        field.details.spellings.iter().for_each(|(name, wire)| self.add(name, wire));
        self.add_type(field.ty);
    }

    fn add_type(&mut self, ty: Type) {
        match ty {
            Type::Choice(choice) => choice.values.iter().for_each(|value| self.add(value.name, value.wire)),
            Type::Record(record) => self.add_record(record),
            Type::List(item) | Type::Map(item) => self.add_type(*item),
            _ => {}
        }
    }
}
