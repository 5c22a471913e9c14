//! Testing: one prepared cloud, a fork per test, a frozen clock that the test moves.
//!
//! `cargo run -p nephos-examples --example forks_and_time`

use nephos::{Clock, Cloud, LogGroup, Result, Secret, SignedDuration, Timestamp, Transitions};

/// The cloud that every test starts from: prepared once, then forked.
fn fixture() -> Result<Cloud> {
    let start: Timestamp = "2026-01-31T12:00:00Z".parse().expect("the text is a valid time");
    let cloud =
        Cloud::options().clock(Clock::frozen(start)).seed(7).transitions(Transitions::Realistic).in_memory();
    let secret = Secret::builder().name("prod/db").build()?;
    Secret::objects(&cloud.session()).create(&secret).secret_string("hunter2").wait()?;
    Ok(cloud)
}

fn deletes_the_secret(cloud: &Cloud) -> Result<()> {
    let secrets = Secret::objects(&cloud.session());
    secrets.delete("prod/db").recovery_window_in_days(7).wait()?;
    cloud.clock().advance(SignedDuration::from_hours(7 * 24 + 1))?;
    assert!(secrets.get("prod/db").wait()?.is_none());
    Ok(())
}

fn still_has_the_secret(cloud: &Cloud) -> Result<()> {
    assert!(Secret::objects(&cloud.session()).get("prod/db").wait()?.is_some());
    assert_eq!(cloud.clock().now().to_string(), "2026-01-31T12:00:00Z");
    Ok(())
}

fn previews_a_change(cloud: &Cloud) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/web/api").build()?;
    let preview = LogGroup::objects(&cloud.session()).create(&group).preview().wait()?;
    assert!(!preview.changes.is_empty());
    assert!(!LogGroup::objects(&cloud.session()).list().results().exists().wait()?);
    Ok(())
}

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let base = fixture()?;
    // A fork costs microseconds and shares nothing that changes: state, clock, due work.
    for (name, test) in [
        ("deletes_the_secret", deletes_the_secret as fn(&Cloud) -> Result<()>),
        ("still_has_the_secret", still_has_the_secret),
        ("previews_a_change", previews_a_change),
    ] {
        test(&base.fork()?)?;
        println!("{name}: ok");
    }
    Ok(())
}
