//! Changing secrets.

use super::{
    SERVICE, Secret, SecretManager,
    create::some,
    describe, errors, kept, labels, tagging,
    value::{self, Plain},
    versions,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Record, Resource, Result, Steppable, Steps, Text, operation};

/// Changes what a secret is for, its key or its type, and puts a value in a new version.
#[operation(service = SERVICE, effect = write, output = UpdateSecretResponse, subject = "secret:{SecretId}")]
pub struct UpdateSecret {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
    /// The id of the new version.
    #[field(token, length(32..=64))]
    pub client_request_token: Option<Text>,
    /// What it is for.
    #[field(length(..=2048))]
    pub description: Option<Text>,
    /// The key that its values are encrypted with; empty for the provider's own.
    #[field(wire = "KmsKeyId", length(..=2048))]
    pub crypto_key_id: Option<Text>,
    /// The value, if it is bytes.
    #[field(sensitive, length(1..=65_536))]
    pub secret_binary: Option<Blob>,
    /// The value, if it is text.
    #[field(length(1..=65_536))]
    pub secret_string: Option<nephos_core::Secret>,
    /// The partner who holds it, if it is held elsewhere.
    #[field(length(..=256))]
    pub r#type: Option<Text>,
}

/// What was changed.
#[derive(Record)]
pub struct UpdateSecretResponse {
    /// The secret's resource name.
    #[field(name = "ARN")]
    arn: Option<Text>,
    /// The secret's name.
    name: Option<Text>,
    /// The new version, if a value was given.
    version_id: Option<Text>,
}

impl Handler for UpdateSecret {
    fn run(self, cx: &mut Tx<'_>) -> Result<UpdateSecretResponse> {
        let plain = Plain::given(self.secret_string, self.secret_binary)?;
        let mut kept = kept::require_own(cx, &self.secret_id)?;
        let version_id = plain.as_ref().map(|_| self.client_request_token.unwrap_or_else(|| cx.ids().uuid()));
        if let Some(id) = &version_id
            && versions::find(cx, &kept, id)?.is_some()
        {
            let why = format!("secret {} has a version {id} already", kept.called());
            return Err(errors::EXISTS.because(why).with_field("ClientRequestToken"));
        }
        if let Some(description) = self.description {
            kept.description = some(Some(description));
        }
        if let Some(r#type) = self.r#type {
            kept.r#type = some(Some(r#type));
        }
        let rekeyed = self.crypto_key_id.is_some();
        if let Some(key) = self.crypto_key_id {
            kept.crypto_key_id = some(Some(key));
        }
        if let (Some(plain), Some(id)) = (&plain, &version_id) {
            value::add(cx, &mut kept, id, plain, &[labels::CURRENT.into()])?;
        }
        if rekeyed {
            // The versions in use are encrypted with the new key; older ones keep theirs.
            for label in [labels::CURRENT, labels::PREVIOUS, labels::PENDING] {
                let Some(id) = kept.labelled(label) else { continue };
                let Some(mut version) = versions::find(cx, &kept, id)? else { continue };
                version.crypto_key_id = kept.crypto_key_id.clone();
                cx.put(version)?;
            }
        }
        let (arn, name) = (kept.arn(cx.scope()).into(), kept.name.clone());
        kept.put_changed(cx)?;
        Ok(UpdateSecretResponse { arn: Some(arn), name, version_id })
    }
}

/// Changes what a secret is for, its key, type and tags, where they differ from what is there, and puts a value in a new
/// version.
#[operation(kind = Secret, call = "update", effect = write, output = Secret)]
pub struct Update {
    /// The secret.
    #[field(model)]
    pub model: Secret,
    /// The id of the new version.
    #[field(length(32..=64))]
    pub client_request_token: Option<Text>,
    /// The value, if it is bytes.
    #[field(sensitive, length(1..=65_536))]
    pub secret_binary: Option<Blob>,
    /// The value, if it is text.
    #[field(length(1..=65_536))]
    pub secret_string: Option<nephos_core::Secret>,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<Secret> {
        let (model, changed) = (&self.model, self.model.changed());
        model.check_changes()?;
        let id = match &model.arn {
            Some(arn) => arn.clone(),
            None => super::given(&model.name, "Name")?,
        };
        let current = describe::secret(steps, id.clone()).await?;
        // What is taken away is sent as nothing.
        let differing = |field: &str, new: &Option<Text>, old: &Option<Text>| {
            (changed.contains(&field) && new != old).then(|| new.clone().unwrap_or_default())
        };
        let description = differing("Description", &model.description, &current.description);
        let crypto_key_id = differing("CryptoKeyId", &model.crypto_key_id, &current.crypto_key_id);
        let r#type = differing("Type", &model.r#type, &current.r#type);
        let valued = self.secret_binary.is_some() || self.secret_string.is_some();
        if valued || description.is_some() || crypto_key_id.is_some() || r#type.is_some() {
            let update = UpdateSecret::new(id.clone())
                .client_request_token(self.client_request_token.clone())
                .description(description)
                .crypto_key_id(crypto_key_id)
                .secret_binary(self.secret_binary.clone())
                .secret_string(self.secret_string.clone())
                .r#type(r#type);
            steps.call(update).await?;
        } else if self.client_request_token.is_some() {
            let why = "is only for a new value: give SecretString or SecretBinary";
            return Err(errors::INVALID.because(why).with_field("ClientRequestToken"));
        }
        tagging::retag(steps, &id, &current, model).await?;
        describe::secret(steps, id).await
    }
}
