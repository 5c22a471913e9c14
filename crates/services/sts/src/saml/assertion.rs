//! SAML assertions that were verified: subject, conditions and attributes.

use super::{
    response::{ASSERTION, check_issuer, only_assertion, text_of},
    signature::only_child,
};
use crate::{errors, federated::MAX_SKEW, session_tags::SessionTags};
use nephos_core::{Result, SignedDuration, Tag, Text, Timestamp};
use nephos_iam::SamlProvider;
use roxmltree::{Document, Node};

/// Start of the names of the provider's attributes.
const ATTRIBUTES: &str = "https://aws.amazon.com/SAML/Attributes/";

/// Method of confirmation of subjects that present the assertion.
const BEARER: &str = "urn:oasis:names:tc:SAML:2.0:cm:bearer";

/// Start of the formats of names that are returned without it.
const NAME_FORMAT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:";

/// Format of names without one.
const UNSPECIFIED: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";

/// Audience of assertions for the provider; partitions add their own ending.
const AUDIENCE: &str = "urn:amazon:webservices";

/// Hosts of the sign-in endpoints of the partitions. Regions have subdomains.
const SIGN_IN_HOSTS: [&str; 3] =
    ["signin.aws.amazon.com", "signin.amazonaws.cn", "signin.amazonaws-us-gov.com"];

/// Time after its issuance in which an assertion must be used.
const MAX_AGE: SignedDuration = SignedDuration::from_mins(5);

/// Content of a verified assertion.
#[derive(Debug)]
pub(crate) struct Assertion {
    /// Entity ID of the identity provider.
    pub(crate) issuer: Text,
    /// Name of the subject.
    pub(crate) subject: Option<Text>,
    /// Format of the name.
    pub(crate) subject_type: Option<Text>,
    /// Sign-in endpoint that the assertion is for.
    pub(crate) recipient: Text,
    /// Time at which sessions end at the latest.
    pub(crate) session_end: Option<Timestamp>,
    attributes: Vec<(Text, Vec<Text>)>,
}

impl Assertion {
    /// Reads the assertion in a text that was verified, and checks its issuer, times, recipient and audience.
    pub(crate) fn read(signed: &str, provider: &SamlProvider, now: Timestamp) -> Result<Self> {
        let document = Document::parse(signed).map_err(|_| errors::saml_response_malformed())?;
        let assertion = only_assertion(&document).ok_or_else(errors::saml_response_malformed)?;
        check_issuer(assertion, provider)?;
        let subject = only_child(assertion, ASSERTION, "Subject");
        let recipient = read_recipient(subject, provider, now)?;
        let session_end = check_times(assertion, now)?;
        check_audience(assertion, provider)?;
        let name = subject.and_then(|subject| only_child(subject, ASSERTION, "NameID"));
        let format = name.map(|name| name.attribute("Format").unwrap_or(UNSPECIFIED));
        Ok(Self {
            issuer: provider.entity_id.clone(),
            subject: name.map(|name| text_of(name).into()),
            subject_type: format.map(|format| format.strip_prefix(NAME_FORMAT).unwrap_or(format).into()),
            recipient,
            session_end,
            attributes: read_attributes(assertion),
        })
    }

    /// Returns the values of an attribute.
    pub(crate) fn values(&self, name: &str) -> &[Text] {
        self.attributes.iter().find(|(known, _)| known == name).map_or(&[], |(_, values)| values)
    }

    /// Returns the first value of an attribute of the provider.
    fn first(&self, name: &str) -> Option<&Text> {
        self.values(&format!("{ATTRIBUTES}{name}")).first()
    }

    /// Checks that the assertion is for this role and this SAML provider.
    pub(crate) fn check_role(&self, role: &str, provider: &str) -> Result<()> {
        let values = self.values(&format!("{ATTRIBUTES}Role"));
        let is_asked = |value: &Text| {
            value.split_once(',').is_some_and(|(first, second)| {
                let pair = (first.trim(), second.trim());
                pair == (role, provider) || pair == (provider, role)
            })
        };
        if values.iter().any(is_asked) {
            return Ok(());
        }
        Err(errors::saml_role_missing().with_hint(format!("the roles of the assertion are {values:?}")))
    }

    /// Returns the name of the session.
    pub(crate) fn session_name(&self) -> Result<Text> {
        let name = self.first("RoleSessionName").ok_or_else(errors::saml_session_name_missing)?;
        if is_name(name) { Ok(name.clone()) } else { Err(errors::saml_session_name_invalid()) }
    }

    /// Returns the source identity of the session.
    pub(crate) fn source_identity(&self) -> Result<Option<Text>> {
        let Some(source) = self.first("SourceIdentity") else { return Ok(None) };
        match is_name(source) && !source.starts_with("aws:") {
            true => Ok(Some(source.clone())),
            false => Err(errors::saml_source_identity_invalid()),
        }
    }

    /// Returns the tags of the session.
    pub(crate) fn tags(&self) -> Result<SessionTags> {
        let prefix = format!("{ATTRIBUTES}PrincipalTag:");
        let mut tags = Vec::new();
        for (name, values) in &self.attributes {
            if let Some(key) = name.strip_prefix(prefix.as_str()) {
                tags.push(Tag::new(key, values.first().cloned().unwrap_or_default()));
            }
        }
        let transitive = self.values(&format!("{ATTRIBUTES}TransitiveTagKeys"));
        SessionTags::read(&tags, (!transitive.is_empty()).then(|| transitive.to_vec()), None)
    }
}

/// True if a text can be the name of a session.
fn is_name(text: &str) -> bool {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || "_+=,.@-".contains(character);
    (2..=64).contains(&text.len()) && text.chars().all(is_allowed)
}

fn time(element: Node<'_, '_>, attribute: &str) -> Option<Timestamp> {
    element.attribute(attribute)?.parse().ok()
}

/// Returns the sign-in endpoint that an assertion is for. The subject must have one confirmation, which has not expired.
fn read_recipient(subject: Option<Node<'_, '_>>, provider: &SamlProvider, now: Timestamp) -> Result<Text> {
    let confirmation = subject
        .and_then(|subject| only_child(subject, ASSERTION, "SubjectConfirmation"))
        .filter(|confirmation| confirmation.attribute("Method") == Some(BEARER))
        .and_then(|confirmation| only_child(confirmation, ASSERTION, "SubjectConfirmationData"))
        .and_then(|data| Some((data.attribute("Recipient")?, time(data, "NotOnOrAfter")?)));
    let (recipient, end) = confirmation.ok_or_else(errors::saml_recipient_missing)?;
    if !is_sign_in_url(recipient, provider) {
        let hint = format!("the recipient is {recipient}, not https://{}/saml", SIGN_IN_HOSTS[0]);
        return Err(errors::saml_recipient_missing().with_hint(hint));
    }
    if end <= now { Err(errors::saml_response_expired()) } else { Ok(recipient.into()) }
}

/// True if a URL is that of a sign-in endpoint: global, of a Region, or of the SAML provider.
fn is_sign_in_url(url: &str, provider: &SamlProvider) -> bool {
    let Some((host, path)) = url.strip_prefix("https://").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    let is_host = |known: &&str| match host.strip_suffix(*known) {
        Some("") => true,
        Some(region) => {
            region.strip_suffix('.').is_some_and(|region| !region.is_empty() && !region.contains('.'))
        }
        None => false,
    };
    let is_own = |id: &str| provider.uuid.as_deref() == Some(id);
    SIGN_IN_HOSTS.iter().any(is_host)
        && (["saml", "static/saml"].contains(&path) || path.strip_prefix("saml/acs/").is_some_and(is_own))
}

/// Checks the times of an assertion, and returns the time at which sessions end at the latest.
fn check_times(assertion: Node<'_, '_>, now: Timestamp) -> Result<Option<Timestamp>> {
    let named = |name| children(assertion, name);
    let latest = now.checked_add(SignedDuration::from_secs(MAX_SKEW)).unwrap_or(now);
    let issued = time(assertion, "IssueInstant").ok_or_else(errors::saml_response_malformed)?;
    let starts = named("Conditions").filter_map(|conditions| time(conditions, "NotBefore"));
    if starts.chain([issued]).any(|start| start > latest) {
        return Err(errors::saml_response_not_valid_yet());
    }
    let session_end =
        named("AuthnStatement").filter_map(|statement| time(statement, "SessionNotOnOrAfter")).min();
    let ends = named("Conditions").filter_map(|conditions| time(conditions, "NotOnOrAfter"));
    if ends.chain(session_end).any(|end| end <= now) {
        return Err(errors::saml_response_expired());
    }
    if now.duration_since(issued) > MAX_AGE {
        return Err(errors::saml_response_too_old());
    }
    Ok(session_end)
}

/// Checks that an assertion is for the provider: each restriction of audiences names it, and there is one.
fn check_audience(assertion: Node<'_, '_>, provider: &SamlProvider) -> Result<()> {
    let is_audience = |audience: Node<'_, '_>| {
        let name = text_of(audience);
        let own = name.strip_prefix(AUDIENCE).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        // Identity providers tell several applications apart by a fragment.
        own || is_sign_in_url(name.split('#').next().unwrap_or_default(), provider)
    };
    let conditions = only_child(assertion, ASSERTION, "Conditions");
    let restrictions =
        conditions.into_iter().flat_map(|conditions| children(conditions, "AudienceRestriction"));
    let mut restrictions = restrictions.peekable();
    let is_missing = restrictions.peek().is_none();
    if is_missing || !restrictions.all(|restriction| children(restriction, "Audience").any(is_audience)) {
        return Err(errors::saml_audience_missing().with_hint(format!("the audience is {AUDIENCE}")));
    }
    Ok(())
}

/// Returns the children with this name.
fn children<'a, 'i>(parent: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    parent.children().filter(move |child| child.has_tag_name((ASSERTION, name)))
}

/// Reads the attributes of an assertion.
fn read_attributes(assertion: Node<'_, '_>) -> Vec<(Text, Vec<Text>)> {
    let read = |attribute: Node<'_, '_>| {
        let values = children(attribute, "AttributeValue").map(|value| text_of(value).into()).collect();
        (attribute.attribute("Name").unwrap_or_default().into(), values)
    };
    let statements = children(assertion, "AttributeStatement");
    statements.flat_map(|statement| children(statement, "Attribute")).map(read).collect()
}
