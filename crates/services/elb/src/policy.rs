//! Policies of load balancers: stickiness, SSL negotiation, and policies towards the instances.

mod operations;
mod predefined;
mod types;

pub use operations::*;
pub use types::*;

use crate::{ClassicELB, errors};
use nephos_cloud::{Stored, StoredResource, Tx};
use nephos_core::{Record, Result, Text};

/// The policy of secure listeners without another one.
pub(crate) const DEFAULT_SSL_POLICY: &str = predefined::POLICIES[0].name;

/// A stickiness policy whose sessions last as long as a cookie of the application.
#[derive(Record)]
pub struct AppCookieStickinessPolicy {
    /// Name, unique within the load balancer.
    pub(crate) policy_name: Option<Text>,
    /// Name of the application's cookie.
    pub(crate) cookie_name: Option<Text>,
}

/// A stickiness policy with a cookie of the load balancer.
#[derive(Record)]
pub struct LBCookieStickinessPolicy {
    /// Name, unique within the load balancer.
    pub(crate) policy_name: Option<Text>,
    /// Seconds until the cookie expires; without it, sessions last as long as those of the browser.
    pub(crate) cookie_expiration_period: Option<i64>,
}

/// Policies of a load balancer.
#[derive(Record)]
pub struct Policies {
    /// Stickiness policies with a cookie of the application.
    pub(crate) app_cookie_stickiness_policies: Option<Vec<AppCookieStickinessPolicy>>,
    /// Stickiness policies with a cookie of the load balancer.
    #[field(name = "LBCookieStickinessPolicies")]
    pub(crate) lb_cookie_stickiness_policies: Option<Vec<LBCookieStickinessPolicy>>,
    /// Names of all other policies.
    pub(crate) other_policies: Option<Vec<Text>>,
}

impl Policies {
    /// No policies.
    pub fn none() -> Self {
        Self {
            app_cookie_stickiness_policies: Some(Vec::new()),
            lb_cookie_stickiness_policies: Some(Vec::new()),
            other_policies: Some(Vec::new()),
        }
    }

    /// Names of all policies.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Text> {
        let app =
            self.app_cookie_stickiness_policies.iter().flatten().filter_map(|one| one.policy_name.as_ref());
        let lb =
            self.lb_cookie_stickiness_policies.iter().flatten().filter_map(|one| one.policy_name.as_ref());
        app.chain(lb).chain(self.other_policies.iter().flatten())
    }

    /// Removes the policy with this name.
    fn remove(&mut self, name: &str) {
        let is_other = |policy: &Option<Text>| policy.as_deref() != Some(name);
        self.app_cookie_stickiness_policies
            .iter_mut()
            .for_each(|all| all.retain(|one| is_other(&one.policy_name)));
        self.lb_cookie_stickiness_policies
            .iter_mut()
            .for_each(|all| all.retain(|one| is_other(&one.policy_name)));
        self.other_policies.iter_mut().for_each(|all| all.retain(|one| one != name));
    }
}

/// Enabled policies of a port of the instances.
#[derive(Record)]
pub struct BackendServerDescription {
    /// Port of the instances.
    #[field(range(1..=65535))]
    pub(crate) instance_port: Option<i64>,
    /// Names of the enabled policies.
    pub(crate) policy_names: Option<Vec<Text>>,
}

/// Type and attributes of a policy that is not a stickiness policy.
#[derive(Record)]
#[record(row)]
pub(crate) struct PolicyRow {
    /// Name of the load balancer.
    load_balancer_name: Option<Text>,
    /// Name of the policy.
    policy_name: Option<Text>,
    /// Type of the policy.
    policy_type_name: Option<Text>,
    /// Attributes as they were given.
    attributes: Option<Vec<PolicyAttribute>>,
}

nephos_cloud::stored!(PolicyRow in "elb/policy" by load_balancer_name, policy_name);

/// Removes the types and attributes of all policies of a load balancer.
pub(crate) fn remove_all(cx: &mut Tx<'_>, balancer: &str) -> Result<()> {
    cx.remove_all(&PolicyRow::table(cx.scope()).text(balancer).prefix_range()).map(drop)
}

/// Adds the default policy of secure listeners. It needs no row, because it is what its name says.
pub(crate) fn add_default_ssl_policy(balancer: &mut ClassicELB) {
    let policies = balancer.policies.get_or_insert_with(Policies::none);
    if !policies.names().any(|name| name == DEFAULT_SSL_POLICY) {
        policies.other_policies.get_or_insert_default().push(DEFAULT_SSL_POLICY.into());
    }
}

impl ClassicELB {
    fn policies_mut(&mut self) -> &mut Policies {
        self.policies.get_or_insert_with(Policies::none)
    }

    /// Finds a policy of the load balancer, or refuses.
    fn require_policy(&self, cx: &Tx<'_>, name: &str, field: &str) -> Result<PolicyDescription> {
        match self.find_policy(cx, name)? {
            Some(found) => Ok(found),
            None => Err(errors::policy_not_found(name, self.own_name()).with_field(field)),
        }
    }

    fn find_policy(&self, cx: &Tx<'_>, name: &str) -> Result<Option<PolicyDescription>> {
        let Some(policies) = &self.policies else { return Ok(None) };
        let is_it = |policy: &Option<Text>| policy.as_deref() == Some(name);
        let mut app = policies.app_cookie_stickiness_policies.iter().flatten();
        if let Some(found) = app.find(|one| is_it(&one.policy_name)) {
            let cookie = found.cookie_name.clone().map(|value| (COOKIE_NAME.into(), value));
            return Ok(Some(PolicyDescription::new(name, APP_COOKIE, cookie)));
        }
        let mut lb = policies.lb_cookie_stickiness_policies.iter().flatten();
        if let Some(found) = lb.find(|one| is_it(&one.policy_name)) {
            let period = found.cookie_expiration_period;
            let period = period.map(|value| (COOKIE_EXPIRATION.into(), value.to_string().into()));
            return Ok(Some(PolicyDescription::new(name, LB_COOKIE, period)));
        }
        if !policies.other_policies.iter().flatten().any(|one| one == name) {
            return Ok(None);
        }
        let row = PolicyRow::table(cx.scope()).text(self.own_name()).text(name);
        Ok(Some(match cx.get::<PolicyRow>(&row)? {
            Some(row) => row.describe(),
            None => predefined::describe_reference(name, name),
        }))
    }

    /// True if the policy is enabled, or belongs to one that is.
    fn uses_policy(&self, cx: &Tx<'_>, name: &str) -> Result<bool> {
        let of_listeners = self.own_listeners().iter().flat_map(|listener| &listener.policy_names);
        let of_backends =
            self.backend_server_descriptions.iter().flatten().flat_map(|port| &port.policy_names);
        for enabled in of_listeners.chain(of_backends).flatten() {
            if enabled == name {
                return Ok(true);
            }
            let policy = self.find_policy(cx, enabled)?;
            let refers =
                |policy: PolicyDescription| policy.values_of(PUBLIC_KEY_POLICY).any(|other| other == name);
            if policy.is_some_and(refers) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl PolicyRow {
    fn describe(self) -> PolicyDescription {
        let name = self.policy_name.unwrap_or_default();
        let kind = self.policy_type_name.unwrap_or_default();
        let attributes = self.attributes.unwrap_or_default();
        let mut given = attributes.into_iter().filter_map(|one| one.attribute_name.zip(one.attribute_value));
        if kind != SSL_NEGOTIATION {
            return PolicyDescription::new(&name, &kind, given);
        }
        let given: Vec<_> = given.by_ref().collect();
        match given.iter().find(|(attribute, _)| attribute == predefined::REFERENCE) {
            Some((_, reference)) => predefined::describe_reference(&name, reference),
            None => predefined::describe_custom(&name, given),
        }
    }
}
