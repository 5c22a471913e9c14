//! `nephos explain --wire`: wire formats of services and operations, with the provider's names.

use super::{non_empty_map, permissions, services};
use nephos::{Error, REGISTRY, Value};
use nephos_core::{
    Code, Map, TimeForm,
    shape::{Effect, FieldShape, Location, OperationShape, Protocol, RecordShape, ServiceShape, Type},
};

/// Explains the service or operation `what`, or all services.
pub(super) fn explain(what: Option<&str>) -> Result<Value, Error> {
    services::explain(what, explain_service, |service, operation| {
        explain_operation(operation, permissions::facts(service, operation))
    })
}

/// Lists the error codes of the service `what`, or of all services, with their texts.
pub(super) fn explain_errors(what: Option<&str>) -> Result<Value, Error> {
    let errors = |service: &ServiceShape| {
        let rows = service.codes.iter().flat_map(|code| texts(service, code));
        non_empty_map([("service", service.name.into()), ("errors", Value::List(rows.collect()))])
    };
    match what {
        Some(name) => services::find_service(name).map(errors),
        None => Ok(Value::List(REGISTRY.services.iter().map(|service| errors(service)).collect())),
    }
}

/// Returns a row for each text of a code, or one without a text.
fn texts(service: &ServiceShape, code: &Code) -> Vec<Value> {
    let general = (std::ptr::eq(service.invalid, code)).then_some(GENERAL_FORM).into_iter();
    let mut texts: Vec<_> = general.map(str::to_owned).collect();
    texts.extend(code.texts.iter().map(|text| text.replace('{', "<").replace('}', ">")));
    if texts.is_empty() {
        texts.push(String::new());
    }
    let row = |text: String| {
        non_empty_map([
            ("code", code.code.into()),
            ("status", i64::from(code.status).into()),
            ("text", text.into()),
            ("meaning", code.meaning.into()),
        ])
    };
    texts.into_iter().map(row).collect()
}

/// Text for broken rules of members.
const GENERAL_FORM: &str =
    "<n> validation errors detected: Value '<value>' at '<path>' failed to satisfy constraint: <rule>";

fn explain_service(service: &ServiceShape) -> Value {
    let (protocol, version, target, namespace) = match service.protocol {
        Protocol::AwsJson { target, version, .. } => ("json", version, target.trim_end_matches('.'), ""),
        Protocol::AwsQuery { namespace } => ("query", "", "", namespace),
        Protocol::Ec2Query { namespace } => ("ec2", "", "", namespace),
        Protocol::RestJson => ("rest-json", "", "", ""),
    };
    let errors = service.codes.iter().map(|code| {
        non_empty_map([
            ("code", code.code.into()),
            ("status", i64::from(code.status).into()),
            ("meaning", code.meaning.into()),
        ])
    });
    non_empty_map([
        ("service", service.name.into()),
        ("docs", service.docs.into()),
        ("protocol", protocol.into()),
        ("jsonVersion", version.into()),
        ("targetPrefix", target.into()),
        ("xmlNamespace", namespace.into()),
        ("apiVersion", service.api_version.into()),
        ("endpointPrefix", service.endpoint.into()),
        ("signingName", service.signing.into()),
        (
            "operations",
            Value::List(
                service
                    .operations
                    .iter()
                    .map(|operation| explain_operation(operation, Map::default()))
                    .collect(),
            ),
        ),
        ("errors", Value::List(errors.collect())),
    ])
}

/// Explains an operation: its wire format and its `permissions`.
fn explain_operation(operation: &OperationShape, permissions: Map<Value>) -> Value {
    let effect = match operation.effect {
        Effect::Read => "read",
        Effect::Write => "write",
    };
    let output = match operation.output {
        Some(Type::Record(record)) => members(operation, record, false),
        _ => Value::List(Vec::new()),
    };
    let mut explained = non_empty_map([
        ("operation", operation.name.into()),
        ("docs", operation.docs.split("\n\n").next().unwrap_or_default().into()),
        ("effect", effect.into()),
        ("method", operation.http.map(|http| http.method).into()),
        ("path", operation.http.map(|http| http.path).into()),
        ("status", operation.http.map(|http| i64::from(http.status)).into()),
    ]);
    if let Value::Map(explained) = &mut explained {
        explained.extend(permissions);
        explained.extend([
            ("input".into(), members(operation, operation.params, true)),
            ("output".into(), output),
        ]);
    }
    explained
}

/// Lists the members of a record and of nested records, one row each: `groups`, `groups[]`, `groups[].tags`, `groups[].tags{}`.
fn members(operation: &OperationShape, record: &'static RecordShape, is_input: bool) -> Value {
    let service = (operation.service)();
    let mut members = Members { service, rows: Vec::new(), outer: Vec::new(), is_input };
    members.add_record("", record);
    Value::List(members.rows)
}

struct Members {
    service: &'static ServiceShape,
    rows: Vec<Value>,
    /// Enclosing records; a recursive record is listed once.
    outer: Vec<&'static RecordShape>,
    /// True for input, whose members may be required.
    is_input: bool,
}

impl Members {
    fn add_record(&mut self, path: &str, record: &'static RecordShape) {
        if self.outer.iter().any(|outer| std::ptr::eq(*outer, record)) {
            return;
        }
        self.outer.push(record);
        for field in record.fields.iter().filter(|field| field.location != Location::NotOnWire) {
            let dot = if path.is_empty() { "" } else { "." };
            let name = self.service.wire_name(record, field);
            self.add(&format!("{path}{dot}{name}"), field, field.ty, true);
        }
        self.outer.pop();
    }

    fn is_required(&self, field: &FieldShape) -> bool {
        self.outer.last().is_some_and(|record| self.service.requires(record, field))
    }

    /// Adds a row. `is_field` is true for the field itself, false for its items.
    fn add(&mut self, path: &str, field: &'static FieldShape, ty: Type, is_field: bool) {
        let flag = |set: bool| if set { Value::Bool(true) } else { Value::Null };
        let location = match field.location {
            Location::Path if is_field => "uri",
            Location::Query if is_field => "querystring",
            Location::Header if is_field => "header",
            Location::Payload if is_field => "payload",
            _ => "",
        };
        let values = match ty {
            Type::Choice(choice) => {
                Value::List(choice.values.iter().map(|value| value.wire.into()).collect())
            }
            _ => Value::Null,
        };
        let is_list = matches!(ty, Type::List(_));
        self.rows.push(non_empty_map([
            ("member", path.into()),
            ("type", wire_type(&ty).into()),
            ("required", flag(self.is_input && is_field && self.is_required(field))),
            ("in", location.into()),
            (
                "format",
                if matches!(ty, Type::Time) {
                    timestamp_format(field.details.time).into()
                } else {
                    Value::Null
                },
            ),
            ("values", values),
            ("item", if is_field && is_list { field.details.item.into() } else { Value::Null }),
            ("flat", flag(is_field && field.details.flat)),
            ("token", flag(is_field && field.details.token)),
            ("secret", flag(field.sensitive || matches!(ty, Type::Secret))),
            ("effect", (is_field && field.details.no_effect).then_some("kept, changes nothing else").into()),
        ]));
        match ty {
            Type::Record(record) => self.add_record(path, record),
            Type::List(item) => self.add(&format!("{path}[]"), field, *item, false),
            Type::Map(value) => self.add(&format!("{path}{{}}"), field, *value, false),
            _ => {}
        }
    }
}

/// Returns the name of a type in the provider's models.
fn wire_type(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "boolean",
        Type::Int => "integer",
        Type::Float => "float",
        Type::Text | Type::Secret | Type::Choice(_) => "string",
        Type::Time => "timestamp",
        Type::Blob => "blob",
        Type::Any => "document",
        Type::Record(_) => "structure",
        Type::List(_) => "list",
        Type::Map(_) => "map",
    }
}

fn timestamp_format(form: TimeForm) -> &'static str {
    match form {
        TimeForm::Usual => "",
        TimeForm::EpochSeconds => "unixTimestamp",
        TimeForm::EpochMillis => "unixTimestampMillis",
        TimeForm::Iso8601 => "iso8601",
        TimeForm::Http => "rfc822",
    }
}
