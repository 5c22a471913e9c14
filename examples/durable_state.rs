//! A cloud in a file: several accounts and Regions, transactions that survive a crash, snapshots.
//!
//! `cargo run -p nephos-examples --example durable_state`

use nephos::{Cloud, LogGroup, Result};

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("nephos-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let (state, snapshot) = (folder.join("state"), folder.join("snapshot"));
    {
        let cloud = Cloud::open(&state)?;
        for (account, region) in [("123456789012", "us-east-1"), ("999999999999", "eu-west-1")] {
            let session = cloud.session().with_account(account).with_region(region);
            let group = LogGroup::builder().log_group_name("/web/api").build()?;
            LogGroup::objects(&session).create(&group).wait()?; // on disk when this returns
        }
        cloud.save_to(&snapshot, |_rows| {})?;
        LogGroup::objects(&cloud.session()).delete("/web/api").wait()?;
    }
    let cloud = Cloud::open(&state)?;
    let groups = |cloud: &Cloud| LogGroup::objects(&cloud.session()).list().results().count().wait();
    println!("{} groups after opening the file again", groups(&cloud)?);
    cloud.restore_from(&snapshot, |_rows| {})?;
    println!("{} group after restoring the snapshot", groups(&cloud)?);
    drop(cloud);
    std::fs::remove_dir_all(&folder).expect("the example's own folder can be removed");
    Ok(())
}
