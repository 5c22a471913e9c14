//! Registries: named collections of schemas.

use super::errors;
use nephos_cloud::{Addressed, Scope, Tx, own_arn};
use nephos_core::{Map, Resource, Result, Slot, Text, field_value::FieldType};

mod operations;
pub(crate) mod policy;
pub(crate) mod provider;

pub use operations::*;
pub use policy::*;

/// A registry: a named collection of schemas.
#[derive(Resource)]
#[resource(
    arn("RegistryArn", "registry/{RegistryName}"), name = "RegistryName", pk = "RegistryName", exists_if = "RegistryArn",
    tags = "Tags", not_found = |name| errors::registry_not_found(name)
)]
pub struct Registry {
    /// ARN of the registry.
    #[field(service_set)]
    pub(super) registry_arn: Option<Text>,
    /// Name of the registry, unique within account and Region.
    #[field(fixed, length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    pub(super) registry_name: Option<Text>,
    /// Tags.
    #[field(wire = "tags")]
    pub(super) tags: Option<Map<Text>>,
    /// Description.
    #[field(not_in_list, length(..=256), clear = "")]
    description: Option<Text>,
    slot: Slot,
}

nephos_cloud::stored!(Registry in "schemas/registry" by registry_name; arn registry_arn);

impl Registry {
    /// Creates a registry of the provider, which is not stored.
    pub(super) fn for_provider(scope: &Scope, name: &str) -> Self {
        let mut registry = Self::blank();
        registry.registry_name = Some(name.into());
        registry.registry_arn = own_arn(&registry, scope);
        registry
    }
}

/// Returns the registry `name`, or an error if it does not exist.
pub(super) fn require(cx: &Tx<'_>, name: &str) -> Result<Registry> {
    let found = if provider::is_reserved(name) {
        provider::find_registry(cx, name)?
    } else {
        Registry::find_by(cx, &[name])?
    };
    found.ok_or_else(|| Registry::not_found(name))
}

/// Returns the registry `name` to change it, or an error if it does not exist or is the provider's.
pub(super) fn require_changeable(cx: &Tx<'_>, name: &str) -> Result<Registry> {
    let found = require(cx, name)?;
    provider::check_registry_changeable(name)?;
    Ok(found)
}
