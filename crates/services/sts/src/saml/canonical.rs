//! Canonical XML: the form of an element that is signed. Inclusive (Canonical XML 1.0) and exclusive canonicalization, with and
//! without comments, of elements with all their descendants.

use roxmltree::{Attribute, Node, NodeId, NodeType};
use std::collections::{BTreeMap, BTreeSet};

/// Canonical XML 1.0.
pub const INCLUSIVE: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";

/// Exclusive canonical XML 1.0.
pub const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

/// Namespace of the prefix `xml`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Maximum length of a canonical form. Each element can repeat declarations of namespaces, so that the form can be much longer
/// than the document.
const MAX_LENGTH: usize = 1 << 20;

/// A method of canonicalization.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Canonicalization<'d> {
    is_exclusive: bool,
    has_comments: bool,
    /// Prefixes that exclusive canonicalization treats as the inclusive one does. That of the default namespace is empty.
    inclusive_prefixes: BTreeSet<&'d str>,
}

/// Declarations of namespaces, by prefix. That of the default namespace is empty.
type Namespaces<'d> = BTreeMap<&'d str, &'d str>;

impl<'d> Canonicalization<'d> {
    /// Reads the method of an element with an algorithm; `None` if it is not supported.
    pub fn read(method: Node<'d, '_>) -> Option<Self> {
        let algorithm = method.attribute("Algorithm")?;
        let (name, has_comments) = match algorithm.strip_suffix("WithComments") {
            // The name of the inclusive method with comments has a fragment.
            Some(name) => (if name.starts_with(INCLUSIVE) { name.strip_suffix('#')? } else { name }, true),
            None => (algorithm, false),
        };
        let is_exclusive = match name {
            INCLUSIVE => false,
            EXCLUSIVE => true,
            _ => return None,
        };
        let mut read = Self { is_exclusive, has_comments, ..Self::default() };
        for parameter in method.children().filter(Node::is_element) {
            if !is_exclusive || !parameter.has_tag_name((EXCLUSIVE, "InclusiveNamespaces")) {
                return None;
            }
            let prefixes = parameter.attribute("PrefixList").unwrap_or_default().split_ascii_whitespace();
            read.inclusive_prefixes
                .extend(prefixes.map(|prefix| if prefix == "#default" { "" } else { prefix }));
        }
        Some(read)
    }

    /// Returns the canonical form of an element without one of its descendants; `None` if it is too long.
    pub fn apply(&self, element: Node<'_, '_>, omitted: Option<NodeId>) -> Option<String> {
        let mut writer = Writer { method: self, omitted, output: String::new() };
        let inherited = if self.is_exclusive { Vec::new() } else { inherited_attributes(element) };
        writer.write_element(element, &Namespaces::new(), inherited)?;
        Some(writer.output)
    }
}

/// Returns the attributes with the prefix `xml` that an element has from its ancestors.
fn inherited_attributes<'a, 'i>(element: Node<'a, 'i>) -> Vec<Attribute<'a, 'i>> {
    let mut found: Vec<Attribute<'a, 'i>> = Vec::new();
    for ancestor in element.ancestors().skip(1) {
        for attribute in ancestor.attributes().filter(|attribute| attribute.namespace() == Some(XML)) {
            let is_known = found.iter().any(|known| known.name() == attribute.name())
                || element.has_attribute((XML, attribute.name()));
            if !is_known {
                found.push(attribute);
            }
        }
    }
    found
}

/// Returns the name of an element as it is in the document, with its prefix.
fn name_of<'a>(element: Node<'a, '_>) -> &'a str {
    let text = &element.document().input_text()[element.range().start + 1..];
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/');
    &text[..end.unwrap_or(text.len())]
}

fn prefix_of(name: &str) -> &str {
    name.split_once(':').map_or("", |(prefix, _)| prefix)
}

struct Writer<'m, 'd> {
    method: &'m Canonicalization<'d>,
    omitted: Option<NodeId>,
    output: String,
}

impl Writer<'_, '_> {
    /// Writes an element. `rendered` has the namespaces that its ancestors in the output declare.
    fn write_element<'a>(
        &mut self,
        element: Node<'a, '_>,
        rendered: &Namespaces<'a>,
        inherited: Vec<Attribute<'a, '_>>,
    ) -> Option<()> {
        let source = element.document().input_text();
        let name = name_of(element);
        let mut attributes: Vec<(&str, &str, &str, &str)> = element
            .attributes()
            .chain(inherited)
            .map(|attribute| {
                let name = &source[attribute.range_qname()];
                (attribute.namespace().unwrap_or_default(), attribute.name(), name, attribute.value())
            })
            .collect();
        attributes.sort_unstable();
        self.output.push('<');
        self.output.push_str(name);
        let mut rendered = rendered.clone();
        for prefix in self.prefixes_of(element, name, &attributes) {
            let uri =
                element.lookup_namespace_uri((!prefix.is_empty()).then_some(prefix)).unwrap_or_default();
            if rendered.get(prefix).copied().unwrap_or_default() != uri {
                let (separator, value) = (if prefix.is_empty() { "" } else { ":" }, uri);
                self.write_attribute(&format!("xmlns{separator}{prefix}"), value);
                rendered.insert(prefix, uri);
            }
        }
        for (_, _, name, value) in attributes {
            self.write_attribute(name, value);
        }
        self.output.push('>');
        let omitted = self.omitted;
        for child in element.children().filter(|child| Some(child.id()) != omitted) {
            match child.node_type() {
                NodeType::Element => self.write_element(child, &rendered, Vec::new())?,
                NodeType::Text => self.write_escaped(child.text().unwrap_or_default(), false),
                NodeType::Comment if self.method.has_comments => {
                    self.output.extend(["<!--", child.text().unwrap_or_default(), "-->"]);
                }
                NodeType::PI => {
                    let instruction = child.pi()?;
                    self.output.extend(["<?", instruction.target]);
                    self.output.extend(instruction.value.into_iter().flat_map(|value| [" ", value]));
                    self.output.push_str("?>");
                }
                NodeType::Comment | NodeType::Root => {}
            }
        }
        self.output.extend(["</", name, ">"]);
        (self.output.len() <= MAX_LENGTH).then_some(())
    }

    /// Returns the prefixes of namespaces that an element may have to declare, in order.
    fn prefixes_of<'a>(
        &self,
        element: Node<'a, '_>,
        name: &'a str,
        attributes: &[(&str, &str, &'a str, &str)],
    ) -> BTreeSet<&'a str> {
        let in_scope = element.namespaces().map(|namespace| namespace.name().unwrap_or_default());
        let mut prefixes: BTreeSet<&str> = match self.method.is_exclusive {
            false => in_scope.chain([""]).collect(),
            true => {
                let is_inclusive = |prefix: &&str| self.method.inclusive_prefixes.contains(prefix);
                let used =
                    attributes.iter().map(|(_, _, name, _)| prefix_of(name)).filter(|used| !used.is_empty());
                in_scope.chain([""]).filter(is_inclusive).chain(used).chain([prefix_of(name)]).collect()
            }
        };
        // The namespace of `xml` is never declared.
        prefixes.remove("xml");
        prefixes
    }

    fn write_attribute(&mut self, name: &str, value: &str) {
        self.output.extend([" ", name, "=\""]);
        self.write_escaped(value, true);
        self.output.push('"');
    }

    fn write_escaped(&mut self, text: &str, is_attribute: bool) {
        for character in text.chars() {
            match character {
                '&' => self.output.push_str("&amp;"),
                '<' => self.output.push_str("&lt;"),
                '>' if !is_attribute => self.output.push_str("&gt;"),
                '"' if is_attribute => self.output.push_str("&quot;"),
                '\t' if is_attribute => self.output.push_str("&#x9;"),
                '\n' if is_attribute => self.output.push_str("&#xA;"),
                '\r' => self.output.push_str("&#xD;"),
                other => self.output.push(other),
            }
        }
    }
}
