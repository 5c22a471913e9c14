//! Code bindings in Python: a module for each type, and `Marshaller`.

use super::{
    model::{Definition, Member, NamedType, Type},
    names::{self, literal},
    package::{Package, lines, with_constants, with_names},
    zip::File,
};

/// Writes the files of a package. All types can be imported from the package itself.
pub(super) fn write(package: &Package) -> Vec<File> {
    let module = package.path.join(".");
    let types = &package.model.types;
    let mut imports = format!("from {module}.marshaller import Marshaller\n");
    imports += &lines(types.iter().map(|ty| format!("from {module}.{0} import {0}", ty.name)));
    let parents = (1..package.path.len())
        .map(|n| (format!("{}/__init__.py", package.path[..n].join("/")), String::new()));
    let mut files: Vec<_> = parents.collect();
    files.push(package.file("__init__.py", imports));
    files.push(package.file("marshaller.py", include_str!("templates/marshaller.py")));
    files.extend(types.iter().map(|ty| package.file(format!("{}.py", ty.name), write_type(ty))));
    files
}

fn write_type(ty: &NamedType) -> String {
    match &ty.definition {
        Definition::Class(members) => write_class(&ty.name, members),
        Definition::Enum(values) => {
            let constants = with_constants(values, names::upper_case);
            let constants = constants.iter().map(|(name, value)| format!("    {name} = {}", literal(value)));
            format!(
                "# coding: utf-8\n\nimport enum\n\n\nclass {}(str, enum.Enum):\n\n{}",
                ty.name,
                lines(constants)
            )
        }
    }
}

fn write_class(class: &str, members: &[Member]) -> String {
    let members = with_names(members, |name| match names::underscored(name, names::PYTHON).as_str() {
        // The names of the tables of the class itself.
        name @ ("_types" | "_attribute_map") => [name, "_"].concat(),
        name => name.to_owned(),
    });
    let table = |entry: fn(&Member) -> String| match members.is_empty() {
        true => "{}".to_owned(),
        false => {
            let entries =
                members.iter().map(|(name, member)| format!("        {}: {},", literal(name), entry(member)));
            format!("{{\n{}    }}", lines(entries))
        }
    };
    let types = table(|member| type_expression(&member.ty));
    let wires = table(|member| literal(&member.wire));
    let parameters: String = members.iter().map(|(name, _)| format!(", {name}=None")).collect();
    let body = match members.is_empty() {
        true => "        pass\n".to_owned(),
        false => lines(members.iter().map(|(name, _)| format!("        self.{name} = {name}"))),
    };
    format!(
        r"# coding: utf-8


class {class}(object):

    _types = {types}

    _attribute_map = {wires}

    def __init__(self{parameters}):
{body}
    def __eq__(self, other):
        return isinstance(other, {class}) and self.__dict__ == other.__dict__

    def __ne__(self, other):
        return not self == other

    def __repr__(self):
        return '{class}({{!r}})'.format(self.__dict__)
"
    )
}

/// Returns a type as the marshaller reads it: a name, or a tuple of a container and the type of its items.
fn type_expression(ty: &Type) -> String {
    match ty {
        Type::Any => "'object'".to_owned(),
        Type::Text => "'str'".to_owned(),
        Type::Time => "'datetime'".to_owned(),
        Type::Integer | Type::Long => "'int'".to_owned(),
        Type::Float | Type::Double => "'float'".to_owned(),
        Type::Boolean => "'bool'".to_owned(),
        Type::List(item) => format!("('list', {})", type_expression(item)),
        Type::Map(item) => format!("('dict', {})", type_expression(item)),
        Type::Named(name) => format!("'{name}'"),
    }
}
