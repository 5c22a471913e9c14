//! Shapes: static descriptions of services, kinds, fields and operations. Codecs, validation, the command line,
//! documentation and tests read them; none of those has code per kind.

mod kind;
mod service;

pub use kind::{Identity, KindShape, RelationShape};
pub use service::{Protocol, Registry, ServiceShape, TagNames};

use crate::{FieldSet, TimeForm, pattern::Pattern, record::Fields};
use std::{any::Any, fmt};

/// Type of a field's value.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// A number with a fraction.
    Float,
    /// Text.
    Text,
    /// An instant.
    Time,
    /// Bytes.
    Blob,
    /// Text that must not be printed.
    Secret,
    /// Any JSON value.
    Any,
    /// One of a fixed set of names.
    Choice(&'static ChoiceShape),
    /// A nested record.
    Record(&'static RecordShape),
    /// A list of items of one type.
    List(&'static Type),
    /// A mapping from text to values of one type.
    Map(&'static Type),
}

impl Type {
    /// True if a part of a value of this type can break a rule.
    pub const fn has_rules_within(&self) -> bool {
        match self {
            Self::Float | Self::Choice(_) | Self::Record(_) => true,
            Self::List(item) | Self::Map(item) => item.has_rules_within(),
            _ => false,
        }
    }

    /// True if values of this type contain records.
    pub const fn has_records_within(&self) -> bool {
        match self {
            Self::Record(_) => true,
            Self::List(item) | Self::Map(item) => item.has_records_within(),
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    /// Writes the type in the specification's notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Float => f.write_str("number"),
            Self::Text => f.write_str("str"),
            Self::Time => f.write_str("datetime"),
            Self::Blob => f.write_str("bytes"),
            Self::Secret => f.write_str("secret"),
            Self::Any => f.write_str("object"),
            Self::Choice(choice) => f.write_str(choice.name),
            Self::Record(record) => f.write_str(record.name),
            Self::List(item) => write!(f, "list[{item}]"),
            Self::Map(value) => write!(f, "dict[str,{value}]"),
        }
    }
}

/// Source of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// A caller must set it.
    Required,
    /// A caller may set it.
    Optional,
    /// The service sets it; callers cannot assign it.
    ServiceSet,
}

/// Location of a member in a request or response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Location {
    /// Body.
    #[default]
    Body,
    /// Path, at its wire name.
    Path,
    /// Query string, under its wire name.
    Query,
    /// Header named like its wire name.
    Header,
    /// The whole body: bytes that are not encoded.
    Payload,
    /// Not on the wire: a field of the model that the record on the wire does not have.
    NotOnWire,
}

/// The part of a parameter in pagination: it may differ from page to page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paging {
    /// The pagination token of the previous page.
    Token,
    /// The maximum number of items on a page.
    Size,
}

/// Spelling of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Spelling of the specification; the provider's is accepted.
    Neutral,
    /// Spelling of the provider.
    Wire,
}

/// A rule that a value has to keep.
#[derive(Debug)]
pub enum Rule {
    /// Number of characters of a text, bytes of a blob, items of a list or entries of a mapping.
    Length {
        /// Minimum.
        min: usize,
        /// Maximum.
        max: usize,
    },
    /// A number from `min` to `max`, both included.
    Range {
        /// Minimum.
        min: i64,
        /// Maximum.
        max: i64,
    },
    /// Text that matches the whole expression.
    Pattern(&'static Pattern),
    /// One of these values.
    OneOf(&'static [Literal]),
    /// Rules of every item of a list, or value of a mapping.
    Each(&'static [Rule]),
}

/// A value in a static table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text, or the specification's spelling of an enum value.
    Text(&'static str),
    /// A new empty list.
    EmptyList,
    /// A new empty mapping.
    EmptyMap,
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(value) => f.write_str(value),
            Self::EmptyList => f.write_str("[]"),
            Self::EmptyMap => f.write_str("{}"),
        }
    }
}

/// One field of a record, or one parameter of an operation.
#[derive(Clone, Copy, Debug)]
pub struct FieldShape {
    /// Specification's spelling, in JSON, the command line and Python.
    pub name: &'static str,
    /// Spelling in Rust.
    pub rust_name: &'static str,
    /// Provider's spelling.
    pub wire: &'static str,
    /// Specification's spelling as a JSON key with the colon: `"Name":`.
    pub key: &'static str,
    /// Provider's spelling as a JSON key with the colon.
    pub wire_key: &'static str,
    /// Provider's spelling as XML tags: `<Name>` and `</Name>`.
    pub xml_tags: [&'static str; 2],
    /// Documentation.
    pub docs: &'static str,
    /// Type of the value.
    pub ty: Type,
    /// Source of the value.
    pub presence: Presence,
    /// True if it cannot be changed once the resource exists.
    pub fixed: bool,
    /// Default for callers who do not set it.
    pub default: Option<Literal>,
    /// Rules of the value.
    pub rules: &'static [Rule],
    /// Location on the wire.
    pub location: Location,
    /// True if the value must not be printed.
    pub sensitive: bool,
    /// True for a field of a kind that listings omit.
    pub not_in_list: bool,
    /// Settings that most fields do not have.
    pub details: &'static FieldDetails,
}

/// Settings that most fields do not have. They are apart from [`FieldShape`], whose every member the compiler evaluates for each
/// field of each record.
#[derive(Clone, Copy, Debug)]
pub struct FieldDetails {
    /// Other spellings accepted on input.
    pub aliases: &'static [&'static str],
    /// Value that an update sends for null, because the service keeps settings that are not given.
    pub clear: Option<Literal>,
    /// Element name of a list's items on the wire.
    pub item: &'static str,
    /// True if a list's items are on the wire without a list around them.
    pub flat: bool,
    /// Form of an instant on the wire.
    pub time: TimeForm,
    /// Text values that have another spelling on the wire: the specification's spelling, then the wire's.
    pub spellings: &'static [(&'static str, &'static str)],
    /// True for an idempotency token: one is generated if the caller leaves it out.
    pub token: bool,
    /// True for a field of a nested record that the service returns and that is not sent in requests, although a
    /// caller may set it.
    pub response_only: bool,
    /// True for a parameter of an operation on the wire that a manager's call does not have.
    pub wire_only: bool,
    /// True if the value is kept and returned, and changes nothing else here.
    pub no_effect: bool,
    /// Role in pagination, if it has one.
    pub paging: Option<Paging>,
    /// Page size if the caller gives none; the maximum by default.
    pub default_page_size: Option<usize>,
    /// True for the parameter that takes the whole model.
    pub model: bool,
    /// Field of the model that a required parameter of an instance's operation is taken from; alternatives are joined with `|`.
    pub from: &'static str,
    /// True for a parameter with tags by the type of resource, which a call with a model fills with the tags of the model.
    pub tags_by_type: bool,
    /// Condition key of policies that has the value of this parameter; empty if none has.
    pub condition: &'static str,
    /// Another field of the model: an update that sends it sends this one too, changed or not; empty if there is none.
    pub sent_with: &'static str,
    /// Names of members after this one that only the provider's runtime has. Refusals print them as null.
    pub printed_after: &'static str,
}

impl FieldDetails {
    /// No settings: those of most fields.
    pub const NONE: &'static Self = &Self::BLANK;

    /// Default values for the derives.
    #[doc(hidden)]
    pub const BLANK: Self = Self {
        aliases: &[],
        clear: None,
        item: "member",
        flat: false,
        time: TimeForm::Usual,
        spellings: &[],
        token: false,
        response_only: false,
        wire_only: false,
        no_effect: false,
        paging: None,
        default_page_size: None,
        model: false,
        from: "",
        tags_by_type: false,
        condition: "",
        sent_with: "",
        printed_after: "",
    };
}

impl FieldShape {
    /// Returns a text value in the wire's or the specification's spelling for this field.
    pub fn spelled<'t>(&self, text: &'t str, spelling: Spelling) -> &'t str {
        let spelled = self.details.spellings.iter().find_map(|(name, wire)| match spelling {
            Spelling::Wire if *name == text => Some(*wire),
            Spelling::Neutral if *wire == text => Some(*name),
            _ => None,
        });
        spelled.unwrap_or(text)
    }

    /// Name of the model's field that a parameter is taken from; the first of alternatives.
    pub fn source(&self) -> &'static str {
        let from = self.details.from.split('|').next().unwrap_or_default();
        if from.is_empty() { self.name } else { from }
    }

    /// True if a parameter is taken from the model's field `name`.
    pub fn is_taken_from(&self, name: &str) -> bool {
        self.details.from.split('|').any(|from| from == name)
    }

    /// True if `key` is one of the spellings accepted on input.
    pub fn answers_to(&self, key: &str) -> bool {
        self.name == key
            || self.details.aliases.contains(&key)
            || (self.wire == key && self.location != Location::NotOnWire)
    }
}

/// Returns the shape of the field `rust_name` of a record. A missing field is a compile error.
///
/// The compiler interprets this for every use, so it takes steps that are few and cheap.
#[doc(hidden)]
pub const fn field_of(record: &'static RecordShape, rust_name: &str) -> FieldShape {
    let (fields, length) = (record.fields, rust_name.len());
    let mut at = 0;
    while at < fields.len() {
        let name = fields[at].rust_name;
        if name.len() == length && same_text(name, rust_name) {
            return fields[at];
        }
        at += 1;
    }
    panic!("the record has no field of this name")
}

/// Returns the shape of the field at `position` in a record.
#[doc(hidden)]
pub const fn field_at(record: &'static RecordShape, position: usize) -> FieldShape {
    record.fields[position]
}

/// Returns the details of the field at a position of a record.
#[doc(hidden)]
pub const fn details_at(record: &'static RecordShape, position: usize) -> &'static FieldDetails {
    record.fields[position].details
}

/// Returns the shape of a field as a parameter: presence, default and location are up to the operation.
#[doc(hidden)]
pub const fn parameter_at(record: &'static RecordShape, position: usize, presence: Presence) -> FieldShape {
    let mut field = record.fields[position];
    field.presence = presence;
    field.fixed = false;
    field.default = None;
    if matches!(field.location, Location::NotOnWire) {
        field.location = Location::Body;
    }
    field
}

/// Compares two texts of the same length.
const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// A record: a named list of fields.
#[derive(Debug)]
pub struct RecordShape {
    /// Specification's name.
    pub name: &'static str,
    /// Documentation.
    pub docs: &'static str,
    /// Fields, in order.
    pub fields: &'static [FieldShape],
    /// Fields that have anything to check.
    pub checked: FieldSet,
    /// True if a field, or a nested record, has a default.
    pub defaults: bool,
    /// Fields that may be shown and whose form in a body is that of their type.
    pub plain: FieldSet,
    /// Fields of a model that the record on the wire does not have.
    pub not_on_wire: FieldSet,
    /// Fields of a model that listings omit.
    pub not_in_list: FieldSet,
    /// True if it keeps unknown fields.
    pub extras: bool,
    /// Makes a record with all fields blank.
    pub blank: fn() -> Box<dyn Fields>,
}

impl RecordShape {
    /// The shape of a record with these fields, with what follows from them.
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        docs: &'static str,
        fields: &'static [FieldShape],
        extras: bool,
        blank: fn() -> Box<dyn Fields>,
    ) -> Self {
        let none = FieldSet::NONE;
        let mut shape = Self {
            name,
            docs,
            fields,
            checked: none,
            defaults: false,
            plain: none,
            not_on_wire: none,
            not_in_list: none,
            extras,
            blank,
        };
        let mut at = 0;
        while at < fields.len() {
            shape.add_to_sets(at, &fields[at]);
            at += 1;
        }
        shape
    }

    /// Adds the field at `at` to the sets that it belongs to.
    const fn add_to_sets(&mut self, at: usize, field: &FieldShape) {
        let is_required = matches!(field.presence, Presence::Required);
        if is_required || !field.rules.is_empty() || field.ty.has_rules_within() {
            self.checked.insert(at);
        }
        if field.default.is_some() || field.ty.has_records_within() {
            self.defaults = true;
        }
        let details = field.details;
        let is_usual = matches!(field.location, Location::Body) && matches!(details.time, TimeForm::Usual);
        if is_usual && !field.sensitive && details.spellings.is_empty() {
            self.plain.insert(at);
        }
        if matches!(field.location, Location::NotOnWire) {
            self.not_on_wire.insert(at);
        }
        if field.not_in_list {
            self.not_in_list.insert(at);
        }
    }

    /// Finds the field named `key`, in one of the spellings accepted on input. `expected` is its probable index.
    pub fn find(&self, key: &str, expected: usize) -> Option<usize> {
        if self.fields.get(expected).is_some_and(|field| field.name == key) {
            return Some(expected);
        }
        self.fields
            .iter()
            .position(|field| field.name == key)
            .or_else(|| self.fields.iter().position(|field| field.answers_to(key)))
    }

    /// Finds the field with the wire name `key` in a body. `expected` is its probable index.
    pub fn find_wire(&self, key: &str, expected: usize) -> Option<usize> {
        let is = |field: &FieldShape| field.wire == key && field.location == Location::Body;
        if self.fields.get(expected).is_some_and(is) {
            return Some(expected);
        }
        self.fields.iter().position(is)
    }

    /// Finds the field that is spelled `name` in the specification or in Rust.
    pub fn field(&self, name: &str) -> Option<(usize, &'static FieldShape)> {
        let fields = self.fields.iter().enumerate();
        fields.into_iter().find(|(_, field)| field.rust_name == name || field.answers_to(name))
    }

    /// Finds the field at a path, `id.category`: the index of the field of this record, and the shape of the last field.
    pub fn field_at(&self, path: &str) -> Option<(usize, &'static FieldShape)> {
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        let (index, field) = self.field(name)?;
        match field.ty {
            _ if rest.is_empty() => Some((index, field)),
            Type::Record(record) => Some((index, record.field_at(rest)?.1)),
            _ => None,
        }
    }
}

/// One value of an enum.
#[derive(Debug)]
pub struct ChoiceValue {
    /// Specification's spelling.
    pub name: &'static str,
    /// Provider's spelling.
    pub wire: &'static str,
    /// Documentation.
    pub docs: &'static str,
}

/// An enum: a fixed set of names.
#[derive(Debug)]
pub struct ChoiceShape {
    /// Specification's name.
    pub name: &'static str,
    /// Documentation.
    pub docs: &'static str,
    /// Values, in order.
    pub values: &'static [ChoiceValue],
}

impl ChoiceShape {
    /// Finds the value `text`: in the specification's spelling, or, accepted on input, the provider's.
    pub fn find(&self, text: &str) -> Option<usize> {
        self.values
            .iter()
            .position(|value| value.name == text)
            .or_else(|| self.values.iter().position(|value| value.wire == text))
    }

    /// Finds the value that is spelled `text` on the wire.
    pub fn find_wire(&self, text: &str) -> Option<usize> {
        self.values.iter().position(|value| value.wire == text)
    }
}

/// Effect of an operation on the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads only.
    Read,
    /// May write.
    Write,
}

/// Access level of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLevel {
    /// Lists resources, without their content.
    List,
    /// Reads the content of resources.
    Read,
    /// Creates, changes or deletes resources.
    Write,
    /// Changes nothing but tags.
    Tagging,
    /// Grants or changes permissions.
    PermissionsManagement,
}

impl fmt::Display for AccessLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::List => "List",
            Self::Read => "Read",
            Self::Write => "Write",
            Self::Tagging => "Tagging",
            Self::PermissionsManagement => "Permissions management",
        })
    }
}

/// Facts about the permission that an operation needs, where they do not follow from the rest of its shape.
#[derive(Clone, Copy, Debug)]
pub struct PermissionShape {
    /// Action, with or without the prefix of its service; empty if it has the name of the operation.
    pub action: &'static str,
    /// Access level, if it does not follow from name and effect.
    pub access: Option<AccessLevel>,
    /// Further actions that a call needs, each with the template of its resources. An empty template is the subject of the
    /// operation. `iam:PassRole to ecs-tasks.amazonaws.com` names the service that a role is passed to, if it is not the own one.
    pub further: &'static [(&'static str, &'static str)],
    /// True if every caller may run the operation.
    pub open: bool,
    /// True if requests are not signed: their parameters prove the identity of the caller.
    pub unsigned: bool,
}

impl PermissionShape {
    /// All facts follow from the rest of the shape.
    pub const DERIVED: Self = Self { action: "", access: None, further: &[], open: false, unsigned: false };
}

/// An operation: one of a service's on the wire, or one of a kind's manager.
#[derive(Debug)]
pub struct OperationShape {
    /// Name on the wire (`CreateLogGroup`), or on the manager (`create`).
    pub name: &'static str,
    /// Documentation.
    pub docs: &'static str,
    /// Parameters.
    pub params: &'static RecordShape,
    /// Type of the answer; none if there is no answer.
    pub output: Option<Type>,
    /// Service that it belongs to. A function, because services refer to their operations.
    pub service: fn() -> &'static ServiceShape,
    /// Kind that it belongs to, if any.
    pub kind: Option<&'static KindShape>,
    /// Effect on the state.
    pub effect: Effect,
    /// ARNs that it acts on: a template over its parameters, see [`subjects`](Self::subjects).
    pub subject: &'static str,
    /// Permission that it needs, where that does not follow from the rest.
    pub permission: PermissionShape,
    /// HTTP method and path, for REST services.
    pub http: Option<Http>,
    /// True if it is paginated.
    pub pages: bool,
    /// True if its answer has models as a listing returns them.
    pub lists: bool,
    /// True if a model can run it on itself.
    pub instance: bool,
    /// Parameters that a model on which it runs does not supply, as they are named in Rust.
    pub arguments: &'static [&'static str],
    /// Parameters of which a call has exactly one, as they are named in Rust.
    pub one_of: &'static [&'static str],
    /// Fields of the kind that it sets to null, as they are named in Rust.
    pub clears: &'static [&'static str],
    /// True if it removes settings that are not given.
    pub replaces: bool,
    /// The way to run it without knowing its type.
    pub reach: Reach,
}

/// The way to run an operation without knowing its type. A shape only stores it;
/// [`dynamic::reach`](crate::dynamic::reach) returns it.
#[derive(Clone, Copy)]
pub struct Reach(pub(crate) &'static (dyn Any + Send + Sync));

impl Reach {
    /// Stores a `dynamic::Reach`.
    #[doc(hidden)]
    pub const fn new(reach: &'static (dyn Any + Send + Sync)) -> Self {
        Self(reach)
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reach")
    }
}

/// HTTP method and path of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Http {
    /// `GET`, `POST` …
    pub method: &'static str,
    /// Path, with `{label}` for each member in it.
    pub path: &'static str,
    /// Status of a successful response.
    pub status: u16,
}
