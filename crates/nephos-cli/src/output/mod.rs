//! Output of answers as a table, JSON, JSON lines, YAML or plain text.

pub(crate) mod changes;
mod hidden;
mod key_order;
mod query;
mod table;

use crate::{
    env::{Environment, Terminal},
    exit::CmdResult,
    printable::{printable, printable_json},
    style::{QUIET, paint},
};
use clap::{Arg, ArgAction, ArgMatches, builder::PossibleValuesParser};
use nephos::{Error, Value};
use nephos_core::{
    json::{self, Writing, Written},
    record,
    shape::RecordShape,
};
use std::{borrow::Cow, io};

pub(crate) use hidden::contains_secret;
pub(crate) use query::Query;
pub(crate) use table::{Columns, grid};

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Table,
    Json,
    Jsonl,
    Yaml,
    Text,
}

const FORMATS: [(&str, Format); 5] = [
    ("table", Format::Table),
    ("json", Format::Json),
    ("jsonl", Format::Jsonl),
    ("yaml", Format::Yaml),
    ("text", Format::Text),
];

/// Returns the output options.
pub(crate) fn options() -> [Arg; 3] {
    let option = |name: &'static str| {
        Arg::new(name).long(name).global(true).help_heading("Output options").display_order(950)
    };
    [
        option("output")
            .short('o')
            .value_name("FORMAT")
            .value_parser(PossibleValuesParser::new(FORMATS.map(|(name, _)| name)))
            .hide_possible_values(true)
            .help("Output format: table, json, jsonl (JSON lines), yaml or text (tab-separated) [default: table]"),
        option("query").value_name("JMESPATH").help("JMESPath expression to filter the output"),
        option("show-values")
            .action(ArgAction::SetTrue)
            .help("Show secret values and passwords, which are hidden by default"),
    ]
}

/// Output settings.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) format: Format,
    query: Option<Query>,
    /// True if secret values are shown.
    show_secrets: bool,
    /// True if hidden values in the output are no error, because the call that was made cannot be undone.
    allows_hidden: bool,
}

impl Output {
    /// Reads the output options.
    pub(crate) fn read(matches: &ArgMatches) -> CmdResult<Self> {
        let name = matches.get_one::<String>("output");
        let format = name.and_then(|name| FORMATS.iter().find(|(known, _)| known == name));
        let query = matches.get_one::<String>("query").map(|text| Query::parse(text)).transpose()?;
        let show_secrets = matches.get_flag("show-values");
        Ok(Self {
            format: format.map_or(Format::Table, |(_, format)| *format),
            query,
            show_secrets,
            allows_hidden: false,
        })
    }

    /// Returns the settings for a call that writes: hidden values in its answer are no error, because it cannot be undone. But a
    /// query or fields that name a value which would be hidden are refused before the call.
    pub(crate) fn before_write(
        self,
        env: &Environment<'_>,
        fields: &[String],
        example: impl FnOnce() -> Option<(Value, Columns)>,
    ) -> CmdResult<Self> {
        let has_selection = self.query.is_some() || !fields.is_empty();
        if has_selection
            && !self.show_secrets
            && let Some((example, columns)) = example()
        {
            hidden::check_names(&example, self.query.as_ref(), &columns, env)?;
        }
        Ok(Self { allows_hidden: true, ..self })
    }

    /// True if items can be written one by one as they arrive.
    pub(crate) fn is_streaming(&self) -> bool {
        matches!(self.format, Format::Jsonl | Format::Text) && self.query.is_none()
    }

    /// Writes an answer.
    pub(crate) fn show(&self, env: &mut Environment<'_>, value: &Value, columns: &Columns) -> CmdResult {
        let value = &*self.with_secrets(value);
        let queried = self.query.as_ref().map(|query| query.apply(value)).transpose()?;
        let hidden = match self.allows_hidden {
            true => contains_secret(queried.as_ref().unwrap_or(value)),
            false => hidden::check(value, queried.as_ref(), columns, env)?,
        };
        let of_query = self.query.as_ref().zip(queried.as_ref());
        let columns =
            &of_query.map_or_else(|| columns.clone(), |(query, found)| query.columns(found, columns));
        let value = queried.as_ref().unwrap_or(value);
        let written = Written { value: value.view(), writing: Writing::SHOWN };
        match self.format {
            Format::Table => table::write(env, value, columns)?,
            Format::Json => {
                let text = serde_json::to_string_pretty(&written).map_err(io::Error::other)?;
                writeln!(env.out, "{}", printable_json(&text))?;
            }
            Format::Yaml => {
                let text = serde_saphyr::to_string(&written).map_err(io::Error::other)?;
                let text = printable(&text);
                write!(env.out, "{}{}", text, if text.ends_with('\n') { "" } else { "\n" })?;
            }
            Format::Jsonl | Format::Text => match value {
                // The values that a query lists for one resource are a row.
                Value::List(items) if self.format == Format::Text && self.is_row(items) => {
                    self.write_item(env, value, columns)?;
                }
                Value::List(items) => {
                    items.iter().try_for_each(|item| self.write_item(env, item, columns))?
                }
                // A single text is the whole output, so that its line breaks stay.
                Value::Text(text) if self.format == Format::Text => {
                    let text =
                        if env.terminal.width.is_some() { printable(text) } else { Cow::Borrowed(&**text) };
                    writeln!(env.out, "{text}")?;
                }
                value => self.write_item(env, value, columns)?,
            },
        }
        // Closing the state file can be slow on a busy disk; the reader need not wait for it.
        env.out.flush()?;
        if hidden {
            let note = "secret values are hidden; --show-values shows them";
            writeln!(env.err, "{}", paint(env.terminal.colour, QUIET, note))?;
        }
        Ok(())
    }

    /// Returns the value with secrets exposed, if `--show-values` is set.
    fn with_secrets<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        if self.show_secrets { Cow::Owned(expose_secrets(value)) } else { Cow::Borrowed(value) }
    }

    /// Writes an item as a line.
    pub(crate) fn write_item(
        &self,
        env: &mut Environment<'_>,
        item: &Value,
        columns: &Columns,
    ) -> io::Result<()> {
        match self.item_line(env.terminal, item, columns) {
            Some(line) => writeln!(env.out, "{line}"),
            None => Ok(()),
        }
    }

    /// Formats an item as a line; none if there is nothing to write.
    pub(crate) fn item_line(&self, terminal: Terminal, item: &Value, columns: &Columns) -> Option<String> {
        let line = match (self.format, &*self.with_secrets(item)) {
            (Format::Text, Value::Map(fields)) => {
                let names = columns.for_line(fields);
                let texts = names
                    .iter()
                    .map(|name| fields.get(name.as_str()).map_or_else(String::new, |value| self.text(value)));
                texts.collect::<Vec<_>>().join("\t")
            }
            (Format::Text, Value::List(items)) => {
                items.iter().map(|item| self.text(item)).collect::<Vec<_>>().join("\t")
            }
            (Format::Text, Value::Null) if self.query.is_none() => return None,
            (Format::Text, value) => self.text(value),
            (_, value) => {
                return Some(printable_json(&json::write(value.view(), Writing::SHOWN)).into_owned());
            }
        };
        Some(if terminal.width.is_some() { printable(&line).into_owned() } else { line })
    }

    /// True for the values that a query lists for one resource: `[a, b]`.
    fn is_row(&self, items: &[Value]) -> bool {
        let is_scalar = |item: &Value| !matches!(item, Value::List(_) | Value::Map(_));
        self.query.as_ref().is_some_and(Query::is_list_of_values) && items.iter().all(is_scalar)
    }

    /// Formats a value of a line. A query has a value for each key that it writes; elsewhere, a field without a value is empty.
    fn text(&self, value: &Value) -> String {
        match value {
            Value::Null if self.query.is_some() => NULL.to_owned(),
            value => single_line(value),
        }
    }
}

/// Text of the null of a query, as the AWS CLI writes it.
const NULL: &str = "None";

/// Replaces secrets by their plain text.
pub(crate) fn expose_secrets(value: &Value) -> Value {
    match value {
        Value::Secret(secret) => secret.expose().into(),
        Value::List(items) => Value::List(items.iter().map(expose_secrets).collect()),
        Value::Map(fields) => {
            Value::Map(fields.iter().map(|(key, value)| (key.clone(), expose_secrets(value))).collect())
        }
        value => value.clone(),
    }
}

/// Formats a value in one line: scalars as text, tags as `k=v`, other values as JSON.
pub(crate) fn single_line(value: &Value) -> String {
    let text = plain_text(value);
    if text.contains(['\n', '\t', '\r']) { text.replace(['\n', '\t', '\r'], " ") } else { text }
}

/// Formats a value as text.
pub(crate) fn plain_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Secret(hidden) => hidden.to_string(),
        Value::List(items) if items.is_empty() => String::new(),
        Value::List(items) => {
            let parts = items.iter().map(|item| match item {
                Value::Map(fields) => {
                    tag_text(fields).unwrap_or_else(|| json::write(item.view(), Writing::SHOWN))
                }
                item => plain_text(item),
            });
            parts.collect::<Vec<_>>().join(", ")
        }
        Value::Map(fields) if fields.is_empty() => String::new(),
        Value::Map(fields) if fields.values().all(|value| value.view().text_form().is_some()) => {
            let parts = fields.iter().map(|(key, value)| format!("{key}={}", plain_text(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        value => match value.view().text_form() {
            Some(text) => text.into_owned(),
            None => json::write(value.view(), Writing::SHOWN),
        },
    }
}

/// Formats a tag as `key=value`.
fn tag_text(fields: &nephos::Map<Value>) -> Option<String> {
    match (fields.len(), fields.get("Key"), fields.get("Value")) {
        (2, Some(key), Some(value)) => Some(format!("{}={}", plain_text(key), plain_text(value))),
        _ => None,
    }
}

/// Returns an error for an unknown field, with the nearest known one.
pub(crate) fn check_fields(shape: &RecordShape, names: &[String]) -> Result<(), Error> {
    let first_step = |name: &str| {
        let name = name.split("__").next().unwrap_or_default();
        name.split(['.', '[']).next().unwrap_or_default().to_owned()
    };
    let is_known = |name: &String| shape.extras || shape.field(name).is_some();
    match names.iter().map(|name| first_step(name)).find(|name| !is_known(name)) {
        Some(wrong) => Err(record::unknown_field(shape, &wrong)),
        None => Ok(()),
    }
}
