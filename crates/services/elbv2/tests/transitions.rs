//! Realistic transitions: states of load balancers, targets and trust stores over time.

use nephos_cloud::Transitions;
use nephos_core::{Session, SignedDuration, prelude::*};
use nephos_ec2::{Subnet, Vpc};
use nephos_elbv2::{
    Action, ActionType, CapacityReservationStateCode, Health, Listener, LoadBalancer,
    MinimumLoadBalancerCapacity, Protocol, SetTargetHealth, StateCode, TargetDescription, TargetGroup,
    TargetHealthReason as Reason, TargetHealthState as State, TrustStore, TrustStoreStatus,
};
use nephos_elbv2_cases::Cloud;

/// A cloud with realistic transitions, a target group and a load balancer.
struct Scene {
    cloud: Cloud,
    session: Session,
    group: TargetGroup,
    balancer: LoadBalancer,
}

impl Scene {
    fn new(protocol: Protocol) -> Self {
        let cloud = Cloud::options()
            .clock(nephos_testing::clock())
            .seed(7)
            .transitions(Transitions::Realistic)
            .in_memory();
        let session = cloud.session();
        let vpc = Vpc::objects(&session).list().results().first().wait().unwrap().unwrap();
        let subnets = Subnet::objects(&session).list().results().all().wait().unwrap();
        let group = TargetGroup::builder()
            .target_group_name("web")
            .protocol(protocol.clone())
            .port(80)
            .vpc_id(vpc.vpc_id().unwrap())
            .health_check_interval_seconds(10)
            .healthy_threshold_count(3)
            .unhealthy_threshold_count(2)
            .build()
            .unwrap();
        let group = TargetGroup::objects(&session).create(&group, "web").wait().unwrap().remove(0);
        let balancer_type = if protocol == Protocol::Http { "application" } else { "network" };
        let ids: Vec<_> = subnets.iter().map(|subnet| subnet.subnet_id().unwrap()).collect();
        let mut balancer =
            LoadBalancer::builder().load_balancer_name("web").subnets(ids.as_slice()).build().unwrap();
        balancer.set("Type", balancer_type).unwrap();
        let balancer = LoadBalancer::objects(&session).create(&balancer).wait().unwrap().remove(0);
        Self { cloud, session, group, balancer }
    }

    fn create_listener(&self, protocol: Protocol) -> Listener {
        let action =
            Action::builder().r#type(ActionType::Forward).target_group_arn(self.group.require_arn().unwrap());
        let listener = Listener::builder()
            .load_balancer_arn(self.balancer.require_arn().unwrap())
            .port(80)
            .protocol(protocol)
            .default_actions([action.build().unwrap()])
            .build()
            .unwrap();
        Listener::objects(&self.session).create(&listener).wait().unwrap().remove(0)
    }

    fn advance(&self, seconds: i64) {
        self.cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
    }

    fn register(&self, id: &str) {
        let groups = TargetGroup::objects(&self.session);
        groups.register(self.group.require_arn().unwrap(), [TargetDescription::from(id)]).wait().unwrap();
    }

    fn deregister(&self, id: &str) {
        let groups = TargetGroup::objects(&self.session);
        groups.deregister(self.group.require_arn().unwrap(), [TargetDescription::from(id)]).wait().unwrap();
    }

    /// Makes the health checks of a target fail for a reason, or pass.
    fn set_check_outcome(&self, id: &str, reason: Option<Reason>) {
        let health = if reason.is_some() { Health::Failing } else { Health::Passing };
        let control = SetTargetHealth::new(self.group.require_arn().unwrap(), id, health);
        self.cloud.control(control.reason(reason)).unwrap();
    }

    fn set_attribute(&self, key: &str, value: &str) {
        let groups = TargetGroup::objects(&self.session);
        groups.set_attributes(self.group.require_arn().unwrap(), [(key, value)]).wait().unwrap();
    }

    /// Returns the state of a target and its reason.
    fn health(&self, id: &str) -> (State, Option<Reason>) {
        let groups = TargetGroup::objects(&self.session);
        let described =
            groups.targets(self.group.require_arn().unwrap()).targets([id]).wait().unwrap().remove(0);
        let health = described.target_health().unwrap();
        (health.state().unwrap().clone(), health.reason().cloned())
    }
}

const A: &str = "172.31.0.10";

const HEALTHY: (State, Option<Reason>) = (State::Healthy, None);

#[test]
fn load_balancer_is_provisioning_for_two_minutes() {
    let scene = Scene::new(Protocol::Http);
    let code = || {
        let found = LoadBalancer::objects(&scene.session).get().name("web").wait().unwrap().unwrap();
        found.state().unwrap().code().unwrap().clone()
    };
    assert_eq!(code(), StateCode::Provisioning);
    scene.advance(119);
    assert_eq!(code(), StateCode::Provisioning);
    scene.advance(1);
    assert_eq!(code(), StateCode::Active);
    let reached =
        scene.balancer.wait_until(|balancer| balancer.state().unwrap().code() == Some(&StateCode::Active));
    reached.wait().unwrap();
}

#[test]
fn capacity_is_provisioned_after_five_minutes() {
    let scene = Scene::new(Protocol::Http);
    let (balancers, arn) = (LoadBalancer::objects(&scene.session), scene.balancer.require_arn().unwrap());
    let reserve = |units: i64| {
        let capacity = MinimumLoadBalancerCapacity::builder().capacity_units(units).build().unwrap();
        balancers.set_capacity_reservation(arn).minimum_load_balancer_capacity(capacity).wait()
    };
    let code = || {
        let found = balancers.capacity_reservation(arn).wait().unwrap();
        found.capacity_reservation_state().unwrap()[0].state().unwrap().code().unwrap().clone()
    };
    reserve(300).unwrap();
    scene.advance(299);
    assert_eq!(code(), CapacityReservationStateCode::Pending);
    let before = scene.cloud.rows().unwrap();
    let mut fewer_subnets = balancers.get().name("web").wait().unwrap().unwrap();
    fewer_subnets.set_subnets(fewer_subnets.subnets().unwrap()[..2].to_vec()).unwrap();
    let reset = balancers.set_capacity_reservation(arn).reset_capacity_reservation(true);
    for error in [
        reserve(400).unwrap_err(),
        reset.wait().unwrap_err(),
        balancers.update(&fewer_subnets).wait().unwrap_err(),
    ] {
        assert_eq!(error.code(), "CapacityReservationPending");
        assert_eq!(error.message(), "There is a pending capacity reservation.");
    }
    assert_eq!(scene.cloud.rows().unwrap(), before);
    scene.advance(1);
    assert_eq!(code(), CapacityReservationStateCode::Provisioned);
    balancers.update(&fewer_subnets).wait().unwrap();
}

#[test]
fn capacity_can_be_decreased_twice_a_day() {
    let scene = Scene::new(Protocol::Http);
    let (balancers, arn) = (LoadBalancer::objects(&scene.session), scene.balancer.require_arn().unwrap());
    let reserve = |units: i64| {
        let capacity = MinimumLoadBalancerCapacity::builder().capacity_units(units).build().unwrap();
        let reserved =
            balancers.set_capacity_reservation(arn).minimum_load_balancer_capacity(capacity).wait();
        scene.advance(300);
        reserved.map(|reserved| reserved.decrease_requests_remaining().unwrap())
    };
    for (units, remaining) in [(500, 2), (400, 1), (300, 0)] {
        assert_eq!(reserve(units).unwrap(), remaining);
    }
    assert_eq!(reserve(200).unwrap_err().code(), "CapacityDecreaseRequestLimitExceeded");
    scene.advance(24 * 3600 - 900);
    let remaining = || balancers.capacity_reservation(arn).wait().unwrap().decrease_requests_remaining();
    assert_eq!(remaining(), Some(1), "the first decrease is a day ago");
    assert_eq!(reserve(200).unwrap(), 0);
}

#[test]
fn trust_store_cannot_be_used_until_active() {
    let scene = Scene::new(Protocol::Http);
    let stores = TrustStore::objects(&scene.session);
    let store = TrustStore::builder().name("web").ca_certificates_bundle_s3_bucket("trust");
    let store =
        stores.create(&store.ca_certificates_bundle_s3_key("ca.pem").build().unwrap()).wait().unwrap();
    let arn = store[0].require_arn().unwrap();
    let json = format!(
        r#"{{"LoadBalancerArn": "{}", "Port": 443, "Protocol": "HTTPS",
        "Certificates": [{{"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/one"}}],
        "DefaultActions": [{{"Type": "fixed-response", "FixedResponseConfig": {{"StatusCode": "404"}}}}],
        "MutualAuthentication": {{"Mode": "verify", "TrustStoreArn": "{arn}"}}}}"#,
        scene.balancer.require_arn().unwrap()
    );
    let listener = Listener::from_json(&json).unwrap();
    let listen = || Listener::objects(&scene.session).create(&listener).wait();
    let status = || stores.get().name("web").wait().unwrap().unwrap().status().cloned();
    scene.advance(29);
    let before = scene.cloud.rows().unwrap();
    let error = listen().unwrap_err();
    assert_eq!(
        (error.code(), error.field()),
        ("TrustStoreNotReady", Some("MutualAuthentication.TrustStoreArn"))
    );
    assert_eq!(status(), Some(TrustStoreStatus::Creating));
    assert_eq!(scene.cloud.rows().unwrap(), before);
    scene.advance(1);
    assert_eq!(status(), Some(TrustStoreStatus::Active));
    listen().unwrap();
}

#[test]
fn target_is_healthy_after_healthy_threshold() {
    let scene = Scene::new(Protocol::Http);
    scene.register(A);
    scene.advance(1000);
    assert_eq!(
        scene.health(A),
        (State::Unused, Some(Reason::NotInUse)),
        "health checks start with the listener"
    );
    scene.create_listener(Protocol::Http);
    assert_eq!(scene.health(A), (State::Initial, Some(Reason::RegistrationInProgress)));
    scene.advance(10);
    assert_eq!(scene.health(A), (State::Initial, Some(Reason::InitialHealthChecking)));
    scene.advance(19);
    assert_eq!(scene.health(A).0, State::Initial);
    scene.advance(1);
    assert_eq!(scene.health(A), HEALTHY);
    scene.register("172.31.0.11");
    scene.advance(29);
    assert_eq!(scene.health("172.31.0.11").0, State::Initial, "health checks start with the registration");
    scene.advance(1);
    assert_eq!(scene.health("172.31.0.11"), HEALTHY);
}

#[test]
fn target_is_unhealthy_after_unhealthy_threshold() {
    let scene = Scene::new(Protocol::Http);
    scene.create_listener(Protocol::Http);
    scene.register(A);
    scene.advance(30);
    scene.set_check_outcome(A, Some(Reason::Timeout));
    scene.advance(19);
    assert_eq!(scene.health(A), HEALTHY, "one failure does not reach the threshold");
    scene.advance(1);
    assert_eq!(scene.health(A), (State::Unhealthy, Some(Reason::Timeout)));
    scene.set_check_outcome(A, Some(Reason::ResponseCodeMismatch));
    assert_eq!(scene.health(A), (State::Unhealthy, Some(Reason::ResponseCodeMismatch)));
    scene.set_check_outcome(A, None);
    scene.advance(29);
    assert_eq!(scene.health(A).0, State::Unhealthy);
    scene.advance(1);
    assert_eq!(scene.health(A), HEALTHY);
    // Failures below the threshold do not add up.
    scene.set_check_outcome(A, Some(Reason::Timeout));
    scene.advance(19);
    scene.set_check_outcome(A, None);
    scene.advance(1);
    scene.set_check_outcome(A, Some(Reason::Timeout));
    scene.advance(19);
    assert_eq!(scene.health(A), HEALTHY);
}

#[test]
fn target_failing_from_the_start_is_never_healthy() {
    let scene = Scene::new(Protocol::Http);
    scene.create_listener(Protocol::Http);
    scene.register(A);
    scene.set_check_outcome(A, Some(Reason::FailedHealthChecks));
    scene.advance(19);
    assert_eq!(scene.health(A).0, State::Initial);
    scene.advance(1);
    assert_eq!(scene.health(A), (State::Unhealthy, Some(Reason::FailedHealthChecks)));
}

#[test]
fn changed_thresholds_keep_reached_states() {
    let scene = Scene::new(Protocol::Http);
    scene.create_listener(Protocol::Http);
    scene.register(A);
    scene.advance(30);
    scene.register("172.31.0.11");
    let mut group = TargetGroup::objects(&scene.session).get().name("web").wait().unwrap().unwrap();
    group.set_healthy_threshold_count(10).unwrap();
    group.set_health_check_interval_seconds(60).unwrap();
    group.save().wait().unwrap();
    assert_eq!(scene.health(A), HEALTHY);
    scene.advance(599);
    assert_eq!(
        scene.health("172.31.0.11").0,
        State::Initial,
        "the new threshold applies to targets in state initial"
    );
    scene.advance(1);
    assert_eq!(scene.health("172.31.0.11"), HEALTHY);
}

#[test]
fn health_checks_restart_when_group_is_used_again() {
    let scene = Scene::new(Protocol::Http);
    let listener = scene.create_listener(Protocol::Http);
    scene.register(A);
    scene.advance(30);
    listener.delete().wait().unwrap();
    assert_eq!(scene.health(A), (State::Unused, Some(Reason::NotInUse)));
    scene.advance(5);
    scene.create_listener(Protocol::Http);
    assert_eq!(scene.health(A).0, State::Initial);
    scene.advance(30);
    assert_eq!(scene.health(A), HEALTHY);
}

#[test]
fn deregistered_target_is_removed_after_delay() {
    let scene = Scene::new(Protocol::Http);
    scene.create_listener(Protocol::Http);
    scene.register(A);
    scene.advance(30);
    scene.deregister(A);
    assert_eq!(scene.health(A), (State::Draining, Some(Reason::DeregistrationInProgress)));
    scene.advance(299);
    // Deregistering the target again does not restart the delay.
    scene.deregister(A);
    assert_eq!(scene.health(A).0, State::Draining);
    scene.advance(1);
    assert_eq!(scene.health(A), (State::Unused, Some(Reason::NotRegistered)));
    assert!(
        TargetGroup::objects(&scene.session)
            .targets(scene.group.require_arn().unwrap())
            .wait()
            .unwrap()
            .is_empty()
    );

    scene.set_attribute("deregistration_delay.timeout_seconds", "20");
    scene.register(A);
    scene.deregister(A);
    scene.advance(10);
    scene.register(A);
    assert_eq!(scene.health(A).0, State::Initial, "the target is registered again");
    scene.advance(30);
    assert_eq!(scene.health(A), HEALTHY, "the earlier removal does not apply");
    assert_eq!(scene.cloud.failed_work().unwrap(), []);
}

#[test]
fn unhealthy_target_drains_for_draining_interval() {
    let scene = Scene::new(Protocol::Tcp);
    scene.create_listener(Protocol::Tcp);
    scene.set_attribute("target_health_state.unhealthy.connection_termination.enabled", "false");
    scene.set_attribute("target_health_state.unhealthy.draining_interval_seconds", "100");
    scene.register(A);
    scene.advance(30);
    scene.set_check_outcome(A, Some(Reason::Timeout));
    scene.advance(20);
    assert_eq!(scene.health(A), (State::UnhealthyDraining, Some(Reason::Timeout)));
    // Another reason does not restart the interval.
    scene.set_check_outcome(A, Some(Reason::FailedHealthChecks));
    scene.advance(99);
    assert_eq!(scene.health(A).0, State::UnhealthyDraining);
    scene.advance(1);
    assert_eq!(scene.health(A), (State::Unhealthy, Some(Reason::FailedHealthChecks)));
}
