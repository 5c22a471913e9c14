//! Examples with certificates.

/// Parameters of a SAML provider with a metadata document.
macro_rules! saml_provider {
    ($name:literal, $others:literal) => {
        concat!(
            r#"{"Name": ""#, $name, r#"", "SAMLMetadataDocument": "<EntityDescriptor xmlns='urn:oasis:names:tc:SAML:2.0:metadata' entityID='https://"#,
            $name,
            ".example'><IDPSSODescriptor><KeyDescriptor use='signing'><KeyInfo xmlns='http://www.w3.org/2000/09/xmldsig#'><X509Data><X509Certificate>",
            "MIICAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            r#"</X509Certificate></X509Data></KeyInfo></KeyDescriptor></IDPSSODescriptor></EntityDescriptor>""#,
            $others,
            "}"
        )
    };
}

/// Parameters of a server certificate, self-signed and valid until 2120.
macro_rules! server_certificate {
    ("one", $others:literal) => {
        concat!(
            r#"{"ServerCertificateName": "one", "CertificateBody": ""#,
            "-----BEGIN CERTIFICATE-----MIIBCjCBsaADAgECAgEBMAoGCCqGSM49BAMCMA4xDDAKBgNVBAMMA29uZTAgFw0yMDAxMDEwMDAwMDBaGA8",
            "yMTIwMDEwMTAwMDAwMFowDjEMMAoGA1UEAwwDb25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHj5ABrsfSS6O8WkwFhiBjctGNfZRb7I5H",
            "hU3lwKzmFjMhQ9Q2BR2HvAbRFfQRfwIy2i743PTUnDuDOKCxhkDPDAKBggqhkjOPQQDAgNIADBFAiApRJPohqJcQfz2BoX2KYbwfBjRqQWSPcH",
            "NIcu1KajSsQIhAO+gmH1f0eum/fKwcS0IdH9KZvtbX3k1uEWf0EPJNvrY-----END CERTIFICATE-----",
            r#"", "PrivateKey": ""#,
            "-----BEGIN EC PRIVATE KEY-----MHcCAQEEIBp60A2LzNBrGUSA7Fg+nk9la6Nkb4EX/W6i85NawJ7goAoGCCqGSM49AwEHoUQDQgAEHj5A",
            "BrsfSS6O8WkwFhiBjctGNfZRb7I5HhU3lwKzmFjMhQ9Q2BR2HvAbRFfQRfwIy2i743PTUnDuDOKCxhkDPA==-----END EC PRIVATE KEY---",
            "--",
            r#"""#,
            $others,
            "}"
        )
    };
    ("two", $others:literal) => {
        concat!(
            r#"{"ServerCertificateName": "two", "CertificateBody": ""#,
            "-----BEGIN CERTIFICATE-----MIIBCTCBsaADAgECAgEBMAoGCCqGSM49BAMCMA4xDDAKBgNVBAMMA3R3bzAgFw0yMDAxMDEwMDAwMDBaGA8",
            "yMTIwMDEwMTAwMDAwMFowDjEMMAoGA1UEAwwDdHdvMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEFlK7eFgIXLHD4T1TxMYBJhvNQ8KOMx05i",
            "2Ie0R6R9PgKsQFKau0szhGi0GZuM/710Qvy2kgHRF9XA9IP7/ECJTAKBggqhkjOPQQDAgNHADBEAiB6UKXm888Xev9Ma1ZNWBgLNkZzNBEHVxl",
            "JtIKpFgzDhgIgCMW2deg/lUMRX+PVC6u8IL8dPe6xok7VtwjJtYNt60w=-----END CERTIFICATE-----",
            r#"", "PrivateKey": ""#,
            "-----BEGIN EC PRIVATE KEY-----MHcCAQEEICWoU2t9nOWulIbDJUHCBLMPfhzDNj4XM4jESlZ+PdGkoAoGCCqGSM49AwEHoUQDQgAEFlK7",
            "eFgIXLHD4T1TxMYBJhvNQ8KOMx05i2Ie0R6R9PgKsQFKau0szhGi0GZuM/710Qvy2kgHRF9XA9IP7/ECJQ==-----END EC PRIVATE KEY---",
            "--",
            r#"""#,
            $others,
            "}"
        )
    };
}

pub(super) use {saml_provider, server_certificate};
