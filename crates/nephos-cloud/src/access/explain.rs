//! Explanations: the decision over a request that was not made.

use super::{control, policies::CallerPolicies};
use crate::{AccessRequest, Caller, Decision, Kernel, Principal, Scope, Tx};
use nephos_core::{
    Arn, DEFAULT_REGION, Error, ErrorKind, Map, Place, Record, Result, Text, Value,
    field_value::FieldValue,
    nearest,
    record::Fields,
    shape::{OperationShape, RecordShape, ServiceShape},
};

/// A question: may this caller do this to this resource?
#[derive(Clone, Debug, Default)]
pub struct AccessQuery {
    /// ARN of the caller: a user, a role, a session of a role, or the root of an account.
    pub principal: Text,
    /// Action: `secretsmanager:GetSecretValue`.
    pub action: Text,
    /// ARN of the resource, or `*`.
    pub resource: Text,
    /// Further condition keys and their values; a key with several values is repeated.
    pub context: Vec<(Text, Text)>,
}

/// The decision over a request, for people.
#[derive(Record)]
#[record(row)]
pub struct ExplainedAccess {
    /// True if the policies allow the request.
    pub allowed: Option<bool>,
    /// ARN of the caller.
    pub principal: Option<Text>,
    /// Action of the request.
    pub action: Option<Text>,
    /// ARN of the resource.
    pub resource: Option<Text>,
    /// The statement that decides, or the kind of policy that does not allow the request.
    pub reason: Option<Text>,
    /// The statement that comes nearest to allowing the request, and the part of it that does not match.
    pub nearest: Option<Text>,
    /// Error that the caller would get.
    pub refusal: Option<Text>,
    /// Condition keys of the request, and their values.
    pub context: Option<Map<Text>>,
}

impl ExplainedAccess {
    fn new(asked: &AccessRequest, decision: &Decision) -> Self {
        let values = |values: &[Text]| Text::from(values.join(", "));
        Self {
            allowed: Some(decision.is_allowed),
            principal: Some(asked.principal.arn.clone()),
            action: Some(asked.action.clone()),
            resource: Some(asked.resource.clone()),
            reason: Some(decision.to_string().into()),
            nearest: decision.nearest().map(Text::from),
            refusal: (!decision.is_allowed).then(|| decision.refusal(asked).into()),
            context: Some(asked.context.iter().map(|(key, found)| (key.into(), values(found))).collect()),
        }
    }
}

impl Kernel {
    /// Decides over a request that is not made.
    pub fn explain_access(&self, query: &AccessQuery) -> Result<ExplainedAccess> {
        let account = account_in(&query.principal)?;
        let region = Arn::parts(&query.resource).map_or("", |[_, _, region, ..]| region);
        let region = if region.is_empty() { DEFAULT_REGION } else { region };
        let now = self.0.time.now();
        let decided = self.read_in(Scope::new(&account, region), now, |_, tx| tx.explain(query, &account)).0;
        decided.map(|(asked, decision)| ExplainedAccess::new(&asked, &decision))
    }
}

impl Tx<'_> {
    fn explain(&mut self, query: &AccessQuery, account: &str) -> Result<(AccessRequest, Decision)> {
        let (prefix, _) = query.action.split_once(':').ok_or_else(|| {
            Error::invalid(
                "action",
                format!("{:?} is not an action such as logs:CreateLogGroup", query.action),
            )
        })?;
        self.check_action_is_known(&query.action, prefix)?;
        let principal = Principal::new(account, query.principal.clone());
        let policies = match principal.is_root() {
            true => CallerPolicies::default(),
            false => {
                let identity = match self.identities() {
                    Some(identities) => identities.find_by_arn(self, &query.principal)?,
                    None => None,
                };
                let unknown = || {
                    let message = format!("there is no user or role {}", query.principal);
                    Error::new(ErrorKind::NotFound, message).with_field("principal")
                };
                CallerPolicies::of_identity(self, Some(identity.ok_or_else(unknown)?))?
            }
        };
        let caller = Caller::described(&principal, policies.identity.as_ref());
        let mut context = self.context(&caller, &policies);
        for (key, _) in &query.context {
            context = context.without(key);
        }
        for (key, value) in &query.context {
            context = context.with(key, value.clone());
        }
        let resource = self.checked_resource(&query.action, &query.resource);
        let mut asked = AccessRequest::new(principal, query.action.clone(), resource);
        asked.context = context;
        if query.resource != "*" && Arn::read(&query.resource).is_none() {
            let message = format!("{:?} is neither \"*\" nor an ARN", query.resource);
            return Err(Error::invalid("resource", message));
        }
        let decision = self.decide(&mut asked, &policies)?.decision;
        Ok((asked, decision))
    }

    /// Checks that an action is one of an operation, one that a service needs beside them, or one of the control endpoint.
    fn check_action_is_known(&self, action: &str, prefix: &str) -> Result<()> {
        let mut known: Vec<Text> = control::ACTIONS.map(Text::const_new).to_vec();
        for service in self.services {
            let operations = service.shape.operations.iter();
            known.extend(operations.flat_map(|operation| operation.actions(service.shape)));
            known.extend(service.access.actions.iter().map(|action| Text::const_new(action)));
        }
        if known.iter().any(|known| known.eq_ignore_ascii_case(action)) {
            return Ok(());
        }
        let parts = || known.iter().filter_map(|known| known.split_once(':'));
        let own = || parts().filter(|(of, _)| of.eq_ignore_ascii_case(prefix)).map(|(_, name)| name);
        let message = match own().next() {
            Some(_) => {
                let name = action.split_once(':').map_or("", |(_, name)| name);
                let hint = nearest::nearest(name, own());
                let hint = hint.map(|name| format!("; did you mean {prefix}:{name}?")).unwrap_or_default();
                format!("this cloud has no action {action:?}{hint}")
            }
            None => {
                let hint = nearest::suggest(prefix, parts().map(|(prefix, _)| prefix));
                format!("this cloud has no service {prefix:?}{hint}")
            }
        };
        Err(Error::invalid("action", message))
    }

    /// Returns the ARN that the check of an operation with this action has for the resource: that of a log group goes on with
    /// its streams.
    pub(super) fn checked_resource(&self, action: &str, arn: &str) -> Text {
        let operations = self.services.iter().flat_map(|service| {
            service.shape.operations.iter().map(move |operation| (service.shape, *operation))
        });
        let mut named =
            operations.filter(|(service, operation)| operation.action(service).eq_ignore_ascii_case(action));
        let found = named.find_map(|(service, operation)| continued(service, operation, arn));
        found.unwrap_or_else(|| arn.into())
    }
}

/// Returns the ARN that an operation acts on if one of its parameters is this ARN, and the operation acts on a part of that
/// resource.
fn continued(service: &ServiceShape, operation: &OperationShape, arn: &str) -> Option<Text> {
    let place = Place::new(DEFAULT_REGION, "");
    let whole = arn.trim_end_matches(":*");
    operation.subject_parameters().into_iter().find_map(|name| {
        let (given, _) = operation.params.field(name)?;
        let params = OneParameter { shape: operation.params, given, value: arn.into(), absent: Value::Null };
        operation.subjects(service, &params, &place).into_iter().find_map(|subject| {
            let rest = subject.as_str().strip_prefix(whole)?.trim_end_matches('*');
            (!rest.is_empty() && !whole.contains(rest)).then(|| subject.as_str().into())
        })
    })
}

/// Parameters of an operation of which one has a value.
#[derive(Clone)]
struct OneParameter {
    shape: &'static RecordShape,
    given: usize,
    value: Value,
    absent: Value,
}

impl Fields for OneParameter {
    fn shape(&self) -> &'static RecordShape {
        self.shape
    }

    fn field(&self, index: usize) -> &dyn FieldValue {
        if index == self.given { &self.value } else { &self.absent }
    }

    fn field_mut(&mut self, index: usize) -> &mut dyn FieldValue {
        if index == self.given { &mut self.value } else { &mut self.absent }
    }

    fn boxed_clone(&self) -> Box<dyn Fields> {
        Box::new(self.clone())
    }
}

fn account_in(principal: &str) -> Result<Text> {
    let invalid = || {
        let message = format!("{principal:?} is not the ARN of a user, a role, a session or a root");
        Error::invalid("principal", message)
    };
    let [_, "iam" | "sts", _, account, _] = Arn::parts(principal).ok_or_else(invalid)? else {
        return Err(invalid());
    };
    Scope::check_account(account).map_err(|_| invalid())?;
    Ok(account.into())
}
