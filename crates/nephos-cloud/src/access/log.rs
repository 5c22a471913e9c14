//! The log of decisions, and policies made from it.

use crate::{AccessRequest, Decision, Kernel, Key, Tx, from_store_error, rows};
use nephos_core::{Ids, Record, Result, Text, Timestamp, Value};
use nephos_store::{Direction, Txn, View};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

/// Table of the log. It is not part of the state of the services.
pub(crate) const TABLE: &str = "access-log";

/// A decision over a request, in the log.
#[derive(Record)]
#[record(row)]
pub struct LoggedDecision {
    /// Time of the request.
    pub time: Option<Timestamp>,
    /// ARN of the caller.
    pub principal: Option<Text>,
    /// Action of the request.
    pub action: Option<Text>,
    /// ARN of the resource.
    pub resource: Option<Text>,
    /// True if the policies allow the request.
    pub allowed: Option<bool>,
    /// True if the request was refused.
    pub refused: Option<bool>,
    /// Reason for the decision.
    pub reason: Option<Text>,
}

impl LoggedDecision {
    pub(super) fn new(cx: &Tx<'_>, asked: &AccessRequest, decision: &Decision, is_refused: bool) -> Self {
        Self {
            time: Some(cx.now()),
            principal: Some(asked.principal.arn.clone()),
            action: Some(asked.action.clone()),
            resource: Some(asked.resource.clone()),
            allowed: Some(decision.is_allowed),
            refused: Some(is_refused),
            reason: Some(decision.reason.to_string().into()),
        }
    }

    /// Creates the key of its row. The random part tells decisions of the same time apart.
    fn new_key(&self, ids: &Ids) -> Key {
        let time = self.time.unwrap_or_default().as_microsecond();
        Key::table(TABLE).number(time).text(&ids.hex(16))
    }
}

impl Tx<'_> {
    /// Writes decisions to the log.
    pub(crate) fn put_decisions(&mut self, decisions: &[LoggedDecision]) -> Result<()> {
        for decision in decisions {
            self.put_row(&decision.new_key(self.ids), &rows::encode(decision))?;
        }
        Ok(())
    }
}

impl Kernel {
    /// Returns the logged decisions in the order of their times; with `principal`, only those about requests of this caller.
    pub fn decisions(&self, principal: Option<&str>) -> Result<Vec<LoggedDecision>> {
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        let (mut found, mut failed) = (Vec::new(), Ok(()));
        let mut visit = |_: &[u8], row: &[u8]| match rows::decode::<LoggedDecision>(row) {
            Ok(decision) => {
                let is_wanted = principal.is_none_or(|wanted| decision.principal.as_deref() == Some(wanted));
                found.extend(is_wanted.then_some(decision));
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Err(error);
                ControlFlow::Break(())
            }
        };
        let range = Key::table(TABLE).prefix_range();
        snapshot.scan(&range, Direction::Ascending, &mut visit).map_err(from_store_error)?;
        failed.map(|()| found)
    }

    /// Removes all logged decisions.
    pub fn clear_decisions(&self) -> Result<()> {
        let cleared = self.0.store.transact(|txn| {
            let rows = txn.range(&Key::table(TABLE).prefix_range(), Direction::Ascending, usize::MAX)?;
            rows.iter().try_for_each(|row| txn.delete(row.key()))
        });
        cleared.wait().map_err(from_store_error)
    }

    /// Writes decisions to the log, in a transaction of their own.
    pub(crate) async fn log_decisions(&self, decisions: Vec<LoggedDecision>) -> Result<()> {
        if decisions.is_empty() {
            return Ok(());
        }
        let row = |decision: &LoggedDecision| (decision.new_key(&self.0.ids), rows::encode(decision));
        let rows: Vec<_> = decisions.iter().map(row).collect();
        let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
            rows.iter().try_for_each(|(key, row)| txn.put(key.as_bytes(), row))
        });
        written.await.map_err(from_store_error)
    }
}

/// Returns the resource as people write it in policies: a log group with all its streams ends with `:*`.
fn to_pattern(resource: &str) -> String {
    match resource.strip_suffix(":log-stream:") {
        Some(group) => format!("{group}:*"),
        None => resource.to_owned(),
    }
}

/// Makes the smallest policy that allows the requests in `decisions`, without wildcards: actions on the same resources are
/// in one statement.
pub fn smallest_policy<'d>(decisions: impl IntoIterator<Item = &'d LoggedDecision>) -> Value {
    let mut by_action: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for decision in decisions {
        if let (Some(action), Some(resource)) = (&decision.action, &decision.resource) {
            by_action.entry(action).or_default().insert(to_pattern(resource));
        }
    }
    let mut by_resources: BTreeMap<BTreeSet<String>, Vec<&str>> = BTreeMap::new();
    for (action, mut resources) in by_action {
        if resources.contains("*") {
            resources = BTreeSet::from(["*".to_owned()]);
        }
        by_resources.entry(resources).or_default().push(action);
    }
    let mut statements: Vec<_> = by_resources.into_iter().collect();
    statements.sort_by(|one, other| one.1.cmp(&other.1));
    let one_or_list = |items: Vec<&str>| match items[..] {
        [one] => Value::from(one),
        _ => Value::List(items.into_iter().map(Value::from).collect()),
    };
    let object = |fields: Vec<(&str, Value)>| {
        Value::Map(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
    };
    let statements = statements.into_iter().map(|(resources, actions)| {
        object(vec![
            ("Effect", "Allow".into()),
            ("Action", one_or_list(actions)),
            ("Resource", one_or_list(resources.iter().map(String::as_str).collect())),
        ])
    });
    object(vec![("Version", "2012-10-17".into()), ("Statement", Value::List(statements.collect()))])
}
