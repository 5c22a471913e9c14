//! Behaviour cases: classic load balancers, their listeners, policies, instances, attributes and tags.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the case")]

mod attributes;
mod balancers;
mod instances;
mod laws;
mod listeners;
mod placement;
mod policies;
mod tags;

use nephos_core::{Result, Session, Text};
use nephos_ec2::{Instance, SecurityGroup, Subnet};
use nephos_elb::{ClassicELB, ClassicELBBuilder, ClassicELBManager, Listener, ListenerDescription};

pub use laws::LAWS;

nephos_testing::world!(nephos_elb::ELB, nephos_ec2::EC2);

nephos_testing::cases! {
    "elb", World;
    attributes {
        attributes_have_defaults_and_are_changed_one_by_one,
        health_check_is_validated,
        invalid_attributes_are_refused,
        limits_are_described,
    }
    balancers {
        create_carries_out_the_whole_model,
        create_is_idempotent,
        delete_removes_everything,
        invalid_names_are_refused,
        quota_is_enforced,
        relations_and_filters_find_related_models,
        update_carries_out_the_whole_model,
        update_refuses_what_cannot_be_changed,
    }
    instances {
        deregistered_instances_are_described,
        failing_instance_goes_out_of_service,
        instances_register_and_deregister,
        unknown_instances_are_refused,
    }
    listeners {
        certificates_are_replaced,
        listeners_are_added_and_removed,
        listeners_are_validated,
        secure_listener_has_the_default_policy,
    }
    placement {
        default_security_group_depends_on_the_placement,
        security_groups_are_replaced,
        subnets_are_attached_and_detached,
        subnets_are_replaced_in_the_same_zones,
        zones_are_enabled_and_disabled,
        zones_or_subnets_are_required,
    }
    policies {
        backend_policies_are_set_by_port,
        listener_policies_depend_on_the_protocol,
        policies_are_created_described_and_deleted,
        policy_attributes_are_validated,
        policy_types_are_described,
        predefined_policies_are_described,
    }
    tags {
        tags_are_changed_and_described,
        tags_are_validated,
    }
}

fn balancers(session: &Session) -> ClassicELBManager {
    ClassicELB::objects(session)
}

fn listener(protocol: &str, port: i64, instance_port: i64) -> Listener {
    let listener = Listener::builder().protocol(protocol).load_balancer_port(port);
    listener.instance_port(instance_port).build().unwrap()
}

fn secure_listener(protocol: &str, port: i64) -> Listener {
    let certificate = "arn:aws:acm:us-east-1:123456789012:certificate/one";
    let listener = Listener::builder().protocol(protocol).load_balancer_port(port).instance_port(8443);
    listener.ssl_certificate_id(certificate).build().unwrap()
}

/// Returns the builder of a load balancer in one zone with an HTTP listener on port 80.
fn builder(name: &str) -> ClassicELBBuilder {
    let http = ListenerDescription::from(listener("HTTP", 80, 8080));
    ClassicELB::builder().load_balancer_name(name).availability_zones(["us-east-1a"]).listeners([http])
}

fn create(world: &World, name: &str) -> Result<ClassicELB> {
    balancers(&world.session()).create(&builder(name).build()?).wait()
}

fn get(world: &World, name: &str) -> Result<ClassicELB> {
    Ok(balancers(&world.session()).get(name).wait()?.unwrap())
}

/// Returns the default subnets, in order of their zones.
fn subnets(session: &Session) -> Vec<Text> {
    let mut subnets = Subnet::objects(session).list().results().all().wait().unwrap();
    subnets.sort_by_key(|subnet| subnet.availability_zone().map(str::to_owned));
    subnets.iter().map(|subnet| subnet.subnet_id().unwrap().into()).collect()
}

/// Creates another subnet of the default VPC.
fn create_subnet(session: &Session, zone: &str, block: &str) -> Text {
    let default = Subnet::objects(session).list().results().first().wait().unwrap().unwrap();
    let subnet =
        Subnet::builder().vpc_id(default.vpc_id().unwrap()).cidr_block(block).availability_zone(zone);
    let subnet = Subnet::objects(session).create(&subnet.build().unwrap()).wait().unwrap();
    subnet.subnet_id().unwrap().into()
}

fn create_group(session: &Session, name: &str) -> Text {
    let group = SecurityGroup::builder().group_name(name).description("web").build().unwrap();
    SecurityGroup::objects(session).create(&group).wait().unwrap().group_id().unwrap().into()
}

/// Runs an instance in the subnet of the first zone.
fn run_instance(session: &Session) -> Text {
    let instance =
        Instance::builder().image_id("ami-0123456789abcdef0").subnet_id(subnets(session)[0].as_str());
    let instance = Instance::objects(session).create(&instance.build().unwrap()).wait().unwrap();
    instance.instance_id().unwrap().into()
}
