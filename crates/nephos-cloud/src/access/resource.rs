//! Resources in decisions: their owner, policies, tags and condition keys.

use super::{
    Permissions, PolicyForm, ResourceFacts, ServiceAccess,
    policies::{ALLOWS_EVERYTHING, CallerPolicies},
};
use crate::{AccessRequest, Caller, Context, Decision, Policy, PolicySet, Scope, Service, Tx};
use nephos_core::{Arn, Result, Text, shape::ServiceShape};
use std::{borrow::Cow, sync::Arc};

/// A decision, and the name of the resource in its refusal, if that is not its ARN.
pub(super) struct Decided {
    pub(super) decision: Decision,
    pub(super) shown: Option<Text>,
}

impl Tx<'_> {
    /// Decides over a request. The facts about the resource are added to it.
    pub(super) fn decide(&mut self, asked: &mut AccessRequest, policies: &CallerPolicies) -> Result<Decided> {
        let given = asked.resource.clone();
        let (facts, owner) = self.add_facts(asked)?;
        let shown = facts.shown.clone();
        let policy = self.parse_resource_policies(&facts)?;
        let mut set = policies.set();
        // The root of an account may do everything with what the account owns, unless the policy of a resource denies it, or is
        // needed and does not allow it.
        let is_owner =
            asked.principal.is_root() && owner == asked.principal.account && policies.is_unlimited();
        let everything = match is_owner {
            true => Some(self.parse_policy(&ALLOWS_EVERYTHING, PolicyForm::Identity)?),
            false => None,
        };
        if let Some(everything) = &everything {
            set.identity.push((Text::const_new("root"), everything));
        }
        set.resource = policy.as_deref().map(|policy| (asked.resource.clone(), policy));
        set.needs_resource_policy = facts.needs_policy;
        set.owner = Some(owner);
        let mut decision = set.decide(asked);
        if !decision.is_allowed && !decision.is_explicit_deny() {
            let grants = self.find_grants(&given, asked)?;
            set.grants = by_reference(&grants);
            decision = set.decide(asked);
        }
        if is_owner && decision.is_allowed {
            decision = Decision::root();
        }
        Ok(Decided { decision, shown })
    }

    /// Checks that the policies or grants of a resource of another account allow an action to the caller, while permissions are off.
    /// Otherwise this was decided before the operation.
    pub fn check_shared_access(&mut self, service: &ServiceShape, action: &str, arn: &str) -> Result<()> {
        if self.permissions != Permissions::Off {
            return Ok(());
        }
        let mut asked = AccessRequest::new(self.caller.principal(), action, arn);
        asked.context = self.caller_context()?;
        self.check_by_resource(service, asked)
    }

    /// Checks that the policies of a resource of another account allow an action to the caller for one entry of a request, with
    /// the values of condition keys that the entry has. With [`Permissions::Record`], nothing is refused.
    pub fn check_shared_entry(
        &mut self,
        service: &ServiceShape,
        action: &str,
        arn: &str,
        values: &[(&str, &str)],
    ) -> Result<()> {
        if self.permissions == Permissions::Record {
            return Ok(());
        }
        let mut asked = AccessRequest::new(self.caller.principal(), action, arn);
        asked.context = with_values(self.caller_context()?, values);
        self.check_by_resource(service, asked)
    }

    /// Checks that the policies of a resource allow an action to another account, with any enforcement of policies, and with the
    /// given values of condition keys.
    pub fn check_shared_with(
        &mut self,
        service: &ServiceShape,
        action: &str,
        arn: &str,
        account: &str,
        values: &[(&str, &str)],
    ) -> Result<()> {
        let mut asked = AccessRequest::new(Caller::root(account).principal(), action, arn);
        asked.context = with_values(asked.context, values);
        self.check_by_resource(service, asked)
    }

    /// Checks that the policies of a resource allow a request, with any enforcement of policies.
    fn check_by_resource(&mut self, service: &ServiceShape, mut asked: AccessRequest) -> Result<()> {
        let decided = self.decide_by_resource(&mut asked)?;
        if decided.decision.is_allowed {
            return Ok(());
        }
        Err(self.refusal(service, asked, &decided))
    }

    /// Decides over a request by the policies of the resource. The facts about the resource are added to it.
    pub(super) fn decide_by_resource(&mut self, asked: &mut AccessRequest) -> Result<Decided> {
        let arn = asked.resource.clone();
        let (facts, _) = self.add_facts(asked)?;
        let policy = self.parse_resource_policies(&facts)?;
        let resource = policy.as_deref().map(|policy| (asked.resource.clone(), policy));
        let grants = self.find_grants(&arn, asked)?;
        let set = PolicySet { resource, grants: by_reference(&grants), ..PolicySet::default() };
        let decision = set.decide_by_resource(asked);
        // A service that shows names shows the ARN that was given instead.
        let shown = facts.shown.map(|_| arn);
        Ok(Decided { decision, shown })
    }

    /// Adds the facts about the resource of a request to it. Returns them, and the account that owns the resource.
    fn add_facts(&mut self, asked: &mut AccessRequest) -> Result<(ResourceFacts, Text)> {
        if let Some(kept) = self.kept_arn(&asked.resource) {
            asked.resource = kept.into();
        }
        let arn = Arn::read(&asked.resource);
        let owner = arn.as_ref().and_then(owner).unwrap_or(&asked.principal.account);
        let owner = Text::new(owner);
        let mut context = std::mem::take(&mut asked.context).with("aws:ResourceAccount", owner.clone());
        let facts = match &arn {
            Some(arn) => self.find_resource(&asked.action, arn)?,
            None => ResourceFacts::default(),
        };
        for prefix in arn.iter().flat_map(|arn| self.tag_prefixes(arn)) {
            for (key, value) in &facts.tags {
                context = context.with(&[prefix, "ResourceTag/", key].concat(), value.clone());
            }
        }
        // A parameter with the same key may be the value that the resource is to get.
        context = facts.context.iter().fold(context, |context, (key, _)| context.without(key));
        for (key, value) in &facts.defaults {
            if !context.has(key) {
                context = context.with(key, value.clone());
            }
        }
        context =
            facts.context.iter().fold(context, |context, (key, value)| context.with(key, value.clone()));
        asked.context = context;
        if let Some(arn) = &facts.arn {
            asked.resource = arn.clone();
        }
        Ok((facts, owner))
    }

    /// Returns the ARN of a resource with its name as the service keeps it, if that is not how it was given: policies and tags are
    /// those of the kept name.
    fn kept_arn(&self, given: &str) -> Option<String> {
        let arn = Arn::read(given)?;
        match self.service_of(&arn)?.shape.kept_name(arn.resource()) {
            Cow::Owned(name) => Some([&given[..given.len() - name.len()], &name].concat()),
            Cow::Borrowed(_) => None,
        }
    }

    /// Finds the facts about a resource that matter for an action of a service, in the account and Region that its ARN names.
    fn find_resource(&mut self, action: &str, arn: &Arn) -> Result<ResourceFacts> {
        let Some((service, find)) = self.access_to(action, arn, |access| access.find_resource) else {
            return Ok(ResourceFacts::default());
        };
        let found = self.in_scope_of(service, arn, |cx| find(cx, arn))?;
        Ok(found.unwrap_or_default())
    }

    /// Finds the grants of a resource that may allow a request, parsed. `given` is the ARN that was asked for.
    fn find_grants(&mut self, given: &str, asked: &AccessRequest) -> Result<Vec<(Text, Arc<Policy>)>> {
        let Some(arn) = Arn::read(given) else { return Ok(Vec::new()) };
        let found = self.access_to(&asked.action, &arn, |access| access.find_grants);
        let Some((service, find)) = found else { return Ok(Vec::new()) };
        let grants = self.in_scope_of(service, &arn, |cx| find(cx, &arn, asked))?;
        grants
            .into_iter()
            .map(|(name, document)| Ok((name, self.parse_policy(&document, PolicyForm::Resource)?)))
            .collect()
    }

    /// Returns the service of an action on a resource, and one of the functions with which it takes part in decisions.
    fn access_to<F>(
        &self,
        action: &str,
        arn: &Arn,
        function: impl FnOnce(ServiceAccess) -> Option<F>,
    ) -> Option<(&'static Service, F)> {
        let (prefix, _) = action.split_once(':').unwrap_or((action, ""));
        match self.service_of(arn).filter(|service| service.shape.prefix().eq_ignore_ascii_case(prefix)) {
            Some(service) => Some((service, function(service.access)?)),
            None => self.access_of(action, function),
        }
    }

    /// Returns the service of an action, and one of the functions with which it takes part in decisions.
    pub(super) fn access_of<F>(
        &self,
        action: &str,
        function: impl FnOnce(ServiceAccess) -> Option<F>,
    ) -> Option<(&'static Service, F)> {
        let name = action.split_once(':').map_or(action, |(service, _)| service);
        let mut services = self.services.iter();
        let service = services.find(|service| service.shape.prefix().eq_ignore_ascii_case(name))?;
        Some((service, function(service.access)?))
    }

    /// Calls `body` in the account and Region that an ARN names.
    fn in_scope_of<T>(&mut self, service: &Service, arn: &Arn, body: impl FnOnce(&mut Self) -> T) -> T {
        let named = |part: &str, own: &str| if part.is_empty() { own.to_owned() } else { part.to_owned() };
        let account = named(arn.account(), self.scope.account());
        let scope = Scope::new(account, named(arn.region(), self.scope.region())).for_service(service.shape);
        self.in_scope(&scope, body)
    }

    /// Returns the prefixes of the condition keys with tags of a resource: `aws:`, and that of a service that has its own.
    fn tag_prefixes(&self, arn: &Arn) -> Vec<&'static str> {
        let listed = self.service_of(arn).map_or(&[][..], |service| service.shape.resource_keys);
        let keys = listed.iter().filter(|(start, _)| arn.resource().starts_with(start));
        let prefixes = keys.flat_map(|(_, keys)| *keys).filter_map(|key| key.split_once("ResourceTag/"));
        let own = prefixes.map(|(prefix, _)| prefix).filter(|prefix| *prefix != "aws:");
        std::iter::once("aws:").chain(own).collect()
    }

    /// Returns the service that an ARN names. Of several services with the same name in ARNs, it is the one that has the kind with
    /// such ARNs.
    pub(crate) fn service_of(&self, arn: &Arn) -> Option<&'static Service> {
        let named = self.services.iter().copied().filter(|service| service.shape.signing == arn.service());
        let fit = |service: &&Service| {
            let paths = service.shape.kinds.iter().map(|kind| kind.path);
            let paths = paths.filter(|path| path.read(arn.resource()).is_some());
            paths.map(|path| path.count_parts()).max()
        };
        // Of several that fit equally well, the last one is found.
        named.rev().max_by_key(fit)
    }
}

/// Adds values of condition keys.
fn with_values(context: Context, values: &[(&str, &str)]) -> Context {
    values.iter().fold(context, |context, (key, value)| context.with(key, *value))
}

fn by_reference(grants: &[(Text, Arc<Policy>)]) -> Vec<(Text, &Policy)> {
    grants.iter().map(|(name, policy)| (name.clone(), policy.as_ref())).collect()
}

/// Returns the account in an ARN.
fn owner(arn: &Arn) -> Option<&str> {
    Some(arn.account()).filter(|account| !account.is_empty() && *account != "aws")
}
