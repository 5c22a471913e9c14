//! Facts about the kinds of the service for the laws over all kinds.

use nephos_schemas::{Discoverer, Registry, Schema};
use nephos_testing::{KindFacts, LawFacts, Step};

const REGISTRY: KindFacts = KindFacts {
    examples: &[
        r#"{"RegistryName": "one", "Description": "d", "Tags": {"team": "web"}}"#,
        r#"{"RegistryName": "two"}"#,
    ],
    extras: &[Step::last("tag", r#"{"ResourceArn": "$Registry.RegistryArn", "Tags": {"law": "beside"}}"#)],
    ..KindFacts::of::<Registry>()
};

const SCHEMA: KindFacts = KindFacts {
    examples: &[
        r#"{"RegistryName": "one", "SchemaName": "s", "Type": "JSONSchemaDraft4", "Description": "d", "Tags": {"team": "web"},
        "Content": "{\"$schema\": \"http://json-schema.org/draft-04/schema#\", \"type\": \"object\"}"}"#,
        r#"{"RegistryName": "one", "SchemaName": "t@1", "Type": "OpenApi3", "Content":
        "{\"openapi\": \"3.0.0\", \"info\": {\"version\": \"1\", \"title\": \"t\"}, \"paths\": {}, \"components\": {\"schemas\": {}}}"}"#,
    ],
    extras: &[Step::last("tag", r#"{"ResourceArn": "$Schema.SchemaArn", "Tags": {"law": "beside"}}"#)],
    page_items: &[Step::nth(
        0,
        "update",
        r#"{"Content": "{\"$schema\": \"http://json-schema.org/draft-04/schema#\"}"}"#,
    )],
    ..KindFacts::of::<Schema>()
};

const DISCOVERER: KindFacts = KindFacts {
    examples: &[
        r#"{"SourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/default"}"#,
        r#"{"SourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/other", "Description": "d",
        "CrossAccount": false, "Tags": {"team": "web"}}"#,
    ],
    unique: Some(("SourceArn", "arn:aws:events:us-east-1:123456789012:event-bus/other#")),
    ..KindFacts::of::<Discoverer>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[REGISTRY, SCHEMA, DISCOVERER],
    unchecked_references: &[(
        &["Schema delete_version RegistryName", "Schema put_code_binding RegistryName"],
        "needs two versions, or a language",
    )],
    texts: &[
        "arn:aws:schemas:us-east-1:123456789012:registry/one",
        "arn:aws:schemas:us-east-1:123456789012:schema/one/s",
        "arn:aws:schemas:us-east-1:123456789012:discoverer/events-event-bus-default",
        "events-event-bus-default",
    ],
    page_parameters: &[("SearchSchemas", r#"{"RegistryName": "one", "Keywords": "0"}"#)],
    ..LawFacts::of(&nephos_schemas::SERVICE)
};
