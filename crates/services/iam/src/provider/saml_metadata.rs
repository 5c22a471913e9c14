//! Metadata documents of SAML identity providers.

use nephos_core::{Blob, Text, Timestamp};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

/// The parts of a metadata document that decide about assertions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Metadata {
    /// Entity ID of the identity provider, which is the issuer of its assertions.
    pub(crate) entity_id: Text,
    /// Certificates that sign assertions, in base64.
    pub(crate) certificates: Vec<Text>,
    /// Time at which the document expires.
    pub(crate) valid_until: Option<Timestamp>,
}

/// Returns the attribute with this name, without a prefix.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<Text> {
    let found = element.attributes().filter_map(Result::ok).find(|found| found.key.as_ref() == name)?;
    found.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok().map(|value| Text::new(&value))
}

/// Parses the description of an identity provider; `None` if the document has no identity provider with a certificate.
pub(crate) fn parse(document: &str) -> Option<Metadata> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn document(root: &str, body: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?><md:EntityDescriptor xmlns:md=\"urn:oasis:names:tc:SAML:2.0:metadata\" {root}>{body}</md:EntityDescriptor>"
        )
    }

    fn key(usage: &str, certificate: &str) -> String {
        format!(
            "<md:KeyDescriptor {usage}><ds:KeyInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"><ds:X509Data>\
             <ds:X509Certificate>{certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
        )
    }

    #[test]
    fn signing_certificates_of_identity_provider_are_read() {
        let keys = [key("", "AAEC"), key("use=\"signing\"", "\n AwQF\n "), key("use=\"encryption\"", "BgcI")]
            .concat();
        let other = format!("<md:SPSSODescriptor>{}</md:SPSSODescriptor>", key("use=\"signing\"", "CQoL"));
        let body = format!("{other}<md:IDPSSODescriptor>{keys}</md:IDPSSODescriptor>{other}");
        let found =
            parse(&document("entityID=\"https://idp/\" validUntil=\"2030-01-01T00:00:00Z\"", &body)).unwrap();
        assert_eq!(found.entity_id, "https://idp/");
        assert_eq!(found.certificates, ["AAEC", "AwQF"]);
        assert_eq!(found.valid_until, "2030-01-01T00:00:00Z".parse().ok());
    }

    #[test]
    fn documents_without_identity_provider_are_refused() {
        let provider = format!("<md:IDPSSODescriptor>{}</md:IDPSSODescriptor>", key("", "AAEC"));
        let id = "entityID=\"a\"";
        assert!(parse(&document(id, &provider)).is_some());
        let wrong = [
            String::new(),
            "text".into(),
            "<a/>".into(),
            document("", &provider),
            document(id, ""),
            document(id, &provider.replace("IDPSSO", "SPSSO")),
            document(id, &provider.replace("AAEC", "not base64")),
            document(id, &provider.replace("AAEC", "")),
            document(id, "<md:IDPSSODescriptor></md:IDPSSODescriptor>"),
            document(id, &provider).replace("</md:EntityDescriptor>", ""),
            document(id, &provider).replace("EntityDescriptor", "EntitiesDescriptor"),
        ];
        for wrong in wrong {
            assert_eq!(parse(&wrong), None, "{wrong}");
        }
    }
}
