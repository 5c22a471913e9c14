//! A PostgreSQL in a scratch folder, and a proxy that cuts connections, for tests.

mod proxy;
mod server;

pub use proxy::Proxy;
pub use server::{Server, is_installed};
