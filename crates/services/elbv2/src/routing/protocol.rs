//! Protocols of listeners, target groups and health checks, and their compatibility.

use crate::LoadBalancerType;
use nephos_core::{
    choices,
    field_value::{Choice, FieldValue},
};

choices! {
    /// A protocol of a listener, a target group or a health check.
    pub enum Protocol {
        /// Plain HTTP.
        Http = "HTTP",
        /// HTTP over TLS.
        Https = "HTTPS",
        /// Plain TCP.
        Tcp = "TCP",
        /// TLS over TCP.
        Tls = "TLS",
        /// UDP.
        Udp = "UDP",
        /// Both TCP and UDP.
        TcpUdp = "TCP_UDP",
        /// GENEVE, between gateway load balancers and their targets.
        Geneve = "GENEVE",
        /// QUIC.
        Quic = "QUIC",
        /// Both TCP and QUIC.
        TcpQuic = "TCP_QUIC",
    }
}

impl Protocol {
    /// Returns the name, as on the wire.
    pub fn name(&self) -> &str {
        self.view().as_text().unwrap_or_default()
    }

    /// Returns the name, as on the wire; empty for an unknown protocol.
    pub(crate) fn static_name(&self) -> &'static str {
        self.index().map_or("", |index| <Self as Choice>::SHAPE.values[index].wire)
    }

    /// True if listeners with this protocol have certificates.
    pub(crate) fn is_secure(&self) -> bool {
        matches!(self, Self::Https | Self::Tls)
    }

    /// True for HTTP and HTTPS.
    pub(crate) fn is_http(&self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }

    /// Returns the type of load balancer that supports this protocol.
    pub(crate) fn balancer_type(&self) -> LoadBalancerType {
        match self {
            Self::Http | Self::Https => LoadBalancerType::Application,
            Self::Geneve => LoadBalancerType::Gateway,
            _ => LoadBalancerType::Network,
        }
    }

    /// Returns the protocols of target groups that a listener with this protocol can forward to.
    pub(crate) fn target_protocols(&self) -> &'static [Self] {
        match self {
            Self::Http | Self::Https => &[Self::Http, Self::Https],
            Self::Tcp => &[Self::Tcp, Self::TcpUdp],
            Self::Tls => &[Self::Tls, Self::Tcp],
            Self::Udp => &[Self::Udp, Self::TcpUdp],
            Self::TcpUdp => &[Self::TcpUdp],
            Self::Geneve => &[Self::Geneve],
            Self::Quic => &[Self::Quic, Self::TcpQuic],
            Self::TcpQuic => &[Self::TcpQuic],
            Self::Unknown(_) => &[],
        }
    }
}
