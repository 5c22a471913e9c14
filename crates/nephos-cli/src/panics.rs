//! Messages of panics: one line, and none where nobody reads it.

use crate::{env::Environment, printable::printable_line};
use std::{io::Write as _, panic};

/// Sets the message of panics. A completion prints none, because the shell would show it in the prompt. Panics of the storage
/// engine print none, because they are caught, and become the error that the file is damaged.
pub fn install_panic_hook(env: &Environment<'_>) {
    let is_completion = env.variable("COMPLETE").is_some();
    let print_backtrace = env.variable("RUST_BACKTRACE").is_some_and(|value| value != "0");
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_caught = info.location().is_some_and(|location| location.file().contains("/redb-"));
        if is_completion || is_caught {
            return;
        }
        if print_backtrace {
            return default(info);
        }
        let message = info.payload_as_str().unwrap_or("unknown panic");
        let place = info.location().map(|location| format!(" ({}:{})", location.file(), location.line()));
        let line = format!("{message}{}", place.unwrap_or_default());
        // There is no other place to report a failed write to standard error.
        let _ = writeln!(
            std::io::stderr(),
            "nephos: internal error: {}; with RUST_BACKTRACE=1 it has more details",
            printable_line(&line)
        );
    }));
}
