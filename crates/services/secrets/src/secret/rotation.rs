//! Rotation: a function outside the cloud gives a secret a new value, in four steps, now or on a schedule.
//!
//! The new version has the pending label. Reads return the old value until the last step makes the new version current.
//! A failed step is retried with a growing delay until the rotation window closes; the next window starts again with the
//! same version.

use crate::{
    Secret, SecretRow, errors,
    secret::{
        secret_row::{self, find_with_suffix},
        window::{self, Window},
    },
    version::{self, VersionRow, labels, value},
};
use nephos_cloud::{Callback, FunctionCall, Kernel, Tx, Work};
use nephos_core::{
    Blob, Choice, Record, Result, Session, SignedDuration, Text, Timestamp, Value, choices, field_value,
    json::{self, Writing},
    record_of,
};
use std::sync::Arc;

/// Schedule of a rotation: a number of days, or an expression.
#[derive(Record)]
pub struct RotationRules {
    /// Number of days between rotations.
    #[field(range(1..=1000))]
    pub(crate) automatically_after_days: Option<i64>,
    /// Length of the rotation window in hours, as in `3h`.
    #[field(length(2..=3), pattern = "[0-9]+h")]
    pub(crate) duration: Option<Text>,
    /// Schedule on which the window opens: `rate(10 days)` or `cron(0 8 1 * ? *)`, in UTC.
    #[field(length(1..=256), pattern = r"[0-9A-Za-z()#?*\-/, ]+")]
    pub(crate) schedule_expression: Option<Text>,
}

/// Metadata that the partner who holds a secret needs to rotate it.
#[derive(Record)]
#[record(name = "ExternalSecretRotationMetadataItem")]
pub struct MetadataItem {
    /// Key of the item.
    #[field(length(1..=256))]
    key: Option<Text>,
    /// Value of the item.
    #[field(length(1..=2048))]
    value: Option<Text>,
}

choices! {
    /// Step of a rotation.
    pub enum Step {
        /// Create a new value, and store it in the pending version.
        CreateSecret = "createSecret",
        /// Change the credentials in the database or service that the secret is for.
        SetSecret = "setSecret",
        /// Test that the new value works.
        TestSecret = "testSecret",
        /// Move the label of the current version to the new version.
        FinishSecret = "finishSecret",
    }
}

/// Rotation that is in progress, or waits for its next window.
#[derive(Record)]
pub(crate) struct OngoingRotation {
    /// ID of the version that the rotation creates.
    pub(crate) version_id: Option<Text>,
    /// Token that identifies calls of the rotation function, sealed.
    #[field(sensitive)]
    rotation_token: Option<Blob>,
    /// Next step.
    step: Option<Step>,
    /// Number of failed attempts at the next step.
    attempts: Option<i64>,
    /// Time until which failed steps are retried.
    until: Option<Timestamp>,
    /// True if the rotation only tests the function.
    trial: Option<bool>,
}

impl OngoingRotation {
    fn is_trial(&self) -> bool {
        self.trial == Some(true)
    }
}

/// Time for which a rotation without a window is retried.
const MAX_RETRY_TIME: SignedDuration = SignedDuration::from_hours(24);

/// Delay before the first retry of a failed step; it doubles with each retry.
const RETRY_DELAY: SignedDuration = SignedDuration::from_mins(1);

/// Maximum delay before a retry of a failed step.
const MAX_RETRY_DELAY: SignedDuration = SignedDuration::from_hours(1);

/// Returns the delay before the next retry after a number of failed attempts.
pub fn retry_delay(attempts: i64) -> SignedDuration {
    let doubled = u32::try_from(attempts - 1).ok().and_then(|n| 2_i32.checked_pow(n)).unwrap_or(i32::MAX);
    RETRY_DELAY.checked_mul(doubled).map_or(MAX_RETRY_DELAY, |delay| delay.min(MAX_RETRY_DELAY))
}

/// Encryption context of the token of a rotation.
const TOKEN_CONTEXT: &str = "rotation-token";

impl SecretRow {
    /// Opens the token that identifies calls of the rotation function.
    pub(crate) fn rotation_token(&self, cx: &Tx<'_>) -> Result<Option<nephos_core::Secret>> {
        let sealed = self.rotation.as_ref().and_then(|ongoing| ongoing.rotation_token.as_ref());
        let Some(sealed) = sealed else { return Ok(None) };
        let opened = cx.open(&[self.arn(cx.scope()).as_str(), TOKEN_CONTEXT], sealed);
        let opened = opened.map_err(|error| secret_row::decryption_error(error.message()))?;
        Ok(Some(String::from_utf8_lossy(&opened).as_ref().into()))
    }

    /// Returns the next rotation window, if rotation is turned on.
    fn next_window(&self, after: Timestamp) -> Option<Window> {
        let rules = self.rotation_rules.as_ref().filter(|_| self.rotation_enabled == Some(true))?;
        window::next_window(rules, after)
    }

    /// Schedules the next rotation after the time `after`.
    pub(crate) fn schedule_rotation(&mut self, cx: &mut Tx<'_>, after: Timestamp) -> Result<()> {
        let next = self.next_window(after);
        self.next_rotation_date = next.as_ref().map(|window| window.closes);
        self.rotation_opens = next.as_ref().map(|window| window.opens);
        let Some(window) = next else { return Ok(()) };
        if let Some(rules) = self.rotation_rules.as_mut().filter(|rules| rules.schedule_expression.is_some())
        {
            rules.automatically_after_days = Some(window::days_between(after, window.opens));
        }
        cx.schedule(window.opens, &ScheduledRotation { name: self.name.clone(), suffix: self.suffix.clone() })
    }

    /// Starts a rotation that creates the version `id`, and retries failed steps until `until`. A trial only tests the
    /// function.
    pub(crate) fn begin_rotation(
        &mut self,
        cx: &mut Tx<'_>,
        id: &Text,
        until: Option<Timestamp>,
        trial: bool,
    ) -> Result<()> {
        if version::find(cx, self, id)?.is_none() {
            let version = VersionRow::new(cx, self, id);
            let current = self.version_with_label(labels::CURRENT).filter(|_| trial).cloned();
            self.move_label(labels::PENDING, id)?;
            let current = match current {
                Some(current) => version::find(cx, self, &current)?,
                None => None,
            };
            match current.map(|current| value::open(cx, self, &current)).transpose()?.flatten() {
                Some(plain) => {
                    let key = self.open_data_key(cx)?;
                    value::put(cx, self, &key, version, &plain)?;
                }
                None => cx.put(version)?,
            }
        }
        let until = until.or_else(|| cx.now().checked_add(MAX_RETRY_TIME).ok());
        let (arn, token) = (self.arn(cx.scope()), cx.ids().uuid());
        self.rotation = Some(OngoingRotation {
            version_id: Some(id.clone()),
            rotation_token: Some(cx.seal(&[arn.as_str(), TOKEN_CONTEXT], token.as_bytes())?),
            step: Some(if trial { Step::TestSecret } else { Step::CreateSecret }),
            attempts: None,
            until,
            trial: trial.then_some(true),
        });
        self.schedule_step(cx, cx.now())
    }

    /// Resumes the rotation of a restored secret.
    pub(crate) fn resume_rotation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        if self.rotation.is_some() {
            self.schedule_step(cx, cx.now())?;
        }
        self.schedule_rotation(cx, cx.now())
    }

    /// Removes the configuration and state of rotation.
    pub(crate) fn end_rotation(&mut self) {
        (self.rotation_enabled, self.rotation_function_arn, self.rotation_rules) = (None, None, None);
        (self.rotation, self.rotation_opens, self.next_rotation_date) = (None, None, None);
    }

    /// Schedules the call of the rotation function for the next step.
    fn schedule_step(&self, cx: &mut Tx<'_>, time: Timestamp) -> Result<()> {
        let version_id = self.rotation.as_ref().and_then(|ongoing| ongoing.version_id.clone());
        cx.callback(
            time,
            &RotationCallback { name: self.name.clone(), suffix: self.suffix.clone(), version_id },
        )
    }

    /// True if the version that the rotation creates is current.
    fn is_rotated(&self) -> bool {
        let version = self.rotation.as_ref().and_then(|ongoing| ongoing.version_id.as_ref());
        version.is_some() && self.version_with_label(labels::CURRENT) == version
    }

    /// Completes the rotation: the new version is current. It keeps the pending label until another version gets it, or
    /// becomes current.
    fn finish_rotation(mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.rotation = None;
        self.last_rotated_date = Some(cx.now());
        self.schedule_rotation(cx, cx.now())?;
        self.put_changed(cx)
    }

    /// Completes a trial, and removes its version.
    fn finish_trial(mut self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.rotation.take().and_then(|ongoing| ongoing.version_id).unwrap_or_default();
        if self.version_with_label(labels::PENDING) == Some(&id) {
            self.remove_label(labels::PENDING);
        }
        if self.labels_of(&id).is_empty() {
            value::remove_version(cx, &self, &id)?;
        }
        self.put_changed(cx)
    }

    /// Continues with the step after the one that is done, or schedules a retry.
    fn advance_or_retry(mut self, cx: &mut Tx<'_>, done: bool) -> Result<()> {
        let Some(mut ongoing) = self.rotation.take() else { return Ok(()) };
        if done {
            ongoing.step = Some(match ongoing.step {
                Some(Step::CreateSecret) => Step::SetSecret,
                Some(Step::SetSecret) => Step::TestSecret,
                _ => Step::FinishSecret,
            });
            ongoing.attempts = None;
            self.rotation = Some(ongoing);
            self.schedule_step(cx, cx.now())?;
            return cx.put(self);
        }
        let attempts = ongoing.attempts.unwrap_or(0) + 1;
        ongoing.attempts = Some(attempts);
        let retry_at = cx.now().checked_add(retry_delay(attempts)).unwrap_or(Timestamp::MAX);
        let until = ongoing.until;
        self.rotation = Some(ongoing);
        if until.is_some_and(|until| retry_at <= until) {
            self.schedule_step(cx, retry_at)?;
        } else {
            // The window is closed. The next window uses the same version.
            self.schedule_rotation(cx, until.unwrap_or(retry_at).max(cx.now()))?;
        }
        cx.put(self)
    }
}

/// Due work that starts a rotation when its window opens.
#[record_of(of = Secret, takes(name), row)]
pub(crate) struct ScheduledRotation {
    /// Random characters after the name in the ARN.
    suffix: Option<Text>,
}

impl Work for ScheduledRotation {
    const NAME: &'static str = "secretsmanager/rotation-due";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(mut secret) = find_with_suffix(cx, &self.name, &self.suffix)? else { return Ok(()) };
        // The schedule may have changed since, or the secret may be scheduled for deletion.
        if secret.rotation_opens != Some(cx.now()) || secret.deleted_date.is_some() {
            return Ok(());
        }
        secret.rotation_opens = None;
        let pending = secret.version_with_label(labels::PENDING).cloned();
        let pending = pending.filter(|pending| secret.version_with_label(labels::CURRENT) != Some(pending));
        let id = pending.unwrap_or_else(|| cx.ids().uuid());
        let until = secret.next_rotation_date;
        secret.begin_rotation(cx, &id, until, false)?;
        secret.put_changed(cx)
    }
}

/// Callback that calls the rotation function for the next step.
#[record_of(of = Secret, takes(name), row)]
pub(crate) struct RotationCallback {
    /// Random characters after the name in the ARN.
    suffix: Option<Text>,
    /// ID of the version that the rotation creates.
    version_id: Option<Text>,
}

impl RotationCallback {
    /// Finds the secret, if the same rotation is still in progress.
    fn secret(&self, cx: &Tx<'_>) -> Result<Option<SecretRow>> {
        let secret =
            find_with_suffix(cx, &self.name, &self.suffix)?.filter(|secret| secret.deleted_date.is_none());
        let is_ongoing = |secret: &SecretRow| {
            let ongoing = secret.rotation.as_ref();
            ongoing.is_some_and(|ongoing| ongoing.version_id == self.version_id)
        };
        Ok(secret.filter(is_ongoing))
    }
}

impl Callback for RotationCallback {
    const NAME: &'static str = "secretsmanager/rotate";

    fn function_call(&self, cx: &Tx<'_>) -> Result<Option<FunctionCall>> {
        let Some(secret) = self.secret(cx)? else { return Ok(None) };
        let Some(ongoing) = &secret.rotation else { return Ok(None) };
        let step = ongoing.step.clone().unwrap_or(Step::CreateSecret);
        let event = [
            ("Step", Value::from(step.as_str())),
            ("SecretId", secret.arn(cx.scope()).as_str().into()),
            ("ClientRequestToken", ongoing.version_id.clone().unwrap_or_default().into()),
            ("RotationToken", Value::Secret(secret.rotation_token(cx)?.unwrap_or_default())),
        ];
        let event = Value::Map(event.into_iter().map(|(key, value)| (key.into(), value)).collect());
        Ok(Some(FunctionCall { function: secret.rotation_function_arn.unwrap_or_default(), event }))
    }

    fn complete(self, outcome: Result<()>, cx: &mut Tx<'_>) -> Result<()> {
        let Some(secret) = self.secret(cx)? else { return Ok(()) };
        let Some(ongoing) = &secret.rotation else { return Ok(()) };
        if ongoing.is_trial() {
            return secret.finish_trial(cx);
        }
        let last = ongoing.step == Some(Step::FinishSecret);
        // The last step is retried unless the function has moved the label.
        match outcome {
            Ok(()) if last && secret.is_rotated() => secret.finish_rotation(cx),
            Ok(()) if !last => secret.advance_or_retry(cx, true),
            _ => secret.advance_or_retry(cx, false),
        }
    }
}

/// Event of a rotation function: one step of a rotation.
#[derive(Clone, Debug)]
pub struct RotationStep {
    session: Session,
    event: Value,
}

impl RotationStep {
    fn text(&self, field: &str) -> &str {
        match self.event.get(field) {
            Some(Value::Text(text)) => text,
            Some(Value::Secret(text)) => text.expose(),
            _ => "",
        }
    }

    /// Returns a session in the account and Region of the secret.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the step to execute.
    pub fn step(&self) -> Step {
        field_value::choice_from_text(self.text("Step"))
    }

    /// Returns the ARN of the secret.
    pub fn secret_id(&self) -> &str {
        self.text("SecretId")
    }

    /// Returns the ID of the version that the rotation creates; `set_value` takes it as the idempotency token.
    pub fn client_request_token(&self) -> &str {
        self.text("ClientRequestToken")
    }

    /// Returns the token that identifies calls of the function; `set_value` accepts it.
    pub fn rotation_token(&self) -> &str {
        self.text("RotationToken")
    }

    /// Returns the event as JSON, as a rotation function of the provider receives it.
    pub fn to_json(&self) -> String {
        json::write(self.event.view(), Writing::EXPOSED)
    }
}

/// Registration of rotation functions in this process.
pub trait RotationFunctions {
    /// Registers a rotation function under a name or ARN. It is called for each step of a rotation, on its own thread,
    /// and may call the cloud. A failed step is retried, so the function must be idempotent. Functions are not stored:
    /// register them again when the cloud is opened.
    ///
    /// ```
    /// use nephos::{Cloud, Secret, prelude::*, services::secrets::{PENDING, CURRENT, Step}};
    ///
    /// let cloud = Cloud::in_memory();
    /// cloud.rotation_function("renew", |step| {
    ///     let secrets = Secret::objects(step.session());
    ///     let (id, token) = (step.secret_id(), step.client_request_token());
    ///     match step.step() {
    ///         Step::CreateSecret => {
    ///             let put = secrets.set_value(id).client_request_token(token).version_stages([PENDING]);
    ///             put.secret_string("new").wait().map(drop)
    ///         }
    ///         Step::FinishSecret => {
    ///             let old = secrets.get_value(id).wait()?;
    ///             let stage = secrets.update_version_stage(id, CURRENT).move_to_version_id(token);
    ///             stage.remove_from_version_id(old.version_id().unwrap_or_default()).wait().map(drop)
    ///         }
    ///         _ => Ok(()),
    ///     }
    /// });
    ///
    /// let secrets = Secret::objects(&cloud.session());
    /// secrets.create(&Secret::builder().name("web").build()?).secret_string("old").wait()?;
    /// secrets.rotate("web").rotation_function_arn("renew").wait()?;
    /// let value = secrets.get_value("web").wait()?;
    /// assert_eq!(value.secret_string().map(|value| value.expose()), Some("new"));
    /// # Ok::<(), nephos::Error>(())
    /// ```
    fn rotation_function(
        &self,
        name: impl Into<Text>,
        function: impl Fn(RotationStep) -> Result<()> + Send + Sync + 'static,
    );
}

impl RotationFunctions for Kernel {
    fn rotation_function(
        &self,
        name: impl Into<Text>,
        function: impl Fn(RotationStep) -> Result<()> + Send + Sync + 'static,
    ) {
        let function = move |session: &Session, event: &Value| {
            function(RotationStep { session: session.clone(), event: event.clone() })
        };
        self.register(name, Arc::new(function));
    }
}

/// Checks that a function can be called: it is registered with this cloud.
pub(crate) fn check_callable(cx: &Tx<'_>, function: &str) -> Result<()> {
    if cx.has_function(function) {
        return Ok(());
    }
    let hint = format!("no function {function} is registered");
    Err(errors::function_not_invocable().with_field("RotationFunctionARN").with_hint(hint))
}

/// Checks that no other rotation of the secret is in progress.
pub(crate) fn check_idle(secret: &SecretRow, id: &Text) -> Result<()> {
    let pending = secret.version_with_label(labels::PENDING);
    if pending.is_none() || pending == secret.version_with_label(labels::CURRENT) || pending == Some(id) {
        return Ok(());
    }
    Err(errors::rotation_in_progress().with_hint(secret.own_name()))
}
