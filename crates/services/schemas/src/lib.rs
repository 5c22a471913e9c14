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

mod bindings;
mod calls;
mod content;
mod discover;
mod discover_event;
mod discoverer;
mod draft4;
pub mod errors;
mod export;
mod metaschema;
mod openapi;
mod paging;
mod policy;
mod provider;
mod registry;
mod schema;
mod search;
mod tagging;
/// Behaviour cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "cases/mod.rs"]
pub mod testing;
mod versions;
mod widen;

pub use bindings::*;
pub use content::SchemaType;
pub use discover::*;
pub use discover_event::*;
pub use discoverer::*;
pub use export::*;
pub use policy::*;
pub use registry::*;
pub use schema::*;
pub use search::*;
pub use tagging::*;
pub use versions::*;

use nephos_cloud::{Control, Service, ServiceAccess, Table};
pub use nephos_core::Empty;
use nephos_core::{
    Resource,
    shape::{Protocol, ServiceShape},
};

/// Description of the service: its kinds, operations and error codes.
pub static SERVICE: ServiceShape = ServiceShape {
    name: "schemas",
    docs: "Event schemas: registries of versioned schemas of events, and discoverers that infer them.",
    api_version: "2019-12-02",
    protocol: Protocol::RestJson,
    endpoint: "schemas",
    signing: "schemas",
    global: false,
    shows_values: true,
    kinds: &[Registry::KIND, Schema::KIND, Discoverer::KIND],
    operations: OPERATIONS,
    codes: errors::ALL,
    invalid: &errors::INVALID,
    invalid_token: errors::invalid_next_token,
    resource_keys: &[("", &["aws:ResourceTag/${TagKey}"])],
};

nephos_cloud::handlers! {
    CreateRegistry, DescribeRegistry, ListRegistries, UpdateRegistry, DeleteRegistry,
    CreateSchema, DescribeSchema, ListSchemas, UpdateSchema, DeleteSchema,
    ListSchemaVersions, DeleteSchemaVersion, SearchSchemas, ExportSchema,
    CreateDiscoverer, DescribeDiscoverer, ListDiscoverers, UpdateDiscoverer, DeleteDiscoverer,
    StartDiscoverer, StopDiscoverer, GetDiscoveredSchema,
    PutCodeBinding, DescribeCodeBinding, GetCodeBindingSource,
    GetResourcePolicy, PutResourcePolicy, DeleteResourcePolicy,
    TagResource, UntagResource, ListTagsForResource,
}

/// Implementation of the service: handlers and tables.
pub static SCHEMAS: Service = Service {
    shape: &SERVICE,
    handlers: HANDLERS,
    controls: &[Control::new::<DiscoverEvent>("discover-event")],
    views: &[],
    works: &[],
    tables: &[
        Table::new::<Registry>(),
        Table::new::<schema::SchemaRow>(),
        Table::new::<versions::VersionRow>(),
        Table::new::<bindings::BindingRow>(),
        Table::new::<policy::PolicyRow>(),
        Table::new::<Discoverer>(),
    ],
    access: ServiceAccess { find_resource: Some(tagging::find_resource), ..ServiceAccess::NONE },
    crypto_keys: None,
};
