//! The same calls on an endpoint over the network, signed: a served Nephos, another emulator, or the provider itself.
//!
//! ```sh
//! nephos serve --memory --listen 127.0.0.1:4566 &
//! cargo run -p nephos-examples --example remote_endpoint -- http://127.0.0.1:4566
//! ```

use nephos::{Cloud, ErrorKind, LogGroup, Result, Session, prelude::*};

/// Works on any session: in this process or on an endpoint.
fn ensure_group(session: &Session, name: &str) -> Result<LogGroup> {
    let group = LogGroup::builder().log_group_name(name).retention_in_days(30).build()?;
    match LogGroup::objects(session).create(&group).wait() {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    Ok(LogGroup::objects(session).get(name).wait()?.expect("it was created, now or before"))
}

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let session = match std::env::args().nth(1) {
        Some(endpoint) => {
            Session::remote().endpoint(endpoint).region("us-east-1").keys("test", "test").build()?
        }
        None => Cloud::in_memory().session(),
    };
    println!("{:?}", ensure_group(&session, "/web/api")?.arn()?);
    Ok(())
}
