//! Moving labels between versions.

use super::{SERVICE, Secret, SecretManager, SecretName, errors, kept, labels, versions};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Result, Steppable, Steps, Text, operation};

/// Moves a label from one version of a secret to another, or takes it off.
#[operation(service = SERVICE, effect = write, output = SecretName, subject = "secret:{SecretId}")]
pub struct UpdateSecretVersionStage {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
    /// The label.
    #[field(length(1..=256), spellings = labels::SPELLINGS)]
    pub version_stage: Text,
    /// The version that loses it; needed if one has it.
    #[field(length(32..=64))]
    pub remove_from_version_id: Option<Text>,
    /// The version that gets it.
    #[field(length(32..=64))]
    pub move_to_version_id: Option<Text>,
}

impl Handler for UpdateSecretVersionStage {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecretName> {
        let mut kept = kept::require_own(cx, &self.secret_id)?;
        let label = labels::spelled(&self.version_stage);
        let on = kept.labelled(label).cloned();
        let wrong = |field: &str, why: String| Err(errors::INVALID.because(why).with_field(field));
        if let Some(from) = &self.remove_from_version_id
            && on.as_ref() != Some(from)
        {
            return wrong("RemoveFromVersionId", format!("version {from} does not have the label {label}"));
        }
        let Some(to) = &self.move_to_version_id else {
            if self.remove_from_version_id.is_none() {
                return wrong("MoveToVersionId", "say which version gets the label, or loses it".to_owned());
            }
            if label == labels::CURRENT {
                let why = format!("{label} can be moved to another version; it cannot be taken away");
                return wrong("VersionStage", why);
            }
            kept.unlabel(label);
            let told = SecretName::of(&kept, cx.scope());
            kept.put_changed(cx)?;
            return Ok(told);
        };
        let version = versions::find(cx, &kept, to)?.ok_or_else(|| versions::not_found(&kept, to))?;
        if let Some(on) = on.as_ref().filter(|on| *on != to)
            && self.remove_from_version_id.is_none()
        {
            let why = format!("is needed: the label {label} is on version {on}");
            return wrong("RemoveFromVersionId", why);
        }
        if label == labels::CURRENT && version.binary.is_none() {
            let why = format!("version {to} of secret {} has no value yet", kept.called());
            return Err(errors::INVALID_REQUEST.because(why).with_field("MoveToVersionId"));
        }
        let told = SecretName::of(&kept, cx.scope());
        if on.as_ref() != Some(to) {
            kept.label(label, to)?;
            kept.put_changed(cx)?;
        }
        Ok(told)
    }
}

/// Moves a label from one version of a secret to another, or takes it off.
#[operation(kind = Secret, call = "update_version_stage", effect = write, output = SecretName)]
pub struct UpdateVersionStage {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
    /// The label.
    #[field(length(1..=256))]
    pub version_stage: Text,
    /// The version that loses it; needed if one has it.
    #[field(length(32..=64))]
    pub remove_from_version_id: Option<Text>,
    /// The version that gets it.
    #[field(length(32..=64))]
    pub move_to_version_id: Option<Text>,
}

impl Steppable for UpdateVersionStage {
    async fn run(&self, steps: &Steps) -> Result<SecretName> {
        let update = UpdateSecretVersionStage::new(self.secret_id.clone(), self.version_stage.clone())
            .remove_from_version_id(self.remove_from_version_id.clone())
            .move_to_version_id(self.move_to_version_id.clone());
        steps.call(update).await
    }
}
