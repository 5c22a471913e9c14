//! Facts about services and kinds that the laws over all kinds cannot derive from shapes: examples, exceptions, and clean-up.
//!
//! Each service has its facts in `cases/laws.rs`, as `LAWS`. The laws name no kind and no service.
//!
//! Parameters and changes are JSON objects. In them `$Kind.Field` is a field of the last example of a kind, `$Kind0.Field` of
//! the first. The default account and Region are replaced by those of the session.

use super::World;
use nephos_core::{
    Map, Resource, Result, Session, Value, record,
    shape::{KindShape, ServiceShape},
};

/// Facts about a service and its kinds.
#[derive(Clone, Copy, Debug)]
pub struct LawFacts {
    /// The service.
    pub service: &'static ServiceShape,
    /// Facts about each of its kinds, parents first. Examples are created in this order, after the kinds that they refer to.
    pub kinds: &'static [KindFacts],
    /// Names of functions outside the cloud that examples and random calls refer to.
    pub functions: &'static [&'static str],
    /// Valid values of parameters that no example has: the parameter, and the value.
    pub values: &'static [(&'static str, &'static str)],
    /// Texts for random calls that no example has.
    pub texts: &'static [&'static str],
    /// Operations that every caller may run, and the reason.
    pub open: &'static [(&'static str, &'static str)],
    /// Operations that never succeed with random parameters.
    pub unreachable: &'static [OperationGroup],
    /// Parameters that are called like the name of another resource, as `Kind call Parameter`, and are not tried, and the reason.
    pub unchecked_references: &'static [OperationGroup],
    /// Operations whose answers differ between equal clouds.
    pub random_answers: &'static [OperationGroup],
    /// Paged operations whose pages are not compared, and the reason.
    pub unpaged: &'static [(&'static str, &'static str)],
    /// Parameters with which a paged operation returns two items, where no resource has all of them.
    pub page_parameters: &'static [(&'static str, &'static str)],
    /// Parts of the ARNs of checked resources that the ARNs of the resources do not have: the part, its replacement, and the
    /// reason.
    pub subject_parts: &'static [(&'static str, &'static str, &'static str)],
    /// Tables that reads write to, and the reason.
    pub written_by_reads: &'static [(&'static str, &'static str)],
    /// Tables whose rows have the times at which transitions end, and the reason.
    pub timed_tables: &'static [(&'static str, &'static str)],
    /// Rows that stay after everything is deleted, and the reason.
    pub remaining_rows: &'static [(RemainingRows, &'static str)],
    /// Deletes everything in the account and Region that deletion of the listed resources does not delete, or that blocks it.
    pub clean_up: fn(&Session) -> Result<()>,
    /// Fills the tables that examples and steps leave empty, for the state file of a version. Returns additional resources.
    pub fill_tables: fn(&Session) -> Result<Vec<FilledResource>>,
    /// Checks of the content of state files.
    pub state_files: &'static [StateFileCheck],
}

impl LawFacts {
    /// Creates the facts of a service without kinds and exceptions.
    pub const fn of(service: &'static ServiceShape) -> Self {
        Self {
            service,
            kinds: &[],
            functions: &[],
            values: &[],
            texts: &[],
            open: &[],
            unreachable: &[],
            unchecked_references: &[],
            random_answers: &[],
            unpaged: &[],
            page_parameters: &[],
            subject_parts: &[],
            written_by_reads: &[],
            timed_tables: &[],
            remaining_rows: &[],
            clean_up: |_| Ok(()),
            fill_tables: |_| Ok(Vec::new()),
            state_files: &[],
        }
    }
}

/// Operations as `service Operation` or `Kind call`, and the reason for an exception.
pub type OperationGroup = (&'static [&'static str], &'static str);

/// Facts about a kind.
#[derive(Clone, Copy, Debug)]
pub struct KindFacts {
    /// The kind.
    pub kind: &'static KindShape,
    /// Reads a model from JSON and writes it again, with its secrets.
    pub json_round_trip: fn(&str) -> Result<String>,
    /// Reason for which the kind has no examples.
    pub excluded: Option<&'static str>,
    /// Parameters of the calls that create the examples: at least two, unless the kind is excluded.
    pub examples: &'static [&'static str],
    /// The call that creates the kind, if that is not its `create`.
    pub created_by: Option<CreatedBy>,
    /// Field that distinguishes two otherwise equal examples, where that is not the name, and its value with a number in place
    /// of `#`.
    pub unique: Option<(&'static str, &'static str)>,
    /// Result of a second create with the same parameters.
    pub duplicate: Duplicate,
    /// Fields that identify a model in a listing, for a kind without identity.
    pub matched_by: &'static [&'static str],
    /// Fields that are set but not returned.
    pub not_returned: &'static [&'static str],
    /// Fields that are accepted and ignored: the field, and the other field with the value for which it is ignored.
    pub ignored: &'static [(&'static str, (&'static str, &'static str))],
    /// Updates with values that cannot be derived from the shape.
    pub changes: &'static [&'static str],
    /// Further parameters of calls that create a resource like an example, with values that cannot be derived from the shape.
    pub settings: &'static [&'static str],
    /// Fields that no generated value and no example sets when a resource is created, and the reason.
    pub never_created: &'static [(&'static str, &'static str)],
    /// Fields that no change can change, and the reason.
    pub never_changed: &'static [(&'static str, &'static str)],
    /// True if changes take effect after the answer, with a state that the resource leaves by itself.
    pub changes_later: bool,
    /// Fields that change with another field: that field, and the dependent fields.
    pub dependent_fields: &'static [(&'static str, &'static [&'static str])],
    /// Parameters of `list` that are required although optional in the shape, or that have another name: the parameter, and the
    /// field or parameter of `create` with the value.
    pub list_parameters: &'static [(&'static str, &'static str)],
    /// Parameters of `list` that are set to true, because resources are omitted without them.
    pub list_flags: &'static [&'static str],
    /// True if the kind is listed without pages.
    pub listed_at_once: bool,
    /// True if an account cannot have more resources than the smallest page has.
    pub fits_on_one_page: bool,
    /// Calls that add more than fields to an example.
    pub extras: &'static [Step],
    /// Calls on the examples without which other calls on them are refused.
    pub prepared: &'static [Step],
    /// Calls that add items to listings, and that block deletion of the example.
    pub page_items: &'static [Step],
    /// Further parameters of calls, so that they answer little, or are accepted at all: the call, and a JSON object. In it `$.Field` is
    /// a field of the resource itself.
    pub call_parameters: &'static [(&'static str, &'static str)],
    /// Further parameters of `update`, as a JSON object.
    pub update: &'static str,
    /// Further parameters of `delete`, as a JSON object.
    pub deletion: &'static str,
    /// Calls that remove settings that block a deletion: the call, and its parameters.
    pub deletion_blockers: &'static [(&'static str, &'static str)],
    /// True if deletion of a deleted resource succeeds.
    pub idempotent_delete: bool,
    /// Calls that succeed for a deleted resource, because they list other resources by one of its fields.
    pub calls_without_resource: &'static [&'static str],
}

impl KindFacts {
    /// Creates the facts of a kind without examples and exceptions.
    pub const fn of<M: Resource>() -> Self {
        Self {
            kind: M::KIND,
            json_round_trip: |json| M::from_json(json).map(|model| model.to_json_exposed()),
            excluded: None,
            examples: &[],
            created_by: None,
            unique: None,
            duplicate: Duplicate::Refused,
            matched_by: &[],
            not_returned: &[],
            ignored: &[],
            changes: &[],
            settings: &[],
            never_created: &[],
            never_changed: &[],
            changes_later: false,
            dependent_fields: &[],
            list_parameters: &[],
            list_flags: &[],
            listed_at_once: false,
            fits_on_one_page: false,
            extras: &[],
            prepared: &[],
            page_items: &[],
            call_parameters: &[],
            update: "{}",
            deletion: "{}",
            deletion_blockers: &[],
            idempotent_delete: false,
            calls_without_resource: &[],
        }
    }

    /// Creates the facts of a kind that has no examples for a reason.
    pub const fn excluded<M: Resource>(reason: &'static str) -> Self {
        Self { excluded: Some(reason), ..Self::of::<M>() }
    }
}

/// The call that creates a kind without `create`.
#[derive(Clone, Copy, Debug)]
pub struct CreatedBy {
    /// Kind of the call.
    pub kind: &'static KindShape,
    /// Name of the call.
    pub call: &'static str,
    /// Parameter with a list of the fields of each resource; none if the parameters are the fields.
    pub items: Option<&'static str>,
}

/// Result of a second create with the same parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicate {
    /// It is refused.
    Refused,
    /// It creates another resource, unless the parameters have the [`unique`](KindFacts::unique) field.
    Allowed,
    /// It returns the first resource and changes nothing.
    Idempotent,
}

/// A call on an example.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Number of the example, from 0; none for the last.
    pub example: Option<usize>,
    /// Call of the kind.
    pub call: &'static str,
    /// Parameters without the identity; changes, for an update.
    pub params: &'static str,
}

impl Step {
    /// Creates a call on the last example.
    pub const fn last(call: &'static str, params: &'static str) -> Self {
        Self { example: None, call, params }
    }

    /// Creates a call on the example with this number, from 0.
    pub const fn nth(example: usize, call: &'static str, params: &'static str) -> Self {
        Self { example: Some(example), call, params }
    }
}

/// Rows that stay after everything is deleted.
#[derive(Clone, Copy, Debug)]
pub enum RemainingRows {
    /// All rows of a table.
    Table(&'static str),
    /// Rows of a table with this text as the last part of the key.
    Key(&'static str, &'static str),
    /// Rows of a table that contain this text, and all rows of the service that have the last part of their keys.
    Resource(&'static str, &'static str),
}

/// A resource in a state file: its kind, and fields that identify it.
pub type FilledResource = (&'static KindShape, Map<Value>);

/// Returns a model as a resource in a state file.
pub fn filled_resource<M: Resource>(model: &M) -> FilledResource {
    let Value::Map(known) = record::to_value(model) else { unreachable!("a record is a map") };
    (M::KIND, known)
}

/// Checks of the content of a state file, beside the models that are recorded with it.
#[derive(Clone, Copy, Debug)]
pub struct StateFileCheck {
    /// Name of the file.
    pub file: &'static str,
    /// Checks the file as it was written.
    pub opened: fn(&World) -> Result<()>,
    /// Checks it after its due work has run. It may advance the clock.
    pub later: fn(&World) -> Result<()>,
}
