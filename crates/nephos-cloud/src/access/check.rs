//! Checks of requests: the resources that an operation acts on, the context, the decision, and its refusal.

use super::{Caller, LoggedDecision, Permissions, policies::CallerPolicies, resource::Decided};
use crate::{AccessRequest, Context, Decision, Principal, Tx};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use nephos_core::{
    Arn, Error, ErrorKind, Map, Operation, Place, Request, Result, Tag, Text, Timestamp, Value,
    json::{self, Writing},
    record::Fields,
    shape::{Protocol, ServiceShape},
};

/// Action of callers that hand a role to a service.
const PASS_ROLE: &str = "iam:PassRole";

/// Associated data of encoded messages about refusals.
const ENCODED_MESSAGE: &[u8] = b"nephos: an authorization message";

impl Tx<'_> {
    /// The caller of the operation.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Enforcement of policies.
    pub fn permissions(&self) -> Permissions {
        self.permissions
    }

    /// Checks that the policies allow a request; logs the decisions. With [`Permissions::Record`], nothing is refused.
    pub(crate) fn check_access(&mut self, request: &Request) -> Result<()> {
        self.check_access_for(request.service, request)
    }

    /// Checks that the policies allow a request as [`check_access`](Self::check_access) does. A refusal is one of the service that
    /// the caller called.
    pub(crate) fn check_access_for(&mut self, called: &ServiceShape, request: &Request) -> Result<()> {
        if self.permissions == Permissions::Off {
            return Ok(());
        }
        let (service, operation) = (request.service, request.operation);
        // Test controls have shapes like operations, but are not operations of the service.
        if !service.operations.iter().any(|known| std::ptr::eq(*known, operation)) {
            return Ok(());
        }
        if self.permissions == Permissions::Enforce
            && let (Some(session), Some(identities)) = (self.caller.session(), self.identities())
        {
            identities.check_session(session, service, operation)?;
        }
        let place = Place::new(self.scope.region(), self.scope.account());
        let needed = operation.permissions(service, &*request.params, &place);
        if needed.is_empty() {
            return Ok(());
        }
        let policies = CallerPolicies::of_caller(self)?;
        let mut context = self.context(&self.caller, &policies);
        if service.global {
            let region = service.signing_region(self.scope.region());
            context = context.without("aws:RequestedRegion").with("aws:RequestedRegion", region);
        }
        for (key, value) in operation.condition_values(&*request.params) {
            context = context.with(&key, value);
        }
        for permission in needed {
            let add = |context: Context, (key, value): &(Text, Text)| context.with(key, value.clone());
            let context = permission.context.iter().fold(context.clone(), add);
            for resource in permission.resources {
                for resource in self.actual_resources(request, &permission.action, resource, &policies)? {
                    let mut asked =
                        AccessRequest::new(self.caller.principal(), permission.action.clone(), resource);
                    asked.context = context.clone();
                    self.check_request(called, asked, &policies, &|arn| has_text(&*request.params, arn))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the resources that a check is about: those that the service finds, the role in an instance profile that is
    /// passed, which may have none, and the caller for an operation on a user that names none.
    fn actual_resources(
        &mut self,
        request: &Request,
        action: &str,
        resource: Text,
        policies: &CallerPolicies,
    ) -> Result<Vec<Text>> {
        let Some(arn) = Arn::read(&resource) else { return Ok(vec![resource]) };
        if let Some((_, find)) = self.access_of(action, |access| access.find_subjects) {
            return Ok(find(self, request, action, &arn)?.unwrap_or_else(|| vec![resource]));
        }
        let Some(identities) = self.identities() else { return Ok(vec![resource]) };
        if action == PASS_ROLE && arn.resource().starts_with("instance-profile/") {
            return Ok(identities.find_profile_role(self, &arn)?.into_iter().collect());
        }
        let is_any_user = arn.service() == "iam" && arn.resource() == "user/*";
        let is_own = is_any_user && request.operation.subject_parameters().contains(&"UserName");
        let caller = policies.identity.as_ref().filter(|identity| is_own && identity.arn.contains(":user/"));
        Ok(vec![caller.map_or(resource, |caller| caller.arn.clone())])
    }

    /// Checks that the policies allow an action on one of the resources of an operation that returns the refusals one by
    /// one. `given` is the name or ARN in the request.
    pub fn check_action(
        &mut self,
        service: &ServiceShape,
        action: &str,
        arn: &str,
        given: &str,
    ) -> Result<()> {
        if self.permissions == Permissions::Off {
            return Ok(());
        }
        let policies = CallerPolicies::of_caller(self)?;
        let mut asked = AccessRequest::new(self.caller.principal(), action, arn);
        asked.context = self.context(&self.caller, &policies);
        self.check_request(service, asked, &policies, &|arn| arn == given)
    }

    /// Checks that the policies allow an action of an operation on a resource that none of its parameters names, such as the key
    /// in a ciphertext. The condition keys are those of the parameters.
    pub fn check_operation_on<O: Operation>(
        &mut self,
        service: &ServiceShape,
        action: &str,
        arn: &str,
        params: &O,
    ) -> Result<()> {
        match self.permissions {
            Permissions::Off => Ok(()),
            _ => self.check_action_of(None, service, action, arn, O::OPERATION.condition_values(params)),
        }
    }

    /// Checks that the policies allow an action on a resource that the service uses for the caller, such as a crypto key, to
    /// the caller, or to the service itself, if the service uses the resource with its own identity.
    pub(crate) fn check_action_of(
        &mut self,
        principal: Option<&str>,
        service: &ServiceShape,
        action: &str,
        arn: &str,
        context: Vec<(Text, Text)>,
    ) -> Result<()> {
        let policies = CallerPolicies::of_caller(self)?;
        let mut asked = AccessRequest::new(self.caller.principal(), action, arn);
        asked.context = self.context(&self.caller, &policies);
        for (key, value) in context {
            asked.context = asked.context.with(&key, value);
        }
        let Some(principal) = principal else {
            return self.check_request(service, asked, &policies, &|_| false);
        };
        asked.principal = Principal::service(principal);
        let decided = self.decide_by_resource(&mut asked)?;
        self.enforce(service, asked, decided)
    }

    /// Checks that a service may do something to a resource for its users: that the policies of the role that it was given allow it,
    /// or, without a role, that the policies of the resource allow it to one of the names of the service.
    pub(crate) fn check_action_of_service(
        &mut self,
        names: &[&str],
        role: Option<&str>,
        service: &ServiceShape,
        action: &str,
        arn: &str,
    ) -> Result<()> {
        if self.permissions == Permissions::Off {
            return Ok(());
        }
        let resource = self.checked_resource(action, arn);
        let Some(role) = role else {
            let mut asked = AccessRequest::new(Principal::service(names[0]), action, resource);
            let mut decided = self.decide_by_resource(&mut asked)?;
            for name in &names[1..] {
                if decided.decision.is_allowed {
                    break;
                }
                asked.principal = Principal::service(*name);
                decided = self.decide_by_resource(&mut asked)?;
            }
            return self.enforce(service, asked, decided);
        };
        let found = self.identities().map_or(Ok(None), |identities| identities.find_by_arn(self, role))?;
        let account = Arn::parts(role).map_or("", |[.., account, _]| account);
        let principal = Principal::new(account, role);
        let policies = CallerPolicies::of_identity(self, found)?;
        let mut asked = AccessRequest::new(principal.clone(), action, resource);
        asked.context = self.context(&Caller::described(&principal, policies.identity.as_ref()), &policies);
        self.check_request(service, asked, &policies, &|_| false)
    }

    /// Decides over a request, and logs the decision. `is_given` tells whether the request contains an ARN.
    fn check_request(
        &mut self,
        service: &ServiceShape,
        mut asked: AccessRequest,
        policies: &CallerPolicies,
        is_given: &dyn Fn(&str) -> bool,
    ) -> Result<()> {
        let arn = asked.resource.clone();
        let mut decided = self.decide(&mut asked, policies)?;
        if is_given(&arn) {
            decided.shown = Some(arn);
        }
        self.enforce(service, asked, decided)
    }

    /// Logs a decision, and returns its refusal. With [`Permissions::Record`], nothing is refused.
    fn enforce(&mut self, service: &ServiceShape, asked: AccessRequest, decided: Decided) -> Result<()> {
        let is_refused = self.permissions == Permissions::Enforce && !decided.decision.is_allowed;
        if is_refused || self.permissions == Permissions::Record {
            let logged = LoggedDecision::new(self, &asked, &decided.decision, is_refused);
            self.decisions.push(logged);
        }
        if is_refused { Err(self.refusal(service, asked, &decided)) } else { Ok(()) }
    }

    /// Records the use of the caller's credentials.
    pub(crate) fn note_use(&mut self, service: &'static ServiceShape) -> Result<()> {
        if self.caller.access_key_id().is_none() {
            return Ok(());
        }
        let Some(identities) = self.identities() else { return Ok(()) };
        let caller = self.caller.clone();
        let region = service.signing_region(self.scope.region()).to_owned();
        identities.note_use(self, &caller, service, &region)
    }

    /// Returns the facts about the caller and its request that conditions can refer to.
    pub(super) fn context(&self, caller: &Caller, policies: &CallerPolicies) -> Context {
        let identity = policies.identity.as_ref();
        let principal = caller.principal();
        let arn = match caller.session().filter(|session| session.is_of_role()).and(identity) {
            Some(role) => role.arn.clone(),
            None => principal.arn.clone(),
        };
        let kind = match caller.session() {
            Some(session) if session.is_of_role() => "AssumedRole",
            Some(_) if principal.arn.contains(":federated-user/") => "FederatedUser",
            _ if caller.identity().is_none() => "Account",
            _ => "User",
        };
        let mut context = Context::default()
            .with("aws:PrincipalAccount", caller.account())
            .with("aws:PrincipalArn", arn)
            .with("aws:PrincipalType", kind)
            .with("aws:PrincipalIsAWSService", "false")
            .with("aws:ViaAWSService", "false")
            .with("aws:userid", caller.user_id())
            .with("aws:CurrentTime", self.now.to_string())
            .with("aws:EpochTime", self.now.as_second().to_string())
            .with("aws:RequestedRegion", self.scope.region());
        if let Some(user) = identity.filter(|_| kind == "User") {
            context = context.with("aws:username", user.name.clone());
        }
        let mut tags: Map<Text> =
            identity.iter().flat_map(|identity| &identity.tags).map(key_and_value).collect();
        if let Some(session) = caller.session() {
            tags.extend(session.tags.clone().unwrap_or_default());
            context = session_facts(context, session, self.now);
        }
        for (key, value) in tags {
            context = context.with(&format!("aws:PrincipalTag/{key}"), value);
        }
        if let Some(source) = &self.source {
            context = context.with("aws:SecureTransport", source.is_encrypted.to_string());
            if let Some(address) = source.address {
                context = context.with("aws:SourceIp", address.to_canonical().to_string());
            }
            if let Some(agent) = &source.user_agent {
                context = context.with("aws:UserAgent", agent.clone());
            }
        }
        context
    }

    /// Returns the facts about the caller and its request, for operations that evaluate policies themselves.
    pub fn caller_context(&mut self) -> Result<Context> {
        let caller = self.caller.clone();
        let policies = CallerPolicies::read(self, caller.account(), caller.identity(), None)?;
        Ok(self.context(&caller, &policies))
    }

    /// Creates the error for a request that is denied, with the code of the service's protocol.
    pub(super) fn refusal(
        &self,
        service: &ServiceShape,
        mut asked: AccessRequest,
        Decided { decision, shown }: &Decided,
    ) -> Error {
        if let Some(shown) = shown {
            asked.resource = shown.clone();
        }
        let text = decision.refusal(&asked);
        let text = match service.protocol {
            Protocol::Ec2Query { .. } => {
                let encoded = self.encode_message(&asked, decision);
                format!(
                    "You are not authorized to perform this operation. {text}. Encoded authorization failure \
                     message: {encoded}"
                )
            }
            _ => text,
        };
        let refused = as_refusal_of(service.protocol, Error::new(ErrorKind::Denied, text));
        match decision.nearest() {
            Some(nearest) => refused.with_hint(nearest),
            None => refused,
        }
    }

    /// Encodes the facts about a refusal, so that only this cloud can read them.
    fn encode_message(&self, asked: &AccessRequest, decision: &Decision) -> String {
        let text = json::write(decision.describe(asked).view(), Writing::EXPOSED);
        let sealed = self.seal_unbound(ENCODED_MESSAGE, text.as_bytes());
        sealed.map(|sealed| URL_SAFE_NO_PAD.encode(sealed)).unwrap_or_default()
    }

    /// Decodes the encoded message of a refusal to JSON; `None` if it is not such a message of this cloud.
    pub fn decode_message(&self, encoded: &str) -> Option<Text> {
        let sealed = URL_SAFE_NO_PAD.decode(encoded).ok()?;
        let opened = self.open_unbound(ENCODED_MESSAGE, &sealed).ok()?;
        String::from_utf8(opened.to_vec()).ok().map(Text::from)
    }
}

/// Returns a refusal with the code that services of this protocol have for it.
pub(crate) fn as_refusal_of(protocol: Protocol, refused: Error) -> Error {
    let (code, status) = match protocol {
        Protocol::AwsJson { .. } => ("AccessDeniedException", 400),
        Protocol::RestJson => ("AccessDeniedException", 403),
        Protocol::AwsQuery { .. } => ("AccessDenied", 403),
        Protocol::Ec2Query { .. } => ("UnauthorizedOperation", 403),
    };
    refused.with_wire_code(code, status)
}

/// True if a parameter has this text.
fn has_text(params: &dyn Fields, text: &str) -> bool {
    let mut values = (0..params.shape().fields.len()).map(|index| params.field(index).view());
    values.any(|value| value.as_text() == Some(text))
}

fn key_and_value(tag: &Tag) -> (Text, Text) {
    (tag.key().unwrap_or_default().into(), tag.value().unwrap_or_default().into())
}

fn session_facts(mut context: Context, session: &super::TemporarySession, now: Timestamp) -> Context {
    if let Some(issued) = session.issued {
        context = context.with("aws:TokenIssueTime", issued.to_string());
        if session.has_mfa == Some(true) {
            let age = now.duration_since(issued).as_secs();
            context = context.with("aws:MultiFactorAuthAge", age.to_string());
        }
    }
    context = context.with("aws:MultiFactorAuthPresent", (session.has_mfa == Some(true)).to_string());
    if let Some(source) = &session.source_identity {
        context = context.with("aws:SourceIdentity", source.clone());
    }
    if let Some(provider) = &session.federated_provider {
        context = context.with("aws:FederatedProvider", provider.clone());
    }
    let federated = session.federated_context.iter().flatten();
    federated.fold(context, |context, (key, value)| context.with(key, value.clone()))
}

impl Decision {
    /// Describes a decision and its request, as the provider's decoded messages do.
    fn describe(&self, asked: &AccessRequest) -> Value {
        let object = |fields: Vec<(&str, Value)>| {
            Value::Map(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
        };
        let text = |text: &Text| Value::from(text.as_str());
        let conditions = asked.context.iter().map(|(key, values)| {
            let values = values.iter().map(|value| object(vec![("value", text(value))])).collect();
            object(vec![("key", key.into()), ("values", object(vec![("items", Value::List(values))]))])
        });
        let principal = object(vec![("arn", text(&asked.principal.arn))]);
        object(vec![
            ("allowed", Value::Bool(self.is_allowed)),
            ("explicitDeny", Value::Bool(self.is_explicit_deny())),
            ("matchedStatements", Value::Text(self.reason.to_string().into())),
            (
                "context",
                object(vec![
                    ("principal", principal),
                    ("action", text(&asked.action)),
                    ("resource", text(&asked.resource)),
                    ("conditions", object(vec![("items", Value::List(conditions.collect()))])),
                ]),
            ),
        ])
    }
}
