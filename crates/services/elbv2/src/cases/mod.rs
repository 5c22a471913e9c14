//! Load balancers, listeners, rules and target groups.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "what fails in a case fails it, in its helpers too")]

mod actions;
mod attributes;
mod balancers;
mod certificates;
mod conditions;
mod listeners;
mod quotas;
mod relations;
mod rules;
mod tags;
mod target_groups;
mod targets;
mod trust_stores;

use crate::{
    Action, ActionType, Condition, FixedResponseConfig, Listener, ListenerManager, LoadBalancer,
    LoadBalancerManager, Protocol, Rule, RuleManager, TargetGroup, TargetGroupManager, TargetType,
    TrustStore, target_group::TargetGroupBuilder,
};
use nephos_cloud::testing::{ask, names};
use nephos_core::{Resource, Result, Session, Text};
use nephos_ec2::{SecurityGroup, Subnet, Vpc};

nephos_cloud::world!(crate::ELBV2, nephos_ec2::EC2);

nephos_cloud::cases! {
    "elbv2", World;
    actions {
        a_client_is_not_sent_in_a_circle,
        a_group_serves_one_balancer,
        a_secret_is_not_told_again,
        actions_have_their_own_configs,
        actions_of_several_have_an_order,
        one_action_answers_and_does_so_last,
        only_https_listeners_say_who_asks,
        protocols_have_to_go_together,
        requests_are_shared_by_weight,
        values_in_configs_have_rules,
    }
    attributes {
        attributes_go_together,
        attributes_have_defaults,
        attributes_have_rules,
        limits_are_told,
        policies_are_told,
    }
    balancers {
        a_balancer_becomes_active,
        a_balancer_is_changed_where_it_can_be,
        a_balancer_is_found_as_it_was_created,
        a_balancer_is_in_one_subnet_of_a_zone,
        a_balancer_keeps_its_subnets_and_groups,
        a_deleted_balancer_takes_all_with_it,
        a_protected_balancer_stays,
        application_balancers_are_in_local_zones_too,
        addresses_are_for_network_balancers,
        balancers_are_found_in_one_way_at_a_time,
        gateways_are_in_no_group,
        names_of_balancers_have_rules,
        the_same_balancer_again_is_the_same_and_another_is_refused,
    }
    certificates {
        a_listener_has_one_default_certificate,
        certificates_are_added_and_removed,
        clients_may_have_to_show_certificates,
    }
    conditions {
        a_condition_wants_what_its_field_wants,
        conditions_are_told_in_both_places,
        conditions_have_limits,
        transforms_have_rules,
    }
    listeners {
        a_gateway_listens_to_everything,
        a_listener_becomes_another,
        a_listener_is_found_as_it_was_created,
        a_listener_saves_and_deletes_itself,
        a_port_is_listened_at_once,
        listeners_are_found_in_one_way,
        protocols_are_those_of_the_balancer,
    }
    quotas {
        balancers_are_counted_by_type,
        groups_are_counted_by_protocol,
        groups_of_a_balancer_are_counted,
        rules_of_all_listeners_are_counted,
    }
    relations {
        filters_look_through_relations,
        relations_lead_from_one_to_the_other,
        targets_are_looked_up_each_time,
        what_leads_nowhere_is_empty,
    }
    rules {
        a_rule_is_found_as_it_was_created,
        a_rule_is_changed_in_parts,
        a_rule_saves_and_deletes_itself,
        only_application_balancers_have_rules,
        pages_tell_each_rule_once,
        priorities_are_exchanged,
        rules_are_looked_at_in_order,
        the_default_rule_is_the_listeners,
    }
    tags {
        every_kind_has_tags,
        models_read_back_from_json_are_saved,
        tags_of_listed_models_are_fetched_before_they_change,
        tags_have_rules,
    }
    target_groups {
        a_group_is_found_as_it_was_created,
        a_group_saves_and_deletes_itself,
        an_update_of_a_group_changes_its_health_checks,
        groups_are_found_in_one_way_at_a_time,
        health_checks_have_rules,
        names_of_groups_have_rules,
        the_same_group_again_is_the_same_and_another_is_refused,
        what_a_group_needs_depends_on_its_targets,
        what_is_not_said_of_a_group_has_defaults,
    }
    targets {
        a_balancer_is_a_target,
        a_failing_target_becomes_unhealthy,
        a_function_is_checked_if_that_is_wanted,
        a_target_in_use_becomes_healthy,
        a_target_is_deregistered,
        a_target_whose_health_nobody_can_tell,
        addresses_are_those_of_the_network,
        instances_are_those_of_the_network,
        strangers_are_told_so,
        targets_are_registered_so_often_at_most,
    }
    trust_stores {
        a_store_has_other_certificates_afterwards,
        a_store_is_found_as_it_was_created,
        a_store_saves_and_deletes_itself,
        a_store_stays_while_a_listener_verifies_against_it,
        names_of_stores_are_had_once,
        stores_are_found_in_one_way_at_a_time,
        there_are_twenty_stores_at_most,
    }
}

/// The default network.
struct Net {
    vpc: Text,
    subnets: Vec<Text>,
    group: Text,
}

fn network(world: &World) -> Net {
    network_of(&world.session())
}

fn network_of(session: &Session) -> Net {
    let vpc = Vpc::objects(session).list().results().first().wait().unwrap().unwrap();
    let mut subnets = Subnet::objects(session).list().results().all().wait().unwrap();
    subnets.sort_by_key(|subnet| subnet.availability_zone().map(str::to_owned));
    let group = SecurityGroup::objects(session).list().results().first().wait().unwrap().unwrap();
    Net {
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

/// A target group of addresses of the default network.
fn target_group(net: &Net, name: &str) -> TargetGroupBuilder {
    TargetGroup::builder().target_group_name(name).protocol(Protocol::Http).port(80).vpc_id(net.vpc.as_str())
}

/// Creates a target group.
fn group(world: &World, group: &TargetGroup) -> Result<TargetGroup> {
    Ok(groups(&world.session()).create(group, group.require_name()?).wait()?.remove(0))
}

/// Creates a target group that speaks HTTP.
fn http(world: &World, name: &str) -> Result<TargetGroup> {
    group(world, &target_group(&network(world), name).build()?)
}

/// Creates a target group for a function.
fn function(world: &World, name: &str) -> Result<TargetGroup> {
    group(world, &TargetGroup::builder().target_group_name(name).target_type(TargetType::Function).build()?)
}

/// Creates an application balancer in two zones.
fn balancer(world: &World, name: &str) -> Result<LoadBalancer> {
    let net = network(world);
    let model =
        LoadBalancer::builder().load_balancer_name(name).subnets(net.subnets[..2].to_vec()).build()?;
    Ok(balancers(&world.session()).create(&model).wait()?.remove(0))
}

/// An action that hands on to a target group.
fn forward(group: &TargetGroup) -> Action {
    Action::builder()
        .r#type(ActionType::Forward)
        .target_group_arn(group.require_arn().unwrap())
        .build()
        .unwrap()
}

/// An action that answers by itself.
fn fixed(code: &str) -> Action {
    let config = FixedResponseConfig::builder().status_code(code).build().unwrap();
    Action::builder().r#type(ActionType::FixedResponse).fixed_response_config(config).build().unwrap()
}

/// Creates an HTTP listener.
fn listener(world: &World, of: &LoadBalancer, port: i64, action: Action) -> Result<Listener> {
    let model = Listener::builder()
        .load_balancer_arn(of.require_arn()?)
        .port(port)
        .protocol(Protocol::Http)
        .default_actions([action])
        .build()?;
    Ok(listeners(&world.session()).create(&model).wait()?.remove(0))
}

/// Creates a trust store.
fn trust_store(world: &World, name: &str) -> Result<TrustStore> {
    let model = TrustStore::builder()
        .name(name)
        .ca_certificates_bundle_s3_bucket("trust")
        .ca_certificates_bundle_s3_key("ca.pem")
        .build()?;
    Ok(TrustStore::objects(&world.session()).create(&model).wait()?.remove(0))
}

/// A condition on paths.
fn path(path: &str) -> Condition {
    Condition::builder().field("path-pattern").values([path]).build().unwrap()
}

/// Creates a rule.
fn rule(world: &World, of: &Listener, priority: i64, condition: Condition, action: Action) -> Result<Rule> {
    let model =
        Rule::builder().priority(priority.to_string()).conditions([condition]).actions([action]).build()?;
    Ok(rules(&world.session()).create(&model, of.require_arn()?).wait()?.remove(0))
}
