//! Operations that create, describe, delete and enable policies.

use super::{
    AppCookieStickinessPolicy, BackendServerDescription, LBCookieStickinessPolicy, PolicyRow,
    predefined::{self, Predefined},
    types::{self, PolicyType, ValueType},
};
use crate::{
    ClassicELB, ClassicELBManager, Empty, errors,
    limits::MAX_POLICIES,
    listener::{is_http, is_secure},
    load_balancer::require,
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Record, Result, Text, nearest, operation};

/// An attribute of a policy.
#[derive(Record)]
pub struct PolicyAttribute {
    /// Name.
    pub(crate) attribute_name: Option<Text>,
    /// Value.
    pub(crate) attribute_value: Option<Text>,
}

/// An attribute of a policy, as it is described.
#[derive(Record)]
pub struct PolicyAttributeDescription {
    /// Name.
    attribute_name: Option<Text>,
    /// Value.
    attribute_value: Option<Text>,
}

/// A policy.
#[derive(Record)]
pub struct PolicyDescription {
    /// Name.
    policy_name: Option<Text>,
    /// Type.
    policy_type_name: Option<Text>,
    /// Attributes.
    policy_attribute_descriptions: Option<Vec<PolicyAttributeDescription>>,
}

impl PolicyDescription {
    pub(super) fn new(name: &str, kind: &str, attributes: impl IntoIterator<Item = (Text, Text)>) -> Self {
        let attribute = |(name, value)| PolicyAttributeDescription {
            attribute_name: Some(name),
            attribute_value: Some(value),
        };
        Self {
            policy_name: Some(name.into()),
            policy_type_name: Some(kind.into()),
            policy_attribute_descriptions: Some(attributes.into_iter().map(attribute).collect()),
        }
    }

    fn kind(&self) -> &str {
        self.policy_type_name.as_deref().unwrap_or_default()
    }

    /// Values of an attribute.
    pub(super) fn values_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let attributes = self.policy_attribute_descriptions.iter().flatten();
        let attributes = attributes.filter(move |one| one.attribute_name.as_deref() == Some(name));
        attributes.filter_map(|one| one.attribute_value.as_deref())
    }
}

impl ClassicELB {
    /// Refuses a name for a new policy.
    fn check_new_policy(&self, name: &str) -> Result<()> {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if name.is_empty() || !name.bytes().all(is_valid) {
            return Err(errors::policy_name_invalid().with_field("PolicyName"));
        }
        let names = || self.policies.iter().flat_map(super::Policies::names);
        if names().any(|known| known == name) {
            return Err(errors::policy_exists(name, self.own_name()).with_field("PolicyName"));
        }
        if names().count() >= MAX_POLICIES {
            let hint = format!("a load balancer can have at most {MAX_POLICIES} policies");
            return Err(errors::too_many_policies().with_hint(hint));
        }
        Ok(())
    }

    fn add_app_cookie_policy(&mut self, name: Text, cookie: Text) {
        let policy = AppCookieStickinessPolicy { policy_name: Some(name), cookie_name: Some(cookie) };
        self.policies_mut().app_cookie_stickiness_policies.get_or_insert_default().push(policy);
    }

    fn add_lb_cookie_policy(&mut self, name: Text, period: Option<i64>) {
        let policy = LBCookieStickinessPolicy { policy_name: Some(name), cookie_expiration_period: period };
        self.policies_mut().lb_cookie_stickiness_policies.get_or_insert_default().push(policy);
    }
}

/// Creates a stickiness policy whose sessions last as long as a cookie of the application.
#[operation(of = ClassicELB, needs(load_balancer_name), effect = write)]
pub struct CreateAppCookieStickinessPolicy {
    /// Name, unique within the load balancer.
    pub policy_name: Text,
    /// Name of the application's cookie.
    pub cookie_name: Text,
}

impl Handler for CreateAppCookieStickinessPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        balancer.check_new_policy(&self.policy_name)?;
        if self.cookie_name.is_empty() {
            return Err(errors::cookie_name_missing().with_field("CookieName"));
        }
        balancer.add_app_cookie_policy(self.policy_name, self.cookie_name);
        cx.put(balancer)?;
        Ok(Empty {})
    }
}

/// Creates a stickiness policy with a cookie of the load balancer.
#[operation(of = ClassicELB, needs(load_balancer_name), effect = write)]
pub struct CreateLBCookieStickinessPolicy {
    /// Name, unique within the load balancer.
    pub policy_name: Text,
    /// Seconds until the cookie expires; without it, sessions last as long as those of the browser.
    pub cookie_expiration_period: Option<i64>,
}

impl Handler for CreateLBCookieStickinessPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        balancer.check_new_policy(&self.policy_name)?;
        if self.cookie_expiration_period.is_some_and(|period| period <= 0) {
            return Err(errors::expiration_invalid().with_field("CookieExpirationPeriod"));
        }
        balancer.add_lb_cookie_policy(self.policy_name, self.cookie_expiration_period);
        cx.put(balancer)?;
        Ok(Empty {})
    }
}

/// Creates a policy of any type. It has no effect until it is enabled on a listener or on a port of the instances.
#[operation(
    of = ClassicELB, call = "add_policy", on_model(policy_name, policy_type_name), needs(load_balancer_name), effect = write
)]
pub struct CreateLoadBalancerPolicy {
    /// Name, unique within the load balancer.
    pub policy_name: Text,
    /// Type of the policy.
    pub policy_type_name: Text,
    /// Attributes of the type.
    pub policy_attributes: Option<Vec<PolicyAttribute>>,
}

impl CreateLoadBalancerPolicy {
    /// Creates a policy that is named like a predefined one and refers to it; none if there is no such policy.
    pub(crate) fn of_predefined(balancer: &str, name: &str) -> Option<Self> {
        Predefined::find(name)?;
        let reference = PolicyAttribute {
            attribute_name: Some(predefined::REFERENCE.into()),
            attribute_value: Some(name.into()),
        };
        Some(Self::new(balancer, name, types::SSL_NEGOTIATION).policy_attributes(vec![reference]))
    }
}

impl Handler for CreateLoadBalancerPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let kind = PolicyType::require(&self.policy_type_name, "PolicyTypeName")?;
        balancer.check_new_policy(&self.policy_name)?;
        let attributes = self.policy_attributes.unwrap_or_default();
        check_attributes(cx, &balancer, kind, &attributes)?;
        let value = |name: &str| {
            let mut named = attributes.iter().filter(|one| one.attribute_name.as_deref() == Some(name));
            named.next().and_then(|one| one.attribute_value.clone())
        };
        match kind.name {
            types::APP_COOKIE => {
                balancer
                    .add_app_cookie_policy(self.policy_name, value(types::COOKIE_NAME).unwrap_or_default());
            }
            types::LB_COOKIE => {
                let period = value(types::COOKIE_EXPIRATION).and_then(|period| period.parse().ok());
                balancer.add_lb_cookie_policy(self.policy_name, period);
            }
            _ => {
                balancer.policies_mut().other_policies.get_or_insert_default().push(self.policy_name.clone());
                cx.put(PolicyRow {
                    load_balancer_name: Some(self.load_balancer_name),
                    policy_name: Some(self.policy_name),
                    policy_type_name: Some(self.policy_type_name),
                    attributes: Some(attributes),
                })?;
            }
        }
        cx.put(balancer)?;
        Ok(Empty {})
    }
}

/// Refuses attributes that the policy type does not have, wrong values and numbers of values.
fn check_attributes(
    cx: &Tx<'_>,
    balancer: &ClassicELB,
    kind: &PolicyType,
    given: &[PolicyAttribute],
) -> Result<()> {
    let known = kind.all_attributes();
    let name_of = |one: &PolicyAttribute| one.attribute_name.clone().unwrap_or_default();
    for (n, one) in given.iter().enumerate() {
        let name = name_of(one);
        let value = one.attribute_value.as_deref().unwrap_or_default();
        let field = format!("PolicyAttributes[{n}]");
        let Some((_, value_type, cardinality)) = known.iter().find(|(known, ..)| *known == name) else {
            let hint = nearest::hint(&name, known.iter().map(|(known, ..)| *known));
            return Err(errors::attribute_unknown(name, kind.name).with_field(field).with_hint(hint));
        };
        let refers = match *value_type {
            ValueType::PolicyName => match balancer.find_policy(cx, value)? {
                Some(policy) => policy.kind() == types::PUBLIC_KEY,
                None => {
                    return Err(errors::policy_not_found(value, balancer.own_name()).with_field(field));
                }
            },
            _ if name == predefined::REFERENCE => Predefined::find(value).is_some(),
            value_type => value_type.accepts(value),
        };
        if !refers {
            return Err(errors::attribute_value_invalid(value, name).with_field(field));
        }
        if *cardinality != "ONE_OR_MORE" && given[..n].iter().any(|other| name_of(other) == name) {
            return Err(errors::attribute_repeated(name).with_field(field));
        }
    }
    let is_missing = |(name, _, cardinality): &&types::Attribute| {
        cardinality.starts_with("ONE") && !given.iter().any(|one| name_of(one) == *name)
    };
    match known.iter().find(is_missing) {
        Some((name, ..)) => Err(errors::attribute_missing(name, kind.name).with_field("PolicyAttributes")),
        None => Ok(()),
    }
}

/// Describes policies of a load balancer; without its name, the SSL negotiation policies that the service defines.
#[operation(
    of = ClassicELB, call = "describe_policies", on_model, takes(load_balancer_name),
    wraps(policy_descriptions: Vec<PolicyDescription>), effect = read, subject = "*"
)]
pub struct DescribeLoadBalancerPolicies {
    /// Names of the policies; all by default.
    pub policy_names: Option<Vec<Text>>,
}

impl Handler for DescribeLoadBalancerPolicies {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let names = self.policy_names.unwrap_or_default();
        let Some(balancer) = &self.load_balancer_name else {
            if names.is_empty() {
                return Ok(predefined::POLICIES.iter().map(Predefined::describe).collect::<Vec<_>>().into());
            }
            let describe = |name: &Text| match Predefined::find(name) {
                Some(policy) => Ok(policy.describe()),
                None => Err(errors::sample_policy_not_found(name).with_field("PolicyNames")),
            };
            return names.iter().map(describe).collect::<Result<Vec<_>>>().map(Into::into);
        };
        let balancer = require(cx, balancer)?;
        let names = match names.is_empty() {
            true => balancer.policies.iter().flat_map(super::Policies::names).cloned().collect(),
            false => names,
        };
        let describe = |name: &Text| balancer.require_policy(cx, name, "PolicyNames");
        names.iter().map(describe).collect::<Result<Vec<_>>>().map(Into::into)
    }
}

/// Deletes a policy that is not enabled.
#[operation(
    of = ClassicELB, call = "delete_policy", on_model(policy_name), needs(load_balancer_name), effect = write
)]
pub struct DeleteLoadBalancerPolicy {
    /// Name of the policy.
    pub policy_name: Text,
}

impl Handler for DeleteLoadBalancerPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        balancer.require_policy(cx, &self.policy_name, "PolicyName")?;
        if balancer.uses_policy(cx, &self.policy_name)? {
            return Err(errors::policy_in_use(&self.policy_name).with_field("PolicyName"));
        }
        balancer.policies_mut().remove(&self.policy_name);
        cx.remove(&PolicyRow {
            load_balancer_name: Some(self.load_balancer_name),
            policy_name: Some(self.policy_name),
            policy_type_name: None,
            attributes: None,
        })?;
        cx.put(balancer)?;
        Ok(Empty {})
    }
}

/// Replaces the enabled policies of a listener; an empty list disables all.
#[operation(
    of = ClassicELB, call = "set_listener_policies", on_model(load_balancer_port, policy_names), needs(load_balancer_name),
    effect = write
)]
pub struct SetLoadBalancerPoliciesOfListener {
    /// Port of the load balancer.
    pub load_balancer_port: i64,
    /// Names of the policies.
    pub policy_names: Vec<Text>,
}

impl Handler for SetLoadBalancerPoliciesOfListener {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let protocol = balancer.require_listener(self.load_balancer_port)?.protocol().to_owned();
        for name in &self.policy_names {
            let is_possible = match balancer.require_policy(cx, name, "PolicyNames")?.kind() {
                types::APP_COOKIE | types::LB_COOKIE => is_http(&protocol),
                types::SSL_NEGOTIATION => is_secure(&protocol),
                _ => false,
            };
            if !is_possible {
                return Err(errors::policy_not_enabled(name).with_field("PolicyNames"));
            }
        }
        balancer.require_listener(self.load_balancer_port)?.policy_names = Some(self.policy_names);
        cx.put(balancer)?;
        Ok(Empty {})
    }
}

/// Replaces the enabled policies of a port of the instances; an empty list disables all.
#[operation(
    of = ClassicELB, call = "set_backend_policies", on_model(instance_port, policy_names), needs(load_balancer_name),
    effect = write
)]
pub struct SetLoadBalancerPoliciesForBackendServer {
    /// Port of the instances.
    pub instance_port: i64,
    /// Names of the policies.
    pub policy_names: Vec<Text>,
}

impl Handler for SetLoadBalancerPoliciesForBackendServer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        for name in &self.policy_names {
            let policy = balancer.require_policy(cx, name, "PolicyNames")?;
            if !matches!(policy.kind(), types::PROXY_PROTOCOL | types::BACKEND_AUTHENTICATION) {
                return Err(errors::policy_not_enabled(name).with_field("PolicyNames"));
            }
        }
        if !balancer.own_listeners().iter().any(|listener| listener.instance_port() == self.instance_port) {
            return Err(errors::instance_port_unused(self.instance_port).with_field("InstancePort"));
        }
        let ports = balancer.backend_server_descriptions.get_or_insert_default();
        ports.retain(|port| port.instance_port != Some(self.instance_port));
        if !self.policy_names.is_empty() {
            ports.push(BackendServerDescription {
                instance_port: Some(self.instance_port),
                policy_names: Some(self.policy_names),
            });
            ports.sort_by_key(|port| port.instance_port);
        }
        cx.put(balancer)?;
        Ok(Empty {})
    }
}
