//! Progress bars, where there is a terminal to draw them on.

use crate::edge::Edge;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of `total` steps, or of an unknown number, drawn only on a terminal.
pub(crate) fn bar(edge: &Edge<'_>, total: Option<u64>, what: &'static str) -> ProgressBar {
    let target =
        if edge.terminal.progress { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(total, target);
    let template = match total {
        Some(_) => "{bar:30} {human_pos}/{human_len} {msg} {per_sec} {eta}",
        None => "{spinner} {human_pos} {msg} {per_sec}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.with_message(what)
}
