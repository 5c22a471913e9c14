//! Behaviour cases of log groups, streams, events and filters.

#![deny(dead_code, reason = "a case that is not listed is not run")]

mod destination;
mod encryption;
mod fields;
mod laws;
mod linked;
mod listing;
mod log_event;
mod log_group;
mod log_stream;
mod metric_filter;
mod missing;
mod pagination;
mod protection;
mod resource_policy;
mod retention;
mod saving;
mod searching;
mod subscription_filter;
mod tags;
mod updating;

use nephos_core::{Error, Resource, Result};
use nephos_logs::{InputLogEvent, LogEvent, LogGroup, LogStream, PutEventsResult, errors};
use nephos_testing::{DAY, HOUR, MINUTE, OTHER_ACCOUNT, SECOND, THIRD_ACCOUNT, ask, names};
use std::fmt;

pub use laws::LAWS;

nephos_testing::world!(nephos_logs::LOGS);

nephos_testing::cases! {
    "logs", World;
    destination {
        access_policy_decides_for_other_accounts,
        destination_create_update_and_delete,
        destination_tags_are_changed_by_arn,
        get_returns_a_destination_as_created,
        invalid_access_policies_are_rejected,
        invalid_destinations_are_rejected,
        list_returns_destinations_in_ascii_order,
        organization_policy_requires_force_update,
        put_destination_keeps_the_access_policy,
    }
    encryption {
        marked_messages_are_returned_as_written,
        messages_are_found_and_counted_as_written,
    }
    fields {
        field_discovery_covers_8_minutes_around_a_time,
        field_discovery_covers_the_last_15_minutes_by_default,
        fields_are_sorted_by_percentage,
        get_fields_requires_either_name_or_identifier,
        nested_json_values_are_fields,
        plain_text_events_have_only_generated_fields,
    }
    linked {
        account_identifiers_must_be_linked_accounts,
        describe_log_groups_finds_linked_groups_by_arn,
        duplicate_account_identifiers_are_searched_once,
        get_finds_a_group_of_a_linked_account_by_arn,
        invalid_account_links_are_rejected,
        list_includes_linked_accounts_only_on_request,
        list_log_groups_finds_groups_of_linked_accounts,
    }
    listing {
        filters_return_the_same_groups_in_service_and_client,
        invalid_list_parameters_are_rejected,
        list_by_pattern_returns_all_fields,
        list_filters_groups_by_class,
        list_filters_groups_by_prefix_and_pattern,
        list_finds_groups_by_identifier,
        list_log_groups_finds_groups_by_class_and_tags,
        list_log_groups_finds_groups_by_patterns,
        list_returns_groups_in_ascii_order,
        mutually_exclusive_list_parameters_are_rejected,
    }
    log_event {
        batch_out_of_chronological_order_is_rejected,
        batch_over_10000_events_is_rejected,
        batch_over_1_mib_is_rejected,
        batch_over_24_hours_is_rejected,
        batch_with_only_rejected_events_changes_nothing,
        duplicate_events_are_stored_twice,
        entity_is_kept_with_the_stream,
        event_without_timestamp_or_message_is_rejected,
        expired_events_are_rejected,
        invalid_entities_are_rejected_in_the_answer,
        list_returns_events_as_written,
        log_events_are_read_only,
        put_events_into_missing_stream_is_not_found,
        sequence_tokens_are_not_checked,
        stored_bytes_include_26_bytes_per_event,
        too_old_and_too_new_events_are_rejected,
    }
    log_group {
        create_without_name_is_rejected,
        delete_by_arn_is_rejected,
        delete_removes_all_rows_of_a_log_group,
        deleted_log_group_is_not_found,
        deletion_protection_covers_log_group_and_streams,
        get_applies_the_name_pattern,
        get_finds_a_log_group_by_name_and_arn,
        get_returns_a_log_group_as_created,
        get_returns_none_for_a_missing_log_group,
        invalid_get_parameters_are_rejected,
        invalid_log_group_names_are_rejected,
        kms_key_must_be_an_arn_in_the_region,
        log_group_has_default_values,
        log_group_name_is_unique_per_account_and_region,
        log_group_names_with_reserved_prefix_are_rejected,
        retention_must_be_an_allowed_number_of_days,
        service_set_fields_cannot_be_assigned,
    }
    log_stream {
        delete_stream_removes_its_events_and_bytes,
        get_finds_a_log_stream_by_exact_name,
        get_returns_a_log_stream_as_created,
        invalid_log_stream_names_are_rejected,
        invalid_stream_list_parameters_are_rejected,
        list_orders_streams_by_last_event_time,
        list_orders_streams_by_name,
        log_stream_name_is_unique_per_log_group,
        log_stream_reports_event_and_ingestion_times,
    }
    metric_filter {
        get_finds_a_metric_filter_by_exact_name,
        get_returns_a_metric_filter_as_created,
        invalid_metric_filters_are_rejected,
        list_filters_metric_filters_by_group_prefix_and_metric,
        metric_filter_create_update_and_delete,
        metric_filter_update_keeps_changes_of_other_clients,
        metric_filter_without_transformation_is_rejected,
        metric_filters_are_limited_to_100_per_log_group,
        metric_filters_require_class_standard,
        test_metric_filter_returns_matches_and_values,
    }
    missing {
        arn_of_other_account_or_region_is_not_found,
        arn_of_other_resource_type_is_rejected,
        filters_of_missing_log_group_are_not_found,
        identifier_with_a_name_over_512_characters_is_rejected,
        policy_of_missing_log_group_is_not_found,
        settings_of_missing_log_group_are_not_found,
        streams_and_events_of_missing_log_group_are_not_found,
        tags_of_missing_log_group_are_not_found,
    }
    pagination {
        forged_pagination_tokens_are_rejected,
        last_page_has_no_pagination_token,
        pagination_continues_from_the_token,
        pagination_is_stable_while_groups_change,
        pagination_returns_each_group_once_for_every_page_size,
        pagination_returns_each_stream_once,
        pagination_token_expires_after_24_hours,
        pagination_token_is_bound_to_account_region_and_query,
    }
    protection {
        account_has_at_most_one_policy,
        account_policies_of_a_linked_account_are_described,
        account_policy_is_inherited_by_log_groups,
        dry_run_and_selection_criteria_are_rejected,
        group_and_account_policies_mask_together,
        invalid_policy_documents_are_rejected,
        log_group_reports_data_protection_status,
        policy_masks_events_ingested_after_it,
        replaced_policy_still_masks_earlier_events,
    }
    resource_policy {
        account_has_at_most_10_resource_policies,
        invalid_resource_policies_are_rejected,
        policy_of_a_log_group_has_revisions,
        resource_policies_are_managed_with_log_groups,
        resource_policies_are_put_and_deleted_by_name,
        resource_policy_is_removed_with_its_log_group,
    }
    retention {
        deletion_protection_does_not_prevent_expiry,
        delivery_class_has_fixed_retention_of_one_day,
        due_expiry_of_deleted_group_does_not_affect_new_group,
        events_expire_at_whole_minutes,
        events_expire_in_each_stream,
        events_never_expire_without_retention,
        expiry_is_the_same_for_one_or_many_clock_steps,
        late_event_with_earlier_timestamp_expires_first,
        longer_retention_delays_expiry,
        shorter_retention_expires_old_events_immediately,
        stream_accepts_events_after_all_expired,
    }
    saving {
        constructed_model_is_saved,
        log_stream_is_not_updatable,
        model_deletes_its_log_group,
        model_read_from_json_is_saved,
        model_uses_its_own_session,
        save_creates_then_updates,
        save_with_existing_name_is_rejected,
        unsaved_model_has_no_arn,
    }
    searching {
        get_log_events_reads_backwards,
        get_log_events_reads_forwards,
        page_of_a_search_has_at_most_1_mib,
        search_can_start_with_the_newest_event,
        search_filters_events_by_pattern,
        search_from_the_newest_event_returns_events_of_the_same_time_once,
        search_requires_either_name_or_identifier,
        search_returns_events_in_chronological_order,
        search_returns_events_of_the_same_time_once,
        search_selects_streams_by_name_or_prefix,
        time_range_includes_start_and_excludes_end,
        token_of_empty_stream_returns_later_events,
    }
    subscription_filter {
        get_returns_a_subscription_filter_as_created,
        invalid_subscription_filters_are_rejected,
        subscription_filter_can_be_saved_after_get,
        subscription_filter_create_update_and_delete,
        subscription_filters_are_limited_to_5_per_log_group,
        subscription_filters_require_class_standard,
    }
    tags {
        create_merges_tags_of_model_and_parameter,
        duplicate_tag_keys_are_rejected,
        invalid_tag_keys_and_values_are_rejected,
        invalid_tag_parameters_are_rejected,
        log_group_tags_are_limited_to_50,
        model_with_51_tags_is_rejected,
        reserved_tag_prefix_is_rejected_in_any_case,
        tag_log_group_and_untag_log_group,
        tag_resource_and_untag_resource,
        tags_of_a_listed_group_are_fetched_before_a_change,
        update_sends_only_changed_tags,
    }
    updating {
        each_setting_has_its_own_operation,
        kms_key_operations_require_either_name_or_identifier,
        log_group_class_cannot_be_changed,
        log_group_name_cannot_be_changed,
        update_changes_all_changed_fields,
        update_clears_fields_set_to_none,
        update_of_a_listed_group_keeps_its_tags,
        update_of_missing_log_group_is_not_found,
        update_sends_only_changed_fields,
        update_without_changes_is_a_no_op,
    }
    @in_process log_group {
        failed_create_is_rolled_back,
        preview_reports_changes_and_makes_none,
    }
    @in_process saving {
        waiter_advances_a_frozen_clock,
    }
    @in_process updating {
        failed_update_is_rolled_back,
    }
}

impl World {
    /// Asserts that `call` is rejected with InvalidParameterException for `field`.
    #[track_caller]
    pub(crate) fn assert_invalid<T: fmt::Debug>(
        &self,
        field: &str,
        call: impl FnOnce() -> Result<T>,
    ) -> Error {
        self.refused(&errors::INVALID, field, call)
    }

    /// Creates a log group with only a name.
    pub(crate) fn create_group(&self, name: &str) -> Result<LogGroup> {
        self.create(&LogGroup::builder().log_group_name(name).build()?)
    }

    /// Creates a log group and gets it.
    pub(crate) fn create(&self, group: &LogGroup) -> Result<LogGroup> {
        let session = self.session();
        LogGroup::objects(&session).create(group).wait()?;
        self.get_group(group.require_name()?)
    }

    /// Gets the log group called `name`, which must exist.
    #[track_caller]
    pub(crate) fn get_group(&self, name: &str) -> Result<LogGroup> {
        let found = LogGroup::objects(&self.session()).get(name).wait()?;
        Ok(found.unwrap_or_else(|| panic!("log group {name} does not exist")))
    }

    /// Returns the first log group of a listing, which must not be empty.
    pub(crate) fn first_listed_group(&self) -> Result<LogGroup> {
        let first = LogGroup::objects(&self.session()).list().results().first().wait()?;
        Ok(first.expect("the listing is not empty"))
    }

    /// Returns the names of all log groups.
    pub(crate) fn group_names(&self) -> Result<Vec<String>> {
        names(&LogGroup::objects(&self.session()).list().results().all().wait()?)
    }

    /// Creates a log stream.
    pub(crate) fn create_stream(&self, group: &str, name: &str) -> Result<()> {
        let stream = LogStream::builder().log_group_name(group).log_stream_name(name).build()?;
        LogStream::objects(&self.session()).create(&stream).wait()
    }

    /// Creates a log group with a stream called `main`.
    pub(crate) fn create_group_with_stream(&self, name: &str) -> Result<LogGroup> {
        let group = self.create_group(name)?;
        self.create_stream(name, "main")?;
        Ok(group)
    }

    /// Puts events with these times and messages.
    pub(crate) fn put_events(
        &self,
        group: &str,
        stream: &str,
        events: &[(i64, &str)],
    ) -> Result<PutEventsResult> {
        LogEvent::objects(&self.session()).put(group, stream, input_events(events)?).wait()
    }

    /// Returns the messages of all events of a log group, in order.
    pub(crate) fn messages(&self, group: &str) -> Result<Vec<String>> {
        let events = LogEvent::objects(&self.session()).list(group).results().all().wait()?;
        Ok(messages(&events))
    }
}

/// Builds events with these times and messages.
pub(crate) fn input_events(events: &[(i64, &str)]) -> Result<Vec<InputLogEvent>> {
    let input =
        |(time, message): &(i64, &str)| InputLogEvent::builder().timestamp(*time).message(*message).build();
    events.iter().map(input).collect()
}

/// Returns the messages of events.
pub(crate) fn messages(events: &[LogEvent]) -> Vec<String> {
    events.iter().filter_map(|event| event.message().map(str::to_owned)).collect()
}
