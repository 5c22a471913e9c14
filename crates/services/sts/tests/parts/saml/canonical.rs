//! Tests of `saml::canonical`.

use nephos_sts::parts::canonical::*;
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
    let element = document.descendants().find(|node| node.tag_name().name() == name).expect("it is there");
    Canonicalization::read(text.root_element())?.apply(element, None)
}

/// Examples of Canonical XML 1.0, section 3, without their document types, which are refused.
#[test]
fn examples_of_canonical_xml() {
    let comments =
        r#"<?xml version="1.0"?><?xml-stylesheet href="doc.xsl"?><doc>Hello, world!<!-- Comment 1 --></doc>"#;
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
