//! Turning rotation on, asking for one now, and turning it off.

use super::{
    Kept, RotationRules, SERVICE, Secret, SecretManager, errors, kept, labels,
    rotation::{self, MetadataItem},
    versions, window,
};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{Record, Result, Steppable, Steps, Text, operation};

/// Says how a secret is rotated, and rotates it.
#[operation(service = SERVICE, effect = write, output = SecretRotation, subject = "secret:{SecretId}")]
pub struct RotateSecret {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
    /// The id of the new version. The same rotation asked for again is no second one.
    #[field(token, length(32..=64))]
    pub client_request_token: Option<Text>,
    /// The function that rotates it.
    #[field(name = "RotationFunctionARN", wire = "RotationLambdaARN", length(..=2048))]
    pub rotation_function_arn: Option<Text>,
    /// When it is rotated.
    pub rotation_rules: Option<RotationRules>,
    /// What the partner who holds it needs to know to rotate it.
    pub external_secret_rotation_metadata: Option<Vec<MetadataItem>>,
    /// The role that is assumed to rotate it.
    #[field(length(20..=2048))]
    pub external_secret_rotation_role_arn: Option<Text>,
    /// Whether it is rotated now, which it is unless this is false; then the function is only asked to test.
    pub rotate_immediately: Option<bool>,
}

/// A secret and the version that its rotation makes.
#[derive(Record)]
#[record(name = "RotateSecretResponse")]
pub struct SecretRotation {
    /// The secret's resource name.
    #[field(name = "ARN")]
    arn: Option<Text>,
    /// The secret's name.
    name: Option<Text>,
    /// The version, if there is one.
    version_id: Option<Text>,
}

impl SecretRotation {
    fn of(kept: &Kept, scope: &Scope, version_id: Option<Text>) -> Self {
        Self { arn: Some(kept.arn(scope).into()), name: kept.name.clone(), version_id }
    }
}

impl Handler for RotateSecret {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecretRotation> {
        let mut kept = kept::require_own(cx, &self.secret_id)?;
        if let Some(rules) = &self.rotation_rules {
            window::check(rules, cx.now())?;
        }
        let given = self.rotation_function_arn.filter(|function| !function.is_empty());
        let Some(function) = given.or_else(|| kept.rotation_function_arn.clone()) else {
            let why =
                format!("secret {} has no function that rotates it: give RotationFunctionARN", kept.called());
            return Err(errors::INVALID_REQUEST.because(why));
        };
        rotation::must_be_callable(cx, &function)?;
        rotation::must_be_idle(&kept, self.client_request_token.as_ref())?;
        let id = self.client_request_token.unwrap_or_else(|| cx.ids().uuid());
        let going_on = kept.rotation.as_ref().and_then(|ongoing| ongoing.version_id.as_ref());
        if going_on == Some(&id) || kept.labelled(labels::CURRENT) == Some(&id) {
            // It was asked for already.
            return Ok(SecretRotation::of(&kept, cx.scope(), Some(id)));
        }
        if kept.labelled(labels::PENDING) != Some(&id) && versions::find(cx, &kept, &id)?.is_some() {
            let why = format!("secret {} has a version {id} already", kept.called());
            return Err(errors::EXISTS.because(why).with_field("ClientRequestToken"));
        }
        let first = kept.rotation_enabled != Some(true);
        kept.rotation_enabled = Some(true);
        kept.rotation_function_arn = Some(function);
        let rescheduled = first || self.rotation_rules.is_some();
        kept.rotation_rules = self.rotation_rules.or(kept.rotation_rules);
        kept.external_secret_rotation_metadata =
            self.external_secret_rotation_metadata.or(kept.external_secret_rotation_metadata);
        kept.external_secret_rotation_role_arn =
            self.external_secret_rotation_role_arn.or(kept.external_secret_rotation_role_arn);
        if rescheduled {
            kept.schedule_rotation(cx, cx.now())?;
        }
        let trial = self.rotate_immediately == Some(false);
        kept.begin_rotation(cx, &id, None, trial)?;
        let told = SecretRotation::of(&kept, cx.scope(), Some(id).filter(|_| !trial));
        kept.put_changed(cx)?;
        Ok(told)
    }
}

/// Turns rotation off, and gives up one that is going on.
#[operation(service = SERVICE, effect = write, output = SecretRotation, subject = "secret:{SecretId}")]
pub struct CancelRotateSecret {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
}

impl Handler for CancelRotateSecret {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecretRotation> {
        let mut kept = kept::require_own(cx, &self.secret_id)?;
        if kept.rotation_function_arn.is_none() {
            let why = format!("secret {} is not rotated", kept.called());
            return Err(errors::INVALID_REQUEST.because(why));
        }
        let version = kept.rotation.as_ref().and_then(|ongoing| ongoing.version_id.clone());
        let told = SecretRotation::of(&kept, cx.scope(), version);
        if kept.rotation_enabled == Some(true) || kept.rotation.is_some() {
            kept.rotation_enabled = Some(false);
            (kept.rotation, kept.next_rotation_date, kept.rotation_opens) = (None, None, None);
            kept.put_changed(cx)?;
        }
        Ok(told)
    }
}

/// Says how a secret is rotated, and rotates it.
#[operation(kind = Secret, call = "rotate", effect = write, output = SecretRotation, instance)]
pub struct Rotate {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
    /// The id of the new version. The same rotation asked for again is no second one.
    #[field(length(32..=64))]
    pub client_request_token: Option<Text>,
    /// The function that rotates it.
    #[field(name = "RotationFunctionARN", wire = "RotationLambdaARN", length(..=2048))]
    pub rotation_function_arn: Option<Text>,
    /// When it is rotated.
    pub rotation_rules: Option<RotationRules>,
    /// What the partner who holds it needs to know to rotate it.
    pub external_secret_rotation_metadata: Option<Vec<MetadataItem>>,
    /// The role that is assumed to rotate it.
    #[field(length(20..=2048))]
    pub external_secret_rotation_role_arn: Option<Text>,
    /// Whether it is rotated now, which it is unless this is false; then the function is only asked to test.
    pub rotate_immediately: Option<bool>,
}

impl Steppable for Rotate {
    async fn run(&self, steps: &Steps) -> Result<SecretRotation> {
        let rotate = RotateSecret::new(self.secret_id.clone())
            .client_request_token(self.client_request_token.clone())
            .rotation_function_arn(self.rotation_function_arn.clone())
            .rotation_rules(self.rotation_rules.clone())
            .external_secret_rotation_metadata(self.external_secret_rotation_metadata.clone())
            .external_secret_rotation_role_arn(self.external_secret_rotation_role_arn.clone())
            .rotate_immediately(self.rotate_immediately);
        steps.call(rotate).await
    }
}

/// Turns rotation off, and gives up one that is going on.
#[operation(kind = Secret, call = "cancel_rotation", effect = write, output = SecretRotation, instance)]
pub struct CancelRotation {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
}

impl Steppable for CancelRotation {
    async fn run(&self, steps: &Steps) -> Result<SecretRotation> {
        steps.call(CancelRotateSecret::new(self.secret_id.clone())).await
    }
}
