//! Defaults and validation of listeners.

use super::{Listener, MutualAuthentication, TrustStoreAssociationStatus, certificates, ssl_policies};
use crate::{
    LoadBalancer, LoadBalancerType, Protocol, Switch, errors, trust_store, validation::refuse_fields,
};
use nephos_cloud::{Scope, Tx};
use nephos_core::{Result, Text, field_value::FieldType};

/// ALPN policies.
const ALPN_POLICIES: [&str; 5] = ["HTTP1Only", "HTTP2Only", "HTTP2Optional", "HTTP2Preferred", "None"];

impl Listener {
    /// Fills in defaults and validates the settings, except the actions.
    pub(super) fn normalized(mut self, cx: &Tx<'_>, balancer: &LoadBalancer) -> Result<Self> {
        self.check_port(balancer)?;
        self.normalize_certificates(cx.scope())?;
        self.check_alpn()?;
        self.normalize_mutual_authentication(cx)?;
        Ok(self)
    }

    fn check_port(&self, balancer: &LoadBalancer) -> Result<()> {
        let balancer_type = balancer.own_type();
        if balancer_type == LoadBalancerType::Gateway {
            refuse_fields(self, &["Port"], |_| errors::gateway_listener_setting("port"))?;
            return refuse_fields(self, &["Protocol"], |_| errors::gateway_listener_setting("protocol"));
        }
        if self.port.is_none() {
            return Err(errors::setting_missing("listener port").with_field("Port"));
        }
        let Some(protocol) = &self.protocol else {
            return Err(errors::setting_missing("listener protocol").with_field("Protocol"));
        };
        if protocol.balancer_type() != balancer_type {
            let own = if balancer_type == LoadBalancerType::Application {
                "HTTPS, HTTP"
            } else {
                "TLS, TCP, TCP_UDP, UDP, QUIC, TCP_QUIC"
            };
            return Err(errors::listener_protocol_unsupported(protocol.name(), own).with_field("Protocol"));
        }
        Ok(())
    }

    /// Requires a certificate for HTTPS and TLS and fills in the security policy; refuses both for other protocols.
    fn normalize_certificates(&mut self, scope: &Scope) -> Result<()> {
        self.certificates = self.certificates.take().filter(|list| !list.is_empty());
        if !self.protocol.as_ref().is_some_and(Protocol::is_secure) {
            let protocol = self.own_protocol();
            refuse_fields(self, &["Certificates"], |_| errors::certificate_unsupported(protocol.name()))?;
            return refuse_fields(self, &["SslPolicy"], |_| errors::ssl_policy_unsupported(protocol.name()));
        }
        let Some(certificates) = &self.certificates else {
            return Err(errors::certificate_missing(self.own_protocol().name()).with_field("Certificates"));
        };
        if certificates.len() > 1 {
            return Err(errors::too_many_default_certificates()
                .with_field("Certificates")
                .with_hint("other certificates are added to the listener afterwards"));
        }
        for certificate in certificates {
            certificates::check(scope, certificate, "Certificates[0]")?;
        }
        ssl_policies::check_exists(
            self.ssl_policy.get_or_insert(ssl_policies::DEFAULT_POLICY.into()),
            "SslPolicy",
        )
    }

    fn check_alpn(&mut self) -> Result<()> {
        let Some(policies) = self.alpn_policy.take().filter(|policies| !policies.is_empty()) else {
            return Ok(());
        };
        if self.protocol != Some(Protocol::Tls) {
            return Err(errors::unsupported_for_listener("An ALPN policy", self.own_protocol().name())
                .with_field("AlpnPolicy"));
        }
        let [policy] = policies.as_slice() else {
            return Err(errors::alpn_policy_count().with_field("AlpnPolicy"));
        };
        if !ALPN_POLICIES.contains(&policy.as_str()) {
            return Err(errors::alpn_policy_not_found(policy)
                .with_field("AlpnPolicy")
                .with_hint(format!("expected one of {}", ALPN_POLICIES.join(", "))));
        }
        self.alpn_policy = Some(policies);
        Ok(())
    }

    /// Fills in defaults of mutual authentication and validates it; refuses it for other protocols than HTTPS.
    fn normalize_mutual_authentication(&mut self, cx: &Tx<'_>) -> Result<()> {
        const FIELD: &str = "MutualAuthentication";
        if self.protocol != Some(Protocol::Https) {
            return refuse_fields(self, &[FIELD], |_| {
                errors::unsupported_for_listener("Mutual authentication", self.own_protocol().name())
            });
        }
        let authentication = self.mutual_authentication.get_or_insert_with(MutualAuthentication::blank);
        authentication.normalize(cx).map_err(|error| error.in_field(FIELD))
    }
}

impl MutualAuthentication {
    fn normalize(&mut self, cx: &Tx<'_>) -> Result<()> {
        let mode: &Text = self.mode.get_or_insert("off".into());
        if mode != "verify" {
            self.trust_store_association_status = None;
            let others = ["TrustStoreArn", "IgnoreClientCertificateExpiry", "AdvertiseTrustStoreCaNames"];
            return refuse_fields(self, &others, errors::verify_setting_given);
        }
        let Some(store) = self.trust_store_arn.as_deref() else {
            return Err(errors::verify_trust_store_missing().with_field("TrustStoreArn"));
        };
        trust_store::check_ready(cx, store, "TrustStoreArn")?;
        self.ignore_client_certificate_expiry.get_or_insert(false);
        self.advertise_trust_store_ca_names.get_or_insert(Switch::Off);
        self.trust_store_association_status = Some(TrustStoreAssociationStatus::Active);
        Ok(())
    }
}
