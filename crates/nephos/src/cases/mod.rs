//! What the services do, as library code: cases that every way in has to pass.
//!
//! A case takes a [`World`] and asserts what a user would notice. It does not know how its calls get to the cloud: it
//! has sessions, a clock to move, and a way to compare the whole state. [`cases!`](crate::cases) names them all, so that
//! a test file can make a test of each; [`all`] gives them as a table.
//!
//! ```
//! use nephos::{Cloud, cases};
//!
//! let cloud = Cloud::options().clock(cases::clock()).in_memory();
//! cases::a_created_group_is_got_as_it_was_written(&cases::World::new(cloud))?;
//! # Ok::<(), nephos::Error>(())
//! ```

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

use crate::{
    Cloud,
    cloud::read_key,
    services::logs::{InputLogEvent, LogEvent, LogGroup, LogStream, PutEventsResult, errors},
};
use nephos_core::{
    BoxFuture, Clock, Code, Error, Outcome, Resource, Result, Script, Session, SignedDuration, Steps,
    Timestamp,
    operation::{Operation, WireOperation},
    shape::Effect,
    wait,
};
use std::{fmt, sync::Arc};

/// Every row of a cloud.
pub type State = Vec<(Vec<u8>, Vec<u8>)>;

/// A cloud under test, however it is reached. It begins empty, with a time that only moves when it is moved.
pub trait Bench {
    /// A caller in the default account and Region.
    fn session(&self) -> Session;

    /// The time there.
    fn now(&self) -> Timestamp;

    /// Moves the time on.
    fn advance(&self, by: SignedDuration) -> Result<()>;

    /// Everything that is there.
    fn state(&self) -> Result<State>;

    /// Lets the account `monitoring` look into the account `source`.
    fn link_accounts(&self, monitoring: &str, source: &str) -> Result<()>;
}

impl Bench for Cloud {
    fn session(&self) -> Session {
        Cloud::session(self)
    }

    fn now(&self) -> Timestamp {
        self.clock().now()
    }

    fn advance(&self, by: SignedDuration) -> Result<()> {
        self.clock().advance(by).map(drop)
    }

    fn state(&self) -> Result<State> {
        self.rows()
    }

    fn link_accounts(&self, monitoring: &str, source: &str) -> Result<()> {
        Cloud::link_accounts(self, monitoring, source)
    }
}

/// A clock for a [`Bench`]: it stands still at noon of a day, at a whole minute.
pub fn clock() -> Clock {
    Clock::frozen("2026-01-31T12:00:00Z".parse().expect("this is a time"))
}

/// What a case works in.
pub struct World {
    bench: Box<dyn Bench>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("now", &self.bench.now()).finish_non_exhaustive()
    }
}

/// Another account than the usual one.
const OTHER_ACCOUNT: &str = "210987654321";

/// Another Region than the usual one.
const OTHER_REGION: &str = "eu-west-1";

/// So many milliseconds.
const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

impl World {
    /// The world of `bench`.
    pub fn new(bench: impl Bench + 'static) -> Self {
        Self { bench: Box::new(bench) }
    }

    fn session(&self) -> Session {
        self.bench.session()
    }

    /// The same caller in another account.
    fn other_account(&self) -> Session {
        self.session().with_account(OTHER_ACCOUNT)
    }

    /// The same caller in another Region.
    fn other_region(&self) -> Session {
        self.session().with_region(OTHER_REGION)
    }

    /// The time, in milliseconds since 1970.
    fn now(&self) -> i64 {
        self.bench.now().as_millisecond()
    }

    /// Moves the time on by so many milliseconds.
    fn advance(&self, millis: i64) -> Result<()> {
        self.bench.advance(SignedDuration::from_millis(millis))
    }

    fn state(&self) -> Result<State> {
        self.bench.state()
    }

    /// Asserts that nothing differs from `before`.
    #[track_caller]
    fn assert_unchanged(&self, before: &State) -> Result<()> {
        let after = self.state()?;
        let differing = |of: &State, from: &State| -> Vec<String> {
            let rows = of.iter().filter(|row| !from.contains(row));
            rows.map(|(key, row)| format!("{:?}: {}", read_key(key), String::from_utf8_lossy(row))).collect()
        };
        let (gone, new) = (differing(before, &after), differing(&after, before));
        assert!(*before == after, "the state changed; gone: {gone:#?}, new: {new:#?}");
        Ok(())
    }

    /// Asserts that `call` is refused with this code, about this field, and changes nothing at all.
    #[track_caller]
    fn refused<'f, T: fmt::Debug>(
        &self,
        code: &Code,
        field: impl Into<Option<&'f str>>,
        call: impl FnOnce() -> Result<T>,
    ) -> Error {
        let before = self.state().expect("the state can be read");
        let error = match call() {
            Ok(answer) => panic!("{} was expected, and it was done: {answer:?}", code.code),
            Err(error) => error,
        };
        assert_eq!((error.code(), error.field()), (code.code, field.into()), "{error}");
        assert_eq!((error.kind(), error.status()), (code.kind, code.status), "{error}");
        assert!(errors::ALL.iter().any(|known| known.code == error.code()), "{error} is not in the table");
        assert!(error.operation().is_some(), "{error} does not say what was being carried out");
        self.assert_unchanged(&before).expect("the state can be read");
        error
    }

    /// Asserts that a parameter or a value within the service's rules is refused as invalid.
    #[track_caller]
    fn invalid<T: fmt::Debug>(&self, field: &str, call: impl FnOnce() -> Result<T>) -> Error {
        self.refused(&errors::INVALID, field, call)
    }

    /// Creates a log group of which nothing but the name is said.
    fn group(&self, name: &str) -> Result<LogGroup> {
        self.create(&LogGroup::builder().log_group_name(name).build()?)
    }

    /// Creates a log group; gives it back as the service has it.
    fn create(&self, group: &LogGroup) -> Result<LogGroup> {
        let session = self.session();
        LogGroup::objects(&session).create(group).wait()?;
        self.found(group.name()?)
    }

    /// The log group called `name`, which must be there.
    #[track_caller]
    fn found(&self, name: &str) -> Result<LogGroup> {
        let found = LogGroup::objects(&self.session()).get(name).wait()?;
        Ok(found.unwrap_or_else(|| panic!("there is no log group {name}")))
    }

    /// The names of all log groups.
    fn names(&self) -> Result<Vec<String>> {
        names(&LogGroup::objects(&self.session()).list().results().all().wait()?)
    }

    /// Creates a stream.
    fn stream(&self, group: &str, name: &str) -> Result<()> {
        let stream = LogStream::builder().log_group_name(group).log_stream_name(name).build()?;
        LogStream::objects(&self.session()).create(&stream).wait()
    }

    /// Creates a log group with a stream called `main`.
    fn group_with_stream(&self, name: &str) -> Result<LogGroup> {
        let group = self.group(name)?;
        self.stream(name, "main")?;
        Ok(group)
    }

    /// Puts events with these times and messages.
    fn put(&self, group: &str, stream: &str, events: &[(i64, &str)]) -> Result<PutEventsResult> {
        LogEvent::objects(&self.session()).put(group, stream, inputs(events)?).wait()
    }

    /// The messages of all events of a log group, in order.
    fn messages(&self, group: &str) -> Result<Vec<String>> {
        let events = LogEvent::objects(&self.session()).list(group).results().all().wait()?;
        Ok(messages(&events))
    }
}

fn inputs(events: &[(i64, &str)]) -> Result<Vec<InputLogEvent>> {
    let input =
        |(time, message): &(i64, &str)| InputLogEvent::builder().timestamp(*time).message(*message).build();
    events.iter().map(input).collect()
}

fn messages(events: &[LogEvent]) -> Vec<String> {
    events.iter().filter_map(|event| event.message().map(str::to_owned)).collect()
}

fn names<M: Resource>(models: &[M]) -> Result<Vec<String>> {
    models.iter().map(|model| model.name().map(str::to_owned)).collect()
}

/// Carries out one operation of a service, for what no manager offers.
fn ask<O: WireOperation>(session: &Session, operation: O) -> Result<O::Output> {
    let outcome = wait(session.transport().run(session, Arc::new(Once(operation))))?;
    Ok(*outcome.downcast::<O::Output>().expect("the transport answers with what the script came to"))
}

/// A script of one operation.
struct Once<O>(O);

impl<O: WireOperation> Script for Once<O> {
    fn name(&self) -> &'static str {
        <O as Operation>::OPERATION.name
    }

    fn effect(&self) -> Effect {
        <O as Operation>::OPERATION.effect
    }

    fn play<'s>(&'s self, steps: &'s Steps) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move { Ok(Box::new(steps.call(self.0.clone()).await?) as Outcome) })
    }
}

/// One thing that the services do. It panics, or returns an error, if they do not.
pub type Case = fn(&World) -> Result<()>;

/// Calls a macro with the names of all cases, which are functions of [`cases`](crate::cases).
///
/// ```
/// macro_rules! count {
///     ($($theme:ident: $($case:ident)*;)*) => { [$($(stringify!($case)),*),*].len() };
/// }
/// assert_eq!(nephos::cases!(count), nephos::cases::all().len());
/// ```
#[macro_export]
macro_rules! cases {
    ($callback:ident) => {
        $callback! {
            fields:
                eight_minutes_either_side_of_a_time_count
                fields_are_sorted_by_their_share
                fields_need_one_way_to_name_the_group
                plain_text_has_the_fields_of_the_service
                the_last_15_minutes_count
                values_within_json_are_fields;
            linked:
                a_linked_group_is_got_by_its_resource_name
                accounts_are_chosen_among_the_linked
                an_account_named_twice_is_looked_into_once
                linked_accounts_are_listed_when_asked_for
                linked_groups_are_described_by_resource_names
                links_are_between_two_accounts;
            listing:
                a_filter_finds_the_same_wherever_it_is_applied
                a_listing_of_groups_has_rules
                a_search_by_pattern_tells_everything
                groups_are_chosen_by_class
                groups_are_chosen_by_identifier
                groups_are_chosen_by_prefix_and_pattern
                groups_are_listed_in_ascii_order
                parameters_of_a_listing_exclude_each_other;
            log_event:
                a_batch_has_a_mebibyte
                a_batch_has_ten_thousand_events
                a_batch_is_in_order_of_time
                a_batch_spans_a_day
                a_wholly_rejected_batch_changes_nothing
                an_event_has_a_time_and_a_message
                events_are_read_only
                events_need_a_stream
                events_too_old_or_too_new_are_rejected
                expired_events_are_rejected
                put_events_are_told_as_they_were_written
                sequence_tokens_do_not_matter
                stored_bytes_are_counted
                the_same_event_twice_is_two_events;
            log_group:
                a_created_group_is_got_as_it_was_written
                a_deleted_group_is_found_no_more
                a_group_can_be_tried_out
                a_group_is_found_by_name_and_resource_name
                a_group_of_which_only_the_name_is_said_has_defaults
                a_group_that_is_not_there_is_none
                a_group_without_a_name_is_not_created
                a_key_is_the_resource_name_of_a_key_here
                a_name_is_taken_once
                a_protected_group_and_its_streams_are_not_deleted
                creating_happens_as_a_whole_or_not_at_all
                deleting_a_group_leaves_nothing_of_it
                deletion_takes_a_name
                fields_of_the_service_are_not_assigned
                get_applies_the_name_pattern
                names_have_a_length_and_an_alphabet
                names_of_the_provider_are_refused
                retention_is_one_of_a_list
                the_parameters_of_get_have_rules;
            log_stream:
                a_created_stream_is_got_as_it_was_written
                a_listing_of_streams_has_rules
                a_stream_is_found_by_its_whole_name
                a_stream_name_is_taken_once_in_a_group
                a_stream_tells_of_its_events
                deleting_a_stream_frees_its_bytes
                stream_names_have_rules
                streams_are_listed_by_name
                streams_are_listed_by_time;
            metric_filter:
                a_created_metric_filter_is_got_as_it_was_written
                a_group_has_100_metric_filters_at_most
                a_metric_filter_has_required_fields
                a_metric_filter_is_created_once_and_updated_then
                a_metric_filter_is_found_by_its_whole_name
                a_pattern_can_be_tried
                metric_filters_are_listed
                metric_filters_have_rules
                only_standard_groups_have_metric_filters;
            missing:
                filters_need_a_group
                policies_need_a_group
                resource_names_of_elsewhere_name_no_group_here
                resource_names_of_other_things_are_refused
                settings_need_a_group
                streams_and_events_need_a_group
                tags_need_a_group;
            paging:
                pages_are_right_while_groups_come_and_go
                pages_of_any_size_tell_each_group_once
                pages_of_streams_tell_each_stream_once
                the_last_page_has_no_token
                tokens_are_for_one_account_region_and_query
                tokens_are_good_for_a_day
                tokens_cannot_be_made_up;
            protection:
                a_policy_hides_what_comes_after_it
                a_policy_is_told_by_the_status_of_its_group
                a_policy_of_the_account_is_inherited
                a_policy_that_is_none_is_refused
                an_account_has_one_policy
                policies_of_group_and_account_hide_together;
            retention:
                a_cleared_retention_keeps_events_for_ever
                a_longer_retention_keeps_events
                a_new_group_is_not_harmed_by_what_was_planned_for_an_old_one
                a_shorter_retention_takes_old_events_at_once
                an_earlier_event_that_comes_later_goes_earlier
                an_emptied_stream_is_used_again
                an_event_goes_at_its_minute
                each_stream_loses_its_old_events
                one_long_step_does_what_many_short_ones_do
                protection_does_not_keep_events
                what_is_passed_on_is_kept_for_a_day;
            saving:
                a_group_deletes_itself
                a_model_acts_through_its_own_session
                a_new_model_has_no_resource_name
                a_stream_saves_itself_once
                saving_a_name_that_is_taken_is_refused
                saving_creates_and_then_updates
                waiting_moves_the_time;
            searching:
                a_search_names_its_group_in_one_way
                a_stream_is_read_backwards
                a_stream_is_read_forwards
                an_empty_stream_can_be_waited_at
                events_are_found_by_pattern
                events_of_streams_are_told_in_order_of_time
                streams_are_chosen
                times_include_their_start_and_not_their_end;
            subscription_filter:
                a_created_subscription_filter_is_got_as_it_was_written
                a_group_has_two_subscription_filters_at_most
                a_read_subscription_filter_can_be_saved
                a_subscription_filter_is_created_once_and_updated_then
                only_standard_groups_have_subscription_filters
                subscription_filters_have_rules;
            tags:
                a_group_has_50_tags_at_most
                a_key_has_one_value
                a_model_has_50_tags_at_most
                an_update_changes_the_tags_that_differ
                keys_and_values_have_rules
                operations_on_tags_have_rules
                tags_are_put_and_taken_off
                tags_of_model_and_argument_are_merged
                the_reserved_prefix_is_refused_in_any_letter_case;
            updating:
                a_group_is_named_in_one_way
                a_listed_group_keeps_its_tags_when_it_is_updated
                an_update_changes_all_that_differs
                an_update_clears_what_is_cleared
                an_update_happens_as_a_whole_or_not_at_all
                an_update_needs_a_group
                an_update_of_nothing_changes_nothing
                an_update_sends_only_what_changed
                settings_have_operations_of_their_own
                the_class_cannot_be_changed
                the_name_cannot_be_changed;
        }
    };
}

macro_rules! table {
    ($($theme:ident: $($case:ident)*;)*) => {
        $(pub use self::$theme::{$($case),*};)*

        /// Every case with its name.
        pub fn all() -> Vec<(&'static str, Case)> {
            vec![$($((stringify!($case), $case as Case)),*),*]
        }
    };
}
cases!(table);
