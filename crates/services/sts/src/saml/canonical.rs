//! Canonical XML: the form of an element that is signed. Inclusive (Canonical XML 1.0) and exclusive canonicalization, with and
//! without comments, of elements with all their descendants.

use roxmltree::{Attribute, Node, NodeId, NodeType};
use std::collections::{BTreeMap, BTreeSet};

const INCLUSIVE: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";

const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

/// Namespace of the prefix `xml`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Maximum length of a canonical form. Each element can repeat declarations of namespaces, so that the form can be much longer
/// than the document.
const MAX_LENGTH: usize = 1 << 20;

/// A method of canonicalization.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Canonicalization<'d> {
    is_exclusive: bool,
    has_comments: bool,
    /// Prefixes that exclusive canonicalization treats as the inclusive one does. That of the default namespace is empty.
    inclusive_prefixes: BTreeSet<&'d str>,
}

/// Declarations of namespaces, by prefix. That of the default namespace is empty.
type Namespaces<'d> = BTreeMap<&'d str, &'d str>;

impl<'d> Canonicalization<'d> {
    /// Reads the method of an element with an algorithm; `None` if it is not supported.
    pub(crate) fn read(method: Node<'d, '_>) -> Option<Self> {
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
    pub(crate) fn apply(&self, element: Node<'_, '_>, omitted: Option<NodeId>) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use roxmltree::Document;

    fn method(algorithm: &str, prefixes: &str) -> String {
        let parameter = format!(r#"<e:InclusiveNamespaces xmlns:e="{EXCLUSIVE}" PrefixList="{prefixes}"/>"#);
        let parameter = if prefixes.is_empty() { "" } else { &parameter };
        format!(r#"<m Algorithm="{algorithm}">{parameter}</m>"#)
    }

    /// Canonicalizes the element with this local name.
    fn canonicalize(algorithm: &str, prefixes: &str, xml: &str, name: &str) -> Option<String> {
        let text = method(algorithm, prefixes);
        let text = Document::parse(&text).expect("it is XML");
        let document = Document::parse(xml).expect("it is XML");
        let element =
            document.descendants().find(|node| node.tag_name().name() == name).expect("it is there");
        Canonicalization::read(text.root_element())?.apply(element, None)
    }

    /// Examples of Canonical XML 1.0, section 3, without their document types, which are refused.
    #[test]
    fn examples_of_canonical_xml() {
        let comments = r#"<?xml version="1.0"?><?xml-stylesheet href="doc.xsl"?><doc>Hello, world!<!-- Comment 1 --></doc>"#;
        let with = format!("{INCLUSIVE}#WithComments");
        assert_eq!(canonicalize(INCLUSIVE, "", comments, "doc").unwrap(), "<doc>Hello, world!</doc>");
        let commented = "<doc>Hello, world!<!-- Comment 1 --></doc>";
        assert_eq!(canonicalize(&with, "", comments, "doc").unwrap(), commented);
        let white = "<doc>\n   <clean>   </clean>\n   <dirty>   A   B   </dirty>\n</doc>";
        assert_eq!(canonicalize(INCLUSIVE, "", white, "doc").unwrap(), white);
        let tags = concat!(
            "<doc>\n   <e1   />\n   <e2   ></e2>\n   <e3   name = \"elem3\"   id=\"elem3\"   />\n",
            "   <e5 a:attr=\"out\" b:attr=\"sorted\" attr2=\"all\" attr=\"I'm\"\n",
            "      xmlns:b=\"http://www.ietf.org\"\n      xmlns:a=\"http://www.w3.org\"\n",
            "      xmlns=\"http://example.org\"/>\n",
            "   <e6 xmlns=\"\" xmlns:a=\"http://www.w3.org\">\n      <e7 xmlns=\"http://www.ietf.org\">\n",
            "         <e8 xmlns=\"\" xmlns:a=\"http://www.w3.org\">\n            <e9 xmlns=\"\" xmlns:a=\"http://www.ietf.org\"/>\n",
            "         </e8>\n      </e7>\n   </e6>\n</doc>",
        );
        let expected = concat!(
            "<doc>\n   <e1></e1>\n   <e2></e2>\n   <e3 id=\"elem3\" name=\"elem3\"></e3>\n",
            "   <e5 xmlns=\"http://example.org\" xmlns:a=\"http://www.w3.org\" xmlns:b=\"http://www.ietf.org\" attr=\"I'm\" attr2=\"all\" b:attr=\"sorted\" a:attr=\"out\"></e5>\n",
            "   <e6 xmlns:a=\"http://www.w3.org\">\n      <e7 xmlns=\"http://www.ietf.org\">\n",
            "         <e8 xmlns=\"\">\n            <e9 xmlns:a=\"http://www.ietf.org\"></e9>\n",
            "         </e8>\n      </e7>\n   </e6>\n</doc>",
        );
        assert_eq!(canonicalize(INCLUSIVE, "", tags, "doc").unwrap(), expected);
        let characters = concat!(
            "<doc>\n   <text>First line&#x0d;&#10;Second line</text>\n   <value>&#x32;</value>\n",
            "   <compute><![CDATA[value>\"0\" && value<\"10\" ?\"valid\":\"error\"]]></compute>\n",
            "   <compute expr='value>\"0\" &amp;&amp; value&lt;\"10\" ?\"valid\":\"error\"'>valid</compute>\n",
            "   <norm attr=' &apos;   &#x20;&#13;&#xa;&#9;   &apos; '/>\n</doc>",
        );
        let expected = concat!(
            "<doc>\n   <text>First line&#xD;\nSecond line</text>\n   <value>2</value>\n",
            "   <compute>value&gt;\"0\" &amp;&amp; value&lt;\"10\" ?\"valid\":\"error\"</compute>\n",
            "   <compute expr=\"value>&quot;0&quot; &amp;&amp; value&lt;&quot;10&quot; ?&quot;valid&quot;:&quot;error&quot;\">valid</compute>\n",
            "   <norm attr=\" '    &#xD;&#xA;&#x9;   ' \"></norm>\n</doc>",
        );
        assert_eq!(canonicalize(INCLUSIVE, "", characters, "doc").unwrap(), expected);
        assert_eq!(
            canonicalize(INCLUSIVE, "", "<doc>&#169;<?a-b?><?c d e?></doc>", "doc").unwrap(),
            "<doc>©<?a-b?><?c d e?></doc>"
        );
    }

    /// The example of Exclusive XML Canonicalization, section 2.2, in which an element is moved to another context.
    #[test]
    fn example_of_exclusive_canonicalization() {
        let first = concat!(
            "<n0:pdu xmlns:n0=\"http://a.example\">\n   <n1:elem2 xmlns:n1=\"http://b.example\">\n      content\n",
            "   </n1:elem2>\n</n0:pdu>",
        );
        let second = concat!(
            "<n2:pdu xmlns:n1=\"http://example.com\" xmlns:n2=\"http://foo.example\" xml:lang=\"fr\" xml:space=\"retain\">\n",
            "   <n1:elem2 xmlns:n1=\"http://b.example\">\n      content\n   </n1:elem2>\n</n2:pdu>",
        );
        let exclusive = "<n1:elem2 xmlns:n1=\"http://b.example\">\n      content\n   </n1:elem2>";
        for xml in [first, second] {
            assert_eq!(canonicalize(EXCLUSIVE, "", xml, "elem2").unwrap(), exclusive);
        }
        let inclusive = exclusive.replace("<n1:elem2", "<n1:elem2 xmlns:n0=\"http://a.example\"");
        assert_eq!(canonicalize(INCLUSIVE, "", first, "elem2").unwrap(), inclusive);
        assert_eq!(canonicalize(EXCLUSIVE, "n0 n9", first, "elem2").unwrap(), inclusive);
        let inclusive = exclusive.replace(
            "b.example\">",
            "b.example\" xmlns:n2=\"http://foo.example\" xml:lang=\"fr\" xml:space=\"retain\">",
        );
        assert_eq!(canonicalize(INCLUSIVE, "", second, "elem2").unwrap(), inclusive);
    }

    #[test]
    fn exclusive_canonicalization_declares_used_namespaces_only() {
        let xml = concat!(
            "<r xmlns=\"u:default\" xmlns:a=\"u:a\" xmlns:b=\"u:b\"><x b:k=\"1\" k=\"2\"><a:y><z xmlns=\"\"/><a:w/></a:y>",
            "<b:v xmlns:b=\"u:c\"/></x></r>",
        );
        let expected = concat!(
            "<x xmlns=\"u:default\" xmlns:b=\"u:b\" k=\"2\" b:k=\"1\"><a:y xmlns:a=\"u:a\"><z xmlns=\"\"></z><a:w></a:w></a:y>",
            "<b:v xmlns:b=\"u:c\"></b:v></x>",
        );
        assert_eq!(canonicalize(EXCLUSIVE, "", xml, "x").unwrap(), expected);
        let inner = "<a:y xmlns:a=\"u:a\"><z></z><a:w></a:w></a:y>";
        assert_eq!(canonicalize(EXCLUSIVE, "", xml, "y").unwrap(), inner);
        let with_default = "<a:y xmlns=\"u:default\" xmlns:a=\"u:a\"><z xmlns=\"\"></z><a:w></a:w></a:y>";
        assert_eq!(canonicalize(EXCLUSIVE, "#default", xml, "y").unwrap(), with_default);
    }

    #[test]
    fn unknown_methods_and_long_forms_are_refused() {
        for algorithm in
            ["", "http://www.w3.org/2006/12/xml-c14n11", "http://www.w3.org/TR/1999/REC-xpath-19991116"]
        {
            assert_eq!(canonicalize(algorithm, "", "<a/>", "a"), None, "{algorithm}");
        }
        assert_eq!(canonicalize(INCLUSIVE, "a", "<a/>", "a"), None);
        let long = format!(r#"<r xmlns:a="{}">{}</r>"#, "u".repeat(20_000), "<a:b/>".repeat(1000));
        assert_eq!(canonicalize(EXCLUSIVE, "", &long, "r"), None);
    }
}
