//! Code bindings: generated source code in four languages.

use super::{
    HOUR, World,
    documents::with_schemas,
    errors,
    models::{create_schema, openapi, schema},
    registries::registry,
};
use nephos_core::{Blob, Resource, Result, Text};
use nephos_schemas::{CodeGenerationStatus, Registry, Schema};
use serde_json::{Value, json};

const LANGUAGES: [&str; 4] = ["Python36", "Java8", "TypeScript3", "Go1"];
const EC2: &str = "aws.ec2@EC2InstanceStateChangeNotification";

/// Returns the files of an archive without compression: their paths and contents.
fn unzip(archive: &Blob) -> Vec<(String, String)> {
    let (mut rest, mut files) = (archive.0.as_slice(), Vec::new());
    while let Some(header) = rest.strip_prefix(b"PK\x03\x04") {
        let number = |at: usize| usize::from(header[at]) | usize::from(header[at + 1]) << 8;
        let (size, path) = (number(14) | number(16) << 16, number(22));
        let text =
            |from: usize, length: usize| String::from_utf8(header[from..from + length].to_vec()).unwrap();
        files.push((text(26, path), text(26 + path, size)));
        rest = &header[26 + path + size..];
    }
    assert!(rest.starts_with(b"PK\x01\x02"), "the directory follows the files");
    files
}

/// Reads the source of a code binding as one text, with the path of each file.
fn source(world: &World, registry: &str, name: &str, language: &str) -> Result<String> {
    let found = Schema::objects(&world.session()).get_code_binding_source(registry, name, language).wait()?;
    let files = unzip(found.unwrap().body().unwrap());
    Ok(files.iter().map(|(path, content)| format!("==> {path}\n{content}")).collect())
}

/// Creates a schema with a document and generates its code bindings in all languages.
fn generate(world: &World, name: &str, document: &Value) -> Result<[String; 4]> {
    let session = world.session();
    if Registry::objects(&session).get("r").wait()?.is_none() {
        Registry::objects(&session).create(&registry("r")).wait()?;
    }
    Schema::objects(&session).create(&schema("r", name, &document.to_string())).wait()?;
    for language in LANGUAGES {
        Schema::objects(&session).put_code_binding("r", name, language).wait()?;
    }
    world.advance(HOUR)?;
    let sources = LANGUAGES.map(|language| source(world, "r", name, language));
    let sources: Result<Vec<_>> = sources.into_iter().collect();
    Ok(sources?.try_into().unwrap())
}

/// Asserts that generated code is the same as in a file of the repository.
#[track_caller]
fn assert_code(generated: &str, expected: &str) {
    if generated != expected {
        let first = generated.lines().zip(expected.lines()).position(|(a, b)| a != b);
        panic!("the code differs from the expected code at line {first:?}; generated:\n{generated}");
    }
}

macro_rules! assert_codes {
    ($sources:expr, $folder:literal) => {
        let [python, java, typescript, go] = $sources;
        assert_code(&python, include_str!(concat!("../tests/bindings/", $folder, "/python.txt")));
        assert_code(&java, include_str!(concat!("../tests/bindings/", $folder, "/java.txt")));
        assert_code(&typescript, include_str!(concat!("../tests/bindings/", $folder, "/typescript.txt")));
        assert_code(&go, include_str!(concat!("../tests/bindings/", $folder, "/go.txt")));
    };
}

/// The provider's schemas have code bindings from the start.
pub(super) fn event_becomes_envelope_and_detail(world: &World) -> Result<()> {
    let before = world.state()?;
    let sources = LANGUAGES.map(|language| source(world, "aws.events", EC2, language).unwrap());
    assert_codes!(sources, "event");
    let put = Schema::objects(&world.session()).put_code_binding("aws.events", EC2, "Go1").wait()?;
    assert_eq!(put.status(), Some(&CodeGenerationStatus::CreateComplete));
    world.assert_unchanged(&before)
}

pub(super) fn document_becomes_types(world: &World) -> Result<()> {
    let refer = |name: &str| json!({ "$ref": format!("#/definitions/{name}") });
    let document = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": "Order placed",
        "type": "object",
        "required": ["id", "placed", "customer", "parent"],
        "properties": {
            "id": { "type": "integer" },
            "count": { "type": "integer", "format": "int32" },
            "price": { "type": "number" },
            "weight": { "type": ["number", "null"], "format": "float" },
            "paid": { "type": "boolean" },
            "placed": { "type": "string", "format": "date-time" },
            "shipped": { "type": "string", "format": "date-time" },
            "status": { "enum": ["open", "on-hold", "2nd try", null] },
            "customer": refer("Customer"),
            "address": { "type": "object", "properties": { "zip": { "type": "string" } } },
            "items": { "type": "array", "items": { "allOf": [refer("Item"), { "properties": { "gift": { "type": "boolean" } } }] } },
            "labels": { "type": "object", "additionalProperties": { "type": "string" } },
            "extra": { "type": "object" },
            "codes": refer("Codes"),
            "either": { "oneOf": [{ "type": "string" }, { "type": "integer" }] },
            "maybe": { "anyOf": [refer("Customer"), { "type": "null" }] },
            "parent": { "$ref": "#" },
            "other": { "$ref": "other.json" },
        },
        "definitions": {
            "Customer": { "properties": { "name": { "type": "string" }, "friend": refer("Customer"), "address": { "properties": { "city": {} } } } },
            "Item": { "properties": { "price": { "type": "number", "format": "double" } }, "required": ["price"] },
            "Codes": { "type": "array", "items": refer("Codes") },
        },
    });
    assert_codes!(generate(world, "shop@Order", &document)?, "document");
    Ok(())
}

pub(super) fn names_of_all_kinds_become_identifiers(world: &World) -> Result<()> {
    let text = || json!({ "type": "string" });
    let document = with_schemas(
        "3.0.0",
        json!({
            "class": { "type": "object", "properties": {
                "class": text(), "from": text(), "1st": text(), "a-b": text(), "a.b": text(), "é": text(), "\"\\\n`": text(),
                "constructor": text(), "self": text(), "ARN": text(), "Arn": text(), "type": text(), "__types": text(), "": text(),
            } },
            "Class": { "type": "object" },
            "Object": { "type": "object", "properties": { "object": { "properties": { "object": text() } } } },
            "none": { "type": "string", "enum": ["a b", "a-b", "", "class"] },
        }),
    );
    assert_codes!(generate(world, "class@1st.Import", &document)?, "names");
    Ok(())
}

pub(super) fn code_binding_is_generated_on_request(world: &World) -> Result<()> {
    let session = world.session();
    let mut created = create_schema(world, "r", "s")?;
    let schemas = || Schema::objects(&session);
    let put = schemas().put_code_binding("r", "s", "Java8").wait()?;
    assert_eq!(put.status(), Some(&CodeGenerationStatus::CreateInProgress), "before the transition");
    assert_eq!((put.schema_version(), put.creation_date()), (Some("1"), Some(world.cloud().clock().now())));
    world.advance(HOUR)?;
    let found = schemas().get_code_binding("r", "s", "Java8").wait()?.unwrap();
    assert_eq!(found.status(), Some(&CodeGenerationStatus::CreateComplete));
    assert_eq!((found.creation_date(), found.last_modified()), (put.creation_date(), put.creation_date()));
    let before = world.state()?;
    assert_eq!(
        schemas().put_code_binding("r", "s", "Java8").wait()?,
        found,
        "a second request has no effect"
    );
    world.assert_unchanged(&before)?;

    created.set_content(openapi("later"))?;
    created.save().wait()?;
    assert!(schemas().get_code_binding("r", "s", "Java8").wait()?.is_none(), "the newest version by default");
    let old = || schemas().get_code_binding_source("r", "s", "Java8").schema_version("1").wait();
    assert!(unzip(old()?.unwrap().body().unwrap()).iter().any(|(_, content)| content.contains("getId()")));
    schemas().put_code_binding("r", "s", "Java8").wait()?;
    world.advance(HOUR)?;
    assert!(source(world, "r", "s", "Java8")?.contains("getLater()"));
    Ok(())
}

pub(super) fn missing_code_binding_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let schemas = || Schema::objects(&session);
    create_schema(world, "r", "s")?;
    assert!(schemas().get_code_binding("r", "s", "Go1").wait()?.is_none());
    assert!(schemas().get_code_binding_source("r", "s", "Go1").wait()?.is_none());
    for (registry, name) in [("r", "t"), ("q", "s"), ("aws.events", "s")] {
        world.refused(&errors::NOT_FOUND, None, || schemas().put_code_binding(registry, name, "Go1").wait());
        assert!(schemas().get_code_binding(registry, name, "Go1").wait()?.is_none());
    }
    let other_version = || schemas().put_code_binding("r", "s", "Go1").schema_version("2").wait();
    world.refused(&errors::NOT_FOUND, None, other_version);
    Ok(())
}

pub(super) fn unknown_language_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    create_schema(world, "r", "s")?;
    for language in ["Python", "java8", "Rust"] {
        let schemas = || Schema::objects(&session);
        world.refused(&errors::INVALID, "Language", || schemas().put_code_binding("r", "s", language).wait());
        world.refused(&errors::INVALID, "Language", || schemas().get_code_binding("r", "s", language).wait());
        let read = || schemas().get_code_binding_source("r", "s", language).wait();
        world.refused(&errors::INVALID, "Language", read);
    }
    Ok(())
}

pub(super) fn code_bindings_are_deleted_with_version_and_schema(world: &World) -> Result<()> {
    let session = world.session();
    Registry::objects(&session).create(&registry("r")).wait()?;
    let empty = world.state()?;
    let mut created = create_schema(world, "r", "s")?;
    created.set_content(openapi("later"))?;
    created.save().wait()?;
    let put = |version: &str| {
        let version = Text::new(version);
        Schema::objects(&session).put_code_binding("r", "s", "Go1").schema_version(version).wait()
    };
    put("2")?;
    world.advance(HOUR)?;
    put("1")?;
    world.advance(HOUR)?;
    Schema::objects(&session).delete_version("r", "s", "1").wait()?;
    let found = Schema::objects(&session).get_code_binding("r", "s", "Go1").schema_version("2").wait()?;
    assert!(found.is_some());
    let keys = || -> Result<usize> {
        Ok(world.state()?.iter().filter(|(key, _)| key.starts_with(b"schemas/binding")).count())
    };
    assert_eq!(keys()?, 1);
    Schema::objects(&session).delete("r", "s").wait()?;
    assert_eq!(keys()?, 0);
    assert_eq!(world.state()?.len(), empty.len(), "nothing remains but the clock and the registry");
    Ok(())
}
