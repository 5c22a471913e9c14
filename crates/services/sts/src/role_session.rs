//! The operation `AssumeRole`, and the creation of sessions of roles.

use super::{
    AssumeRole as RoleSession,
    assumed_role::AssumedRoleUser,
    errors, mfa,
    session_policy::{CheckedPolicies, SessionPolicies, percent},
    session_tags::SessionTags,
    trust::{TrustRequest, check_role_arn, not_authorized},
};
use nephos_cloud::{Caller, Context, Handler, TemporarySession, Tx};
use nephos_core::{
    Arn, Credentials, Record, Result, SignedDuration, Tag, Text, Timestamp, field_value::FieldType, operation,
};
use nephos_iam::{AssumableRole, find_role};

/// Duration of sessions of roles by default, and the maximum for those that a session of a role creates, in seconds.
const HOUR: i64 = 3600;

/// Greatest session token, in characters.
const MAX_TOKEN_SIZE: usize = 4096;

/// Duration of a session of a role.
#[derive(Record)]
#[record(shared)]
pub struct RoleDuration {
    /// Duration of the session in seconds; an hour by default. The role has a maximum; for a session that is created by
    /// another session of a role, it is an hour.
    #[field(range(900..=43_200))]
    duration_seconds: Option<i64>,
}

/// A signed assertion about the context of a caller. It is not supported: the services that issue them are not emulated.
#[derive(Record)]
pub struct ProvidedContext {
    /// ARN of the provider of the context.
    #[field(length(20..=2048))]
    provider_arn: Option<Text>,
    /// Assertion.
    #[field(length(4..=2048), sensitive)]
    context_assertion: Option<Text>,
}

/// Creates a session of a role. The trust policy of the role must allow it in every permission mode.
///
/// The root of an account cannot assume roles with credentials of its own. A session without credentials, which is that of
/// the root by default, can: tests and programs in development start there.
#[operation(
    of = crate::AssumeRole, call = "assume", include(SessionPolicies, RoleDuration), effect = write,
    output = RoleSession, subject = "{RoleArn}",
    also_requires("TagSession" = "Tags?", "SetSourceIdentity" = "SourceIdentity?")
)]
pub struct AssumeRole {
    /// ARN of the role.
    #[field(length(20..=2048))]
    pub role_arn: Text,
    /// Name of the session.
    #[field(length(2..=64), pattern = r"[\w+=,.@-]*", condition = "sts:RoleSessionName")]
    pub role_session_name: Text,
    /// Session tags.
    #[field(length(..=50))]
    pub tags: Option<Vec<Tag>>,
    /// Keys of the tags that sessions inherit that are created by this one.
    #[field(length(..=50), condition = "sts:TransitiveTagKeys")]
    pub transitive_tag_keys: Option<Vec<Text>>,
    /// Identifier that the trust policies of other accounts may require.
    #[field(length(2..=1224), pattern = r"[\w+=,.@:\/-]*", condition = "sts:ExternalId")]
    pub external_id: Option<Text>,
    /// Serial number or ARN of the MFA device of the user who calls.
    #[field(length(9..=256), pattern = r"[\w+=/:,.@-]*")]
    pub serial_number: Option<Text>,
    /// Current code of the MFA device.
    #[field(length(6..=6), pattern = r"[\d]*", sensitive)]
    pub token_code: Option<Text>,
    /// Identity of the caller, which sessions keep that are created by this one.
    #[field(length(2..=64), pattern = r"[\w+=,.@-]*", condition = "sts:SourceIdentity")]
    pub source_identity: Option<Text>,
    /// Assertions about the context of the caller. Not supported.
    #[field(length(1..=5))]
    pub provided_contexts: Option<Vec<ProvidedContext>>,
}

impl Handler for AssumeRole {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<RoleSession> {
        check_role_arn(&self.role_arn, || errors::value_invalid(&self.role_arn))?;
        if self.provided_contexts.is_some() {
            let hint = "context assertions are not supported";
            return Err(errors::context_assertion_invalid().with_field("ProvidedContexts").with_hint(hint));
        }
        let caller = cx.caller().clone();
        check_caller(&caller, &self.role_arn)?;
        let given = self.tags.take().unwrap_or_default();
        let tags = SessionTags::read(&given, self.transitive_tag_keys.take(), caller.session())?;
        let has_mfa = mfa::check(cx, self.serial_number.as_deref(), self.token_code.as_deref())?;
        let role = self.find_role(cx, &caller)?;
        let source = self.check_trust(cx, &caller, &role, &tags, has_mfa)?;
        let is_chained = caller.session().is_some_and(TemporarySession::is_of_role);
        let duration = check_duration(self.duration_seconds, &role, is_chained)?;
        let policies = CheckedPolicies::read(cx, &role.account, self.policy, self.policy_arns)?;
        let new =
            NewSession { name: self.role_session_name, duration, policies, tags, source_identity: source };
        new.create(cx, &role, |_| {})
    }
}

/// Refuses callers who cannot assume roles: the root of an account with credentials, and federated users.
fn check_caller(caller: &Caller, role_arn: &Text) -> Result<()> {
    let principal = caller.principal();
    if principal.is_root() && caller.access_key_id().is_some() {
        return Err(errors::root_cannot_assume());
    }
    if principal.arn.contains(":federated-user/") {
        let hint = "federated users cannot assume roles";
        return Err(not_authorized(&principal, "sts:AssumeRole", role_arn).with_hint(hint));
    }
    Ok(())
}

impl AssumeRole {
    /// Finds the role. The error does not tell whether it exists.
    fn find_role(&self, cx: &mut Tx<'_>, caller: &Caller) -> Result<AssumableRole> {
        let absent = || {
            let refused = not_authorized(&caller.principal(), "sts:AssumeRole", &self.role_arn);
            refused.with_field("RoleArn").with_hint("there is no such role")
        };
        find_role(cx, &self.role_arn)?.ok_or_else(absent)
    }

    /// Checks that the trust policy allows the session with its tags and source identity, which is returned.
    fn check_trust(
        &self,
        cx: &mut Tx<'_>,
        caller: &Caller,
        role: &AssumableRole,
        tags: &SessionTags,
        has_mfa: bool,
    ) -> Result<Option<Text>> {
        let principal = caller.principal();
        let kept = caller.session().and_then(|session| session.source_identity.clone());
        let source = self.source_identity.clone().or_else(|| kept.clone());
        let mut context = tags.add_to(self.request_context(cx.caller_context()?, source.as_ref()));
        if has_mfa {
            context =
                context.without("aws:MultiFactorAuthPresent").with("aws:MultiFactorAuthPresent", "true");
            context = context.without("aws:MultiFactorAuthAge").with("aws:MultiFactorAuthAge", "0");
        }
        let mut trust = TrustRequest::new(cx, principal.clone(), role, context)?;
        let refused = |action| not_authorized(&principal, action, &role.arn).with_field("RoleArn");
        let mut check = |action| trust.check(action, || refused(action));
        check("sts:AssumeRole")?;
        if !tags.is_empty() {
            check("sts:TagSession")?;
        }
        if source.is_some() {
            check("sts:SetSourceIdentity")?;
        }
        if kept.is_some() && kept != source {
            let hint = "the source identity of a session cannot be changed";
            return Err(refused("sts:SetSourceIdentity").with_hint(hint));
        }
        Ok(source)
    }

    /// Adds the condition keys of the request.
    fn request_context(&self, context: Context, source: Option<&Text>) -> Context {
        let keys = [
            ("sts:RoleSessionName", Some(&self.role_session_name)),
            ("sts:ExternalId", self.external_id.as_ref()),
            ("sts:SourceIdentity", source),
        ];
        keys.into_iter().fold(context, |context, (key, value)| match value {
            Some(value) => context.with(key, value.clone()),
            None => context,
        })
    }
}

/// Returns the duration of a session of a role, in seconds.
pub(crate) fn check_duration(given: Option<i64>, role: &AssumableRole, is_chained: bool) -> Result<i64> {
    let duration = given.unwrap_or(HOUR);
    if is_chained && duration > HOUR {
        return Err(errors::duration_over_hour().with_field("DurationSeconds"));
    }
    if duration > role.max_session_duration {
        let hint = format!("the maximum of the role is {}", role.max_session_duration);
        return Err(errors::duration_over_maximum().with_field("DurationSeconds").with_hint(hint));
    }
    Ok(duration)
}

/// A session of a role to be created.
#[derive(Debug)]
pub(crate) struct NewSession {
    pub(crate) name: Text,
    pub(crate) duration: i64,
    pub(crate) policies: CheckedPolicies,
    pub(crate) tags: SessionTags,
    pub(crate) source_identity: Option<Text>,
}

impl NewSession {
    /// Creates the credentials of the session; `complete` adds what the session has from an identity provider.
    pub(crate) fn create(
        self,
        cx: &Tx<'_>,
        role: &AssumableRole,
        complete: impl FnOnce(&mut TemporarySession),
    ) -> Result<RoleSession> {
        let Self { name, duration, policies, tags, source_identity } = self;
        let mut answer = RoleSession::blank();
        answer.packed_policy_size = policies.packed_size(tags.passed())?;
        let partition = Arn::parts(&role.arn).map_or("aws", |[partition, ..]| partition);
        let (account, role_name) = (&role.account, &role.name);
        let arn: Text = format!("arn:{partition}:sts::{account}:assumed-role/{role_name}/{name}").into();
        let id = role.id.clone() + ":" + &name;
        let mut session = new_session(cx, duration);
        session.account = Some(role.account.clone());
        session.arn = Some(arn.clone());
        session.user_id = Some(id.clone());
        session.identity = Some(role.id.clone());
        session.policies = policies.documents;
        session.policy_arns = policies.arns;
        session.source_identity = source_identity.clone();
        tags.put_into(&mut session);
        complete(&mut session);
        let credentials = cx.issue_credentials(session)?;
        answer.session_token_size = Some(token_size(&credentials) as i64);
        answer.session_token_utilization = Some(token_utilization(&credentials));
        answer.credentials = Some(credentials.into());
        answer.assumed_role_user = Some(AssumedRoleUser { assumed_role_id: Some(id), arn: Some(arn) });
        answer.source_identity = source_identity;
        Ok(answer)
    }
}

/// Creates a session that starts now and has this duration in seconds.
pub(crate) fn new_session(cx: &Tx<'_>, duration: i64) -> TemporarySession {
    let mut session = TemporarySession::blank();
    session.issued = Some(cx.now());
    // The provider tells times of expiration to the second.
    let seconds = Timestamp::from_second(cx.now().as_second()).unwrap_or(cx.now());
    session.expiration = seconds.checked_add(SignedDuration::from_secs(duration)).ok();
    session
}

/// Returns the number of characters of the session token of credentials.
pub(crate) fn token_size(credentials: &Credentials) -> usize {
    credentials.session_token.as_ref().map_or(0, |token| token.expose().len())
}

/// Returns the size of a session token in percent of the greatest.
pub(crate) fn token_utilization(credentials: &Credentials) -> i64 {
    percent(token_size(credentials), MAX_TOKEN_SIZE) as i64
}
