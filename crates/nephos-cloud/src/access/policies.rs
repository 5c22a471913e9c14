//! The policies that apply to a caller, read from the store and parsed.

use super::{Identities, Identity, ResourceFacts, TemporarySession};
use crate::{Policy, PolicyRules, PolicySet, Resources, Scope, Tx, corrupt};
use nephos_core::{Arn, Result, Text, shape::ServiceShape};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Maximum number of parsed policies that are kept.
const MAX_CACHED: usize = 4096;

/// Rules for stored policies, which were checked when they were stored.
const STORED: PolicyRules = PolicyRules {
    resources: Resources::Any,
    ..PolicyRules::new("PolicyDocument", |reason| corrupt(format!("a stored policy is malformed: {reason}")))
};

/// Form of a stored policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PolicyForm {
    /// Of a user, group, role or session: resources, and no principals.
    Identity,
    /// Of a resource: principals and resources.
    #[default]
    Resource,
    /// Trust policy of a role: principals, and no resources.
    Trust,
}

/// Parsed policies by their documents and forms.
#[derive(Default)]
pub(crate) struct PolicyCache(Mutex<Parsed>);

type Parsed = HashMap<(Text, PolicyForm), Arc<Policy>>;

impl PolicyCache {
    /// Parses a stored policy.
    fn parse(&self, document: &Text, form: PolicyForm) -> Result<Arc<Policy>> {
        let key = (document.clone(), form);
        if let Some(known) = self.lock().get(&key) {
            return Ok(known.clone());
        }
        let has_principals = form != PolicyForm::Identity;
        let resources = if form == PolicyForm::Trust { Resources::None } else { Resources::Any };
        let parsed = Arc::new(PolicyRules { has_principals, resources, ..STORED }.parse(document)?);
        let mut policies = self.lock();
        if policies.len() >= MAX_CACHED {
            policies.clear();
        }
        policies.insert(key, parsed.clone());
        Ok(parsed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Parsed> {
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
                let everything = cx.policies.parse(&ALLOWS_EVERYTHING, PolicyForm::Identity)?;
                policies.named.push((Text::const_new("root"), everything));
            }
            policies.session = session_policies(cx, identities, account, session)?;
        }
        Ok(policies)
    }

    /// Parses the policies of a user or role.
    pub(super) fn of_identity(cx: &Tx<'_>, identity: Option<Identity>) -> Result<Self> {
        let Some(identity) = identity else { return Ok(Self::default()) };
        let parse = |(name, document): &(Text, Text)| {
            Ok((name.clone(), cx.policies.parse(document, PolicyForm::Identity)?))
        };
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
        found.push((Text::const_new("inline"), cx.policies.parse(document, PolicyForm::Identity)?));
    }
    for arn in session.policy_arns.iter().flatten() {
        // A policy that was deleted allows nothing, but still limits the session.
        let document = identities.find_policy(cx, account, arn)?;
        let document = document.unwrap_or_else(|| Text::const_new(ALLOWS_NOTHING));
        found.push((arn.clone(), cx.policies.parse(&document, PolicyForm::Identity)?));
    }
    Ok(found)
}

/// A policy that allows everything.
pub(super) static ALLOWS_EVERYTHING: Text =
    Text::const_new(r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}"#);

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

    /// False if an ARN of a principal in a policy names a user, a role or a session of a role that does not exist, or no principal.
    /// True for every other principal if this cloud has no service that knows users and roles.
    pub fn has_principal(&mut self, arn: &str) -> Result<bool> {
        let (Some([_, service, _, account, resource]), Some(identities)) =
            (Arn::parts(arn), self.identities())
        else {
            return Ok(Arn::parts(arn).is_some());
        };
        if Scope::check_account(account).is_err() {
            return Ok(false);
        }
        Ok(match (service, resource.split('/').next()) {
            ("iam", Some("root")) | ("sts", Some("federated-user")) => true,
            ("iam", Some("user" | "role")) => {
                identities.find_by_arn(self, arn)?.is_some_and(|found| found.arn == arn)
            }
            ("sts", Some("assumed-role")) => identities.find_by_arn(self, arn)?.is_some(),
            _ => false,
        })
    }

    /// Parses a stored policy of this form.
    pub fn parse_policy(&self, document: &Text, form: PolicyForm) -> Result<Arc<Policy>> {
        self.policies.parse(document, form)
    }

    /// Parses the policies of a resource, and joins them; `None` if it has none.
    pub(super) fn parse_resource_policies(&self, facts: &ResourceFacts) -> Result<Option<Arc<Policy>>> {
        let parsed = facts.policies.iter().map(|document| self.policies.parse(document, facts.policy_form));
        let mut parsed = parsed.collect::<Result<Vec<_>>>()?;
        Ok(match parsed.len() {
            0 | 1 => parsed.pop(),
            _ => Some(Arc::new(Policy::join(parsed.iter().map(AsRef::as_ref)))),
        })
    }
}
