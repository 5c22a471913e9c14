//! Operations on listeners.

use super::{Listener, ListenerManager, listeners_of, remove};
use crate::{
    LoadBalancer, Protocol, errors, limits,
    paging::{self, Page},
    routing::{
        action::{self, ListenerContext},
        routes,
    },
    rule, tagging, trust_store,
};
use nephos_cloud::{Addressed, Handler, StoredResource, Tx};
use nephos_core::{Empty, Error, ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Creates a listener. If one with the same settings exists, it is returned.
#[operation(
    of = Listener, needs(load_balancer_arn, default_actions), takes(settable, tags(length(1..))),
    call = "create", model, overrides(tags), wraps(listeners: Vec<Listener>), effect = write,
    subject = "{LoadBalancerArn}", also_requires("AddTags" = "Tags? {LoadBalancerArn: loadbalancer/=listener/}/*")
)]
pub struct CreateListener {}

impl Handler for CreateListener {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        let balancer = LoadBalancer::require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        let actions = std::mem::take(&mut self.default_actions);
        let mut listener = Listener::from_given(self).normalized(cx, &balancer)?;
        let context = ListenerContext::new(&balancer, &listener, "DefaultActions");
        listener.default_actions = Some(context.normalize_actions(cx, &actions, None)?);
        let others = listeners_of(cx, balancer.own_name())?;
        if let Some(found) = others.iter().find(|other| other.port == listener.port) {
            listener.listener_arn = found.listener_arn.clone();
            if listener != *found || tagging::TagsRow::get(cx, found.own_arn())? != tags {
                return Err(duplicate_listener(&balancer, found));
            }
            return Ok(vec![found.clone()].into());
        }
        let max = limits::MAX_LISTENERS;
        if others.len() >= max {
            return Err(errors::too_many_listeners(balancer.own_arn())
                .with_hint(format!("a load balancer can have at most {max} listeners")));
        }
        let parts = [balancer.own_type().arn_name(), balancer.own_name(), balancer.id()];
        listener.listener_arn = Some(Listener::new_arn(cx, &parts));
        cx.put(listener.clone())?;
        trust_store::update_association(cx, None, Some(&listener))?;
        tagging::TagsRow::put(cx, listener.own_arn(), tags)?;
        rule::create_default(cx, &listener)?;
        Ok(vec![listener].into())
    }
}

/// Error for a second listener on a port. The listener of a gateway load balancer has none: it is its only one.
fn duplicate_listener(balancer: &LoadBalancer, other: &Listener) -> Error {
    let hint = match other.port {
        Some(port) => format!("port {port}"),
        None => "a gateway load balancer has one listener".to_owned(),
    };
    errors::listener_exists(balancer.own_arn()).with_hint(hint)
}

/// Changes a listener: the given parameters replace the current settings. A change from HTTPS to HTTP removes certificate
/// and security policy; a change from HTTP to HTTPS requires both.
#[operation(
    of = Listener, needs(listener_arn), takes(changeable), except(tags), wraps(listeners: Vec<Listener>),
    effect = write
)]
pub struct ModifyListener {}

impl Handler for ModifyListener {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let before = Listener::require(cx, &self.listener_arn, "ListenerArn")?;
        let balancer = LoadBalancer::require(cx, before.balancer_arn(), "ListenerArn")?;
        let (mut after, actions) = (before.clone(), self.default_actions.take());
        after.change_protocol(self.protocol.take(), self.ssl_policy.is_some())?;
        after.take_given(&mut self);
        let mut after = after.normalized(cx, &balancer)?;
        let others = listeners_of(cx, balancer.own_name())?;
        let others = others.iter().filter(|other| other.listener_arn != after.listener_arn);
        if let Some(other) = others.into_iter().find(|other| other.port == after.port) {
            return Err(duplicate_listener(&balancer, other));
        }
        let old = before.default_actions.as_deref();
        let context = ListenerContext::new(&balancer, &after, "DefaultActions");
        match &actions {
            Some(actions) => after.default_actions = Some(context.normalize_actions(cx, actions, old)?),
            None => context.recheck_actions(cx, old)?,
        }
        if (&before.protocol, before.port) != (&after.protocol, after.port) {
            let rules = rule::rules_of(cx, &before)?;
            for rule in rules.iter().filter(|rule| rule.is_default != Some(true)) {
                context.recheck_actions(cx, rule.actions.as_deref())?;
            }
        }
        if after != before {
            let rule_arn = rule::default_rule_arn(cx, &before)?;
            let new = after.default_actions.as_deref();
            routes::update(cx, &after, &rule_arn, &action::group_names(old), &action::group_names(new))?;
            trust_store::update_association(cx, Some(&before), Some(&after))?;
            cx.put(after.clone())?;
        }
        Ok(vec![after].into())
    }
}

impl Listener {
    /// Changes the protocol, and removes settings that the new one does not have.
    fn change_protocol(&mut self, protocol: Option<Protocol>, policy_given: bool) -> Result<()> {
        let Some(protocol) = protocol.filter(|protocol| self.protocol.as_ref() != Some(protocol)) else {
            return Ok(());
        };
        let was_secure = self.protocol.as_ref().is_some_and(Protocol::is_secure);
        if !protocol.is_secure() {
            (self.ssl_policy, self.certificates) = (None, None);
        } else if !was_secure && !policy_given {
            return Err(errors::ssl_policy_missing(protocol.name()).with_field("SslPolicy"));
        }
        if protocol != Protocol::Https {
            self.mutual_authentication = None;
        }
        if protocol != Protocol::Tls {
            self.alpn_policy = None;
        }
        self.protocol = Some(protocol);
        Ok(())
    }
}

/// Deletes a listener, with its rules.
#[operation(of = Listener, call = "delete", on_model, needs(listener_arn), effect = write)]
pub struct DeleteListener {}

impl Handler for DeleteListener {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        remove(cx, &Listener::require(cx, &self.listener_arn, "ListenerArn")?)?;
        Ok(Empty {})
    }
}

/// Describes listeners: those of a load balancer, in order of their ports, or those with the given ARNs.
#[operation(
    of = Listener, call = "list", page(listeners, next_marker), check = check_selector, takes(load_balancer_arn),
    find(listener_arn in listener_arns), with = nephos_core::with_tags,
    include(Page), effect = read
)]
pub struct DescribeListeners {
    /// ARNs of the listeners.
    pub listener_arns: Option<Vec<Text>>,
}

fn check_selector(describe: &DescribeListeners) -> Result<()> {
    let arns = &describe.listener_arns;
    paging::check_arns_or_parent::<Listener, LoadBalancer>("listener", arns, &describe.load_balancer_arn)
}

impl Handler for DescribeListeners {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let Some(arn) = &self.load_balancer_arn else {
            let arns = &self.listener_arns;
            let page = paging::page_by_arns::<Listener, LoadBalancer>(cx, &self, "listener", arns)?;
            return Ok(page.into());
        };
        let balancer = LoadBalancer::require(cx, arn, "LoadBalancerArn")?;
        let mut listeners = listeners_of(cx, balancer.own_name())?;
        listeners.sort_by_key(|listener| listener.port);
        let port = |listener: &Listener| format!("{:05}", listener.port.unwrap_or_default()).into();
        Ok(cx.page_items(&self, listeners, port)?.into())
    }
}

/// Updates a listener: the fields that changed since the model was read. Lists are replaced as a whole.
#[operation(kind = Listener, call = "update", effect = write, output = Vec<Listener>)]
pub struct ListenerUpdate {
    /// The listener.
    #[field(model, name = "model")]
    pub model: Listener,
}

impl ManagerOperation for ListenerUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Listener>> {
        let arn = crate::send_changes::<ModifyListener>(context, &self.model).await?;
        Ok(context.run(ListenerGet::new(arn)).await?.into_iter().collect())
    }
}
