//! Updates of keys.

use super::{
    CryptoKey, CryptoKeyManager,
    describe::{self, describe_key},
    find,
    key::KeyIdOrArn,
    tagging::{self, Tagging},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, ManagerOperation, Resource, Result, WorkflowContext, operation, retag};

/// Changes the description of a key.
#[operation(
    of = CryptoKey, also(KeyIdOrArn), needs(description), effect = write,
    subject = "key/{KeyId}"
)]
pub struct UpdateKeyDescription {}

impl Handler for UpdateKeyDescription {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut key = find::require_own(cx, &self.key_id)?;
        key.check_not_managed(cx)?;
        key.check_not_pending_deletion(cx)?;
        if key.description.as_deref().unwrap_or_default() != self.description {
            key.description = Some(self.description);
            cx.put(key)?;
        }
        Ok(Empty {})
    }
}

/// Changes the description and the tags of a key, where they differ.
#[operation(kind = CryptoKey, call = "update", effect = write, output = CryptoKey)]
pub struct CryptoKeyUpdate {
    /// The key.
    #[field(model, name = "model")]
    pub model: CryptoKey,
}

impl ManagerOperation for CryptoKeyUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<CryptoKey> {
        let (model, changed) = (&self.model, self.model.changed());
        model.check_changes()?;
        let id = describe::own_id(model)?;
        if changed.contains(&"Description") {
            let description = model.description.clone().unwrap_or_default();
            context.call(UpdateKeyDescription::new(id.clone(), description)).await?;
        }
        retag::<Tagging>(context, &id, model).await?;
        tagging::with_tags(context, describe_key(context, id).await?).await
    }
}
