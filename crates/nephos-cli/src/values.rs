//! Text of the command line as values: scalars as they are written, lists by commas, mappings as `k=v`, and what is
//! nested as JSON, which may stand in a file or be piped in.

use crate::{
    env::Environment,
    exit::{CmdResult, file_error},
};
use nephos::{Error, Map, Result, Value};
use nephos_core::{
    json,
    shape::{FieldShape, RecordShape, Type},
};

/// The value that `texts` write for `field`: one, or several where the flag was repeated.
pub(crate) fn read(field: &FieldShape, texts: &[String], env: &mut Environment<'_>) -> CmdResult<Value> {
    let texts = texts.iter().map(|text| contents(&field.ty, text, env)).collect::<CmdResult<Vec<_>>>()?;
    Ok(typed(&field.ty, &texts).map_err(|error| error.in_field(field.name))?)
}

/// The text itself; or for a value that is nested, what the file or pipe holds that it names.
fn contents(ty: &Type, text: &str, env: &mut Environment<'_>) -> CmdResult<String> {
    if !nested(ty) {
        return Ok(text.to_owned());
    }
    let mut read = String::new();
    match text.strip_prefix('@') {
        Some(path) => read = std::fs::read_to_string(path).map_err(|error| file_error(path, &error))?,
        None if text == "-" => {
            env.input.read_to_string(&mut read).map_err(|error| file_error("-", &error))?;
        }
        None => return Ok(text.to_owned()),
    }
    Ok(read)
}

/// Whether values of this type are written as JSON.
fn nested(ty: &Type) -> bool {
    match ty {
        Type::Record(_) | Type::Any | Type::Map(_) => true,
        Type::List(item) => nested(item),
        _ => false,
    }
}

fn typed(ty: &Type, texts: &[String]) -> Result<Value> {
    match ty {
        Type::List(Type::Record(record)) if let Some(names) = pair(record) => {
            let mut items = Vec::new();
            for text in texts {
                match written(text, '[') {
                    Some(value) => items.extend(as_list(value?)),
                    None => items.extend(pairs(text)?.into_iter().map(|(key, value)| {
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
                match written(text, '[') {
                    Some(value) => items.extend(as_list(value?)),
                    None if nested(item) => items.push(parse(text)?),
                    None => items.extend(text.split(',').map(|item| Value::from(item.trim()))),
                }
            }
            Ok(Value::List(items))
        }
        Type::Map(_) => {
            let mut entries = Map::default();
            for text in texts {
                match written(text, '{') {
                    Some(value) => match value? {
                        Value::Map(more) => entries.extend(more),
                        _ => return Err(not("a mapping")),
                    },
                    None => entries.extend(
                        pairs(text)?.into_iter().map(|(key, value)| (key.into(), Value::from(value))),
                    ),
                }
            }
            Ok(Value::Map(entries))
        }
        Type::Record(_) => texts.last().map_or(Ok(Value::Null), |text| parse(text)),
        Type::Any => {
            let text = texts.last().map_or("", String::as_str);
            Ok(json::parse(text.as_bytes()).unwrap_or_else(|_| text.into()))
        }
        _ => Ok(texts.last().map_or(Value::Null, |text| text.as_str().into())),
    }
}

/// The value, if `text` is JSON that begins with `open`.
fn written(text: &str, open: char) -> Option<Result<Value>> {
    text.trim_start().starts_with(open).then(|| parse(text))
}

fn parse(text: &str) -> Result<Value> {
    json::parse(text.as_bytes())
}

fn as_list(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items,
        other => vec![other],
    }
}

fn not(what: &str) -> Error {
    Error::new(nephos::ErrorKind::Invalid, format!("expected {what}"))
}

/// The names of key and value, if a record has just those: a tag.
fn pair(record: &RecordShape) -> Option<(&'static str, &'static str)> {
    match record.fields {
        [key, value] if (key.rust_name, value.rust_name) == ("key", "value") => Some((key.name, value.name)),
        _ => None,
    }
}

fn pairs(text: &str) -> Result<Vec<(&str, &str)>> {
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    parts.map(|part| part.trim().split_once('=').ok_or_else(|| not("key=value, key=value …"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos_core::Record as _;

    fn shown(ty: &Type, texts: &[&str]) -> String {
        let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
        match typed(ty, &texts) {
            Ok(value) => json::write(value.view(), json::Writing::SHOWN),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn lists_are_split_at_commas_or_repeated_or_json() {
        let list = Type::List(&Type::Text);
        assert_eq!(shown(&list, &["a, b", "c"]), r#"["a","b","c"]"#);
        assert_eq!(shown(&list, &[r#"["a,b"]"#, "c"]), r#"["a,b","c"]"#);
    }

    #[test]
    fn mappings_and_tags_are_written_with_equals_signs() {
        assert_eq!(shown(&Type::Map(&Type::Text), &["a=1,b=x=y", "a=2"]), r#"{"a":"2","b":"x=y"}"#);
        assert_eq!(
            shown(&Type::Map(&Type::Text), &["a"]),
            "ValidationError: expected key=value, key=value …"
        );
        let tags = Type::List(&Type::Record(nephos::Tag::SHAPE));
        assert_eq!(shown(&tags, &["team=web"]), r#"[{"Key":"team","Value":"web"}]"#);
    }

    #[test]
    fn what_is_nested_is_json() {
        let list =
            Type::List(&Type::Record(<nephos::services::logs::InputLogEvent as nephos::Record>::SHAPE));
        assert_eq!(
            shown(&list, &[r#"{"message":"x"}"#, r#"[{"message":"y"}]"#]),
            r#"[{"message":"x"},{"message":"y"}]"#
        );
        assert!(shown(&list, &["x"]).contains("invalid JSON"));
    }
}
