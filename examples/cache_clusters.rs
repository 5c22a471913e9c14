//! Caches: a replication group with users, a change that waits for the maintenance window, a snapshot and its copy.
//!
//! `cargo run -p nephos-examples --example cache_clusters`

use nephos::{
    CacheCluster, CacheSnapshot, CacheUser, CacheUserGroup, Clock, Cloud, ReplicationGroup, Result,
    SignedDuration, Timestamp, Transitions,
};

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    // A Thursday. States change after as long as at the provider, on a clock that the program moves.
    let start: Timestamp = "2026-01-01T12:00:00Z".parse().expect("the text is a valid time");
    let clock = Clock::frozen(start);
    let cloud = Cloud::options().clock(clock).transitions(Transitions::Realistic).in_memory();
    let session = cloud.session();
    let (clusters, groups) = (CacheCluster::objects(&session), ReplicationGroup::objects(&session));

    // The user may read keys that start with `app::`. Its password is stored sealed and never returned.
    let user = CacheUser::builder().user_id("app").user_name("app").engine("valkey");
    let user = user.access_string("on ~app::* -@all +@read").build()?;
    CacheUser::objects(&session).create(&user).passwords(["correct-horse-battery"]).wait()?;
    let users = CacheUserGroup::builder().user_group_id("web").engine("valkey").user_ids(["app"]).build()?;
    CacheUserGroup::objects(&session).create(&users).wait()?;
    cloud.clock().advance(SignedDuration::from_mins(1))?;

    let group = ReplicationGroup::builder()
        .replication_group_id("sessions")
        .description("Sessions of the web site")
        .engine("valkey")
        .cache_node_type("cache.t4g.micro")
        .transit_encryption_enabled(true)
        .user_group_ids(["web"])
        .build()?;
    groups.create(&group).num_cache_clusters(2).automatic_failover_enabled(true).wait()?;
    let pages = CacheCluster::builder()
        .cache_cluster_id("pages")
        .engine("memcached")
        .cache_node_type("cache.t4g.micro")
        .num_cache_nodes(2)
        .preferred_maintenance_window("sun:05:00-sun:06:00")
        .build()?;
    clusters.create(&pages).wait()?;
    cloud.clock().advance(SignedDuration::from_mins(6))?;
    let group = groups.get("sessions").wait()?.expect("it was created");
    println!(
        "{} of {}",
        group.status().unwrap_or_default(),
        group.member_clusters().unwrap_or_default().join(", ")
    );
    let members = group.member_cache_clusters().wait()?;
    println!("{} nodes at {}", members.len(), members[0].hostname()?);

    // A third node comes in the maintenance window. Until then, the change is pending.
    let mut pages = clusters.get("pages").wait()?.expect("it was created");
    pages.set_num_cache_nodes(3)?;
    let pages = clusters.update(&pages).wait()?;
    let pending = pages.pending_modified_values().and_then(|pending| pending.num_cache_nodes());
    println!("{:?} nodes, pending: {pending:?}", pages.num_cache_nodes());
    cloud.clock().advance(SignedDuration::from_hours(3 * 24))?;
    let pages = clusters.get("pages").wait()?.expect("it was created");
    println!("{:?} nodes on Sunday", pages.num_cache_nodes());
    assert_eq!(pages.num_cache_nodes(), Some(3));

    // A snapshot outlives its group, and another group starts from it.
    let snapshot =
        CacheSnapshot::builder().snapshot_name("before").replication_group_id("sessions").build()?;
    CacheSnapshot::objects(&session).create(&snapshot).wait()?;
    cloud.clock().advance(SignedDuration::from_mins(2))?;
    let copy = ReplicationGroup::builder().replication_group_id("copy").description("Copy").build()?;
    groups.create(&copy).snapshot_name("before").wait()?;
    cloud.clock().advance(SignedDuration::from_mins(6))?;
    let copy = groups.get("copy").wait()?.expect("it was created");
    println!("copy: {} with {:?}", copy.status().unwrap_or_default(), copy.engine());
    assert_eq!(copy.status(), Some("available"));
    Ok(())
}
