//! Listeners: the ports at which a balancer takes connections, and what becomes of them by default.

mod operations;
mod settings;

pub use operations::{
    CreateListener, DeleteListener, DescribeListeners, ListenerCreate, ListenerGet, Listeners,
    ModifyListener, OneListener, Update,
};

use super::{
    Action, LoadBalancer, Rule, SERVICE, Switch, attributes,
    certificates::{self, Certificate},
    errors, names,
    protocol::Protocol,
    rule, tagging, trust_store,
};
use nephos_cloud::{Key, Scope, Stored, StoredResource, Tx};
use nephos_core::{Arn, Error, Record, Resource, Result, Slot, Tag, Text, choices};
use nephos_store::Direction;
use std::ops::ControlFlow;

choices! {
    /// The status of the association of a listener with a trust store.
    pub enum TrustStoreAssociationStatus {
        /// The trust store is in use.
        Active = "active",
        /// The trust store was removed.
        Removed = "removed",
    }
}

/// Authentication of clients by certificates.
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
    /// `on` to send clients the names of the authorities; for `verify`.
    pub(super) advertise_trust_store_ca_names: Option<Switch>,
}

/// A listener: a port at which a load balancer accepts connections, with the default actions for them.
#[derive(Resource)]
#[resource(
    service = SERVICE, absent = super::errors::LISTENER_NOT_FOUND,
    arn = "ListenerArn", pk = "ListenerArn", mark = "ListenerArn", tags = "Tags",
    check = rules, settle = settle,
    calls(
        ListenerCreate, ListenerGet, DescribeListeners, Update, DeleteListener,
        certificates::DescribeListenerCertificates, certificates::AddCertificates, certificates::RemoveCertificates,
        attributes::of_listener::Attributes, attributes::of_listener::AttributeMap,
        attributes::of_listener::SetAttributes,
        tagging::of_listener::Tag, tagging::of_listener::Untag, tagging::of_listener::ListTags
    ),
    create = ListenerCreate, update = Update, delete = DeleteListener, get = ListenerGet,
    relation(load_balancer, one = LoadBalancer, with = find_load_balancer),
    relation(rules, many = Rule, with = find_rules),
)]
pub struct Listener {
    /// ARN.
    #[field(service_set)]
    pub(super) listener_arn: Option<Text>,
    /// ARN of its load balancer.
    #[field(required, fixed)]
    pub(super) load_balancer_arn: Option<Text>,
    /// Port. Required, except for gateway load balancers, which have none.
    #[field(range(1..=65535))]
    pub(super) port: Option<i64>,
    /// Protocol. Gateway load balancers have none.
    #[field(default = "HTTPS")]
    pub(super) protocol: Option<Protocol>,
    /// Default certificate.
    pub(super) certificates: Option<Vec<Certificate>>,
    /// Security policy: the protocols and ciphers that it accepts.
    pub(super) ssl_policy: Option<Text>,
    /// Actions for requests that no rule matches.
    pub(super) default_actions: Option<Vec<Action>>,
    /// ALPN policy of a TLS listener: one of HTTP1Only, HTTP2Only, HTTP2Optional, HTTP2Preferred, None.
    pub(super) alpn_policy: Option<Vec<Text>>,
    /// Authentication of clients by certificates.
    pub(super) mutual_authentication: Option<MutualAuthentication>,
    /// Tags. A listing does not fetch them; `get` does.
    #[field(nowhere)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// What callers have to say of a listener depends on its balancer.
fn rules(listener: &Listener) -> Result<()> {
    if listener.is_of_gateway() || listener.port.is_some() || listener.listener_arn.is_some() {
        return Ok(());
    }
    Err(Error::invalid("Port", "is required"))
}

/// A gateway's listener has no protocol unless somebody says so, who will be refused.
fn settle(listener: &mut Listener) {
    let protocol = Listener::SHAPE.field("Protocol").map(|(index, _)| index);
    let given = protocol.is_some_and(|index| listener.slot.given().contains(index));
    if listener.is_of_gateway() && !given {
        listener.protocol = None;
    }
}

impl Stored for Listener {
    const TABLE: &'static str = "elbv2/listener";

    fn identify(&self, key: Key) -> Key {
        let [balancer, id] = self.place();
        key.text(balancer).text(id)
    }
}

impl Listener {
    /// The name of its balancer, and its own id.
    fn place(&self) -> [&str; 2] {
        match names::parts(self.own_arn(), KIND) {
            Some([_, balancer, _, id]) => [balancer, id],
            None => ["", ""],
        }
    }

    /// The resource name of its balancer.
    pub(super) fn balancer_arn(&self) -> &str {
        self.load_balancer_arn.as_deref().unwrap_or_default()
    }

    /// The protocol that its target groups have to go with.
    pub(super) fn own_protocol(&self) -> Protocol {
        self.protocol.clone().unwrap_or(Protocol::Geneve)
    }

    fn is_of_gateway(&self) -> bool {
        matches!(names::parts(self.balancer_arn(), super::load_balancer::KIND), Some(["gwy", _, _]))
    }
}

/// What a listener is called in resource names.
pub(super) const KIND: &str = "listener";

fn arn_of(scope: &Scope, balancer: &LoadBalancer, id: &str) -> Arn {
    names::arn(scope, &[KIND, balancer.own_type().word(), balancer.own_name(), balancer.id(), id])
}

/// The listener, if there is one.
pub(super) fn find(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Option<Listener>> {
    let [_, balancer, _, id] = names::given(arn, KIND, field)?;
    let found: Option<Listener> = cx.get(&Listener::table(cx.scope()).text(balancer).text(id))?;
    Ok(found.filter(|listener| listener.own_arn() == arn))
}

/// The listener, which must exist.
pub(super) fn require(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Listener> {
    find(cx, arn, field)?.ok_or_else(|| missing(arn))
}

fn missing(which: &str) -> Error {
    errors::LISTENER_NOT_FOUND.because(format!("there is no listener {which}"))
}

/// The listeners of the balancer of that name.
pub(super) fn within(cx: &Tx<'_>, balancer: &str) -> Result<Vec<Listener>> {
    let mut listeners = Vec::new();
    let range = Listener::table(cx.scope()).text(balancer).within();
    cx.scan(cx.scope(), &range, Direction::Ascending, |listener| {
        listeners.push(listener);
        ControlFlow::Continue(())
    })?;
    Ok(listeners)
}

/// Removes a listener, with its rules and all that belongs to them.
pub(super) fn remove(cx: &mut Tx<'_>, listener: &Listener) -> Result<()> {
    for rule in rule::within(cx, listener)? {
        rule::remove(cx, listener, &rule)?;
    }
    trust_store::note(cx, Some(listener), None)?;
    certificates::forget(cx, listener.own_arn())?;
    attributes::forget(cx, listener.own_arn())?;
    tagging::forget(cx, listener.own_arn())?;
    cx.remove(listener)
}

/// The balancer it belongs to.
async fn find_load_balancer(listener: &Listener) -> Result<Option<LoadBalancer>> {
    let session = listener.require_session()?;
    LoadBalancer::objects(session).get().load_balancer_arn(listener.balancer_arn()).await
}

/// Its rules, the default one last.
async fn find_rules(listener: &Listener) -> Result<Vec<Rule>> {
    let session = listener.require_session()?;
    Rule::objects(session).list().listener_arn(listener.require_arn()?).results().await
}
