//! What only a cloud in process has: states of instances over time, and models that are carried out whole or not at all.

use nephos_cloud::Transitions;
use nephos_core::{Session, SignedDuration, prelude::*};
use nephos_ec2::{Instance, Subnet};
use nephos_elb::{
    ClassicELB, ConnectionDraining, Health, HealthCheck, Listener, ListenerDescription, SetInstanceHealth,
};
use nephos_elb_cases::Cloud;

const ARN: &str = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/web";

/// A cloud with realistic transitions, a load balancer with checks every 10 seconds, and a running instance.
struct Scene {
    cloud: Cloud,
    session: Session,
    instance: String,
}

impl Scene {
    fn new() -> Self {
        let cloud = Cloud::options()
            .clock(nephos_testing::clock())
            .seed(7)
            .transitions(Transitions::Realistic)
            .in_memory();
        let session = cloud.session();
        let subnets = Subnet::objects(&session).list().results().all().wait().unwrap();
        let in_first_zone = |subnet: &&Subnet| subnet.availability_zone() == Some("us-east-1a");
        let subnet = subnets.iter().find(in_first_zone).unwrap().subnet_id().unwrap();
        let instance =
            Instance::builder().image_id("ami-0123456789abcdef0").subnet_id(subnet).build().unwrap();
        let instance = Instance::objects(&session).create(&instance).wait().unwrap();
        let http =
            Listener::builder().protocol("HTTP").load_balancer_port(80).instance_port(80).build().unwrap();
        let check = HealthCheck::builder().target("TCP:80").interval(10).timeout(5).unhealthy_threshold(2);
        let draining = ConnectionDraining::builder().enabled(true).timeout(60).build().unwrap();
        let web = ClassicELB::builder()
            .load_balancer_name("web")
            .availability_zones(["us-east-1a"])
            .listeners([ListenerDescription::from(http)])
            .health_check(check.healthy_threshold(3).build().unwrap())
            .connection_draining(draining)
            .build()
            .unwrap();
        ClassicELB::objects(&session).create(&web).wait().unwrap();
        cloud.clock().advance(SignedDuration::from_secs(600)).unwrap();
        Self { instance: instance.instance_id().unwrap().to_owned(), cloud, session }
    }

    fn advance(&self, seconds: i64) {
        self.cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
    }

    /// State and description of the instance.
    fn health(&self) -> (String, String) {
        let states = ClassicELB::objects(&self.session).instance_health("web");
        let states = states.instances([self.instance.as_str()]).wait().unwrap();
        (states[0].state().unwrap().to_owned(), states[0].description().unwrap().to_owned())
    }

    fn assert_health(&self, state: &str, description: &str) {
        let (found, why) = self.health();
        assert!(found == state && why.contains(description), "{found}: {why}");
    }
}

#[test]
fn registered_instance_goes_into_service_after_the_healthy_threshold() {
    let scene = Scene::new();
    let balancers = ClassicELB::objects(&scene.session);
    balancers.register_instances("web", [scene.instance.as_str()]).wait().unwrap();
    scene.assert_health("OutOfService", "registration is still in progress");
    scene.advance(29);
    scene.assert_health("OutOfService", "registration is still in progress");
    scene.advance(1);
    scene.assert_health("InService", "N/A");
    scene.cloud.control(SetInstanceHealth::new(ARN, scene.instance.as_str(), Health::Failing)).unwrap();
    scene.advance(19);
    scene.assert_health("InService", "N/A");
    scene.advance(1);
    scene.assert_health("OutOfService", "failed at least the UnhealthyThreshold");
    // A longer check later does not change what was found.
    let check = HealthCheck::builder().target("TCP:80").interval(300).timeout(5).unhealthy_threshold(10);
    balancers.configure_health_check("web", check.healthy_threshold(2).build().unwrap()).wait().unwrap();
    scene.assert_health("OutOfService", "failed at least the UnhealthyThreshold");
    scene.cloud.control(SetInstanceHealth::new(ARN, scene.instance.as_str(), Health::Passing)).unwrap();
    scene.assert_health("OutOfService", "has not passed the configured HealthyThreshold");
    scene.advance(600);
    scene.assert_health("InService", "N/A");
}

#[test]
fn deregistered_instance_finishes_its_requests() {
    let scene = Scene::new();
    let balancers = ClassicELB::objects(&scene.session);
    balancers.register_instances("web", [scene.instance.as_str()]).wait().unwrap();
    scene.advance(60);
    balancers.deregister_instances("web", [scene.instance.as_str()]).wait().unwrap();
    scene.assert_health("InService", "deregistration currently in progress");
    assert_eq!(balancers.instance_health("web").wait().unwrap().len(), 1);
    scene.advance(60);
    scene.assert_health("OutOfService", "not currently registered");
    assert_eq!(balancers.instance_health("web").wait().unwrap().len(), 0);
}

#[test]
fn model_is_created_whole_or_not_at_all() {
    let scene = Scene::new();
    let balancers = ClassicELB::objects(&scene.session);
    let tcp = Listener::builder().protocol("TCP").load_balancer_port(80).instance_port(80).build().unwrap();
    let other = ClassicELB::builder().load_balancer_name("other").availability_zones(["us-east-1a"]);
    let other = other.listeners([ListenerDescription::from(tcp)]).instances(["i-0123456789abcdef0"]);
    // Registration is the last step.
    let error = balancers.create(&other.build().unwrap()).wait().unwrap_err();
    assert_eq!(error.field(), Some("Instances[0].InstanceId"));
    assert_eq!(balancers.get("other").wait().unwrap(), None);
    let mut web = balancers.get("web").wait().unwrap().unwrap();
    web.set_cross_zone_load_balancing(true).unwrap();
    web.set_instances([scene.instance.as_str(), "i-0123456789abcdef0"]).unwrap();
    web.save().wait().unwrap_err();
    assert_eq!(balancers.get("web").wait().unwrap().unwrap().cross_zone_load_balancing(), Some(false));
}
