//! Types of policies, and the attributes that a policy of each type has.

use super::predefined;
use crate::{ClassicELB, ClassicELBManager, errors};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, nearest, operation};

pub(super) const PROXY_PROTOCOL: &str = "ProxyProtocolPolicyType";
pub(super) const PUBLIC_KEY: &str = "PublicKeyPolicyType";
pub(super) const APP_COOKIE: &str = "AppCookieStickinessPolicyType";
pub(super) const LB_COOKIE: &str = "LBCookieStickinessPolicyType";
pub(super) const SSL_NEGOTIATION: &str = "SSLNegotiationPolicyType";
pub(super) const BACKEND_AUTHENTICATION: &str = "BackendServerAuthenticationPolicyType";

/// Names of attributes.
pub(super) const COOKIE_NAME: &str = "CookieName";
pub(super) const COOKIE_EXPIRATION: &str = "CookieExpirationPeriod";
pub(super) const PUBLIC_KEY_POLICY: &str = "PublicKeyPolicyName";

/// Type of the values of an attribute.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ValueType {
    Boolean,
    Long,
    String,
    PolicyName,
}

impl ValueType {
    fn name(self) -> &'static str {
        match self {
            Self::Boolean => "Boolean",
            Self::Long => "Long",
            Self::String => "String",
            Self::PolicyName => "PolicyName",
        }
    }

    /// True if the value is one of this type.
    pub(super) fn accepts(self, value: &str) -> bool {
        match self {
            Self::Boolean => matches!(value, "true" | "false"),
            Self::Long => value.parse::<i64>().is_ok_and(|number| number > 0),
            Self::String | Self::PolicyName => !value.is_empty(),
        }
    }
}

/// An attribute of a policy type: name, type and cardinality.
pub(super) type Attribute = (&'static str, ValueType, &'static str);

/// A type of policies.
pub(super) struct PolicyType {
    pub(super) name: &'static str,
    description: &'static str,
    attributes: &'static [Attribute],
}

pub(super) const TYPES: [PolicyType; 6] = [
    PolicyType {
        name: PROXY_PROTOCOL,
        description: "Policy that controls whether to include the IP address and port of the originating request for TCP \
            messages. This policy operates on TCP/SSL listeners only",
        attributes: &[("ProxyProtocol", ValueType::Boolean, "ONE")],
    },
    PolicyType {
        name: PUBLIC_KEY,
        description: "Policy containing a list of public keys to accept when authenticating the back-end server(s). This \
            policy cannot be applied directly to back-end servers or listeners but must be part of a \
            BackendServerAuthenticationPolicyType.",
        attributes: &[("PublicKey", ValueType::String, "ONE")],
    },
    PolicyType {
        name: APP_COOKIE,
        description: "Stickiness policy with session lifetimes controlled by the lifetime of the application-generated \
            cookie. This policy can be associated only with HTTP/HTTPS listeners.",
        attributes: &[(COOKIE_NAME, ValueType::String, "ONE")],
    },
    PolicyType {
        name: LB_COOKIE,
        description: "Stickiness policy with session lifetimes controlled by the browser (user-agent) or a specified \
            expiration period. This policy can be associated only with HTTP/HTTPS listeners.",
        attributes: &[(COOKIE_EXPIRATION, ValueType::Long, "ZERO_OR_ONE")],
    },
    PolicyType {
        name: SSL_NEGOTIATION,
        description: "Listener policy that defines the ciphers and protocols that will be accepted by the load balancer. \
            This policy can be associated only with HTTPS/SSL listeners.",
        attributes: &[(predefined::REFERENCE, ValueType::String, "ZERO_OR_ONE")],
    },
    PolicyType {
        name: BACKEND_AUTHENTICATION,
        description: "Policy that controls authentication to back-end server(s) and contains one or more policies, such \
            as an instance of a PublicKeyPolicyType. This policy can be associated only with back-end servers that are \
            using HTTPS/SSL.",
        attributes: &[(PUBLIC_KEY_POLICY, ValueType::PolicyName, "ONE_OR_MORE")],
    },
];

impl PolicyType {
    /// Finds a type by its name, or refuses.
    pub(super) fn require(name: &str, field: &str) -> Result<&'static Self> {
        static ALL: [PolicyType; 6] = TYPES;
        ALL.iter().find(|known| known.name == name).ok_or_else(|| {
            let hint = nearest::hint(name, ALL.iter().map(|known| known.name));
            errors::policy_type_not_found(name).with_field(field).with_hint(hint)
        })
    }

    /// Attributes of the type. Those of SSL negotiation are also the protocols and ciphers.
    pub(super) fn all_attributes(&self) -> Vec<Attribute> {
        let mut all = self.attributes.to_vec();
        if self.name == SSL_NEGOTIATION {
            let switch = |name: &'static str| (name, ValueType::Boolean, "ZERO_OR_ONE");
            all.extend(predefined::switches().map(switch));
        }
        all
    }

    fn describe(&self) -> PolicyTypeDescription {
        let attribute = |(name, value_type, cardinality): Attribute| PolicyAttributeTypeDescription {
            attribute_name: Some(name.into()),
            attribute_type: Some(value_type.name().into()),
            description: None,
            default_value: None,
            cardinality: Some(cardinality.into()),
        };
        PolicyTypeDescription {
            policy_type_name: Some(self.name.into()),
            description: Some(self.description.into()),
            policy_attribute_type_descriptions: Some(
                self.all_attributes().into_iter().map(attribute).collect(),
            ),
        }
    }
}

/// An attribute of the policies of a type.
#[derive(Record)]
pub struct PolicyAttributeTypeDescription {
    /// Name.
    attribute_name: Option<Text>,
    /// Type of the values: Boolean, Long, String or PolicyName.
    attribute_type: Option<Text>,
    /// Description.
    description: Option<Text>,
    /// Default value.
    default_value: Option<Text>,
    /// Number of values: ONE, ZERO_OR_ONE or ONE_OR_MORE.
    cardinality: Option<Text>,
}

/// A type of policies.
#[derive(Record)]
pub struct PolicyTypeDescription {
    /// Name.
    policy_type_name: Option<Text>,
    /// Description.
    description: Option<Text>,
    /// Attributes.
    policy_attribute_type_descriptions: Option<Vec<PolicyAttributeTypeDescription>>,
}

/// Describes types of policies: all of them, or those with the given names.
#[operation(
    of = ClassicELB, call = "describe_policy_types", wraps(policy_type_descriptions: Vec<PolicyTypeDescription>),
    effect = read, subject = "*"
)]
pub struct DescribeLoadBalancerPolicyTypes {
    /// Names of the types.
    pub policy_type_names: Option<Vec<Text>>,
}

impl Handler for DescribeLoadBalancerPolicyTypes {
    fn run(self, _cx: &mut Tx<'_>) -> Result<Self::Output> {
        let described: Vec<_> = match self.policy_type_names.as_deref().unwrap_or_default() {
            [] => TYPES.iter().map(PolicyType::describe).collect(),
            names => {
                let describe =
                    |name: &Text| PolicyType::require(name, "PolicyTypeNames").map(PolicyType::describe);
                names.iter().map(describe).collect::<Result<_>>()?
            }
        };
        Ok(described.into())
    }
}
