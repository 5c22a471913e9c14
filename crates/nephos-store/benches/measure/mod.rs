//! Measurement by pairs of short rounds, and the table of results.

use std::{
    fmt, fs, thread,
    time::{Duration, Instant},
};

/// A measured quantity, printed with a suitable unit.
#[derive(Clone, Copy)]
pub(crate) enum Figure {
    Seconds(f64),
    PerSecond(f64),
    Bytes(f64),
    Count(f64),
}

impl Figure {
    fn value(self) -> f64 {
        match self {
            Self::Seconds(value) | Self::PerSecond(value) | Self::Bytes(value) | Self::Count(value) => value,
        }
    }

    fn with(self, value: f64) -> Self {
        match self {
            Self::Seconds(_) => Self::Seconds(value),
            Self::PerSecond(_) => Self::PerSecond(value),
            Self::Bytes(_) => Self::Bytes(value),
            Self::Count(_) => Self::Count(value),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::PerSecond(rate) => write!(f, "{rate:.0}/s"),
            Self::Bytes(bytes) => write!(f, "{bytes:.0} B"),
            Self::Count(count) => write!(f, "{count:.1}"),
            Self::Seconds(time) if time < 1e-6 => write!(f, "{:.0} ns", time * 1e9),
            Self::Seconds(time) if time < 1e-3 => write!(f, "{:.2} us", time * 1e6),
            Self::Seconds(time) if time < 1.0 => write!(f, "{:.2} ms", time * 1e3),
            Self::Seconds(time) => write!(f, "{time:.2} s"),
        }
    }
}

/// Comparison of two measurements: the median of each, and the median of the ratios round by round.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    ours: Figure,
    baseline: Figure,
    ratio: f64,
}

/// Measures `ours` and `baseline` alternately, after one warm-up round of each.
pub(crate) fn pair(
    rounds: usize,
    mut ours: impl FnMut() -> Figure,
    mut baseline: impl FnMut() -> Figure,
) -> Pair {
    let unit = (ours(), baseline());
    let rounds: Vec<(f64, f64)> = (0..rounds).map(|_| (ours().value(), baseline().value())).collect();
    Pair {
        ours: unit.0.with(median(rounds.iter().map(|round| round.0))),
        baseline: unit.1.with(median(rounds.iter().map(|round| round.1))),
        ratio: median(rounds.iter().map(|round| round.0 / round.1)),
    }
}

/// Returns the median of `rounds` measurements, after one warm-up round.
pub(crate) fn alone(rounds: usize, mut measure: impl FnMut() -> Figure) -> Figure {
    let unit = measure();
    unit.with(median((0..rounds).map(|_| measure().value())))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures the wall time of one run of `work`.
pub(crate) fn wall(work: impl FnOnce()) -> Figure {
    let start = Instant::now();
    work();
    Figure::Seconds(start.elapsed().as_secs_f64())
}

/// Measures the average wall time of `times` runs of `work`.
pub(crate) fn wall_each(times: usize, mut work: impl FnMut(usize)) -> Figure {
    let start = Instant::now();
    (0..times).for_each(&mut work);
    Figure::Seconds(start.elapsed().as_secs_f64() / times as f64)
}

/// Measures the average CPU time of this thread in `times` runs of `work`.
pub(crate) fn cpu_each(times: usize, mut work: impl FnMut(usize)) -> Figure {
    let start = thread_cpu();
    (0..times).for_each(&mut work);
    Figure::Seconds((thread_cpu() - start).as_secs_f64() / times as f64)
}

/// Returns the CPU time of this thread.
fn thread_cpu() -> Duration {
    // The kernel updates the value only when it schedules.
    thread::yield_now();
    let text =
        fs::read_to_string("/proc/thread-self/schedstat").expect("Linux reports the CPU time of a thread");
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.expect("the first field is a number of nanoseconds"))
}

/// Target of a measurement.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// At most this many times the baseline.
    RatioAtMost(f64),
    /// At least this many times the baseline.
    RatioAtLeast(f64),
    /// Less than this many seconds.
    Below(f64),
    /// No target: for information.
    Information,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RatioAtMost(max) => write!(f, "<= {max} x"),
            Self::RatioAtLeast(min) => write!(f, ">= {min} x"),
            Self::Below(seconds) => write!(f, "< {}", Figure::Seconds(seconds)),
            Self::Information => f.write_str("-"),
        }
    }
}

/// The table that is printed at the end.
#[derive(Default)]
pub(crate) struct Table(Vec<[String; 6]>);

impl Table {
    /// Adds a comparison with a baseline.
    pub(crate) fn pair(&mut self, name: &str, pair: Pair, target: Target) {
        let ratio = Some(pair.ratio);
        self.row(name, pair.ours, pair.baseline.to_string(), ratio, target);
    }

    /// Adds a measurement without a baseline.
    pub(crate) fn alone(&mut self, name: &str, figure: Figure, target: Target) {
        self.row(name, figure, "-".to_owned(), None, target);
    }

    fn row(&mut self, name: &str, ours: Figure, baseline: String, ratio: Option<f64>, target: Target) {
        let met = match (target, ratio) {
            (Target::RatioAtMost(max), Some(ratio)) => Some(ratio <= max),
            (Target::RatioAtLeast(min), Some(ratio)) => Some(ratio >= min),
            (Target::Below(max), _) => Some(ours.value() < max),
            _ => None,
        };
        let met = met.map_or("-", |met| if met { "yes" } else { "NO" });
        let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let row = [name.to_owned(), ours.to_string(), baseline, ratio, target.to_string(), met.to_owned()];
        // The table is printed at the end; this line shows the progress.
        eprintln!("{}", row.join("; "));
        self.0.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| What | Ours | Baseline | Ratio | Target | Met |")?;
        writeln!(f, "|---|---:|---:|---:|---:|---|")?;
        self.0.iter().try_for_each(|row| writeln!(f, "| {} |", row.join(" | ")))
    }
}
