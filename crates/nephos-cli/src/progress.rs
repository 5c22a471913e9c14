//! Progress bars on a terminal.

use crate::env::Environment;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Returns a progress bar of `total` steps, or a spinner if the total is unknown. Draws on a terminal only.
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

/// Sets the number of rows that are shown.
pub(crate) fn set_rows(bar: &ProgressBar, rows: u64) {
    bar.set_message(format!("{rows} rows"));
    bar.set_position(rows);
}
