//! Behaviour cases of event buses, rules, targets, archives and replays.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the case")]

mod access;
mod api_destinations;
mod archives;
mod buses;
mod connections;
mod deliveries;
mod destination_calls;
mod laws;
mod managed;
mod permissions;
mod put_events;
mod replays;
mod rules;
mod tags;
mod target_input;
mod targets;

use nephos_core::{Result, Timestamp};
use nephos_events::{Archive, EventBus, EventRule, EventTarget, PutEventsRequestEntry};

pub use laws::LAWS;

nephos_testing::world!(nephos_events::EVENTS, nephos_secrets::SECRETS);

nephos_testing::cases! {
    "events", World;
    api_destinations {
        connection_and_endpoint_are_checked,
        created_destination_is_returned_by_get_and_list,
        destinations_are_listed_by_prefix_and_connection,
        number_of_destinations_is_limited,
        state_follows_from_the_connection,
        update_changes_what_is_given,
    }
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
    archives {
        archive_has_a_managed_rule,
        archives_are_listed_by_one_filter,
        bus_is_deleted_after_the_rule_of_its_archive,
        created_archive_is_returned_by_get_and_list,
        events_are_removed_when_their_retention_ends,
        matching_events_are_archived,
        settings_of_archives_are_checked,
        update_changes_what_the_model_changed,
    }
    connections {
        authorization_parameters_are_checked,
        connections_are_listed_by_prefix_and_state,
        created_connection_is_returned_by_get_and_list,
        deauthorized_connection_has_no_secret,
        deleted_connection_takes_its_secret_along,
        number_of_connections_is_limited,
        private_endpoints_are_refused,
        secret_values_are_only_in_the_secret,
        token_authorization_takes_time,
        update_keeps_secret_values_that_are_not_given,
    }
    permissions {
        conditions_of_a_policy_hold_for_each_entry,
        conditions_of_a_policy_hold_for_targets,
        invalid_permissions_are_refused,
        policy_is_replaced_as_a_whole,
        statements_are_added_replaced_and_removed,
    }
    replays {
        ended_replay_is_not_cancelled,
        replay_goes_to_the_given_rules,
        replay_sends_events_of_its_time_range_in_order,
        replays_are_checked,
        replays_are_listed_by_one_filter,
    }
    deliveries {
        delivery_to_a_missing_bus_fails_or_is_dead_lettered,
        managed_rules_are_created_replaced_and_removed_by_a_control,
        outbox_is_listed_filtered_and_emptied,
        input_that_is_no_json_is_not_delivered,
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
        type_of_an_event_is_limited,
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
        rules_of_other_accounts_are_denied,
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
        rule_is_deleted_with_its_targets_on_request,
        rules_are_listed_by_target,
        sensitive_texts_are_sealed_and_not_printed,
        dead_letter_queue_is_a_standard_queue,
        parameters_of_services_are_required,
        targets_are_checked,
        targets_are_replaced_by_id,
    }
    @in_process access {
        resources_are_named_by_their_real_arns,
    }
    @in_process connections {
        cloud_without_secrets_has_no_connections,
    }
    @in_process destination_calls {
        calls_beyond_the_rate_wait_for_the_next_second,
        failed_request_is_repeated_by_the_policy,
        later_attempt_that_the_destination_wants_is_respected,
        parameters_take_values_of_the_event,
        refused_authorization_deauthorizes_the_connection,
        request_has_parameters_of_target_and_connection,
        requests_that_cannot_be_sent_stay_in_the_outbox,
        target_needs_a_role,
    }
    @in_process managed {
        managed_rule_is_changed_only_by_force,
    }
}

/// A pattern that matches events of one source.
const PATTERN: &str = r#"{"source": ["shop"]}"#;

/// ARN of a queue, as a target.
const QUEUE: &str = "arn:aws:sqs:us-east-1:123456789012:orders";

/// Returns the ARN of a bus.
fn bus_arn(name: &str) -> String {
    format!("arn:aws:events:us-east-1:123456789012:event-bus/{name}")
}

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

    /// Creates an archive of all events of a bus.
    fn create_archive(&self, name: &str, bus: &str) -> Result<Archive> {
        let archive = Archive::builder().archive_name(name).event_source_arn(bus_arn(bus)).build()?;
        Archive::objects(&self.session()).create(&archive).wait()
    }

    /// Returns the archive `name`, which must exist.
    fn existing_archive(&self, name: &str) -> Result<Archive> {
        Ok(Archive::objects(&self.session()).get(name).wait()?.unwrap())
    }

    /// Sends an event with an empty content to a bus; `time` is its time in milliseconds, now if it is not given.
    fn send_event(&self, bus: &str, source: &str, time: Option<i64>) -> Result<()> {
        let time = Timestamp::from_millisecond(time.unwrap_or_else(|| self.now())).unwrap();
        let event = PutEventsRequestEntry::builder().source(source).detail_type("Order").detail("{}");
        let event = event.time(time).build()?;
        EventBus::objects(&self.session()).put_events(bus, [event]).strict(true).wait().map(drop)
    }

    /// Returns the rule `name` of a bus, which must exist.
    fn existing_rule(&self, bus: &str, name: &str) -> Result<EventRule> {
        Ok(EventRule::objects(&self.session()).get(name).event_bus_name(bus).wait()?.unwrap())
    }
}
