//! Behaviour cases of VPCs, subnets, security groups and instances.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a panic in a helper fails the case")]

mod attributes;
mod default_network;
mod dry_run;
mod filters;
mod instances;
mod ipv6;
mod launch;
mod laws;
mod network_interfaces;
mod pagination;
mod permissions;
mod security_groups;
mod states;
mod subnets;
mod tags;
mod vpcs;

use nephos_core::{Code, Error, Result, Session, Text};
use nephos_ec2::{Instance, InstanceCreateCall, IpPermission, IpRange, SecurityGroup, Subnet, Vpc};
use nephos_testing::{HOUR, SECOND, ask};

pub use laws::LAWS;

nephos_testing::world!(nephos_ec2::EC2);

nephos_testing::cases! {
    "ec2", World;
    filters {
        predicate_translated_to_a_filter_finds_the_same,
        filters_match_fields,
        invalid_filters_are_refused,
        filters_match_nested_fields,
        filters_match_tags,
        filter_values_match_with_wildcards,
    }
    security_groups {
        created_security_group_can_be_read,
        security_group_in_use_cannot_be_deleted,
        security_group_name_is_unique_in_a_vpc,
        security_groups_of_the_default_vpc_are_found_by_name,
        invalid_names_and_descriptions_are_refused,
        default_security_group_cannot_be_deleted,
    }
    instances {
        repeated_idempotency_token_returns_the_first_instances,
        private_ip_address_can_be_set,
        created_instance_can_be_read,
        number_of_instances_is_limited_by_free_addresses,
        instance_has_relations_to_its_network,
        instance_can_run_in_another_subnet,
        invalid_parameters_of_run_instances_are_refused,
        instances_of_one_call_share_a_reservation,
    }
    launch {
        hibernation_must_be_configured,
        instance_without_options_has_the_defaults,
        invalid_options_are_refused,
        options_of_a_launch_are_described,
        protected_instances_are_not_stopped_or_terminated,
        resources_that_do_not_exist_are_refused,
    }
    attributes {
        attributes_are_those_of_the_launch,
        attributes_can_be_changed,
        attributes_can_be_changed_by_name,
        every_attribute_is_described,
        instance_with_several_interfaces_has_no_network_attributes,
        invalid_changes_of_attributes_are_refused,
        protection_can_be_turned_on_and_off,
        security_groups_of_an_instance_can_be_replaced,
        some_attributes_need_a_stopped_instance,
    }
    network_interfaces {
        instance_can_have_several_network_interfaces,
        invalid_network_interfaces_are_refused,
        network_interfaces_of_a_launch_are_described,
    }
    ipv6 {
        instances_have_ipv6_addresses,
        number_of_vpcs_is_limited,
        options_of_a_vpc_are_described,
        pools_of_addresses_are_refused,
        subnet_can_be_ipv6_only,
        subnet_has_an_ipv6_block_of_its_vpc,
    }
    default_network {
        changed_default_vpc_is_listed_once,
        deleted_default_subnet_can_be_recreated,
        deleted_default_vpc_can_be_recreated,
        every_account_has_a_default_network_in_every_region,
        zones_and_regions_are_described,
    }
    pagination {
        pages_contain_every_item_once,
        pagination_token_is_valid_for_one_account_region_and_query,
    }
    permissions {
        security_group_can_have_60_rules_per_direction,
        rules_can_refer_to_security_groups,
        invalid_permissions_are_refused,
        protocol_numbers_are_converted_to_names,
        cidr_blocks_of_rules_are_normalized,
        rules_are_authorized_and_revoked,
        rules_are_revoked_by_id,
        rules_have_tags,
        single_rules_are_for_inbound_traffic,
        unknown_rules_are_refused_or_returned,
    }
    states {
        terminated_instance_is_listed_for_an_hour,
        instance_stops_and_starts,
        state_change_is_refused_in_a_wrong_state,
        terminated_instance_releases_its_address_and_security_group,
    }
    subnets {
        created_subnet_can_be_read,
        subnet_in_use_cannot_be_deleted,
        invalid_cidr_blocks_are_refused,
        zone_is_set_by_name_or_id,
    }
    tags {
        saving_a_model_updates_its_tags,
        tags_are_described,
        tags_are_created_and_deleted,
        invalid_tags_are_refused,
    }
    dry_run {
        dry_run_of_a_valid_call_changes_nothing,
        dry_run_of_an_invalid_call_is_refused_with_its_error,
    }
    vpcs {
        created_vpc_can_be_read,
        attributes_are_read_and_changed_one_at_a_time,
        vpc_in_use_cannot_be_deleted,
        vpcs_of_other_accounts_and_regions_are_not_found,
        malformed_vpc_ids_are_refused,
        invalid_cidr_blocks_are_refused,
    }
    @in_process vpcs {
        preview_of_create_shows_changes_and_writes_nothing,
    }
}

/// Asserts that `call` is refused with this code and, unless it is empty, this field, and changes no row.
#[track_caller]
fn refused<T: std::fmt::Debug>(
    world: &World,
    code: &'static Code,
    field: &str,
    call: impl FnOnce() -> Result<T>,
) -> Error {
    // Due work would run before the call; its changes are not those of the call.
    world.advance(0).unwrap();
    world.refused(code, (!field.is_empty()).then_some(field), call)
}

/// Creates a VPC.
fn create_vpc(session: &Session, range: &str) -> Result<Vpc> {
    Vpc::objects(session).create(&Vpc::builder().cidr_block(range).build()?).wait()
}

/// Creates a subnet.
fn create_subnet(session: &Session, vpc: &str, range: &str) -> Result<Subnet> {
    Subnet::objects(session).create(&Subnet::builder().vpc_id(vpc).cidr_block(range).build()?).wait()
}

/// Creates a security group in a VPC; returns its ID.
fn create_group(session: &Session, vpc: &str, name: &str) -> Result<Text> {
    let group = SecurityGroup::builder().group_name(name).description("d").vpc_id(vpc).build()?;
    Ok(SecurityGroup::objects(session).create(&group).wait()?.group_id().unwrap().into())
}

/// Returns the call that creates an instance in a subnet; in a default subnet if `subnet` is empty.
fn create_instance(session: &Session, subnet: &str) -> InstanceCreateCall {
    let instance = Instance::builder().image_id("ami-12345678").instance_type("t3.micro");
    let instance = if subnet.is_empty() { instance } else { instance.subnet_id(subnet) };
    Instance::objects(session).create(&instance.build().unwrap())
}

/// Finds the default VPC.
fn default_vpc(session: &Session) -> Result<Vpc> {
    let found =
        Vpc::objects(session).list().results().filter(Vpc::FIELDS.is_default.eq(true)).first().wait()?;
    Ok(found.unwrap())
}

/// Finds the default subnets, in order of their zones.
fn default_subnets(session: &Session) -> Result<Vec<Subnet>> {
    let subnets = Subnet::objects(session).list().results().filter(Subnet::FIELDS.default_for_az.eq(true));
    subnets.order_by(Subnet::FIELDS.availability_zone.asc()).all().wait()
}

/// Finds the default security group of a VPC.
fn default_group(session: &Session, vpc: &str) -> Result<SecurityGroup> {
    let groups =
        SecurityGroup::objects(session).list().results().filter(SecurityGroup::FIELDS.vpc_id.eq(vpc));
    Ok(groups.filter(SecurityGroup::FIELDS.group_name.eq("default")).first().wait()?.unwrap())
}

/// Builds a permission for TCP on a port, for CIDR blocks.
fn tcp(port: i64, ranges: &[&str]) -> IpPermission {
    let ranges: Vec<_> =
        ranges.iter().map(|range| IpRange::builder().cidr_ip(*range).build().unwrap()).collect();
    let permission = IpPermission::builder().ip_protocol("tcp").from_port(port).to_port(port);
    permission.ip_ranges(ranges).build().unwrap()
}

/// Returns the protocol, first port and peers of each permission.
fn summarize(permissions: &[IpPermission]) -> Vec<(String, Option<i64>, Vec<String>)> {
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
    let summary = |permission: &IpPermission| {
        (permission.ip_protocol().unwrap().to_owned(), permission.from_port(), ranges(permission))
    };
    permissions.iter().map(summary).collect()
}
