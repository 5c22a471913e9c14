//! Tests of `provider::saml_metadata`.

use nephos_iam::parts::saml_metadata::*;

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
    let keys =
        [key("", "AAEC"), key("use=\"signing\"", "\n AwQF\n "), key("use=\"encryption\"", "BgcI")].concat();
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
