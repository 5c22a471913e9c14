//! Protocols of listeners, target groups and health checks, and which go together.

use super::LoadBalancerType;
use nephos_core::{choices, field_value::FieldValue};

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
        /// What gateway balancers speak with their targets.
        Geneve = "GENEVE",
        /// QUIC.
        Quic = "QUIC",
        /// Both TCP and QUIC.
        TcpQuic = "TCP_QUIC",
    }
}

impl Protocol {
    /// Name, as on the wire.
    pub(super) fn name(&self) -> &str {
        self.view().as_text().unwrap_or_default()
    }

    /// Whether listeners of it have certificates.
    pub(super) fn is_secure(&self) -> bool {
        matches!(self, Self::Https | Self::Tls)
    }

    /// Whether it is HTTP or HTTPS.
    pub(super) fn is_http(&self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }

    /// The type of balancer that targets of this protocol are behind.
    pub(super) fn balancer_type(&self) -> LoadBalancerType {
        match self {
            Self::Http | Self::Https => LoadBalancerType::Application,
            Self::Geneve => LoadBalancerType::Gateway,
            _ => LoadBalancerType::Network,
        }
    }

    /// The protocols of the target groups that a listener of this one can lead to.
    pub(super) fn target_protocols(&self) -> &'static [Self] {
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
