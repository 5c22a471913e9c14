//! The operation `AssumeRoleWithSAML`: sessions of roles for assertions of SAML providers.

mod assertion;
pub(crate) mod canonical;
pub(crate) mod certificate;
mod response;
mod signature;

use super::{
    AssumeRole, AssumeRoleManager, errors,
    federated::{FederatedIdentity, FederatedRequest},
    role_session::RoleDuration,
    session_policy::SessionPolicies,
    trust::{account_in_arn, check_role_arn},
};
use assertion::Assertion;
use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Error, Map, Result, Secret, Text, operation};
use nephos_iam::find_saml_provider;

/// Names of attributes that are condition keys, and the keys.
const ATTRIBUTE_KEYS: [(&str, &str); 31] = [
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.1", "saml:eduPersonAffiliation"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.2", "saml:eduPersonNickname"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.3", "saml:eduPersonOrgDN"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.4", "saml:eduPersonOrgUnitDN"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.5", "saml:eduPersonPrimaryAffiliation"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.6", "saml:eduPersonPrincipalName"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.7", "saml:eduPersonEntitlement"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.8", "saml:eduPersonPrimaryOrgUnitDN"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.9", "saml:eduPersonScopedAffiliation"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.10", "saml:eduPersonTargetedID"),
    ("urn:oid:1.3.6.1.4.1.5923.1.1.1.11", "saml:eduPersonAssurance"),
    ("urn:oid:1.3.6.1.4.1.5923.1.2.1.2", "saml:eduOrgHomePageURI"),
    ("urn:oid:1.3.6.1.4.1.5923.1.2.1.3", "saml:eduOrgIdentityAuthNPolicyURI"),
    ("urn:oid:1.3.6.1.4.1.5923.1.2.1.4", "saml:eduOrgLegalName"),
    ("urn:oid:1.3.6.1.4.1.5923.1.2.1.5", "saml:eduOrgSuperiorURI"),
    ("urn:oid:1.3.6.1.4.1.5923.1.2.1.6", "saml:eduOrgWhitePagesURI"),
    ("urn:oid:2.5.4.3", "saml:cn"),
    ("2.5.4.3", "saml:commonName"),
    ("2.5.4.4", "saml:surname"),
    ("2.5.4.42", "saml:givenName"),
    ("2.5.4.45", "saml:x500UniqueIdentifier"),
    ("0.9.2342.19200300.100.1.1", "saml:uid"),
    ("0.9.2342.19200300.100.1.3", "saml:mail"),
    ("0.9.2342.19200300.100.1.45", "saml:organizationStatus"),
    ("http://schemas.xmlsoap.org/claims/CommonName", "saml:commonName"),
    ("http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress", "saml:mail"),
    ("http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname", "saml:givenName"),
    ("http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name", "saml:name"),
    ("http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname", "saml:surname"),
    ("http://schemas.microsoft.com/ws/2008/06/identity/claims/primarygroupsid", "saml:primaryGroupSID"),
    ("http://schemas.microsoft.com/ws/2008/06/identity/claims/primarygroupsid", "saml:uid"),
];

/// Creates a session of a role for an assertion of a SAML provider, which is in the account of the role. The signature of the
/// assertion is verified with the certificates of the provider's metadata document. The request is not signed.
///
/// The session ends with that of the identity provider. The attribute `SessionDuration` of an assertion is for the sign-in to
/// the console, and has no effect. Encrypted assertions are not supported: they are refused, and so are all assertions if the
/// SAML provider requires encryption.
#[operation(
    of = AssumeRole, call = "assume_with_saml", include(SessionPolicies, RoleDuration),
    effect = read, output = AssumeRole, subject = "{RoleArn}", no_permission, unsigned
)]
pub struct AssumeRoleWithSAML {
    /// ARN of the role.
    #[field(length(20..=2048))]
    pub role_arn: Text,
    /// ARN of the SAML provider.
    #[field(length(20..=2048))]
    pub principal_arn: Text,
    /// Authentication response of the identity provider in base64, with the assertion.
    #[field(name = "SAMLAssertion", length(4..=100_000))]
    pub saml_assertion: Secret,
}

impl Handler for AssumeRoleWithSAML {
    fn run(self, cx: &mut Tx<'_>) -> Result<AssumeRole> {
        check_role_arn(&self.role_arn, errors::request_arn_invalid)?;
        let arn_invalid = || errors::request_arn_invalid().with_field("PrincipalArn");
        let account = account_in_arn(&self.principal_arn, "saml-provider/").ok_or_else(arn_invalid)?;
        if account_in_arn(&self.role_arn, "role/") != Some(account) {
            return Err(errors::principal_outside_account().with_field("PrincipalArn"));
        }
        let (assertion, identity) = self.read_assertion(cx, account)?;
        let session_name = assertion.session_name().map_err(in_assertion)?;
        let name_qualifier = identity.session_keys.get("saml:namequalifier").cloned();
        let request = FederatedRequest {
            action: "sts:AssumeRoleWithSAML",
            refused: errors::saml_not_authorized,
            account: account.into(),
            role_arn: self.role_arn,
            session_name,
            duration_seconds: self.duration_seconds,
            policy: self.policy,
            policy_arns: self.policy_arns,
        };
        let mut answer = identity.assume(cx, request)?;
        answer.subject = assertion.subject;
        answer.subject_type = assertion.subject_type;
        answer.issuer = Some(assertion.issuer);
        answer.audience = Some(assertion.recipient);
        answer.name_qualifier = name_qualifier;
        Ok(answer)
    }
}

fn in_assertion(error: Error) -> Error {
    error.with_field("SAMLAssertion")
}

impl AssumeRoleWithSAML {
    /// Verifies the assertion, and reads the identity of its subject.
    fn read_assertion(&self, cx: &mut Tx<'_>, account: &str) -> Result<(Assertion, FederatedIdentity)> {
        let provider = find_saml_provider(cx, account, &self.principal_arn)?;
        let provider = provider.ok_or_else(|| errors::saml_provider_missing().with_field("PrincipalArn"))?;
        let signed = response::read_signed(self.saml_assertion.expose(), &provider, cx.now());
        let assertion = signed.and_then(|signed| Assertion::read(&signed, &provider, cx.now()));
        let assertion = assertion.map_err(in_assertion)?;
        assertion.check_role(&self.role_arn, &self.principal_arn).map_err(in_assertion)?;
        let provider_name = self.principal_arn.rsplit('/').next().unwrap_or_default();
        let document = format!("{account}/{provider_name}");
        let session_keys = session_keys(&assertion, &document);
        let identity = FederatedIdentity {
            provider: provider.arn,
            keys: trust_keys(&assertion, document.into(), &session_keys),
            tags: assertion.tags().map_err(in_assertion)?,
            source_identity: assertion.source_identity().map_err(in_assertion)?,
            session_end: assertion.session_end,
            session_keys,
        };
        Ok((assertion, identity))
    }
}

/// Returns the condition keys that a session keeps. `document` is the account and the name of the SAML provider.
fn session_keys(assertion: &Assertion, document: &str) -> Map<Text> {
    let hashed = format!("{}{document}", assertion.issuer);
    let qualifier = STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, hashed.as_bytes()));
    let keys = [
        ("saml:namequalifier", Some(qualifier.into())),
        ("saml:sub", assertion.subject.clone()),
        ("saml:sub_type", assertion.subject_type.clone()),
    ];
    keys.into_iter().filter_map(|(key, value)| Some((key.into(), value?))).collect()
}

/// Returns the condition keys for trust policies: those of the session, and others.
fn trust_keys(assertion: &Assertion, document: Text, session_keys: &Map<Text>) -> Vec<(Text, Vec<Text>)> {
    let single = [
        ("saml:aud", assertion.recipient.clone()),
        ("saml:iss", assertion.issuer.clone()),
        ("saml:doc", document),
    ];
    let kept = session_keys.iter().map(|(key, value)| (key.clone(), vec![value.clone()]));
    let attributes =
        ATTRIBUTE_KEYS.iter().map(|(name, key)| (Text::new(key), assertion.values(name).to_vec()));
    kept.chain(single.map(|(key, value)| (key.into(), vec![value]))).chain(attributes).collect()
}
