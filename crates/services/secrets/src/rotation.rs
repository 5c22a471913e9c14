//! Rotation: a function outside gives a secret a new value, in four steps, now or on a schedule.
//!
//! The new value is a version with the label for pending ones until the last step makes it the current version; until then
//! whoever reads the secret gets the value it has. A step that fails is tried again, less and less often, until the window
//! of the rotation closes; the next window begins again with the same version.

use super::{
    SecretRow, errors, labels,
    secret_row::{self, find_with_suffix},
    value,
    versions::{self, VersionRow},
    window::{self, Window},
};
use nephos_cloud::{Callback, Kernel, Question, Tx, Work};
use nephos_core::{
    Blob, Choice, Map, Record, Result, Session, SignedDuration, Text, Timestamp, Value, choices,
    json::{self, Writing},
};
use std::sync::Arc;

/// The schedule of a rotation: every so many days, or by an expression.
#[derive(Record)]
pub struct RotationRules {
    /// Number of days between rotations.
    #[field(range(1..=1000))]
    pub(super) automatically_after_days: Option<i64>,
    /// Length of the rotation window in hours, as in `3h`.
    #[field(length(2..=3), pattern = "[0-9]+h")]
    pub(super) duration: Option<Text>,
    /// Schedule on which the window opens: `rate(10 days)` or `cron(0 8 1 * ? *)`, in UTC.
    #[field(length(1..=256), pattern = r"[0-9A-Za-z()#?*\-/, ]+")]
    pub(super) schedule_expression: Option<Text>,
}

/// What the partner who holds a secret needs to know to rotate it.
#[derive(Record)]
#[record(name = "ExternalSecretRotationMetadataItem")]
pub struct MetadataItem {
    /// The key.
    #[field(length(1..=256))]
    key: Option<Text>,
    /// The value.
    #[field(length(1..=2048))]
    value: Option<Text>,
}

choices! {
    /// A step of a rotation.
    pub enum Step {
        /// Make a new value, and put it in the version of the rotation under the pending label.
        CreateSecret = "createSecret",
        /// Let whatever the secret opens take the new value.
        SetSecret = "setSecret",
        /// See that the new value opens it.
        TestSecret = "testSecret",
        /// Move the label of the current version to the new one.
        FinishSecret = "finishSecret",
    }
}

/// A rotation that is going on, or waits for its next window.
#[derive(Record)]
pub(crate) struct OngoingRotation {
    /// The version that it makes.
    pub(super) version_id: Option<Text>,
    /// Token that identifies calls of its function, sealed.
    #[field(sensitive)]
    rotation_token: Option<Blob>,
    /// The step that comes next.
    step: Option<Step>,
    /// Number of failed attempts at that step.
    attempts: Option<i64>,
    /// Time until which it is tried.
    until: Option<Timestamp>,
    /// True if it only tests whether the function can be called.
    trial: Option<bool>,
}

impl OngoingRotation {
    fn is_trial(&self) -> bool {
        self.trial == Some(true)
    }
}

/// Time for which a rotation without a window is tried.
const MAX_RETRY_TIME: SignedDuration = SignedDuration::from_hours(24);

/// Pause before a failed step is tried again; it doubles each time.
const RETRY_DELAY: SignedDuration = SignedDuration::from_mins(1);

/// Maximum pause before a failed step is tried again.
const MAX_RETRY_DELAY: SignedDuration = SignedDuration::from_hours(1);

fn retry_delay(attempts: i64) -> SignedDuration {
    let doubled = u32::try_from(attempts - 1).ok().and_then(|n| 1_i32.checked_shl(n)).unwrap_or(i32::MAX);
    RETRY_DELAY.checked_mul(doubled).map_or(MAX_RETRY_DELAY, |delay| delay.min(MAX_RETRY_DELAY))
}

/// Context that the token of a rotation is sealed in.
const TOKEN_CONTEXT: &str = "rotation-token";

impl SecretRow {
    /// The token that identifies calls of its rotation's function.
    pub(super) fn rotation_token(&self, cx: &Tx<'_>) -> Result<Option<nephos_core::Secret>> {
        let sealed = self.rotation.as_ref().and_then(|ongoing| ongoing.rotation_token.as_ref());
        let Some(sealed) = sealed else { return Ok(None) };
        let opened = cx.open(&[self.arn(cx.scope()).as_str(), TOKEN_CONTEXT], sealed);
        let opened = opened.map_err(|error| secret_row::decryption_error(error.message()))?;
        Ok(Some(String::from_utf8_lossy(&opened).as_ref().into()))
    }

    /// When its rotation is due next, if it is.
    fn next_window(&self, after: Timestamp) -> Option<Window> {
        let rules = self.rotation_rules.as_ref().filter(|_| self.rotation_enabled == Some(true))?;
        window::next_window(rules, after)
    }

    /// Leaves its next rotation for later, counted from `after`.
    pub(super) fn schedule_rotation(&mut self, cx: &mut Tx<'_>, after: Timestamp) -> Result<()> {
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

    /// Begins a rotation that makes the version `id`, and tries it until then.
    pub(super) fn begin_rotation(
        &mut self,
        cx: &mut Tx<'_>,
        id: &Text,
        until: Option<Timestamp>,
        trial: bool,
    ) -> Result<()> {
        if versions::find(cx, self, id)?.is_none() {
            let version = VersionRow::new(cx, self, id);
            let current = self.version_with_label(labels::CURRENT).filter(|_| trial).cloned();
            self.move_label(labels::PENDING, id)?;
            let current = match current {
                Some(current) => versions::find(cx, self, &current)?,
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

    /// Resumes its rotation once its deletion is taken back.
    pub(super) fn resume_rotation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        if self.rotation.is_some() {
            self.schedule_step(cx, cx.now())?;
        }
        self.schedule_rotation(cx, cx.now())
    }

    /// Forgets that it is rotated.
    pub(super) fn end_rotation(&mut self) {
        (self.rotation_enabled, self.rotation_function_arn, self.rotation_rules) = (None, None, None);
        (self.rotation, self.rotation_opens, self.next_rotation_date) = (None, None, None);
    }

    /// Leaves the next step of its rotation to be asked for.
    fn schedule_step(&self, cx: &mut Tx<'_>, time: Timestamp) -> Result<()> {
        let version_id = self.rotation.as_ref().and_then(|ongoing| ongoing.version_id.clone());
        cx.callback(
            time,
            &RotationCallback { name: self.name.clone(), suffix: self.suffix.clone(), version_id },
        )
    }

    /// True if the version that the rotation makes is the current one.
    fn is_rotated(&self) -> bool {
        let version = self.rotation.as_ref().and_then(|ongoing| ongoing.version_id.as_ref());
        version.is_some() && self.version_with_label(labels::CURRENT) == version
    }

    /// Ends its rotation: the new version is the current one.
    fn finish_rotation(mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.rotation = None;
        self.remove_label(labels::PENDING);
        self.last_rotated_date = Some(cx.now());
        self.schedule_rotation(cx, cx.now())?;
        self.put_changed(cx)
    }

    /// Ends a trial: nothing is left of it.
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

    /// Goes on to the step after the one that was done, or tries that again later.
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
            // The window is closed. The version stays for the next one.
            self.schedule_rotation(cx, until.unwrap_or(retry_at).max(cx.now()))?;
        }
        cx.put(self)
    }
}

/// Rotates a secret because it is time.
#[derive(Record)]
pub(crate) struct ScheduledRotation {
    /// Name of the secret.
    name: Option<Text>,
    /// Random characters after the name in its ARN.
    suffix: Option<Text>,
}

impl Work for ScheduledRotation {
    const NAME: &'static str = "secretsmanager/rotation-due";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(mut secret) = find_with_suffix(cx, &self.name, &self.suffix)? else { return Ok(()) };
        // The schedule may have changed since, or the secret be on its way out.
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

/// Asks the function of a secret to carry out the next step of its rotation.
#[derive(Record)]
pub(crate) struct RotationCallback {
    /// Name of the secret.
    name: Option<Text>,
    /// Random characters after the name in its ARN.
    suffix: Option<Text>,
    /// The version that the rotation makes.
    version_id: Option<Text>,
}

impl RotationCallback {
    /// The secret, if its rotation is still the same one.
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

    fn ask(&self, cx: &Tx<'_>) -> Result<Option<Question>> {
        let Some(secret) = self.secret(cx)? else { return Ok(None) };
        let Some(ongoing) = &secret.rotation else { return Ok(None) };
        let step = ongoing.step.clone().unwrap_or(Step::CreateSecret);
        let event = [
            ("Step", Value::from(step.as_str())),
            ("SecretId", secret.arn(cx.scope()).as_str().into()),
            ("ClientRequestToken", ongoing.version_id.clone().unwrap_or_default().into()),
            ("RotationToken", Value::Secret(secret.rotation_token(cx)?.unwrap_or_default())),
        ];
        let event = event.into_iter().map(|(key, value)| (key.into(), value)).collect();
        Ok(Some(Question { function: secret.rotation_function_arn.unwrap_or_default(), event }))
    }

    fn settle(self, outcome: Result<()>, cx: &mut Tx<'_>) -> Result<()> {
        let Some(secret) = self.secret(cx)? else { return Ok(()) };
        let Some(ongoing) = &secret.rotation else { return Ok(()) };
        if ongoing.is_trial() {
            return secret.finish_trial(cx);
        }
        let last = ongoing.step == Some(Step::FinishSecret);
        // A function that says it is done, and has not moved the label, is not done.
        match outcome {
            Ok(()) if last && secret.is_rotated() => secret.finish_rotation(cx),
            Ok(()) if !last => secret.advance_or_retry(cx, true),
            _ => secret.advance_or_retry(cx, false),
        }
    }
}

/// One step of a rotation, as the function that carries it out is told of it.
#[derive(Clone, Debug)]
pub struct RotationStep {
    session: Session,
    event: Map<Value>,
}

impl RotationStep {
    fn text(&self, field: &str) -> &str {
        match self.event.get(field) {
            Some(Value::Text(text)) => text,
            Some(Value::Secret(text)) => text.expose(),
            _ => "",
        }
    }

    /// A caller in the secret's account and Region.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What is to be done.
    pub fn step(&self) -> Step {
        match self.text("Step") {
            "createSecret" => Step::CreateSecret,
            "setSecret" => Step::SetSecret,
            "testSecret" => Step::TestSecret,
            "finishSecret" => Step::FinishSecret,
            other => Step::Unknown(other.into()),
        }
    }

    /// ARN of the secret.
    pub fn secret_id(&self) -> &str {
        self.text("SecretId")
    }

    /// The version that the rotation makes; under this token its value is put.
    pub fn client_request_token(&self) -> &str {
        self.text("ClientRequestToken")
    }

    /// The token that identifies the function's calls; it can be given to `set_value`.
    pub fn rotation_token(&self) -> &str {
        self.text("RotationToken")
    }

    /// The event that a rotation function gets, as JSON.
    pub fn to_json(&self) -> String {
        json::write(Value::Map(self.event.clone()).view(), Writing::EXPOSED)
    }
}

/// A cloud that calls functions in this program to rotate secrets.
pub trait RotationFunctions {
    /// Registers the function that rotates secrets by this name or ARN. It is called for each step of a rotation, on
    /// a thread of its own, and may call the cloud; what it refuses is tried again after a while, so it has to cope with
    /// being asked twice. It is not part of the state: register it again when the cloud is opened.
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
        let function = move |session: &Session, event: &Map<Value>| {
            function(RotationStep { session: session.clone(), event: event.clone() })
        };
        self.register(name, Arc::new(function));
    }
}

/// Refuses a function that cannot be called.
pub(super) fn check_callable(cx: &Tx<'_>, function: &str) -> Result<()> {
    if cx.can_call(function) {
        return Ok(());
    }
    let message = "Secrets Manager cannot invoke the specified Lambda function. Ensure that the function policy grants \
                   access to the principal secretsmanager.amazonaws.com.";
    Err(errors::DENIED.with_message(message).with_field("RotationFunctionARN"))
}

/// Refuses a rotation while another one is not done.
pub(super) fn check_idle(secret: &SecretRow, id: Option<&Text>) -> Result<()> {
    let pending = secret.version_with_label(labels::PENDING);
    if pending.is_none()
        || pending == secret.version_with_label(labels::CURRENT)
        || (id.is_some() && pending == id)
    {
        return Ok(());
    }
    let message = "A previous rotation isn't complete. That rotation will be reattempted.";
    Err(errors::INVALID_REQUEST.with_message(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_an_hour() {
        let minutes: Vec<_> = (1..10).map(|n| retry_delay(n).as_mins()).collect();
        assert_eq!(minutes, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(retry_delay(1000).as_mins(), 60);
    }
}
