//! Signatures of SAML responses, and responses that were changed after they were signed.

use super::{
    World,
    identity_provider::{IdentityProvider, PROVIDER, assertion, encode, response},
    role_arn,
    saml::{FIELD, assert_refused, assert_signature_invalid, assume, prepare},
};
use aws_lc_rs::{digest, signature};
use nephos_core::{Resource, Result};
use nephos_iam::{AssertionEncryptionMode, UpdateSAMLProvider};
use nephos_sts::{AssumeRoleWithSAML, errors};
use nephos_testing::ask;

pub(super) fn signatures_of_all_forms_are_verified(world: &World) -> Result<()> {
    let mut first = prepare(world, "{}")?;
    let valid = assertion(world, "");
    // On the response, on both, and with whitespace in the encoded text.
    assume(world, &first.signed(&response(&valid.replace("{signature}", "")), "r1"))?;
    assume(world, &first.signed(&first.respond(&valid), "r1"))?;
    let document = encode(&first.respond(&valid));
    let (start, end) = document.expose().split_at(76);
    ask(&world.session(), AssumeRoleWithSAML::new(role_arn("web"), PROVIDER, format!("{start}\r\n{end}\n")))?;
    let unspecified = valid.replace(" Format=\"urn:oasis:names:tc:SAML:2.0:nameid-format:persistent\"", "");
    let answer = assume(world, &first.respond(&unspecified))?;
    assert_eq!(answer.subject_type(), Some("urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"));
    let methods = [
        ("http://www.w3.org/2000/09/xmldsig#sha1", &digest::SHA1_FOR_LEGACY_USE_ONLY),
        ("http://www.w3.org/2001/04/xmldsig-more#sha384", &digest::SHA384),
        ("http://www.w3.org/2001/04/xmlenc#sha512", &digest::SHA512),
    ];
    for method in methods {
        first.digest_method = method;
        assume(world, &first.respond(&valid))?;
    }
    let others = [
        IdentityProvider::with_curve(
            &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
            "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384",
        ),
        IdentityProvider::with_curve(
            &signature::ECDSA_P521_SHA512_FIXED_SIGNING,
            "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
        ),
        IdentityProvider::with_rsa(
            &signature::RSA_PKCS1_SHA256,
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        ),
        IdentityProvider::with_rsa(
            &signature::RSA_PKCS1_SHA512,
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
        ),
    ];
    for other in others {
        assert_signature_invalid(world, &other.respond(&valid));
        let mut update = UpdateSAMLProvider::new(PROVIDER);
        update.saml_metadata_document = Some(other.metadata("").into());
        ask(&world.session(), update)?;
        assume(world, &other.respond(&valid))?;
    }
    Ok(())
}

pub(super) fn changed_responses_are_refused(world: &World) -> Result<()> {
    let identity_provider = prepare(world, "{}")?;
    let valid = assertion(world, "");
    let signed = identity_provider.signed(&valid, "a1");
    let document = response(&signed);
    // The assertion of an attacker, who wants to be another subject.
    let other = valid.replace(">ann<", ">root<").replace("\"a1\"", "\"a2\"");
    let extended = |assertion: &str, hidden: &str| {
        response(assertion).replace(
            "<samlp:Status>",
            &format!("<samlp:Extensions>{hidden}</samlp:Extensions><samlp:Status>"),
        )
    };
    let (start, rest) = signed.split_once("<ds:Signature ").unwrap();
    let (inside, end) = rest.split_once("</ds:Signature>").unwrap();
    let original = format!("{start}{end}");
    let signature = format!("<ds:Signature {inside}<ds:Object>{original}</ds:Object></ds:Signature>");
    let refused = [
        // A changed attribute, subject or condition.
        document.replace("ann@example.com", "root@example.com"),
        document.replace(">ann<", ">root<"),
        // No signature.
        response(&valid),
        response(&other),
        // A second assertion, before and after the signed one.
        response(&(signed.clone() + &other)),
        response(&(other.clone() + &signed)),
        // The signed assertion is moved, and another is in its place.
        extended(&other, &signed),
        extended("", &signed),
        response(&format!("<x>{signed}</x>")),
        response(&other.replace("{signature}", &signature)),
        // The signature refers to an assertion that is in its own object.
        response(&other.replace("\"a2\"", "\"a1\"").replace("{signature}", &signature)),
        // Two elements with the ID.
        document.replace("ID=\"r1\"", "ID=\"a1\""),
        document
            .replace("<samlp:Status>", "<samlp:Extensions><x id=\"a1\"/></samlp:Extensions><samlp:Status>"),
        // Another key.
        IdentityProvider::new().respond(&valid),
        // A signature of the response that is not valid, beside one of the assertion.
        IdentityProvider::new().signed(&document, "r1"),
        // Two signatures of an element.
        document.replace("<saml:Subject>", &format!("<ds:Signature {inside}</ds:Signature><saml:Subject>")),
    ];
    for document in refused {
        assert_signature_invalid(world, &document);
    }
    // What the signature says about itself.
    let info = &inside[inside.find("<ds:SignedInfo").unwrap()..inside.find("<ds:SignatureValue>").unwrap()];
    let reference = &info[info.find("<ds:Reference").unwrap()..info.find("</ds:SignedInfo>").unwrap()];
    let refused = [
        ("#a1", ""),
        ("#a1", "a1"),
        ("#a1", "#r1"),
        ("xmldsig#enveloped-signature", "xmldsig#base64"),
        ("xml-exc-c14n#\"></ds:Transform>", "xpath\"></ds:Transform>"),
        ("xmlenc#sha256", "xmldsig-more#md5"),
        ("xmldsig-more#ecdsa-sha256", "xmldsig#hmac-sha1"),
        ("xmldsig-more#ecdsa-sha256", "xmldsig-more#ecdsa-sha384"),
        ("xml-exc-c14n#\"></ds:CanonicalizationMethod>", "other\"></ds:CanonicalizationMethod>"),
        ("</ds:SignedInfo>", &format!("{reference}</ds:SignedInfo>")),
        (
            "<ds:Transforms>",
            "<ds:Transforms><ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xslt-19991116\"></ds:Transform>",
        ),
        (reference, ""),
    ];
    for (from, to) in refused {
        let changed = info.replacen(from, to, 1);
        assert_ne!(changed, info, "{from}");
        assert_signature_invalid(world, &response(&identity_provider.with_signature(&valid, &changed)));
    }
    assume(world, &response(&identity_provider.with_signature(&valid, info)))?;
    Ok(())
}

pub(super) fn comments_do_not_shorten_names(world: &World) -> Result<()> {
    let mut identity_provider = prepare(world, "{}")?;
    let valid =
        assertion(world, "").replace(">ann<", ">root.ann<").replace("ann@example", "root.ann@example");
    let with_comment = |text: &str| text.replace("root.ann", "root<!-- -->.ann");
    // A comment that is not signed, and one that is.
    let changed = with_comment(&identity_provider.respond(&valid));
    let method = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments";
    identity_provider.transform = format!("<ds:Transform Algorithm=\"{method}\"></ds:Transform>");
    let signed = identity_provider.respond(&with_comment(&valid));
    for document in [changed, signed] {
        let answer = assume(world, &document)?;
        assert_eq!(answer.subject(), Some("root.ann"));
        assert_eq!(answer.require_arn()?, "arn:aws:sts::123456789012:assumed-role/web/root.ann@example.com");
    }
    Ok(())
}

pub(super) fn malformed_responses_are_refused(world: &World) -> Result<()> {
    let identity_provider = prepare(world, "{}")?;
    let document = identity_provider.respond(&assertion(world, ""));
    let doctype = format!("<!DOCTYPE x [<!ENTITY e \"e\">]>{document}");
    let encrypted = response("<e:EncryptedAssertion xmlns:e=\"urn:oasis:names:tc:SAML:2.0:assertion\"/>");
    let namespaces: String = (0..70).map(|n| format!(" xmlns:n{n}=\"u\"")).collect();
    let namespaces = document.replace("<samlp:Status>", &format!("<samlp:Status{namespaces}>"));
    let deep = response(&format!("{}{}", "<a>".repeat(5000), "</a>".repeat(5000)));
    let wrong = [
        "text",
        "<a/>",
        &doctype,
        &document[1..],
        &deep,
        &encrypted,
        &namespaces,
        &document.replace("protocol\"", "p\""),
    ];
    for document in wrong {
        assert_refused(world, &errors::INVALID_IDENTITY_TOKEN, document, "Invalid base64 SAMLResponse");
    }
    let error = world.refused(&errors::INVALID_IDENTITY_TOKEN, FIELD, || {
        ask(&world.session(), AssumeRoleWithSAML::new(role_arn("web"), PROVIDER, "not base64!"))
    });
    assert_eq!(error.message(), "Invalid base64 SAMLResponse");
    let failed = document.replace("status:Success", "status:Responder");
    let text = "The identity provider reported that authentication failed";
    assert_refused(world, &errors::CLAIM_REJECTED, &failed, text);
    let mut update = UpdateSAMLProvider::new(PROVIDER);
    update.assertion_encryption_mode = Some(AssertionEncryptionMode::Required);
    update.add_private_key = Some("-----BEGIN PRIVATE KEY-----\nkey\n-----END PRIVATE KEY-----".into());
    ask(&world.session(), update)?;
    assert_refused(world, &errors::INVALID_IDENTITY_TOKEN, &document, "Invalid base64 SAMLResponse");
    Ok(())
}
