//! Changes of a dry run, by row and field.

use super::{Columns, Format, Output, single_line};
use crate::{env::Environment, exit::CmdResult};
use nephos::{Change, Map, Value};

/// Writes the changes of a dry run; on a server, only those of the resources that the calls name are known.
pub(crate) fn show(
    output: &Output,
    env: &mut Environment<'_>,
    changes: &[Change],
    on_server: bool,
) -> CmdResult {
    // A query is about the changes, also where a table has a line for each field.
    if output.format != Format::Table || output.query.is_some() {
        let all = changes.iter().map(change_to_value).collect();
        output.show(env, &Value::List(all), &Columns::default())?;
        if output.format == Format::Table {
            writeln!(env.out, "dry run: nothing was changed")?;
        }
        return Ok(());
    }
    let rows: Vec<Value> = changes.iter().flat_map(differences).collect();
    if rows.is_empty() {
        let note = if on_server { "the call would succeed" } else { "no changes" };
        writeln!(env.out, "dry run: {note}")?;
        return Ok(());
    }
    let names = ["row", "field", "before", "after"].map(str::to_owned).to_vec();
    output.show(env, &Value::List(rows), &Columns::chosen(names))?;
    writeln!(env.out, "dry run: nothing was changed")?;
    Ok(())
}

fn change_to_value(change: &Change) -> Value {
    let side = |fields: &Map<Value>| if fields.is_empty() { Value::Null } else { Value::Map(fields.clone()) };
    let entries = [
        ("row", Value::Text(change.row.clone())),
        ("before", side(&change.before)),
        ("after", side(&change.after)),
    ];
    Value::Map(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// Returns a table row for each changed field.
fn differences(change: &Change) -> Vec<Value> {
    let added = change.after.keys().filter(|name| !change.before.contains_key(*name));
    let names =
        change.before.keys().chain(added).filter(|name| change.before.get(*name) != change.after.get(*name));
    let side = |fields: &Map<Value>, name: &str| {
        Value::from(fields.get(name).map_or_else(|| "-".to_owned(), single_line))
    };
    let row = |name: &nephos::Text| {
        let cells = [
            ("row", Value::Text(change.row.clone())),
            ("field", Value::Text(name.clone())),
            ("before", side(&change.before, name)),
            ("after", side(&change.after, name)),
        ];
        Value::Map(cells.into_iter().map(|(name, value)| (name.into(), value)).collect())
    };
    names.map(row).collect()
}
