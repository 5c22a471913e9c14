//! Views: what people look at beside the records of a kind. A service lists those of its kinds, and the command line
//! offers each as a command of the kind.

use crate::{BoxFuture, Result, Session, shape::KindShape};
use std::fmt;

/// A view of a kind.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The kind that it belongs to.
    pub kind: &'static KindShape,
    /// The name of the command.
    pub name: &'static str,
    /// A sentence about what it shows.
    pub docs: &'static str,
    /// A sentence about the argument that names a resource of the kind.
    pub subject: &'static str,
    /// How it is made.
    pub form: ViewForm,
}

/// The form of a view.
#[derive(Clone, Copy)]
pub enum ViewForm {
    /// A graph of what belongs to the resource of that name or ARN.
    Graph(for<'a> fn(&'a Session, &'a str) -> BoxFuture<'a, Result<Graph>>),
    /// The items of a listing in order of time, which can be followed.
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

/// The items of a listing in order of time: which listing, and which of its parameters and fields mean what.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// The kind whose `list` gives the items.
    pub kind: &'static KindShape,
    /// The parameter that takes the name of the resource.
    pub subject: &'static str,
    /// The parameter that takes the earliest time, in milliseconds since 1970.
    pub since: &'static str,
    /// The parameter that narrows the listing down by a pattern.
    pub filter: &'static str,
    /// The field that tells one item from another.
    pub id: &'static str,
    /// The field with the time, in milliseconds since 1970.
    pub time: &'static str,
    /// The field that says where an item comes from.
    pub source: &'static str,
    /// The field with the text.
    pub text: &'static str,
}

/// A graph whose first node is where to begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// A node of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// What it is called.
    pub title: String,
    /// What else is known of it.
    pub about: String,
    /// How it is, and whether that is good.
    pub health: Option<(String, bool)>,
    /// The nodes that it leads to, by number, each with a label, which may be empty.
    pub edges: Vec<(usize, String)>,
}

impl Graph {
    /// Adds a node; gives its number.
    pub fn add(&mut self, title: impl Into<String>, about: impl Into<String>) -> usize {
        self.nodes.push(Node { title: title.into(), about: about.into(), ..Node::default() });
        self.nodes.len() - 1
    }

    /// Leads from one node to another.
    pub fn connect(&mut self, from: usize, to: usize, label: impl Into<String>) {
        self.nodes[from].edges.push((to, label.into()));
    }
}
