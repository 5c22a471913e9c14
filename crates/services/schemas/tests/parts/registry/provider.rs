//! Tests of `registry::provider`.

use nephos_core::Record as _;
use nephos_schemas::SchemaType;
use nephos_schemas::parts::provider::SCHEMAS;

#[test]
fn documents_are_valid_and_sorted_by_name() {
    assert_eq!(SCHEMAS.len(), 7);
    assert!(SCHEMAS.is_sorted_by(|a, b| a.name() < b.name()));
    for schema in SCHEMAS.iter() {
        let content = schema.version.get("Content").unwrap();
        let content = content.as_text().unwrap();
        nephos_schemas::parts::content::check(&SchemaType::OpenApi3, content).unwrap();
        nephos_schemas::validation::draft4::from_openapi(
            &nephos_schemas::parts::content::parse(content).unwrap(),
        )
        .unwrap();
    }
}
