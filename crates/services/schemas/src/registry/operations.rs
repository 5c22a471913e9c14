//! Operations on registries.

use super::{Registry, require, require_changeable};
use crate::RegistryManager;
use crate::{
    Empty, errors,
    paging::Pagination,
    registry::{policy, provider},
    schema, tagging,
};
use nephos_cloud::{Handler, Stored, Tx, own_arn};
use nephos_core::{Record, Result, Text, choices, operation};

/// Creates a registry.
#[operation(
    of = Registry, call = "create", model, needs(registry_name(wire = "registryName", in_path)),
    takes(settable), effect = write, output = Registry, http("POST", "/v1/registries/name/{registryName}", 201)
)]
pub struct CreateRegistry {}

impl Handler for CreateRegistry {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Registry> {
        if provider::is_reserved(&self.registry_name) {
            if let Some(found) = provider::find_registry(cx, &self.registry_name)? {
                return Err(errors::registry_exists(found.registry_name.unwrap_or_default()));
            }
            let refused = errors::registry_name_reserved(&self.registry_name).with_field("RegistryName");
            return Err(
                refused.with_hint("names that begin with aws., and discovered-schemas, are the provider's")
            );
        }
        self.tags = tagging::check_tags(self.tags)?;
        let description = self.description.take();
        let mut registry = Registry::from_given(self);
        // An empty description is stored, too.
        registry.description = description;
        registry.registry_arn = own_arn(&registry, cx.scope());
        if cx.exists(&registry.key(cx.scope()))? {
            return Err(errors::registry_exists(registry.registry_name.unwrap_or_default()));
        }
        cx.put(registry.clone())?;
        Ok(registry)
    }
}

/// Path parameter of requests for one registry.
#[derive(Record)]
#[record(shared)]
pub struct RegistryPath {
    /// Name of the registry.
    #[field(required, wire = "registryName", in_path, like = Registry::registry_name)]
    registry_name: Option<Text>,
}

/// Describes a registry.
#[operation(
    of = Registry, call = "get", none_if_missing, include(RegistryPath),
    effect = read, output = Registry, http("GET", "/v1/registries/name/{registryName}", 200)
)]
pub struct DescribeRegistry {}

impl Handler for DescribeRegistry {
    fn run(self, cx: &mut Tx<'_>) -> Result<Registry> {
        require(cx, &self.registry_name)
    }
}

choices! {
    /// Owner of registries.
    pub enum RegistryScope {
        /// The account.
        Local,
        /// The provider.
        Provider = "Provider" => "AWS",
    }
}

/// Lists registries, in ASCII order of their names.
#[operation(
    of = Registry, call = "list", page(registries, next_token), include(Pagination),
    pushdown(registry_name_prefix = "RegistryName"), effect = read,
    http("GET", "/v1/registries", 200), subject = "registry/*"
)]
pub struct ListRegistries {
    /// Prefix of the names of registries.
    #[field(wire = "registryNamePrefix", in_query)]
    pub registry_name_prefix: Option<Text>,
    /// Owner of the registries: the account or the provider; both by default.
    #[field(wire = "scope", in_query)]
    pub scope: Option<RegistryScope>,
}

impl Handler for ListRegistries {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let prefix = self.registry_name_prefix.as_deref().unwrap_or_default();
        // An account has few registries, so that all are read to put those of the provider between them.
        let mut all: Vec<Registry> = cx.all(&Registry::table(cx.scope()).text_prefix(prefix))?;
        all.extend(provider::registries(cx)?);
        let is_listed = |registry: &Registry| {
            let name = registry.registry_name.as_deref().unwrap_or_default();
            let is_in_scope =
                |scope: &RegistryScope| (*scope == RegistryScope::Provider) == (name == provider::EVENTS);
            name.starts_with(prefix) && self.scope.as_ref().is_none_or(is_in_scope)
        };
        all.retain(is_listed);
        all.sort_by(|a, b| a.registry_name.cmp(&b.registry_name));
        Ok(cx.page_items(&self, all, |registry| registry.registry_name.clone().unwrap_or_default())?.into())
    }
}

/// Changes the description of a registry.
#[operation(
    of = Registry, call = "update", changes, include(RegistryPath), takes(changeable), except(tags),
    effect = write, output = Registry, http("PUT", "/v1/registries/name/{registryName}", 200)
)]
pub struct UpdateRegistry {}

impl Handler for UpdateRegistry {
    fn run(self, cx: &mut Tx<'_>) -> Result<Registry> {
        let mut registry = require_changeable(cx, &self.registry_name)?;
        if self.description.is_some() {
            registry.description = self.description;
            cx.put(registry.clone())?;
        }
        Ok(registry)
    }
}

/// Deletes a registry, which must not contain schemas, and its resource policy.
#[operation(
    of = Registry, call = "delete", on_model, include(RegistryPath),
    effect = write, http("DELETE", "/v1/registries/name/{registryName}", 204)
)]
pub struct DeleteRegistry {}

impl Handler for DeleteRegistry {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let registry = require_changeable(cx, &self.registry_name)?;
        if schema::has_schemas(cx, &self.registry_name)? {
            let refused = errors::registry_not_empty(&self.registry_name).with_field("RegistryName");
            return Err(refused.with_hint("delete its schemas first"));
        }
        cx.remove_row(&policy::key(cx.scope(), &self.registry_name))?;
        cx.remove(&registry)?;
        Ok(Empty {})
    }
}
