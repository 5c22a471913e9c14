//! Views: pictures of a resource beside its record, such as `map` and `tail`. A service lists the views of its
//! kinds, and the command line offers each as a command of the kind.

use crate::{BoxFuture, Result, Session, shape::KindShape};
use std::fmt;

/// A view of a kind.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Kind that it belongs to.
    pub kind: &'static KindShape,
    /// Name of the command.
    pub name: &'static str,
    /// Documentation: one sentence.
    pub docs: &'static str,
    /// Documentation of the argument that names a resource of the kind: one sentence.
    pub subject: &'static str,
    /// Form of the view.
    pub form: ViewForm,
}

/// Form of a view.
#[derive(Clone, Copy)]
pub enum ViewForm {
    /// A graph of the resources that belong to the resource of that name or ARN.
    Graph(for<'a> fn(&'a Session, &'a str) -> BoxFuture<'a, Result<Graph>>),
    /// Items of a listing in order of time, which can be followed.
    Lines(Lines),
}

impl fmt::Debug for ViewForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graph(_) => f.write_str("Graph"),
            Self::Lines(lines) => lines.fmt(f),
        }
    }
}

/// Items of a listing in order of time: the listing, and the roles of its parameters and fields.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// Kind whose `list` returns the items.
    pub kind: &'static KindShape,
    /// Parameter that takes the name of the resource.
    pub subject: &'static str,
    /// Parameter that takes the earliest time, in milliseconds since 1970.
    pub since: &'static str,
    /// Parameter that filters the listing by a pattern.
    pub filter: &'static str,
    /// Field that identifies an item.
    pub id: &'static str,
    /// Field with the time, in milliseconds since 1970.
    pub time: &'static str,
    /// Field with the source of an item.
    pub source: &'static str,
    /// Field with the text.
    pub text: &'static str,
}

/// A graph that is shown from its first node on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Nodes of the graph.
    pub nodes: Vec<Node>,
}

/// A node of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Title of the node.
    pub title: String,
    /// Details of the node.
    pub about: String,
    /// State of the node, and true if that state is healthy.
    pub health: Option<(String, bool)>,
    /// Indices of the nodes that it leads to, each with a label, which may be empty.
    pub edges: Vec<(usize, String)>,
}

impl Graph {
    /// Adds a node and returns its index.
    pub fn add(&mut self, title: impl Into<String>, about: impl Into<String>) -> usize {
        self.nodes.push(Node { title: title.into(), about: about.into(), ..Node::default() });
        self.nodes.len() - 1
    }

    /// Connects one node to another.
    pub fn connect(&mut self, from: usize, to: usize, label: impl Into<String>) {
        self.nodes[from].edges.push((to, label.into()));
    }
}
