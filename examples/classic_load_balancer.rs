//! A classic load balancer with an instance that goes into service, fails and recovers as time passes.
//!
//! `cargo run -p nephos-examples --example classic_load_balancer`

use nephos::{
    ClassicELB, Cloud, Instance, Result, SignedDuration, Subnet, Transitions,
    elb::{Health, HealthCheck, Listener, ListenerDescription, SetInstanceHealth},
    prelude::*,
};

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    // States change after as long as at the provider, on a clock that the program moves.
    let cloud = Cloud::options().transitions(Transitions::Realistic).in_memory();
    let session = cloud.session();
    let in_first_zone =
        Subnet::objects(&session).list().results().filter_by([("AvailabilityZone", "us-east-1a")])?;
    let subnet = in_first_zone.first().wait()?.expect("every Region has default subnets");
    let instance =
        Instance::builder().image_id("ami-0123456789abcdef0").subnet_id(subnet.subnet_id()).build()?;
    let instance = Instance::objects(&session).create(&instance).wait()?;
    let instance = instance.instance_id().unwrap_or_default();

    // The whole model is one transaction: listeners, health check, instances and tags.
    let http = Listener::builder().protocol("HTTP").load_balancer_port(80).instance_port(8080).build()?;
    let check = HealthCheck::builder().target("HTTP:8080/ping").interval(10).timeout(5);
    let web = ClassicELB::builder()
        .load_balancer_name("web")
        .availability_zones(["us-east-1a"])
        .listeners([ListenerDescription::from(http)])
        .health_check(check.unhealthy_threshold(2).healthy_threshold(3).build()?)
        .instances([instance])
        .tags([("team", "web")])
        .build()?;
    let web = ClassicELB::objects(&session).create(&web).wait()?;
    println!("{} at {}", web.require_name()?, web.dns_name().unwrap_or_default());

    let show = |when: &str| -> Result<()> {
        for state in web.instance_health().wait()? {
            println!(
                "{when}: {} {}",
                state.state().unwrap_or_default(),
                state.description().unwrap_or_default()
            );
        }
        Ok(())
    };
    show("registered")?;
    cloud.clock().advance(SignedDuration::from_mins(5))?;
    show("five minutes later")?;
    let arn = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/web";
    cloud.control(SetInstanceHealth::new(arn, instance, Health::Failing))?;
    cloud.clock().advance(SignedDuration::from_secs(20))?;
    show("after two failed checks")?;
    Ok(())
}
