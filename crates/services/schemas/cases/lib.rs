//! Behaviour cases of event schema registries.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the case")]

mod bindings;
mod discovered;
mod discoverers;
mod discovery;
pub mod documents;
mod exports;
mod laws;
pub mod models;
mod paging;
mod policies;
mod provider;
pub mod registries;
mod tags;
mod versions;

use nephos_core::Result;
use nephos_schemas::errors;
use nephos_testing::{HOUR, SECOND, ask};

pub use laws::LAWS;

nephos_testing::world!(nephos_schemas::SCHEMAS);

nephos_testing::cases! {
    "schemas", World;
    bindings {
        code_binding_is_generated_on_request,
        code_bindings_are_deleted_with_version_and_schema,
        document_becomes_types,
        event_becomes_envelope_and_detail,
        missing_code_binding_is_not_found,
        names_of_all_kinds_become_identifiers,
        unknown_language_is_refused,
    }
    discovered {
        event_becomes_a_schema_and_new_members_a_version,
        events_of_other_accounts_are_discovered_if_wanted,
        stopped_discoverer_discovers_nothing,
        unusable_events_are_refused,
    }
    discoverers {
        created_discoverer_is_returned_by_get,
        discoverer_is_started_and_stopped,
        event_bus_has_at_most_one_discoverer,
        invalid_source_arns_are_refused,
        list_applies_prefix_filters,
        missing_discoverer_is_not_found,
        model_is_saved_and_deleted,
        update_sends_only_changed_fields,
    }
    discovery {
        events_with_detail_become_envelope_and_detail,
        invalid_events_are_refused,
        other_events_become_one_component,
    }
    documents {
        invalid_json_schema_is_refused_with_path,
        invalid_openapi_document_is_refused_with_path,
        valid_documents_are_accepted,
    }
    exports {
        document_is_exported_unchanged_as_its_own_type,
        envelope_becomes_root_of_export,
        openapi_3_0_keywords_are_converted,
        openapi_3_1_keywords_are_converted,
        unreferenced_component_becomes_root,
        unsupported_document_is_refused_with_path,
    }
    paging {
        page_has_at_most_100_items,
        pagination_returns_each_item_once,
        pagination_token_expires_after_a_day,
        pagination_token_is_bound_to_account_region_and_query,
    }
    policies {
        malformed_policy_is_refused,
        missing_policy_is_not_found,
        policy_is_deleted_with_registry,
        resource_policy_is_attached_read_and_removed,
        revision_must_match,
    }
    provider {
        discovered_schemas_exist_with_discoverers,
        events_of_provider_are_listed_and_read,
        provider_owned_resources_cannot_be_changed,
        schemas_of_provider_are_searched_and_paged,
    }
    registries {
        accounts_and_regions_are_isolated,
        created_registry_is_returned_by_get,
        description_length_is_checked,
        duplicate_name_is_refused,
        invalid_names_are_refused,
        list_applies_prefix_filters,
        list_is_sorted_and_omits_descriptions,
        missing_registry_is_not_found,
        model_is_saved_and_deleted,
        registry_with_schemas_cannot_be_deleted,
        update_sends_only_changed_fields,
    }
    models {
        created_schema_is_returned_by_get,
        delete_removes_all_versions,
        duplicate_name_is_refused,
        invalid_names_are_refused,
        list_returns_version_count_and_registry,
        missing_required_fields_are_refused,
        missing_schema_is_not_found,
        model_is_saved_and_deleted,
        search_matches_names_and_documents,
        update_sends_only_changed_fields,
    }
    tags {
        invalid_or_missing_resource_arn_is_refused,
        invalid_tags_are_refused,
        tags_are_added_and_removed,
    }
    versions {
        older_version_can_be_read,
        only_version_cannot_be_deleted,
        version_can_be_deleted,
        version_number_is_not_reused,
        versions_are_sorted_by_number,
    }
    @in_process registries {
        create_can_be_previewed,
    }
}

/// Returns the code and field of the error of a call, which must change nothing.
#[track_caller]
fn refusal<T: std::fmt::Debug>(world: &World, call: impl FnOnce() -> Result<T>) -> (String, Option<String>) {
    let before = world.state().unwrap();
    let error = call().unwrap_err();
    world.assert_unchanged(&before).unwrap();
    let codes = errors::ALL;
    assert!(codes.iter().any(|code| code.code == error.code()), "{error} is not in the table of error codes");
    (error.code().to_owned(), error.field().map(str::to_owned))
}

/// Returns a code and a field, to compare with [`refusal`].
fn expected(code: &str, field: &str) -> (String, Option<String>) {
    (code.to_owned(), (!field.is_empty()).then(|| field.to_owned()))
}

const BAD_REQUEST: &str = "BadRequestException";
const NOT_FOUND: &str = "NotFoundException";
const CONFLICT: &str = "ConflictException";
