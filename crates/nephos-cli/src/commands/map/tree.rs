//! The map as a tree of lines.

use super::{Group, Map, Route, Step};
use crate::output::{QUIET, paint};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const NAME: Style = Style::new().bold();

/// A line and those below it.
struct Branch {
    line: String,
    below: Vec<Branch>,
}

pub(super) fn draw(map: &Map, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}  {}", paint(colour, NAME, &map.name), paint(colour, QUIET, &map.about))?;
    let listeners = map.listeners.iter().map(|listener| Branch {
        line: paint(colour, NAME, &listener.title),
        below: listener.rules.iter().map(|rule| of_rule(map, rule, colour)).collect(),
    });
    branches(&listeners.collect::<Vec<_>>(), "", out)
}

fn of_rule(map: &Map, rule: &Route, colour: bool) -> Branch {
    let conditions = rule.conditions.join(", ");
    let line = match conditions.as_str() {
        "" => rule.priority.clone(),
        conditions => format!("{}  {conditions}", rule.priority),
    };
    Branch { line, below: rule.steps.iter().map(|step| of_step(map, step, colour)).collect() }
}

fn of_step(map: &Map, step: &Step, colour: bool) -> Branch {
    let groups = step.to.iter().map(|(arn, share)| {
        let share = if step.to.len() > 1 { format!("  {share}%") } else { String::new() };
        let line = match map.groups.get(arn) {
            Some(group) => of_group(group, &share, colour),
            None => format!("{arn}{share}"),
        };
        Branch { line, below: Vec::new() }
    });
    Branch { line: step.what.clone(), below: groups.collect() }
}

fn of_group(group: &Group, share: &str, colour: bool) -> String {
    let health = paint(colour, if group.well { GOOD } else { BAD }, &group.health);
    format!("{}  {}{share}  {health}", paint(colour, NAME, &group.name), paint(colour, QUIET, &group.about))
}

fn branches(all: &[Branch], before: &str, out: &mut dyn Write) -> io::Result<()> {
    for (n, branch) in all.iter().enumerate() {
        let last = n + 1 == all.len();
        let (own, below) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
        writeln!(out, "{before}{own}{}", branch.line)?;
        branches(&branch.below, &format!("{before}{below}"), out)?;
    }
    Ok(())
}
