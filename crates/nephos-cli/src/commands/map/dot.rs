//! The map as a graph in Graphviz's language.

use super::Map;
use std::io::{self, Write};

/// A text as Graphviz reads it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

pub(super) fn draw(map: &Map, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quoted(&map.name))?;
    writeln!(out, "  rankdir=LR;\n  node [shape=box];")?;
    let title = format!("{}\n{}", map.name, map.about.replace("  ", "\n"));
    writeln!(out, "  balancer [label={}, shape=house];", quoted(&title))?;
    for (l, listener) in map.listeners.iter().enumerate() {
        writeln!(out, "  l{l} [label={}, shape=ellipse];\n  balancer -> l{l};", quoted(&listener.title))?;
        for (r, rule) in listener.rules.iter().enumerate() {
            let lines =
                rule.conditions.iter().cloned().chain(rule.steps.iter().map(|step| step.what.clone()));
            let label = lines.collect::<Vec<_>>().join("\n");
            writeln!(out, "  l{l}r{r} [label={}];", quoted(&label))?;
            writeln!(out, "  l{l} -> l{l}r{r} [label={}];", quoted(&rule.priority))?;
            for (arn, share) in rule.steps.iter().flat_map(|step| &step.to) {
                let label = if *share == 100 { String::new() } else { format!(" [label=\"{share}%\"]") };
                writeln!(out, "  l{l}r{r} -> {}{label};", node(map, arn))?;
            }
        }
    }
    for (g, group) in map.groups.values().enumerate() {
        let label = format!("{}\n{}\n{}", group.name, group.about, group.health);
        let colour = if group.well { "green" } else { "red" };
        writeln!(out, "  g{g} [label={}, shape=folder, color={colour}];", quoted(&label))?;
    }
    writeln!(out, "}}")
}

/// The node of a target group; its name, if it is not among those of the map.
fn node(map: &Map, arn: &str) -> String {
    match map.groups.keys().position(|known| known == arn) {
        Some(g) => format!("g{g}"),
        None => quoted(arn),
    }
}
