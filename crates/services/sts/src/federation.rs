//! Temporary credentials of users: for themselves, and for federated users with fewer permissions.

use super::{
    AssumeRole, AssumeRoleManager,
    assumed_role::SessionCredentials,
    errors, mfa,
    role_session::{new_session, token_size, token_utilization},
    session_policy::{CheckedPolicies, SessionPolicies},
    session_tags::SessionTags,
};
use nephos_cloud::{ALLOWS_NOTHING, Handler, TemporarySession, Tx};
use nephos_core::{Credentials, Record, Result, Tag, Text, operation, partition_of};

/// Duration by default, in seconds.
const DEFAULT_DURATION: i64 = 43_200;

/// Maximum duration for the root of an account, in seconds.
const MAX_ROOT_DURATION: i64 = 3600;

/// Duration of a session of a user.
#[derive(Record)]
#[record(shared)]
pub struct UserDuration {
    /// Duration of the session in seconds; twelve hours by default. Sessions of the root of an account last at most an hour.
    #[field(range(900..=129_600))]
    duration_seconds: Option<i64>,
}

/// Creates a session for the caller, with its permissions. With a code of an MFA device, policies can require the device.
/// Callers with temporary credentials are refused.
#[operation(
    of = AssumeRole, call = "session_token", returns(credentials: SessionCredentials), include(UserDuration),
    answers(credentials, session_token_utilization, session_token_size), effect = write, subject = "*",
    no_permission, access = read
)]
pub struct GetSessionToken {
    /// Serial number or ARN of the MFA device of the caller.
    #[field(length(9..=256), pattern = r"[\w+=/:,.@-]*")]
    pub serial_number: Option<Text>,
    /// Current code of the MFA device.
    #[field(length(6..=6), pattern = r"[\d]*", sensitive)]
    pub token_code: Option<Text>,
    /// Minimum number of characters of the session token.
    #[field(range(0..=4096), no_effect)]
    pub minimum_session_token_size: Option<i64>,
}

impl Handler for GetSessionToken {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut session = begin(cx, "GetSessionToken", self.duration_seconds)?;
        session.has_mfa = Some(mfa::check(cx, self.serial_number.as_deref(), self.token_code.as_deref())?);
        let credentials = cx.issue_credentials(session)?;
        let (session_token_size, session_token_utilization) = sizes(&credentials);
        Ok(GetSessionTokenResponse {
            credentials: Some(credentials.into()),
            session_token_utilization,
            session_token_size,
        })
    }
}

/// Creates a session for a federated user: the permissions of the caller that the session policies allow too. Without session
/// policies it has none. Callers with temporary credentials are refused.
#[operation(
    of = AssumeRole, call = "federation_token", include(SessionPolicies, UserDuration), effect = read,
    output = FederationToken, subject = "federated-user/{Name}", also_requires("TagSession" = "Tags?")
)]
pub struct GetFederationToken {
    /// Name of the federated user.
    #[field(length(2..=32), pattern = r"[\w+=,.@-]*")]
    pub name: Text,
    /// Session tags.
    #[field(length(..=50))]
    pub tags: Option<Vec<Tag>>,
}

/// Credentials of a federated user.
#[derive(Record)]
#[record(answer, name = "GetFederationTokenResponse")]
pub struct FederationToken {
    /// Credentials.
    credentials: Option<SessionCredentials>,
    /// The federated user.
    federated_user: Option<FederatedUser>,
    /// Space that session policies and tags take, in percent of what a session has; absent without any.
    packed_policy_size: Option<i64>,
    /// Size of the session token, in percent of the greatest.
    session_token_utilization: Option<i64>,
    /// Number of characters of the session token.
    session_token_size: Option<i64>,
}

/// A federated user.
#[derive(Record)]
#[record(answer)]
pub struct FederatedUser {
    /// Account and name: `123456789012:ann`.
    #[field(required, length(2..=193))]
    federated_user_id: Option<Text>,
    /// ARN of the federated user.
    #[field(required, length(20..=2048))]
    arn: Option<Text>,
}

impl Handler for GetFederationToken {
    fn run(self, cx: &mut Tx<'_>) -> Result<FederationToken> {
        let mut session = begin(cx, "GetFederationToken", self.duration_seconds)?;
        let tags = SessionTags::read(&self.tags.unwrap_or_default(), None, None)?;
        let account = session.account.clone().unwrap_or_default();
        let mut policies = CheckedPolicies::read(cx, &account, self.policy, self.policy_arns)?;
        let packed_policy_size = policies.packed_size(tags.passed())?;
        if policies.documents.is_none() && policies.arns.is_none() {
            policies.documents = Some(vec![Text::const_new(ALLOWS_NOTHING)]);
        }
        let partition = partition_of(cx.scope().region());
        let arn: Text = format!("arn:{partition}:sts::{account}:federated-user/{}", self.name).into();
        let id = account + ":" + &self.name;
        session.arn = Some(arn.clone());
        session.user_id = Some(id.clone());
        session.policies = policies.documents;
        session.policy_arns = policies.arns;
        tags.put_into(&mut session);
        let credentials = cx.issue_credentials(session)?;
        let (session_token_size, session_token_utilization) = sizes(&credentials);
        Ok(FederationToken {
            credentials: Some(credentials.into()),
            federated_user: Some(FederatedUser { federated_user_id: Some(id), arn: Some(arn) }),
            packed_policy_size,
            session_token_utilization,
            session_token_size,
        })
    }
}

/// Creates a session of the caller, who has no temporary credentials.
fn begin(cx: &Tx<'_>, operation: &str, duration: Option<i64>) -> Result<TemporarySession> {
    let caller = cx.caller();
    if caller.session().is_some() {
        return Err(errors::called_with_session(operation));
    }
    let mut duration = duration.unwrap_or(DEFAULT_DURATION);
    if caller.identity().is_none() {
        duration = duration.min(MAX_ROOT_DURATION);
    }
    let mut session = new_session(cx, duration);
    session.account = Some(caller.account().into());
    session.arn = Some(caller.principal().arn);
    session.user_id = Some(caller.user_id().into());
    session.identity = caller.identity().map(Text::from);
    Ok(session)
}

/// Returns size and utilization of a session token.
fn sizes(credentials: &Credentials) -> (Option<i64>, Option<i64>) {
    (Some(token_size(credentials) as i64), Some(token_utilization(credentials)))
}
