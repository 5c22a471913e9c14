//! Protocols of listeners, target groups and health checks, and which go together.

use super::LoadBalancerType;
use nephos_core::choices;

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
    /// Its name.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Http => "HTTP",
            Self::Https => "HTTPS",
            Self::Tcp => "TCP",
            Self::Tls => "TLS",
            Self::Udp => "UDP",
            Self::TcpUdp => "TCP_UDP",
            Self::Geneve => "GENEVE",
            Self::Quic => "QUIC",
            Self::TcpQuic => "TCP_QUIC",
            Self::Unknown(name) => name,
        }
    }

    /// Whether a client shows a certificate's name to it.
    pub(super) fn is_secure(&self) -> bool {
        matches!(self, Self::Https | Self::Tls)
    }

    /// Whether it is one of requests and answers.
    pub(super) fn is_http(&self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }

    /// The type of balancer that targets of this protocol are behind.
    pub(super) fn balancer(&self) -> LoadBalancerType {
        match self {
            Self::Http | Self::Https => LoadBalancerType::Application,
            Self::Geneve => LoadBalancerType::Gateway,
            _ => LoadBalancerType::Network,
        }
    }

    /// The protocols of the target groups that a listener of this one can lead to.
    pub(super) fn leads_to(&self) -> &'static [Self] {
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
