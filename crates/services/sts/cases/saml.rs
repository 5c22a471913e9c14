//! Sessions of roles for assertions of SAML providers.

use super::{
    World, caller_arn,
    identity_provider::{
        ISSUER, IdentityProvider, PROVIDER, assertion, attribute, aws_attribute, encode, seconds_later,
    },
    role_arn, trust,
};
use nephos_core::{Resource, Result};
use nephos_iam::{CreateSAMLProvider, SAMLProvider, UpdateSAMLProvider};
use nephos_sts::{AssumeRole, AssumeRoleWithSAML, errors};
use nephos_testing::{HOUR, MINUTE, SECOND, ask};

pub(super) const FIELD: &str = "SAMLAssertion";

/// Creates the SAML provider, and a role that trusts it.
pub(super) fn prepare(world: &World, conditions: &str) -> Result<IdentityProvider> {
    let identity_provider = IdentityProvider::new();
    ask(&world.session(), CreateSAMLProvider::new(identity_provider.metadata(""), "corp"))?;
    world.create_role("web", &trust_provider(conditions))?;
    Ok(identity_provider)
}

fn trust_provider(conditions: &str) -> String {
    let actions = r#"["sts:AssumeRoleWithSAML", "sts:TagSession", "sts:SetSourceIdentity"]"#;
    trust(actions, &format!(r#"{{"Federated": "{PROVIDER}"}}"#), conditions)
}

pub(super) fn request(document: &str) -> AssumeRoleWithSAML {
    AssumeRoleWithSAML::new(role_arn("web"), PROVIDER, encode(document))
}

pub(super) fn assume(world: &World, document: &str) -> Result<AssumeRole> {
    ask(&world.other_account(), request(document))
}

/// Asserts that a response is refused with this text.
pub(super) fn assert_refused(world: &World, code: &nephos_core::Code, document: &str, text: &str) {
    let error = world.refused(code, FIELD, || assume(world, document));
    assert_eq!(error.message(), text, "{error}\n{document}");
}

pub(super) fn assert_signature_invalid(world: &World, document: &str) {
    assert_refused(world, &errors::INVALID_IDENTITY_TOKEN, document, "Response signature invalid");
}

pub(super) fn assertion_is_exchanged_for_a_session(world: &World) -> Result<()> {
    let identity_provider = prepare(world, "{}")?;
    let before = world.state()?;
    let document = identity_provider.respond(&assertion(world, ""));
    let session = AssumeRole::objects(&world.other_account());
    let answer = session.assume_with_saml(role_arn("web"), PROVIDER, encode(&document)).wait()?;
    world.assert_unchanged(&before)?;
    assert_eq!(answer.require_arn()?, "arn:aws:sts::123456789012:assumed-role/web/ann@example.com");
    assert_eq!((answer.subject(), answer.subject_type()), (Some("ann"), Some("persistent")));
    assert_eq!(answer.issuer(), Some(ISSUER));
    assert_eq!(answer.audience(), Some("https://signin.aws.amazon.com/saml"));
    // Base64 of the SHA-1 of "https://idp.example.com/metadata123456789012/corp".
    assert_eq!(answer.name_qualifier(), Some("BDIXzcvjxw+r6FT3NFjtWlHOzxY="));
    assert_eq!(
        (answer.source_identity(), answer.packed_policy_size(), answer.provider()),
        (None, None, None)
    );
    let session = world.session_with(answer.to_credentials().unwrap());
    assert_eq!(caller_arn(&session)?, answer.require_arn()?);
    let answer = ask(&world.session(), request(&document).duration_seconds(900))?;
    let session = world.session_with(answer.to_credentials().unwrap());
    world.advance(15 * MINUTE)?;
    assert!(caller_arn(&session).is_err());
    Ok(())
}

pub(super) fn conditions_of_assertions_are_checked(world: &World) -> Result<()> {
    let identity_provider = prepare(world, "{}")?;
    let valid = assertion(world, "");
    let refused = |code, from: &str, to: &str, text: &str| {
        let changed = valid.replace(from, to);
        assert_ne!(changed, valid, "{from}");
        assert_refused(world, code, &identity_provider.respond(&changed), text);
    };
    let [now, start, end] = [0, -60, 120].map(|seconds| seconds_later(world, seconds));
    let invalid = &errors::INVALID_IDENTITY_TOKEN;
    refused(invalid, ISSUER, "https://other.example.com", "Issuer not present in specified provider");
    let text = "Responses must contain SubjectConfirmatonData with a Recipient and NotOnOrAfter";
    let sign_in = "https://signin.aws.amazon.com/saml";
    for url in [
        "http://signin.aws.amazon.com/saml",
        "https://signin.aws.amazon.com/other",
        "https://evilsignin.aws.amazon.com/saml",
        "https://a.b.signin.aws.amazon.com/saml",
        "https://signin.aws.amazon.com.evil.example/saml",
        "https://signin.aws.amazon.com/saml/acs/SAMLOTHER",
    ] {
        refused(invalid, sign_in, url, text);
    }
    refused(invalid, &format!(" Recipient=\"{sign_in}\""), "", text);
    refused(
        invalid,
        &format!("SubjectConfirmationData NotOnOrAfter=\"{end}\""),
        "SubjectConfirmationData",
        text,
    );
    refused(invalid, "cm:bearer", "cm:sender-vouches", text);
    refused(
        invalid,
        "<saml:SubjectConfirmation ",
        "<saml:SubjectConfirmation></saml:SubjectConfirmation><saml:SubjectConfirmation ",
        text,
    );
    let text = "Response does not contain the required audience.";
    refused(invalid, "urn:amazon:webservices", "urn:amazon:webservicesother", text);
    let one = "<saml:AudienceRestriction><saml:Audience>urn:amazon:webservices</saml:Audience></saml:AudienceRestriction>";
    refused(invalid, one, "", text);
    refused(invalid, one, &format!("{one}{}", one.replace("amazon", "other")), text);
    let (expired, text) = (&errors::EXPIRED_TOKEN, "Response has expired");
    refused(expired, &format!("NotOnOrAfter=\"{end}\""), &format!("NotOnOrAfter=\"{now}\""), text);
    refused(expired, &format!("Data NotOnOrAfter=\"{end}\""), &format!("Data NotOnOrAfter=\"{now}\""), text);
    refused(
        expired,
        "></saml:AuthnStatement>",
        &format!(" SessionNotOnOrAfter=\"{now}\"></saml:AuthnStatement>"),
        text,
    );
    let old = seconds_later(world, -301);
    let text = "Token must be redeemed within 5 minutes of issuance";
    refused(expired, &format!("IssueInstant=\"{now}\""), &format!("IssueInstant=\"{old}\""), text);
    let (rejected, text, later) =
        (&errors::CLAIM_REJECTED, "Response is not valid yet", seconds_later(world, 301));
    refused(rejected, &format!("NotBefore=\"{start}\""), &format!("NotBefore=\"{later}\""), text);
    refused(rejected, &format!("IssueInstant=\"{now}\""), &format!("IssueInstant=\"{later}\""), text);
    let provider = SAMLProvider::objects(&world.session()).get(PROVIDER).wait()?.unwrap();
    let own = format!(
        "https://eu-west-1.signin.aws.amazon.com/saml/acs/{}",
        provider.saml_provider_uuid().unwrap()
    );
    for url in
        ["https://us-west-2.signin.aws.amazon.com/saml", "https://signin.aws.amazon.com/static/saml", &own]
    {
        let answer = assume(world, &identity_provider.respond(&valid.replace(sign_in, url)))?;
        assert_eq!(answer.audience(), Some(url));
    }
    for audience in [sign_in, "https://signin.aws.amazon.com/saml#2", "urn:amazon:webservices:govcloud"] {
        assume(world, &identity_provider.respond(&valid.replace("urn:amazon:webservices", audience)))?;
    }
    world.advance(2 * MINUTE)?;
    assert_refused(world, expired, &identity_provider.respond(&valid), "Response has expired");
    Ok(())
}

pub(super) fn attributes_name_role_and_session(world: &World) -> Result<()> {
    let identity_provider = prepare(world, "{}")?;
    let valid = assertion(world, "");
    let pair = format!("{},{PROVIDER}", role_arn("web"));
    let answer = |document: &str| assume(world, &identity_provider.respond(document));
    answer(&valid.replace(&pair, &format!("{PROVIDER} , {}", role_arn("web"))))?;
    let several = format!("{}</saml:AttributeValue><saml:AttributeValue>{pair}", pair.replace("web", "api"));
    answer(&valid.replace(&pair, &several))?;
    let refused = |from: &str, to: &str, text: &str| {
        let changed = valid.replace(from, to);
        assert_ne!(changed, valid, "{from}");
        assert_refused(world, &errors::INVALID_IDENTITY_TOKEN, &identity_provider.respond(&changed), text);
    };
    let text = "SAML Assertion doesn't contain the requested Role and Metadata in the attributes";
    refused(&pair, &pair.replace("web", "api"), text);
    refused(&pair, &pair.replace("corp", "other"), text);
    refused(&pair, &role_arn("web"), text);
    refused("Attributes/Role\"", "Attributes/Roles\"", text);
    let name = "RoleSessionName";
    refused(
        &format!("Attributes/{name}"),
        "Attributes/Other",
        "RoleSessionName is required in AuthnResponse",
    );
    for wrong in ["a", "ann bea", "ann/bea", &"a".repeat(65)] {
        refused(
            "ann@example.com",
            wrong,
            "RoleSessionName in AuthnResponse must match [a-zA-Z_0-9+=,.@-]{2,64}",
        );
    }
    for wrong in ["a", "aws:ann", "ann bea"] {
        let document = assertion(world, &aws_attribute("SourceIdentity", &[wrong]));
        let text = "Source Identity must match [a-zA-Z_0-9+=,.@-]{2,64} and not begin with \"aws:\"";
        assert_refused(world, &errors::INVALID_IDENTITY_TOKEN, &identity_provider.respond(&document), text);
    }
    let tags = aws_attribute("PrincipalTag:team", &["web"]) + &aws_attribute("TransitiveTagKeys", &["other"]);
    let document = identity_provider.respond(&assertion(world, &tags));
    world.refused(&errors::INVALID_PARAMETER, FIELD, || assume(world, &document));
    Ok(())
}

pub(super) fn assertion_with_tags_and_source_identity(world: &World) -> Result<()> {
    let identity_provider = prepare(world, r#"{"StringEquals": {"aws:RequestTag/team": "web"}}"#)?;
    let attributes = [
        aws_attribute("PrincipalTag:team", &["web"]),
        aws_attribute("TransitiveTagKeys", &["team"]),
        aws_attribute("SourceIdentity", &["ann"]),
    ];
    let answer = assume(world, &identity_provider.respond(&assertion(world, &attributes.concat())))?;
    assert_eq!((answer.source_identity(), answer.packed_policy_size()), (Some("ann"), Some(1)));
    let session = world.session_with(answer.to_credentials().unwrap());
    let conditions = format!(
        r#"{{"StringEquals": {{"aws:PrincipalTag/team": "web", "aws:SourceIdentity": "ann",
            "aws:FederatedProvider": "{PROVIDER}", "saml:sub": "ann", "saml:sub_type": "persistent"}},
            "Null": {{"saml:namequalifier": "false", "saml:iss": "true"}}}}"#
    );
    world.create_role("next", &trust(super::ALL_ACTIONS, super::ACCOUNT, &conditions))?;
    assert_eq!(super::assume(&session, "next")?.source_identity(), Some("ann"));
    Ok(())
}

pub(super) fn trust_policy_compares_the_assertion(world: &World) -> Result<()> {
    let conditions = format!(
        r#"{{"StringEquals": {{"SAML:aud": "https://signin.aws.amazon.com/saml", "saml:iss": "{ISSUER}", "saml:sub": "ann",
            "saml:sub_type": "persistent", "saml:doc": "123456789012/corp", "aws:FederatedProvider": "{PROVIDER}",
            "sts:RoleSessionName": "ann@example.com"}},
            "ForAnyValue:StringEquals": {{"saml:edupersonaffiliation": "staff"}}}}"#
    );
    let identity_provider = prepare(world, &conditions)?;
    let with = |values: &[&str]| {
        let document = assertion(world, &attribute("urn:oid:1.3.6.1.4.1.5923.1.1.1.1", values));
        identity_provider.respond(&document)
    };
    assume(world, &with(&["member", "staff"]))?;
    let error = world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(world, &with(&["member"])));
    assert_eq!(error.message(), "Not authorized to perform sts:AssumeRoleWithSAML");
    world.create_open_role("account")?;
    for role in ["missing", "account"] {
        let document = assertion(world, "").replace("role/web", &format!("role/{role}"));
        let mut request = request(&identity_provider.respond(&document));
        request.role_arn = role_arn(role).into();
        world.refused(&errors::ACCESS_DENIED, "RoleArn", || ask(&world.session(), request));
    }
    Ok(())
}

pub(super) fn session_ends_with_that_of_the_identity_provider(world: &World) -> Result<()> {
    let identity_provider = prepare(world, "{}")?;
    let end = seconds_later(world, 600);
    let limited = assertion(world, "").replace(
        "></saml:AuthnStatement>",
        &format!(" SessionNotOnOrAfter=\"{end}\"></saml:AuthnStatement>"),
    );
    let answer = assume(world, &identity_provider.respond(&limited))?;
    let session = world.session_with(answer.to_credentials().unwrap());
    world.advance(10 * MINUTE - SECOND)?;
    caller_arn(&session)?;
    world.advance(SECOND)?;
    assert!(caller_arn(&session).is_err());
    Ok(())
}

pub(super) fn saml_requests_are_validated(world: &World) -> Result<()> {
    let identity_provider = prepare(world, "{}")?;
    let document = identity_provider.respond(&assertion(world, ""));
    let with = |role: &str, provider: &str| AssumeRoleWithSAML::new(role, provider, encode(&document));
    let web = role_arn("web");
    let refused = |code, field: &str, request: AssumeRoleWithSAML, text: &str| {
        let error = world.refused(code, field, || ask(&world.session(), request));
        assert_eq!(error.message(), text);
    };
    let (invalid, arn) = (&errors::INVALID, "Request ARN is invalid");
    refused(invalid, "RoleArn", with("arn:aws:iam::123456789012:user/ann", PROVIDER), arn);
    refused(invalid, "PrincipalArn", with(&web, "arn:aws:iam::123456789012:user/ann"), arn);
    let text = "Principal exists outside the account of the Role being assumed";
    refused(invalid, "PrincipalArn", with(&web, &PROVIDER.replace("123456789012", "210987654321")), text);
    let text = "Specified provider doesn't exist";
    refused(
        &errors::INVALID_IDENTITY_TOKEN,
        "PrincipalArn",
        with(&web, &PROVIDER.replace("corp", "other")),
        text,
    );
    let text = "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.";
    refused(invalid, "DurationSeconds", with(&web, PROVIDER).duration_seconds(3601), text);
    world.refused(&errors::MALFORMED_POLICY, "Policy", || {
        ask(&world.session(), with(&web, PROVIDER).policy("{}"))
    });
    let answer = ask(&world.session(), with(&web, PROVIDER).policy(super::session_policies::allow("*")))?;
    assert!(answer.packed_policy_size().is_some());
    let mut update = UpdateSAMLProvider::new(PROVIDER);
    let end = seconds_later(world, 3600);
    update.saml_metadata_document = Some(identity_provider.metadata(&format!("validUntil=\"{end}\"")).into());
    ask(&world.session(), update)?;
    assume(world, &document)?;
    world.advance(HOUR)?;
    assert_signature_invalid(world, &identity_provider.respond(&assertion(world, "")));
    Ok(())
}
