//! Operations that make, change and delete listeners.

use super::{Listener, MutualAuthentication, OneListener, arn_of, remove, require, within};
use crate::{
    Empty, LoadBalancer, LoadBalancerType, SERVICE,
    action::{self, Action, Place},
    certificates::Certificate,
    errors, limits, load_balancer, names,
    protocol::Protocol,
    routes, rule, tagging, trust_store,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Result, Tag, Text, datum::DatumType, operation};

/// Creates a listener. The same settings again give the same listener back.
#[operation(service = SERVICE, effect = write, output = OneListener, subject = "{LoadBalancerArn}")]
pub struct CreateListener {
    /// The balancer it belongs to.
    pub load_balancer_arn: Text,
    /// The protocol.
    pub protocol: Option<Protocol>,
    /// The port.
    #[field(like = Listener::port)]
    pub port: Option<i64>,
    /// The security policy.
    pub ssl_policy: Option<Text>,
    /// The certificate that it shows by default.
    pub certificates: Option<Vec<Certificate>>,
    /// What becomes of connections that no rule is for.
    pub default_actions: Vec<Action>,
    /// Which protocols it agrees on with TLS clients.
    pub alpn_policy: Option<Vec<Text>>,
    /// Its tags.
    #[field(length(1..))]
    pub tags: Option<Vec<Tag>>,
    /// Whether clients have to show certificates.
    pub mutual_authentication: Option<MutualAuthentication>,
}

impl Handler for CreateListener {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneListener> {
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let balancer = load_balancer::require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        let mut listener = Listener::blank();
        listener.load_balancer_arn = Some(self.load_balancer_arn);
        (listener.protocol, listener.port) = (self.protocol, self.port);
        (listener.ssl_policy, listener.certificates) = (self.ssl_policy, self.certificates);
        (listener.alpn_policy, listener.mutual_authentication) =
            (self.alpn_policy, self.mutual_authentication);
        let mut listener = listener.settled(cx, &balancer)?;
        let actions = listener.place_in(&balancer).settled(cx, &self.default_actions)?;
        listener.default_actions = Some(actions);
        let others = within(cx, balancer.own_name())?;
        if let Some(found) = others.iter().find(|other| other.port == listener.port) {
            listener.listener_arn = found.listener_arn.clone();
            if listener != *found || !tagging::are(cx, found.own_arn(), &tags)? {
                return Err(duplicate(&balancer, found));
            }
            return Ok(OneListener::of(found.clone()));
        }
        let most = if balancer.own_type() == LoadBalancerType::Gateway { 1 } else { limits::LISTENERS };
        if others.len() >= most {
            let why = format!(
                "load balancer {} has {most} listeners, which is all it may have",
                balancer.own_name()
            );
            return Err(errors::TOO_MANY_LISTENERS.because(why));
        }
        let id = cx.ids().hex(16);
        listener.listener_arn = Some(arn_of(cx.scope(), &balancer, &id).into());
        cx.put(listener.clone())?;
        trust_store::note(cx, None, Some(&listener))?;
        tagging::put(cx, listener.own_arn(), tags)?;
        rule::make_default(cx, &listener)?;
        Ok(OneListener::of(listener))
    }
}

fn duplicate(balancer: &LoadBalancer, other: &Listener) -> nephos_core::Error {
    let (name, port) = (balancer.own_name(), other.port.unwrap_or_default());
    errors::DUPLICATE_LISTENER.because(format!("load balancer {name} has a listener on port {port} already"))
}

/// Where the actions of a listener are done, and as what its default ones are given.
pub(super) struct Default<'a> {
    balancer: &'a LoadBalancer,
    protocol: Protocol,
    port: Option<i64>,
    before: Option<&'a [Action]>,
}

impl Listener {
    fn place_in<'a>(&self, balancer: &'a LoadBalancer) -> Default<'a> {
        Default { balancer, protocol: self.own_protocol(), port: self.port, before: None }
    }
}

impl Default<'_> {
    fn place(&self) -> Place<'_> {
        Place { balancer: self.balancer, protocol: &self.protocol, port: self.port, field: "DefaultActions" }
    }

    fn settled(&self, cx: &Tx<'_>, actions: &[Action]) -> Result<Vec<Action>> {
        action::settled(cx, &self.place(), actions, self.before)
    }
}

/// Changes a listener: what is given is put in place of what is there.
#[operation(service = SERVICE, effect = write, output = OneListener, subject = "{ListenerArn}")]
pub struct ModifyListener {
    /// Its resource name.
    pub listener_arn: Text,
    /// The port.
    #[field(like = Listener::port)]
    pub port: Option<i64>,
    /// The protocol. From HTTPS to HTTP, certificate and policy go; the other way, both are needed.
    pub protocol: Option<Protocol>,
    /// The security policy.
    pub ssl_policy: Option<Text>,
    /// The certificate that it shows by default.
    pub certificates: Option<Vec<Certificate>>,
    /// What becomes of connections that no rule is for.
    pub default_actions: Option<Vec<Action>>,
    /// Which protocols it agrees on with TLS clients.
    pub alpn_policy: Option<Vec<Text>>,
    /// Whether clients have to show certificates.
    pub mutual_authentication: Option<MutualAuthentication>,
}

impl Handler for ModifyListener {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneListener> {
        let before = require(cx, &self.listener_arn, "ListenerArn")?;
        let balancer = load_balancer::require(cx, before.balancer_arn(), "ListenerArn")?;
        let mut after = before.clone();
        after.change_protocol(self.protocol, self.ssl_policy.is_some())?;
        macro_rules! take {
            ($($field:ident)*) => { $(if self.$field.is_some() { after.$field = self.$field; })* };
        }
        take!(port ssl_policy certificates alpn_policy mutual_authentication);
        let mut after = after.settled(cx, &balancer)?;
        let others = within(cx, balancer.own_name())?;
        let others = others.iter().filter(|other| other.listener_arn != after.listener_arn);
        if let Some(other) = others.into_iter().find(|other| other.port == after.port) {
            return Err(duplicate(&balancer, other));
        }
        let place = Default { before: before.default_actions.as_deref(), ..after.place_in(&balancer) };
        match &self.default_actions {
            Some(actions) => after.default_actions = Some(place.settled(cx, actions)?),
            None => action::check_again(
                &place.place(),
                before.default_actions.as_deref().unwrap_or_default(),
                cx,
            )?,
        }
        if (&before.protocol, before.port) != (&after.protocol, after.port) {
            let rules = rule::within(cx, &before)?;
            for rule in rules.iter().filter(|rule| rule.is_default != Some(true)) {
                action::check_again(&place.place(), rule.actions.as_deref().unwrap_or_default(), cx)?;
            }
        }
        if after != before {
            let (old, new) = (before.default_actions.as_deref(), after.default_actions.as_deref());
            let rule_arn = rule::default_arn(cx, &before)?;
            let from = routes::From {
                balancer: balancer.own_name(),
                load_balancer_arn: balancer.own_arn(),
                rule_arn: &rule_arn,
            };
            routes::change(cx, &from, &action::groups(old), &action::groups(new))?;
            trust_store::note(cx, Some(&before), Some(&after))?;
            cx.put(after.clone())?;
        }
        Ok(OneListener::of(after))
    }
}

impl Listener {
    /// Changes the protocol, with what goes when it does.
    fn change_protocol(&mut self, protocol: Option<Protocol>, policy_given: bool) -> Result<()> {
        let Some(protocol) = protocol.filter(|protocol| self.protocol.as_ref() != Some(protocol)) else {
            return Ok(());
        };
        let was_secure = self.protocol.as_ref().is_some_and(Protocol::is_secure);
        if !protocol.is_secure() {
            (self.ssl_policy, self.certificates) = (None, None);
        } else if !was_secure && !policy_given {
            return Err(names::invalid("SslPolicy", "is required for a listener that becomes HTTPS or TLS"));
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
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{ListenerArn}")]
pub struct DeleteListener {
    /// Its resource name.
    pub listener_arn: Text,
}

impl Handler for DeleteListener {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let listener = require(cx, &self.listener_arn, "ListenerArn")?;
        remove(cx, &listener)?;
        Ok(Empty {})
    }
}
