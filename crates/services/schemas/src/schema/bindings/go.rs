//! Code bindings in Go: a file for each type, and functions that convert them to JSON and back.

use super::{
    model::{Definition, Member, Model, Type},
    names::{self, literal},
    package::{Package, lines, with_constants, with_names},
    zip::File,
};
use std::collections::HashSet;

/// Writes the files of a package.
pub(super) fn write(package: &Package) -> Vec<File> {
    let (name, model) = (package.name(), &package.model);
    let mut files = Vec::new();
    for ty in &model.types {
        let content = match &ty.definition {
            Definition::Class(members) => write_struct(name, &ty.name, members, model),
            Definition::Enum(values) => write_enum(name, &ty.name, values),
        };
        files.push(package.file(format!("{}.go", ty.name), content));
    }
    let event = if model.detail().is_some() { include_str!("templates/unmarshal_event.go") } else { "" };
    let functions = include_str!("templates/marshaller.go");
    files.push(package.file("Marshaller.go", format!("package {name}\n\n{functions}{event}")));
    files
}

fn write_enum(package: &str, name: &str, values: &[String]) -> String {
    let constants = with_constants(values, |value| [name, &names::pascal_case(value)].concat());
    let constants =
        constants.iter().map(|(constant, value)| format!("\t{constant} {name} = {}", literal(value)));
    format!("package {package}\n\ntype {name} string\n\nconst (\n{})\n", lines(constants))
}

fn write_struct(package: &str, name: &str, members: &[Member], model: &Model) -> String {
    let import = match members.iter().any(|member| has_time(&member.ty)) {
        true => "import (\n\t\"time\"\n)\n\n",
        false => "",
    };
    let fields = with_names(members, names::pascal_case).into_iter().map(|(field, member)| {
        let options = if member.required { "" } else { ",omitempty" };
        match tag_name(&member.wire) {
            Some(wire) => format!("\t{field} {} `json:\"{wire}{options}\"`", field_type(name, member, model)),
            None => {
                format!("\t// The member {} cannot be the name of a field in JSON.", literal(&member.wire))
            }
        }
    });
    format!("package {package}\n\n{import}type {name} struct {{\n{}}}\n", lines(fields))
}

/// Returns a name as it is in the tag of a field, if tags can contain it.
fn tag_name(wire: &str) -> Option<&str> {
    let is_allowed = |c: char| c.is_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(c);
    (!wire.is_empty() && wire != "-" && wire.chars().all(is_allowed)).then_some(wire)
}

/// Returns the type of a field: a pointer, if the value can be absent or contains a value of the same struct.
fn field_type(owner: &str, member: &Member, model: &Model) -> String {
    let expression = type_expression(&member.ty);
    let is_pointer = match &member.ty {
        Type::Time => !member.required,
        Type::Named(name) => contains(model, name, owner, &mut HashSet::new()),
        _ => false,
    };
    if is_pointer { ["*", &expression].concat() } else { expression }
}

/// True if a value of the struct `name` contains one of the struct `owner`, or is one.
fn contains<'m>(model: &'m Model, name: &'m str, owner: &str, seen: &mut HashSet<&'m str>) -> bool {
    name == owner
        || seen.insert(name)
            && model.class(name).unwrap_or_default().iter().any(|member| match &member.ty {
                Type::Named(inner) => contains(model, inner, owner, seen),
                _ => false,
            })
}

fn has_time(ty: &Type) -> bool {
    match ty {
        Type::Time => true,
        Type::List(item) | Type::Map(item) => has_time(item),
        _ => false,
    }
}

fn type_expression(ty: &Type) -> String {
    match ty {
        Type::Any => "interface{}".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Time => "time.Time".to_owned(),
        Type::Integer => "int32".to_owned(),
        Type::Long => "int64".to_owned(),
        Type::Float => "float32".to_owned(),
        Type::Double => "float64".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::List(item) => format!("[]{}", type_expression(item)),
        Type::Map(item) => format!("map[string]{}", type_expression(item)),
        Type::Named(name) => name.clone(),
    }
}
