//! Instances of load balancers and their health.

use super::{World, balancers, create, create_subnet, get, run_instance};
use nephos_core::Result;
use nephos_ec2::{Instance, Vpc};
use nephos_elb::{
    ConnectionDraining, Health, InstanceState, LoadBalancerAttributes, SetInstanceHealth, errors,
};

const ARN: &str = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/web";

fn state(states: &[InstanceState]) -> [Option<&str>; 3] {
    [states[0].state(), states[0].reason_code(), states[0].description()]
}

const IN_SERVICE: [Option<&str>; 3] = [Some("InService"), Some("N/A"), Some("N/A")];

pub(super) fn instances_register_and_deregister(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let (one, two) = (run_instance(&session), run_instance(&session));
    let web = balancers(&session);
    let registered = web.register_instances("web", [two.as_str()]).wait()?;
    assert_eq!(registered.len(), 1);
    web.register_instances("web", [one.as_str(), two.as_str()]).wait()?;
    let states = web.instance_health("web").wait()?;
    let ids: Vec<_> = states.iter().map(|state| state.instance_id().unwrap()).collect();
    assert_eq!(ids, [two.as_str(), one.as_str()], "in order of registration");
    assert_eq!(state(&states), IN_SERVICE);
    let left = web.deregister_instances("web", [two.as_str()]).wait()?;
    assert_eq!(left[0].instance_id(), Some(one.as_str()));
    assert_eq!(get(world, "web")?.instances().unwrap(), left);
    let mut found = get(world, "web")?;
    found.deregister_instances([one.as_str()]).wait()?;
    found.register_instances([two.as_str()]).wait()?;
    found = get(world, "web")?;
    assert_eq!(found.instances().unwrap()[0].instance_id(), Some(two.as_str()));
    Ok(())
}

pub(super) fn unknown_instances_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let web = balancers(&session);
    let field = "Instances[0].InstanceId";
    let error = world.refused(&errors::INVALID_INSTANCE, field, || {
        web.register_instances("web", ["i-0123456789abcdef0"]).wait()
    });
    assert_eq!(error.message(), "Could not find EC2 instance i-0123456789abcdef0.");
    // One that exists, but was never registered.
    let other = run_instance(&session);
    world.refused(&errors::INVALID_INSTANCE, field, || {
        web.deregister_instances("web", [other.as_str()]).wait()
    });
    world.refused(&errors::INVALID_INSTANCE, field, || {
        web.instance_health("web").instances([other.as_str()]).wait()
    });
    let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let subnet =
        nephos_ec2::Subnet::builder().vpc_id(vpc.vpc_id().unwrap()).cidr_block("10.0.0.0/24").build()?;
    let subnet = nephos_ec2::Subnet::objects(&session).create(&subnet).wait()?;
    let elsewhere =
        Instance::builder().image_id("ami-0123456789abcdef0").subnet_id(subnet.subnet_id().unwrap());
    let elsewhere = Instance::objects(&session).create(&elsewhere.build()?).wait()?;
    world.refused(&errors::INVALID_INSTANCE, field, || {
        web.register_instances("web", [elsewhere.instance_id().unwrap()]).wait()
    });
    Ok(())
}

pub(super) fn failing_instance_goes_out_of_service(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let id = run_instance(&session);
    let web = balancers(&session);
    web.register_instances("web", [id.as_str()]).wait()?;
    world.control(SetInstanceHealth::new(ARN, id.as_str(), Health::Failing))?;
    let failed = "Instance has failed at least the UnhealthyThreshold number of health checks consecutively.";
    let health = || web.instance_health("web").wait();
    assert_eq!(state(&health()?), [Some("OutOfService"), Some("Instance"), Some(failed)]);
    world.control(SetInstanceHealth::new(ARN, id.as_str(), Health::Passing))?;
    assert_eq!(state(&health()?), IN_SERVICE);
    let error =
        world.control(SetInstanceHealth::new(ARN, "i-0123456789abcdef0", Health::Failing)).unwrap_err();
    assert_eq!(error.field(), Some("instanceId"));
    let error = world.control(SetInstanceHealth::new("web", id.as_str(), Health::Failing)).unwrap_err();
    assert_eq!(error.field(), Some("loadBalancerArn"));

    // An instance that is stopped, or in a zone that is not enabled.
    let subnet = create_subnet(&session, "us-east-1b", "172.31.48.0/20");
    let other = Instance::builder().image_id("ami-0123456789abcdef0").subnet_id(subnet.as_str()).build()?;
    let other = Instance::objects(&session).create(&other).wait()?;
    web.register_instances("web", [other.instance_id().unwrap()]).wait()?;
    let states = web.instance_health("web").instances([other.instance_id().unwrap()]).wait()?;
    let zone = "Instance is in the EC2 Availability Zone for which LoadBalancer is not configured to route traffic to.";
    assert_eq!(state(&states), [Some("OutOfService"), Some("ELB"), Some(zone)]);
    Instance::objects(&session).stop(id.as_str()).wait()?;
    let stopped = "Instance is in stopped state.";
    assert_eq!(state(&health()?), [Some("OutOfService"), Some("Instance"), Some(stopped)]);
    Ok(())
}

pub(super) fn deregistered_instances_are_described(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let id = run_instance(&session);
    let web = balancers(&session);
    let draining = ConnectionDraining::builder().enabled(true).timeout(60).build()?;
    web.modify_attributes("web", LoadBalancerAttributes::builder().connection_draining(draining).build()?)
        .wait()?;
    web.register_instances("web", [id.as_str()]).wait()?;
    web.deregister_instances("web", [id.as_str()]).wait()?;
    assert_eq!(web.instance_health("web").wait()?, []);
    let states = web.instance_health("web").instances([id.as_str()]).wait()?;
    let text = "Instance is not currently registered with the LoadBalancer.";
    assert_eq!(state(&states), [Some("OutOfService"), Some("Instance"), Some(text)]);
    let before = world.state()?;
    web.deregister_instances("web", [id.as_str()]).wait()?;
    world.assert_unchanged(&before)
}
