//! Colours of the terminal.

use anstyle::{AnsiColor, Style};
use nephos_cloud::Tone;

pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const QUIET: Style = Style::new().dimmed();

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();

/// Styles `text` if `colour` is true.
pub(crate) fn paint(colour: bool, style: Style, text: &str) -> String {
    if colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Returns the style of a tone.
pub(crate) fn style_of(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Quiet => QUIET,
        Tone::Good => GOOD,
        Tone::Bad => BAD,
    }
}
