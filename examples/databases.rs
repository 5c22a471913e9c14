//! Databases: an instance with a managed password, a change that waits for the maintenance window, a snapshot and its copy, a cluster.
//!
//! `cargo run -p nephos-examples --example databases`

use nephos::{
    Clock, Cloud, DBCluster, DBInstance, DBSnapshot, Result, SignedDuration, Timestamp, Transitions,
};

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    // A Thursday. States change after as long as at the provider, on a clock that the program moves.
    let start: Timestamp = "2026-01-01T12:00:00Z".parse().expect("the text is a valid time");
    let clock = Clock::frozen(start);
    let cloud = Cloud::options().clock(clock).transitions(Transitions::Realistic).in_memory();
    let session = cloud.session();
    let (instances, clusters) = (DBInstance::objects(&session), DBCluster::objects(&session));

    // The password of the master user is a secret that the database keeps and rotates.
    let shop = DBInstance::builder()
        .db_instance_identifier("shop")
        .engine("postgres")
        .engine_version("16.3")
        .db_instance_class("db.t4g.micro")
        .allocated_storage(20)
        .master_username("boss")
        .preferred_maintenance_window("sun:05:00-sun:06:00")
        .build()?;
    let shop = instances.create(&shop).manage_master_user_password(true).wait()?;
    println!("shop: {}", shop.db_instance_status().unwrap_or_default());
    cloud.clock().advance(SignedDuration::from_mins(15))?;
    let mut shop = instances.get("shop").wait()?.expect("it was created");
    println!(
        "shop: {} at {}:{}",
        shop.db_instance_status().unwrap_or_default(),
        shop.hostname()?,
        shop.port()?
    );

    // Another class comes in the maintenance window. Until then, the change is pending.
    shop.set_db_instance_class("db.t4g.medium")?;
    let shop = instances.update(&shop).wait()?;
    let pending = shop.pending_modified_values().and_then(|pending| pending.db_instance_class());
    println!("{:?}, pending: {pending:?}", shop.db_instance_class());
    cloud.clock().advance(SignedDuration::from_hours(3 * 24))?;
    let shop = instances.get("shop").wait()?.expect("it was created");
    println!("{:?} on Sunday", shop.db_instance_class());
    assert_eq!(shop.db_instance_class(), Some("db.t4g.medium"));

    // A snapshot, and another instance from it.
    let before =
        DBSnapshot::builder().db_snapshot_identifier("before").db_instance_identifier("shop").build()?;
    DBSnapshot::objects(&session).create(&before).wait()?;
    cloud.clock().advance(SignedDuration::from_mins(10))?;
    instances.restore_from_snapshot("copy").db_snapshot_identifier("before").wait()?;
    cloud.clock().advance(SignedDuration::from_mins(15))?;
    let copy = instances.get("copy").wait()?.expect("it was restored");
    println!("copy: {} with {:?}", copy.db_instance_status().unwrap_or_default(), copy.engine_version());
    assert_eq!(copy.db_instance_status(), Some("available"));

    // A cluster with a writer and a reader.
    let web =
        DBCluster::builder().db_cluster_identifier("web").engine("aurora-mysql").master_username("boss");
    clusters.create(&web.build()?).master_user_password("correct-horse").wait()?;
    let version = clusters.get("web").wait()?.expect("it was created");
    for id in ["web-1", "web-2"] {
        let member = DBInstance::builder().db_instance_identifier(id).engine("aurora-mysql");
        let member = member.engine_version(version.engine_version().unwrap_or_default());
        let member = member.db_instance_class("db.r6g.large").db_cluster_identifier("web").build()?;
        instances.create(&member).wait()?;
    }
    cloud.clock().advance(SignedDuration::from_mins(15))?;
    let web = clusters.get("web").wait()?.expect("it was created");
    let members = web.instances().wait()?;
    println!("web: {} instances behind {}", members.len(), web.endpoint().unwrap_or_default());
    assert_eq!(members.len(), 2);
    Ok(())
}
