//! Updates of secrets.

use super::{
    Secret, SecretManager, SecretVersionName,
    cross_account::SecretHandler,
    describe, errors, labels, rekey,
    secret::{NewVersion, SecretId},
    secret_row,
    tagging::Tagging,
    value::{self, Plaintext},
    versions,
};
use nephos_cloud::Tx;
use nephos_core::{ManagerOperation, Record, Resource, Result, Text, WorkflowContext, operation, retag};

/// Changes the description, key or type of a secret, and stores a given value as a new version. An empty text clears the
/// field. A repeated call with the same token and value creates no second version.
#[operation(
    of = Secret, also(SecretId, NewVersion), takes(changeable), leaves(tags),
    effect = write, output = SecretVersionName, subject = "secret:{SecretId}"
)]
pub struct UpdateSecret {}

impl SecretHandler for UpdateSecret {
    fn run_in_owner(mut self, cx: &mut Tx<'_>) -> Result<SecretVersionName> {
        let plain = Plaintext::from_parameters(self.secret_string.take(), self.secret_binary.take())?;
        let mut secret = secret_row::require_changeable(cx, &self.secret_id)?;
        let token = self.client_request_token.take();
        let version_id = match &plain {
            Some(_) => Some(versions::new_id(cx, token, errors::client_token_missing)?),
            None => None,
        };
        let value = plain.as_ref().zip(version_id.as_ref());
        let repeated = match value {
            Some((plain, id)) => value::is_repeated_request(cx, &secret, id, plain)?,
            None => false,
        };
        let rekeyed = self.crypto_key_id.is_some();
        let before = secret.clone();
        secret.take_given(&mut self);
        if repeated && secret == before {
            return Ok(SecretVersionName::new(&secret, cx.scope(), version_id));
        }
        if rekeyed {
            rekey::encrypt_again(cx, &before, &mut secret)?;
        }
        if let Some((plain, id)) = value.filter(|_| !repeated) {
            value::add_version(cx, &mut secret, id, plain, &[labels::CURRENT.into()])?;
        }
        let updated = SecretVersionName::new(&secret, cx.scope(), version_id);
        secret.put_changed(cx)?;
        Ok(updated)
    }
}

/// Changes the description, key, type and tags of a secret where they differ, and stores a given value as a new version.
#[operation(kind = Secret, also(NewVersion), call = "update", effect = write, output = Secret)]
pub struct SecretUpdate {
    /// The secret.
    #[field(model, name = "model")]
    pub model: Secret,
}

impl ManagerOperation for SecretUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Secret> {
        let (model, changed) = (&self.model, self.model.changed());
        model.check_changes()?;
        let id = match &model.arn {
            Some(arn) => arn.clone(),
            None => model.require_name()?.into(),
        };
        let current = describe::describe_secret(context, id.clone()).await?;
        // The service clears a field that is sent as empty text.
        let differing = |field: &str, new: &Option<Text>, old: &Option<Text>| {
            (changed.contains(&field) && new != old).then(|| new.clone().unwrap_or_default())
        };
        let mut update = UpdateSecret::new(id.clone());
        update.description = differing("Description", &model.description, &current.description);
        update.crypto_key_id = differing("CryptoKeyId", &model.crypto_key_id, &current.crypto_key_id);
        update.r#type = differing("Type", &model.r#type, &current.r#type);
        let changes = [&update.description, &update.crypto_key_id, &update.r#type];
        let valued = self.secret_binary.is_some() || self.secret_string.is_some();
        if valued || changes.into_iter().any(Option::is_some) {
            update.client_request_token = self.client_request_token.clone();
            update.secret_binary = self.secret_binary.clone();
            update.secret_string = self.secret_string.clone();
            context.call(update).await?;
        } else if self.client_request_token.is_some() {
            return Err(errors::token_without_value().with_field("ClientRequestToken"));
        }
        retag::<Tagging>(context, &id, model).await?;
        describe::describe_secret(context, id).await
    }
}
