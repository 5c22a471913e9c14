//! Load balancers as time passes: states that take as long as at the provider.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test, in its helpers too")]

use nephos_cloud::{Transitions, testing};
use nephos_core::{Session, SignedDuration, prelude::*};
use nephos_ec2::{Subnet, Vpc};
use nephos_elbv2::{
    Action, ActionType, Health, Listener, LoadBalancer, Protocol, SetTargetHealth, StateCode,
    TargetDescription, TargetGroup, TargetHealthReason as Reason, TargetHealthState as State, TrustStore,
    TrustStoreStatus, testing::Cloud,
};

/// A cloud in which states take their time, with a target group and a balancer.
struct Scene {
    cloud: Cloud,
    session: Session,
    group: TargetGroup,
    balancer: LoadBalancer,
}

impl Scene {
    fn new(protocol: Protocol) -> Self {
        let cloud =
            Cloud::options().clock(testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory();
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
        let of = if protocol == Protocol::Http { "application" } else { "network" };
        let ids: Vec<_> = subnets.iter().map(|subnet| subnet.subnet_id().unwrap()).collect();
        let mut balancer =
            LoadBalancer::builder().load_balancer_name("web").subnets(ids.as_slice()).build().unwrap();
        balancer.set("Type", of).unwrap();
        let balancer = LoadBalancer::objects(&session).create(&balancer).wait().unwrap().remove(0);
        Self { cloud, session, group, balancer }
    }

    fn listen(&self, protocol: Protocol) -> Listener {
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

    fn pass(&self, seconds: i64) {
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

    /// Makes the checks of a target fail for a reason, or pass.
    fn fail(&self, id: &str, reason: Option<Reason>) {
        let health = if reason.is_some() { Health::Failing } else { Health::Passing };
        let control = SetTargetHealth::new(self.group.require_arn().unwrap(), id, health);
        self.cloud.control(control.reason(reason)).unwrap();
    }

    fn set(&self, key: &str, value: &str) {
        let groups = TargetGroup::objects(&self.session);
        groups.set_attributes(self.group.require_arn().unwrap(), [(key, value)]).wait().unwrap();
    }

    /// How the target is, and why.
    fn health(&self, id: &str) -> (State, Option<Reason>) {
        let groups = TargetGroup::objects(&self.session);
        let told = groups.targets(self.group.require_arn().unwrap()).targets([id]).wait().unwrap().remove(0);
        let health = told.target_health().unwrap();
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
    scene.pass(119);
    assert_eq!(code(), StateCode::Provisioning);
    scene.pass(1);
    assert_eq!(code(), StateCode::Active);
    let reached =
        scene.balancer.wait_until(|balancer| balancer.state().unwrap().code() == Some(&StateCode::Active));
    reached.wait().unwrap();
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
    scene.pass(29);
    let before = scene.cloud.rows().unwrap();
    let error = listen().unwrap_err();
    assert_eq!(
        (error.code(), error.field()),
        ("TrustStoreNotReady", Some("MutualAuthentication.TrustStoreArn"))
    );
    assert_eq!(status(), Some(TrustStoreStatus::Creating));
    assert_eq!(scene.cloud.rows().unwrap(), before);
    scene.pass(1);
    assert_eq!(status(), Some(TrustStoreStatus::Active));
    listen().unwrap();
}

#[test]
fn target_is_healthy_after_healthy_threshold() {
    let scene = Scene::new(Protocol::Http);
    scene.register(A);
    scene.pass(1000);
    assert_eq!(scene.health(A), (State::Unused, Some(Reason::NotInUse)), "checks begin with the listener");
    scene.listen(Protocol::Http);
    assert_eq!(scene.health(A), (State::Initial, Some(Reason::RegistrationInProgress)));
    scene.pass(10);
    assert_eq!(scene.health(A), (State::Initial, Some(Reason::InitialHealthChecking)));
    scene.pass(19);
    assert_eq!(scene.health(A).0, State::Initial);
    scene.pass(1);
    assert_eq!(scene.health(A), HEALTHY);
    scene.register("172.31.0.11");
    scene.pass(29);
    assert_eq!(scene.health("172.31.0.11").0, State::Initial, "each from when it was registered");
    scene.pass(1);
    assert_eq!(scene.health("172.31.0.11"), HEALTHY);
}

#[test]
fn target_is_unhealthy_after_unhealthy_threshold() {
    let scene = Scene::new(Protocol::Http);
    scene.listen(Protocol::Http);
    scene.register(A);
    scene.pass(30);
    scene.fail(A, Some(Reason::Timeout));
    scene.pass(19);
    assert_eq!(scene.health(A), HEALTHY, "one failure is not enough");
    scene.pass(1);
    assert_eq!(scene.health(A), (State::Unhealthy, Some(Reason::Timeout)));
    scene.fail(A, Some(Reason::ResponseCodeMismatch));
    assert_eq!(scene.health(A), (State::Unhealthy, Some(Reason::ResponseCodeMismatch)));
    scene.fail(A, None);
    scene.pass(29);
    assert_eq!(scene.health(A).0, State::Unhealthy);
    scene.pass(1);
    assert_eq!(scene.health(A), HEALTHY);
    // Failures that are not enough leave nothing behind.
    scene.fail(A, Some(Reason::Timeout));
    scene.pass(19);
    scene.fail(A, None);
    scene.pass(1);
    scene.fail(A, Some(Reason::Timeout));
    scene.pass(19);
    assert_eq!(scene.health(A), HEALTHY);
}

#[test]
fn target_failing_from_the_start_is_never_healthy() {
    let scene = Scene::new(Protocol::Http);
    scene.listen(Protocol::Http);
    scene.register(A);
    scene.fail(A, Some(Reason::FailedHealthChecks));
    scene.pass(19);
    assert_eq!(scene.health(A).0, State::Initial);
    scene.pass(1);
    assert_eq!(scene.health(A), (State::Unhealthy, Some(Reason::FailedHealthChecks)));
}

#[test]
fn changed_thresholds_keep_reached_states() {
    let scene = Scene::new(Protocol::Http);
    scene.listen(Protocol::Http);
    scene.register(A);
    scene.pass(30);
    scene.register("172.31.0.11");
    let mut group = TargetGroup::objects(&scene.session).get().name("web").wait().unwrap().unwrap();
    group.set_healthy_threshold_count(10).unwrap();
    group.set_health_check_interval_seconds(60).unwrap();
    group.save().wait().unwrap();
    assert_eq!(scene.health(A), HEALTHY);
    scene.pass(599);
    assert_eq!(scene.health("172.31.0.11").0, State::Initial, "the new ones count from then on");
    scene.pass(1);
    assert_eq!(scene.health("172.31.0.11"), HEALTHY);
}

#[test]
fn health_checks_restart_when_group_is_used_again() {
    let scene = Scene::new(Protocol::Http);
    let listener = scene.listen(Protocol::Http);
    scene.register(A);
    scene.pass(30);
    listener.delete().wait().unwrap();
    assert_eq!(scene.health(A), (State::Unused, Some(Reason::NotInUse)));
    scene.pass(5);
    scene.listen(Protocol::Http);
    assert_eq!(scene.health(A).0, State::Initial);
    scene.pass(30);
    assert_eq!(scene.health(A), HEALTHY);
}

#[test]
fn deregistered_target_is_removed_after_delay() {
    let scene = Scene::new(Protocol::Http);
    scene.listen(Protocol::Http);
    scene.register(A);
    scene.pass(30);
    scene.deregister(A);
    assert_eq!(scene.health(A), (State::Draining, Some(Reason::DeregistrationInProgress)));
    scene.pass(299);
    // To deregister it again does not make it begin anew.
    scene.deregister(A);
    assert_eq!(scene.health(A).0, State::Draining);
    scene.pass(1);
    assert_eq!(scene.health(A), (State::Unused, Some(Reason::NotRegistered)));
    assert!(
        TargetGroup::objects(&scene.session)
            .targets(scene.group.require_arn().unwrap())
            .wait()
            .unwrap()
            .is_empty()
    );

    scene.set("deregistration_delay.timeout_seconds", "20");
    scene.register(A);
    scene.deregister(A);
    scene.pass(10);
    scene.register(A);
    assert_eq!(scene.health(A).0, State::Initial, "it is registered again");
    scene.pass(30);
    assert_eq!(scene.health(A), HEALTHY, "and stays so");
    assert_eq!(scene.cloud.failed_work().unwrap(), []);
}

#[test]
fn unhealthy_target_drains_for_draining_interval() {
    let scene = Scene::new(Protocol::Tcp);
    scene.listen(Protocol::Tcp);
    scene.set("target_health_state.unhealthy.connection_termination.enabled", "false");
    scene.set("target_health_state.unhealthy.draining_interval_seconds", "100");
    scene.register(A);
    scene.pass(30);
    scene.fail(A, Some(Reason::Timeout));
    scene.pass(20);
    assert_eq!(scene.health(A), (State::UnhealthyDraining, Some(Reason::Timeout)));
    // Another reason does not make it begin anew.
    scene.fail(A, Some(Reason::FailedHealthChecks));
    scene.pass(99);
    assert_eq!(scene.health(A).0, State::UnhealthyDraining);
    scene.pass(1);
    assert_eq!(scene.health(A), (State::Unhealthy, Some(Reason::FailedHealthChecks)));
}
