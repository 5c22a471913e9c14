//! Descriptions of secrets, without their values.

use crate::{
    DescribeSecretResponse, Secret, SecretManager,
    cross_account::SecretHandler,
    secret::{SecretId, secret_row},
};
use nephos_cloud::Tx;
use nephos_core::{Map, Record, Result, Tag, Text, WorkflowContext, operation, shape::RecordShape, tags};

/// Describes a secret, with the status of its replicas.
#[operation(
    of = Secret, include(SecretId), call = "describe", on_model,
    effect = read, output = DescribeSecretResponse, subject = "secret:{SecretId}"
)]
pub struct DescribeSecret {}

impl DescribeSecretResponse {
    /// Returns the tags as a mapping.
    pub fn tags_map(&self) -> Map<Text> {
        tags::to_map(self.tags.as_deref().unwrap_or_default())
    }

    /// Returns the shape of a tag.
    pub fn tag_class() -> &'static RecordShape {
        Tag::SHAPE
    }
}

impl SecretHandler for DescribeSecret {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<DescribeSecretResponse> {
        secret_row::require(cx, &self.secret_id)?.into_description(cx)
    }
}

impl From<DescribeSecretResponse> for Secret {
    fn from(described: DescribeSecretResponse) -> Self {
        Self::from_given(described)
    }
}

/// Returns the secret with this name or ARN, if it exists.
#[operation(
    kind = Secret, call = "get", runs = DescribeSecret, none_if_missing, output = Secret, with = to_model, effect = read
)]
pub struct SecretGet {
    /// Name or ARN of the secret.
    #[field(from_field = "Name", length(1..=2048))]
    pub secret_id: Text,
}

async fn to_model(_: &WorkflowContext, described: DescribeSecretResponse) -> Result<Secret> {
    Ok(described.into())
}
