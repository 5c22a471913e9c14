//! The log of decisions, and policies made from it.

use crate::{
    AccessRequest, Decision, Kernel, Key, Scope, Tx, from_store_error, rows, transport::Refusal, tx::Backing,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use nephos_core::{Arn, DEFAULT_ACCOUNT, Error, Ids, Record, Result, SignedDuration, Text, Timestamp, Value};
use nephos_store::{Direction, KeyRange, Txn, View};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

/// Table of the log. It is not part of the state of the services.
pub(crate) const TABLE: &str = "access-log";

/// Maximum number of decisions in the log.
const MAX_DECISIONS: u64 = 10_000;

/// Age at which a decision is removed from the log.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Key of the row with the number of decisions in the log.
fn count_key() -> Key {
    Key::table(TABLE).text("count")
}

/// True for the key of the row with the number of decisions.
fn is_count(key: &[u8]) -> bool {
    key == count_key().as_bytes()
}

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
            reason: Some(decision.to_string().into()),
        }
    }

    /// True for a request of this caller, or of a session of this role.
    fn is_of(&self, principal: &str) -> bool {
        let caller = self.principal.as_deref().unwrap_or_default();
        caller == principal
            || role_of_session(caller).is_some_and(|(account, name)| {
                let [_, "iam", _, of, role] = Arn::parts(principal).unwrap_or_default() else { return false };
                of == account
                    && role.strip_prefix("role/").is_some_and(|path| path.rsplit('/').next() == Some(name))
            })
    }

    /// Creates the key of its row. The random part tells decisions of the same time apart.
    fn new_key(&self, ids: &Ids) -> Key {
        let time = self.time.unwrap_or_default().as_microsecond();
        Key::table(TABLE).number(time).text(&ids.hex(16))
    }
}

impl Tx<'_> {
    /// Writes decisions to the log, and removes the oldest ones beyond its limits.
    pub(crate) fn put_decisions(&mut self, decisions: &[LoggedDecision]) -> Result<()> {
        if decisions.is_empty() {
            return Ok(());
        }
        let all = Key::table(TABLE).prefix_range();
        let mut count = match self.row(&count_key())? {
            Some(row) => row.as_ref().try_into().map_or(0, u64::from_le_bytes),
            None => self.log_rows(&all, usize::MAX)?.len() as u64,
        };
        for decision in decisions {
            self.put_row(&decision.new_key(self.ids), &rows::encode(decision))?;
            count += 1;
        }
        let oldest_kept = self.now().checked_sub(MAX_AGE).unwrap_or(Timestamp::MIN);
        // Two at most for each that is added, so that the log shrinks, and nobody waits for that.
        for (key, row) in self.log_rows(&all, 2 * decisions.len())? {
            let time = rows::decode::<LoggedDecision>(&row)?.time;
            if count > MAX_DECISIONS || time.is_none_or(|time| time < oldest_kept) {
                self.txn()?.delete(&key).map_err(from_store_error)?;
                count -= 1;
            }
        }
        self.put_row(&count_key(), &count.to_le_bytes())
    }

    /// Returns the first rows of the log, at most as many as `limit`.
    fn log_rows(&self, range: &KeyRange, limit: usize) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let limit = limit.saturating_add(1);
        let rows = self.view().range(range, Direction::Ascending, limit).map_err(from_store_error)?;
        let decisions = rows.iter().filter(|row| !is_count(row.key()));
        Ok(decisions.map(|row| (row.key().to_vec(), row.value().to_vec())).collect())
    }
}

/// Returns the account and the name of the role of a session: `arn:aws:sts::123456789012:assumed-role/NAME/SESSION`.
fn role_of_session(arn: &str) -> Option<(&str, &str)> {
    let [_, "sts", _, account, session] = Arn::parts(arn)? else { return None };
    let (name, _) = session.strip_prefix("assumed-role/")?.split_once('/')?;
    Some((account, name))
}

/// A part of the log.
#[derive(Clone, Debug, Default)]
pub struct DecisionPage {
    /// Decisions, in the order of their times.
    pub decisions: Vec<LoggedDecision>,
    /// Position of the next part; none at the end.
    pub next: Option<Text>,
}

impl Kernel {
    /// Returns the logged decisions in the order of their times; with `principal`, only those about requests of this caller, or, if it
    /// is a role, of its sessions. The log has the last 10,000 of the last 30 days.
    pub fn decisions(&self, principal: Option<&str>) -> Result<Vec<LoggedDecision>> {
        self.decision_page(principal, None, usize::MAX).map(|page| page.decisions)
    }

    /// Returns a part of the logged decisions, with at most `limit` of them: the first one, or the one after the position `after`.
    pub fn decision_page(
        &self,
        principal: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<DecisionPage> {
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        let (mut page, mut failed) = (DecisionPage::default(), Ok(()));
        let mut last = None;
        let mut visit = |key: &[u8], row: &[u8]| match rows::decode::<LoggedDecision>(row) {
            _ if is_count(key) => ControlFlow::Continue(()),
            Ok(decision) => {
                if page.decisions.len() >= limit {
                    page.next = last.take();
                    return ControlFlow::Break(());
                }
                last = Some(Text::from(URL_SAFE_NO_PAD.encode(key)));
                let is_wanted = principal.is_none_or(|wanted| decision.is_of(wanted));
                page.decisions.extend(is_wanted.then_some(decision));
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Err(error);
                ControlFlow::Break(())
            }
        };
        let mut range = Key::table(TABLE).prefix_range();
        if let Some(after) = after {
            let unknown = |_| Error::invalid("after", "is not a position in the log");
            range = range.after(&URL_SAFE_NO_PAD.decode(after).map_err(unknown)?, Direction::Ascending);
        }
        snapshot.scan(&range, Direction::Ascending, &mut visit).map_err(from_store_error)?;
        failed.map(|()| page)
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
        let (cloud, ids, now) = (self.0.clone(), self.0.ids.recorded(), self.0.time.now());
        let scope = Scope::new(DEFAULT_ACCOUNT, "");
        let written = self.0.store.transact(move |txn: &mut Txn<'_>| {
            ids.rewind();
            let mut tx = cloud.tx(scope.clone(), Backing::Write(txn), now, &ids);
            tx.put_decisions(&decisions).map_err(Refusal::from)
        });
        written.await.map_err(|refusal: Refusal| refusal.error)
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
