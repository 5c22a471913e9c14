//! Derives and an attribute that describe a kind: `Resource`, `Record`, `Choice`, and `operation`.
//!
//! Each generates one static table, the shape, and access to the fields by index; everything else reads the
//! shape. The traits are in `nephos-core`.

mod answers;
mod attrs;
mod calls;
mod choice;
mod fields;
mod manager_call;
mod methods;
mod names;
mod operation;
mod permission;
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
/// | `service = PATH` | the static `ServiceShape` that it belongs to; `crate::SERVICE` by default |
/// | `case = "camel"` | case of its fields in the specification; `"pascal"` by default |
/// | `wire = "camel"` | case of its fields on the wire, if it differs |
/// | `arn = "Arn"`, `name = "…"`, `pk = "…"` | its identities, by field path: `"AssumedRoleUser.Arn"` |
/// | `arn("ArchiveArn", "archive/{ArchiveName}")` | its ARN, and the template of the resource part, which makes ARNs, finds resources by them, and is the default subject of operations; `arn("vpc/{VpcId}")` if no field has the ARN |
/// | `pk("repositoryName", "imageId")` | a pk that is an ordered mapping |
/// | `exists_if = "creationTime"` | the field that only the service assigns |
/// | `tags = "Tags"` | the field with its tags |
/// | `frozen` | callers cannot change it; `extras`: it keeps unknown fields |
/// | `hot` | it is read and written so often that it gets its own code for that |
/// | `not_found = \|name\| errors::not_found(name)` | the error for a name or an ARN that does not exist |
/// | `no_delete` | it cannot be deleted |
/// | `relation(vpc, one = Vpc, with = find_vpc)` | a relation, remembered by the model; `many = …` for several; `uncached`: for filters only |
/// | `check = PATH`, `derive_fields = PATH` | checks rules over several fields; updates derived fields |
///
/// The struct's last field is `slot: Slot`. Every other field is an `Option` with `#[field(…)]`: see
/// [`Record`](derive@Record).
#[proc_macro_derive(Resource, attributes(resource, field))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    run(input, resource::derive)
}

/// Describes a record: nested in models, or the answer of an operation.
///
/// On the struct, `#[record(…)]`: `case`, `wire`, `extras`, `check`, `derive_fields` as for
/// [`Resource`](derive@Resource), and `name = "…"` for another name in the specification; `shared` for parameters
/// that several operations take with `include(…)`; `answer` for records that only a service makes, with getters
/// only; `row` for records that only a service sees, without methods. On each field, `#[field(…)]`:
///
/// | | |
/// |---|---|
/// | `name = "DBName"` | the specification's spelling, if it does not follow from the case |
/// | `wire = "…"` | the provider's spelling, if it differs; `not_on_wire` if the record on the wire lacks the field |
/// | `alias = "…"` | another spelling accepted on input |
/// | `required`, `service_set` | the caller must set it; only the service sets it; by default the caller may |
/// | `fixed` | it cannot be changed once the resource exists |
/// | `default = …` | default for callers who do not set it |
/// | `sent_with = "AuthParameters"` | an update of a model that sends that field sends this one too, changed or not |
/// | `clear = ""` | value that an update sends if the field is set to null, because the service keeps what is not given |
/// | `length(1..=512)`, `range(0..=9)`, `pattern = "…"`, `one_of(1, 3)` | rules; `each(…)` for the items of a list; `pattern("…", errors::name_invalid)` if the service has a text of its own |
/// | `like = TargetGroup::port` | the rules of that field of another record, instead of its own; `each(like = …)` for the items of a list |
/// | `item = "Tag"`, `flat` | a list's item name on the wire; a list without a list around it |
/// | `in_path`, `in_query`, `in_header`, `payload` | location on the wire, if not in the body; `payload`: it is the whole body |
/// | `time = "epoch_millis"` | an instant's form on the wire |
/// | `spellings = PATH` | text values with another spelling on the wire |
/// | `response_only` | the service returns it, but it is not sent in requests, although a caller may set it |
/// | `sensitive`, `idempotency_token` | never printed; an idempotency token, generated if left out |
/// | `page_token`, `page_size`, `page_size = 100` | parameters of pagination: token and size of a page, and its default |
/// | `wire_only` | a parameter that calls of a manager do not have |
/// | `condition = "secretsmanager:Name"` | the condition key of policies that has the value of this parameter; of a record: the names of the members that have a value |
/// | `condition = "elasticache:AuthTokenEnabled is given = false"` | the key is true if the parameter has a value; `is enabled`: if it has this value. `= false` is the value of the key without the parameter |
/// | `condition = "kms:EncryptionContext:${Key} + kms:EncryptionContextKeys"` | of a map: the condition key of each entry, and the one that has the names of all entries |
/// | `no_effect` | the value is kept and returned, and changes nothing else here |
/// | `not_in_list` | listings omit it: a filter, an order or a column that needs it gets each model |
/// | `optional` | of a field that a kind takes from another one, which requires it: callers may leave it out |
/// | `from_model` | a parameter that the call on a model takes from the model's field, which may have another type |
/// | `printed_after = "x y"` | members after this one that only the provider's runtime has; refusals that show the record print them as null |
/// | `tags_by_type` | a parameter with tags by the type of resource, `TagSpecifications`: a call with a model sends the tags of the model, for the type in its ARNs |
#[proc_macro_derive(Record, attributes(record, field))]
pub fn derive_record(input: TokenStream) -> TokenStream {
    run(input, fields::derive_record)
}

/// Describes an enum: unit variants, each with the specification's spelling in `#[choice("…")]` if it is not the
/// variant's name, and `wire = "…"` if the provider's differs. The last variant, `#[choice(unknown)]`, holds the
/// text of unknown values.
#[proc_macro_derive(Choice, attributes(choice))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    run(input, choice::derive)
}

/// Describes an operation. The fields of the struct are its parameters, required unless they are `Option`s; those
/// that it takes from its kind come first.
///
/// | | |
/// |---|---|
/// | `service = PATH` | an operation on the wire, named like the struct |
/// | `of = LogGroup` | the kind that it belongs to |
/// | `needs(log_group_name)` | required parameters with the types, rules and docs of fields of the kind |
/// | `takes(tags, kms_key_id(wire = "k"))` | optional parameters from fields of the kind; overrides in parentheses, as on a field |
/// | `takes(settable)`, `takes(changeable)` | all fields that a caller can set, or can change afterwards; `except(tags)`: except these |
/// | `include(Page)` | the parameters of a record with `#[record(shared)]` |
/// | `subject = "log-group:{logGroupName}"` | the ARNs that it acts on: templates over its parameters, joined with ` + `; `*` for none |
/// | `action = "ListBucket"` | the action that a caller needs, if it has another name than the operation |
/// | `access = list` | access level of the action (`list`, `read`, `write`, `tagging`, `permissions`), if it does not follow from effect and name |
/// | `also_requires("iam:PassRole" = "roleArn? {roleArn}")` | further actions that a call needs, and templates of their resources; `"Tags?"`: the subject, if that parameter was given; `"iam:PassRole to ecs-tasks.amazonaws.com"`: the service that a role is passed to, if it is not the own one |
/// | `no_permission` | every caller may run it |
/// | `unsigned` | requests are not signed: their parameters prove the identity of the caller; with `no_permission` |
/// | `kind = LogGroup, call = "create"` | an operation of a kind's manager |
/// | `service = …, of = LogGroup, call = "delete"` | an operation on the wire that the kind's manager offers unchanged |
/// | `returns(log_groups: Vec<LogGroup>)` | the field of the response that the call returns; with `, next_token`, of all pages; with `=> PATH`, a function that converts the items of a page |
/// | `effect = read` or `write`, `output = TYPE` | its effect on the state, and its answer |
/// | `page(log_groups, next_token)` | its answer is a page of the kind; `page(keys: KeyEntry, marker, truncated)` of another type, and with a flag |
/// | `wraps(key_metadata)` | its answer is the kind in a member of this name; `wraps(location: Text)` another type |
/// | `page(vpcs(wire = "vpcSet"), …)`, `wraps(key(name = "SSHPublicKey"))` | words of the member's field, as for a record |
/// | `runs = ListRules` | of a call with `kind`: it is this operation, with the parameters of the same names; with `model`, the call takes the whole model, too |
/// | `answers(state, arn as event_bus_arn)` | its answer has these fields of the kind |
/// | `read_back` | the call returns the model as the kind's call `get` finds it afterwards |
/// | `changes` | with `call = "update"`: the call sends what changed in a model by this operation, then tags, and reads it back; on a call, `changes(UpdateRole, PutPolicy)` |
/// | `clears(retention_in_days)` | of an operation of `changes`: it is sent if these fields were set to null |
/// | `replaces` | of an operation of `changes`: settings that are not sent are removed |
/// | `model, overrides(tags)` | the call takes the whole model; these fields, or the parameters of these records in `include`, may be given beside it |
/// | `find(arn in arns, name in names)` | generates the call `get`: a listing by one of these keys; `find(name)` if the parameter takes one key |
/// | `with = PATH` | an async function that completes the answer of `get` or of the call |
/// | `http("GET", "/v1/x/{name}", 200)` | method, path and status, for REST services |
/// | `one_of(name, arn)` | optional parameters of which a call has exactly one |
/// | `none_if_missing` | the call returns none if the resource does not exist |
/// | `pushdown(name_prefix = "Name")` | of a listing: the parameter that takes the prefix required by a filter; `pushdown(filters = PATH)`: a function that narrows the parameter by a filter |
/// | `copies_to_answer(registry_name)` | parameters to copy into the answer, or each item of a listing, because the service does not return them |
/// | `pages` | a paginated listing; `on_model`: a model can run it on itself; `on_model(user_name)`: with arguments that the model does not have |
/// | `case = "camel"` | case of its parameters in the specification |
///
/// On a parameter, `#[field(…)]` as for [`Record`](derive@Record), and `model` for the one that takes the whole
/// model, `from_field = "ARN"` for one that an instance takes from a field of another name.
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

/// Describes a record that has fields of a kind, and its own: an answer, or the row of a kind.
///
/// `#[record_of(of = Secret, takes(name, description, arn as secret_arn), row)]`: `takes` and `except` as for an
/// [`macro@operation`], the other words as for [`Record`](derive@Record). The record is made of a model with `From`.
///
/// With `#[derive(Resource)]` and `#[resource(…)]` below it, the struct is a kind of its own, which the service stores and answers
/// as another kind: clusters of document databases are clusters of databases. Its fields keep their rules and who sets them; the
/// words in parentheses change that: `takes(status, engine(optional, default = "docdb"))`. Its calls run the operations of the
/// other kind (`runs`), and `with` converts the answer.
#[proc_macro_attribute]
pub fn record_of(args: TokenStream, item: TokenStream) -> TokenStream {
    let args = proc_macro2::TokenStream::from(args);
    let item = proc_macro2::TokenStream::from(item);
    let expanded = projection::sources(&args)
        .map(|sources| projection::call_macro(&projection::mark_record(&args), &item, &sources, &[]));
    match expanded {
        Ok(Some(macro_call)) => macro_call.into(),
        Ok(None) => {
            answers::expand_record(args, item, &[]).unwrap_or_else(|error| error.to_compile_error()).into()
        }
        Err(error) => error.to_compile_error().into(),
    }
}

/// Generates an operation with the fields of its kind, as passed by the kind's macro.
#[doc(hidden)]
#[proc_macro]
pub fn operation_of(input: TokenStream) -> TokenStream {
    operation::expand_of(parse_macro_input!(input as projection::Projection)).into()
}

fn run(input: TokenStream, derive: fn(&DeriveInput) -> Result<proc_macro2::TokenStream>) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
