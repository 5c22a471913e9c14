//! Behaviour cases of event buses, rules and targets.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the case")]

mod access;
mod buses;
mod deliveries;
mod managed;
mod permissions;
mod put_events;
mod rules;
mod tags;
mod target_input;
mod targets;

use crate::{EventBus, EventRule, EventTarget};
use nephos_core::Result;

nephos_cloud::world!(crate::EVENTS);

nephos_cloud::cases! {
    "events", World;
    buses {
        bus_is_deleted_only_without_rules,
        bus_names_are_checked,
        created_bus_is_returned_by_get_and_list,
        default_bus_can_be_changed_but_not_deleted,
        default_bus_exists_everywhere,
        listing_is_sorted_paged_and_filtered_by_prefix,
        missing_bus_is_not_found,
        number_of_buses_is_limited,
        update_keeps_what_the_model_did_not_change,
    }
    permissions {
        invalid_permissions_are_refused,
        policy_is_replaced_as_a_whole,
        statements_are_added_replaced_and_removed,
    }
    deliveries {
        delivery_to_a_missing_bus_fails_or_is_dead_lettered,
        managed_rules_are_created_replaced_and_removed_by_a_control,
        outbox_is_listed_filtered_and_emptied,
        target_receives_its_input,
    }
    put_events {
        bus_is_named_by_name_or_arn_and_an_unknown_one_loses_the_event,
        events_of_services_reach_the_default_bus_of_an_account,
        failed_entries_are_returned_and_the_others_are_sent,
        number_and_size_of_entries_are_limited,
        recent_events_are_numbered_filtered_and_limited,
        sent_events_have_an_envelope_and_ids_in_order,
        strict_call_fails_with_the_first_failed_entry,
    }
    rules {
        bus_and_rule_must_exist,
        created_rule_is_returned_by_get_and_list,
        number_of_rules_is_limited,
        pattern_or_schedule_is_required,
        pattern_is_checked,
        patterns_are_tested,
        put_replaces_all_settings,
        rule_is_enabled_and_disabled,
        rules_are_listed_by_bus_and_prefix,
        schedules_are_checked,
        update_changes_rule_and_tags,
    }
    tags {
        invalid_tags_are_refused,
        tags_are_added_and_removed,
    }
    target_input {
        input_is_given_in_one_form,
        input_must_be_json,
        paths_are_checked,
        templates_are_checked,
    }
    targets {
        created_target_is_returned_by_get_and_list,
        every_row_belongs_to_a_listed_table,
        members_of_parameters_are_checked,
        missing_targets_are_returned_as_failed,
        number_of_targets_is_limited,
        parameters_of_tasks_are_checked,
        parameters_of_targets_are_returned,
        rule_is_deleted_only_without_targets,
        rules_are_listed_by_target,
        sensitive_texts_are_sealed_and_not_printed,
        targets_are_checked,
        targets_are_replaced_by_id,
    }
    @in_process access {
        resources_are_named_by_their_real_arns,
    }
    @in_process managed {
        managed_rule_is_changed_only_by_force,
    }
}

/// A pattern that matches events of one source.
const PATTERN: &str = r#"{"source": ["shop"]}"#;

/// ARN of a queue, as a target.
const QUEUE: &str = "arn:aws:sqs:us-east-1:123456789012:orders";

impl World {
    /// Creates a bus.
    fn create_bus(&self, name: &str) -> Result<EventBus> {
        EventBus::objects(&self.session()).create(&EventBus::builder().name(name).build()?).wait()
    }

    /// Returns the bus `name`, which must exist.
    fn existing_bus(&self, name: &str) -> Result<EventBus> {
        Ok(EventBus::objects(&self.session()).get().name(name).wait()?.unwrap())
    }

    /// Creates a rule with a pattern on a bus.
    fn create_rule(&self, bus: &str, name: &str) -> Result<EventRule> {
        let rule = EventRule::builder().name(name).event_bus_name(bus).event_pattern(PATTERN).build()?;
        EventRule::objects(&self.session()).create(&rule).wait()
    }

    /// Creates a target of a rule of the default bus.
    fn create_target(&self, rule: &str, id: &str, arn: &str) -> Result<EventTarget> {
        let target = EventTarget::builder().rule(rule).id(id).arn(arn).build()?;
        EventTarget::objects(&self.session()).create(&target).wait()
    }

    /// Returns the rule `name` of a bus, which must exist.
    fn existing_rule(&self, bus: &str, name: &str) -> Result<EventRule> {
        Ok(EventRule::objects(&self.session()).get(name).event_bus_name(bus).wait()?.unwrap())
    }
}
