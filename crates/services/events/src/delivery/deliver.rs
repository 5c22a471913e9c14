//! Delivery of events to targets.
//!
//! Targets inside the cloud receive an event in the transaction that publishes it. A function is called after the commit;
//! until it has succeeded, the delivery is a row. Targets outside the cloud have an outbox: their deliveries stay as rows. A
//! delivery that fails is repeated by the retry policy of its target, on the clock, and then stays as failed or dead-lettered.

use crate::{
    BusEvent, DEFAULT_BUS, Delivery, DeliveryState, EventBus, Invoke, Retry, SERVICE, delivery,
    event_bus::{
        self,
        event::{publish, write_time},
        index::{CompiledRule, CompiledTarget},
    },
    event_target,
    input::{MAX_INPUT, RuleFacts},
};
use nephos_cloud::{RetryAfter, Scope, Stored, TIMEOUT_CODE, TargetEvent, Tx};
use nephos_core::{
    Error, ErrorKind, Result, SignedDuration, Text, Timestamp, Value, field_value::FieldType, json,
};
use std::{error::Error as _, sync::atomic::Ordering};

/// Retries of a target without a retry policy.
const DEFAULT_ATTEMPTS: i64 = 185;

/// Seconds for which a delivery to such a target is tried.
pub(crate) const DEFAULT_AGE: i64 = 24 * 60 * 60;

/// Number of times that the time between two attempts, which is a second at first, doubles. With nine, a day has about 185 attempts.
const MAX_DOUBLINGS: i64 = 9;

/// Number of deliveries of an event after which it is sent to other buses in transactions of their own.
const MAX_AT_ONCE: usize = 2000;

/// Result of an attempt to deliver.
pub(crate) enum Attempt {
    Delivered,
    /// The event has so many deliveries that this one is not part of the transaction that publishes it.
    Later,
    /// The target is outside the cloud.
    Outbox,
    /// A registered function has to be called.
    Function,
    /// The target is an API destination, and its request has to be made.
    Destination,
    /// A request was made, and is sent at this time.
    Planned(Timestamp),
    Failed(Failure),
}

/// A failed attempt, with a code of dead letters.
pub(crate) struct Failure {
    code: &'static str,
    message: Text,
    is_retried: bool,
    /// Seconds that the target wants to pass before the next attempt.
    wait: i64,
}

impl Failure {
    pub(crate) fn new(code: &'static str, message: impl Into<Text>) -> Self {
        Self { code, message: message.into(), is_retried: false, wait: 0 }
    }

    fn retried(code: &'static str, message: impl Into<Text>) -> Self {
        Self { is_retried: true, ..Self::new(code, message) }
    }

    /// Makes the failure of a target from the error that it returned. A target that does not exist, or does not allow the call, is
    /// not tried again.
    pub(crate) fn from_target(error: &Error) -> Self {
        let (code, is_retried) = match error.kind() {
            ErrorKind::NotFound => ("NO_RESOURCE", false),
            ErrorKind::Denied => ("NO_PERMISSIONS", false),
            ErrorKind::Invalid => ("INVALID_PARAMETER", false),
            ErrorKind::Throttled => ("THROTTLING", true),
            ErrorKind::LimitExceeded => ("RESOURCE_LIMIT_EXCEEDED", true),
            ErrorKind::Transport => ("CONNECTION_FAILURE", true),
            _ => ("ERROR_FROM_TARGET", true),
        };
        Self { is_retried, ..Self::new(code, error.message()) }
    }

    /// Makes the failure of an API destination whose connection is not authorized. It is called again, because the connection may
    /// be updated.
    pub(crate) fn unauthorized(message: impl Into<Text>) -> Self {
        Self::retried("NO_PERMISSIONS", message)
    }

    /// Makes the failure of an API destination. A request that it refuses as invalid is not sent again, nor one after which it
    /// wants a negative number of seconds to pass.
    pub(crate) fn from_destination(error: &Error) -> Self {
        let failure = match error.kind() {
            ErrorKind::Invalid => Self::new("ERROR_FROM_TARGET", error.message()),
            ErrorKind::Throttled => Self::from_target(error),
            _ => Self::from_function(error),
        };
        let wait =
            error.source().and_then(|source| source.downcast_ref()).map_or(0, |RetryAfter(wait)| *wait);
        Self { is_retried: failure.is_retried && wait >= 0, wait, ..failure }
    }

    /// Makes the failure of a function, which is always called again: it may not be registered yet after a start.
    pub(crate) fn from_function(error: &Error) -> Self {
        let code = match error.kind() {
            ErrorKind::Transport if error.code() == TIMEOUT_CODE => TIMEOUT_CODE,
            ErrorKind::Transport => "CONNECTION_FAILURE",
            _ => "ERROR_FROM_TARGET",
        };
        Self::retried(code, error.message())
    }
}

/// Delivers an event to all targets of a rule that it matched.
pub(crate) fn to_targets(cx: &mut Tx<'_>, bus: &str, rule: &CompiledRule, event: &BusEvent) -> Result<()> {
    let received = write_time(cx.now());
    let facts = RuleFacts { arn: &rule.arn, name: &rule.name, ingestion_time: &received };
    for target in &rule.targets {
        event.deliveries.fetch_add(1, Ordering::Relaxed);
        let input = target.render(&event.value, &event.text, &facts);
        let attempt = match (event_bus::place_in_arn(&target.arn), &input) {
            // One that came from another bus goes to no third one, now or later.
            (Some(_), _) if !event.is_forwarded && event.deliveries.load(Ordering::Relaxed) > MAX_AT_ONCE => {
                Attempt::Later
            }
            (Some((scope, name)), _) => forward(cx, &scope, name, &target.arn, event)?,
            (None, None) => {
                let message = format!("The input for the target is longer than {MAX_INPUT} bytes.");
                Attempt::Failed(Failure::new("INVALID_PARAMETER", message))
            }
            (None, Some(input)) if !target.accepts(input) => {
                let message = "The input that the InputTransformer of the target makes is not valid JSON.";
                Attempt::Failed(Failure::new("INVALID_JSON", message))
            }
            (None, Some(input)) => {
                let (arn, role) = (target.arn.as_str(), target.role.as_deref());
                attempt(cx, &TargetEvent { arn, rule: &rule.name, role, input })?
            }
        };
        let input = match attempt {
            // A bus gets the event itself.
            Attempt::Later => event.text.clone(),
            _ => input.unwrap_or_else(|| event.text.clone()),
        };
        if !matches!(attempt, Attempt::Delivered) {
            keep(cx, bus, rule, target, event, input, attempt)?;
        }
    }
    Ok(())
}

/// Stores a delivery that is not done.
fn keep(
    cx: &mut Tx<'_>,
    bus: &str,
    rule: &CompiledRule,
    target: &CompiledTarget,
    event: &BusEvent,
    input: Text,
    attempt: Attempt,
) -> Result<()> {
    let mut delivery = Delivery::blank();
    delivery.number = Some(cx.add_to_count("events/delivery", 1)?);
    delivery.event_bus_name = Some(bus.into());
    delivery.rule = Some(rule.name.clone());
    delivery.target_id = Some(target.id.clone());
    delivery.target_arn = Some(target.arn.clone());
    delivery.role_arn.clone_from(&target.role);
    delivery.event_id = Some(event.id.clone());
    delivery.input = Some(input);
    let http = target.http.as_ref();
    delivery.http_parameters =
        http.map(|http| delivery::destination_request::fill_parameters(http, &event.value));
    delivery.time = Some(cx.now());
    delivery.attempts = Some(1);
    let attempt = delivery.prepare(cx, attempt)?;
    delivery.complete_attempt(cx, attempt)
}

/// Sends an event to another bus, possibly of another account or Region.
fn forward(cx: &mut Tx<'_>, scope: &Scope, name: &str, arn: &str, event: &BusEvent) -> Result<Attempt> {
    if event.is_forwarded {
        let message = "The event came from another event bus, and is not sent to a third one.";
        return Ok(Attempt::Failed(Failure::new("THIRD_ACCOUNT_HOP_DETECTED", message)));
    }
    let sender = Text::from(cx.scope().account());
    let text = |name: &str| event.value.get(name).and_then(Value::as_text).unwrap_or_default();
    let values = event_bus::put_events::condition_values(text("source"), text("detail-type"));
    if sender != scope.account()
        && let Err(refused) = cx.check_shared_with(&SERVICE, "events:PutEvents", arn, &sender, &values)
    {
        return Ok(Attempt::Failed(Failure::from_target(&refused)));
    }
    let event = BusEvent { is_forwarded: true, ..event.clone() };
    cx.in_scope(scope, |cx| {
        if name != DEFAULT_BUS && !cx.exists(&EventBus::table(scope).text(name))? {
            let message = format!("Event bus {name} does not exist.");
            return Ok(Attempt::Failed(Failure::new("NO_RESOURCE", message)));
        }
        publish(cx, name, &event)?;
        Ok(Attempt::Delivered)
    })
}

/// Tries to deliver to a target that is no bus.
pub(crate) fn attempt(cx: &mut Tx<'_>, event: &TargetEvent<'_>) -> Result<Attempt> {
    if cx.has_function(event.arn) {
        return Ok(Attempt::Function);
    }
    if delivery::destination_call::is_destination(event.arn) {
        return Ok(Attempt::Destination);
    }
    match cx.put_to_event_target(event) {
        Ok(true) => Ok(Attempt::Delivered),
        Ok(false) => Ok(Attempt::Outbox),
        // An error of the store, or a defect: the event must not be lost for that.
        Err(error) if matches!(error.kind(), ErrorKind::Internal | ErrorKind::Corrupt) => Err(error),
        Err(error) => Ok(Attempt::Failed(Failure::from_target(&error))),
    }
}

impl Delivery {
    /// Tries again to deliver.
    pub(crate) fn repeat(mut self, cx: &mut Tx<'_>) -> Result<()> {
        let event = TargetEvent {
            arn: self.target_arn.as_deref().unwrap_or_default(),
            rule: self.rule.as_deref().unwrap_or_default(),
            role: self.role_arn.as_deref(),
            input: &self.input.clone().unwrap_or_default(),
        };
        let attempt = match self.forwarded(cx)?.map_or_else(|| attempt(cx, &event), Ok)? {
            // A target of the outbox is not tried again: this one is a function that is not registered any more.
            Attempt::Outbox => Attempt::Function,
            attempt => self.prepare(cx, attempt)?,
        };
        // The call of a function is counted when it is done.
        let is_call = matches!(attempt, Attempt::Function | Attempt::Planned(_));
        self.attempts = Some(self.attempts.unwrap_or(0) + i64::from(!is_call));
        self.complete_attempt(cx, attempt)
    }

    /// Sends the event to its target if that is a bus.
    fn forwarded(&self, cx: &mut Tx<'_>) -> Result<Option<Attempt>> {
        let arn = self.target_arn.as_deref().unwrap_or_default();
        let Some((scope, name)) = event_bus::place_in_arn(arn) else { return Ok(None) };
        let event = json::parse(self.input.as_deref().unwrap_or_default().as_bytes()).unwrap_or_default();
        let event = BusEvent::new(self.event_id.clone().unwrap_or_default(), event);
        forward(cx, &scope, name, arn, &event).map(Some)
    }

    /// Makes the request to an API destination.
    fn prepare(&self, cx: &mut Tx<'_>, attempt: Attempt) -> Result<Attempt> {
        match attempt {
            Attempt::Destination => delivery::destination_call::prepare(cx, self),
            attempt => Ok(attempt),
        }
    }

    /// Stores the result of an attempt, and schedules the next one.
    pub(crate) fn complete_attempt(mut self, cx: &mut Tx<'_>, attempt: Attempt) -> Result<()> {
        self.next_attempt = None;
        match attempt {
            Attempt::Delivered => return cx.remove(&self),
            Attempt::Outbox | Attempt::Destination => {
                self.state = Some(DeliveryState::Delivered);
                (self.error_code, self.error_message) = (None, None);
            }
            Attempt::Later => {
                (self.state, self.next_attempt) = (Some(DeliveryState::Pending), Some(cx.now()));
                cx.schedule(cx.now(), &Retry { number: self.number })?;
            }
            Attempt::Planned(time) => {
                (self.state, self.next_attempt) = (Some(DeliveryState::Pending), Some(time));
            }
            Attempt::Function => {
                self.state = Some(DeliveryState::Pending);
                self.next_attempt = Some(cx.now());
                cx.callback(cx.now(), &Invoke { number: self.number })?;
            }
            Attempt::Failed(failure) => self.fail(cx, failure)?,
        }
        cx.put(self)
    }

    fn fail(&mut self, cx: &mut Tx<'_>, failure: Failure) -> Result<()> {
        let text = |field: &Option<Text>| field.clone().unwrap_or_default();
        let key = event_target::key_prefix(cx.scope(), &text(&self.event_bus_name), &text(&self.rule));
        // A target that was removed meanwhile has no policy any more.
        let target: Option<crate::EventTarget> = cx.get(&key.text(&text(&self.target_id)))?;
        self.error_code = Some(failure.code.into());
        self.error_message = Some(failure.message);
        self.exhausted_retry_condition = None;
        if failure.is_retried {
            let policy = target.as_ref().and_then(|target| target.retry_policy.as_ref());
            let attempts = policy.and_then(|policy| policy.maximum_retry_attempts);
            let age = policy.and_then(|policy| policy.maximum_event_age_in_seconds);
            let limits = (attempts.unwrap_or(DEFAULT_ATTEMPTS), age.unwrap_or(DEFAULT_AGE));
            match self.next_time(cx.now(), limits, failure.wait) {
                Ok(next) => {
                    self.state = Some(DeliveryState::Pending);
                    self.next_attempt = Some(next);
                    return self.schedule(cx, next);
                }
                Err(condition) => self.exhausted_retry_condition = Some(condition.into()),
            }
        }
        let queue = target.and_then(|target| target.dead_letter_config).and_then(|queue| queue.arn);
        self.state = Some(match queue {
            Some(_) => DeliveryState::DeadLetter,
            None => DeliveryState::Failed,
        });
        self.dead_letter_arn = queue;
        Ok(())
    }

    /// Returns the time of the next attempt, or the limit that forbids it. The target may want more seconds to pass; then the
    /// last attempt is at the maximum age.
    fn next_time(
        &self,
        now: Timestamp,
        (max_retries, max_age): (i64, i64),
        wait: i64,
    ) -> Result<Timestamp, &'static str> {
        let attempts = self.attempts.unwrap_or(1);
        if attempts > max_retries {
            return Err("MaximumRetryAttempts");
        }
        let backoff = SignedDuration::from_secs(1 << (attempts - 1).clamp(0, MAX_DOUBLINGS));
        let after = |start: Timestamp, time| start.checked_add(time).unwrap_or(Timestamp::MAX);
        let last = after(self.time.unwrap_or(now), SignedDuration::from_secs(max_age));
        let next = after(now, backoff);
        let wanted = after(now, SignedDuration::from_secs(wait)).min(last);
        if next > last { Err("MaximumEventAgeInSeconds") } else { Ok(next.max(wanted)) }
    }

    /// Schedules the next attempt.
    fn schedule(&self, cx: &mut Tx<'_>, time: Timestamp) -> Result<()> {
        let arn = self.target_arn.as_deref().unwrap_or_default();
        if cx.has_function(arn) {
            cx.callback(time, &Invoke { number: self.number })
        } else {
            cx.schedule(time, &Retry { number: self.number })
        }
    }
}
