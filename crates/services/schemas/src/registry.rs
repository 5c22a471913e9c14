//! Registries: named collections of schemas.

use super::{Empty, SERVICE, errors, paging, schema, tagging};
use nephos_cloud::{Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{
    Arn, Choice, ErrorKind, Listing, Map, Page, PageRequest, Record, Resource, Result, Slot, Steppable,
    Steps, Text, datum::DatumType, operation,
};

/// What the names of registries begin with that the provider keeps for itself.
const RESERVED: &str = "aws.";

/// A registry: a named collection of schemas.
#[derive(Resource)]
#[resource(
    service = SERVICE, arn = "RegistryArn", name = "RegistryName", pk = "RegistryName", mark = "RegistryArn",
    tags = "Tags",
    calls(
        Create, Get, List, Update, Delete,
        tagging::of_registry::Tag, tagging::of_registry::Untag, tagging::of_registry::ListTags
    ),
    create = Create, update = Update, delete = Delete, get = Get,
)]
pub struct Registry {
    /// Resource name.
    #[field(service_set)]
    pub(super) registry_arn: Option<Text>,
    /// Name, unique within account and Region.
    #[field(fixed, length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    pub(super) registry_name: Option<Text>,
    /// Tags.
    #[field(wire = "tags")]
    pub(super) tags: Option<Map<Text>>,
    /// What it is for. A listing does not tell it; `get` does.
    #[field(length(..=256))]
    description: Option<Text>,
    slot: Slot,
}

impl Stored for Registry {
    const TABLE: &'static str = "schemas/registry";

    fn identify(&self, key: Key) -> Key {
        key.text(self.registry_name.as_deref().unwrap_or_default())
    }

    fn shed(&mut self) {
        (self.registry_name, self.registry_arn) = (None, None);
    }

    fn restore(&mut self, scope: &Scope, mut identity: Parts<'_>) {
        let name = identity.text().unwrap_or_default();
        self.registry_arn = Some(arn_of(scope, &name).into());
        self.registry_name = Some(name);
    }
}

/// The resource name of the registry called `name`.
pub(super) fn arn_of(scope: &Scope, name: &str) -> Arn {
    scope.arn("schemas", &["registry/", name])
}

/// The registry called `name`, which must exist.
pub(super) fn require(cx: &Tx<'_>, name: &str) -> Result<Registry> {
    let found = cx.get(&Registry::table(cx.scope()).text(name))?;
    found.ok_or_else(|| errors::NOT_FOUND.because(format!("there is no registry {name}")))
}

/// Creates a registry.
#[operation(
    service = SERVICE, effect = write, output = Registry, http("POST", "/v1/registries/name/{registryName}", 201), subject = "registry/{RegistryName}")]
pub struct CreateRegistry {
    /// Its name.
    #[field(wire = "registryName", in_path, length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    pub registry_name: Text,
    /// What it is for.
    #[field(length(..=256))]
    pub description: Option<Text>,
    /// Its tags.
    #[field(wire = "tags")]
    pub tags: Option<Map<Text>>,
}

impl Handler for CreateRegistry {
    fn run(self, cx: &mut Tx<'_>) -> Result<Registry> {
        if self.registry_name.starts_with(RESERVED) {
            let why = format!("names that begin with {RESERVED} are reserved");
            return Err(errors::INVALID.because(why).with_field("RegistryName"));
        }
        let tags = self.tags.filter(|tags| !tags.is_empty());
        tags.as_ref().map_or(Ok(()), tagging::check)?;
        let mut registry = Registry::blank();
        registry.registry_arn = Some(arn_of(cx.scope(), &self.registry_name).into());
        registry.registry_name = Some(self.registry_name);
        registry.description = self.description;
        registry.tags = tags;
        if cx.exists(&registry.key(cx.scope()))? {
            let name = registry.registry_name.unwrap_or_default();
            return Err(errors::EXISTS.because(format!("there is a registry {name} already")));
        }
        cx.put(registry.clone())?;
        Ok(registry)
    }
}

/// Describes a registry.
#[operation(
    service = SERVICE, effect = read, output = Registry, http("GET", "/v1/registries/name/{registryName}", 200), subject = "registry/{RegistryName}")]
pub struct DescribeRegistry {
    /// Its name.
    #[field(wire = "registryName", in_path, length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    pub registry_name: Text,
}

impl Handler for DescribeRegistry {
    fn run(self, cx: &mut Tx<'_>) -> Result<Registry> {
        require(cx, &self.registry_name)
    }
}

/// Whose registries.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum RegistryScope {
    /// The account's own.
    Local,
    /// The provider's.
    #[choice("Provider", wire = "AWS")]
    Provider,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// Lists registries, in ASCII order of their names.
#[operation(service = SERVICE, effect = read, output = Registries, http("GET", "/v1/registries", 200), subject = "registry/*")]
pub struct ListRegistries {
    /// How many at most; 100 if not said.
    #[field(page_size, wire = "limit", in_query, range(1..))]
    pub limit: Option<i64>,
    /// Where the page before ended.
    #[field(page_token, wire = "nextToken", in_query)]
    pub next_token: Option<Text>,
    /// Only those whose names begin so.
    #[field(wire = "registryNamePrefix", in_query)]
    pub registry_name_prefix: Option<Text>,
    /// Only the account's own, or only the provider's.
    #[field(wire = "scope", in_query)]
    pub scope: Option<RegistryScope>,
}

/// A page of registries.
#[derive(Record)]
#[record(name = "ListRegistriesResponse")]
pub struct Registries {
    /// Where this page ends.
    next_token: Option<Text>,
    /// The registries.
    registries: Option<Vec<Registry>>,
}

impl Handler for ListRegistries {
    fn run(self, cx: &mut Tx<'_>) -> Result<Registries> {
        let table = Registry::table(cx.scope());
        let within = table.clone().text_prefix(self.registry_name_prefix.as_deref().unwrap_or_default());
        let wanted = paging::wanted(&within, self.next_token.as_deref(), self.limit);
        let name = |registry: &Registry| registry.registry_name.clone().unwrap_or_default();
        let in_scope = |registry: &Registry| match &self.scope {
            None => true,
            Some(scope) => (*scope == RegistryScope::Provider) == name(registry).starts_with(RESERVED),
        };
        let (registries, next_token) = cx.page(
            &self,
            wanted,
            |name| table.clone().text(name),
            name,
            |mut registry| {
                registry.description = None;
                Ok(Some(registry).filter(in_scope))
            },
        )?;
        Ok(Registries { next_token, registries: Some(registries) })
    }
}

/// Changes what a registry is for.
#[operation(
    service = SERVICE, effect = write, output = Registry, http("PUT", "/v1/registries/name/{registryName}", 200), subject = "registry/{RegistryName}")]
pub struct UpdateRegistry {
    /// Its name.
    #[field(wire = "registryName", in_path, length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    pub registry_name: Text,
    /// What it is for; left as it is if not said.
    #[field(length(..=256))]
    pub description: Option<Text>,
}

impl Handler for UpdateRegistry {
    fn run(self, cx: &mut Tx<'_>) -> Result<Registry> {
        let mut registry = require(cx, &self.registry_name)?;
        if self.description.is_some() {
            registry.description = self.description;
            cx.put(registry.clone())?;
        }
        Ok(registry)
    }
}

/// Deletes a registry, which must hold no schemas.
#[operation(
    service = SERVICE, effect = write, output = Empty, http("DELETE", "/v1/registries/name/{registryName}", 204), subject = "registry/{RegistryName}")]
pub struct DeleteRegistry {
    /// Its name.
    #[field(wire = "registryName", in_path, length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    pub registry_name: Text,
}

impl Handler for DeleteRegistry {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let registry = require(cx, &self.registry_name)?;
        if schema::any_within(cx, &self.registry_name)? {
            let why = format!("registry {} holds schemas; delete them first", self.registry_name);
            return Err(errors::INVALID.because(why).with_field("RegistryName"));
        }
        cx.remove(&registry)?;
        Ok(Empty {})
    }
}

/// Creates a registry, with its tags.
#[operation(kind = Registry, call = "create", case = "snake", effect = write, output = Registry)]
pub struct Create {
    /// The registry.
    #[field(model)]
    pub model: Registry,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Registry> {
        let registry = &self.model;
        let create = CreateRegistry::new(super::given(&registry.registry_name, "RegistryName")?)
            .description(registry.description.clone())
            .tags(registry.tags.clone());
        steps.call(create).await
    }
}

/// A registry, if there is one.
#[operation(kind = Registry, call = "get", effect = read, output = Option<Registry>)]
pub struct Get {
    /// Its name.
    #[field(length(1..=64), pattern = r"[.\-_A-Za-z0-9]+")]
    pub registry_name: Text,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<Registry>> {
        match steps.call(DescribeRegistry::new(self.registry_name.clone())).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            found => found.map(Some),
        }
    }
}

/// The registries, in ASCII order of their names.
#[operation(kind = Registry, call = "list", effect = read, output = Page<Registry>, pages)]
pub struct List {
    /// How many to fetch at a time; 100 if not said.
    #[field(page_size, range(1..))]
    pub limit: Option<i64>,
    /// Only those whose names begin so.
    pub registry_name_prefix: Option<Text>,
    /// Only the account's own, or only the provider's.
    pub scope: Option<RegistryScope>,
}

impl Listing for List {
    type Model = Registry;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<Registry>> {
        let narrowed = || paging::beginning(&request.filter, "RegistryName");
        let list = ListRegistries::new()
            .limit(self.limit)
            .registry_name_prefix(self.registry_name_prefix.clone().or_else(narrowed))
            .scope(self.scope.clone())
            .next_token(request.token.clone());
        let found = steps.call(list).await?;
        Ok(Page { items: found.registries.unwrap_or_default(), next_token: found.next_token })
    }
}

/// Changes the description and tags of a registry: those that differ from what the model was read with.
#[operation(kind = Registry, call = "update", case = "snake", effect = write, output = Registry)]
pub struct Update {
    /// The registry.
    #[field(model)]
    pub model: Registry,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<Registry> {
        let (model, changed) = (&self.model, self.model.changed());
        let name = super::given(&model.registry_name, "RegistryName")?;
        model.check_changes()?;
        let current = steps.call(DescribeRegistry::new(name.clone())).await?;
        if changed.contains(&"Description") {
            let description = model.description.clone().unwrap_or_default();
            steps.call(UpdateRegistry::new(name.clone()).description(description)).await?;
        }
        tagging::retag(steps, &current.registry_arn, &current, model).await?;
        steps.call(DescribeRegistry::new(name)).await
    }
}

/// Deletes a registry, which must hold no schemas.
#[operation(kind = Registry, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its name.
    pub registry_name: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteRegistry::new(self.registry_name.clone())).await?;
        Ok(())
    }
}
