//! A SAML identity provider: keys, a metadata document, and signed responses.
//!
//! Elements are written in canonical form, so that signatures do not depend on the code that they test.

use super::World;
use aws_lc_rs::{
    digest::{self, digest},
    encoding::AsDer,
    rand::SystemRandom,
    rsa::KeySize,
    signature::{self, EcdsaKeyPair, EcdsaSigningAlgorithm, KeyPair as _, RsaKeyPair, RsaSignatureEncoding},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use nephos_core::{Secret, SignedDuration, Timestamp};

pub(super) const ISSUER: &str = "https://idp.example.com/metadata";

pub(super) const PROVIDER: &str = "arn:aws:iam::123456789012:saml-provider/corp";

/// Text in XML that the signature of its element replaces.
const SIGNATURE: &str = "{signature}";

const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

enum Key {
    Ec(EcdsaKeyPair),
    Rsa(RsaKeyPair, &'static RsaSignatureEncoding),
}

/// An identity provider with one key.
pub(super) struct IdentityProvider {
    key: Key,
    /// Identifiers of the algorithms of its signatures.
    pub(super) signature_method: &'static str,
    pub(super) digest_method: (&'static str, &'static digest::Algorithm),
    /// Transform after the one that removes the signature.
    pub(super) transform: String,
}

impl IdentityProvider {
    pub(super) fn new() -> Self {
        let method = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256";
        Self::with_curve(&signature::ECDSA_P256_SHA256_FIXED_SIGNING, method)
    }

    pub(super) fn with_curve(curve: &'static EcdsaSigningAlgorithm, method: &'static str) -> Self {
        Self::with_key(Key::Ec(EcdsaKeyPair::generate(curve).unwrap()), method)
    }

    pub(super) fn with_rsa(encoding: &'static RsaSignatureEncoding, method: &'static str) -> Self {
        Self::with_key(Key::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).unwrap(), encoding), method)
    }

    fn with_key(key: Key, signature_method: &'static str) -> Self {
        let digest_method = ("http://www.w3.org/2001/04/xmlenc#sha256", &digest::SHA256);
        let transform = format!("<ds:Transform Algorithm=\"{EXCLUSIVE}\"></ds:Transform>");
        Self { key, signature_method, digest_method, transform }
    }

    fn sign(&self, text: &str) -> Vec<u8> {
        match &self.key {
            Key::Ec(key) => key.sign(&SystemRandom::new(), text.as_bytes()).unwrap().as_ref().to_vec(),
            Key::Rsa(key, encoding) => {
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(*encoding, &SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
                signature
            }
        }
    }

    /// Returns a certificate with the key in base64, which has no names and is not signed itself.
    fn certificate(&self) -> String {
        let key = match &self.key {
            Key::Ec(key) => key.public_key().as_der().unwrap(),
            Key::Rsa(key, _) => key.public_key().as_der().unwrap(),
        };
        let empty = [0x30, 0];
        let fields = [&[0xa0, 3, 2, 1, 2, 2, 1, 1][..], &empty.repeat(4), key.as_ref()].concat();
        STANDARD.encode(sequence(&[&sequence(&fields)[..], &empty, &[3, 1, 0]].concat()))
    }

    /// Returns the metadata document, with attributes of its root element.
    pub(super) fn metadata(&self, attributes: &str) -> String {
        format!(
            "<EntityDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"{ISSUER}\" {attributes}><!--{}-->\
             <IDPSSODescriptor protocolSupportEnumeration=\"urn:oasis:names:tc:SAML:2.0:protocol\"><KeyDescriptor use=\"signing\">\
             <ds:KeyInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"><ds:X509Data><ds:X509Certificate>{}</ds:X509Certificate>\
             </ds:X509Data></ds:KeyInfo></KeyDescriptor></IDPSSODescriptor></EntityDescriptor>",
            "metadata ".repeat(100),
            self.certificate(),
        )
    }

    /// Signs an element with this ID, in the place for its signature.
    pub(super) fn signed(&self, element: &str, id: &str) -> String {
        let (digest_method, hash) = self.digest_method;
        let hash = STANDARD.encode(digest(hash, element.replace(SIGNATURE, "").as_bytes()));
        let info = format!(
            "<ds:SignedInfo>\
             <ds:CanonicalizationMethod Algorithm=\"{EXCLUSIVE}\"></ds:CanonicalizationMethod>\
             <ds:SignatureMethod Algorithm=\"{}\"></ds:SignatureMethod><ds:Reference URI=\"#{id}\"><ds:Transforms>\
             <ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"></ds:Transform>{}\
             </ds:Transforms><ds:DigestMethod Algorithm=\"{digest_method}\"></ds:DigestMethod>\
             <ds:DigestValue>{hash}</ds:DigestValue></ds:Reference></ds:SignedInfo>",
            self.signature_method, self.transform,
        );
        self.with_signature(element, &info)
    }

    /// Signs an element with this information about the signature.
    pub(super) fn with_signature(&self, element: &str, info: &str) -> String {
        // The canonical form of the information alone declares the namespace.
        let namespace = "xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"";
        let signed = info.replacen("<ds:SignedInfo>", &format!("<ds:SignedInfo {namespace}>"), 1);
        let value = STANDARD.encode(self.sign(&signed));
        let signature = format!(
            "<ds:Signature {namespace}>{info}<ds:SignatureValue>{value}</ds:SignatureValue></ds:Signature>"
        );
        element.replacen(SIGNATURE, &signature, 1)
    }

    /// Returns a response with an assertion that is signed.
    pub(super) fn respond(&self, assertion: &str) -> String {
        response(&self.signed(assertion, "a1"))
    }
}

/// Encodes a sequence in DER.
fn sequence(content: &[u8]) -> Vec<u8> {
    let length = content.len() as u16;
    [&[0x30, 0x82][..], &length.to_be_bytes(), content].concat()
}

/// Returns a response with an assertion. The response itself has a place for a signature.
pub(super) fn response(assertion: &str) -> String {
    format!(
        "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" ID=\"r1\" Version=\"2.0\">{SIGNATURE}<samlp:Status>\
         <samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"></samlp:StatusCode></samlp:Status>{assertion}</samlp:Response>"
    )
}

/// Returns the time of the cloud and some seconds.
pub(super) fn seconds_later(world: &World, seconds: i64) -> String {
    let now = Timestamp::from_millisecond(world.now()).unwrap();
    now.checked_add(SignedDuration::from_secs(seconds)).unwrap().to_string()
}

/// Returns an attribute.
pub(super) fn attribute(name: &str, values: &[&str]) -> String {
    let values: String =
        values.iter().map(|value| format!("<saml:AttributeValue>{value}</saml:AttributeValue>")).collect();
    format!("<saml:Attribute Name=\"{name}\">{values}</saml:Attribute>")
}

/// Returns an attribute of the cloud's provider.
pub(super) fn aws_attribute(name: &str, values: &[&str]) -> String {
    attribute(&format!("https://aws.amazon.com/SAML/Attributes/{name}"), values)
}

/// Returns an assertion for the role `web` that is valid now, with more attributes and a place for a signature.
pub(super) fn assertion(world: &World, attributes: &str) -> String {
    let [issued, start, end] = [0, -60, 120].map(|seconds| seconds_later(world, seconds));
    let role = format!("{},{PROVIDER}", super::role_arn("web"));
    let known = aws_attribute("Role", &[&role]) + &aws_attribute("RoleSessionName", &["ann@example.com"]);
    format!(
        "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"a1\" IssueInstant=\"{issued}\" Version=\"2.0\">\
         <saml:Issuer>{ISSUER}</saml:Issuer>{SIGNATURE}<saml:Subject>\
         <saml:NameID Format=\"urn:oasis:names:tc:SAML:2.0:nameid-format:persistent\">ann</saml:NameID>\
         <saml:SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\"><saml:SubjectConfirmationData \
         NotOnOrAfter=\"{end}\" Recipient=\"https://signin.aws.amazon.com/saml\"></saml:SubjectConfirmationData>\
         </saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore=\"{start}\" NotOnOrAfter=\"{end}\">\
         <saml:AudienceRestriction><saml:Audience>urn:amazon:webservices</saml:Audience></saml:AudienceRestriction>\
         </saml:Conditions><saml:AuthnStatement AuthnInstant=\"{issued}\"></saml:AuthnStatement>\
         <saml:AttributeStatement>{known}{attributes}</saml:AttributeStatement></saml:Assertion>"
    )
}

/// Encodes a document for a request; places for signatures are left empty.
pub(super) fn encode(document: &str) -> Secret {
    STANDARD.encode(document.replace(SIGNATURE, "")).into()
}
