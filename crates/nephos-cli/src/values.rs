//! Values of command-line arguments: scalars as text, lists separated by commas, mappings as `k=v`, bytes as base64, and
//! nested values as JSON. Nested values, documents, bytes and secrets are also read from a file (`@FILE`) or standard input (`-`).

use crate::{
    env::Environment,
    exit::{CmdResult, Failure, INTERRUPTED, file_error},
    names,
};
use nephos::{Blob, Error, Map, Result, Value};
use nephos_core::{
    json,
    shape::{FieldShape, RecordShape, Type},
};
use std::io;

/// Parses the value of `field`. A repeated flag has several `texts`.
pub(crate) fn read(field: &FieldShape, texts: &[String], env: &mut Environment<'_>) -> CmdResult<Value> {
    match (&field.ty, texts) {
        (Type::Secret, [.., text]) => return read_secret(field, text, env),
        (Type::Blob, [.., text]) if let Some(bytes) = read_bytes(text, env)? => {
            return Ok(Value::Blob(Blob(bytes)));
        }
        _ => {}
    }
    if is_document(field)
        && let [.., text] = texts
    {
        let read = read_text(text, env)?.map(|read| read.trim_end().to_owned());
        return Ok(Value::Text(read.unwrap_or_else(|| text.clone()).into()));
    }
    let read = |text: &String| match is_nested(&field.ty) {
        true => read_text(text, env).map(|read| read.unwrap_or_else(|| text.clone())),
        false => Ok(text.clone()),
    };
    let texts = texts.iter().map(read).collect::<CmdResult<Vec<_>>>()?;
    Ok(parse_typed(&field.ty, &texts).map_err(|error| error.in_field(field.name))?)
}

/// Returns the secret value: from a file (`@FILE`), from standard input or a prompt (`-`), or the text itself. A line break at
/// the end of a file or of standard input is no part of it.
fn read_secret(field: &FieldShape, text: &str, env: &mut Environment<'_>) -> CmdResult<Value> {
    if text == "-"
        && let Some(prompt) = &mut env.prompt
    {
        let question = format!("--{}: ", names::flag(field));
        let typed = prompt(&question).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => Failure::AlreadyReported(INTERRUPTED),
            _ => file_error("-", &error),
        })?;
        return Ok(Value::Secret(typed.into()));
    }
    let read = read_text(text, env)?.map(|mut read| {
        let line = read.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).map(str::len);
        read.truncate(line.unwrap_or(read.len()));
        read
    });
    let value = read.unwrap_or_else(|| text.to_owned());
    Ok(Value::Secret(value.into()))
}

/// Returns the text of a file (`@FILE`) or of standard input (`-`); none if `text` is neither.
fn read_text(text: &str, env: &mut Environment<'_>) -> CmdResult<Option<String>> {
    let Some(bytes) = read_bytes(text, env)? else { return Ok(None) };
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "is not valid UTF-8");
    let source = text.strip_prefix('@').unwrap_or(text);
    Ok(Some(String::from_utf8(bytes).map_err(invalid).map_err(|error| file_error(source, &error))?))
}

/// Returns the contents of a file (`@FILE`) or of standard input (`-`); none if `text` is neither.
fn read_bytes(text: &str, env: &mut Environment<'_>) -> CmdResult<Option<Vec<u8>>> {
    match text.strip_prefix('@') {
        Some(path) => Ok(Some(std::fs::read(path).map_err(|error| file_error(path, &error))?)),
        None if text == "-" => {
            let mut read = Vec::new();
            env.input.read_to_end(&mut read).map_err(|error| file_error("-", &error))?;
            Ok(Some(read))
        }
        None => Ok(None),
    }
}

/// Names of texts that are documents, and ends of such names.
const DOCUMENTS: [&str; 5] = ["policy", "event_pattern", "event", "input", "content"];
const DOCUMENT_ENDS: [&str; 9] = [
    "document",
    "resource_policy",
    "access_policy",
    "repository_policy",
    "lifecycle_policy",
    "policy_text",
    "certificate_body",
    "public_key_body",
    "certificate_chain",
];

/// True for a text that is a document, such as an event pattern or a policy. No document starts with `@`, or is `-`.
pub(crate) fn is_document(field: &FieldShape) -> bool {
    let name = field.rust_name;
    let is_named = || DOCUMENTS.contains(&name) || DOCUMENT_ENDS.iter().any(|end| name.ends_with(end));
    matches!(field.ty, Type::Text) && is_named()
}

/// True if values of this type are written as JSON.
fn is_nested(ty: &Type) -> bool {
    match ty {
        Type::Record(_) | Type::Any | Type::Map(_) => true,
        Type::List(item) => is_nested(item),
        _ => false,
    }
}

fn parse_typed(ty: &Type, texts: &[String]) -> Result<Value> {
    match ty {
        Type::List(Type::Record(record)) if let Some(names) = key_value_names(record) => {
            let mut items = Vec::new();
            for text in texts {
                match parse_json_if(text, '[') {
                    Some(value) => items.extend(as_list(value?)),
                    None => items.extend(pairs(text, texts)?.into_iter().map(|(key, value)| {
                        Value::Map(
                            [(names.0.into(), key.into()), (names.1.into(), value.into())]
                                .into_iter()
                                .collect(),
                        )
                    })),
                }
            }
            Ok(Value::List(items))
        }
        Type::List(item) => {
            let mut items = Vec::new();
            for text in texts {
                match parse_json_if(text, '[') {
                    Some(value) => items.extend(as_list(value?)),
                    None if is_nested(item) => items.push(parse_json(text)?),
                    None => items.extend(text.split(',').map(|item| Value::from(item.trim()))),
                }
            }
            Ok(Value::List(items))
        }
        Type::Map(_) => {
            let mut entries = Map::default();
            for text in texts {
                match parse_json_if(text, '{') {
                    Some(value) => match value? {
                        Value::Map(more) => entries.extend(more),
                        _ => return Err(expected("a mapping")),
                    },
                    None => entries.extend(
                        pairs(text, texts)?.into_iter().map(|(key, value)| (key.into(), Value::from(value))),
                    ),
                }
            }
            Ok(Value::Map(entries))
        }
        Type::Record(_) => texts.last().map_or(Ok(Value::Null), |text| parse_json(text)),
        Type::Any => {
            let text = texts.last().map_or("", String::as_str);
            Ok(json::parse(text.as_bytes()).unwrap_or_else(|_| text.into()))
        }
        _ => Ok(texts.last().map_or(Value::Null, |text| text.as_str().into())),
    }
}

/// Parses `text` as JSON if it starts with `open`.
fn parse_json_if(text: &str, open: char) -> Option<Result<Value>> {
    text.trim_start().starts_with(open).then(|| parse_json(text))
}

fn parse_json(text: &str) -> Result<Value> {
    json::parse(text.as_bytes())
}

fn as_list(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items,
        other => vec![other],
    }
}

fn expected(what: &str) -> Error {
    Error::new(nephos::ErrorKind::Invalid, format!("expected {what}"))
}

/// Returns the field names of a record of key and value, such as a tag.
fn key_value_names(record: &RecordShape) -> Option<(&'static str, &'static str)> {
    match record.fields {
        [key, value] if (key.rust_name, value.rust_name) == ("key", "value") => Some((key.name, value.name)),
        _ => None,
    }
}

/// Splits a text into pairs of key and value. A key may be in all `texts` of the argument once.
fn pairs<'t>(text: &'t str, texts: &[String]) -> Result<Vec<(&'t str, &'t str)>> {
    let found = split_pairs(text)?;
    let is_given = |key: &str| {
        let all = texts.iter().flat_map(|text| split_pairs(text).unwrap_or_default());
        all.filter(|(other, _)| *other == key).count()
    };
    match found.iter().find(|(key, _)| is_given(key) > 1) {
        Some((key, _)) => {
            Err(Error::new(nephos::ErrorKind::Invalid, format!("the key {key} is given twice")))
        }
        None => Ok(found),
    }
}

fn split_pairs(text: &str) -> Result<Vec<(&str, &str)>> {
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    parts.map(|part| part.trim().split_once('=').ok_or_else(|| expected("key=value,key=value"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos_core::Record as _;

    fn parsed_json(ty: &Type, texts: &[&str]) -> String {
        let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
        match parse_typed(ty, &texts) {
            Ok(value) => json::write(value.view(), json::Writing::SHOWN),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn lists_are_separated_by_commas_repeated_or_json() {
        let list = Type::List(&Type::Text);
        assert_eq!(parsed_json(&list, &["a, b", "c"]), r#"["a","b","c"]"#);
        assert_eq!(parsed_json(&list, &[r#"["a,b"]"#, "c"]), r#"["a,b","c"]"#);
    }

    #[test]
    fn mappings_and_tags_are_key_value_pairs() {
        assert_eq!(
            parsed_json(&Type::Map(&Type::Text), &["a=1,b=x=y", "c=2"]),
            r#"{"a":"1","b":"x=y","c":"2"}"#
        );
        assert_eq!(
            parsed_json(&Type::Map(&Type::Text), &["a"]),
            "ValidationError: expected key=value,key=value"
        );
        let tags = Type::List(&Type::Record(nephos::Tag::SHAPE));
        assert_eq!(parsed_json(&tags, &["team=web"]), r#"[{"Key":"team","Value":"web"}]"#);
    }

    #[test]
    fn nested_values_are_json() {
        let list =
            Type::List(&Type::Record(<nephos::services::logs::InputLogEvent as nephos::Record>::SHAPE));
        assert_eq!(
            parsed_json(&list, &[r#"{"message":"x"}"#, r#"[{"message":"y"}]"#]),
            r#"[{"message":"x"},{"message":"y"}]"#
        );
        assert!(parsed_json(&list, &["x"]).contains("invalid JSON"));
    }

    #[test]
    fn documents_are_patterns_policies_and_inputs() {
        let field = |kind: &str, call: &str, name: &str| {
            let kind = nephos::REGISTRY.kind(kind).unwrap();
            let inputs = crate::inputs::inputs(kind, kind.call(call).unwrap());
            is_document(inputs.iter().find(|input| input.field.name == name).unwrap().field)
        };
        assert!(field("EventRule", "create", "EventPattern"));
        assert!(field("EventTarget", "create", "Input"));
        assert!(field("Role", "create", "AssumeRolePolicyDocument"));
        assert!(field("Policy", "create", "PolicyDocument"));
        assert!(field("CryptoKey", "create", "Policy"));
        assert!(field("Repository", "set_policy", "policyText"));
        assert!(!field("EventRule", "create", "Description"));
        assert!(!field("Listener", "create", "SslPolicy"));
        assert!(!field("Policy", "create", "PolicyName"));
    }

    /// Texts whose documentation calls them documents are read from files.
    #[test]
    fn texts_that_are_documents_are_marked() {
        let is_called_document = |docs: &str| {
            let docs = docs.replace("document databases", "").replace("Type of the", "");
            let docs = docs.trim_start_matches(" exported").trim_start_matches(" document");
            let words: Vec<_> = docs.split(|c: char| !c.is_alphanumeric()).collect();
            words.iter().any(|word| ["document", "Document", "JSON", "PEM"].contains(word))
        };
        let mut documents = 0;
        for kind in nephos::REGISTRY.kinds() {
            for call in kind.calls() {
                for input in crate::inputs::inputs(kind, call) {
                    if matches!(input.field.ty, Type::Text) && is_called_document(input.field.docs) {
                        let about =
                            format!("{} {} {}: {}", kind.name, call.name, input.field.name, input.field.docs);
                        assert!(is_document(input.field), "{about}");
                        documents += 1;
                    }
                }
            }
        }
        assert!(documents > 20, "{documents}");
    }
}
