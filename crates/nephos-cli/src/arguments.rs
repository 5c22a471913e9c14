//! Command-line arguments for the parameters of an operation.

use crate::{
    explain,
    inputs::{self, Input},
    names, values,
};
use clap::{Arg, ArgAction};
use nephos_core::shape::Type;

/// Placeholder of a document.
const DOCUMENT_VALUE: &str = "TEXT|@FILE|-";

/// ID of the `n`th positional argument.
pub(crate) fn positional_id(n: usize) -> String {
    format!("at-{n}")
}

pub(crate) fn positional(n: usize, input: &Input, all: &[Input]) -> Arg {
    let arg = Arg::new(positional_id(n))
        .value_name(names::placeholder(input.field))
        .help(positional_help(input))
        .allow_negative_numbers(is_number(&input.field.ty));
    if takes_words(input, all) { arg.num_args(1..) } else { arg }
}

/// True for the last positional argument if it is a list: each further word is an item.
pub(crate) fn takes_words(input: &Input, all: &[Input]) -> bool {
    let last = all.iter().rfind(|input| input.positional);
    let is_last = last.is_some_and(|last| std::ptr::eq(last.field, input.field));
    is_last && matches!(input.field.ty, Type::List(_))
}

pub(crate) fn flag(input: &Input, all: &[Input]) -> Arg {
    let field = input.field;
    let arg = Arg::new(input.flag.clone()).long(input.flag.clone()).help(help(input)).hide(input.positional);
    let is_unique = !inputs::RESERVED.contains(&field.name)
        && all.iter().all(|other| {
            other.flag != field.name && (std::ptr::eq(other.field, field) || other.field.name != field.name)
        });
    let arg = if is_unique { arg.alias(field.name) } else { arg };
    let arg = arg.allow_negative_numbers(is_number(&field.ty));
    match &field.ty {
        Type::Bool => {
            arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("true|false")
        }
        Type::List(_) | Type::Map(_) => arg.action(ArgAction::Append).value_name(value_name(&field.ty)),
        Type::Text if values::is_document(field) => arg.value_name(DOCUMENT_VALUE),
        ty => arg.value_name(value_name(ty)),
    }
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Float)
}

fn value_name(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "true|false",
        Type::Int => "N",
        Type::Float => "NUMBER",
        Type::Text => "TEXT",
        Type::Time => "TIME",
        Type::Blob => "BASE64|@FILE|-",
        Type::Secret => "SECRET|@FILE|-",
        Type::Choice(_) => "CHOICE",
        Type::Any | Type::Record(_) => "JSON|@FILE|-",
        Type::Map(_) => "KEY=VALUE,…",
        Type::List(Type::Record(record)) if record.name == "Tag" => "KEY=VALUE,…",
        Type::List(Type::Record(_)) => "JSON|@FILE|-",
        Type::List(_) => "ITEM,…",
    }
}

/// Returns the flag that adds tags.
pub(crate) fn add_tags(input: &Input, replacing: Option<&Input>) -> Arg {
    let help = "Tags to add; a tag with the same key is replaced, the others stay";
    let arg = Arg::new(input.flag.clone()).long(input.flag.clone()).help(help).action(ArgAction::Append);
    let arg = arg.value_name(value_name(&input.field.ty));
    replacing.map_or(arg.clone(), |replacing| arg.conflicts_with(replacing.flag.clone()))
}

fn help(input: &Input) -> String {
    with_notes(input, &explain::rules(input.field))
}

/// Returns the help of a positional argument, whose usage line does not show the format of the value.
fn positional_help(input: &Input) -> String {
    let ty = &input.field.ty;
    let format = match ty {
        Type::Any | Type::Blob | Type::Record(_) | Type::List(_) | Type::Map(_) => {
            Some(value_name(ty).to_owned())
        }
        _ if values::is_document(input.field) => Some(DOCUMENT_VALUE.to_owned()),
        _ => None,
    };
    let notes = format.into_iter().chain([explain::rules(input.field)]).filter(|note| !note.is_empty());
    with_notes(input, &notes.collect::<Vec<_>>().join("; "))
}

fn with_notes(input: &Input, notes: &str) -> String {
    let docs = input.field.docs.trim_end_matches('.');
    if notes.is_empty() { docs.to_owned() } else { format!("{docs} [{notes}]") }
}
