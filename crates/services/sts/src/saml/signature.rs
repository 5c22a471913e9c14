//! XML signatures of elements that contain them (enveloped signatures), verified with keys of certificates.
//!
//! A signature counts only for the element that is its parent: it must refer to that element by an ID that no other element
//! has. The canonical form of the element is returned, so that only what was signed is read.

use super::canonical::Canonicalization;
use aws_lc_rs::{
    digest::{self, digest},
    signature::{self as algorithms, UnparsedPublicKey, VerificationAlgorithm},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use roxmltree::Node;

const NAMESPACE: &str = "http://www.w3.org/2000/09/xmldsig#";

const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";

/// Reason for which a signature is not valid.
pub(crate) type Reason = &'static str;

/// Returns the only child with this name; `None` if there is none or more than one.
pub(crate) fn only_child<'a, 'i>(parent: Node<'a, 'i>, namespace: &str, name: &str) -> Option<Node<'a, 'i>> {
    let mut found = parent.children().filter(|child| child.has_tag_name((namespace, name)));
    found.next().filter(|_| found.next().is_none())
}

/// Returns the signature of an element: its only child with this name.
///
/// # Errors
///
/// Refuses several.
pub(crate) fn find_signature<'a, 'i>(element: Node<'a, 'i>) -> Result<Option<Node<'a, 'i>>, Reason> {
    let mut found = element.children().filter(|child| child.has_tag_name((NAMESPACE, "Signature")));
    let first = found.next();
    if found.next().is_some() { Err("an element has several signatures") } else { Ok(first) }
}

/// Decodes base64 with whitespace.
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let text: String = text.chars().filter(|character| !character.is_ascii_whitespace()).collect();
    STANDARD.decode(text).ok()
}

/// Verifies the signature of an element with one of several public keys, and returns what was signed: the canonical form of
/// the element without the signature.
pub(crate) fn verify(
    element: Node<'_, '_>,
    signature: Node<'_, '_>,
    keys: &[&[u8]],
) -> Result<String, Reason> {
    let child = |parent, name| only_child(parent, NAMESPACE, name);
    let malformed = "the signature is malformed";
    let info = child(signature, "SignedInfo").ok_or(malformed)?;
    let reference = child(info, "Reference").ok_or("the signature does not have one reference")?;
    check_reference(element, reference)?;
    let form =
        read_transforms(reference)?.apply(element, Some(signature.id())).ok_or("the element is too long")?;
    let expected = child(reference, "DigestValue").and_then(decode_text).ok_or(malformed)?;
    let hash =
        child(reference, "DigestMethod").and_then(|method| digest_algorithm(method.attribute("Algorithm")?));
    let hash = hash.ok_or("the digest algorithm is not supported")?;
    if digest(hash, form.as_bytes()).as_ref() != expected {
        return Err("the digest does not match: the element was changed after it was signed");
    }
    let method = child(info, "CanonicalizationMethod").and_then(Canonicalization::read);
    let method = method.ok_or("the canonicalization method is not supported")?;
    let signed = method.apply(info, None).ok_or("the signature is too long")?;
    let value = child(signature, "SignatureValue").and_then(decode_text).ok_or(malformed)?;
    let algorithm =
        child(info, "SignatureMethod").and_then(|method| signature_algorithm(method.attribute("Algorithm")?));
    let algorithm = algorithm.ok_or("the signature algorithm is not supported")?;
    let is_valid =
        |key: &&[u8]| UnparsedPublicKey::new(algorithm, key).verify(signed.as_bytes(), &value).is_ok();
    match keys.iter().any(is_valid) {
        true => Ok(form),
        false => Err("the signature is not by a key of the metadata document"),
    }
}

/// Checks that a reference is to this element, by an ID that no other element has.
fn check_reference(element: Node<'_, '_>, reference: Node<'_, '_>) -> Result<(), Reason> {
    let id = element.attribute("ID").filter(|id| !id.is_empty()).ok_or("the signed element has no ID")?;
    if reference.attribute("URI").and_then(|uri| uri.strip_prefix('#')) != Some(id) {
        return Err("the signature refers to another element");
    }
    let attributes = element.document().descendants().flat_map(|node| node.attributes());
    let same = attributes.filter(|other| other.name().eq_ignore_ascii_case("id") && other.value() == id);
    if same.count() == 1 { Ok(()) } else { Err("several elements have the ID of the signed one") }
}

/// Reads the transforms of a reference: without the signature, then a method of canonicalization. By default, that is
/// Canonical XML 1.0.
fn read_transforms<'a>(reference: Node<'a, '_>) -> Result<Canonicalization<'a>, Reason> {
    let unsupported = "the transforms of the signature are not supported";
    let list = only_child(reference, NAMESPACE, "Transforms").ok_or(unsupported)?;
    let mut transforms = list.children().filter(Node::is_element);
    let first = transforms.next().and_then(|transform| transform.attribute("Algorithm"));
    if first != Some(ENVELOPED) {
        return Err(unsupported);
    }
    let method = transforms.next().map_or(Some(Canonicalization::default()), Canonicalization::read);
    method.filter(|_| transforms.next().is_none()).ok_or(unsupported)
}

fn decode_text(node: Node<'_, '_>) -> Option<Vec<u8>> {
    let text: String = node.children().filter(Node::is_text).filter_map(|child| child.text()).collect();
    decode_base64(&text).filter(|bytes| !bytes.is_empty())
}

fn digest_algorithm(name: &str) -> Option<&'static digest::Algorithm> {
    match name {
        "http://www.w3.org/2000/09/xmldsig#sha1" => Some(&digest::SHA1_FOR_LEGACY_USE_ONLY),
        "http://www.w3.org/2001/04/xmlenc#sha256" => Some(&digest::SHA256),
        "http://www.w3.org/2001/04/xmldsig-more#sha384" => Some(&digest::SHA384),
        "http://www.w3.org/2001/04/xmlenc#sha512" => Some(&digest::SHA512),
        _ => None,
    }
}

/// Returns the algorithm with this identifier. Signatures with elliptic curves use the hash of the size of the curve.
fn signature_algorithm(name: &str) -> Option<&'static dyn VerificationAlgorithm> {
    if name == "http://www.w3.org/2000/09/xmldsig#rsa-sha1" {
        return Some(&algorithms::RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY);
    }
    match name.strip_prefix("http://www.w3.org/2001/04/xmldsig-more#")? {
        "rsa-sha256" => Some(&algorithms::RSA_PKCS1_2048_8192_SHA256),
        "rsa-sha384" => Some(&algorithms::RSA_PKCS1_2048_8192_SHA384),
        "rsa-sha512" => Some(&algorithms::RSA_PKCS1_2048_8192_SHA512),
        "ecdsa-sha256" => Some(&algorithms::ECDSA_P256_SHA256_FIXED),
        "ecdsa-sha384" => Some(&algorithms::ECDSA_P384_SHA384_FIXED),
        "ecdsa-sha512" => Some(&algorithms::ECDSA_P521_SHA512_FIXED),
        _ => None,
    }
}
