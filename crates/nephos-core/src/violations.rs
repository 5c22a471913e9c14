//! Broken rules in the provider's words: the message of a refused request on the wire.
//!
//! Every rule that a record breaks is one sentence, with the path of the member in the provider's form (`targets.1.member.id`)
//! and its value; values of sensitive members are left out.

use crate::{
    FieldSet,
    record::Fields,
    rules,
    shape::{FieldShape, Literal, Presence, Protocol, RecordShape, Rule, ServiceShape, Type},
    value::Ref,
};
use std::fmt::Write as _;

/// Describes the rules that the parameters of a request break; `None` if they break no rule of a single member.
///
/// `given` has the parameters that the request contains: a required one has no null of its own.
pub(crate) fn describe(params: &dyn Fields, given: FieldSet, service: &ServiceShape) -> Option<String> {
    let mut found = Violations { found: Vec::new(), own: None, service };
    for (index, field) in params.shape().fields.iter().enumerate() {
        let is_missing = field.presence == Presence::Required && !given.contains(index);
        if is_missing && !std::ptr::eq(service.missing(), service.invalid) {
            return Some(format!("The request must contain the parameter {}", field.wire));
        }
        let value = if is_missing { Ref::Null } else { params.field(index).view() };
        found.check_field(params.shape(), field, value, "");
    }
    if let Some(own) = found.own {
        return Some(own);
    }
    let count = found.found.len();
    if let (Protocol::Ec2Query { .. }, Some(first)) = (service.protocol, found.found.first()) {
        return Some(first.for_ec2());
    }
    if !service.shows_values {
        found.found.iter_mut().for_each(|violation| violation.value = None);
    }
    let sentences: Vec<_> = found.found.iter().map(Violation::sentence).collect();
    let plural = if count == 1 { "error" } else { "errors" };
    (count > 0).then(|| format!("{count} validation {plural} detected: {}", sentences.join("; ")))
}

/// One broken rule.
struct Violation {
    path: String,
    /// Value in the provider's notation; none if it must not be shown.
    value: Option<String>,
    constraint: String,
}

impl Violation {
    fn sentence(&self) -> String {
        let Self { path, value, constraint } = self;
        let value = value.as_ref().map(|value| format!("{value} ")).unwrap_or_default();
        format!("Value {value}at '{path}' failed to satisfy constraint: {constraint}")
    }

    fn for_ec2(&self) -> String {
        let value = self.value.as_deref().unwrap_or_default().trim_matches('\'');
        format!("Value ({value}) for parameter {} is invalid.", self.path)
    }
}

struct Violations<'s> {
    found: Vec<Violation>,
    /// The text of the service's own error for the first pattern that has one.
    own: Option<String>,
    service: &'s ServiceShape,
}

impl Violations<'_> {
    /// Adds the rules that a member breaks. `outer` is the path of its record, with a dot at its end.
    fn check_field(&mut self, record: &RecordShape, field: &FieldShape, value: Ref<'_>, outer: &str) {
        let path = format!("{outer}{}", lower_first(self.service.wire_name(record, field)));
        if value.is_null() {
            if field.presence == Presence::Required {
                self.add(path, Some("null".to_owned()), "Member must not be null".to_owned());
            }
            return;
        }
        self.check_rules(field.rules, value, &path, field.sensitive);
        self.check_type(&field.ty, value, &path, field.sensitive);
    }

    fn check_rules(&mut self, rules: &[Rule], value: Ref<'_>, path: &str, sensitive: bool) {
        for rule in rules {
            if let Rule::Each(inner) = rule {
                each_item(value, path, |item, path| self.check_rules(inner, item, path, sensitive));
            } else if let Some(constraint) = constraint(rule, value) {
                if let Rule::Pattern(pattern) = rule
                    && let Some(refusal) = pattern.refusal()
                {
                    self.own.get_or_insert_with(|| refusal.message().to_owned());
                }
                self.add(path.to_owned(), self.shown(value, sensitive), constraint);
            }
        }
    }

    /// Adds the rules that are broken by the type of a value or by its parts.
    fn check_type(&mut self, ty: &Type, value: Ref<'_>, path: &str, sensitive: bool) {
        match (ty, value) {
            (Type::Choice(shape), Ref::Choice { known: false, .. }) => {
                let names: Vec<_> = shape.values.iter().map(|value| value.wire).collect();
                let shown = self.shown(value, sensitive).filter(|_| self.service.shows_unknown_values);
                self.add(path.to_owned(), shown, enum_values(&names));
            }
            (Type::Record(_), Ref::Record(record)) => {
                let outer = format!("{path}.");
                for (index, field) in record.shape().fields.iter().enumerate() {
                    self.check_field(record.shape(), field, record.field(index).view(), &outer);
                }
            }
            (Type::List(item), _) | (Type::Map(item), _) => {
                each_item(value, path, |inner, path| self.check_type(item, inner, path, sensitive));
            }
            _ => {}
        }
    }

    /// The value in quotes, if it may be shown.
    fn shown(&self, value: Ref<'_>, sensitive: bool) -> Option<String> {
        let is_secret = sensitive || matches!(value, Ref::Secret(_) | Ref::Blob(_));
        (!is_secret).then(|| {
            let mut out = String::from("'");
            print(&mut out, value, self.service);
            out.push('\'');
            out
        })
    }

    fn add(&mut self, path: String, value: Option<String>, constraint: String) {
        self.found.push(Violation { path, value, constraint });
    }
}

/// Calls `visit` with the items of a list, counted from 1, or the values of a mapping, and their paths.
fn each_item(value: Ref<'_>, path: &str, mut visit: impl FnMut(Ref<'_>, &str)) {
    match value {
        Ref::List(items) => {
            (0..items.len()).for_each(|n| visit(items.item(n), &format!("{path}.{}.member", n + 1)));
        }
        Ref::Map(entries) => (0..entries.len()).for_each(|n| {
            let (key, value) = entries.entry(n);
            visit(value, &format!("{path}.{key}.member"));
        }),
        _ => {}
    }
}

/// The constraint that a value breaks, in the provider's words.
fn constraint(rule: &Rule, value: Ref<'_>) -> Option<String> {
    if rules::satisfies_all(std::slice::from_ref(rule), value) {
        return None;
    }
    Some(match rule {
        Rule::Length { min, max } => match rules::length(value)? {
            len if len < *min => format!("Member must have length greater than or equal to {min}"),
            _ => format!("Member must have length less than or equal to {max}"),
        },
        Rule::Range { min, max } => match value {
            Ref::Int(number) if number < *min => {
                format!("Member must have value greater than or equal to {min}")
            }
            Ref::Float(number) if number < *min as f64 => {
                format!("Member must have value greater than or equal to {min}")
            }
            _ => format!("Member must have value less than or equal to {max}"),
        },
        Rule::Pattern(pattern) => {
            format!("Member must satisfy regular expression pattern: {}", pattern.as_str())
        }
        Rule::OneOf(allowed) => enum_values(&allowed.iter().map(Literal::to_string).collect::<Vec<_>>()),
        Rule::Each(_) => return None,
    })
}

fn enum_values(values: &[impl AsRef<str>]) -> String {
    let values: Vec<_> = values.iter().map(AsRef::as_ref).collect();
    format!("Member must satisfy enum value set: [{}]", values.join(", "))
}

/// Prints a value as the provider's runtime prints it: `[Name(member=value, other=null)]`.
fn print(out: &mut String, value: Ref<'_>, service: &ServiceShape) {
    match value {
        Ref::Null => out.push_str("null"),
        Ref::Choice { wire, .. } => out.push_str(wire),
        Ref::Secret(_) | Ref::Blob(_) => out.push_str("***Sensitive Data Redacted***"),
        Ref::List(items) => {
            out.push('[');
            separated(out, items.len(), |out, n| print(out, items.item(n), service));
            out.push(']');
        }
        Ref::Map(entries) => {
            out.push('{');
            separated(out, entries.len(), |out, n| {
                let (key, value) = entries.entry(n);
                let _ = write!(out, "{key}=");
                print(out, value, service);
            });
            out.push('}');
        }
        Ref::Record(record) => {
            let fields = record.shape().fields;
            let _ = write!(out, "{}(", record.shape().name);
            separated(out, fields.len(), |out, n| {
                let _ = write!(out, "{}=", lower_first(service.wire_name(record.shape(), &fields[n])));
                let value = record.field(n).view();
                let hidden = fields[n].sensitive && !value.is_null();
                if hidden {
                    out.push_str("***Sensitive Data Redacted***")
                } else {
                    print(out, value, service)
                }
                for name in fields[n].details.printed_after.split_whitespace() {
                    let _ = write!(out, ", {name}=null");
                }
            });
            out.push(')');
        }
        scalar => out.push_str(&scalar.text_form().unwrap_or_default()),
    }
}

fn separated(out: &mut String, count: usize, mut item: impl FnMut(&mut String, usize)) {
    for n in 0..count {
        if n > 0 {
            out.push_str(", ");
        }
        item(out, n);
    }
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
