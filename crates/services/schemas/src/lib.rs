//! Event schemas: registries of versioned schemas of events, and discoverers that infer them.
//!
//! ```
//! use nephos::{Cloud, Schema, SchemaRegistry};
//!
//! let session = Cloud::in_memory().session();
//! let shop = SchemaRegistry::builder().registry_name("shop").build()?;
//! SchemaRegistry::objects(&session).create(&shop).wait()?;
//!
//! let content = r#"{"openapi": "3.0.0", "info": {"title": "Order", "version": "1"}, "paths": {},
//!     "components": {"schemas": {"Order": {"type": "string", "nullable": true}}}}"#;
//! let order = Schema::builder().registry_name("shop").schema_name("Order").content(content).r#type("OpenApi3");
//! let order = Schema::objects(&session).create(&order.build()?).wait()?;
//! let exported = order.export().wait()?.expect("the schema exists");
//! assert!(exported.content().unwrap_or_default().ends_with(r#""type":["string","null"]}"#));
//! # Ok::<(), nephos::Error>(())
//! ```

mod discoverer;
pub mod errors;
mod paging;
mod registry;
mod schema;
mod tagging;
#[doc(hidden)]
pub mod validation;

pub use discoverer::*;
pub use registry::*;
pub use schema::*;
pub use tagging::*;

pub use nephos_core::Empty;
use nephos_core::shape::Protocol;

nephos_cloud::parts! {
    discovery: discoverer::discovery,
    inference: discoverer::inference,
    widen: discoverer::widen,
    provider: registry::provider,
    names: schema::bindings::names,
    zip: schema::bindings::zip,
    content: schema::content,
}

nephos_cloud::service! {
    SCHEMAS = "schemas", "Event schemas: registries of versioned schemas of events, and discoverers that infer them.";
    shape {
        api_version: "2019-12-02",
        protocol: Protocol::RestJson,
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_next_token,
        resource_keys: &[("", &["aws:ResourceTag/${TagKey}"])],
    }
    kinds {
        Registry, Schema, Discoverer,
    }
    operations {
        CreateRegistry, DescribeRegistry, ListRegistries, UpdateRegistry, DeleteRegistry,
        CreateSchema, DescribeSchema, ListSchemas, UpdateSchema, DeleteSchema,
        ListSchemaVersions, DeleteSchemaVersion, SearchSchemas, ExportSchema,
        CreateDiscoverer, DescribeDiscoverer, ListDiscoverers, UpdateDiscoverer, DeleteDiscoverer,
        StartDiscoverer, StopDiscoverer, GetDiscoveredSchema,
        PutCodeBinding, DescribeCodeBinding, GetCodeBindingSource,
        GetResourcePolicy, PutResourcePolicy, DeleteResourcePolicy,
        TagResource, UntagResource, ListTagsForResource,
    }
    calls {
        RegistryGetPolicy, RegistrySetPolicy, RegistryDeletePolicy, RegistryTag,
        RegistryUntag, RegistryListTags, DiscovererTag, DiscovererUntag,
        DiscovererListTags, SchemaUpdate, SchemaListVersions, SchemaExport, SchemaTag,
        SchemaUntag, SchemaListTags,
    }
    controls {
        "discover-event" => DiscoverEvent,
    }
    tables {
        Registry, schema::SchemaRow, schema::versions::VersionRow, schema::bindings::BindingRow, registry::policy::PolicyRow,
        Discoverer,
    }
    access {
        find_resource: Some(tagging::find_resource),
    }
    event_targets {
        "discoverer/" => discoverer::put,
    }
    tagged { tagging::TAGGED }
}
