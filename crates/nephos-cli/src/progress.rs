//! Progress bars, where there is a terminal to draw them on.

use crate::env::Environment;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of `total` steps, or of an unknown number, drawn only on a terminal. Its message says what is counted.
pub(crate) fn bar(env: &Environment<'_>, total: Option<u64>) -> ProgressBar {
    let target =
        if env.terminal.progress { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(total, target);
    let template = if total.is_some() { "{bar:30} {percent:>3} % {msg}" } else { "{spinner} {msg}" };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Counts so many rows.
pub(crate) fn set_rows(bar: &ProgressBar, rows: u64) {
    bar.set_message(format!("{rows} rows"));
    bar.set_position(rows);
}
