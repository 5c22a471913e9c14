//! Shapes: static descriptions of everything a service knows. Codecs, validation, the command line, documentation
//! and tests read them; none of those has code per kind.

use crate::{Code, FieldSet, TimeForm, pattern::Pattern};
use std::{any::Any, fmt};

/// The type of a field's value.
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
    /// Text that is never printed.
    Secret,
    /// Anything JSON can say.
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
    /// Whether a value of this type can break a rule of something within it.
    pub const fn has_rules_within(&self) -> bool {
        match self {
            Self::Float | Self::Choice(_) | Self::Record(_) => true,
            Self::List(item) | Self::Map(item) => item.has_rules_within(),
            _ => false,
        }
    }

    /// Whether there are records in a value of this type.
    pub const fn has_records_within(&self) -> bool {
        match self {
            Self::Record(_) => true,
            Self::List(item) | Self::Map(item) => item.has_records_within(),
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    /// The type as the specification writes it.
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

/// Who gives a field its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The caller, always.
    Required,
    /// The caller, if they want to.
    Optional,
    /// The service; callers may not assign it.
    ServiceSet,
}

/// Where a member travels in a request or answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Location {
    /// In the body.
    #[default]
    Body,
    /// In the path, under its wire name.
    Path,
    /// In the query string, under its wire name.
    Query,
    /// In a header named like its wire name.
    Header,
    /// Nowhere: it is a field of the model that the wire's record does not have.
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

/// In which spelling text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// The specification's; the provider's is accepted.
    Neutral,
    /// The provider's.
    Wire,
}

/// A rule that a value has to keep.
#[derive(Debug)]
pub enum Rule {
    /// So many characters of text, bytes of a blob, items of a list or entries of a mapping.
    Length {
        /// At least.
        min: usize,
        /// At most.
        max: usize,
    },
    /// A number from `min` to `max`, both included.
    Range {
        /// At least.
        min: i64,
        /// At most.
        max: i64,
    },
    /// Text that matches the expression as a whole.
    Pattern(&'static Pattern),
    /// One of these.
    OneOf(&'static [Literal]),
    /// Every item of a list, or value of a mapping, keeps these.
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
    /// The specification's spelling: what JSON, the command line and Python say.
    pub name: &'static str,
    /// The spelling in Rust.
    pub rust_name: &'static str,
    /// The provider's spelling.
    pub wire: &'static str,
    /// The specification's spelling as JSON writes it before the value: `"Name":`.
    pub key: &'static str,
    /// The provider's spelling as JSON writes it before the value.
    pub wire_key: &'static str,
    /// The provider's spelling as XML writes it before and after the value: `<Name>` and `</Name>`.
    pub xml_tags: [&'static str; 2],
    /// Other spellings accepted on input.
    pub aliases: &'static [&'static str],
    /// What it is.
    pub docs: &'static str,
    /// The type of its value.
    pub ty: Type,
    /// Who gives it its value.
    pub presence: Presence,
    /// True if it cannot be changed once the resource exists.
    pub fixed: bool,
    /// What it is when a caller does not say.
    pub default: Option<Literal>,
    /// What its value has to keep.
    pub rules: &'static [Rule],
    /// Where it travels.
    pub location: Location,
    /// The name of a list's items on the wire.
    pub item: &'static str,
    /// Whether a list's items stand on the wire without a list around them.
    pub flat: bool,
    /// How an instant is written on the wire.
    pub time: TimeForm,
    /// Text values that the wire spells otherwise: the specification's spelling, then the wire's.
    pub spellings: &'static [(&'static str, &'static str)],
    /// Whether no printed form may show it.
    pub sensitive: bool,
    /// Whether a caller who leaves it out means "make one up": an idempotency token.
    pub token: bool,
    /// True for a field of a nested record that the service tells and a request does not carry, although a caller may set it.
    pub unsent: bool,
    /// True for a parameter of an operation on the wire that a manager's call does not have.
    pub wire_only: bool,
    /// Its part in pagination, if it has one.
    pub paging: Option<Paging>,
    /// Whether it is the parameter that takes the whole model.
    pub model: bool,
    /// For a required parameter of an instance's operation: the model's field it is taken from.
    pub from: &'static str,
}

impl FieldShape {
    /// What the derives start from.
    #[doc(hidden)]
    pub const BLANK: Self = Self {
        name: "",
        rust_name: "",
        wire: "",
        key: "",
        wire_key: "",
        xml_tags: [""; 2],
        aliases: &[],
        docs: "",
        ty: Type::Any,
        presence: Presence::Optional,
        fixed: false,
        default: None,
        rules: &[],
        location: Location::Body,
        item: "member",
        flat: false,
        time: TimeForm::Usual,
        spellings: &[],
        sensitive: false,
        token: false,
        unsent: false,
        wire_only: false,
        paging: None,
        model: false,
        from: "",
    };

    /// A text as the wire, or the specification, spells it in this field.
    pub fn spelled<'t>(&self, text: &'t str, spelling: Spelling) -> &'t str {
        let spelled = self.spellings.iter().find_map(|(name, wire)| match spelling {
            Spelling::Wire if *name == text => Some(*wire),
            Spelling::Neutral if *wire == text => Some(*name),
            _ => None,
        });
        spelled.unwrap_or(text)
    }

    /// Whether `key` is one of the spellings accepted on input.
    pub fn answers_to(&self, key: &str) -> bool {
        self.name == key
            || self.aliases.contains(&key)
            || (self.wire == key && self.location != Location::NotOnWire)
    }
}

/// The description of the field that a record calls `rust_name`. One that has no such field does not compile.
#[doc(hidden)]
pub const fn field_of(record: &'static RecordShape, rust_name: &str) -> FieldShape {
    let mut at = 0;
    while at < record.fields.len() {
        if same_text(record.fields[at].rust_name, rust_name) {
            return record.fields[at];
        }
        at += 1;
    }
    panic!("the record has no field of this name")
}

/// The same as a parameter: whether it is needed, what it is by default and where it travels is for the operation to say.
#[doc(hidden)]
pub const fn parameter_of(record: &'static RecordShape, rust_name: &str) -> FieldShape {
    let mut field = field_of(record, rust_name);
    field.presence = Presence::Optional;
    field.fixed = false;
    field.default = None;
    if matches!(field.location, Location::NotOnWire) {
        field.location = Location::Body;
    }
    field
}

const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The indices at which `checked` is true: `N` of them.
#[doc(hidden)]
pub const fn indices<const N: usize>(checked: &[bool]) -> [usize; N] {
    let mut indices = [0; N];
    let (mut at, mut found) = (0, 0);
    while at < checked.len() {
        if checked[at] {
            indices[found] = at;
            found += 1;
        }
        at += 1;
    }
    indices
}

/// How many of `checked` are true.
#[doc(hidden)]
pub const fn count(checked: &[bool]) -> usize {
    let (mut at, mut found) = (0, 0);
    while at < checked.len() {
        found += checked[at] as usize;
        at += 1;
    }
    found
}

/// A record: a named list of fields.
#[derive(Debug)]
pub struct RecordShape {
    /// The specification's name.
    pub name: &'static str,
    /// What it is.
    pub docs: &'static str,
    /// Its fields, in order.
    pub fields: &'static [FieldShape],
    /// The indices of those of which there is anything to check.
    pub checked: &'static [usize],
    /// Whether any of them has a default, or something within it that may have.
    pub defaults: bool,
    /// Those that may be shown, and stand in bodies as their type does.
    pub plain: FieldSet,
    /// Whether it keeps fields that it does not know.
    pub extras: bool,
}

impl RecordShape {
    /// The field that `key` names in one of the spellings accepted on input. `expected` is where it probably is.
    pub fn find(&self, key: &str, expected: usize) -> Option<usize> {
        if self.fields.get(expected).is_some_and(|field| field.name == key) {
            return Some(expected);
        }
        self.fields
            .iter()
            .position(|field| field.name == key)
            .or_else(|| self.fields.iter().position(|field| field.answers_to(key)))
    }

    /// The field with the wire name `key` in a body. `expected` is where it probably is.
    pub fn find_wire(&self, key: &str, expected: usize) -> Option<usize> {
        let is = |field: &FieldShape| field.wire == key && field.location == Location::Body;
        if self.fields.get(expected).is_some_and(is) {
            return Some(expected);
        }
        self.fields.iter().position(is)
    }

    /// The field that is spelled `name` in the specification or in Rust.
    pub fn field(&self, name: &str) -> Option<(usize, &'static FieldShape)> {
        let fields = self.fields.iter().enumerate();
        fields.into_iter().find(|(_, field)| field.rust_name == name || field.answers_to(name))
    }
}

/// One value of an enum.
#[derive(Debug)]
pub struct ChoiceValue {
    /// The specification's spelling.
    pub name: &'static str,
    /// The provider's spelling.
    pub wire: &'static str,
    /// What it means.
    pub docs: &'static str,
}

/// An enum: a fixed set of names.
#[derive(Debug)]
pub struct ChoiceShape {
    /// The specification's name.
    pub name: &'static str,
    /// What it is.
    pub docs: &'static str,
    /// Its values, in order.
    pub values: &'static [ChoiceValue],
}

impl ChoiceShape {
    /// The value that `text` spells: in the specification's spelling, or, accepted on input, the provider's.
    pub fn find(&self, text: &str) -> Option<usize> {
        self.values
            .iter()
            .position(|value| value.name == text)
            .or_else(|| self.values.iter().position(|value| value.wire == text))
    }

    /// The value that `text` spells on the wire.
    pub fn find_wire(&self, text: &str) -> Option<usize> {
        self.values.iter().position(|value| value.wire == text)
    }
}

/// Whether an operation changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Read,
    /// It may write.
    Write,
}

/// An operation: one of a service's on the wire, or one of a kind's manager.
#[derive(Debug)]
pub struct OperationShape {
    /// Its name: on the wire (`CreateLogGroup`), or on the manager (`create`).
    pub name: &'static str,
    /// What it does.
    pub docs: &'static str,
    /// Its parameters.
    pub params: &'static RecordShape,
    /// What it answers: a record, or nothing.
    pub output: Option<Type>,
    /// Whether it changes anything.
    pub effect: Effect,
    /// The ARNs that it acts on: a template over its parameters, see [`subjects`](Self::subjects).
    pub subject: &'static str,
    /// The HTTP method and path, for services that have them.
    pub http: Option<Http>,
    /// Whether it answers a page at a time.
    pub pages: bool,
    /// Whether a model can be asked to carry it out on itself.
    pub instance: bool,
    /// How it is carried out by whoever does not know its type.
    pub reach: Reach,
}

/// How an operation is carried out by whoever does not know its type. A shape only holds it;
/// [`dynamic::reach`](crate::dynamic::reach) looks into it.
#[derive(Clone, Copy)]
pub struct Reach(pub(crate) &'static (dyn Any + Send + Sync));

impl Reach {
    /// What the derive puts here: a `dynamic::Reach`.
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

/// Where an operation is found by method and path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Http {
    /// `GET`, `POST` …
    pub method: &'static str,
    /// The path, with `{label}` for each member that travels in it.
    pub path: &'static str,
    /// The status of success.
    pub status: u16,
}

/// Which fields tell one resource from another.
#[derive(Debug)]
pub enum Identity {
    /// The kind has none.
    None,
    /// The value at a path of field names.
    Path(&'static [&'static str]),
    /// An ordered mapping, each entry the value at a path, under the path's last name.
    Mapping(&'static [&'static [&'static str]]),
}

/// A lookup of what belongs to a model.
#[derive(Debug)]
pub struct RelationShape {
    /// Its name.
    pub name: &'static str,
    /// The record of the kind it leads to.
    pub kind: &'static RecordShape,
    /// Whether it leads to any number of them.
    pub many: bool,
}

/// A kind of resource.
pub struct KindShape {
    /// The specification's name.
    pub name: &'static str,
    /// The service it belongs to; a function, because that leads back here.
    pub service: fn() -> &'static ServiceShape,
    /// Its fields.
    pub record: &'static RecordShape,
    /// Which field is its `arn`.
    pub arn: Identity,
    /// Which field is its `name`.
    pub name_identity: Identity,
    /// Which fields are its `pk`.
    pub pk: Identity,
    /// The field that only the service assigns: present once the service has seen the resource.
    pub saved_when: Option<usize>,
    /// The field that holds its tags.
    pub tags: Option<usize>,
    /// Whether callers cannot change it.
    pub frozen: bool,
    /// The code that the service tells with that there is none; without one, the only such code of the service.
    pub absent: Option<&'static Code>,
    /// What belongs to it.
    pub relations: &'static [RelationShape],
    /// The operations of its manager.
    pub calls: &'static [&'static OperationShape],
}

impl KindShape {
    /// The manager's operation of that name.
    pub fn call(&self, name: &str) -> Option<&'static OperationShape> {
        self.calls.iter().find(|call| call.name == name).copied()
    }
}

impl fmt::Debug for KindShape {
    /// A kind leads to its service and that to all its kinds: the name is enough.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", (self.service)().name, self.name)
    }
}

/// How a service's requests and answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// JSON with the operation in a header.
    AwsJson {
        /// What stands before the operation's name in the header.
        target: &'static str,
        /// `1.0` or `1.1`.
        version: &'static str,
    },
    /// A form with the operation as `Action`; XML back.
    AwsQuery {
        /// The XML namespace of answers.
        namespace: &'static str,
    },
    /// As [`AwsQuery`](Self::AwsQuery), in EC2's dialect.
    Ec2Query {
        /// The XML namespace of answers.
        namespace: &'static str,
    },
    /// Method and path, JSON bodies.
    RestJson,
}

/// A service.
#[derive(Debug)]
pub struct ServiceShape {
    /// Its short name, as in `nephos_core::Arn` and endpoints.
    pub name: &'static str,
    /// What it is.
    pub docs: &'static str,
    /// The version of its interface.
    pub api_version: &'static str,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The first part of its host name.
    pub endpoint: &'static str,
    /// The name its requests are signed for.
    pub signing: &'static str,
    /// Whether it is the same in every Region.
    pub global: bool,
    /// Its kinds.
    pub kinds: &'static [&'static KindShape],
    /// Its operations on the wire.
    pub operations: &'static [&'static OperationShape],
    /// What it raises.
    pub codes: &'static [&'static Code],
    /// What it raises when a parameter breaks a rule.
    pub invalid: &'static Code,
}

impl ServiceShape {
    /// The code for a pagination token that is not valid: that for rules, unless the service has one of its own.
    pub fn invalid_token(&self) -> &'static Code {
        let own = |code: &&&Code| code.code == "InvalidNextTokenException";
        self.codes.iter().find(own).copied().unwrap_or(self.invalid)
    }

    /// What it raises when a parameter that is needed is not given: what it raises for rules, unless it has a code for that.
    pub fn missing(&self) -> &'static Code {
        self.codes.iter().copied().find(|code| code.code == "MissingParameter").unwrap_or(self.invalid)
    }
}

/// Everything that is known: an explicit list of services.
#[derive(Clone, Copy, Debug)]
pub struct Registry {
    /// The services, in order.
    pub services: &'static [&'static ServiceShape],
}

impl Registry {
    /// The service of that name.
    pub fn service(&self, name: &str) -> Option<&'static ServiceShape> {
        self.services.iter().find(|service| service.name == name).copied()
    }

    /// Every kind of every service.
    pub fn kinds(&self) -> impl Iterator<Item = &'static KindShape> {
        self.services.iter().flat_map(|service| service.kinds).copied()
    }

    /// The kind of that name, in any letter case, with or without hyphens: `LogGroup`, `log-group`.
    pub fn kind(&self, name: &str) -> Option<&'static KindShape> {
        let plain = |name: &str| {
            name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect::<String>()
        };
        let wanted = plain(name);
        self.kinds().find(|kind| plain(kind.name) == wanted)
    }
}
