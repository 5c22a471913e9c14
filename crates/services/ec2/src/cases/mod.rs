//! VPCs, subnets, security groups and instances.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "what fails in a case fails it, in its helpers too")]

mod filters;
mod groups;
mod instances;
mod network;
mod paging;
mod rules;
mod states;
mod subnets;
mod tags;
mod trying;
mod vpcs;

use crate::{Instance, IpPermission, IpRange, SecurityGroup, Subnet, Vpc, InstanceCreateCall};
use nephos_cloud::testing::{HOUR, SECOND, ask};
use nephos_core::{Code, Error, Result, Session, Text};

nephos_cloud::world!(crate::EC2);

nephos_cloud::cases! {
    "ec2", World;
    filters {
        a_filter_finds_the_same_wherever_it_is_applied,
        fields_are_looked_at,
        filters_have_rules,
        nested_fields_are_looked_at,
        tags_are_looked_at,
        values_have_wildcards,
    }
    groups {
        a_created_group_is_got_as_it_was_written,
        a_group_that_is_used_stays,
        a_name_is_taken_once_in_a_vpc,
        groups_of_the_default_vpc_have_names,
        names_and_descriptions_have_rules,
        the_default_group_stays,
    }
    instances {
        a_token_runs_instances_once,
        addresses_are_chosen,
        an_instance_is_got_as_it_was_run,
        as_many_are_run_as_there_are_addresses_for,
        instances_know_their_network,
        instances_of_other_subnets,
        parameters_have_rules,
        several_are_run_together,
    }
    network {
        a_changed_default_is_told_as_it_is,
        a_default_subnet_is_made_again,
        a_deleted_network_is_made_again,
        every_account_has_a_network_in_every_region,
        zones_and_regions_are_told,
    }
    paging {
        every_one_is_told_once,
        tokens_are_for_one_account_region_and_query,
    }
    rules {
        a_group_has_60_rules_for_a_direction,
        groups_are_let_in,
        permissions_have_rules,
        protocols_have_names_and_numbers,
        ranges_are_canonical,
        rules_are_added_and_taken_away,
        rules_are_taken_away_by_id,
    }
    states {
        a_terminated_instance_is_told_of_for_an_hour,
        an_instance_runs_and_stops_and_starts,
        states_have_rules,
        what_an_instance_used_is_free_again,
    }
    subnets {
        a_created_subnet_is_got_as_it_was_written,
        a_subnet_that_is_used_stays,
        ranges_have_rules,
        zones_are_named_in_one_way,
    }
    tags {
        models_save_their_tags,
        tags_are_described,
        tags_are_put_and_taken_off,
        tags_have_rules,
    }
    trying {
        what_would_be_done_is_refused_and_not_done,
        what_would_be_refused_is,
    }
    vpcs {
        a_created_vpc_is_got_as_it_was_written,
        a_vpc_that_is_used_stays,
        accounts_and_regions_are_apart,
        ids_have_a_form,
        ranges_have_rules,
    }
    @in_process vpcs {
        a_vpc_can_be_tried,
    }
}

/// Asserts that `call` is refused with this code, about this field if it is about one, and changes nothing at all.
#[track_caller]
fn refused<T: std::fmt::Debug>(
    world: &World,
    code: &'static Code,
    field: &str,
    call: impl FnOnce() -> Result<T>,
) -> Error {
    // What is due would be done before the call, and is not of its doing.
    world.advance(0).unwrap();
    world.refused(code, (!field.is_empty()).then_some(field), call)
}

fn vpc(session: &Session, range: &str) -> Result<Vpc> {
    Vpc::objects(session).create(&Vpc::builder().cidr_block(range).build()?).wait()
}

fn subnet(session: &Session, vpc: &str, range: &str) -> Result<Subnet> {
    Subnet::objects(session).create(&Subnet::builder().vpc_id(vpc).cidr_block(range).build()?).wait()
}

/// A new security group in a VPC; its id.
fn group(session: &Session, vpc: &str, name: &str) -> Result<Text> {
    let group = SecurityGroup::builder().group_name(name).description("d").vpc_id(vpc).build()?;
    Ok(SecurityGroup::objects(session).create(&group).wait()?.group_id().unwrap().into())
}

/// An instance, about to be run in a subnet; in a default one if it is empty.
fn running(session: &Session, subnet: &str) -> InstanceCreateCall {
    let instance = Instance::builder().image_id("ami-12345678").instance_type("t3.micro");
    let instance = if subnet.is_empty() { instance } else { instance.subnet_id(subnet) };
    Instance::objects(session).create(&instance.build().unwrap())
}

fn default_vpc(session: &Session) -> Result<Vpc> {
    let found =
        Vpc::objects(session).list().results().filter(Vpc::FIELDS.is_default.eq(true)).first().wait()?;
    Ok(found.unwrap())
}

/// The default subnets, in order of their zones.
fn default_subnets(session: &Session) -> Result<Vec<Subnet>> {
    let subnets = Subnet::objects(session).list().results().filter(Subnet::FIELDS.default_for_az.eq(true));
    subnets.order_by(Subnet::FIELDS.availability_zone.asc()).all().wait()
}

/// The security group called `default` of a VPC.
fn default_group(session: &Session, vpc: &str) -> Result<SecurityGroup> {
    let groups =
        SecurityGroup::objects(session).list().results().filter(SecurityGroup::FIELDS.vpc_id.eq(vpc));
    Ok(groups.filter(SecurityGroup::FIELDS.group_name.eq("default")).first().wait()?.unwrap())
}

/// TCP on a port, from or to ranges of addresses.
fn tcp(port: i64, ranges: &[&str]) -> IpPermission {
    let ranges: Vec<_> =
        ranges.iter().map(|range| IpRange::builder().cidr_ip(*range).build().unwrap()).collect();
    let permission = IpPermission::builder().ip_protocol("tcp").from_port(port).to_port(port);
    permission.ip_ranges(ranges).build().unwrap()
}

/// The ranges of addresses of permissions, with their protocols and first ports.
fn described(permissions: &[IpPermission]) -> Vec<(String, Option<i64>, Vec<String>)> {
    let ranges = |permission: &IpPermission| {
        let v4 = permission
            .ip_ranges()
            .unwrap_or_default()
            .iter()
            .map(|range| range.cidr_ip().unwrap().to_owned());
        let v6 = permission.ipv6_ranges().unwrap_or_default();
        let v6 = v6.iter().map(|range| range.cidr_ipv6().unwrap().to_owned());
        let groups = permission.user_id_group_pairs().unwrap_or_default();
        let groups = groups.iter().map(|pair| pair.group_id().unwrap().to_owned());
        v4.chain(v6).chain(groups).collect()
    };
    let described = |permission: &IpPermission| {
        (permission.ip_protocol().unwrap().to_owned(), permission.from_port(), ranges(permission))
    };
    permissions.iter().map(described).collect()
}
