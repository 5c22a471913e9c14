//! Sessions of roles: temporary credentials, and the facts about the session that are returned with them.

use nephos_core::{Credentials, Extra, Record, Resource, Secret, Slot, Text, Timestamp};

/// A session of a role: its credentials and its caller. Debug output and logs do not show the secrets.
#[derive(Resource)]
#[resource(arn = "AssumedRoleUser.Arn", pk = "Credentials.AccessKeyId", frozen, extras)]
pub struct AssumeRole {
    /// Credentials of the session.
    pub(super) credentials: Option<SessionCredentials>,
    /// Caller of the session.
    pub(super) assumed_role_user: Option<AssumedRoleUser>,
    /// Space that session policies and tags take, in percent of what a session has; absent without any.
    pub(super) packed_policy_size: Option<i64>,
    /// Identity that the first session of a chain was created with.
    pub(super) source_identity: Option<Text>,
    /// Subject of a SAML assertion.
    pub(super) subject: Option<Text>,
    /// Form of the subject of a SAML assertion.
    pub(super) subject_type: Option<Text>,
    /// Issuer of a SAML assertion.
    pub(super) issuer: Option<Text>,
    /// Hash of issuer, account and provider of a SAML assertion.
    pub(super) name_qualifier: Option<Text>,
    /// ARN of the identity provider of a web identity token.
    pub(super) provider: Option<Text>,
    /// Subject of a web identity token.
    pub(super) subject_from_web_identity_token: Option<Text>,
    /// Audience of a web identity token or a SAML assertion.
    pub(super) audience: Option<Text>,
    /// Size of the session token, in percent of the greatest.
    pub(super) session_token_utilization: Option<i64>,
    /// Number of characters of the session token.
    pub(super) session_token_size: Option<i64>,
    extra: Extra,
    slot: Slot,
}

impl AssumeRole {
    /// Returns the credentials for sessions; `None` if the model was not returned by a service.
    pub fn to_credentials(&self) -> Option<Credentials> {
        let SessionCredentials { access_key_id, secret_access_key, session_token, expiration } =
            self.credentials.clone()?;
        Some(Credentials {
            access_key_id: access_key_id?,
            secret_access_key: secret_access_key?,
            session_token,
            expiration,
        })
    }
}

/// Temporary credentials.
#[derive(Record)]
#[record(answer, name = "Credentials")]
pub struct SessionCredentials {
    /// ID of the access key.
    #[field(required, length(16..=128), pattern = r"[\w]*")]
    access_key_id: Option<Text>,
    /// Secret access key.
    #[field(required)]
    secret_access_key: Option<Secret>,
    /// Token that requests with the key must have.
    #[field(required)]
    session_token: Option<Secret>,
    /// Time at which the credentials expire.
    #[field(required)]
    expiration: Option<Timestamp>,
}

impl From<Credentials> for SessionCredentials {
    fn from(credentials: Credentials) -> Self {
        Self {
            access_key_id: Some(credentials.access_key_id),
            secret_access_key: Some(credentials.secret_access_key),
            session_token: credentials.session_token,
            expiration: credentials.expiration,
        }
    }
}

/// Caller of a session of a role.
#[derive(Record)]
#[record(answer)]
pub struct AssumedRoleUser {
    /// Unique ID of the role, and the name of the session: `AROA…:name`.
    #[field(required, length(2..=193), pattern = r"[\w+=,.@:-]*")]
    pub(super) assumed_role_id: Option<Text>,
    /// ARN of the session.
    #[field(required, length(20..=2048))]
    pub(super) arn: Option<Text>,
}
