//! Decisions over all policies that apply to a request, in the provider's order.

use super::{
    Policy,
    request::{AccessRequest, NamedAs},
    statement::{Effect, Mismatch, Statement},
};
use nephos_core::Text;
use std::fmt;

/// A kind of policy that takes part in a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Policies of the user, of its groups, or of the role.
    Identity,
    /// Permissions boundary of the user or role.
    Boundary,
    /// Policies that were passed when the session was created.
    Session,
    /// Policy of the resource.
    Resource,
    /// Grant of the resource to the caller.
    Grant,
}

impl fmt::Display for Layer {
    /// Writes the name of the layer in the provider's messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identity => "identity-based policy",
            Self::Boundary => "permissions boundary",
            Self::Session => "session policy",
            Self::Resource => "resource-based policy",
            Self::Grant => "grant",
        })
    }
}

/// The policies that apply to a request, with their names.
#[derive(Clone, Debug, Default)]
pub struct PolicySet<'p> {
    /// Policies of the user, of its groups, or of the role. The root of an account has none and may do everything in it.
    pub identity: Vec<(Text, &'p Policy)>,
    /// Permissions boundary, if there is one.
    pub boundary: Option<(Text, &'p Policy)>,
    /// Policies of the session; without any, the session is not limited.
    pub session: Vec<(Text, &'p Policy)>,
    /// Policy of the resource, if it has one.
    pub resource: Option<(Text, &'p Policy)>,
    /// True if the policies of the caller count only where the policy of the resource allows the request to the account.
    pub needs_resource_policy: bool,
    /// Grants of the resource, as policies. They allow what the policies do not allow; none of them denies anything.
    pub grants: Vec<(Text, &'p Policy)>,
    /// Account of the resource; that of the caller if not set.
    pub owner: Option<Text>,
}

/// Reason for a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The caller is the root of the account.
    Root,
    /// A statement decides: its layer, the name of its policy, and its number in the policy.
    Statement {
        /// Kind of policy.
        layer: Layer,
        /// Name of the policy.
        policy: Text,
        /// Number of the statement, from 0.
        number: usize,
        /// ID of the statement.
        sid: Option<Text>,
    },
    /// No policy of this layer allows the action.
    NotAllowed {
        /// Kind of policy.
        layer: Layer,
        /// The statement that comes nearest, and its first part that does not match.
        nearest: Option<(Text, usize, Mismatch)>,
    },
}

/// A decision over a request for access, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// True if the request is allowed.
    pub is_allowed: bool,
    /// Reason for the decision.
    pub reason: Reason,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("the caller is the root of the account"),
            Self::Statement { layer, policy, number, sid } => {
                let number = number + 1;
                write!(f, "statement {number} ")?;
                if let Some(sid) = sid.as_ref().filter(|sid| !sid.is_empty()) {
                    write!(f, "({sid}) ")?;
                }
                write!(f, "of the {layer} {policy}")
            }
            Self::NotAllowed { layer, .. } => write!(f, "no {layer} allows it"),
        }
    }
}

impl fmt::Display for Decision {
    /// Writes the reason for the decision as a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            reason @ Reason::Statement { .. } => {
                write!(f, "{reason} {} it", if self.is_allowed { "allows" } else { "denies" })
            }
            reason => reason.fmt(f),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Principal => f.write_str("it is about other callers"),
            Self::Action => f.write_str("it is about other actions"),
            Self::Resource => f.write_str("it is about other resources"),
            Self::Condition { operator, key } => write!(f, "its condition {operator} on {key} does not hold"),
        }
    }
}

impl Decision {
    /// The decision over a request of the root of the account that owns the resource.
    pub(crate) fn root() -> Self {
        Self { is_allowed: true, reason: Reason::Root }
    }

    /// True if a statement denies the request.
    pub fn is_explicit_deny(&self) -> bool {
        !self.is_allowed && matches!(self.reason, Reason::Statement { .. })
    }

    /// Describes the statement that comes nearest to allowing a request that no policy allows.
    pub fn nearest(&self) -> Option<String> {
        match &self.reason {
            Reason::NotAllowed { nearest: Some((policy, number, mismatch)), .. } => {
                Some(format!("nearest is statement {} of {policy}, but {mismatch}", number + 1))
            }
            _ => None,
        }
    }

    /// Text of the provider for a request that is denied.
    pub fn refusal(&self, request: &AccessRequest) -> String {
        let AccessRequest { principal, action, resource, .. } = request;
        let mut refused = format!("User: {} is not authorized to perform: {action}", principal.arn);
        if resource != "*" {
            refused = format!("{refused} on resource: {resource}");
        }
        match &self.reason {
            Reason::Statement { layer, .. } => {
                format!("{refused} with an explicit deny in {} {layer}", layer.article())
            }
            Reason::NotAllowed { layer, .. } => {
                format!("{refused} because no {layer} allows the {action} action")
            }
            Reason::Root => refused,
        }
    }
}

impl Layer {
    fn article(self) -> &'static str {
        if self == Self::Identity { "an" } else { "a" }
    }
}

impl PolicySet<'_> {
    /// Decides over a request: a denial anywhere wins; then the policies of the caller, its boundary and its session must each allow
    /// it, or the policy of a resource in the same account names the caller itself. In another account, both the policies of
    /// the caller and that of the resource must allow it. A grant allows what these do not.
    pub fn decide(&self, request: &AccessRequest) -> Decision {
        if let Some(reason) = self.find_denial(request) {
            return Decision { is_allowed: false, reason };
        }
        let decision = self.decide_by_policies(request);
        if decision.is_allowed {
            return decision;
        }
        self.allowed_by_grant(request).unwrap_or(decision)
    }

    /// Decides over a request that no statement denies, without grants.
    fn decide_by_policies(&self, request: &AccessRequest) -> Decision {
        let is_other_account = self.owner.as_ref().is_some_and(|owner| *owner != request.principal.account);
        let by_resource = self.allowed_by_resource(request);
        if is_other_account {
            let resource = by_resource.map(|(reason, _)| reason);
            return match (self.allowed_by_caller(request), resource) {
                (Err(reason), _) => Decision { is_allowed: false, reason },
                (Ok(_), Some(reason)) => Decision { is_allowed: true, reason },
                (Ok(_), None) => self.not_allowed(Layer::Resource, self.resource.iter(), request),
            };
        }
        // A resource policy that names the caller itself is enough; one that names its role is limited as the role is.
        match by_resource {
            Some((reason, NamedAs::Caller)) => return Decision { is_allowed: true, reason },
            Some((reason, NamedAs::Role)) => {
                return match self.check_limits(request) {
                    Ok(()) => Decision { is_allowed: true, reason },
                    Err(reason) => Decision { is_allowed: false, reason },
                };
            }
            None if self.needs_resource_policy => {
                return self.not_allowed(Layer::Resource, self.resource.iter(), request);
            }
            _ => {}
        }
        match self.allowed_by_caller(request) {
            Ok(reason) => Decision { is_allowed: true, reason },
            Err(reason) => Decision { is_allowed: false, reason },
        }
    }

    /// Decides over a request by the policy and the grants of the resource alone.
    pub(crate) fn decide_by_resource(&self, request: &AccessRequest) -> Decision {
        let mut policies = self.resource.iter();
        let denial =
            policies.find_map(|policy| find_statement(Layer::Resource, policy, Effect::Deny, request));
        let allowed = || {
            let by_policy = self.allowed_by_resource(request);
            by_policy
                .or_else(|| self.grants.iter().find_map(|grant| find_allow(Layer::Grant, grant, request)))
        };
        match denial {
            Some(reason) => Decision { is_allowed: false, reason },
            None => match allowed() {
                Some((reason, _)) => Decision { is_allowed: true, reason },
                None => self.not_allowed(Layer::Resource, self.resource.iter(), request),
            },
        }
    }

    /// Returns the decision of a grant that allows the request: one to the caller is enough, one to its role is limited as the
    /// role is, and one to its account needs the policies of the caller.
    fn allowed_by_grant(&self, request: &AccessRequest) -> Option<Decision> {
        let matching = self.grants.iter().filter_map(|grant| find_allow(Layer::Grant, grant, request));
        let mut effective = matching.filter(|(_, named_as)| match named_as {
            NamedAs::Caller => true,
            NamedAs::Role => self.check_limits(request).is_ok(),
            NamedAs::Account => self.allowed_by_caller(request).is_ok(),
        });
        effective.next().map(|(reason, _)| Decision { is_allowed: true, reason })
    }

    fn layers(&self) -> impl Iterator<Item = (Layer, &(Text, &Policy))> {
        let identity = self.identity.iter().map(|policy| (Layer::Identity, policy));
        let boundary = self.boundary.iter().map(|policy| (Layer::Boundary, policy));
        let session = self.session.iter().map(|policy| (Layer::Session, policy));
        let resource = self.resource.iter().map(|policy| (Layer::Resource, policy));
        identity.chain(boundary).chain(session).chain(resource)
    }

    fn find_denial(&self, request: &AccessRequest) -> Option<Reason> {
        self.layers().find_map(|(layer, policy)| find_statement(layer, policy, Effect::Deny, request))
    }

    /// Returns the reason for which the policy of the resource allows the request, and how it names the caller.
    fn allowed_by_resource(&self, request: &AccessRequest) -> Option<(Reason, NamedAs)> {
        find_allow(Layer::Resource, self.resource.as_ref()?, request)
    }

    /// Returns the reason for which the policies of the caller allow the request, or the first layer that does not.
    fn allowed_by_caller(&self, request: &AccessRequest) -> Result<Reason, Reason> {
        self.check_limits(request)?;
        if request.principal.is_root() {
            return Ok(Reason::Root);
        }
        let allowed = self
            .identity
            .iter()
            .find_map(|policy| find_statement(Layer::Identity, policy, Effect::Allow, request));
        allowed.ok_or_else(|| self.not_allowed(Layer::Identity, self.identity.iter(), request).reason)
    }

    /// Checks that the boundary and the session policies allow the request, where there are any.
    fn check_limits(&self, request: &AccessRequest) -> Result<(), Reason> {
        let boundary: Vec<_> = self.boundary.iter().collect();
        let session: Vec<_> = self.session.iter().collect();
        for (layer, policies) in [(Layer::Boundary, boundary), (Layer::Session, session)] {
            let allows =
                |policy: &&(Text, &Policy)| find_statement(layer, policy, Effect::Allow, request).is_some();
            if !policies.is_empty() && !policies.iter().any(allows) {
                return Err(self.not_allowed(layer, policies.into_iter(), request).reason);
            }
        }
        Ok(())
    }

    fn not_allowed<'s, 'p: 's>(
        &self,
        layer: Layer,
        policies: impl Iterator<Item = &'s (Text, &'p Policy)>,
        request: &AccessRequest,
    ) -> Decision {
        let mut nearest: Option<(Text, usize, Mismatch)> = None;
        for (name, policy) in policies {
            for (number, statement) in policy.statements().iter().enumerate() {
                let Err(mismatch) = statement.check(request) else { continue };
                let is_nearer = |(_, _, known): &(Text, usize, Mismatch)| rank(&mismatch) > rank(known);
                if statement.effect == Effect::Allow && nearest.as_ref().is_none_or(is_nearer) {
                    nearest = Some((name.clone(), number, mismatch));
                }
            }
        }
        Decision { is_allowed: false, reason: Reason::NotAllowed { layer, nearest } }
    }
}

/// Number of parts of a statement that match before this one.
fn rank(mismatch: &Mismatch) -> usize {
    match mismatch {
        Mismatch::Principal => 0,
        Mismatch::Action => 1,
        Mismatch::Resource => 2,
        Mismatch::Condition { .. } => 3,
    }
}

impl Reason {
    fn new(layer: Layer, policy: &Text, number: usize, statement: &Statement) -> Self {
        Self::Statement { layer, policy: policy.clone(), number, sid: statement.sid.clone() }
    }
}

/// Finds the statement of a policy with principals that allows a request, and how it names the caller. Of several, it is the one
/// that names the caller most exactly.
fn find_allow(
    layer: Layer,
    (name, policy): &(Text, &Policy),
    request: &AccessRequest,
) -> Option<(Reason, NamedAs)> {
    let matches =
        |statement: &Statement| statement.effect == Effect::Allow && statement.check(request).is_ok();
    let matching = policy.statements().iter().enumerate().filter(|(_, statement)| matches(statement));
    let named = matching.filter_map(|(number, statement)| {
        let reason = Reason::new(layer, name, number, statement);
        Some((reason, statement.named_as(&request.principal)?))
    });
    named.max_by_key(|(_, named_as)| *named_as)
}

/// Finds the first statement of a policy that matches a request and has this effect.
fn find_statement(
    layer: Layer,
    (name, policy): &(Text, &Policy),
    effect: Effect,
    request: &AccessRequest,
) -> Option<Reason> {
    let mut statements = policy.statements().iter().enumerate();
    let matches = |statement: &Statement| statement.effect == effect && statement.check(request).is_ok();
    let (number, statement) = statements.find(|(_, statement)| matches(statement))?;
    Some(Reason::new(layer, name, number, statement))
}
