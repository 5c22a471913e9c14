//! Code bindings in Java: a class for each type, and `marshaller.Marshaller`. The detail of an event is a type parameter.

use super::{
    model::{Definition, ENVELOPE, Member, NamedType, Type},
    names::{self, literal},
    package::{Package, lines, with_constants, with_names},
    zip::File,
};

/// Writes the files of a package.
pub(super) fn write(package: &Package) -> Vec<File> {
    let name = package.path.join(".");
    let is_event = package.model.detail().is_some();
    let write_type = |ty: &NamedType| match &ty.definition {
        Definition::Class(members) => write_class(&name, &ty.name, members, is_event && ty.name == ENVELOPE),
        Definition::Enum(values) => write_enum(&name, &ty.name, values),
    };
    let types = package.model.types.iter();
    let mut files: Vec<_> =
        types.map(|ty| package.file(format!("{}.java", ty.name), write_type(ty))).collect();
    files.push(package.file("marshaller/Marshaller.java", write_marshaller(&name, is_event)));
    files
}

fn write_marshaller(package: &str, is_event: bool) -> String {
    let (import, event) = match is_event {
        true => (format!("import {package}.{ENVELOPE};\n\n"), include_str!("templates/unmarshal_event.java")),
        false => (String::new(), ""),
    };
    let body = include_str!("templates/Marshaller.java").replace("    /* event */\n", event);
    format!("package {package}.marshaller;\n\n{import}{body}")
}

fn write_enum(package: &str, name: &str, values: &[String]) -> String {
    let constants = with_constants(values, names::upper_case);
    let constants: Vec<_> =
        constants.iter().map(|(constant, value)| format!("    {constant}({})", literal(value))).collect();
    format!(
        r"package {package};

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

public enum {name} {{
{};

    private final String value;

    {name}(String value) {{
        this.value = value;
    }}

    @JsonValue
    public String getValue() {{
        return value;
    }}

    @JsonCreator
    public static {name} fromValue(String value) {{
        for ({name} known : values()) {{
            if (known.value.equals(value)) {{
                return known;
            }}
        }}
        return null;
    }}
}}
",
        constants.join(",\n")
    )
}

fn write_class(package: &str, class: &str, members: &[Member], is_envelope: bool) -> String {
    let parameter = if is_envelope { "<T>" } else { "" };
    let type_of = |member: &Member| match is_envelope && member.wire == "detail" {
        true => "T".to_owned(),
        false => type_expression(&member.ty),
    };
    let members = with_names(members, |name| names::camel_case(name, names::JAVA));
    let fields = members.iter().map(|(name, member)| {
        format!("    @JsonProperty({})\n    private {} {name};\n", literal(&member.wire), type_of(member))
    });
    let mut used = names::UsedNames::new();
    let methods = members.iter().map(|(name, member)| {
        let (ty, method) = (type_of(member), names::unique(&mut used, method_name(name)));
        format!(
            "    public {ty} get{method}() {{\n        return {name};\n    }}\n\n    \
             public void set{method}({ty} {name}) {{\n        this.{name} = {name};\n    }}\n"
        )
    });
    let names: Vec<_> = members.iter().map(|(name, _)| name.as_str()).collect();
    let equal: String = names
        .iter()
        .map(|name| format!("\n                && Objects.equals({name}, that.{name})"))
        .collect();
    let wildcard = if is_envelope { "<?>" } else { "" };
    let that = if names.is_empty() {
        String::new()
    } else {
        format!("        {class}{wildcard} that = ({class}{wildcard}) other;\n")
    };
    let text = match names.is_empty() {
        true => format!("\"{class} {{}}\""),
        false => {
            let parts = names.iter().map(|name| format!("{name}=\" + {name}"));
            format!("\"{class} {{{} + \"}}\"", parts.collect::<Vec<_>>().join(" + \", "))
        }
    };
    let body = lines(fields.chain(methods));
    format!(
        r"package {package};

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;

@JsonAutoDetect(
        fieldVisibility = JsonAutoDetect.Visibility.ANY,
        getterVisibility = JsonAutoDetect.Visibility.NONE,
        isGetterVisibility = JsonAutoDetect.Visibility.NONE,
        setterVisibility = JsonAutoDetect.Visibility.NONE)
@JsonInclude(JsonInclude.Include.NON_NULL)
public class {class}{parameter} implements Serializable {{
    private static final long serialVersionUID = 1L;

{body}    @Override
    public boolean equals(Object other) {{
        if (other == null || getClass() != other.getClass()) {{
            return false;
        }}
{that}        return true{equal};
    }}

    @Override
    public int hashCode() {{
        return Objects.hash({});
    }}

    @Override
    public String toString() {{
        return {text};
    }}
}}
",
        names.join(", ")
    )
}

/// Returns the part of the names of getter and setter after `get` and `set`. `getClass` is a method of every object.
fn method_name(field: &str) -> String {
    match names::pascal_case(field).as_str() {
        "Class" => "Class_".to_owned(),
        name => name.to_owned(),
    }
}

fn type_expression(ty: &Type) -> String {
    match ty {
        Type::Any => "Object".to_owned(),
        Type::Text => "String".to_owned(),
        Type::Time => "Date".to_owned(),
        Type::Integer => "Integer".to_owned(),
        Type::Long => "Long".to_owned(),
        Type::Float => "Float".to_owned(),
        Type::Double => "Double".to_owned(),
        Type::Boolean => "Boolean".to_owned(),
        Type::List(item) => format!("List<{}>", type_expression(item)),
        Type::Map(item) => format!("Map<String, {}>", type_expression(item)),
        Type::Named(name) if name == ENVELOPE => format!("{name}<?>"),
        Type::Named(name) => name.clone(),
    }
}
