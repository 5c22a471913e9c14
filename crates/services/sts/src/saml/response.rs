//! SAML responses: decoding, and verification with the metadata document of the identity provider.

use super::{
    certificate::public_key,
    signature::{Reason, decode_base64, find_signature, only_child, verify},
};
use crate::errors;
use nephos_core::{Error, Result, Timestamp};
use nephos_iam::SamlProvider;
use roxmltree::{Document, Node};

/// Namespace of assertions.
pub(crate) const ASSERTION: &str = "urn:oasis:names:tc:SAML:2.0:assertion";

/// Namespace of responses.
const PROTOCOL: &str = "urn:oasis:names:tc:SAML:2.0:protocol";

const SUCCESS: &str = "urn:oasis:names:tc:SAML:2.0:status:Success";

/// Maximum depth of elements.
const MAX_DEPTH: usize = 64;

/// Maximum number of namespaces that are declared for an element. Canonicalization compares all of them for each element.
const MAX_NAMESPACES: usize = 64;

/// Returns the text of an element and its descendants, without comments and surrounding whitespace.
pub(crate) fn text_of(element: Node<'_, '_>) -> String {
    let texts = element.descendants().filter(Node::is_text).filter_map(|node| node.text());
    texts.collect::<String>().trim().to_owned()
}

/// Returns the only assertion of a document; `None` if there is none or more than one.
pub(crate) fn only_assertion<'a, 'i>(document: &'a Document<'i>) -> Option<Node<'a, 'i>> {
    let mut found = document.descendants().filter(|node| node.has_tag_name((ASSERTION, "Assertion")));
    found.next().filter(|_| found.next().is_none())
}

/// Checks that an assertion was issued by the identity provider of the metadata document.
pub(crate) fn check_issuer(assertion: Node<'_, '_>, provider: &SamlProvider) -> Result<()> {
    let issuer = only_child(assertion, ASSERTION, "Issuer").map(text_of).unwrap_or_default();
    if issuer == provider.entity_id.as_str() {
        return Ok(());
    }
    let hint =
        format!("the issuer of the assertion is {issuer:?}, that of the metadata {:?}", provider.entity_id);
    Err(errors::saml_issuer_wrong().with_hint(hint))
}

/// Verifies a response in base64, and returns the part of it that was signed, in canonical form: the assertion, or the
/// response with the assertion.
pub(crate) fn read_signed(encoded: &str, provider: &SamlProvider, now: Timestamp) -> Result<String> {
    let xml = decode_base64(encoded).and_then(|bytes| String::from_utf8(bytes).ok());
    let xml = xml.ok_or_else(errors::saml_response_malformed)?;
    let malformed = |hint: &str| errors::saml_response_malformed().with_hint(hint);
    let document = parse(&xml).map_err(malformed)?;
    let response = document.root_element();
    if !response.has_tag_name((PROTOCOL, "Response")) {
        return Err(malformed("the document is not a SAML 2.0 response"));
    }
    check_status(response)?;
    let invalid = |reason: Reason| errors::saml_signature_invalid().with_hint(reason);
    let is_encrypted =
        document.descendants().any(|node| node.has_tag_name((ASSERTION, "EncryptedAssertion")));
    if is_encrypted || provider.requires_encryption {
        return Err(malformed(
            "encrypted assertions, which the SAML provider may require, are not supported",
        ));
    }
    let assertion = only_assertion(&document).filter(|assertion| assertion.parent() == Some(response));
    let assertion = assertion.ok_or_else(|| invalid("the response does not have exactly one assertion"))?;
    check_issuer(assertion, provider)?;
    if provider.valid_until.is_some_and(|end| end <= now) {
        return Err(invalid("the metadata document of the provider has expired"));
    }
    verify_signatures(response, assertion, provider).map_err(invalid)
}

/// Parses a document. Document types, and with them entities, are refused.
fn parse(xml: &str) -> Result<Document<'_>, &'static str> {
    let document = Document::parse(xml).map_err(|_| "the document is not XML, or has a document type")?;
    let mut open: Vec<Node<'_, '_>> = Vec::new();
    for element in document.descendants().filter(Node::is_element) {
        while open.last().is_some_and(|last| element.parent() != Some(*last)) {
            open.pop();
        }
        open.push(element);
        if open.len() > MAX_DEPTH {
            return Err("elements are nested too deeply");
        }
        if element.namespaces().len() > MAX_NAMESPACES {
            return Err("an element has too many namespaces");
        }
    }
    Ok(document)
}

/// Checks that the identity provider reports success.
fn check_status(response: Node<'_, '_>) -> Result<(), Error> {
    let code = only_child(response, PROTOCOL, "Status")
        .and_then(|status| only_child(status, PROTOCOL, "StatusCode"));
    match code.and_then(|code| code.attribute("Value")) {
        Some(SUCCESS) => Ok(()),
        other => {
            let hint = format!("the status of the response is {:?}", other.unwrap_or_default());
            Err(errors::saml_status_rejected().with_hint(hint))
        }
    }
}

/// Verifies all signatures of a response and its assertion, of which there must be one, and returns what was signed.
fn verify_signatures(
    response: Node<'_, '_>,
    assertion: Node<'_, '_>,
    provider: &SamlProvider,
) -> Result<String, Reason> {
    let certificates: Vec<Vec<u8>> =
        provider.certificates.iter().filter_map(|text| decode_base64(text)).collect();
    let keys: Vec<&[u8]> = certificates.iter().filter_map(|certificate| public_key(certificate)).collect();
    let mut signed = None;
    // The assertion last: if both are signed, it is what is read.
    for element in [response, assertion] {
        if let Some(signature) = find_signature(element)? {
            signed = Some(verify(element, signature, &keys)?);
        }
    }
    signed.ok_or("neither the response nor the assertion is signed")
}
