//! Writes a graph in Graphviz format.

use crate::printable::printable;
use nephos_core::view::Graph;
use std::io::{self, Write};

/// Quotes a text for Graphviz.
fn quote(text: &str) -> String {
    format!("\"{}\"", printable(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

pub(super) fn draw(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let title = graph.nodes.first().map(|node| node.title.as_str()).unwrap_or_default();
    writeln!(out, "digraph {} {{\n  rankdir=LR;\n  node [shape=box];", quote(title))?;
    for (n, node) in graph.nodes.iter().enumerate() {
        let health = node.health.as_ref().map(|(text, _)| text.as_str()).unwrap_or_default();
        let lines = [node.title.as_str()].into_iter().chain(node.about.split("  ")).chain([health]);
        let label = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
        let colour = match node.health {
            Some((_, true)) => ", color=green",
            Some((_, false)) => ", color=red",
            None => "",
        };
        writeln!(out, "  n{n} [label={}{colour}];", quote(&label))?;
    }
    for (n, node) in graph.nodes.iter().enumerate() {
        for (to, label) in &node.edges {
            let label = if label.is_empty() { String::new() } else { format!(" [label={}]", quote(label)) };
            writeln!(out, "  n{n} -> n{to}{label};")?;
        }
    }
    writeln!(out, "}}")
}
