//! Listeners: ports of a load balancer, and the ports of instances that they send connections to.

use crate::{
    ClassicELB, ClassicELBManager, Empty, errors,
    limits::MAX_LISTENERS,
    load_balancer::require,
    policy::{self, DEFAULT_SSL_POLICY},
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Arn, Error, ErrorKind, Record, Result, Text, Value, nearest, operation};

/// Protocols of listeners: those of requests, then those of connections; each is not secure, or secure.
const PROTOCOLS: [&str; 4] = ["HTTP", "HTTPS", "TCP", "SSL"];

/// A listener: a port of the load balancer, and the port of instances.
#[derive(Record)]
pub struct Listener {
    /// Protocol of clients: HTTP, HTTPS, TCP or SSL.
    #[field(required, condition = "elasticloadbalancing:ListenerProtocol")]
    pub(crate) protocol: Option<Text>,
    /// Port of the load balancer.
    #[field(required, range(1..=65535))]
    pub(crate) load_balancer_port: Option<i64>,
    /// Protocol of instances; HTTP for HTTP and HTTPS, TCP for TCP and SSL by default.
    pub(crate) instance_protocol: Option<Text>,
    /// Port of instances.
    #[field(required, range(1..=65535))]
    pub(crate) instance_port: Option<i64>,
    /// ARN of the server certificate, for HTTPS and SSL.
    #[field(name = "SSLCertificateId")]
    pub(crate) ssl_certificate_id: Option<Text>,
}

/// A listener and its enabled policies.
#[derive(Record)]
pub struct ListenerDescription {
    /// The listener.
    pub(crate) listener: Option<Listener>,
    /// Names of the enabled policies.
    pub(crate) policy_names: Option<Vec<Text>>,
}

impl From<Listener> for ListenerDescription {
    fn from(listener: Listener) -> Self {
        Self { listener: Some(listener), policy_names: None }
    }
}

impl ListenerDescription {
    /// Port of the load balancer; 0 without a listener.
    pub fn port(&self) -> i64 {
        self.listener.as_ref().and_then(|listener| listener.load_balancer_port).unwrap_or_default()
    }

    /// Port of instances.
    pub(crate) fn instance_port(&self) -> i64 {
        self.listener.as_ref().and_then(|listener| listener.instance_port).unwrap_or_default()
    }

    /// Protocol of clients.
    pub(crate) fn protocol(&self) -> &str {
        self.listener.as_ref().and_then(|listener| listener.protocol.as_deref()).unwrap_or_default()
    }
}

/// True for protocols of requests; the others are those of connections.
pub(crate) fn is_http(protocol: &str) -> bool {
    protocol.starts_with("HTTP")
}

/// True for protocols with a certificate.
pub(crate) fn is_secure(protocol: &str) -> bool {
    matches!(protocol, "HTTPS" | "SSL")
}

impl Listener {
    /// Returns the listener with defaults and with protocols in capitals; refuses one that no load balancer can have.
    fn normalized(mut self, cx: &mut Tx<'_>) -> Result<Self> {
        let protocol = read_protocol(self.protocol.as_deref(), "Protocol")?;
        let default = if is_http(protocol) { "HTTP" } else { "TCP" };
        let instance_protocol = self.instance_protocol.as_deref().unwrap_or(default);
        let instance_protocol = read_protocol(Some(instance_protocol), "InstanceProtocol")?;
        if is_http(protocol) != is_http(instance_protocol) {
            let error = errors::protocols_mixed(protocol, instance_protocol);
            return Err(error.with_field("InstanceProtocol"));
        }
        if is_secure(protocol) {
            let certificate = self.ssl_certificate_id.as_deref().filter(|arn| !arn.is_empty());
            let certificate =
                certificate.ok_or_else(|| errors::certificate_missing().with_field("SSLCertificateId"))?;
            check_certificate(cx, certificate)?;
        } else {
            self.ssl_certificate_id = None;
        }
        (self.protocol, self.instance_protocol) = (Some(protocol.into()), Some(instance_protocol.into()));
        Ok(self)
    }
}

fn read_protocol(given: Option<&str>, field: &str) -> Result<&'static str> {
    let given = given.unwrap_or_default();
    let found = PROTOCOLS.into_iter().find(|protocol| protocol.eq_ignore_ascii_case(given));
    found.ok_or_else(|| {
        let hint = nearest::hint(given, PROTOCOLS);
        errors::protocol_unsupported(given).with_field(field).with_hint(hint)
    })
}

/// Refuses a certificate that is not of this account. One of `iam` must exist; one of `acm` is assumed to.
fn check_certificate(cx: &mut Tx<'_>, arn: &str) -> Result<()> {
    let not_found = || errors::certificate_not_found(arn).with_field("SSLCertificateId");
    let scope = cx.scope();
    match Arn::parts(arn) {
        Some([_, "acm", region, account, resource])
            if (account, region) == (scope.account(), scope.region())
                && resource.strip_prefix("certificate/").is_some_and(|id| !id.is_empty()) =>
        {
            Ok(())
        }
        Some([_, "iam", "", account, resource]) if account == scope.account() => {
            let Some(name) = certificate_name(resource) else { return Err(not_found()) };
            let name = [("ServerCertificateName", Value::from(name))];
            match cx.call_service("iam", "GetServerCertificate", &name) {
                Err(error) if error.kind() == ErrorKind::NotFound => Err(not_found()),
                found => found.map(drop),
            }
        }
        _ => Err(not_found()),
    }
}

/// Returns the name of the server certificate in the resource part of an ARN.
fn certificate_name(resource: &str) -> Option<&str> {
    let path = resource.strip_prefix("server-certificate/")?;
    path.rsplit('/').next().filter(|name| !name.is_empty())
}

/// Tells `iam` that the load balancer uses the certificates of its listeners, and no others of those `before`. A certificate in
/// use cannot be deleted.
pub(crate) fn update_certificate_uses(
    cx: &mut Tx<'_>,
    balancer: &ClassicELB,
    before: &[ListenerDescription],
) -> Result<()> {
    let names = |listeners: &[ListenerDescription]| -> Vec<Text> {
        let arns =
            listeners.iter().filter_map(|described| described.listener.as_ref()?.ssl_certificate_id.as_ref());
        let resource = |arn: &Text| match Arn::parts(arn) {
            Some([_, "iam", _, _, resource]) => certificate_name(resource).map(Text::new),
            _ => None,
        };
        arns.filter_map(resource).collect()
    };
    let (used, released) = (names(balancer.listeners.as_deref().unwrap_or_default()), names(before));
    let arn = nephos_cloud::own_arn(balancer, cx.scope()).unwrap_or_default();
    let uses = used.iter().map(|name| (name, true));
    let released = released.iter().filter(|name| !used.contains(name)).map(|name| (name, false));
    for (name, is_used) in uses.chain(released) {
        let values = [
            ("ServerCertificateName", Value::from(name.clone())),
            ("UserArn", Value::from(arn.clone())),
            ("IsUsed", Value::from(is_used)),
        ];
        cx.call_service("iam", "NoteCertificateUse", &values)?;
    }
    Ok(())
}

impl ClassicELB {
    /// Listeners, with their policies.
    pub(crate) fn own_listeners(&self) -> &[ListenerDescription] {
        self.listeners.as_deref().unwrap_or_default()
    }

    /// Finds the listener on a port, or refuses.
    pub(crate) fn require_listener(&mut self, port: i64) -> Result<&mut ListenerDescription> {
        let missing = errors::listener_not_found(self.own_name(), port).with_field("LoadBalancerPort");
        let mut listeners = self.listeners.iter_mut().flatten();
        listeners.find(|listener| listener.port() == port).ok_or(missing)
    }

    /// Adds listeners. One that exists with the same settings is not an error. A secure listener without a policy gets the
    /// default one.
    pub(crate) fn put_listeners(&mut self, cx: &mut Tx<'_>, given: Vec<Listener>) -> Result<()> {
        if given.is_empty() {
            return Err(errors::listeners_missing().with_field("Listeners"));
        }
        for (n, listener) in given.into_iter().enumerate() {
            let in_item = |error: Error| error.in_field(&format!("Listeners[{n}]"));
            let listener = listener.normalized(cx).map_err(in_item)?;
            let port = listener.load_balancer_port.unwrap_or_default();
            if let Some(other) = self.own_listeners().iter().find(|other| other.port() == port) {
                if other.listener.as_ref() == Some(&listener) {
                    continue;
                }
                return Err(in_item(
                    errors::listener_exists(self.own_name(), port).with_field("LoadBalancerPort"),
                ));
            }
            self.check_instance_port(&listener).map_err(in_item)?;
            let secure = is_secure(listener.protocol.as_deref().unwrap_or_default());
            let policies = secure.then(|| Text::new(DEFAULT_SSL_POLICY));
            if secure {
                policy::add_default_ssl_policy(self);
            }
            let described = ListenerDescription {
                listener: Some(listener),
                policy_names: Some(policies.into_iter().collect()),
            };
            self.listeners.get_or_insert_default().push(described);
        }
        if self.own_listeners().len() > MAX_LISTENERS {
            return Err(errors::too_many_listeners(MAX_LISTENERS).with_field("Listeners"));
        }
        Ok(())
    }

    /// Refuses a listener if another one has the same instance port, and only one of them is secure towards the instances.
    fn check_instance_port(&self, listener: &Listener) -> Result<()> {
        let secure =
            |listener: &Listener| is_secure(listener.instance_protocol.as_deref().unwrap_or_default());
        let port = listener.instance_port.unwrap_or_default();
        let others = self.own_listeners().iter().filter(|other| other.instance_port() == port);
        let mut others = others.filter_map(|other| other.listener.as_ref());
        if others.any(|other| secure(other) != secure(listener)) {
            return Err(errors::instance_port_mixed(port).with_field("InstancePort"));
        }
        Ok(())
    }
}

/// Stores a load balancer whose listeners were changed. `before` are the listeners before the change.
pub(crate) fn put(cx: &mut Tx<'_>, balancer: ClassicELB, before: &[ListenerDescription]) -> Result<()> {
    update_certificate_uses(cx, &balancer, before)?;
    cx.put(balancer)
}

/// Adds listeners to a load balancer.
#[operation(of = ClassicELB, call = "add_listeners", on_model(listeners), needs(load_balancer_name), effect = write)]
pub struct CreateLoadBalancerListeners {
    /// Listeners.
    pub listeners: Vec<Listener>,
}

impl Handler for CreateLoadBalancerListeners {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let before = balancer.own_listeners().to_vec();
        balancer.put_listeners(cx, self.listeners)?;
        put(cx, balancer, &before)?;
        Ok(Empty {})
    }
}

/// Removes the listeners on these ports. A port without a listener is not an error.
#[operation(of = ClassicELB, call = "remove_listeners", on_model(load_balancer_ports), needs(load_balancer_name), effect = write)]
pub struct DeleteLoadBalancerListeners {
    /// Ports of the load balancer.
    pub load_balancer_ports: Vec<i64>,
}

impl Handler for DeleteLoadBalancerListeners {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let before = balancer.own_listeners().to_vec();
        if let Some(listeners) = &mut balancer.listeners {
            listeners.retain(|listener| !self.load_balancer_ports.contains(&listener.port()));
        }
        let used: Vec<_> = balancer.own_listeners().iter().map(ListenerDescription::instance_port).collect();
        if let Some(ports) = &mut balancer.backend_server_descriptions {
            ports.retain(|port| port.instance_port.is_some_and(|port| used.contains(&port)));
        }
        put(cx, balancer, &before)?;
        Ok(Empty {})
    }
}

/// Replaces the certificate of a listener.
#[operation(
    of = ClassicELB, call = "set_ssl_certificate", on_model(load_balancer_port, ssl_certificate_id), needs(load_balancer_name),
    effect = write
)]
pub struct SetLoadBalancerListenerSSLCertificate {
    /// Port of the load balancer.
    pub load_balancer_port: i64,
    /// ARN of the server certificate.
    #[field(name = "SSLCertificateId")]
    pub ssl_certificate_id: Text,
}

impl Handler for SetLoadBalancerListenerSSLCertificate {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let before = balancer.own_listeners().to_vec();
        let described = balancer.require_listener(self.load_balancer_port)?;
        if !is_secure(described.protocol()) {
            let error = errors::listener_not_secure(self.load_balancer_port);
            return Err(error.with_field("LoadBalancerPort"));
        }
        check_certificate(cx, &self.ssl_certificate_id)?;
        if let Some(listener) = &mut described.listener {
            listener.ssl_certificate_id = Some(self.ssl_certificate_id);
        }
        put(cx, balancer, &before)?;
        Ok(Empty {})
    }
}
