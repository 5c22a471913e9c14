//! Behaviour cases: load balancers, listeners, rules, target groups and trust stores.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the case")]

mod actions;
mod attributes;
mod balancers;
mod capacity;
mod certificates;
mod conditions;
mod laws;
mod listeners;
mod quotas;
mod relations;
mod revocations;
mod rules;
mod selectors;
mod tags;
mod target_groups;
mod targets;
mod trust_stores;

use nephos_core::{Resource, Result, Session, Text};
use nephos_ec2::{SecurityGroup, Subnet, Vpc};
use nephos_elbv2::{
    Action, ActionType, Condition, FixedResponseConfig, Listener, ListenerManager, LoadBalancer,
    LoadBalancerManager, Protocol, Rule, RuleManager, TargetGroup, TargetGroupBuilder, TargetGroupManager,
    TargetType, TrustStore,
};
use nephos_testing::{ask, names};

pub use laws::LAWS;

nephos_testing::world!(nephos_elbv2::ELBV2, nephos_ec2::EC2);

nephos_testing::cases! {
    "elbv2", World;
    actions {
        authentication_requires_an_https_listener,
        config_of_another_action_type_is_refused,
        forward_to_weighted_target_groups,
        incompatible_target_group_protocol_is_refused,
        invalid_action_configs_are_refused,
        last_action_must_forward_redirect_or_respond,
        oidc_client_secret_is_not_returned,
        redirect_loop_is_refused,
        several_actions_require_distinct_orders,
        target_group_has_at_most_one_load_balancer,
    }
    attributes {
        account_limits_are_described,
        attributes_have_defaults,
        conflicting_attributes_are_refused,
        invalid_attributes_are_refused,
        ssl_policies_are_described,
        stickiness_depends_on_the_protocol,
    }
    balancers {
        create_load_balancer_is_idempotent,
        create_then_get_returns_load_balancer,
        delete_removes_listeners_rules_tags_and_attributes,
        deletion_protection_prevents_delete,
        gateway_has_no_scheme_and_no_security_groups,
        invalid_load_balancer_names_are_refused,
        list_load_balancers_by_arn_or_name,
        load_balancer_becomes_active,
        load_balancer_has_one_subnet_per_zone,
        only_application_load_balancers_support_local_zones,
        security_groups_must_be_in_the_vpc,
        subnet_addresses_require_a_network_load_balancer,
        subnets_and_security_groups_in_use_cannot_be_deleted,
        update_changes_subnets_security_groups_and_addresses,
    }
    capacity {
        capacity_is_reserved_per_zone,
        capacity_reservations_are_limited,
        pools_are_replaced_and_removed,
    }
    certificates {
        add_and_remove_listener_certificates,
        listener_has_one_default_certificate,
        mutual_authentication_is_validated,
    }
    conditions {
        condition_limits_are_enforced,
        condition_values_are_returned_in_condition_and_config,
        invalid_conditions_are_refused,
        invalid_transforms_are_refused,
    }
    listeners {
        create_then_get_returns_listener,
        duplicate_listener_port_is_refused,
        gateway_listener_has_no_port_and_no_protocol,
        list_listeners_by_load_balancer_or_arn,
        listener_model_saves_and_deletes,
        listener_protocol_must_match_load_balancer_type,
        update_changes_listener_settings_and_protocol,
    }
    quotas {
        load_balancer_quota_per_type,
        rules_per_load_balancer_are_limited,
        target_group_quota_per_protocol,
        unique_target_groups_per_load_balancer_are_limited,
    }
    relations {
        filter_by_field_of_a_relation,
        missing_relations_are_empty,
        relations_return_related_models,
        targets_relation_is_not_cached,
    }
    revocations {
        add_and_remove_revocation_files,
        files_have_locations,
        invalid_revocation_files_are_refused,
        trust_stores_are_not_shared,
    }
    rules {
        create_then_get_returns_rule,
        default_rule_belongs_to_its_listener,
        pagination_returns_each_rule_once,
        rule_model_saves_and_deletes,
        rules_are_listed_in_order_of_priority,
        rules_require_an_application_load_balancer,
        set_rule_priorities_can_swap_priorities,
        update_rule_sends_only_changed_fields,
    }
    selectors {
        empty_lists_select_nothing,
    }
    tags {
        add_and_remove_tags_of_every_kind,
        invalid_tags_are_refused,
        model_from_json_can_be_saved,
        tags_of_listed_models_are_fetched_before_they_change,
    }
    target_groups {
        create_target_group_is_idempotent,
        create_then_get_returns_target_group,
        invalid_health_checks_are_refused,
        invalid_target_group_names_are_refused,
        list_target_groups_by_arn_or_name,
        required_fields_depend_on_target_type,
        target_group_defaults_depend_on_protocol,
        target_group_model_saves_and_deletes,
        update_changes_health_checks_of_target_group,
    }
    targets {
        deregistered_target_is_removed,
        failing_target_becomes_unhealthy,
        function_health_checks_are_optional,
        instance_targets_must_be_running_in_the_vpc,
        ip_targets_must_be_in_the_vpc_or_private,
        load_balancer_as_target,
        registrations_per_target_are_limited,
        target_in_use_becomes_healthy,
        unavailable_target_health_is_an_error,
        unregistered_target_is_described_as_unused,
    }
    trust_stores {
        create_then_get_returns_trust_store,
        invalid_and_duplicate_trust_store_names_are_refused,
        list_trust_stores_by_arn_or_name,
        modify_trust_store_replaces_certificates,
        trust_store_in_use_cannot_be_deleted,
        trust_store_model_saves_and_deletes,
        trust_store_quota_is_enforced,
    }
}

/// The default VPC, with its subnets and security group.
struct Network {
    vpc: Text,
    subnets: Vec<Text>,
    group: Text,
}

fn network(world: &World) -> Network {
    network_of(&world.session())
}

fn network_of(session: &Session) -> Network {
    let vpc = Vpc::objects(session).list().results().first().wait().unwrap().unwrap();
    let mut subnets = Subnet::objects(session).list().results().all().wait().unwrap();
    subnets.sort_by_key(|subnet| subnet.availability_zone().map(str::to_owned));
    let group = SecurityGroup::objects(session).list().results().first().wait().unwrap().unwrap();
    Network {
        vpc: vpc.vpc_id().unwrap().into(),
        subnets: subnets.iter().map(|subnet| subnet.subnet_id().unwrap().into()).collect(),
        group: group.group_id().unwrap().into(),
    }
}

fn groups(session: &Session) -> TargetGroupManager {
    TargetGroup::objects(session)
}

fn balancers(session: &Session) -> LoadBalancerManager {
    LoadBalancer::objects(session)
}

fn listeners(session: &Session) -> ListenerManager {
    Listener::objects(session)
}

fn rules(session: &Session) -> RuleManager {
    Rule::objects(session)
}

/// Returns the builder of an HTTP target group of IP addresses in the VPC.
fn group_builder(net: &Network, name: &str) -> TargetGroupBuilder {
    TargetGroup::builder().target_group_name(name).protocol(Protocol::Http).port(80).vpc_id(net.vpc.as_str())
}

/// Creates a target group.
fn create_group(world: &World, group: &TargetGroup) -> Result<TargetGroup> {
    Ok(groups(&world.session()).create(group, group.require_name()?).wait()?.remove(0))
}

/// Creates an HTTP target group.
fn create_http_group(world: &World, name: &str) -> Result<TargetGroup> {
    create_group(world, &group_builder(&network(world), name).build()?)
}

/// Creates a target group of type function.
fn create_function_group(world: &World, name: &str) -> Result<TargetGroup> {
    create_group(
        world,
        &TargetGroup::builder().target_group_name(name).target_type(TargetType::Function).build()?,
    )
}

/// Creates an application load balancer in two zones.
fn create_balancer(world: &World, name: &str) -> Result<LoadBalancer> {
    let net = network(world);
    let model =
        LoadBalancer::builder().load_balancer_name(name).subnets(net.subnets[..2].to_vec()).build()?;
    Ok(balancers(&world.session()).create(&model).wait()?.remove(0))
}

/// Returns an action that forwards to a target group.
fn forward_to(group: &TargetGroup) -> Action {
    Action::builder()
        .r#type(ActionType::Forward)
        .target_group_arn(group.require_arn().unwrap())
        .build()
        .unwrap()
}

/// Returns an action with a fixed response.
fn fixed_response(code: &str) -> Action {
    let config = FixedResponseConfig::builder().status_code(code).build().unwrap();
    Action::builder().r#type(ActionType::FixedResponse).fixed_response_config(config).build().unwrap()
}

/// Creates an HTTP listener.
fn create_listener(world: &World, balancer: &LoadBalancer, port: i64, action: Action) -> Result<Listener> {
    let model = Listener::builder()
        .load_balancer_arn(balancer.require_arn()?)
        .port(port)
        .protocol(Protocol::Http)
        .default_actions([action])
        .build()?;
    Ok(listeners(&world.session()).create(&model).wait()?.remove(0))
}

/// Creates a trust store.
fn create_trust_store(world: &World, name: &str) -> Result<TrustStore> {
    let model = TrustStore::builder()
        .name(name)
        .ca_certificates_bundle_s3_bucket("trust")
        .ca_certificates_bundle_s3_key("ca.pem")
        .build()?;
    Ok(TrustStore::objects(&world.session()).create(&model).wait()?.remove(0))
}

/// Returns a condition on the path.
fn path_condition(path: &str) -> Condition {
    Condition::builder().field("path-pattern").values([path]).build().unwrap()
}

/// Creates a rule.
fn create_rule(
    world: &World,
    listener: &Listener,
    priority: i64,
    condition: Condition,
    action: Action,
) -> Result<Rule> {
    let model =
        Rule::builder().priority(priority.to_string()).conditions([condition]).actions([action]).build()?;
    Ok(rules(&world.session()).create(&model, listener.require_arn()?).wait()?.remove(0))
}
