//! Statements of policies, ready to be evaluated.

use super::{
    condition::Condition,
    pattern::Pattern,
    request::{AccessRequest, NamedAs, Principal, PrincipalKind},
    to_texts,
};
use nephos_core::{Map, Text, Value};

/// Effect of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The statement allows what it matches.
    Allow,
    /// The statement denies what it matches, whatever others allow.
    Deny,
}

/// The first part of a statement that does not match a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The statement is about other callers.
    Principal,
    /// The statement is about other actions.
    Action,
    /// The statement is about other resources.
    Resource,
    /// A condition does not hold: its operator and key.
    Condition {
        /// Operator: `StringEquals`.
        operator: String,
        /// Context key: `aws:SourceIp`.
        key: String,
    },
}

/// A statement of a policy.
#[derive(Clone, Debug)]
pub struct Statement {
    /// ID of the statement, if it has one.
    pub sid: Option<Text>,
    /// Effect on the requests that it matches.
    pub effect: Effect,
    /// Callers; none in policies of identities, which are about their owner.
    principals: Option<Element<Named>>,
    actions: Element<Pattern>,
    resources: Element<Pattern>,
    conditions: Vec<Condition>,
}

/// An element of a statement: what it lists, or, negated, everything else.
#[derive(Clone, Debug)]
struct Element<T> {
    listed: Vec<T>,
    is_negated: bool,
}

impl<T> Element<T> {
    fn matches(&self, matches: impl Fn(&T) -> bool) -> bool {
        self.listed.iter().any(matches) != self.is_negated
    }
}

/// A principal in a policy: its kind and name.
#[derive(Clone, Debug)]
struct Named {
    kind: PrincipalKind,
    name: String,
}

impl Statement {
    /// Reads a statement of a valid policy document.
    pub(super) fn read(statement: &Map<Value>, has_variables: bool) -> Self {
        let element = |name: &str, negated: &str| {
            let is_negated = !statement.contains_key(name);
            let value = statement.get(if is_negated { negated } else { name });
            (value, is_negated)
        };
        let patterns = |name: &str, negated: &str, has_variables: bool| {
            let (value, is_negated) = element(name, negated);
            let texts = value.and_then(to_texts).unwrap_or_default();
            let listed = texts.into_iter().map(|text| Pattern::parse(text, has_variables)).collect();
            Element { listed, is_negated }
        };
        let (principals, is_negated) = element("Principal", "NotPrincipal");
        let is_deny = statement.get("Effect").and_then(Value::as_text) == Some("Deny");
        Self {
            sid: statement.get("Sid").and_then(Value::as_text).map(Text::from),
            effect: if is_deny { Effect::Deny } else { Effect::Allow },
            principals: principals.map(|value| Element { listed: read_principals(value), is_negated }),
            actions: patterns("Action", "NotAction", false),
            resources: patterns("Resource", "NotResource", has_variables),
            conditions: read_conditions(statement.get("Condition"), has_variables),
        }
    }

    /// Compares the statement with a request; an error is the first part that does not match.
    pub fn check(&self, request: &AccessRequest) -> Result<(), Mismatch> {
        if self.principals.is_some() && self.named_as(&request.principal).is_none() {
            return Err(Mismatch::Principal);
        }
        let context = &request.context;
        // An Allow with a variable that has no value does not apply, also where it would match everything else.
        if self.effect == Effect::Allow
            && !self.resources.listed.iter().all(|resource| resource.has_values(context))
        {
            return Err(Mismatch::Resource);
        }
        if !self.actions.matches(|action| action.matches(&request.action, true, context)) {
            return Err(Mismatch::Action);
        }
        if !self.resources.matches(|resource| resource.matches(&request.resource, false, context)) {
            return Err(Mismatch::Resource);
        }
        let applies = |condition: &Condition| {
            condition.holds(context) && (self.effect == Effect::Deny || condition.has_values(context))
        };
        match self.conditions.iter().find(|condition| !applies(condition)) {
            Some(Condition { written, key, .. }) => {
                Err(Mismatch::Condition { operator: written.clone(), key: key.clone() })
            }
            None => Ok(()),
        }
    }

    /// Returns in which way the statement names a caller; `None` if it is about others, or about the owner of the policy.
    pub(super) fn named_as(&self, principal: &Principal) -> Option<NamedAs> {
        let principals = self.principals.as_ref()?;
        let named = |named: &Named| match named.kind {
            PrincipalKind::Aws if named.name == "*" => Some(NamedAs::Caller),
            kind if kind != principal.kind => None,
            PrincipalKind::Aws => principal.named_as(&named.name),
            _ => (named.name == principal.arn).then_some(NamedAs::Caller),
        };
        let found = principals.listed.iter().filter_map(named).max();
        match principals.is_negated {
            false => found,
            true => found.is_none().then_some(NamedAs::Caller),
        }
    }

    /// Principals that the statement names, or excludes.
    pub(super) fn principals(&self) -> impl Iterator<Item = (PrincipalKind, &str)> {
        let listed = self.principals.iter().flat_map(|principals| &principals.listed);
        listed.map(|named| (named.kind, named.name.as_str()))
    }

    /// True if a condition is about this context key.
    pub fn has_condition_on(&self, key: &str) -> bool {
        self.conditions.iter().any(|condition| condition.key.eq_ignore_ascii_case(key))
    }
}

fn read_principals(value: &Value) -> Vec<Named> {
    let Value::Map(by_kind) = value else {
        // The only principal without a kind is everybody.
        return vec![Named { kind: PrincipalKind::Aws, name: "*".to_owned() }];
    };
    let named = |(kind, names): (&Text, &Value)| {
        let kind = match kind.as_str() {
            "AWS" => PrincipalKind::Aws,
            "Federated" => PrincipalKind::Federated,
            "Service" => PrincipalKind::Service,
            _ => PrincipalKind::CanonicalUser,
        };
        let names: Vec<_> = to_texts(names).unwrap_or_default().into_iter().map(str::to_owned).collect();
        names.into_iter().map(move |name| Named { kind, name })
    };
    by_kind.iter().flat_map(named).collect()
}

fn read_conditions(value: Option<&Value>, has_variables: bool) -> Vec<Condition> {
    let Some(Value::Map(operators)) = value else { return Vec::new() };
    let mut conditions = Vec::new();
    for (operator, keys) in operators {
        let Value::Map(keys) = keys else { continue };
        for (key, values) in keys {
            let values = match values {
                Value::List(values) => values.as_slice(),
                value => std::slice::from_ref(value),
            };
            let texts: Vec<_> = values.iter().filter_map(|value| value.view().text_form()).collect();
            let texts: Vec<_> = texts.iter().map(|text| &**text).collect();
            conditions.extend(Condition::read(operator, key, &texts, has_variables));
        }
    }
    conditions
}
