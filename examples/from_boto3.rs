//! A boto3 script and the same program here, part by part.
//!
//! `cargo run -p nephos-examples --example from_boto3`

use nephos::{Cloud, ErrorKind, LogGroup, Result, Secret, prelude::*};

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    // logs = boto3.client("logs", region_name="us-east-1")
    let session = Cloud::in_memory().session();
    let groups = LogGroup::objects(&session);

    // try:
    //     logs.create_log_group(logGroupName="/web/api", tags={"team": "web"})
    // except logs.exceptions.ResourceAlreadyExistsException:
    //     pass
    let group = LogGroup::builder().log_group_name("/web/api").build()?;
    match groups.create(&group).tags([("team", "web")]).wait() {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        created => created?,
    }

    // logs.put_retention_policy(logGroupName="/web/api", retentionInDays=30)
    let mut group = groups.get("/web/api").wait()?.expect("it was created above");
    group.set_retention_in_days(30)?;
    group.save().wait()?;

    // for page in logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix="/web"):
    //     for group in page["logGroups"]:
    //         if group.get("retentionInDays", 0) >= 30:
    //             print(group["logGroupName"])
    let kept_long = groups.list().log_group_name_prefix("/web").results();
    for group in kept_long.filter(LogGroup::FIELDS.retention_in_days.ge(30)).iter() {
        println!("{}", group?.require_name()?);
    }

    // secrets = boto3.client("secretsmanager")
    // secrets.create_secret(Name="db", SecretString="hunter2")
    // print(secrets.get_secret_value(SecretId="db")["SecretString"])
    let secret = Secret::builder().name("db").build()?;
    Secret::objects(&session).create(&secret).secret_string("hunter2").wait()?;
    let value = Secret::objects(&session).get_value("db").wait()?;
    println!("{} characters", value.secret_string().map_or(0, |text| text.expose().len()));

    // logs.delete_log_group(logGroupName="/web/api")
    groups.delete("/web/api").wait()?;
    Ok(())
}
