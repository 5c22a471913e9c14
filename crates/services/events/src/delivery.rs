//! Deliveries that are not done, or stay in the outbox: their rows, repetition, and test controls.

pub(crate) mod deliver;
pub(crate) mod destination_call;
pub(crate) mod destination_rate;
pub(crate) mod destination_request;

use crate::{
    BusName, HttpParameters,
    controls::{self, scope::OfAccount},
};
use deliver::{Attempt, Failure};
use nephos_cloud::{Callback, Direction, FunctionCall, Handler, Stored, Tx, Work};
use nephos_core::{Empty, Record, Result, Text, Timestamp, choices, json, operation};
use std::ops::ControlFlow;

choices! {
    /// State of a delivery.
    #[derive(Eq)]
    pub enum DeliveryState {
        /// It will be tried, or tried again.
        Pending = "PENDING",
        /// It is in the outbox: its target is outside the cloud.
        Delivered = "DELIVERED",
        /// It failed, and is in the outbox for the dead-letter queue of its target.
        DeadLetter = "DEAD_LETTER",
        /// It failed, and its target has no dead-letter queue.
        Failed = "FAILED",
    }
}

/// A delivery of an event to a target that is not done, or that is in the outbox.
#[derive(Record)]
#[record(answer)]
pub struct Delivery {
    /// Number of the delivery, in order of time.
    pub(crate) number: Option<i64>,
    /// State.
    pub(crate) state: Option<DeliveryState>,
    /// Name of the bus.
    pub(crate) event_bus_name: Option<Text>,
    /// Name of the rule.
    pub(crate) rule: Option<Text>,
    /// ID of the target.
    pub(crate) target_id: Option<Text>,
    /// ARN of the target.
    pub(crate) target_arn: Option<Text>,
    /// ARN of the role with which the target is called.
    pub(crate) role_arn: Option<Text>,
    /// ID of the event.
    pub(crate) event_id: Option<Text>,
    /// Input for the target.
    pub(crate) input: Option<Text>,
    /// Parameters of the request to an API or an API destination, with the values of the event.
    pub(crate) http_parameters: Option<HttpParameters>,
    /// Time of the first attempt.
    pub(crate) time: Option<Timestamp>,
    /// Number of attempts.
    pub(crate) attempts: Option<i64>,
    /// Time of the next attempt.
    pub(crate) next_attempt: Option<Timestamp>,
    /// Error code of the last attempt.
    pub(crate) error_code: Option<Text>,
    /// Error of the last attempt.
    pub(crate) error_message: Option<Text>,
    /// Limit of the retry policy that ended the attempts.
    pub(crate) exhausted_retry_condition: Option<Text>,
    /// ARN of the dead-letter queue.
    pub(crate) dead_letter_arn: Option<Text>,
}

nephos_cloud::stored!(Delivery in "events/delivery" by number);

/// Finds a delivery that will be tried again.
pub(crate) fn find_pending(cx: &Tx<'_>, number: Option<i64>) -> Result<Option<Delivery>> {
    let key = Delivery::table(cx.scope()).number(number.unwrap_or_default());
    let found: Option<Delivery> = cx.get(&key)?;
    Ok(found.filter(|delivery| delivery.state == Some(DeliveryState::Pending)))
}

/// Repetition of a delivery.
#[derive(Record)]
#[record(row)]
pub(crate) struct Retry {
    /// Number of the delivery.
    pub(crate) number: Option<i64>,
}

impl Work for Retry {
    const NAME: &'static str = "events/retry";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        find_pending(cx, self.number)?.map_or(Ok(()), |delivery| delivery.repeat(cx))
    }
}

/// Call of the function that is the target of a delivery.
#[derive(Record)]
#[record(row)]
pub(crate) struct Invoke {
    /// Number of the delivery.
    pub(crate) number: Option<i64>,
}

impl Callback for Invoke {
    const NAME: &'static str = "events/invoke";

    fn function_call(&self, cx: &Tx<'_>) -> Result<Option<FunctionCall>> {
        let Some(delivery) = find_pending(cx, self.number)? else { return Ok(None) };
        let (function, input) = (delivery.target_arn.unwrap_or_default(), delivery.input.unwrap_or_default());
        Ok(Some(FunctionCall { function, event: json::parse(input.as_bytes()).unwrap_or(input.into()) }))
    }

    fn complete(self, outcome: Result<()>, cx: &mut Tx<'_>) -> Result<()> {
        let Some(mut delivery) = find_pending(cx, self.number)? else { return Ok(()) };
        // The first attempt was counted when the delivery was stored.
        let is_repeated = delivery.next_attempt > delivery.time;
        delivery.attempts = Some(delivery.attempts.unwrap_or(0) + i64::from(is_repeated));
        let attempt = match outcome {
            Ok(()) => Attempt::Delivered,
            Err(error) => Attempt::Failed(Failure::from_function(&error)),
        };
        delivery.complete_attempt(cx, attempt)
    }
}

/// Lists the deliveries that are not done or stay in the outbox, in order of time. A test control.
#[operation(include(OfAccount), wraps(deliveries: Vec<Delivery>), effect = read, subject = "*")]
pub struct ListDeliveries {
    /// Name of the bus; all buses if it is not given.
    #[field(like = BusName::name)]
    pub event_bus_name: Option<Text>,
    /// Name of the rule.
    pub rule: Option<Text>,
    /// ARN of the target.
    pub target_arn: Option<Text>,
    /// State.
    pub state: Option<DeliveryState>,
    /// Number of the delivery after which the list begins.
    pub after: Option<i64>,
    /// Maximum number of deliveries; 100 if it is not given.
    #[field(range(1..=10_000))]
    pub limit: Option<i64>,
}

impl Handler for ListDeliveries {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let scope = controls::scope::read(cx, self.account.as_deref(), self.region.as_deref())?;
        let max = usize::try_from(self.limit.unwrap_or(100)).unwrap_or(usize::MAX);
        let all = Delivery::table(&scope);
        let rest = all.prefix_range_after(&all.clone().number(self.after.unwrap_or_default()));
        let mut found = Vec::new();
        cx.scan(&scope, &rest, Direction::Ascending, |delivery: Delivery| {
            let is_wanted = (self.event_bus_name.is_none() || delivery.event_bus_name == self.event_bus_name)
                && (self.rule.is_none() || delivery.rule == self.rule)
                && (self.target_arn.is_none() || delivery.target_arn == self.target_arn)
                && (self.state.is_none() || delivery.state == self.state);
            if is_wanted {
                found.push(delivery);
            }
            if found.len() < max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(found.into())
    }
}

/// Removes deliveries from the outbox, up to a number. Those that will be tried again stay. A test control.
#[operation(include(OfAccount), effect = write, subject = "*")]
pub struct RemoveDeliveries {
    /// Number of the last delivery to remove; all if it is not given.
    pub up_to: Option<i64>,
}

impl Handler for RemoveDeliveries {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let scope = controls::scope::read(cx, self.account.as_deref(), self.region.as_deref())?;
        cx.in_scope(&scope, |cx| {
            for delivery in cx.all::<Delivery>(&Delivery::table(&scope))? {
                let is_wanted = self.up_to.is_none_or(|last| delivery.number <= Some(last));
                if is_wanted && delivery.state != Some(DeliveryState::Pending) {
                    cx.remove(&delivery)?;
                }
            }
            Ok(Empty {})
        })
    }
}
