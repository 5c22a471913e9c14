//! The `nephos` program.

use nephos_cli::{Environment, System, install_panic_hook, run};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut system = System::new();
    let mut env = Environment::from_system(&mut system);
    install_panic_hook(&env);
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(std::env::args_os(), &mut env)));
    // The panic hook has printed the message.
    ExitCode::from(done.unwrap_or(nephos_cli::exit_code(nephos::ErrorKind::Internal)))
}
