//! Counts of requests and their durations, and the text of them for Prometheus.

use crate::front::Front;
use nephos::{Result, SignedDuration, Text, Timestamp};
use nephos_wire::Route;
use std::{
    collections::{BTreeMap, HashMap},
    fmt::{Display, Write as _},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// Content type of the text.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper ends of the buckets of durations, in microseconds.
const BUCKETS: [i64; 10] = [50, 100, 250, 500, 1000, 2500, 10_000, 50_000, 250_000, 1_000_000];

/// Time without progress after which overdue work stands still.
const STANDSTILL: SignedDuration = SignedDuration::from_mins(1);

/// Counts since the server was started.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// By the address of the shape of the operation; 0 for requests without one.
    operations: RwLock<HashMap<usize, Arc<Counts>>>,
    progress: Mutex<Progress>,
}

/// Counts of an operation.
#[derive(Debug)]
struct Counts {
    service: &'static str,
    operation: &'static str,
    /// Number of requests by duration; the last bucket has those that are longer than all ends.
    buckets: [AtomicU64; BUCKETS.len() + 1],
    /// Sum of the durations in microseconds.
    micros: AtomicU64,
    refusals: Mutex<BTreeMap<Text, u64>>,
}

/// The last progress of background work that was seen.
#[derive(Debug, Default)]
struct Progress {
    done: u64,
    since: Option<Timestamp>,
}

impl Counts {
    fn new(route: Option<Route>) -> Self {
        let (service, operation) = route.map_or(("", ""), |route| (route.service.name, route.operation.name));
        Self {
            service,
            operation,
            buckets: Default::default(),
            micros: AtomicU64::new(0),
            refusals: Mutex::default(),
        }
    }
}

impl Counts {
    fn add(&self, code: Option<&Text>, duration: SignedDuration) {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX).max(0);
        let bucket = BUCKETS.partition_point(|end| *end < micros);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros.unsigned_abs(), Ordering::Relaxed);
        if let Some(code) = code {
            let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
            *refusals.entry(code.clone()).or_default() += 1;
        }
    }
}

impl Metrics {
    /// Counts a request.
    pub(crate) fn count(&self, route: Option<Route>, code: Option<&Text>, duration: SignedDuration) {
        let key = route.map_or(0, |route| std::ptr::from_ref(route.operation).addr());
        if let Some(counts) = self.operations.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return counts.add(code, duration);
        }
        let mut operations = self.operations.write().unwrap_or_else(PoisonError::into_inner);
        operations.entry(key).or_insert_with(|| Arc::new(Counts::new(route))).add(code, duration);
    }

    /// Returns the time since when overdue work makes no progress, if that is long ago.
    pub(crate) fn standstill(
        &self,
        is_overdue: bool,
        done: u64,
        now: impl FnOnce() -> Timestamp,
    ) -> Option<Timestamp> {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_overdue || progress.done != done {
            *progress = Progress { done, since: None };
        }
        if !is_overdue {
            return None;
        }
        let now = now();
        let since = *progress.since.get_or_insert(now);
        (now.duration_since(since) >= STANDSTILL).then_some(since)
    }
}

/// Writes the text of all metrics.
pub(crate) fn write(front: &Front) -> Result<String> {
    let mut text = Writer::default();
    let operations = front.metrics.operations.read().unwrap_or_else(PoisonError::into_inner);
    let mut operations: Vec<_> = operations.values().cloned().collect();
    operations.sort_by_key(|counts| (counts.service, counts.operation));
    text.family("nephos_requests_total", "counter", "Requests by operation and error code.");
    for counts in &operations {
        let all: u64 = counts.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).sum();
        let refusals = counts.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        let labels = |code: &str| {
            [("service", counts.service), ("operation", counts.operation), ("code", code)].map(own)
        };
        text.sample("nephos_requests_total", &labels(""), all.saturating_sub(refusals.values().sum()));
        for (code, count) in &*refusals {
            text.sample("nephos_requests_total", &labels(code), count);
        }
    }
    let family = "nephos_request_duration_seconds";
    text.family(family, "histogram", "Durations of requests by operation.");
    for counts in &operations {
        let labels = [("service", counts.service), ("operation", counts.operation)].map(own);
        let mut sum = 0;
        for (n, bucket) in counts.buckets.iter().enumerate() {
            sum += bucket.load(Ordering::Relaxed);
            let end = BUCKETS.get(n).map_or("+Inf".to_owned(), |end| in_seconds(end.unsigned_abs()));
            let with_end: Vec<_> = labels.iter().cloned().chain([("le", end)]).collect();
            text.sample(&format!("{family}_bucket"), &with_end, sum);
        }
        text.sample(&format!("{family}_sum"), &labels, in_seconds(counts.micros.load(Ordering::Relaxed)));
        text.sample(&format!("{family}_count"), &labels, sum);
    }
    let (background, stats) = (front.cloud.background()?, front.cloud.counters()?);
    let oldest = background.oldest.map_or(0, |time| front.cloud.clock().now().duration_since(time).as_secs());
    let number = |count: usize| count.to_string();
    for (name, kind, help, value) in [
        (
            "nephos_due_work",
            "gauge",
            "Pieces of work that are due and not done.",
            number(background.due_work),
        ),
        (
            "nephos_due_callbacks",
            "gauge",
            "Calls of functions and API destinations that are due and not done.",
            number(background.due_callbacks),
        ),
        (
            "nephos_oldest_due_seconds",
            "gauge",
            "Age of the oldest of them, on the clock of the cloud.",
            oldest.to_string(),
        ),
        (
            "nephos_failed_work",
            "gauge",
            "Pieces of work that failed and are not tried again.",
            number(background.failed),
        ),
        (
            "nephos_done_work_total",
            "counter",
            "Pieces of work and calls that were done.",
            background.done.to_string(),
        ),
        ("nephos_commits_total", "counter", "Commits of the store.", stats.commits.to_string()),
        ("nephos_transactions_total", "counter", "Transactions with writes.", stats.committed.to_string()),
        ("nephos_failed_commits_total", "counter", "Commits that failed.", stats.failed.to_string()),
        (
            "nephos_file_bytes",
            "gauge",
            "Size of the state file; 0 in memory.",
            stats.file_bytes.unwrap_or(0).to_string(),
        ),
        ("nephos_forks", "gauge", "Forks that are kept.", number(front.forks.names(front.now()).len())),
    ] {
        text.family(name, kind, help);
        text.sample(name, &[], value);
    }
    Ok(text.0)
}

fn own<'n>((name, value): (&'n str, &str)) -> (&'n str, String) {
    (name, value.to_owned())
}

/// Writes microseconds as seconds.
fn in_seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Text in the format of Prometheus.
#[derive(Default)]
struct Writer(String);

impl Writer {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.0 += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, String)], value: impl Display) {
        self.0 += name;
        for (n, (label, text)) in labels.iter().enumerate() {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let start = if n == 0 { '{' } else { ',' };
            self.0 += &format!("{start}{label}=\"{escaped}\"");
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        // Writing to a text does not fail.
        let _ = writeln!(self.0, " {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_written_without_needless_zeros() {
        for (micros, text) in
            [(0, "0"), (50, "0.00005"), (250_000, "0.25"), (1_000_000, "1"), (1_500_001, "1.500001")]
        {
            assert_eq!(in_seconds(micros), text);
        }
    }

    #[test]
    fn labels_are_escaped() {
        let mut text = Writer::default();
        text.sample("a", &[("b", "c\"\\\nd".to_owned())], 1);
        assert_eq!(text.0, "a{b=\"c\\\"\\\\\\nd\"} 1\n");
    }

    #[test]
    fn work_stands_still_after_a_minute_without_progress() {
        let (metrics, start) = (Metrics::default(), Timestamp::UNIX_EPOCH);
        let at = |seconds: i64| start + SignedDuration::from_secs(seconds);
        let since =
            |is_overdue: bool, done: u64, seconds: i64| metrics.standstill(is_overdue, done, || at(seconds));
        assert_eq!(since(true, 0, 0), None);
        assert_eq!(since(true, 0, 59), None);
        assert_eq!(since(true, 0, 60), Some(start));
        assert_eq!(since(true, 1, 61), None, "something was done");
        assert_eq!(since(true, 1, 200), Some(at(61)));
        assert_eq!(since(false, 1, 300), None);
        assert_eq!(since(true, 1, 301), None, "it was not overdue before");
    }
}
