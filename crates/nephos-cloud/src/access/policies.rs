//! The policies that apply to a caller, read from the store and parsed.

use super::{Identities, Identity, TemporarySession};
use crate::{Policy, PolicyRules, PolicySet, Tx, corrupt};
use nephos_core::{Result, Text, shape::ServiceShape};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Maximum number of parsed policies that are kept.
const MAX_CACHED: usize = 4096;

/// Rules for stored policies, which were checked when they were stored.
const STORED: PolicyRules = PolicyRules {
    malformed: |reason| corrupt(format!("a stored policy is malformed: {reason}")),
    parameter: "PolicyDocument",
    has_principals: false,
    has_resources: true,
    service: None,
};

/// Parsed policies by their documents.
#[derive(Default)]
pub(crate) struct PolicyCache(Mutex<HashMap<(Text, bool), Arc<Policy>>>);

impl PolicyCache {
    /// Parses a stored policy; one of a resource has principals.
    fn parse(&self, document: &Text, has_principals: bool) -> Result<Arc<Policy>> {
        let key = (document.clone(), has_principals);
        if let Some(known) = self.lock().get(&key) {
            return Ok(known.clone());
        }
        let rules = PolicyRules { has_principals, ..STORED };
        let parsed = match rules.parse(document) {
            // Trust policies of roles have principals, and no resources.
            Err(refused) if has_principals => {
                PolicyRules { has_resources: false, ..rules }.parse(document).map_err(|_| refused)?
            }
            parsed => parsed?,
        };
        let parsed = Arc::new(parsed);
        let mut policies = self.lock();
        if policies.len() >= MAX_CACHED {
            policies.clear();
        }
        policies.insert(key, parsed.clone());
        Ok(parsed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(Text, bool), Arc<Policy>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The policies of a caller.
#[derive(Debug, Default)]
pub(super) struct CallerPolicies {
    /// The user or role, if the caller is one and it still exists.
    pub(super) identity: Option<Identity>,
    named: Vec<(Text, Arc<Policy>)>,
    boundary: Option<(Text, Arc<Policy>)>,
    session: Vec<(Text, Arc<Policy>)>,
}

impl CallerPolicies {
    /// Reads the policies of the caller.
    pub(super) fn of_caller(cx: &mut Tx<'_>) -> Result<Self> {
        let caller = cx.caller.clone();
        Self::read(cx, caller.account(), caller.identity(), caller.session())
    }

    /// Reads the policies of a user or role of an account, by its unique ID, and of a session.
    pub(super) fn read(
        cx: &mut Tx<'_>,
        account: &str,
        id: Option<&str>,
        session: Option<&TemporarySession>,
    ) -> Result<Self> {
        let Some(identities) = cx.identities() else { return Ok(Self::default()) };
        let identity = id.map_or(Ok(None), |id| identities.find(cx, account, id))?;
        let mut policies = Self::of_identity(cx, identity)?;
        if let Some(session) = session {
            if id.is_none() {
                // A federated user of the root has the permissions of the root, within its session policies.
                let everything = Text::const_new(ALLOWS_EVERYTHING);
                policies.named.push((Text::const_new("root"), cx.policies.parse(&everything, false)?));
            }
            policies.session = session_policies(cx, identities, account, session)?;
        }
        Ok(policies)
    }

    /// Parses the policies of a user or role.
    pub(super) fn of_identity(cx: &Tx<'_>, identity: Option<Identity>) -> Result<Self> {
        let Some(identity) = identity else { return Ok(Self::default()) };
        let parse = |(name, document): &(Text, Text)| Ok((name.clone(), cx.policies.parse(document, false)?));
        let named = identity.policies.iter().map(parse).collect::<Result<_>>()?;
        let boundary = identity.boundary.as_ref().map(parse).transpose()?;
        Ok(Self { identity: Some(identity), named, boundary, session: Vec::new() })
    }

    /// True if neither a boundary nor the session limits the caller.
    pub(super) fn is_unlimited(&self) -> bool {
        self.boundary.is_none() && self.session.is_empty()
    }

    /// Returns the policies as they take part in a decision.
    pub(super) fn set(&self) -> PolicySet<'_> {
        PolicySet {
            identity: self.named.iter().map(by_reference).collect(),
            boundary: self.boundary.as_ref().map(by_reference),
            session: self.session.iter().map(by_reference).collect(),
            ..PolicySet::default()
        }
    }
}

fn by_reference((name, policy): &(Text, Arc<Policy>)) -> (Text, &Policy) {
    (name.clone(), policy)
}

fn session_policies(
    cx: &mut Tx<'_>,
    identities: &dyn Identities,
    account: &str,
    session: &TemporarySession,
) -> Result<Vec<(Text, Arc<Policy>)>> {
    let mut found = Vec::new();
    for document in session.policies.iter().flatten() {
        found.push((Text::const_new("inline"), cx.policies.parse(document, false)?));
    }
    for arn in session.policy_arns.iter().flatten() {
        // A policy that was deleted allows nothing, but still limits the session.
        let document = identities.find_policy(cx, account, arn)?;
        let document = document.unwrap_or_else(|| Text::const_new(ALLOWS_NOTHING));
        found.push((arn.clone(), cx.policies.parse(&document, false)?));
    }
    Ok(found)
}

/// A policy that allows everything.
const ALLOWS_EVERYTHING: &str =
    r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}"#;

/// A policy that allows nothing.
pub const ALLOWS_NOTHING: &str =
    r#"{"Version":"2012-10-17","Statement":{"Effect":"Deny","NotAction":"*","Resource":"*"}}"#;

impl Tx<'_> {
    /// The service that knows users and roles, if this cloud has it.
    pub(crate) fn identities(&self) -> Option<&'static dyn Identities> {
        self.services.iter().find_map(|service| service.access.identities)
    }

    /// Descriptions of the services of this cloud.
    pub fn service_shapes(&self) -> impl Iterator<Item = &'static ServiceShape> + use<> {
        self.services.iter().map(|service| service.shape)
    }

    /// Parses the stored policy of a user, group or role.
    pub fn parse_identity_policy(&self, document: &Text) -> Result<Arc<Policy>> {
        self.policies.parse(document, false)
    }

    /// Parses the stored policy of a resource, or the trust policy of a role.
    pub fn parse_resource_policy(&self, document: &Text) -> Result<Arc<Policy>> {
        self.policies.parse(document, true)
    }

    /// Parses the policies of a resource, and joins them; `None` if it has none.
    pub(super) fn parse_resource_policies(&self, documents: &[Text]) -> Result<Option<Arc<Policy>>> {
        let parsed = documents.iter().map(|document| self.policies.parse(document, true));
        let mut parsed = parsed.collect::<Result<Vec<_>>>()?;
        Ok(match parsed.len() {
            0 | 1 => parsed.pop(),
            _ => Some(Arc::new(Policy::join(parsed.iter().map(AsRef::as_ref)))),
        })
    }
}
