//! Sessions of roles for identities that an identity provider has confirmed.

use super::{
    AssumeRole,
    role_session::{NewSession, check_duration},
    session_policy::{CheckedPolicies, PolicyDescriptorType},
    session_tags::SessionTags,
    trust::TrustRequest,
};
use nephos_cloud::{Context, Principal, Tx};
use nephos_core::{Error, Map, Result, Text, Timestamp};
use nephos_iam::find_role;

/// Seconds by which the clock of an identity provider may be ahead.
pub(crate) const MAX_SKEW: i64 = 300;

/// Condition keys about the request that do not depend on a caller.
const REQUEST_KEYS: [&str; 6] = [
    "aws:currenttime",
    "aws:epochtime",
    "aws:requestedregion",
    "aws:securetransport",
    "aws:sourceip",
    "aws:useragent",
];

/// An identity that an identity provider has confirmed.
#[derive(Debug)]
pub(crate) struct FederatedIdentity {
    /// ARN of the provider.
    pub(crate) provider: Text,
    /// Condition keys of the provider for trust policies, and their values.
    pub(crate) keys: Vec<(Text, Vec<Text>)>,
    /// Condition keys of the provider that the session keeps. Several values are separated by commas.
    pub(crate) session_keys: Map<Text>,
    /// Session tags.
    pub(crate) tags: SessionTags,
    /// Source identity of the session.
    pub(crate) source_identity: Option<Text>,
    /// Time at which sessions end at the latest.
    pub(crate) session_end: Option<Timestamp>,
}

/// A request to assume a role for a federated identity.
#[derive(Debug)]
pub(crate) struct FederatedRequest {
    /// Action that the trust policy must allow.
    pub(crate) action: &'static str,
    /// Error if it does not.
    pub(crate) refused: fn() -> Error,
    /// Account of the identity provider.
    pub(crate) account: Text,
    pub(crate) role_arn: Text,
    pub(crate) session_name: Text,
    pub(crate) duration_seconds: Option<i64>,
    pub(crate) policy: Option<Text>,
    pub(crate) policy_arns: Option<Vec<PolicyDescriptorType>>,
}

impl FederatedIdentity {
    /// Creates a session of a role if its trust policy allows it.
    pub(crate) fn assume(self, cx: &mut Tx<'_>, request: FederatedRequest) -> Result<AssumeRole> {
        let refused = || (request.refused)().with_field("RoleArn");
        let absent = || refused().with_hint("there is no such role");
        let role = find_role(cx, &request.role_arn)?.ok_or_else(absent)?;
        let context = self.to_context(&cx.caller_context()?, &request.session_name);
        let principal = Principal::federated(request.account, self.provider.clone());
        let mut trust = TrustRequest::new(cx, principal, &role, context)?;
        trust.check(request.action, refused)?;
        if !self.tags.is_empty() {
            trust.check("sts:TagSession", refused)?;
        }
        if self.source_identity.is_some() {
            trust.check("sts:SetSourceIdentity", refused)?;
        }
        let asked = check_duration(request.duration_seconds, &role, false)?;
        let left = self.session_end.map(|end| end.as_second() - cx.now().as_second());
        let duration = left.map_or(asked, |left| asked.min(left));
        let policies = CheckedPolicies::read(cx, &role.account, request.policy, request.policy_arns)?;
        let Self { provider, session_keys, tags, source_identity, .. } = self;
        let new = NewSession { name: request.session_name, duration, policies, tags, source_identity };
        new.create(cx, &role, |session| {
            session.federated_provider = Some(provider);
            session.federated_context = Some(session_keys);
        })
    }

    /// Returns the condition keys of the request, which has no caller, with those of the identity.
    fn to_context(&self, request: &Context, session_name: &Text) -> Context {
        let mut context = Context::default()
            .with("aws:FederatedProvider", self.provider.clone())
            .with("sts:RoleSessionName", session_name.clone());
        for (key, values) in request.iter().filter(|(key, _)| REQUEST_KEYS.contains(key)) {
            context = values.iter().fold(context, |context, value| context.with(key, value.clone()));
        }
        for (key, values) in &self.keys {
            context = values.iter().fold(context, |context, value| context.with(key, value.clone()));
        }
        if let Some(source) = &self.source_identity {
            context = context.with("sts:SourceIdentity", source.clone());
        }
        self.tags.add_to(context)
    }
}
