//! Log groups, streams, events and filters.

#![deny(dead_code, reason = "a case that is not listed is not run")]

mod fields;
mod linked;
mod listing;
mod log_event;
mod log_group;
mod log_stream;
mod metric_filter;
mod missing;
mod paging;
mod protection;
mod retention;
mod saving;
mod searching;
mod subscription_filter;
mod tags;
mod updating;

use crate::{InputLogEvent, LogEvent, LogGroup, LogStream, PutEventsResult, errors};
use nephos_cloud::testing::{DAY, HOUR, MINUTE, OTHER_ACCOUNT, SECOND, THIRD_ACCOUNT, ask, names};
use nephos_core::{Error, Resource, Result};
use std::fmt;

nephos_cloud::world!(crate::LOGS);

nephos_cloud::cases! {
    "logs", World;
    fields {
        eight_minutes_either_side_of_a_time_count,
        fields_are_sorted_by_their_share,
        fields_need_one_way_to_name_the_group,
        plain_text_has_the_fields_of_the_service,
        the_last_15_minutes_count,
        values_within_json_are_fields,
    }
    linked {
        a_linked_group_is_got_by_its_resource_name,
        accounts_are_chosen_among_the_linked,
        an_account_named_twice_is_looked_into_once,
        linked_accounts_are_listed_when_asked_for,
        linked_groups_are_described_by_resource_names,
        links_are_between_two_accounts,
    }
    listing {
        a_filter_finds_the_same_wherever_it_is_applied,
        a_listing_of_groups_has_rules,
        a_search_by_pattern_tells_everything,
        groups_are_chosen_by_class,
        groups_are_chosen_by_identifier,
        groups_are_chosen_by_prefix_and_pattern,
        groups_are_listed_in_ascii_order,
        parameters_of_a_listing_exclude_each_other,
    }
    log_event {
        a_batch_has_a_mebibyte,
        a_batch_has_ten_thousand_events,
        a_batch_is_in_order_of_time,
        a_batch_spans_a_day,
        a_wholly_rejected_batch_changes_nothing,
        an_event_has_a_time_and_a_message,
        events_are_read_only,
        events_need_a_stream,
        events_too_old_or_too_new_are_rejected,
        expired_events_are_rejected,
        put_events_are_told_as_they_were_written,
        sequence_tokens_do_not_matter,
        stored_bytes_are_counted,
        the_same_event_twice_is_two_events,
    }
    log_group {
        a_created_group_is_got_as_it_was_written,
        a_deleted_group_is_found_no_more,
        a_group_is_found_by_name_and_resource_name,
        a_group_of_which_only_the_name_is_said_has_defaults,
        a_group_that_is_not_there_is_none,
        a_group_without_a_name_is_not_created,
        a_key_is_the_resource_name_of_a_key_here,
        a_name_is_taken_once,
        a_protected_group_and_its_streams_are_not_deleted,
        deleting_a_group_leaves_nothing_of_it,
        deletion_takes_a_name,
        fields_of_the_service_are_not_assigned,
        get_applies_the_name_pattern,
        names_have_a_length_and_an_alphabet,
        names_of_the_provider_are_refused,
        retention_is_one_of_a_list,
        the_parameters_of_get_have_rules,
    }
    log_stream {
        a_created_stream_is_got_as_it_was_written,
        a_listing_of_streams_has_rules,
        a_stream_is_found_by_its_whole_name,
        a_stream_name_is_taken_once_in_a_group,
        a_stream_tells_of_its_events,
        deleting_a_stream_frees_its_bytes,
        stream_names_have_rules,
        streams_are_listed_by_name,
        streams_are_listed_by_time,
    }
    metric_filter {
        a_created_metric_filter_is_got_as_it_was_written,
        a_group_has_100_metric_filters_at_most,
        a_metric_filter_has_required_fields,
        a_metric_filter_is_created_once_and_updated_then,
        a_metric_filter_is_found_by_its_whole_name,
        a_pattern_can_be_tried,
        metric_filters_are_listed,
        metric_filters_have_rules,
        only_standard_groups_have_metric_filters,
    }
    missing {
        filters_need_a_group,
        policies_need_a_group,
        resource_names_of_elsewhere_name_no_group_here,
        resource_names_of_other_things_are_refused,
        settings_need_a_group,
        streams_and_events_need_a_group,
        tags_need_a_group,
    }
    paging {
        a_page_is_continued_from_its_token,
        pages_are_right_while_groups_come_and_go,
        pages_of_any_size_tell_each_group_once,
        pages_of_streams_tell_each_stream_once,
        the_last_page_has_no_token,
        tokens_are_for_one_account_region_and_query,
        tokens_are_good_for_a_day,
        tokens_cannot_be_made_up,
    }
    protection {
        a_policy_hides_what_comes_after_it,
        a_policy_is_told_by_the_status_of_its_group,
        a_policy_of_the_account_is_inherited,
        a_policy_that_is_none_is_refused,
        a_policy_that_is_put_again_hides_what_it_hid,
        an_account_has_one_policy,
        policies_of_group_and_account_hide_together,
    }
    retention {
        a_cleared_retention_keeps_events_for_ever,
        a_longer_retention_keeps_events,
        a_new_group_is_not_harmed_by_what_was_planned_for_an_old_one,
        a_shorter_retention_takes_old_events_at_once,
        an_earlier_event_that_comes_later_goes_earlier,
        an_emptied_stream_is_used_again,
        an_event_goes_at_its_minute,
        each_stream_loses_its_old_events,
        one_long_step_does_what_many_short_ones_do,
        protection_does_not_keep_events,
        what_is_passed_on_is_kept_for_a_day,
    }
    saving {
        a_group_deletes_itself,
        a_model_acts_through_its_own_session,
        a_new_model_has_no_resource_name,
        a_stream_saves_itself_once,
        saving_a_name_that_is_taken_is_refused,
        a_constructed_group_is_saved,
        a_group_read_back_from_json_is_saved,
        saving_creates_and_then_updates,
    }
    searching {
        a_search_names_its_group_in_one_way,
        a_stream_is_read_backwards,
        a_stream_is_read_forwards,
        an_empty_stream_can_be_waited_at,
        events_are_found_by_pattern,
        events_of_streams_are_told_in_order_of_time,
        events_of_the_same_time_are_told_once,
        streams_are_chosen,
        times_include_their_start_and_not_their_end,
    }
    subscription_filter {
        a_created_subscription_filter_is_got_as_it_was_written,
        a_group_has_two_subscription_filters_at_most,
        a_read_subscription_filter_can_be_saved,
        a_subscription_filter_is_created_once_and_updated_then,
        only_standard_groups_have_subscription_filters,
        subscription_filters_have_rules,
    }
    tags {
        a_group_has_50_tags_at_most,
        a_key_has_one_value,
        a_model_has_50_tags_at_most,
        an_update_changes_the_tags_that_were_touched,
        keys_and_values_have_rules,
        operations_on_tags_have_rules,
        tags_are_put_and_taken_off,
        tags_of_a_listed_group_are_fetched_before_they_change,
        tags_of_model_and_argument_are_merged,
        the_reserved_prefix_is_refused_in_any_letter_case,
    }
    updating {
        a_group_is_named_in_one_way,
        a_listed_group_keeps_its_tags_when_it_is_updated,
        an_update_changes_all_that_differs,
        an_update_clears_what_is_cleared,
        an_update_needs_a_group,
        an_update_of_nothing_changes_nothing,
        an_update_sends_only_what_changed,
        settings_have_operations_of_their_own,
        the_class_cannot_be_changed,
        the_name_cannot_be_changed,
    }
    @in_process log_group {
        a_group_can_be_tried_out,
        creating_happens_as_a_whole_or_not_at_all,
    }
    @in_process saving {
        waiting_moves_the_time,
    }
    @in_process updating {
        an_update_happens_as_a_whole_or_not_at_all,
    }
}

impl World {
    /// Asserts that a parameter or a value within the service's rules is refused as invalid.
    #[track_caller]
    pub(super) fn invalid<T: fmt::Debug>(&self, field: &str, call: impl FnOnce() -> Result<T>) -> Error {
        self.refused(&errors::INVALID, field, call)
    }

    /// Creates a log group of which nothing but the name is said.
    pub(super) fn group(&self, name: &str) -> Result<LogGroup> {
        self.create(&LogGroup::builder().log_group_name(name).build()?)
    }

    /// Creates a log group; gives it back as the service has it.
    pub(super) fn create(&self, group: &LogGroup) -> Result<LogGroup> {
        let session = self.session();
        LogGroup::objects(&session).create(group).wait()?;
        self.found(group.require_name()?)
    }

    /// The log group called `name`, which must be there.
    #[track_caller]
    pub(super) fn found(&self, name: &str) -> Result<LogGroup> {
        let found = LogGroup::objects(&self.session()).get(name).wait()?;
        Ok(found.unwrap_or_else(|| panic!("there is no log group {name}")))
    }

    /// The names of all log groups.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        names(&LogGroup::objects(&self.session()).list().results().all().wait()?)
    }

    /// Creates a stream.
    pub(super) fn stream(&self, group: &str, name: &str) -> Result<()> {
        let stream = LogStream::builder().log_group_name(group).log_stream_name(name).build()?;
        LogStream::objects(&self.session()).create(&stream).wait()
    }

    /// Creates a log group with a stream called `main`.
    pub(super) fn group_with_stream(&self, name: &str) -> Result<LogGroup> {
        let group = self.group(name)?;
        self.stream(name, "main")?;
        Ok(group)
    }

    /// Puts events with these times and messages.
    pub(super) fn put(&self, group: &str, stream: &str, events: &[(i64, &str)]) -> Result<PutEventsResult> {
        LogEvent::objects(&self.session()).put(group, stream, inputs(events)?).wait()
    }

    /// The messages of all events of a log group, in order.
    pub(super) fn messages(&self, group: &str) -> Result<Vec<String>> {
        let events = LogEvent::objects(&self.session()).list(group).results().all().wait()?;
        Ok(messages(&events))
    }
}

pub(super) fn inputs(events: &[(i64, &str)]) -> Result<Vec<InputLogEvent>> {
    let input =
        |(time, message): &(i64, &str)| InputLogEvent::builder().timestamp(*time).message(*message).build();
    events.iter().map(input).collect()
}

pub(super) fn messages(events: &[LogEvent]) -> Vec<String> {
    events.iter().filter_map(|event| event.message().map(str::to_owned)).collect()
}
