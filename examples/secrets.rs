//! Secrets: versions and labels, hidden values, deletion with a recovery window.
//!
//! `cargo run -p nephos-examples --example secrets`

use nephos::{Cloud, ErrorKind, Result, Secret, SignedDuration, prelude::*};

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let secrets = Secret::objects(&session);

    let secret = Secret::builder()
        .name("prod/db")
        .description("Password of the database")
        .tags([("team", "web")])
        .build()?;
    let secret = secrets.create(&secret).secret_string("hunter2").wait()?;
    secrets.set_value("prod/db").secret_string("correct horse").wait()?;

    let value = secrets.get_value("prod/db").wait()?;
    println!("{value:?}"); // the value is not in any printed form …
    let text = value.secret_string().map(|text| text.expose().len()); // … it has to be exposed by name
    println!("{text:?} characters");
    let previous = secrets.get_value("prod/db").version_stage("AWSPREVIOUS").wait()?;
    assert_eq!(previous.secret_string().map(|text| text.expose()), Some("hunter2"));

    secrets.delete(secret.require_arn()?).recovery_window_in_days(7).wait()?;
    let refused = secrets.get_value("prod/db").wait().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InState);
    println!("{refused}");
    secrets.restore("prod/db").wait()?;

    secrets.delete("prod/db").recovery_window_in_days(7).wait()?;
    cloud.clock().advance(SignedDuration::from_hours(8 * 24))?;
    assert!(secrets.get("prod/db").wait()?.is_none());
    println!("purged after the recovery window");
    Ok(())
}
