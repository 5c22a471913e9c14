//! Cases: clusters.

use super::{World, services};
use nephos_core::{Result, Tag, Text};
use nephos_ecs::{Cluster, DescribeClusters, ListClusters, errors};
use nephos_testing::ask;

fn create(world: &World, name: &str) -> Result<Cluster> {
    Cluster::objects(&world.session()).create(&Cluster::builder().cluster_name(name).build()?).wait()
}

pub(super) fn cluster_is_created_listed_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let clusters = Cluster::objects(&session);
    let shop = create(world, "shop")?;
    assert_eq!((shop.status(), shop.active_services_count()), (Some("ACTIVE"), Some(0)));
    assert_eq!(create(world, "shop")?, shop, "an existing cluster is returned");
    world.refused(&errors::INVALID, "clusterName", || create(world, "a b"));
    let default = clusters.create(&Cluster::builder().build()?).wait()?;
    assert_eq!(default.cluster_name(), Some("default"));
    let names: Vec<_> = clusters.list().results().all().wait()?;
    assert_eq!(
        names.iter().map(|found| found.cluster_name()).collect::<Vec<_>>(),
        [Some("default"), Some("shop")]
    );
    let described = ask(&session, DescribeClusters::new().clusters(["shop", "none"]))?;
    assert_eq!(described.clusters().unwrap().len(), 1);
    let [failure] = described.failures().unwrap() else { panic!("one failure") };
    assert_eq!(failure.arn(), Some("arn:aws:ecs:us-east-1:123456789012:cluster/none"));
    assert_eq!(failure.reason(), Some("MISSING"));
    let many: Vec<Text> = (0..101).map(|n| format!("c{n}").into()).collect();
    world.refused(&errors::INVALID, "clusters", || {
        ask(&session, DescribeClusters::new().clusters(many.clone()))
    });
    let first = ask(&session, ListClusters::new().max_results(1))?;
    assert!(first.next_token().is_some());
    services::create(world, "web")?;
    world.refused(&errors::CLUSTER_CONTAINS_SERVICES, None, || clusters.delete("default").wait());
    assert_eq!(shop.delete().wait()?.status(), Some("INACTIVE"));
    assert_eq!(clusters.get("shop").wait()?, None);
    world.refused(&errors::CLUSTER_NOT_FOUND, "cluster", || clusters.delete("shop").wait());
    Ok(())
}

pub(super) fn clusters_have_tags(world: &World) -> Result<()> {
    let session = world.session();
    let clusters = Cluster::objects(&session);
    let plan = Cluster::builder().cluster_name("shop").tags(vec![Tag::new("team", "web")]).build()?;
    let shop = clusters.create(&plan).wait()?;
    let arn = shop.cluster_arn().unwrap();
    clusters.tag(arn, vec![Tag::new("stage", "test")]).wait()?;
    clusters.untag(arn, ["team"]).wait()?;
    let tags = clusters.list_tags(arn).wait()?;
    assert_eq!(tags, [Tag::new("stage", "test")]);
    assert_eq!(clusters.get("shop").wait()?.unwrap().tags().unwrap().len(), 1);
    let described = ask(&session, DescribeClusters::new().clusters(["shop"]))?;
    assert_eq!(described.clusters().unwrap()[0].tags(), None, "tags must be asked for");
    Ok(())
}
