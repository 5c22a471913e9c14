//! Reasons of refused patterns, in the provider's words.

pub(super) const NOT_AN_OBJECT: &str = "Filter is not an object";
pub(super) const EMPTY_OBJECT: &str = "Empty objects are not allowed";
pub(super) const EMPTY_ARRAY: &str = "Empty arrays are not allowed";
pub(super) const MATCH_VALUE: &str = "Match value must be String, number, true, false, or null";
pub(super) const NO_MATCH_TYPE: &str = "Match expression name not found";
pub(super) const ONE_KEY: &str = "Only one key allowed in match expression";
pub(super) const CONTENT_AFTER_END: &str = "Unexpected content after the end of the pattern";

pub(super) const OR_ARRAY: &str = "It must be an Array followed with $or.";
pub(super) const OR_OBJECTS: &str = "Only JSON object is allowed in array of $or relationship.";
pub(super) const OR_TOO_FEW: &str = "There must have at least 2 Objects in $or relationship.";

pub(super) const EXACT_TEXT: &str = "exact match pattern must be a string";
pub(super) const PREFIX_TEXT: &str = "prefix match pattern must be a string";
pub(super) const SUFFIX_TEXT: &str = "suffix match pattern must be a string";
pub(super) const IGNORE_CASE_TEXT: &str = "equals-ignore-case match pattern must be a string";
pub(super) const WILDCARD_TEXT: &str = "wildcard match pattern must be a string";
/// The provider reports `cidr` in the words of `prefix`.
pub(super) const CIDR_TEXT: &str = PREFIX_TEXT;
pub(super) const EXISTS_BOOL: &str = "exists match pattern must be either true or false.";

pub(super) const NUMERIC_ARRAY: &str = "Value of numeric must be an array.";
pub(super) const NUMERIC_TOO_MANY: &str = "Too many elements in numeric expression";
pub(super) const NUMERIC_TOO_MANY_TERMS: &str = "Too many terms in numeric range expression";
pub(super) const NUMERIC_ORDER: &str = "Bottom must be less than top";
pub(super) const NUMERIC_LIMIT: &str = "Value must be between -5.0E9 and 5.0E9, inclusive";

pub(super) const ANYTHING_BUT_NAME: &str = "Anything-But expression name not found";
pub(super) const ANYTHING_BUT_VALUE: &str =
    "Value of anything-but must be an array or single string/number value.";
pub(super) const ANYTHING_BUT_ITEM: &str = "Inside anything but list, start|null|boolean is not supported.";
pub(super) const ANYTHING_BUT_MIXED: &str =
    "Inside anything but list, either all values are number or string, mixed type is not supported";
pub(super) const ANYTHING_BUT_IGNORE_CASE: &str =
    "Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.";
pub(super) const ANYTHING_BUT_AFFIX: &str = "prefix/suffix match pattern must be a string";
pub(super) const ANYTHING_BUT_EMPTY_AFFIX: &str = "Null prefix/suffix not allowed";

pub(super) const CIDR_SLASH: &str = "Malformed CIDR, one '/' required";
pub(super) const CIDR_INTEGER: &str = "Malformed CIDR, mask bits must be an integer";
pub(super) const CIDR_NEGATIVE: &str = "Malformed CIDR, mask bits must not be negative";
pub(super) const CIDR_V4_BITS: &str = "IPv4 mask bits must be < 32";
pub(super) const CIDR_V6_BITS: &str = "IPv6 mask bits must be < 128";

pub(super) const TOO_COMPLEX: &str = "Rule is too complex - try using fewer wildcard characters or fewer repeating character sequences after a wildcard character";

/// Fields of this name are refused inside `$or`.
pub(super) fn reserved(name: &str) -> String {
    format!("{name} is Ruler reserved fieldName which cannot be used inside $or.")
}

pub(super) fn neither_object_nor_array(name: &str) -> String {
    format!("\"{name}\" must be an object or an array")
}

pub(super) fn unrecognized(operator: &str) -> String {
    format!("Unrecognized match type {operator}")
}

/// `affix` is `Prefix` or `Suffix`.
pub(super) fn no_affix_name(affix: &str) -> String {
    format!("{affix} expression name not found")
}

pub(super) fn unsupported(operator: &str, nested: &str) -> String {
    format!("Unsupported {operator} pattern: {nested}")
}

pub(super) fn numeric_member(characters: &str) -> String {
    format!("Invalid member in numeric match: {characters}")
}

pub(super) fn numeric_operator(operator: &str) -> String {
    format!("Unrecognized numeric range operator: {operator}")
}

pub(super) fn numeric_value(operator: &str) -> String {
    format!("Value of {operator} must be numeric")
}

pub(super) fn range_value(characters: &str) -> String {
    format!("Bad value in numeric range: {characters}")
}

pub(super) fn range_operator(operator: &str) -> String {
    format!("Bad numeric range operator: {operator}")
}

pub(super) fn nonstandard_address(address: &str) -> String {
    format!("Nonstandard IP address: {address}")
}

pub(super) fn invalid_address(address: &str) -> String {
    format!("Invalid IP address: {address}")
}

/// Positions count bytes of the text with its opening quote.
pub(super) fn consecutive_wildcards(position: usize) -> String {
    format!("Consecutive wildcard characters at pos {position}")
}

pub(super) fn invalid_escape(position: usize) -> String {
    format!("Invalid escape character at pos {position}")
}

pub(super) fn too_many_combinations(max: usize) -> String {
    format!("Event pattern contains more than {max} rule combinations")
}

pub(super) fn too_long(max: usize) -> String {
    format!("Event pattern is longer than {max} characters")
}
