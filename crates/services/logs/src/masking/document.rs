//! Parser of policy documents: two statements with the same data identifiers, one to audit and one to mask.

use super::{
    FIELD,
    finder::Finder,
    identifiers::{DETECTABLE, detectable, undetectable},
    invalid,
};
use crate::{errors, filter::pattern::dialect};
use nephos_core::{Map, Result, Value, json, nearest::nearest};
use regex::Regex;
use std::collections::HashSet;

/// Maximum number of characters of a document.
const MAX_LENGTH: usize = 30_720;

/// Version of the policy language.
const VERSION: &str = "2021-06-01";

/// Maximum number of custom data identifiers of a document.
const MAX_CUSTOM_IDENTIFIERS: usize = 10;

/// Maximum length of the name of a custom data identifier.
const MAX_NAME_LENGTH: usize = 128;

/// Maximum length of the regular expression of a custom data identifier.
const MAX_REGEX_LENGTH: usize = 200;

/// Parses a document and returns the finders of its data identifiers.
pub(super) fn parse_finders(document: &str) -> Result<Vec<Finder>> {
    let length = document.chars().count();
    if length > MAX_LENGTH {
        return Err(invalid(format!(
            "a policy document can have at most {MAX_LENGTH} characters, got {length}"
        )));
    }
    let document = json::parse(document.as_bytes()).map_err(|error| invalid(error.message()))?;
    let known = ["Name", "Description", "Version", "Configuration", "Statement"];
    let document = Object::new("the policy", &document)?.allow_only(&known)?;
    check_name(document.text("Name")?)?;
    document.optional_text("Description")?;
    let version = document.text("Version")?;
    if version != VERSION {
        return Err(invalid(format!("Version must be {VERSION:?}, got {version:?}")));
    }
    let custom = document.get("Configuration").map_or(Ok(Vec::new()), parse_custom_identifiers)?;
    let identifiers = parse_statements(document.list("Statement")?)?;
    build_finders(&identifiers, &custom)
}

/// True if a name has only letters, digits, `_` and `-`.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn check_name(name: &str) -> Result<()> {
    if name.is_empty() || !is_plain(name) {
        return Err(errors::invalid_data_protection_policy_name().with_field(FIELD).with_hint(name));
    }
    Ok(())
}

/// Returns the data identifiers of the two statements.
fn parse_statements(statements: &[Value]) -> Result<Vec<&str>> {
    let [first, second] = statements else {
        let (count, message) = (statements.len(), "one with Audit and one with Deidentify");
        return Err(invalid(format!("Statement must have 2 items, {message}, got {count}")));
    };
    let ((operation, identifiers), second) =
        (parse_statement("Statement[0]", first)?, parse_statement("Statement[1]", second)?);
    if operation == second.0 {
        let message = "one must have Audit and one Deidentify";
        return Err(invalid(format!("both statements have {operation}; {message}")));
    }
    if identifiers != second.1 {
        return Err(invalid("the two statements must have the same DataIdentifier"));
    }
    Ok(identifiers)
}

/// Returns the operation and the data identifiers of a statement.
fn parse_statement<'a>(path: &str, value: &'a Value) -> Result<(&'static str, Vec<&'a str>)> {
    let statement = Object::new(path, value)?.allow_only(&["Sid", "DataIdentifier", "Operation"])?;
    statement.optional_text("Sid")?;
    let identifiers =
        statement.list("DataIdentifier")?.iter().map(Value::as_text).collect::<Option<Vec<_>>>();
    let identifiers = identifiers.filter(|identifiers| !identifiers.is_empty());
    let identifiers =
        identifiers.ok_or_else(|| invalid(format!("{path}.DataIdentifier must be a list of strings")))?;
    let operation = statement.object("Operation")?.allow_only(&["Audit", "Deidentify"])?;
    match (operation.get("Audit"), operation.get("Deidentify")) {
        (Some(_), None) => {
            let audit = operation.object("Audit")?.allow_only(&["FindingsDestination"])?;
            check_destinations(audit.object("FindingsDestination")?)?;
            Ok(("Audit", identifiers))
        }
        (None, Some(_)) => {
            let mask = operation.object("Deidentify")?.allow_only(&["MaskConfig"])?;
            if !mask.object("MaskConfig")?.map.is_empty() {
                return Err(invalid(format!("{path}.Operation.Deidentify.MaskConfig must be empty")));
            }
            Ok(("Deidentify", identifiers))
        }
        _ => Err(invalid(format!("{path}.Operation must have either Audit or Deidentify"))),
    }
}

fn check_destinations(findings: Object<'_>) -> Result<()> {
    const KINDS: [(&str, &str); 3] =
        [("CloudWatchLogs", "LogGroup"), ("Firehose", "DeliveryStream"), ("S3", "Bucket")];
    let findings = findings.allow_only(&KINDS.map(|(kind, _)| kind))?;
    let mut present = KINDS.into_iter().filter(|(kind, _)| findings.get(kind).is_some());
    present.try_for_each(|(kind, name)| findings.object(kind)?.allow_only(&[name])?.text(name).map(drop))
}

/// Returns the custom data identifiers of the configuration.
fn parse_custom_identifiers(configuration: &Value) -> Result<Vec<(&str, Regex)>> {
    let configuration = Object::new("Configuration", configuration)?.allow_only(&["CustomDataIdentifier"])?;
    let rows = configuration.list("CustomDataIdentifier")?;
    let count = rows.len();
    if count > MAX_CUSTOM_IDENTIFIERS {
        let message = format!(
            "a policy can have at most {MAX_CUSTOM_IDENTIFIERS} custom data identifiers, got {count}"
        );
        return Err(invalid(message));
    }
    let mut custom: Vec<(&str, Regex)> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let path = format!("Configuration.CustomDataIdentifier[{n}]");
        let row = Object::new(&path, row)?.allow_only(&["Name", "Regex"])?;
        let (name, regex) = (row.text("Name")?, row.text("Regex")?);
        if name.len() > MAX_NAME_LENGTH || !is_plain(name) {
            let message = format!("{path}.Name must have at most {MAX_NAME_LENGTH} letters, digits, _ and -");
            return Err(invalid(message));
        }
        if is_managed(name) {
            return Err(invalid(format!("{path}.Name: {name} is a managed data identifier")));
        }
        if custom.iter().any(|(known, _)| *known == name) {
            return Err(invalid(format!("{path}.Name: {name} is defined twice")));
        }
        if regex.chars().count() > MAX_REGEX_LENGTH {
            return Err(invalid(format!("{path}.Regex must have at most {MAX_REGEX_LENGTH} characters")));
        }
        let regex = dialect::compile(regex, dialect::IDENTIFIER_SYMBOLS);
        custom.push((name, regex.map_err(|message| invalid(format!("{path}.Regex: {message}")))?));
    }
    Ok(custom)
}

fn build_finders(identifiers: &[&str], custom: &[(&str, Regex)]) -> Result<Vec<Finder>> {
    let (mut finders, mut seen) = (Vec::new(), HashSet::new());
    for identifier in identifiers {
        if !seen.insert(identifier) {
            continue;
        }
        if let Some((_, regex)) = custom.iter().find(|(name, _)| name == identifier) {
            finders.push(Finder::custom(regex.clone()));
            continue;
        }
        let name = managed_name(identifier, custom)?;
        for row in DETECTABLE.iter().filter(|row| row.name == name) {
            finders.push(Finder::managed(row)?);
        }
    }
    Ok(finders)
}

/// Returns the name of a managed data identifier that can be detected, or an error.
fn managed_name<'a>(identifier: &'a str, custom: &[(&str, Regex)]) -> Result<&'a str> {
    const PARTITIONS: [&str; 3] = ["arn:aws", "arn:aws-cn", "arn:aws-us-gov"];
    let parts = identifier.split_once(":dataprotection::aws:data-identifier/");
    let name = match parts.filter(|(partition, _)| PARTITIONS.contains(partition)) {
        Some((_, name)) => name,
        None if is_managed(identifier) => {
            let arn = format!("arn:aws:dataprotection::aws:data-identifier/{identifier}");
            return Err(invalid(format!("{identifier} is a managed data identifier; use its ARN {arn}")));
        }
        None => {
            let known = custom.iter().map(|(name, _)| *name);
            return Err(unknown_name("custom data identifier or ARN", identifier, known));
        }
    };
    if detectable().any(|known| known == name) {
        return Ok(name);
    }
    if undetectable().any(|known| known == name) {
        let message = "is not supported: its values cannot be detected and would not be masked";
        return Err(invalid(format!("the managed data identifier {name} {message}")));
    }
    let known: Vec<_> = detectable().map(str::to_owned).chain(undetectable()).collect();
    Err(unknown_name("managed data identifier", name, known.iter().map(String::as_str)))
}

fn unknown_name<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> nephos_core::Error {
    let near = nearest(name, known).map_or_else(String::new, |near| format!("; did you mean {near}?"));
    invalid(format!("unknown {what} {name:?}{near}"))
}

fn is_managed(name: &str) -> bool {
    detectable().any(|known| known == name) || undetectable().any(|known| known == name)
}

/// An object of the document, and its path.
struct Object<'a> {
    path: String,
    map: &'a Map<Value>,
}

impl<'a> Object<'a> {
    fn new(path: &str, value: &'a Value) -> Result<Self> {
        match value {
            Value::Map(map) => Ok(Self { path: path.to_owned(), map }),
            _ => Err(invalid(format!("{path} must be an object"))),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name)
    }

    /// Returns the object, or an error if it has a property that is not in `names`.
    fn allow_only(self, names: &[&str]) -> Result<Self> {
        match self.map.keys().find(|key| !names.contains(&key.as_str())) {
            None => Ok(self),
            Some(key) => Err(unknown_name(&format!("property of {}", self.path), key, names.iter().copied())),
        }
    }

    fn child_path(&self, name: &str) -> String {
        if self.path == "the policy" { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn required(&self, name: &str) -> Result<&'a Value> {
        self.get(name).ok_or_else(|| self.invalid_property(name, "is missing"))
    }

    fn invalid_property(&self, name: &str, message: &str) -> nephos_core::Error {
        invalid(format!("{} {message}", self.child_path(name)))
    }

    fn object(&self, name: &str) -> Result<Object<'a>> {
        Object::new(&self.child_path(name), self.required(name)?)
    }

    fn list(&self, name: &str) -> Result<&'a [Value]> {
        match self.required(name)? {
            Value::List(list) => Ok(list),
            _ => Err(self.invalid_property(name, "must be a list")),
        }
    }

    fn text(&self, name: &str) -> Result<&'a str> {
        self.required(name)?;
        let text = self.optional_text(name)?.filter(|text| !text.is_empty());
        text.ok_or_else(|| self.invalid_property(name, "is empty"))
    }

    fn optional_text(&self, name: &str) -> Result<Option<&'a str>> {
        let not_text = || self.invalid_property(name, "must be a string");
        self.get(name).map(|value| value.as_text().ok_or_else(not_text)).transpose()
    }
}
