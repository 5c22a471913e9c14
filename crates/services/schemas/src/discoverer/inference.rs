//! Inference of a schema from events.

use crate::{Schema, SchemaManager, SchemaType, errors, schema::content, validation::draft4};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, Timestamp, operation};
use serde_json::{Map, Value, json};

/// Infers a schema that all given events match. It is not stored.
///
/// A field is required if every event has it. If all events have the same `source` and `detail-type`, and a `detail`,
/// the schema has two components: the envelope `AWSEvent` and the detail. Else it has one component.
#[operation(
    of = Schema, call = "get_discovered", effect = read, output = DiscoveredSchema,
    http("POST", "/v1/discover", 200), subject = "*"
)]
pub struct GetDiscoveredSchema {
    /// Events, each as JSON.
    #[field(length(1..=10), each(length(1..=100000)))]
    pub events: Vec<Text>,
    /// Type of the schema document.
    pub r#type: SchemaType,
}

/// Schema that was inferred from events.
#[derive(Record)]
#[record(answer, name = "GetDiscoveredSchemaResponse")]
pub struct DiscoveredSchema {
    /// Content of the schema document.
    content: Option<Text>,
}

impl Handler for GetDiscoveredSchema {
    fn run(self, _cx: &mut Tx<'_>) -> Result<DiscoveredSchema> {
        let parse = |(n, event): (usize, &Text)| {
            let refused = match serde_json::from_str::<Value>(event) {
                Ok(Value::Object(event)) => return Ok(event),
                Ok(_) => errors::event_no_object(),
                Err(error) => errors::event_not_json().with_hint(error.to_string()),
            };
            Err(refused.with_field(format!("Events[{n}]")))
        };
        let events = self.events.iter().enumerate().map(parse).collect::<Result<Vec<_>>>()?;
        let document = build_document(&events);
        let document = match self.r#type {
            SchemaType::JsonSchemaDraft4 => draft4::from_openapi(&document)?,
            r#type => {
                // The check refuses an unknown type.
                content::check(&r#type, &document.to_string())?;
                document
            }
        };
        Ok(DiscoveredSchema { content: Some(document.to_string().into()) })
    }
}

type Members = Map<String, Value>;

/// Builds the OpenAPI document that describes the events.
pub(crate) fn build_document(events: &[Members]) -> Value {
    let source = common_text(events, "source");
    let detail_type = common_text(events, "detail-type");
    let mut whole = infer_object_schema(&events.iter().collect::<Vec<_>>());
    let detail = events.iter().all(|event| event.contains_key("detail"));
    let (title, schemas) = match (source, detail_type) {
        (Some(source), Some(detail_type)) if detail => {
            let title = component_name(detail_type);
            let refer = json!({ "$ref": format!("#/components/schemas/{title}") });
            let detail = std::mem::replace(&mut whole["properties"]["detail"], refer);
            whole["x-amazon-events-detail-type"] = detail_type.into();
            whole["x-amazon-events-source"] = source.into();
            let schemas = json!({ "AWSEvent": whole, title.as_str(): detail });
            (title, schemas)
        }
        _ => ("Event".to_owned(), json!({ "Event": whole })),
    };
    json!({
        "openapi": "3.0.0",
        "info": { "version": "1.0.0", "title": title },
        "paths": {},
        "components": { "schemas": schemas },
    })
}

/// Returns the string that all events have in the member `name`.
fn common_text<'e>(events: &'e [Members], name: &str) -> Option<&'e str> {
    let first = events.first()?.get(name)?;
    events.iter().all(|event| event.get(name) == Some(first)).then_some(first)?.as_str()
}

/// Returns the component name for a detail type: its letters and digits.
fn component_name(detail_type: &str) -> String {
    let name: String = detail_type.chars().filter(char::is_ascii_alphanumeric).collect();
    // `AWSEvent` is the name of the envelope.
    if name.is_empty() || name == "AWSEvent" { "Event".to_owned() } else { name }
}

/// Infers a schema that all values match.
pub fn infer_schema(values: &[&Value]) -> Value {
    let mut kinds = Vec::new();
    let objects: Vec<_> = values.iter().filter_map(|value| value.as_object()).collect();
    if !objects.is_empty() {
        kinds.push(infer_object_schema(&objects));
    }
    let lists: Vec<_> = values.iter().filter_map(|value| value.as_array()).collect();
    if !lists.is_empty() {
        let items: Vec<_> = lists.into_iter().flatten().collect();
        kinds.push(json!({ "type": "array", "items": infer_schema(&items) }));
    }
    let texts: Vec<_> = values.iter().filter_map(|value| value.as_str()).collect();
    if !texts.is_empty() {
        let times = texts.into_iter().all(is_date_time);
        kinds.push(if times {
            json!({ "type": "string", "format": "date-time" })
        } else {
            json!({ "type": "string" })
        });
    }
    let numbers: Vec<_> = values.iter().filter(|value| value.is_number()).collect();
    if !numbers.is_empty() {
        let whole = numbers.into_iter().all(|number| number.is_i64() || number.is_u64());
        kinds.push(json!({ "type": if whole { "integer" } else { "number" } }));
    }
    if values.iter().any(|value| value.is_boolean()) {
        kinds.push(json!({ "type": "boolean" }));
    }
    let null = values.iter().any(|value| value.is_null());
    if let (true, Some(kind)) = (null, kinds.first_mut()) {
        kind["nullable"] = true.into();
    }
    match kinds.len() {
        // The type of an empty list's items, or of a value that is always null, is unknown.
        0 => json!({}),
        1 => kinds.remove(0),
        _ => json!({ "anyOf": kinds }),
    }
}

fn infer_object_schema(objects: &[&Members]) -> Value {
    let mut properties = Members::new();
    let mut required = Vec::new();
    for name in objects.iter().flat_map(|object| object.keys()) {
        if properties.contains_key(name) {
            continue;
        }
        let values: Vec<_> = objects.iter().filter_map(|object| object.get(name)).collect();
        if values.len() == objects.len() {
            required.push(name.as_str());
        }
        properties.insert(name.clone(), infer_schema(&values));
    }
    let mut schema = json!({ "type": "object" });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["properties"] = Value::Object(properties);
    schema
}

/// True if a text is a `date-time` of JSON Schema.
fn is_date_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (day, offset) = (bytes.get(10), bytes.last());
    day == Some(&b'T') && offset.is_some_and(|end| *end == b'Z' || end.is_ascii_digit()) && {
        text.is_ascii() && text.parse::<Timestamp>().is_ok()
    }
}
