//! Types of a schema document, independent of the language of the generated code.

use super::names;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Type of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// Any JSON value.
    Any,
    /// A string.
    Text,
    /// A string with a date and a time.
    Time,
    /// A whole number of 32 bits.
    Integer,
    /// A whole number of 64 bits.
    Long,
    /// A number of 32 bits.
    Float,
    /// A number of 64 bits.
    Double,
    /// True or false.
    Boolean,
    /// A list.
    List(Box<Type>),
    /// An object with any members, all of one type.
    Map(Box<Type>),
    /// A type that is defined in the model.
    Named(String),
}

/// Member of a class.
#[derive(Debug)]
pub(super) struct Member {
    /// Name in JSON.
    pub(super) wire: String,
    /// Type of the member.
    pub(super) ty: Type,
    /// True if every value has the member.
    pub(super) required: bool,
}

/// Definition of a type.
#[derive(Debug)]
pub(super) enum Definition {
    /// An object with these members.
    Class(Vec<Member>),
    /// One of these strings.
    Enum(Vec<String>),
}

/// A type with its name.
#[derive(Debug)]
pub(super) struct NamedType {
    /// Name of the type, valid in all languages.
    pub(super) name: String,
    /// Definition of the type.
    pub(super) definition: Definition,
}

/// Name of the envelope of an event in the document.
pub(super) const ENVELOPE: &str = "AWSEvent";

/// The types of a document.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// Types, in the order of the document.
    pub(super) types: Vec<NamedType>,
}

impl Model {
    /// Reads the types of an OpenAPI or JSON Schema document. `schema` is the name of the schema, which names the root of a
    /// JSON Schema without a title.
    pub(super) fn read(document: &Value, schema: &str) -> Self {
        let empty = Map::new();
        let (prefix, components) = match document.get("openapi") {
            Some(_) => ("#/components/schemas/", document.pointer("/components/schemas")),
            None => ("#/definitions/", document.get("definitions")),
        };
        let components = components.and_then(Value::as_object).unwrap_or(&empty);
        let mut reader = Reader::new(prefix, components);
        if document.get("openapi").is_none() {
            let title = document.get("title").and_then(Value::as_str).filter(|title| !title.is_empty());
            let name = title.unwrap_or_else(|| schema.rsplit('@').next().unwrap_or(schema));
            reader.root = Some((names::unique(&mut reader.used, names::type_name(name)), document));
        }
        reader.read_components();
        Self { types: reader.types }
    }

    /// Finds the class with this name.
    pub(super) fn class(&self, name: &str) -> Option<&[Member]> {
        self.types.iter().find(|known| known.name == name).and_then(|found| match &found.definition {
            Definition::Class(members) => Some(members.as_slice()),
            Definition::Enum(_) => None,
        })
    }

    /// Returns the type of the detail of an event, if the document describes an event.
    pub(super) fn detail(&self) -> Option<&Type> {
        self.class(ENVELOPE)?.iter().find(|member| member.wire == "detail").map(|member| &member.ty)
    }
}

/// Maximum depth of schemas within schemas; deeper ones become [`Type::Any`].
const MAX_DEPTH: usize = 64;

/// Reads the types of the schemas of a document.
struct Reader<'d> {
    /// Prefix of references to components.
    prefix: &'static str,
    components: &'d Map<String, Value>,
    /// Name of the type of the whole document, and the document, if it is a JSON Schema.
    root: Option<(String, &'d Value)>,
    /// Names of the types of components, for components that become classes or enums.
    named: HashMap<&'d str, String>,
    /// Types of other components; those that are being read are [`Type::Any`].
    aliases: HashMap<&'d str, Type>,
    used: names::UsedNames,
    types: Vec<NamedType>,
    depth: usize,
}

impl<'d> Reader<'d> {
    fn new(prefix: &'static str, components: &'d Map<String, Value>) -> Self {
        Self {
            prefix,
            components,
            root: None,
            named: HashMap::new(),
            aliases: HashMap::new(),
            used: names::UsedNames::new(),
            types: Vec::new(),
            depth: 0,
        }
    }

    fn read_components(&mut self) {
        let components = self.components;
        for (name, schema) in components {
            if self.is_object(schema) || enum_values(schema).is_some() {
                let unique = names::unique(&mut self.used, names::type_name(name));
                self.named.insert(name, unique);
            }
        }
        if let Some((name, schema)) = self.root.clone()
            && (self.is_object(schema) || enum_values(schema).is_some())
        {
            self.define(name, schema);
        }
        for (name, schema) in components {
            if let Some(unique) = self.named.get(name.as_str()).cloned() {
                self.define(unique, schema);
            }
        }
    }

    /// Adds the definition of a class or enum.
    fn define(&mut self, name: String, schema: &'d Value) {
        if let Some(values) = enum_values(schema) {
            self.types.push(NamedType { name, definition: Definition::Enum(values) });
            return;
        }
        // Types of members come after their class.
        let at = self.types.len();
        self.types.push(NamedType { name: name.clone(), definition: Definition::Class(Vec::new()) });
        let (mut found, mut merged) = (Found::default(), HashSet::new());
        self.collect_members(schema, &mut found, &mut merged);
        let Found { members, required } = found;
        let members = members.into_iter().map(|(wire, schema)| Member {
            required: required.contains(wire),
            ty: self.read_type(schema, &name, wire),
            wire: wire.to_owned(),
        });
        let members = members.collect();
        self.types[at].definition = Definition::Class(members);
    }

    /// Collects the properties of a schema, and of all schemas that it combines with `allOf`.
    fn collect_members(&self, schema: &'d Value, found: &mut Found<'d>, merged: &mut HashSet<&'d str>) {
        if let Some(component) = self.component(schema) {
            // A component is merged once, although it may refer to itself.
            if merged.insert(component) {
                self.collect_members(&self.components[component], found, merged);
            }
            return;
        }
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if !found.members.iter().any(|(known, _)| known == name) {
                found.members.push((name, schema));
            }
        }
        found.required.extend(list(schema, "required").iter().filter_map(Value::as_str));
        list(schema, "allOf").iter().for_each(|part| self.collect_members(part, found, merged));
    }

    /// Returns the name of the component that a schema refers to.
    fn component(&self, schema: &'d Value) -> Option<&'d str> {
        let reference = schema.get("$ref")?.as_str()?.strip_prefix(self.prefix)?;
        let name = reference.replace("~1", "/").replace("~0", "~");
        self.components.get_key_value(&name).map(|(name, _)| name.as_str())
    }

    /// True if a schema has properties, or is an object without any rules for its members.
    fn is_object(&self, schema: &'d Value) -> bool {
        let (mut found, mut merged) = (Found::default(), HashSet::new());
        if schema.get("$ref").is_some() {
            return false;
        }
        self.collect_members(schema, &mut found, &mut merged);
        let is_free = || type_of(schema) == Some("object") && !schema["additionalProperties"].is_object();
        !found.members.is_empty() || is_free()
    }

    /// Returns the type of the property `wire` of the class `owner`.
    fn read_type(&mut self, schema: &'d Value, owner: &str, wire: &str) -> Type {
        if self.depth == MAX_DEPTH {
            return Type::Any;
        }
        self.depth += 1;
        let ty = self.read_type_within(schema, owner, wire);
        self.depth -= 1;
        ty
    }

    fn read_type_within(&mut self, schema: &'d Value, owner: &str, wire: &str) -> Type {
        if schema.get("$ref").is_some() {
            return self.read_reference(schema);
        }
        if enum_values(schema).is_some() || (schema.get("properties").is_some() && self.is_object(schema)) {
            return self.define_inline(schema, owner, wire);
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            let parts: Vec<_> =
                list(schema, keyword).iter().filter(|part| type_of(part) != Some("null")).collect();
            match parts.as_slice() {
                [] => {}
                [only] => return self.read_type(only, owner, wire),
                _ if keyword == "allOf" && self.is_object(schema) => {
                    return self.define_inline(schema, owner, wire);
                }
                _ => return Type::Any,
            }
        }
        let format = schema.get("format").and_then(Value::as_str);
        match (type_of(schema), format) {
            (Some("string"), Some("date-time")) => Type::Time,
            (Some("string"), _) => Type::Text,
            (Some("integer"), Some("int32")) => Type::Integer,
            (Some("integer"), _) => Type::Long,
            (Some("number"), Some("float")) => Type::Float,
            (Some("number"), _) => Type::Double,
            (Some("boolean"), _) => Type::Boolean,
            (Some("array"), _) => Type::List(Box::new(match schema.get("items") {
                Some(items @ Value::Object(_)) => self.read_type(items, owner, wire),
                _ => Type::Any,
            })),
            (Some("object"), _) => Type::Map(Box::new(match schema.get("additionalProperties") {
                Some(others @ Value::Object(_)) => self.read_type(others, owner, wire),
                _ => Type::Any,
            })),
            _ => Type::Any,
        }
    }

    /// Returns the type that a schema refers to.
    fn read_reference(&mut self, schema: &'d Value) -> Type {
        if schema["$ref"] == "#" {
            let is_defined = |name: &String| self.types.iter().any(|known| known.name == *name);
            let root = self.root.as_ref().map(|(name, _)| name.clone());
            return root.filter(is_defined).map_or(Type::Any, Type::Named);
        }
        let Some(component) = self.component(schema) else { return Type::Any };
        if let Some(name) = self.named.get(component) {
            return Type::Named(name.clone());
        }
        if let Some(alias) = self.aliases.get(component) {
            return alias.clone();
        }
        self.aliases.insert(component, Type::Any);
        let ty = self.read_type(&self.components[component], component, component);
        self.aliases.insert(component, ty.clone());
        ty
    }

    /// Defines the type of a property that is a class or an enum itself. It is named after the property, or after its owner
    /// and the property.
    fn define_inline(&mut self, schema: &'d Value, owner: &str, wire: &str) -> Type {
        let short = names::type_name(wire);
        let name = if self.used.contains_key(&short) {
            format!("{owner}{}", names::pascal_case(wire))
        } else {
            short
        };
        let name = names::unique(&mut self.used, names::type_name(&name));
        self.define(name.clone(), schema);
        Type::Named(name)
    }
}

/// Properties of a class, and the names of those that are required.
#[derive(Default)]
struct Found<'d> {
    members: Vec<(&'d str, &'d Value)>,
    required: HashSet<&'d str>,
}

/// Returns the list of a keyword.
fn list<'d>(schema: &'d Value, keyword: &str) -> &'d [Value] {
    schema.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns the type of a schema: the only one beside null, if there are several.
fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::Array(types) => {
            let mut types = types.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            types.next().filter(|_| types.next().is_none())
        }
        name => name.as_str(),
    }
}

/// Returns the values of an enum of strings, each once.
fn enum_values(schema: &Value) -> Option<Vec<String>> {
    let values = schema.get("enum")?.as_array()?.iter().filter(|value| !value.is_null());
    let mut values: Vec<_> = values.map(|value| value.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let mut seen = HashSet::new();
    values.retain(|value| seen.insert(value.clone()));
    (!values.is_empty()).then_some(values)
}
