//! Resources in decisions: their owner, policies, tags and condition keys.

use super::{Permissions, ResourceFacts, policies::CallerPolicies};
use crate::{AccessRequest, Decision, PolicySet, Scope, Service, Tx};
use nephos_core::{Arn, Result, Text, shape::ServiceShape};

/// A decision, and the name of the resource in its refusal, if that is not its ARN.
pub(super) struct Decided {
    pub(super) decision: Decision,
    pub(super) shown: Option<Text>,
}

impl Tx<'_> {
    /// Decides over a request. The facts about the resource are added to it.
    pub(super) fn decide(&mut self, asked: &mut AccessRequest, policies: &CallerPolicies) -> Result<Decided> {
        let (facts, owner) = self.add_facts(asked)?;
        let shown = facts.shown;
        // The root of an account cannot be locked out of what the account owns.
        if asked.principal.is_root() && owner == asked.principal.account && policies.is_unlimited() {
            return Ok(Decided { decision: Decision::root(), shown });
        }
        let policy = self.parse_resource_policies(&facts.policies)?;
        let mut set = policies.set();
        set.resource = policy.as_deref().map(|policy| (asked.resource.clone(), policy));
        set.owner = Some(owner);
        Ok(Decided { decision: set.decide(asked), shown })
    }

    /// Checks that the policies of a resource of another account allow an action to the caller, while permissions are off.
    /// Otherwise this was decided before the operation.
    pub fn check_shared_access(&mut self, service: &ServiceShape, action: &str, arn: &str) -> Result<()> {
        if self.permissions != Permissions::Off {
            return Ok(());
        }
        let mut asked = AccessRequest::new(self.caller.principal(), action, arn);
        asked.context = self.caller_context()?;
        self.check_by_resource(service, asked)
    }

    /// Checks that the policies of a resource allow a request.
    pub(super) fn check_by_resource(
        &mut self,
        service: &ServiceShape,
        mut asked: AccessRequest,
    ) -> Result<()> {
        let arn = asked.resource.clone();
        let (facts, _) = self.add_facts(&mut asked)?;
        let policy = self.parse_resource_policies(&facts.policies)?;
        let resource = policy.as_deref().map(|policy| (asked.resource.clone(), policy));
        let set = PolicySet { resource, ..PolicySet::default() };
        let decision = set.decide_by_resource(&asked);
        if decision.is_allowed {
            return Ok(());
        }
        Err(self.refusal(service, asked, &Decided { decision, shown: Some(arn) }))
    }

    /// Adds the facts about the resource of a request to it. Returns them, and the account that owns the resource.
    fn add_facts(&mut self, asked: &mut AccessRequest) -> Result<(ResourceFacts, Text)> {
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
        for (key, value) in &facts.context {
            // A parameter with the same key may be the value that the resource is to get.
            context = context.without(key).with(key, value.clone());
        }
        asked.context = context;
        if let Some(arn) = &facts.arn {
            asked.resource = arn.clone();
        }
        Ok((facts, owner))
    }

    /// Finds the facts about a resource that matter for an action of a service, in the account and Region that its ARN names.
    fn find_resource(&mut self, action: &str, arn: &Arn) -> Result<ResourceFacts> {
        let name = action.split_once(':').map_or(action, |(service, _)| service);
        let service = self.services.iter().find(|service| service.shape.signing.eq_ignore_ascii_case(name));
        let Some((service, find)) =
            service.and_then(|service| Some((service, service.access.find_resource?)))
        else {
            return Ok(ResourceFacts::default());
        };
        let named = |part: &str, own: &str| if part.is_empty() { own.to_owned() } else { part.to_owned() };
        let account = named(arn.account(), self.scope.account());
        let scope = Scope::new(account, named(arn.region(), self.scope.region())).for_service(service.shape);
        let found = self.in_scope(&scope, |cx| find(cx, arn))?;
        Ok(found.unwrap_or_default())
    }

    /// Returns the prefixes of the condition keys with tags of a resource: `aws:`, and that of a service that has its own.
    fn tag_prefixes(&self, arn: &Arn) -> Vec<&'static str> {
        let listed = self.service_of(arn).map_or(&[][..], |service| service.shape.resource_keys);
        let keys = listed.iter().filter(|(start, _)| arn.resource().starts_with(start));
        let prefixes = keys.flat_map(|(_, keys)| *keys).filter_map(|key| key.split_once("ResourceTag/"));
        let own = prefixes.map(|(prefix, _)| prefix).filter(|prefix| *prefix != "aws:");
        std::iter::once("aws:").chain(own).collect()
    }

    /// Returns the service that an ARN names.
    fn service_of(&self, arn: &Arn) -> Option<&'static Service> {
        self.services.iter().find(|service| service.shape.signing == arn.service()).copied()
    }
}

/// Returns the account in an ARN.
fn owner(arn: &Arn) -> Option<&str> {
    Some(arn.account()).filter(|account| !account.is_empty() && *account != "aws")
}
