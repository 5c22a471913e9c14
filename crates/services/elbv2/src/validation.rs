//! Validation of ARNs, names and parameters.

use super::errors;
use nephos_core::{Error, Result, field_value::Choice, record::Fields};

/// Maximum length of the names of load balancers and target groups.
const MAX_NAME_LENGTH: usize = 32;

/// Prefix that names of load balancers must not have.
const RESERVED_PREFIX: &str = "internal-";

/// Refuses an invalid name of a target group.
pub(super) fn check_group_name(name: &str) -> Result<()> {
    Err(match find_name_fault(name) {
        None => return Ok(()),
        Some(NameFault::Length) => errors::group_name_too_long(name, MAX_NAME_LENGTH),
        Some(NameFault::Characters) => errors::group_name_characters(name),
        Some(NameFault::Hyphen) => errors::group_name_hyphen(name),
    })
}

/// Refuses an invalid name of a load balancer.
pub(super) fn check_balancer_name(name: &str) -> Result<()> {
    Err(match find_name_fault(name) {
        None if name.starts_with(RESERVED_PREFIX) => errors::balancer_name_reserved(name, RESERVED_PREFIX),
        None => return Ok(()),
        Some(NameFault::Length) => errors::balancer_name_too_long(name, MAX_NAME_LENGTH),
        Some(NameFault::Characters) => errors::balancer_name_characters(name),
        Some(NameFault::Hyphen) => errors::balancer_name_hyphen(name),
    })
}

/// A rule that a name breaks.
enum NameFault {
    Length,
    Characters,
    Hyphen,
}

fn find_name_fault(name: &str) -> Option<NameFault> {
    if name.chars().count() > MAX_NAME_LENGTH {
        Some(NameFault::Length)
    } else if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        Some(NameFault::Characters)
    } else if name.starts_with('-') || name.ends_with('-') {
        Some(NameFault::Hyphen)
    } else {
        None
    }
}

/// Refuses an invalid regular expression.
pub(super) fn check_regex(text: &str, field: &str) -> Result<()> {
    match regex::Regex::new(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(errors::regex_invalid(text).with_field(field)),
    }
}

/// Returns the provider's spelling of a value of an enum.
pub(super) fn wire_name<C: Choice>(value: &C) -> &str {
    match value.index() {
        Some(index) => C::SHAPE.values[index].wire,
        None => value.unknown().unwrap_or_default(),
    }
}

/// Refuses the first of these fields that has a value, with the error for its name on the wire.
pub(super) fn refuse_fields(
    record: &dyn Fields,
    fields: &[&'static str],
    refusal: impl Fn(&'static str) -> Error,
) -> Result<()> {
    match fields.iter().find(|field| is_set(record, field)) {
        Some(field) => Err(refusal(wire_field(record, field)).with_field(*field)),
        None => Ok(()),
    }
}

/// Returns the provider's spelling of a field.
pub(super) fn wire_field(record: &dyn Fields, field: &'static str) -> &'static str {
    record.shape().field(field).map_or(field, |(_, found)| found.wire)
}

/// True if the field has a value.
pub(super) fn is_set(record: &dyn Fields, field: &str) -> bool {
    let found = record.shape().field(field);
    debug_assert!(found.is_some(), "{} has no field {field}", record.shape().name);
    found.is_some_and(|(index, _)| !record.field(index).view().is_null())
}

/// True if the list has items. An empty list of ARNs, names or IDs selects nothing, like an absent one.
pub(super) fn has_items<T>(list: &Option<Vec<T>>) -> bool {
    list.as_ref().is_some_and(|items| !items.is_empty())
}
