//! Code bindings in TypeScript: a file for each type, and `marshaller/Marshaller`.

use super::{
    model::{Definition, Member, NamedType, Type},
    names::{self, literal},
    package::{Package, lines, with_constants, with_names},
    zip::File,
};
use std::collections::BTreeSet;

/// Writes the files of a package.
pub(super) fn write(package: &Package) -> Vec<File> {
    let types = &package.model.types;
    let mut files: Vec<_> =
        types.iter().map(|ty| package.file(format!("{}.ts", ty.name), write_type(ty))).collect();
    files.push(package.file("marshaller/Marshaller.ts", write_marshaller(types)));
    files
}

/// Writes the marshaller, which has a table of all classes.
fn write_marshaller(types: &[NamedType]) -> String {
    let classes =
        || types.iter().filter(|ty| matches!(ty.definition, Definition::Class(_))).map(|ty| &ty.name);
    let imports = lines(classes().map(|name| format!("import {{ {name} }} from \"../{name}\";")));
    let table = lines(classes().map(|name| format!("    {}: {name},", literal(name))));
    let gap = if imports.is_empty() { "" } else { "\n" };
    format!(
        "{imports}{gap}const CLASSES: {{ [name: string]: any }} = {{\n{table}}};\n\n{}",
        include_str!("templates/Marshaller.ts")
    )
}

fn write_type(ty: &NamedType) -> String {
    match &ty.definition {
        Definition::Class(members) => write_class(&ty.name, members),
        Definition::Enum(values) => {
            let constants = with_constants(values, names::upper_case);
            let constants = constants.iter().map(|(name, value)| format!("    {name} = {},", literal(value)));
            format!("export enum {} {{\n{}}}\n", ty.name, lines(constants))
        }
    }
}

fn write_class(class: &str, members: &[Member]) -> String {
    let mut used = BTreeSet::new();
    members.iter().for_each(|member| collect_names(&member.ty, &mut used));
    used.remove(class);
    let imports = lines(used.into_iter().map(|name| format!("import {{ {name} }} from \"./{name}\";")));
    let gap = if imports.is_empty() { "" } else { "\n" };
    let members = with_names(members, |name| names::camel_case(name, names::TYPESCRIPT));
    let fields = lines(members.iter().map(|(name, member)| {
        let presence = if member.required { "!" } else { "?" };
        format!("    {name}{presence}: {};", type_expression(&member.ty))
    }));
    let table = lines(members.iter().map(|(name, member)| {
        let (wire, ty) = (literal(&member.wire), type_table(&member.ty));
        format!("        {{ name: {}, baseName: {wire}, type: {ty} }},", literal(name))
    }));
    let space = if fields.is_empty() { "" } else { "\n" };
    format!(
        "{imports}{gap}export class {class} {{\n{fields}{space}    static readonly attributeTypeMap: Array<{{ name: string, \
         baseName: string, type: any }}> = [\n{table}    ];\n}}\n"
    )
}

/// Collects the names of types that a type consists of.
fn collect_names<'t>(ty: &'t Type, names: &mut BTreeSet<&'t str>) {
    match ty {
        Type::Named(name) => drop(names.insert(name)),
        Type::List(item) | Type::Map(item) => collect_names(item, names),
        _ => {}
    }
}

fn type_expression(ty: &Type) -> String {
    match ty {
        Type::Any => "any".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Time => "Date".to_owned(),
        Type::Integer | Type::Long | Type::Float | Type::Double => "number".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::List(item) => format!("Array<{}>", type_expression(item)),
        Type::Map(item) => format!("{{ [key: string]: {} }}", type_expression(item)),
        Type::Named(name) => name.clone(),
    }
}

/// Returns a type as the marshaller reads it: a name, or an object with a container and the type of its items.
fn type_table(ty: &Type) -> String {
    match ty {
        Type::List(item) => format!("{{ list: {} }}", type_table(item)),
        Type::Map(item) => format!("{{ map: {} }}", type_table(item)),
        ty => literal(&type_expression(ty)),
    }
}
