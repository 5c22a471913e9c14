//! Session policies, which limit the permissions of a session, and the space that they and session tags take.

use super::errors;
use nephos_cloud::{PolicyRules, Tx};
use nephos_core::{Map, Record, Result, Text};
use nephos_iam::{find_policy_document, malformed_policy};

/// Maximum number of characters of the policy and the ARNs of managed policies together.
const MAX_PLAIN_TEXT: usize = 2048;

/// Space that a session has for policies and tags, in bytes. The provider compresses them by rules that are not public.
const PACKED_SPACE: usize = 2048;

/// Policies of a session, as parameters.
#[derive(Record)]
#[record(shared)]
pub struct SessionPolicies {
    /// Managed policies that limit the session. They are in the account of the session.
    #[field(length(..=10))]
    policy_arns: Option<Vec<PolicyDescriptorType>>,
    /// Policy document in JSON that limits the session.
    #[field(length(1..=2048), pattern = r"[\x09\x0A\x0D\x20-\xFF]+")]
    policy: Option<Text>,
    /// Minimum number of characters of the session token.
    #[field(range(0..=4096), no_effect)]
    minimum_session_token_size: Option<i64>,
}

/// A managed policy.
#[derive(Record)]
#[record(case = "camel")]
pub struct PolicyDescriptorType {
    /// ARN of the policy.
    #[field(length(20..=2048))]
    arn: Option<Text>,
}

/// Policies of a session that were checked.
#[derive(Debug, Default)]
pub(crate) struct CheckedPolicies {
    pub(crate) documents: Option<Vec<Text>>,
    pub(crate) arns: Option<Vec<Text>>,
}

const RULES: PolicyRules =
    PolicyRules::new("Policy", |reason| malformed_policy(reason).with_code(&errors::MALFORMED_POLICY));

impl CheckedPolicies {
    /// Checks the policies of a session in an account.
    pub(crate) fn read(
        cx: &mut Tx<'_>,
        account: &str,
        policy: Option<Text>,
        arns: Option<Vec<PolicyDescriptorType>>,
    ) -> Result<Self> {
        if let Some(document) = &policy {
            RULES.parse(document)?;
        }
        let arns: Vec<Text> = arns.unwrap_or_default().into_iter().filter_map(|policy| policy.arn).collect();
        for arn in &arns {
            if find_policy_document(cx, account, arn)?.is_none() {
                let hint = format!("account {account} has no such policy");
                return Err(errors::value_invalid(arn).with_field("PolicyArns").with_hint(hint));
            }
        }
        let documents = policy.map(|document| vec![document]);
        let policies = Self { documents, arns: (!arns.is_empty()).then_some(arns) };
        let length: usize = policies.texts().map(|text| text.chars().count()).sum();
        if length > MAX_PLAIN_TEXT {
            return Err(errors::packed_too_large(percent(length, MAX_PLAIN_TEXT)).with_field("PolicyArns"));
        }
        Ok(policies)
    }

    fn texts(&self) -> impl Iterator<Item = &Text> {
        self.documents.iter().chain(&self.arns).flatten()
    }

    /// Returns the space that the policies and the tags of a session take, in percent; `None` if there are neither.
    ///
    /// # Errors
    ///
    /// Refused if they take more than there is.
    pub(crate) fn packed_size(&self, tags: &Map<Text>) -> Result<Option<i64>> {
        let policies =
            self.texts().map(|text| text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count());
        let tags = tags.iter().map(|(key, value)| key.len() + value.len());
        let sizes: Vec<usize> = policies.chain(tags).collect();
        if sizes.is_empty() {
            return Ok(None);
        }
        match percent(sizes.iter().sum(), PACKED_SPACE) {
            taken if taken > 100 => Err(errors::packed_too_large(taken)),
            taken => Ok(Some(taken as i64)),
        }
    }
}

/// Returns a share in percent, rounded up.
pub(crate) fn percent(part: usize, whole: usize) -> usize {
    (100 * part).div_ceil(whole)
}
