//! Views of items as a table, such as `nephos events deliveries`.

use super::service_views::{Controls, items};
use crate::{
    env::Environment,
    exit::CmdResult,
    output::{Columns, Format, Output},
    target::select_fields,
};
use clap::{Arg, ArgMatches, Command, value_parser};
use nephos::{Map, Value};
use nephos_cloud::ItemTable;

/// Number of items that are fetched at once.
const PAGE_SIZE: i64 = 1000;

pub(super) fn options(command: Command, table: &ItemTable) -> Command {
    command.arg(
        Arg::new("limit")
            .long("limit")
            .value_name("N")
            .help(table.limit_docs)
            .value_parser(value_parser!(i64).range(1..)),
    )
}

pub(super) fn run(
    table: &ItemTable,
    given: &Map<Value>,
    matches: &ArgMatches,
    env: &mut Environment<'_>,
) -> CmdResult {
    let mut controls = Controls::read(matches, env)?;
    let output = Output::read(matches)?;
    let mut remaining = matches.get_one::<i64>("limit").copied().unwrap_or(i64::MAX);
    let mut values = given.clone();
    let names: Vec<_> = table.columns.iter().map(|name| (*name).to_owned()).collect();
    let columns = Columns::ordered(table.columns);
    let is_table = output.format == Format::Table && matches.get_one::<String>("query").is_none();
    let mut collected = Vec::new();
    loop {
        let page_size = remaining.min(PAGE_SIZE);
        values.insert(table.limit.into(), Value::Int(page_size));
        let answer = controls.call(env, table.source.control, values.clone())?;
        let page = items(&answer, table.source.items);
        if output.is_streaming() {
            page.iter().try_for_each(|item| output.write_item(env, item, &columns))?;
        } else {
            let shown = |item: &Value| if is_table { select_fields(item, &names) } else { item.clone() };
            collected.extend(page.iter().map(shown));
        }
        let count = i64::try_from(page.len()).unwrap_or(i64::MAX);
        remaining -= count;
        if count < page_size || remaining == 0 {
            break;
        }
        let last = page.last().and_then(|last| last.get(table.number)).and_then(Value::as_int);
        values.extend(last.map(|last| (table.source.after.into(), Value::Int(last))));
    }
    if output.is_streaming() { Ok(()) } else { output.show(env, &Value::List(collected), &columns) }
}
