//! The derives that describe a kind once: `Resource`, `Record`, `Choice`, and the attribute `operation`.
//!
//! Each emits one static table, the shape, and what lets generic code reach the fields by index; everything else
//! reads the shape. `nephos-core` has the traits; its documentation says what each derive gives.

mod attrs;
mod calls;
mod choice;
mod fields;
mod methods;
mod names;
mod operation;
mod projection;
mod resource;

use proc_macro::TokenStream;
use syn::{DeriveInput, Result, parse_macro_input};

/// Describes a kind of resource.
///
/// On the struct, `#[resource(…)]`:
///
/// | | |
/// |---|---|
/// | `service = PATH` | the static `ServiceShape` it belongs to (needed) |
/// | `case = "camel"` | how the specification spells its fields; `"pascal"` if not said |
/// | `wire = "camel"` | how the provider spells its fields, where that differs |
/// | `arn = "Arn"`, `name = "…"`, `pk = "…"` | its identities, by field path: `"AssumedRoleUser.Arn"` |
/// | `pk("repositoryName", "imageId")` | a pk that is an ordered mapping |
/// | `saved_when = "creationTime"` | the field that only the service assigns |
/// | `tags = "Tags"` | the field that holds its tags |
/// | `frozen` | callers cannot change it; `extras`: it keeps fields it does not know |
/// | `hot` | it is read and written so often that it gets code of its own for that |
/// | `absent = errors::NOT_FOUND` | the code for "there is none", where the service has several |
/// | `calls(Create, Get, …)` | the operations of its manager |
/// | `create = Create`, `update = …`, `delete = …`, `get = …` | what `save`, `delete` and refreshing carry out |
/// | `relation(vpc, one = Vpc, with = find_vpc)` | a lookup, cached on the model; `many = …` for several; `uncached`: for filters only |
/// | `check = PATH`, `settle = PATH` | rules over several fields; fields that follow from others |
///
/// The struct's last field is `slot: Slot`. Every other field is an `Option` with `#[field(…)]`: see
/// [`Record`](derive@Record).
#[proc_macro_derive(Resource, attributes(resource, field))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    run(input, resource::derive)
}

/// Describes a record that is nested in models, or that an operation answers.
///
/// On the struct, `#[record(…)]`: `case`, `wire`, `extras`, `check`, `settle` as for [`Resource`](derive@Resource), and
/// `name = "…"` where the specification calls it otherwise; `shared` for parameters that several operations take with
/// `also(…)`; `answer` for what only a service makes, which has getters only; `row` for what only a service sees, which has no
/// methods at all. On each field, `#[field(…)]`:
///
/// | | |
/// |---|---|
/// | `name = "DBName"` | the specification's spelling, where the case does not give it |
/// | `wire = "…"` | the provider's spelling, where it differs; `not_on_wire` if the wire's record lacks the field |
/// | `alias = "…"` | another spelling accepted on input |
/// | `required`, `service_set` | who gives the value; the caller may, if not said |
/// | `fixed` | it cannot be changed once the resource exists |
/// | `default = …` | the value when a caller gives none |
/// | `length(1..=512)`, `range(0..=9)`, `pattern = "…"`, `one_of(1, 3)` | rules; `each(…)` for the items of a list |
/// | `like = TargetGroup::port` | the rules of that field of another record, instead of its own |
/// | `item = "Tag"`, `flat` | a list's item name on the wire; a list without a list around it |
/// | `in_path`, `in_query`, `in_header` | where it travels, if not in the body |
/// | `time = "epoch_millis"` | an instant's form on the wire |
/// | `spellings = PATH` | text values the wire spells otherwise |
/// | `unsent` | the service tells it, and requests do not carry it, although a caller may set it |
/// | `sensitive`, `token` | never printed; made up when left out |
/// | `page_token`, `page_size` | of a parameter: where a page begins, and how long it is |
/// | `wire_only` | of a parameter: a call of a manager does not have it |
/// | `from_model` | of a parameter: the call on a model takes it from the model, whatever the type of its field |
#[proc_macro_derive(Record, attributes(record, field))]
pub fn derive_record(input: TokenStream) -> TokenStream {
    run(input, fields::derive_record)
}

/// Describes an enum: unit variants, each with the specification's spelling in `#[choice("…")]` where it is not the
/// variant's name, and `wire = "…"` where the provider's differs; the last variant, marked `#[choice(unknown)]`,
/// holds the text of values that are not known.
#[proc_macro_derive(Choice, attributes(choice))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    run(input, choice::derive)
}

/// Describes an operation; the fields of the struct are its parameters, required unless they are `Option`s, after those
/// that it takes from its kind.
///
/// | | |
/// |---|---|
/// | `service = PATH` | an operation on the wire, named like the struct |
/// | `of = LogGroup` | the kind that it is about |
/// | `needs(log_group_name)` | required parameters with the types, rules and docs of fields of the kind |
/// | `takes(tags, kms_key_id(wire = "k"))` | the same, optional; in parentheses what differs, as on a field |
/// | `takes(settable)`, `takes(changeable)` | all that a caller sets, or can change afterwards; `leaves(tags)`: but for these |
/// | `also(Page)` | the parameters of a record of shared ones, `#[record(shared)]` |
/// | `subject = "log-group:{logGroupName}"` | what it acts on: a template over its parameters |
/// | `kind = LogGroup, call = "create"` | an operation of a kind's manager |
/// | `service = …, of = LogGroup, call = "delete"` | an operation on the wire that the kind's manager offers as it is |
/// | `gives(log_groups: Vec<LogGroup>)` | what that call gives of the answer; with `, next_token` all pages of it; with `=> PATH`, what that makes of a page |
/// | `effect = read` or `write`, `output = TYPE` | what it does, and answers |
/// | `model, beside(tags)` | the call takes the whole model; these may also stand beside it |
/// | `find(arn in arns, name in names)` | the call `get`: a listing of one, by one of these |
/// | `with = PATH` | an async function that completes what `get` or the call gives |
/// | `http("GET", "/v1/x/{name}", 200)` | method, path and status, for services that have them |
/// | `optional` | the call gives none where the service says that there is none |
/// | `pushes(name_prefix = "Name")` | of a listing: the parameter that takes the beginning which a filter asks for |
/// | `narrow(filters = PATH)` | of a listing: a function that gives a parameter a narrower value by a filter |
/// | `echoes(registry_name)` | of a listing: parameters that the service does not repeat in each item |
/// | `pages` | it lists, a page at a time; `instance`: a model can do it to itself |
/// | `case = "camel"` | how the specification spells its parameters |
///
/// On a parameter, `#[field(…)]` as for [`Record`](derive@Record), and `model` for the one that takes the whole
/// model, `from = "ARN"` for one that an instance takes from a field of another name.
#[proc_macro_attribute]
pub fn operation(args: TokenStream, item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    match operation::expand(args.into(), &item) {
        Ok(expanded) => expanded.into(),
        Err(error) => match syn::parse2(item) {
            Ok(input) => operation::struct_with_error(&input, &error).into(),
            Err(_) => error.to_compile_error().into(),
        },
    }
}

/// Describes an operation whose kind's macro has told the kind's fields.
#[doc(hidden)]
#[proc_macro]
pub fn operation_of(input: TokenStream) -> TokenStream {
    operation::expand_of(parse_macro_input!(input as projection::Projection)).into()
}

fn run(input: TokenStream, derive: fn(&DeriveInput) -> Result<proc_macro2::TokenStream>) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
