//! The arguments of a command that stand for the parameters of an operation.

use crate::{
    explain,
    inputs::{self, Input},
    names,
};
use clap::{Arg, ArgAction};
use nephos_core::shape::Type;

/// The id of the argument that stands without a flag.
pub(crate) fn positional_id(n: usize) -> String {
    format!("at-{n}")
}

pub(crate) fn positional(n: usize, input: &Input) -> Arg {
    Arg::new(positional_id(n))
        .value_name(names::placeholder(input.field))
        .help(help(input))
        .allow_negative_numbers(is_number(&input.field.ty))
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
        Type::Blob => "BASE64",
        Type::Secret => "SECRET",
        Type::Choice(_) => "CHOICE",
        Type::Any | Type::Record(_) => "JSON|@FILE|-",
        Type::Map(_) => "KEY=VALUE,…",
        Type::List(Type::Record(record)) if record.name == "Tag" => "KEY=VALUE,…",
        Type::List(Type::Record(_)) => "JSON|@FILE|-",
        Type::List(_) => "ITEM,…",
    }
}

fn help(input: &Input) -> String {
    let rules = explain::rules(input.field);
    let docs = input.field.docs.trim_end_matches('.');
    if rules.is_empty() { docs.to_owned() } else { format!("{docs} [{rules}]") }
}
