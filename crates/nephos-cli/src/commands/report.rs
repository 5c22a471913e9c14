//! Views that are reports, such as `nephos events explain-match`.

use crate::{
    context::Context,
    env::Environment,
    exit::{CmdResult, Failure},
    opening::Access,
    output::{Columns, Format, Output, single_line},
    printable::printable_line,
    style::{paint, style_of},
};
use clap::ArgMatches;
use nephos::{Map, Text};
use nephos_cloud::{Report, ReportView};
use nephos_core::wait;

/// Exit code of a negative report or decision.
pub(super) const NEGATIVE: u8 = 1;

pub(super) fn run(
    view: &ReportView,
    arguments: &Map<Text>,
    matches: &ArgMatches,
    env: &mut Environment<'_>,
) -> CmdResult {
    let context = Context::read(matches, env)?;
    let output = Output::read(matches)?;
    let connection = context.connect(Access::SharedRead, env)?;
    let report = wait((view.make)(&connection.session, arguments))?;
    // The state must not stay open until the report is read.
    drop(connection);
    match output.format {
        Format::Table => print_lines(&report, env)?,
        _ => output.show(env, &report.value, &Columns::default())?,
    }
    for warning in &report.warnings {
        writeln!(env.err, "nephos: {warning}")?;
    }
    if report.is_positive { Ok(()) } else { Err(Failure::AlreadyReported(NEGATIVE)) }
}

fn print_lines(report: &Report, env: &mut Environment<'_>) -> CmdResult {
    let colour = env.terminal.colour;
    for line in &report.lines {
        let text = single_line(&line.text.as_str().into());
        let text = printable_line(&text);
        let content = text.trim_start();
        let indent = " ".repeat(text.len() - content.len());
        writeln!(env.out, "{indent}{}", paint(colour, style_of(line.tone), content))?;
    }
    Ok(())
}
