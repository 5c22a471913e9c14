//! The event schema registry.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "what fails in a case fails it, in its helpers too")]

mod discoverers;
mod discovery;
mod documents;
mod exports;
#[cfg(test)]
mod laws;
mod models;
mod paging;
mod registries;
mod tags;
mod versions;

use nephos_cloud::testing::{HOUR, SECOND, ask};
use nephos_core::Result;

nephos_cloud::world!(crate::SCHEMAS);

nephos_cloud::cases! {
    "schemas", World;
    discoverers {
        a_bus_has_one_discoverer,
        a_discoverer_is_found_as_it_was_created,
        a_discoverer_starts_and_stops,
        a_listing_can_be_narrowed,
        a_model_saves_and_deletes_itself,
        an_update_changes_what_was_changed,
        sources_are_checked,
        what_is_missing_is_told,
    }
    discovery {
        an_event_is_told_as_an_envelope_with_a_detail,
        events_are_checked,
        other_objects_are_told_as_one_component,
    }
    documents {
        json_schemas_are_checked,
        openapi_documents_are_checked,
        right_documents_are_taken,
    }
    exports {
        a_document_is_exported_as_it_was_put,
        an_event_is_exported_with_its_envelope_as_root,
        keywords_become_draft_4,
        newer_keywords_become_draft_4,
        the_root_is_what_nothing_refers_to,
        what_cannot_be_said_is_refused,
    }
    paging {
        a_page_is_limited,
        a_token_is_bound,
        a_token_lasts_a_day,
        every_item_is_seen_once,
    }
    registries {
        a_listing_can_be_narrowed,
        a_listing_is_in_order_and_tells_no_descriptions,
        a_model_saves_and_deletes_itself,
        a_name_is_given_once,
        a_registry_is_found_as_it_was_created,
        a_registry_with_schemas_stays,
        accounts_and_regions_are_apart,
        an_update_changes_what_was_changed,
        descriptions_are_checked,
        names_are_checked,
        what_is_missing_is_told,
    }
    models {
        a_listing_tells_counts_and_the_registry,
        a_model_saves_and_deletes_itself,
        a_name_is_given_once,
        a_schema_is_found_as_it_was_created,
        an_update_changes_what_was_changed,
        deleting_takes_the_versions_along,
        names_are_checked,
        search_looks_into_names_and_documents,
        what_create_needs_is_told,
        what_is_missing_is_told,
    }
    tags {
        subjects_are_checked,
        tags_are_put_and_taken_off,
        tags_keep_the_rules,
    }
    versions {
        a_number_is_given_once,
        a_version_can_be_deleted,
        an_older_version_can_be_read,
        the_only_version_stays,
        versions_are_listed_by_number,
    }
    @in_process registries {
        a_create_can_be_tried,
    }
}

/// The code and field of a refusal, which must leave everything as it was.
#[track_caller]
fn refused<T: std::fmt::Debug>(world: &World, call: impl FnOnce() -> Result<T>) -> (String, Option<String>) {
    let before = world.state().unwrap();
    let error = call().unwrap_err();
    world.assert_unchanged(&before).unwrap();
    let codes = crate::errors::ALL;
    assert!(codes.iter().any(|code| code.code == error.code()), "{error} is not in the table");
    (error.code().to_owned(), error.field().map(str::to_owned))
}

/// A refusal as [`refused`] tells it.
fn told(code: &str, field: &str) -> (String, Option<String>) {
    (code.to_owned(), (!field.is_empty()).then(|| field.to_owned()))
}

const BAD: &str = "BadRequestException";
const MISSING: &str = "NotFoundException";
const CONFLICT: &str = "ConflictException";
