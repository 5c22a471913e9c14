//! Cases: services.

use super::{World, task_definitions::register};
use nephos_core::{Result, Tag, Text};
use nephos_ecs::{
    Cluster, CreateService, DescribeServices, ListServices, SchedulingStrategy, Service, TaskDefinition,
    UpdateService, errors,
};
use nephos_testing::ask;

/// Creates a service of the default cluster, with two tasks of the family `shop`.
pub(super) fn create(world: &World, name: &str) -> Result<Service> {
    let session = world.session();
    Cluster::objects(&session).create(&Cluster::builder().build()?).wait()?;
    register(world, "shop")?;
    let plan = Service::builder().service_name(name).task_definition("shop").desired_count(2);
    Service::objects(&session).create(&plan.tags(vec![Tag::new("team", "web")]).build()?).wait()
}

pub(super) fn service_is_created_changed_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let services = Service::objects(&session);
    let web = create(world, "web")?;
    assert_eq!(web.service_arn(), Some("arn:aws:ecs:us-east-1:123456789012:service/default/web"));
    assert_eq!(web.cluster_arn(), Some("arn:aws:ecs:us-east-1:123456789012:cluster/default"));
    assert!(web.task_definition().unwrap().ends_with(":task-definition/shop:1"));
    assert_eq!((web.status(), web.desired_count(), web.running_count()), (Some("ACTIVE"), Some(2), Some(0)));
    let clusters = Cluster::objects(&session).get("default").wait()?.unwrap();
    assert_eq!(clusters.active_services_count(), Some(1));
    register(world, "shop")?;
    let changed = ask(&session, UpdateService::new("web").task_definition("shop:2"))?;
    let changed = changed.service().unwrap();
    assert!(changed.task_definition().unwrap().ends_with(":task-definition/shop:2"));
    assert_eq!(changed.desired_count(), Some(2), "what is not given stays");
    let delete = || services.delete("web").wait();
    let error = world.refused(&errors::INVALID, "service", delete);
    assert_eq!(error.wire_message(), "The service cannot be stopped while it is scaled above 0.");
    ask(&session, UpdateService::new("web").desired_count(0))?;
    assert_eq!(delete()?.status(), Some("DRAINING"));
    assert_eq!(services.get("web").wait()?, None);
    world.refused(&errors::SERVICE_NOT_FOUND, "service", || ask(&session, UpdateService::new("web")));
    Ok(())
}

pub(super) fn services_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let new = || CreateService::new("api");
    let refused = |code, field: &str, request: CreateService| {
        world.refused(code, field, || ask(&session, request.clone())).wire_message().to_owned()
    };
    assert_eq!(refused(&errors::CLIENT, "taskDefinition", new()), "Task definition can not be blank.");
    let missing = new().task_definition("none");
    assert_eq!(refused(&errors::CLIENT, "taskDefinition", missing), "TaskDefinition not found.");
    let elsewhere = new().task_definition("shop").cluster("none");
    assert_eq!(refused(&errors::CLUSTER_NOT_FOUND, "cluster", elsewhere), "Cluster not found.");
    let again = CreateService::new("web").task_definition("shop");
    assert_eq!(refused(&errors::INVALID, "serviceName", again), "Creation of service was not idempotent.");
    refused(&errors::INVALID, "serviceName", CreateService::new("a b").task_definition("shop"));
    TaskDefinition::objects(&session).deregister("shop:1").wait()?;
    let inactive = new().task_definition("shop:1");
    assert_eq!(refused(&errors::CLIENT, "taskDefinition", inactive), "TaskDefinition is inactive");
    Ok(())
}

pub(super) fn services_are_described_and_listed(world: &World) -> Result<()> {
    let session = world.session();
    let services = Service::objects(&session);
    for n in 0..12 {
        create(world, &format!("web-{n:02}"))?;
    }
    assert_eq!(services.list().results().all().wait()?.len(), 12);
    let names: Vec<Text> = (0..11).map(|n| format!("web-{n:02}").into()).collect();
    world.refused(&errors::INVALID, "services", || ask(&session, DescribeServices::new(names.clone())));
    let described = ask(&session, DescribeServices::new(["web-00", "none"]))?;
    assert_eq!(described.services().unwrap()[0].tags(), None, "tags must be asked for");
    let [failure] = described.failures().unwrap() else { panic!("one failure") };
    assert_eq!(failure.arn(), Some("arn:aws:ecs:us-east-1:123456789012:service/default/none"));
    assert_eq!(services.get("web-00").wait()?.unwrap().tags().unwrap().len(), 1);
    let daemons = ListServices::new().scheduling_strategy(SchedulingStrategy::Daemon);
    assert_eq!(ask(&session, daemons)?.service_arns().unwrap().len(), 0);
    let other = || ask(&session, ListServices::new().cluster("none"));
    world.refused(&errors::CLUSTER_NOT_FOUND, "cluster", other);
    Ok(())
}
