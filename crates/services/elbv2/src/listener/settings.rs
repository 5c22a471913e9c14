//! Defaults and validation of listeners.

use super::{Listener, MutualAuthentication, TrustStoreAssociationStatus};
use crate::{
    LoadBalancer, LoadBalancerType, Switch, certificates, errors,
    protocol::Protocol,
    ssl_policies, trust_store,
    validation::{invalid, invalid_configuration, refuse_fields},
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
            let refusal = |field| invalid(field, "is not allowed for listeners of gateway load balancers");
            return refuse_fields(self, &["Port", "Protocol"], refusal);
        }
        if self.port.is_none() {
            return Err(invalid("Port", "is required"));
        }
        let Some(protocol) = &self.protocol else { return Err(invalid("Protocol", "is required")) };
        if protocol.balancer_type() != balancer_type {
            let own = if balancer_type == LoadBalancerType::Application {
                "HTTPS, HTTP"
            } else {
                "TCP, TLS, UDP, TCP_UDP, QUIC, TCP_QUIC"
            };
            let message = format!("Listener protocol '{}' must be one of '{own}'", protocol.name());
            return Err(errors::UNSUPPORTED_PROTOCOL.with_message(message).with_field("Protocol"));
        }
        Ok(())
    }

    /// Requires a certificate for HTTPS and TLS and fills in the security policy; refuses both for other protocols.
    fn normalize_certificates(&mut self, scope: &Scope) -> Result<()> {
        self.certificates = self.certificates.take().filter(|list| !list.is_empty());
        if !self.protocol.as_ref().is_some_and(Protocol::is_secure) {
            let refusal = |field| invalid(field, "is only allowed for HTTPS and TLS listeners");
            return refuse_fields(self, &["Certificates", "SslPolicy"], refusal);
        }
        let Some(certificates) = &self.certificates else {
            return Err(invalid("Certificates", "is required for HTTPS and TLS listeners"));
        };
        if certificates.len() > 1 {
            let message = "a listener has one default certificate; add others to it afterwards";
            return Err(errors::TOO_MANY_CERTIFICATES.with_message(message).with_field("Certificates"));
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
            return Err(invalid_configuration("AlpnPolicy", "is only allowed for TLS listeners"));
        }
        let [policy] = policies.as_slice() else {
            return Err(invalid("AlpnPolicy", "must have exactly one policy"));
        };
        if !ALPN_POLICIES.contains(&policy.as_str()) {
            let message = format!("{policy:?} must be one of {}", ALPN_POLICIES.join(", "));
            return Err(errors::ALPN_POLICY_NOT_FOUND.with_message(message).with_field("AlpnPolicy"));
        }
        self.alpn_policy = Some(policies);
        Ok(())
    }

    /// Fills in defaults of mutual authentication and validates it; refuses it for other protocols than HTTPS.
    fn normalize_mutual_authentication(&mut self, cx: &Tx<'_>) -> Result<()> {
        const FIELD: &str = "MutualAuthentication";
        if self.protocol != Some(Protocol::Https) {
            return refuse_fields(self, &[FIELD], |field| {
                invalid_configuration(field, "is only allowed for HTTPS listeners")
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
            return refuse_fields(self, &others, |field| invalid(field, "is only allowed for mode verify"));
        }
        let Some(store) = self.trust_store_arn.as_deref() else {
            return Err(invalid("TrustStoreArn", "is required for mode verify"));
        };
        trust_store::check_ready(cx, store, "TrustStoreArn")?;
        self.ignore_client_certificate_expiry.get_or_insert(false);
        self.advertise_trust_store_ca_names.get_or_insert(Switch::Off);
        self.trust_store_association_status = Some(TrustStoreAssociationStatus::Active);
        Ok(())
    }
}
