//! Async code: calls, relations and result sets are futures and streams of any runtime.
//!
//! `cargo run -p nephos-examples --example streams`

use nephos::{Cloud, LogGroup, Result, Session, prelude::*};

async fn run(session: Session) -> Result<usize> {
    let groups = LogGroup::objects(&session);
    for name in ["/web/api", "/web/front", "/jobs/nightly"] {
        groups.create(&LogGroup::builder().log_group_name(name).build()?).await?;
    }
    // `Results` implements `futures_core::Stream`, so `StreamExt` and `TryStreamExt` work on it; `try_next` is built in.
    let mut web = groups.list().results().filter(LogGroup::FIELDS.log_group_name.starts_with("/web"));
    let mut seen = 0;
    while let Some(group) = web.try_next().await? {
        println!("{}", group.require_name()?);
        seen += 1;
    }
    Ok(seen)
}

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    // Any executor will do: `tokio::main`, `smol::block_on`, or none at all.
    let seen = nephos::wait(run(Cloud::in_memory().session()))?;
    assert_eq!(seen, 2);
    Ok(())
}
