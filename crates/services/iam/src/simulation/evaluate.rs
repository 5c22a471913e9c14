//! Evaluation of simulated requests.

use super::{
    EvaluationDecision, EvaluationResult, MatchedStatement, OrganizationsDecisionDetail,
    PermissionsBoundaryDecisionDetail, PolicySourceType, Position, ResourceSpecificResult,
    SimulationParameters,
    source::Source,
    statements::{self, KeyNames},
};
use crate::{errors, paging::PAGE_SIZE};
use nephos_cloud::{
    AccessRequest, Context, Decision, Effect, Malformed, Mismatch, Policy, PolicyRules, PolicySet, Principal,
    Tx,
};
use nephos_core::{Arn, Error, Map, Operation, Result, Text};

/// Rules for simulated policies of identities.
const IDENTITY: PolicyRules = PolicyRules::new("PolicyInputList", malformed);

/// Rules for simulated policies of resources.
const RESOURCE: PolicyRules = PolicyRules { parameter: "ResourcePolicy", has_principals: true, ..IDENTITY };

fn malformed(reason: &Malformed) -> Error {
    errors::simulated_policy_invalid("The document", reason)
}

/// Maximum work for one page: bytes of the policies, for every [`WEIGHED_LENGTH`] characters of the resource and for each
/// request. A page with more ends early, as the service may end any page.
pub const MAX_PAGE_WORK: usize = 1 << 25;

/// Number of characters of a resource that count as one unit of work with each byte of the policies.
pub const WEIGHED_LENGTH: usize = 16;

/// A policy of a simulation.
pub(super) struct SimulatedPolicy {
    /// Name in the results.
    id: Text,
    source_type: PolicySourceType,
    parsed: Policy,
    /// Number of bytes of the document.
    size: usize,
    positions: Vec<[Position; 2]>,
    /// Context keys of each statement.
    keys: Vec<Vec<Text>>,
}

impl SimulatedPolicy {
    fn new(id: Text, text: &str, rules: &PolicyRules, source_type: PolicySourceType) -> Result<Self> {
        let parsed = rules.parse(text)?;
        let (positions, keys) = (statements::positions(text), statements::context_keys(text));
        Ok(Self { id, source_type, parsed, size: text.len(), positions, keys })
    }

    /// Parses a stored policy.
    pub(super) fn stored(id: Text, text: &str) -> Result<Self> {
        Self::new(id, text, &IDENTITY, PolicySourceType::IamPolicy)
    }

    /// Parses the policies of a parameter.
    pub(super) fn read_inputs(parameter: &'static str, documents: Option<&[Text]>) -> Result<Vec<Self>> {
        let rules = PolicyRules { parameter, ..IDENTITY };
        let numbered = documents.unwrap_or_default().iter().zip(1..);
        let read = |(text, number): (&Text, usize)| {
            let id = format!("{parameter}.{number}").into();
            Self::new(id, text, &rules, PolicySourceType::IamPolicy)
        };
        numbered.map(read).collect()
    }

    fn named(&self) -> (Text, &Policy) {
        (self.id.clone(), &self.parsed)
    }

    fn effect_on(&self, request: &AccessRequest) -> Option<Effect> {
        self.parsed.evaluate(request).map(|(effect, _)| effect)
    }

    /// Adds the statements that match a request and have this effect.
    fn add_matching(&self, request: &AccessRequest, effect: Effect, found: &mut Vec<MatchedStatement>) {
        for (number, statement) in self.parsed.statements().iter().enumerate() {
            if statement.effect == effect && statement.check(request).is_ok() {
                let [start, end] =
                    self.positions.get(number).cloned().map_or([None, None], |at| at.map(Some));
                found.push(MatchedStatement {
                    source_policy_id: Some(self.id.clone()),
                    source_policy_type: Some(self.source_type.clone()),
                    start_position: start,
                    end_position: end,
                });
            }
        }
    }

    /// Adds the context keys of statements about the action that a request does not have.
    fn add_missing_keys(&self, request: &AccessRequest, missing: &mut KeyNames) {
        for (statement, keys) in self.parsed.statements().iter().zip(&self.keys) {
            if matches!(statement.check(request), Err(Mismatch::Principal | Mismatch::Action)) {
                continue;
            }
            let is_missing =
                |key: &&Text| !request.context.iter().any(|(known, _)| key.eq_ignore_ascii_case(known));
            keys.iter().filter(is_missing).for_each(|key| missing.add(key));
        }
    }
}

/// A simulation: the policies, and facts about its requests.
pub(super) struct Simulation {
    pub(super) identity: Vec<SimulatedPolicy>,
    /// Service control policies by level.
    pub(super) organization: Vec<Vec<SimulatedPolicy>>,
    boundary: Option<SimulatedPolicy>,
    resource: Option<SimulatedPolicy>,
    principal: Principal,
    context: Context,
    /// Owner of resources whose ARN has no account.
    owner: Text,
}

impl Simulation {
    /// Creates a simulation with the policies of a source.
    pub(super) fn new(cx: &Tx<'_>, source: Option<Source>, requests: &SimulationParameters) -> Result<Self> {
        let account = Text::new(cx.scope().account());
        let mut boundary = None;
        let (mut identity, mut context, mut caller) = (Vec::new(), Context::default(), Text::default());
        if let Some(source) = source {
            identity = source.simulated_policies()?;
            context = source.context;
            if let Some((arn, text)) = &source.boundary {
                boundary = Some(SimulatedPolicy::stored(crate::entity::name_in_arn(arn).into(), text)?);
            }
            caller = source.arn.unwrap_or_default();
        }
        let parameter = "PermissionsBoundaryPolicyInputList";
        let mut boundaries = SimulatedPolicy::read_inputs(
            parameter,
            requests.permissions_boundary_policy_input_list.as_deref(),
        )?;
        if boundaries.len() > 1 {
            return Err(errors::one_boundary().with_field(parameter));
        }
        if let Some(arn) = &requests.caller_arn {
            if !Arn::parts(arn).is_some_and(|[.., resource]| resource.starts_with("user/")) {
                return Err(errors::source_arn_invalid(arn).with_field("CallerArn"));
            }
            caller = arn.clone();
            context = context.without("aws:PrincipalArn").with("aws:PrincipalArn", arn.clone());
        }
        let caller_account =
            Arn::parts(&caller).map_or(account.clone(), |[_, _, _, account, _]| account.into());
        context = context.with("aws:PrincipalAccount", caller_account.clone());
        for entry in requests.context_entries.iter().flatten() {
            let key = entry.context_key_name.as_deref().unwrap_or_default();
            context = context.without(key);
            for value in entry.context_key_values.iter().flatten() {
                context = context.with(key, value.clone());
            }
        }
        let read = |text: &Text| {
            SimulatedPolicy::new("ResourcePolicy".into(), text, &RESOURCE, PolicySourceType::Resource)
        };
        Ok(Self {
            identity,
            organization: Vec::new(),
            boundary: boundaries.pop().or(boundary),
            resource: requests.resource_policy.as_ref().map(read).transpose()?,
            principal: Principal::new(caller_account, caller),
            context,
            owner: requests.resource_owner.as_ref().map(read_owner).transpose()?.unwrap_or(account),
        })
    }

    /// Returns the number of requests on a page: that which the caller wants, or less if the work would exceed
    /// [`MAX_PAGE_WORK`].
    pub(super) fn page_size(&self, wanted: Option<i64>, resources: Option<&[Text]>) -> i64 {
        let identity = self.identity.iter().chain(&self.boundary).chain(&self.resource);
        let bytes: usize = identity.chain(self.organization.iter().flatten()).map(|policy| policy.size).sum();
        let longest = resources.unwrap_or_default().iter().map(|resource| resource.len()).max();
        limit_page(wanted.unwrap_or(PAGE_SIZE), bytes, longest.unwrap_or_default())
    }

    /// Returns one page of the decisions over each action on each resource.
    pub(super) fn page(
        &self,
        cx: &Tx<'_>,
        query: &impl Operation,
        actions: &[Text],
        resources: Option<&[Text]>,
    ) -> Result<(Vec<EvaluationResult>, Option<Text>)> {
        if let Some(action) = actions.iter().find(|action| !action.contains(':')) {
            return Err(errors::action_invalid(action).with_field("ActionNames"));
        }
        let everything = [Text::const_new("*")];
        let resources = resources.filter(|resources| !resources.is_empty()).unwrap_or(&everything);
        let is_valid = |resource: &&Text| *resource == "*" || Arn::parts(resource).is_some();
        if let Some(resource) = resources.iter().find(|resource| !is_valid(resource)) {
            return Err(errors::resource_names_invalid(resource).with_field("ResourceArns"));
        }
        let pairs =
            actions.iter().flat_map(|action| resources.iter().map(move |resource| (action, resource)));
        let (pairs, marker) = cx.page_list(query, pairs)?;
        Ok((pairs.into_iter().map(|(action, resource)| self.evaluate(action, resource)).collect(), marker))
    }

    fn evaluate(&self, action: &Text, resource: &Text) -> EvaluationResult {
        let mut request = AccessRequest::new(self.principal.clone(), action.clone(), resource.clone());
        request.context = self.context.clone();
        let owner = self.resource.as_ref().map(|_| self.owner_of(resource));
        let set = PolicySet {
            identity: self.identity.iter().map(SimulatedPolicy::named).collect(),
            boundary: self.boundary.as_ref().map(SimulatedPolicy::named),
            session: Vec::new(),
            resource: self.resource.as_ref().map(SimulatedPolicy::named),
            owner: owner.clone(),
            ..PolicySet::default()
        };
        let by_organization = self.decide_by_organization(&request);
        let decision = match (to_decision(&set.decide(&request)), &by_organization) {
            (EvaluationDecision::Allowed, Some(limit)) => limit.clone(),
            (_, Some(EvaluationDecision::ExplicitDeny)) => EvaluationDecision::ExplicitDeny,
            (decision, _) => decision,
        };
        let (matched, missing) = (self.matched(&request, &decision), self.missing_keys(&request));
        let boundary = self.boundary.as_ref().map(|boundary| PermissionsBoundaryDecisionDetail {
            allowed_by_permissions_boundary: Some(boundary.effect_on(&request) == Some(Effect::Allow)),
        });
        let is_specific = resource != "*";
        let details = is_specific.then(|| self.details(&set, &request, owner.as_ref()));
        let specific = ResourceSpecificResult {
            eval_resource_name: Some(resource.clone()),
            eval_resource_decision: Some(decision.clone()),
            matched_statements: Some(matched.clone()),
            missing_context_values: Some(missing.clone()),
            eval_decision_details: details.clone().filter(|details| !details.is_empty()),
            permissions_boundary_decision_detail: boundary.clone(),
        };
        EvaluationResult {
            eval_action_name: Some(action.clone()),
            eval_resource_name: Some(resource.clone()),
            organizations_decision_detail: by_organization.map(|decision| OrganizationsDecisionDetail {
                allowed_by_organizations: Some(decision == EvaluationDecision::Allowed),
            }),
            eval_decision: Some(decision),
            matched_statements: Some(matched),
            // With resources, the missing keys are in their results.
            missing_context_values: Some(if is_specific { Vec::new() } else { missing }),
            permissions_boundary_decision_detail: boundary,
            eval_decision_details: details,
            resource_specific_results: is_specific.then(|| vec![specific]),
        }
    }

    /// Returns the account that owns a resource.
    fn owner_of(&self, resource: &str) -> Text {
        match Arn::parts(resource) {
            Some([_, _, _, account, _]) if !account.is_empty() => account.into(),
            _ => self.owner.clone(),
        }
    }

    /// Decides by the service control policies, each level of which must allow a request; `None` if there are none.
    fn decide_by_organization(&self, request: &AccessRequest) -> Option<EvaluationDecision> {
        let effects = |level: &Vec<SimulatedPolicy>| -> Vec<_> {
            level.iter().filter_map(|policy| policy.effect_on(request)).collect()
        };
        let levels: Vec<_> = self.organization.iter().map(effects).collect();
        if levels.is_empty() {
            return None;
        }
        Some(if levels.iter().flatten().any(|effect| *effect == Effect::Deny) {
            EvaluationDecision::ExplicitDeny
        } else if levels.iter().all(|level| level.contains(&Effect::Allow)) {
            EvaluationDecision::Allowed
        } else {
            EvaluationDecision::ImplicitDeny
        })
    }

    /// Returns the decisions by type of policy, for a resource of another account; empty for one of the same account.
    fn details(
        &self,
        set: &PolicySet<'_>,
        request: &AccessRequest,
        owner: Option<&Text>,
    ) -> Map<EvaluationDecision> {
        if owner.is_none_or(|owner| *owner == self.principal.account) {
            return Map::default();
        }
        let by_identity = PolicySet { resource: None, owner: None, ..set.clone() };
        let by_resource = match self.resource.as_ref().and_then(|policy| policy.effect_on(request)) {
            Some(Effect::Allow) => EvaluationDecision::Allowed,
            Some(Effect::Deny) => EvaluationDecision::ExplicitDeny,
            None => EvaluationDecision::ImplicitDeny,
        };
        let by_identity = to_decision(&by_identity.decide(request));
        [("IAM Policy", by_identity), ("Resource Policy", by_resource)]
            .into_iter()
            .map(|(kind, decision)| (Text::const_new(kind), decision))
            .collect()
    }

    /// Returns the statements that decide: those that deny, or those that allow.
    fn matched(&self, request: &AccessRequest, decision: &EvaluationDecision) -> Vec<MatchedStatement> {
        let mut found = Vec::new();
        let granting = self.identity.iter().chain(&self.resource);
        match decision {
            EvaluationDecision::Allowed => {
                granting.for_each(|policy| policy.add_matching(request, Effect::Allow, &mut found));
            }
            EvaluationDecision::ExplicitDeny => granting
                .chain(&self.boundary)
                .chain(self.organization.iter().flatten())
                .for_each(|policy| policy.add_matching(request, Effect::Deny, &mut found)),
            _ => {}
        }
        found
    }

    fn missing_keys(&self, request: &AccessRequest) -> Vec<Text> {
        let mut missing = KeyNames::default();
        let policies = self.identity.iter().chain(&self.resource).chain(&self.boundary);
        policies.for_each(|policy| policy.add_missing_keys(request, &mut missing));
        missing.into()
    }
}

/// Limits a page of requests with policies of this many bytes and resources of this length; one request is always left.
pub fn limit_page(wanted: i64, bytes: usize, resource_length: usize) -> i64 {
    let work = bytes.max(1).saturating_mul(1 + resource_length / WEIGHED_LENGTH);
    let affordable = i64::try_from(MAX_PAGE_WORK / work).unwrap_or(i64::MAX);
    wanted.min(affordable.max(1))
}

fn to_decision(decision: &Decision) -> EvaluationDecision {
    match decision.is_allowed {
        true => EvaluationDecision::Allowed,
        false if decision.is_explicit_deny() => EvaluationDecision::ExplicitDeny,
        false => EvaluationDecision::ImplicitDeny,
    }
}

/// Returns the account of the ARN of a root.
fn read_owner(owner: &Text) -> Result<Text> {
    match Arn::parts(owner) {
        Some([_, "iam", _, account, "root"]) if account.len() == 12 => Ok(account.into()),
        _ => Err(errors::resource_owner_invalid(owner).with_field("ResourceOwner")),
    }
}
