//! Draws a graph as a tree. A node with several parents is drawn below each of them.

use crate::{
    printable::printable_line,
    style::{BAD, GOOD, HEADING, QUIET, paint},
};
use nephos_core::view::{Graph, Node};
use std::io::{self, Write};

pub(super) fn draw(graph: &Graph, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let Some(root) = graph.nodes.first() else { return Ok(()) };
    writeln!(out, "{}", node_line(root, "", colour))?;
    draw_children(graph, &mut vec![0], "", colour, out)
}

fn node_line(node: &Node, label: &str, colour: bool) -> String {
    let mut parts = vec![paint(colour, HEADING, &printable_line(&node.title))];
    if !node.about.is_empty() {
        parts.push(paint(colour, QUIET, &printable_line(&node.about)));
    }
    if !label.is_empty() {
        parts.push(printable_line(label).into_owned());
    }
    if let Some((health, good)) = &node.health {
        parts.push(paint(colour, if *good { GOOD } else { BAD }, &printable_line(health)));
    }
    parts.join("  ")
}

/// Draws the children of the last node of `path`, without following cycles.
fn draw_children(
    graph: &Graph,
    path: &mut Vec<usize>,
    indent: &str,
    colour: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let edges = path.last().map(|&last| graph.nodes[last].edges.as_slice()).unwrap_or_default();
    for (n, (to, label)) in edges.iter().enumerate() {
        let (branch, below) =
            if n + 1 == edges.len() { ("└── ", "    ") } else { ("├── ", "│   ") };
        writeln!(out, "{indent}{branch}{}", node_line(&graph.nodes[*to], label, colour))?;
        if !path.contains(to) {
            path.push(*to);
            draw_children(graph, path, &format!("{indent}{below}"), colour, out)?;
            path.pop();
        }
    }
    Ok(())
}
