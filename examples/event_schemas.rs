//! Event schemas: a registry, two versions of a schema, a search, and a discoverer.
//!
//! `cargo run -p nephos-examples --example event_schemas`

use nephos::{Cloud, Discoverer, Result, Schema, SchemaRegistry, prelude::*};

fn order(field: &str) -> String {
    format!(
        r#"{{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
            "properties": {{"{field}": {{"type": "string"}}}}}}"#
    )
}

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let session = Cloud::in_memory().session();
    let registry =
        SchemaRegistry::builder().registry_name("shop").description("Events of the shop").build()?;
    SchemaRegistry::objects(&session).create(&registry).wait()?;

    let schema = Schema::builder().registry_name("shop").schema_name("Order").content(order("id"));
    let mut schema = Schema::objects(&session).create(&schema.r#type("JSONSchemaDraft4").build()?).wait()?;
    schema.set_content(order("orderId"))?;
    schema.save().wait()?;
    println!("version {}", schema.schema_version().unwrap_or_default());
    for version in schema.versions().wait()? {
        println!("  {}", version.schema_version().unwrap_or_default());
    }

    let bus = "arn:aws:events:us-east-1:123456789012:event-bus/default";
    let discoverer = Discoverer::builder().source_arn(bus).build()?;
    let discoverer = Discoverer::objects(&session).create(&discoverer).wait()?;
    println!("discoverer {:?} is {:?}", discoverer.discoverer_id(), discoverer.state());
    discoverer.stop().wait()?;
    Ok(())
}
