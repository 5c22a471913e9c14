//! Listeners: the ports at which a load balancer accepts connections, with the default actions for them.

mod certificates;
mod operations;
mod settings;
mod ssl_policies;

pub use certificates::*;
pub use operations::*;
pub use ssl_policies::*;

use super::{Action, LoadBalancer, Protocol, Rule, Switch, attributes, errors, rule, tagging, trust_store};
use nephos_cloud::{Addressed, Key, Stored, StoredResource, Tx};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, choices};

choices! {
    /// Status of the association of a listener with a trust store.
    pub enum TrustStoreAssociationStatus {
        /// In use.
        Active = "active",
        /// Removed.
        Removed = "removed",
    }
}

/// Mutual TLS: authentication of clients by certificates.
#[derive(Record)]
#[record(name = "MutualAuthenticationAttributes")]
pub struct MutualAuthentication {
    /// Mode: `off`, `passthrough` or `verify`.
    #[field(one_of("off", "passthrough", "verify"))]
    pub(super) mode: Option<Text>,
    /// ARN of the trust store that certificates are verified against; for `verify`.
    pub(super) trust_store_arn: Option<Text>,
    /// True to accept expired certificates; for `verify`.
    pub(super) ignore_client_certificate_expiry: Option<bool>,
    /// Status of the association with the trust store.
    #[field(service_set)]
    pub(super) trust_store_association_status: Option<TrustStoreAssociationStatus>,
    /// `on` to send clients the names of the certificate authorities; for `verify`.
    pub(super) advertise_trust_store_ca_names: Option<Switch>,
}

/// A listener: a port at which a load balancer accepts connections, with the default actions for them.
#[derive(Resource)]
#[resource(
    arn("ListenerArn", "listener/{}/{*}/{}/{*}"),
    not_found = |which| errors::listeners_not_found().with_hint(which),
    pk = "ListenerArn", exists_if = "ListenerArn", tags = "Tags",
    check = require_port, derive_fields = drop_default_protocol,
    relation(load_balancer, one = LoadBalancer, with = find_load_balancer),
    relation(rules, many = Rule, with = find_rules)
)]
pub struct Listener {
    /// ARN.
    #[field(service_set)]
    pub(super) listener_arn: Option<Text>,
    /// ARN of the load balancer.
    #[field(required, fixed)]
    pub(super) load_balancer_arn: Option<Text>,
    /// Port. Required, except for gateway load balancers, which have none.
    #[field(range(1..=65535))]
    pub(super) port: Option<i64>,
    /// Protocol. Gateway load balancers have none.
    #[field(default = "HTTPS", condition = "elasticloadbalancing:ListenerProtocol")]
    pub(super) protocol: Option<Protocol>,
    /// Default certificate.
    pub(super) certificates: Option<Vec<Certificate>>,
    /// Security policy: the TLS versions and ciphers that the listener accepts.
    #[field(condition = "elasticloadbalancing:SecurityPolicy")]
    pub(super) ssl_policy: Option<Text>,
    /// Actions for requests that no rule matches.
    pub(super) default_actions: Option<Vec<Action>>,
    /// ALPN policy of a TLS listener: one of HTTP1Only, HTTP2Only, HTTP2Optional, HTTP2Preferred, None.
    pub(super) alpn_policy: Option<Vec<Text>>,
    /// Mutual TLS: authentication of clients by certificates.
    pub(super) mutual_authentication: Option<MutualAuthentication>,
    /// Tags.
    #[field(not_in_list, not_on_wire)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// Requires a port, except for listeners of gateway load balancers.
fn require_port(listener: &Listener) -> Result<()> {
    if listener.belongs_to_gateway() || listener.port.is_some() || listener.listener_arn.is_some() {
        return Ok(());
    }
    Err(errors::setting_missing("listener port").with_field("Port"))
}

/// Removes the default protocol of a listener of a gateway load balancer. An explicit protocol stays, and is refused later.
fn drop_default_protocol(listener: &mut Listener) {
    if listener.belongs_to_gateway() && !listener.fields_set().contains(&"Protocol") {
        listener.protocol = None;
    }
}

impl Stored for Listener {
    const TABLE: &'static str = "elbv2/listener";

    fn identify(&self, key: Key) -> Key {
        Self::key_of_arn(key.clone(), self.own_arn()).unwrap_or(key)
    }
}

impl Listener {
    /// Returns the parts of the ARN: type, name and ID of the load balancer, and ID of the listener.
    pub(super) fn arn_parts(&self) -> [&str; 4] {
        let parts = Self::read_arn(self.own_arn()).unwrap_or_default();
        parts.try_into().unwrap_or_default()
    }

    /// Returns the name of the load balancer.
    pub(super) fn balancer_name(&self) -> &str {
        self.arn_parts()[1]
    }

    /// Returns the ARN of the load balancer.
    pub(super) fn balancer_arn(&self) -> &str {
        self.load_balancer_arn.as_deref().unwrap_or_default()
    }

    /// Returns the protocol that target groups must be compatible with; GENEVE for gateway load balancers.
    pub(super) fn own_protocol(&self) -> Protocol {
        self.protocol.clone().unwrap_or(Protocol::Geneve)
    }

    fn belongs_to_gateway(&self) -> bool {
        LoadBalancer::read_arn(self.balancer_arn()).is_some_and(|parts| parts.first() == Some(&"gwy"))
    }
}

/// Returns the listeners of the load balancer with that name.
pub(super) fn listeners_of(cx: &Tx<'_>, balancer: &str) -> Result<Vec<Listener>> {
    cx.all(&Listener::table(cx.scope()).text(balancer))
}

/// Removes a listener with its rules, certificates, attributes and tags.
pub(super) fn remove(cx: &mut Tx<'_>, listener: &Listener) -> Result<()> {
    for rule in rule::rules_of(cx, listener)? {
        rule::remove(cx, listener, &rule)?;
    }
    trust_store::update_association(cx, Some(listener), None)?;
    certificates::remove_added(cx, listener.own_arn())?;
    attributes::AttributesRow::remove(cx, listener.own_arn())?;
    tagging::TagsRow::remove(cx, listener.own_arn())?;
    cx.remove(listener)
}

/// Finds the load balancer of a listener.
async fn find_load_balancer(listener: &Listener) -> Result<Option<LoadBalancer>> {
    let session = listener.require_session()?;
    LoadBalancer::objects(session).get().load_balancer_arn(listener.balancer_arn()).await
}

/// Finds the rules of a listener, the default rule last.
async fn find_rules(listener: &Listener) -> Result<Vec<Rule>> {
    let session = listener.require_session()?;
    Rule::objects(session).list().listener_arn(listener.require_arn()?).results().await
}
