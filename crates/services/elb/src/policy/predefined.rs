//! SSL negotiation policies that the service defines: protocols and ciphers.

use super::{PolicyDescription, types::SSL_NEGOTIATION};
use nephos_core::Text;

/// Attribute with the name of a predefined policy.
pub(super) const REFERENCE: &str = "Reference-Security-Policy";

/// Attribute that makes the load balancer choose the cipher.
const SERVER_ORDER: &str = "Server-Defined-Cipher-Order";

const PROTOCOLS: [&str; 4] = ["Protocol-SSLv3", "Protocol-TLSv1", "Protocol-TLSv1.1", "Protocol-TLSv1.2"];

/// Ciphers of all policies since 2014. Those after the twelfth do not depend on the exchange of keys by elliptic curves.
const MODERN: [&str; 18] = [
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE-RSA-AES128-SHA256",
    "ECDHE-ECDSA-AES128-SHA",
    "ECDHE-RSA-AES128-SHA",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-AES256-SHA384",
    "ECDHE-RSA-AES256-SHA384",
    "ECDHE-RSA-AES256-SHA",
    "ECDHE-ECDSA-AES256-SHA",
    "AES128-GCM-SHA256",
    "AES128-SHA256",
    "AES128-SHA",
    "AES256-GCM-SHA384",
    "AES256-SHA256",
    "AES256-SHA",
];

/// Further ciphers of predefined policies.
const OLDER: [&str; 7] = [
    "DHE-RSA-AES128-SHA",
    "DHE-DSS-AES128-SHA",
    "CAMELLIA128-SHA",
    "EDH-RSA-DES-CBC3-SHA",
    "DES-CBC3-SHA",
    "ECDHE-RSA-RC4-SHA",
    "RC4-SHA",
];

/// Ciphers that only custom policies have.
const CUSTOM: [&str; 21] = [
    "ECDHE-ECDSA-RC4-SHA",
    "DHE-DSS-AES256-GCM-SHA384",
    "DHE-RSA-AES256-GCM-SHA384",
    "DHE-RSA-AES256-SHA256",
    "DHE-DSS-AES256-SHA256",
    "DHE-RSA-AES256-SHA",
    "DHE-DSS-AES256-SHA",
    "DHE-RSA-CAMELLIA256-SHA",
    "DHE-DSS-CAMELLIA256-SHA",
    "CAMELLIA256-SHA",
    "EDH-DSS-DES-CBC3-SHA",
    "DHE-DSS-AES128-GCM-SHA256",
    "DHE-RSA-AES128-GCM-SHA256",
    "DHE-RSA-AES128-SHA256",
    "DHE-DSS-AES128-SHA256",
    "DHE-RSA-CAMELLIA128-SHA",
    "DHE-DSS-CAMELLIA128-SHA",
    "DES-CBC-SHA",
    "IDEA-CBC-SHA",
    "RC4-MD5",
    "SEED-SHA",
];

/// A predefined policy.
pub(crate) struct Predefined {
    pub(crate) name: &'static str,
    protocols: &'static [&'static str],
    /// True if the ciphers of all policies since 2014 are accepted; `false` for those of 2011 only.
    modern: bool,
    older: &'static [&'static str],
}

const V10_TO_V12: &[&str] = &["Protocol-TLSv1", "Protocol-TLSv1.1", "Protocol-TLSv1.2"];
const SSL_TO_V10: &[&str] = &["Protocol-SSLv3", "Protocol-TLSv1"];
const DHE: &[&str] = &["DHE-RSA-AES128-SHA", "DHE-DSS-AES128-SHA"];
const DHE_RC4: &[&str] = &["DHE-RSA-AES128-SHA", "DHE-DSS-AES128-SHA", "ECDHE-RSA-RC4-SHA", "RC4-SHA"];
const OF_2011: &[&str] = &[
    "AES128-SHA",
    "AES256-SHA",
    "DHE-RSA-AES128-SHA",
    "DHE-DSS-AES128-SHA",
    "CAMELLIA128-SHA",
    "EDH-RSA-DES-CBC3-SHA",
    "DES-CBC3-SHA",
    "RC4-SHA",
];

/// The policy of TLS 1.2 alone, which has only ciphers with newer digests.
const TLS12_ONLY: &str = "ELBSecurityPolicy-TLS-1-2-2017-01";

const fn policy(
    name: &'static str,
    protocols: &'static [&'static str],
    modern: bool,
    older: &'static [&'static str],
) -> Predefined {
    Predefined { name, protocols, modern, older }
}

/// All predefined policies, as they are described. The first is the default. The public documentation does not say what the
/// samples are; they are described as the policy of 2011.
pub(crate) const POLICIES: [Predefined; 13] = [
    policy("ELBSecurityPolicy-2016-08", V10_TO_V12, true, &[]),
    policy(TLS12_ONLY, &["Protocol-TLSv1.2"], true, &[]),
    policy("ELBSecurityPolicy-TLS-1-1-2017-01", &["Protocol-TLSv1.1", "Protocol-TLSv1.2"], true, &[]),
    policy("ELBSecurityPolicy-2015-05", V10_TO_V12, true, &["DES-CBC3-SHA"]),
    policy(
        "ELBSecurityPolicy-2015-03",
        V10_TO_V12,
        true,
        &["DHE-RSA-AES128-SHA", "DHE-DSS-AES128-SHA", "DES-CBC3-SHA"],
    ),
    policy("ELBSecurityPolicy-2015-02", V10_TO_V12, true, DHE),
    policy("ELBSecurityPolicy-2014-10", V10_TO_V12, true, DHE_RC4),
    policy("ELBSecurityPolicy-2014-01", &PROTOCOLS, true, DHE_RC4),
    policy("ELBSecurityPolicy-2011-08", SSL_TO_V10, false, OF_2011),
    policy("ELBSample-ELBDefaultNegotiationPolicy", SSL_TO_V10, false, OF_2011),
    policy("ELBSample-ELBDefaultCipherPolicy", SSL_TO_V10, false, OF_2011),
    policy("ELBSample-OpenSSLDefaultNegotiationPolicy", SSL_TO_V10, false, OF_2011),
    policy("ELBSample-OpenSSLDefaultCipherPolicy", SSL_TO_V10, false, OF_2011),
];

impl Predefined {
    /// Finds a policy by its name.
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        static ALL: [Predefined; 13] = POLICIES;
        ALL.iter().find(|known| known.name == name)
    }

    fn enables(&self, switch: &str) -> bool {
        if switch == SERVER_ORDER {
            return self.modern;
        }
        let newer = self.name != TLS12_ONLY || !switch.ends_with("-SHA");
        self.protocols.contains(&switch)
            || self.older.contains(&switch)
            || self.modern && MODERN.contains(&switch) && newer
    }

    /// Describes the policy.
    pub(super) fn describe(&self) -> PolicyDescription {
        PolicyDescription::new(self.name, SSL_NEGOTIATION, self.attributes())
    }

    fn attributes(&self) -> impl Iterator<Item = (Text, Text)> {
        switches().map(|switch| (switch.into(), on_or_off(self.enables(switch))))
    }
}

fn on_or_off(on: bool) -> Text {
    if on { "true" } else { "false" }.into()
}

/// Names of the attributes of SSL negotiation that are on or off: protocols, the order, ciphers.
pub(super) fn switches() -> impl Iterator<Item = &'static str> {
    PROTOCOLS.into_iter().chain([SERVER_ORDER]).chain(MODERN).chain(OLDER).chain(CUSTOM)
}

/// Describes a policy with this name that refers to a predefined one.
pub(super) fn describe_reference(name: &str, reference: &str) -> PolicyDescription {
    let attributes = Predefined::find(reference).into_iter().flat_map(Predefined::attributes);
    let first = (REFERENCE.into(), reference.into());
    PolicyDescription::new(name, SSL_NEGOTIATION, std::iter::once(first).chain(attributes))
}

/// Describes a policy with its own protocols and ciphers. What was not given is off.
pub(super) fn describe_custom(name: &str, given: Vec<(Text, Text)>) -> PolicyDescription {
    let value = |switch: &str| {
        let found = given.iter().find(|(attribute, _)| attribute == switch);
        found.map_or_else(|| on_or_off(false), |(_, value)| value.clone())
    };
    PolicyDescription::new(name, SSL_NEGOTIATION, switches().map(|switch| (switch.into(), value(switch))))
}
