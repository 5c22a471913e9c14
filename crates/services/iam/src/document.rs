//! Policy documents: validation, size, and percent-encoding, in which the service returns them.

use super::errors;
use nephos_cloud::{PolicyRules, PolicyService};
use nephos_core::{Error, Record, Result, Text, Value, json};
use std::fmt::Write;

/// Rules for policies of identities, whose statements name no principals.
const IDENTITY: PolicyRules =
    PolicyRules { malformed, parameter: "PolicyDocument", has_principals: false, service: None };

/// Rules for trust policies of roles, whose statements allow principals to assume the role.
const TRUST: PolicyRules = PolicyRules {
    malformed,
    parameter: "PolicyDocument",
    has_principals: true,
    service: Some(PolicyService { name: "sts", resource: "role", action: "sts:AssumeRole", narrowing: &[] }),
};

/// Parameter with the document of a policy.
#[derive(Record)]
#[record(shared)]
pub struct Document {
    /// Policy document in JSON.
    #[field(required, length(1..=131_072), pattern = r"[\x09\x0A\x0D\x20-\xFF]+")]
    policy_document: Option<Text>,
}

/// Converts the reason for which a document is malformed to the error of the provider.
fn malformed(reason: &str) -> Error {
    let error = match reason {
        _ if reason.contains("JSON") => errors::policy_not_json(),
        _ if reason.contains("either Principal") => errors::trust_policy_without_principal(),
        _ if reason.contains("is not an action on roles") => errors::trust_policy_action(),
        _ if reason.contains("have the Sid") => errors::policy_sid_repeated(),
        _ if reason.contains("either Action") => errors::policy_without_actions(),
        _ if reason.contains("either Resource") => errors::policy_without_resources(),
        _ if reason.contains("element Principal") || reason.contains("element NotPrincipal") => {
            errors::policy_with_principal()
        }
        _ if reason.ends_with("is not an action") => errors::policy_action_without_vendor(),
        _ => errors::policy_syntax(),
    };
    error.with_hint(reason)
}

/// Refuses a document that is not a policy of an identity.
pub(crate) fn check_identity_policy(document: &str) -> Result<()> {
    IDENTITY.parse(document).map(drop)
}

/// Refuses a document that is not a trust policy: its statements name principals and actions, and no resources.
pub(crate) fn check_trust_policy(document: &str, parameter: &'static str) -> Result<()> {
    let rules = PolicyRules { parameter, ..TRUST };
    let Ok(Value::Map(mut policy)) = json::parse(document.as_bytes()) else {
        return rules.parse(document).map(drop);
    };
    let statements: &mut [Value] = match policy.get_mut("Statement") {
        Some(Value::List(statements)) => statements,
        Some(statement) => std::slice::from_mut(statement),
        None => &mut [],
    };
    for statement in statements {
        let Value::Map(statement) = statement else { continue };
        if statement.contains_key("Resource") || statement.contains_key("NotResource") {
            return Err(errors::trust_policy_with_resource().with_field(parameter));
        }
        // The grammar of other policies requires resources.
        statement.insert("Resource".into(), Value::Text("*".into()));
    }
    let completed = json::write(Value::Map(policy).view(), json::Writing::EXPOSED);
    rules.parse(&completed).map(drop)
}

/// Number of characters of a document that count for quotas: all but whitespace.
pub(crate) fn size(document: &str) -> usize {
    document.chars().filter(|character| !character.is_ascii_whitespace()).count()
}

/// Percent-encodes a document: all bytes except letters, digits and `-._~`.
pub(crate) fn encode(document: &str) -> Text {
    let mut encoded = String::with_capacity(2 * document.len());
    for byte in document.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a text in memory does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded.into()
}

/// Decodes a percent-encoded document. A document that is not percent-encoded stays as it is.
pub(crate) fn decode(encoded: &str) -> Text {
    let bytes = encoded.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let escaped = encoded.get(at + 1..at + 3).filter(|_| *byte == b'%');
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) => {
                decoded.push(escaped);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).map_or_else(|_| encoded.into(), Text::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_returns_the_encoded_document() {
        let document = "{\"Sid\": \"a-b_c.d~e\"}\n% é";
        let encoded = encode(document);
        assert_eq!(encoded, "%7B%22Sid%22%3A%20%22a-b_c.d~e%22%7D%0A%25%20%C3%A9");
        assert_eq!(decode(&encoded), document);
        for plain in ["", "{}", "100%", "%G1", "%é1"] {
            assert_eq!(decode(plain), plain);
        }
    }
}
