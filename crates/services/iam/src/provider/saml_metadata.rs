//! Metadata documents of SAML identity providers.

use nephos_core::{Blob, Text, Timestamp};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

/// The parts of a metadata document that decide about assertions.
#[derive(Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Entity ID of the identity provider, which is the issuer of its assertions.
    pub entity_id: Text,
    /// Certificates that sign assertions, in base64.
    pub certificates: Vec<Text>,
    /// Time at which the document expires.
    pub valid_until: Option<Timestamp>,
}

/// Returns the attribute with this name, without a prefix.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<Text> {
    let found = element.attributes().filter_map(Result::ok).find(|found| found.key.as_ref() == name)?;
    found.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok().map(|value| Text::new(&value))
}

/// Parses the description of an identity provider; `None` if the document has no identity provider with a certificate.
pub fn parse(document: &str) -> Option<Metadata> {
    let mut reader = Reader::from_str(document);
    let mut open: Vec<String> = Vec::new();
    let mut metadata = Metadata { entity_id: Text::default(), certificates: Vec::new(), valid_until: None };
    let (mut is_signing, mut certificate) = (false, String::new());
    loop {
        match reader.read_event().ok()? {
            Event::Start(element) => {
                let name = element.local_name().as_ref().to_owned();
                match (open.last().map(String::as_str), name.as_str()) {
                    (None, "EntityDescriptor") => {
                        metadata.entity_id = attribute(&element, "entityID").filter(|id| !id.is_empty())?;
                        metadata.valid_until =
                            attribute(&element, "validUntil").and_then(|time| time.parse().ok());
                    }
                    (None, _) => return None,
                    (Some("IDPSSODescriptor"), "KeyDescriptor") => {
                        is_signing = attribute(&element, "use").is_none_or(|usage| usage == "signing");
                    }
                    _ => {}
                }
                open.push(name);
            }
            Event::End(_) => {
                let name = open.pop()?;
                // Certificates of signatures and of service providers are skipped.
                let text = std::mem::take(&mut certificate);
                if name == "X509Certificate" && is_signing {
                    Blob::from_base64(&text).filter(|bytes| !bytes.0.is_empty())?;
                    metadata.certificates.push(text.into());
                }
                is_signing &= name != "KeyDescriptor";
            }
            Event::Text(text) if open.last().is_some_and(|name| name == "X509Certificate") => {
                certificate.extend(text.xml10_content().chars().filter(|c| !c.is_whitespace()));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    (open.is_empty() && !metadata.certificates.is_empty()).then_some(metadata)
}
