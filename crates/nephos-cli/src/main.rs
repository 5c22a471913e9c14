//! The `nephos` program.

use nephos_cli::{Environment, System, run};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut system = System::new();
    ExitCode::from(run(std::env::args_os(), &mut Environment::from_system(&mut system)))
}
