//! Kinds of event schemas.

/// Collection of event schemas.
///
/// ```
/// # use nephos::{Cloud, SchemaRegistry};
/// # let session = Cloud::in_memory().session();
/// let shop = SchemaRegistry::builder().registry_name("shop").description("Events of the shop").build()?;
/// SchemaRegistry::objects(&session).create(&shop).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::schemas::Registry as SchemaRegistry;

/// Description of an event's structure, in numbered versions.
///
/// ```
/// # use nephos::{Cloud, Schema, SchemaRegistry, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # SchemaRegistry::objects(&session).create(&SchemaRegistry::builder().registry_name("shop").build()?).wait()?;
/// let schema = Schema::builder().registry_name("shop").schema_name("Order").r#type("JSONSchemaDraft4");
/// let schema = schema.content(r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}"#);
/// let mut schema = Schema::objects(&session).create(&schema.build()?).wait()?;
/// schema.set_description("An order of the shop")?;
/// schema.save().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::schemas::Schema;

/// Infers schemas from the events on an event bus.
///
/// ```
/// # use nephos::{Cloud, Discoverer};
/// # let session = Cloud::in_memory().session();
/// let bus = "arn:aws:events:us-east-1:123456789012:event-bus/default";
/// let discoverer = Discoverer::builder().source_arn(bus).build()?;
/// let discoverer = Discoverer::objects(&session).create(&discoverer).wait()?;
/// discoverer.stop().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::schemas::Discoverer;
