//! Tables that fit the terminal; the least important columns are omitted.

use super::{plain_text, single_line};
use crate::{
    env::Environment,
    exit::CmdResult,
    printable::printable,
    style::{HEADING, QUIET, paint},
};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use nephos::{Map, Value};
use nephos_core::shape::{Identity, KindShape, Presence, RecordShape, Type};

/// Width of a cell from which it is wrapped.
const MAX_CELL_WIDTH: usize = 48;

/// Columns of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// Fields, the most important first; empty for all fields of the rows.
    names: Vec<String>,
    /// True if the user selected the fields, so that none is omitted.
    chosen: bool,
}

impl Columns {
    /// Returns the columns for a kind: key and name first, ARNs last.
    pub(crate) fn for_kind(kind: &KindShape) -> Self {
        let last_steps = |identity: &Identity| match identity {
            Identity::Path([name]) => vec![*name],
            Identity::Mapping(paths) => paths.iter().filter_map(|path| path.last().copied()).collect(),
            _ => Vec::new(),
        };
        let is_arn = |name: &str| name.to_ascii_lowercase().ends_with("arn");
        let is_service_set = |name: &str| {
            kind.record.field(name).is_some_and(|(_, field)| field.presence == Presence::ServiceSet)
        };
        let first = last_steps(&kind.pk)
            .into_iter()
            .chain(last_steps(&kind.name_identity))
            .filter(|name| !is_arn(name) && !is_service_set(name));
        let mut names: Vec<String> = Vec::new();
        let all = kind.record.fields.iter().map(|field| field.name);
        let (arns, others): (Vec<_>, Vec<_>) = all.partition(|name| is_arn(name));
        for name in first.chain(others).chain(arns) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        Self { names, chosen: false }
    }

    /// Returns the columns for the output type of an operation.
    pub(crate) fn for_type(kind: &KindShape, ty: Option<&Type>) -> Self {
        match ty {
            Some(Type::Record(record)) if std::ptr::eq(*record, kind.record) => Self::for_kind(kind),
            Some(Type::Record(record)) => Self::for_record(record),
            Some(Type::List(item)) => Self::for_type(kind, Some(item)),
            _ => Self::default(),
        }
    }

    fn for_record(record: &RecordShape) -> Self {
        Self { names: record.fields.iter().map(|field| field.name.to_owned()).collect(), chosen: false }
    }

    /// Returns columns for any fields, these first.
    pub(crate) fn ordered(names: &[&str]) -> Self {
        Self { names: names.iter().map(|name| (*name).to_owned()).collect(), chosen: false }
    }

    /// Returns the columns for streamed lines, which are the same for every line.
    pub(crate) fn for_line(&self, row: &Map<Value>) -> Vec<String> {
        if self.names.is_empty() { self.present_in(&[row]) } else { self.names.clone() }
    }

    /// True if each field of `rows` has a column.
    pub(super) fn have_all(&self, rows: &[&Map<Value>]) -> bool {
        rows.iter().flat_map(|row| row.keys()).all(|key| self.names.iter().any(|name| name == key.as_str()))
    }

    /// Returns columns for exactly these fields.
    pub(crate) fn chosen(names: Vec<String>) -> Self {
        Self { names, chosen: true }
    }

    /// True if the user selected the fields.
    pub(crate) fn is_chosen(&self) -> bool {
        self.chosen
    }

    /// Returns the columns that occur in `rows`, in order.
    pub(crate) fn present_in(&self, rows: &[&Map<Value>]) -> Vec<String> {
        if self.chosen {
            return self.names.clone();
        }
        let is_present = |name: &str| rows.iter().any(|row| row.contains_key(name));
        let mut names: Vec<_> = self.names.iter().filter(|name| is_present(name)).cloned().collect();
        for name in rows.iter().flat_map(|row| row.keys()) {
            if !names.iter().any(|known| known == name.as_str()) {
                names.push(name.to_string());
            }
        }
        names
    }
}

/// Writes a value as a table.
pub(super) fn write(env: &mut Environment<'_>, value: &Value, columns: &Columns) -> CmdResult {
    match value {
        Value::Null => {}
        Value::List(items) if items.is_empty() => writeln!(env.err, "no results")?,
        Value::List(items) => {
            let rows: Vec<_> = items.iter().filter_map(as_map).collect();
            if rows.len() == items.len() {
                return write_rows(env, &rows, columns);
            }
            items.iter().try_for_each(|item| writeln!(env.out, "{}", printable(&plain_text(item))))?;
        }
        Value::Map(row) => {
            let names = columns.present_in(&[row]);
            let cells = names.iter().map(|name| {
                vec![
                    paint(env.terminal.colour, HEADING, &printable(name)),
                    row.get(name.as_str())
                        .map_or_else(String::new, |value| printable(&plain_text(value)).into_owned()),
                ]
            });
            let table = draw(None, cells.collect(), env.terminal.width);
            writeln!(env.out, "{table}")?;
        }
        value => writeln!(env.out, "{}", printable(&plain_text(value)))?,
    }
    Ok(())
}

/// Formats a value as a cell.
fn cell(value: &Value) -> String {
    printable(&single_line(value)).into_owned()
}

fn as_map(value: &Value) -> Option<&Map<Value>> {
    match value {
        Value::Map(fields) => Some(fields),
        _ => None,
    }
}

fn write_rows(env: &mut Environment<'_>, rows: &[&Map<Value>], columns: &Columns) -> CmdResult {
    let mut names = columns.present_in(rows);
    let width = |name: &String| {
        let cells =
            rows.iter().map(|row| row.get(name.as_str()).map_or(0, |value| cell(value).chars().count()));
        cells.max().unwrap_or(0).max(name.chars().count()).min(MAX_CELL_WIDTH)
    };
    let mut omitted = Vec::new();
    if let (Some(max_width), false) = (env.terminal.width, columns.chosen) {
        let mut used = 0;
        for (n, name) in std::mem::take(&mut names).into_iter().enumerate() {
            used += width(&name) + 2;
            if n == 0 || used <= usize::from(max_width) + 2 {
                names.push(name);
            } else {
                used -= width(&name) + 2;
                omitted.push(name);
            }
        }
    }
    let cells = rows.iter().map(|row| {
        names.iter().map(|name| row.get(name.as_str()).map_or_else(String::new, cell)).collect::<Vec<_>>()
    });
    let heads: Vec<_> = names.iter().map(|name| printable(name).into_owned()).collect();
    let text = grid(&heads, cells.collect(), env.terminal.width);
    let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
    writeln!(env.out, "{}", paint(env.terminal.colour, HEADING, head))?;
    writeln!(env.out, "{body}")?;
    if !omitted.is_empty() {
        let note = format!("omitted columns (use --fields or -o json): {}", omitted.join(", "));
        writeln!(env.err, "{}", paint(env.terminal.colour, QUIET, &note))?;
    }
    Ok(())
}

/// Formats a table with a header, at most `width` columns wide.
pub(crate) fn grid(names: &[String], rows: Vec<Vec<String>>, width: Option<u16>) -> String {
    draw(Some(names), rows, width)
}

fn draw(names: Option<&[String]>, rows: Vec<Vec<String>>, width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).add_rows(rows);
    if let Some(names) = names {
        table.set_header(names.to_vec());
    }
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        // Names in the first column are easier to find and copy when they are not wrapped.
        let first = table.column_max_content_widths().first().copied().unwrap_or(0);
        if let Some(column) = table.column_mut(0).filter(|_| first <= width / 2) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let last = table.column_count().saturating_sub(1);
    for (n, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if n == last { 0 } else { 2 }));
    }
    table.trim_fmt()
}
