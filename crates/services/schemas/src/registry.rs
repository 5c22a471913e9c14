//! Registries: named collections of schemas.

use super::{
    Empty, SERVICE,
    calls::{model_call, update_model},
    errors,
    paging::{self, Pagination},
    schema, tagging,
};
use nephos_cloud::{Handler, Scope, Stored, Tx};
use nephos_core::{Arn, FromModel, Map, Record, Resource, Result, Slot, Text, choices, operation};

/// Prefix of the names of registries that the provider owns.
const RESERVED: &str = "aws.";

/// A registry: a named collection of schemas.
#[derive(Resource)]
#[resource(
    service = SERVICE, arn = "RegistryArn", name = "RegistryName", pk = "RegistryName", saved_when = "RegistryArn",
    tags = "Tags",
    calls(
        RegistryCreate, DescribeRegistry, ListRegistries, RegistryUpdate, DeleteRegistry,
        tagging::RegistryTag, tagging::RegistryUntag, tagging::RegistryListTags
    ),
    create = RegistryCreate, update = RegistryUpdate, delete = DeleteRegistry, get = DescribeRegistry,
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
    /// Description. A listing does not return it; `get` does.
    #[field(length(..=256))]
    description: Option<Text>,
    slot: Slot,
}

nephos_cloud::stored!(Registry in "schemas/registry" by registry_name; derived(registry_arn) => set_derived_fields);

impl Registry {
    fn set_derived_fields(&mut self, scope: &Scope) {
        self.registry_arn = self.registry_name.as_deref().map(|name| arn_of(scope, name).into());
    }
}

/// Returns the ARN of the registry `name`.
pub(super) fn arn_of(scope: &Scope, name: &str) -> Arn {
    scope.arn("schemas", &["registry/", name])
}

/// Returns the registry `name`, or an error if it does not exist.
pub(super) fn require(cx: &Tx<'_>, name: &str) -> Result<Registry> {
    let found = cx.get(&Registry::table(cx.scope()).text(name))?;
    found.ok_or_else(|| errors::NOT_FOUND.with_message(format!("Registry with name {name} does not exist.")))
}

/// Creates a registry.
#[operation(
    service = SERVICE, of = Registry, call = "create", model, needs(registry_name(wire = "registryName", in_path)),
    takes(description, tags), effect = write, output = Registry, http("POST", "/v1/registries/name/{registryName}", 201),
    subject = "registry/{RegistryName}"
)]
pub struct CreateRegistry {}

impl Handler for CreateRegistry {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Registry> {
        if self.registry_name.starts_with(RESERVED) {
            let message =
                format!("must not begin with {RESERVED:?}, which is reserved, got {:?}", self.registry_name);
            return Err(errors::invalid("RegistryName", message));
        }
        self.tags = tagging::check_tags(self.tags)?;
        let arn = arn_of(cx.scope(), &self.registry_name);
        let mut registry = Registry::from_given(self);
        registry.registry_arn = Some(arn.into());
        if cx.exists(&registry.key(cx.scope()))? {
            let name = registry.registry_name.unwrap_or_default();
            return Err(errors::EXISTS.with_message(format!("Registry with name {name} already exists.")));
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
    service = SERVICE, of = Registry, call = "get", optional, also(RegistryPath),
    effect = read, output = Registry, http("GET", "/v1/registries/name/{registryName}", 200),
    subject = "registry/{RegistryName}"
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
    service = SERVICE, of = Registry, call = "list", pages, gives(registries, next_token), also(Pagination),
    pushes(registry_name_prefix = "RegistryName"), effect = read, output = Registries,
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

nephos_core::page! {
    /// A page of registries.
    #[record(name = "ListRegistriesResponse")]
    pub struct Registries { registries: Registry, next_token }
}

impl Handler for ListRegistries {
    fn run(self, cx: &mut Tx<'_>) -> Result<Registries> {
        let (all, prefix) = (Registry::table(cx.scope()), self.registry_name_prefix.as_ref());
        let in_scope = |registry: &Registry| {
            let reserved = registry.registry_name.as_ref().is_some_and(|name| name.starts_with(RESERVED));
            self.scope.as_ref().is_none_or(|scope| (*scope == RegistryScope::Provider) == reserved)
        };
        let page = paging::page(cx, &self, all, prefix, |mut registry: Registry| {
            registry.description = None;
            Ok(Some(registry).filter(in_scope))
        })?;
        Ok(page.into())
    }
}

/// Changes the description of a registry.
#[operation(
    service = SERVICE, of = Registry, also(RegistryPath), takes(description),
    effect = write, output = Registry, http("PUT", "/v1/registries/name/{registryName}", 200),
    subject = "registry/{RegistryName}"
)]
pub struct UpdateRegistry {}

impl Handler for UpdateRegistry {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Registry> {
        let mut registry = require(cx, &self.registry_name)?;
        if self.description.is_some() {
            registry.take_given(&mut self);
            cx.put(registry.clone())?;
        }
        Ok(registry)
    }
}

/// Deletes a registry, which must not contain schemas.
#[operation(
    service = SERVICE, of = Registry, call = "delete", instance, also(RegistryPath),
    effect = write, output = Empty, http("DELETE", "/v1/registries/name/{registryName}", 204),
    subject = "registry/{RegistryName}"
)]
pub struct DeleteRegistry {}

impl Handler for DeleteRegistry {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let registry = require(cx, &self.registry_name)?;
        if schema::has_schemas(cx, &self.registry_name)? {
            let message = format!("registry {} contains schemas; delete them first", self.registry_name);
            return Err(errors::invalid("RegistryName", message));
        }
        cx.remove(&registry)?;
        Ok(Empty {})
    }
}

model_call! {
    /// Changes the description and tags of a registry, where the model was changed.
    RegistryUpdate = "update" of Registry(model, context) {
        let describe = DescribeRegistry::from_model(model)?;
        update_model(context, model, describe, |_: &mut UpdateRegistry| Ok(())).await
    }
}
