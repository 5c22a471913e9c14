//! OpenID Connect providers: issuers whose tokens principals exchange for temporary credentials.

use crate::{errors, tagging};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx, own_arn};
use nephos_core::{
    Empty, Listing, ManagerOperation, Page, PageRequest, Record, Resource, Result, Slot, Tag, Text,
    Timestamp, WorkflowContext, field_value::FieldType, operation, retag,
};

/// Quota of OpenID Connect providers in an account.
pub(crate) const PROVIDERS: Quota =
    Quota { counter: "iam/open-id-providers", max: 100, what: "OpenID Connect providers" };

/// Maximum number of client IDs of a provider.
const MAX_CLIENT_IDS: usize = 100;

/// Maximum number of thumbprints of a provider.
const MAX_THUMBPRINTS: usize = 5;

/// Scheme of the URLs of issuers.
pub(crate) const SCHEME: &str = "https://";

/// An OpenID Connect provider: an issuer whose tokens principals exchange for temporary credentials.
#[derive(Resource)]
#[resource(
    arn("Arn", "oidc-provider/{Url}"), name = "Url", pk = "Arn", exists_if = "Arn", tags = "Tags",
    not_found = |arn| errors::open_id_provider_not_found(arn)
)]
pub struct OpenIDConnectProvider {
    /// ARN of the provider.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// URL of the issuer, as in the `iss` claim of its tokens: `https://token.example.com`.
    #[field(required, fixed, length(1..=255))]
    url: Option<Text>,
    /// Client IDs, of which a token has one as its audience.
    #[field(not_in_list, name = "ClientIDList", each(length(1..=255)))]
    pub(crate) client_id_list: Option<Vec<Text>>,
    /// SHA-1 fingerprints of the certificates of the issuer, in hexadecimal digits.
    #[field(not_in_list, no_effect, each(length(40..=40)))]
    pub(crate) thumbprint_list: Option<Vec<Text>>,
    /// Time of creation.
    #[field(not_in_list, service_set)]
    create_date: Option<Timestamp>,
    /// Tags.
    #[field(not_in_list, length(..=50))]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

// The URL is stored without its scheme, as it is in ARNs.
nephos_cloud::stored!(OpenIDConnectProvider in "iam/open-id-provider" by url; arn arn);

impl OpenIDConnectProvider {
    /// Adds the scheme to the URL, which the service returns without one, and the ARN.
    fn with_url_and_arn(mut self, arn: &Text) -> Self {
        let url = Self::read_arn(arn).and_then(|parts| parts.first().copied());
        self.url = url.map(|url| Text::new(SCHEME) + url);
        self.arn = Some(arn.clone());
        self
    }
}

/// Returns a URL without its scheme, or refuses it.
pub(crate) fn read_url(url: &str) -> Result<&str> {
    let resource = url.strip_prefix(SCHEME).unwrap_or_default();
    let host = resource.split('/').next().unwrap_or_default();
    let is_host = !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || c == '@');
    if is_host && !resource.contains(['?', '#']) {
        return Ok(resource);
    }
    Err(errors::issuer_invalid().with_field("Url").with_hint("expected a URL like https://token.example.com"))
}

fn check_client_ids(ids: &[Text]) -> Result<()> {
    if ids.len() > MAX_CLIENT_IDS {
        return Err(errors::quota_exceeded("ClientIdsPerOpenIdConnectProvider", MAX_CLIENT_IDS));
    }
    Ok(())
}

fn check_thumbprints(thumbprints: &[Text]) -> Result<()> {
    if thumbprints.len() > MAX_THUMBPRINTS {
        let refused = errors::too_many_thumbprints(MAX_THUMBPRINTS).with_field("ThumbprintList");
        return Err(refused.with_hint(format!("got {}", thumbprints.len())));
    }
    Ok(())
}

/// Finds the provider with this ARN, or refuses.
pub(crate) fn require(cx: &Tx<'_>, arn: &str) -> Result<OpenIDConnectProvider> {
    OpenIDConnectProvider::require(cx, arn, "OpenIDConnectProviderArn")
}

/// ARN of an existing provider.
#[derive(Record)]
#[record(shared)]
pub struct ExistingOpenIDConnectProvider {
    /// ARN of the provider.
    #[field(required, name = "OpenIDConnectProviderArn", from_field = "Arn|OpenIDConnectProviderArn", length(20..=2048))]
    open_id_connect_provider_arn: Option<Text>,
}

/// Creates an OpenID Connect provider. The thumbprints of its certificates are not fetched if none are given.
#[operation(
    of = OpenIDConnectProvider, call = "create", model, read_back, needs(url), takes(settable),
    answers(arn as open_id_connect_provider_arn(name = "OpenIDConnectProviderArn"), tags), effect = write,
    subject = "oidc-provider/{Url: https://=}",
    also_requires("TagOpenIDConnectProvider" = "Tags?")
)]
pub struct CreateOpenIDConnectProvider {}

impl Handler for CreateOpenIDConnectProvider {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.tags = tagging::read(self.tags.as_deref())?;
        let resource = Text::new(read_url(&self.url)?);
        check_thumbprints(self.thumbprint_list.as_deref().unwrap_or_default())?;
        check_client_ids(self.client_id_list.as_deref().unwrap_or_default())?;
        if OpenIDConnectProvider::find_by(cx, &[&resource])?.is_some() {
            return Err(errors::open_id_provider_exists(&self.url));
        }
        PROVIDERS
            .add_one(cx, || errors::quota_exceeded("OpenIdConnectProvidersPerAccount", PROVIDERS.max))?;
        let mut provider = OpenIDConnectProvider::from_given(self);
        provider.url = Some(resource);
        provider.client_id_list.get_or_insert_default();
        provider.thumbprint_list.get_or_insert_default();
        provider.create_date = Some(cx.now());
        provider.arn = own_arn(&provider, cx.scope());
        cx.put(provider.clone())?;
        Ok(provider.into())
    }
}

async fn get(context: &WorkflowContext, arn: &Text) -> Result<OpenIDConnectProvider> {
    let found = context.call(GetOpenIDConnectProvider::new(arn.clone())).await?;
    Ok(found.with_url_and_arn(arn))
}

/// Returns an OpenID Connect provider, without its ARN and the scheme of its URL.
#[operation(
    of = OpenIDConnectProvider, include(ExistingOpenIDConnectProvider), effect = read,
    output = OpenIDConnectProvider
)]
pub struct GetOpenIDConnectProvider {}

impl Handler for GetOpenIDConnectProvider {
    fn run(self, cx: &mut Tx<'_>) -> Result<OpenIDConnectProvider> {
        let mut provider = require(cx, &self.open_id_connect_provider_arn)?;
        provider.arn = None;
        provider.tags.get_or_insert_default();
        Ok(provider)
    }
}

/// Returns the OpenID Connect provider with this ARN, if it exists.
#[operation(
    kind = OpenIDConnectProvider, call = "get", include(ExistingOpenIDConnectProvider), effect = read,
    output = Option<OpenIDConnectProvider>
)]
pub struct OpenIDConnectProviderGet {}

impl ManagerOperation for OpenIDConnectProviderGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<OpenIDConnectProvider>> {
        let arn = &self.open_id_connect_provider_arn;
        let found = context.find(GetOpenIDConnectProvider::new(arn.clone())).await?;
        Ok(found.map(|provider| provider.with_url_and_arn(arn)))
    }
}

/// Lists the ARNs of the OpenID Connect providers of the account.
#[operation(
    of = OpenIDConnectProvider, effect = read, subject = "oidc-provider/*",
    wraps(open_id_connect_provider_list(name = "OpenIDConnectProviderList"): Vec<OpenIDConnectProvider>)
)]
pub struct ListOpenIDConnectProviders {}

impl Handler for ListOpenIDConnectProviders {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let all: Vec<OpenIDConnectProvider> = cx.all(&OpenIDConnectProvider::table(cx.scope()))?;
        let entry = |provider: OpenIDConnectProvider| {
            let mut entry = OpenIDConnectProvider::blank();
            entry.arn = provider.arn;
            entry
        };
        Ok(all.into_iter().map(entry).collect::<Vec<_>>().into())
    }
}

/// Lists the OpenID Connect providers of the account in order of their URLs, with ARNs and URLs only.
#[operation(
    kind = OpenIDConnectProvider, call = "list", pages, effect = read, output = Page<OpenIDConnectProvider>
)]
pub struct OpenIDConnectProviderList {}

impl Listing for OpenIDConnectProviderList {
    type Model = OpenIDConnectProvider;

    async fn page(&self, context: &WorkflowContext, _: &PageRequest) -> Result<Page<OpenIDConnectProvider>> {
        let found = context.call(ListOpenIDConnectProviders::new()).await?;
        let entries = found.open_id_connect_provider_list.unwrap_or_default().into_iter();
        let provider = |entry: OpenIDConnectProvider| {
            let arn = entry.arn.clone().unwrap_or_default();
            entry.with_url_and_arn(&arn)
        };
        Ok(Page::only(entries.map(provider).collect()))
    }
}

/// Deletes an OpenID Connect provider. One that does not exist is no error.
#[operation(
    of = OpenIDConnectProvider, call = "delete", on_model, include(ExistingOpenIDConnectProvider),
    effect = write
)]
pub struct DeleteOpenIDConnectProvider {}

impl Handler for DeleteOpenIDConnectProvider {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let arn = &self.open_id_connect_provider_arn;
        if let Some(provider) = OpenIDConnectProvider::find(cx, arn, "OpenIDConnectProviderArn")? {
            PROVIDERS.remove_one(cx)?;
            cx.remove(&provider)?;
        }
        Ok(Empty {})
    }
}

/// A client ID.
#[derive(Record)]
#[record(shared)]
pub struct ClientId {
    /// Client ID.
    #[field(required, name = "ClientID", length(1..=255))]
    client_id: Option<Text>,
}

/// Adds a client ID to an OpenID Connect provider; nothing happens if it has the client ID.
#[operation(
    of = OpenIDConnectProvider, call = "add_client_id", on_model(client_id),
    include(ExistingOpenIDConnectProvider, ClientId), effect = write
)]
pub struct AddClientIDToOpenIDConnectProvider {}

impl Handler for AddClientIDToOpenIDConnectProvider {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut provider = require(cx, &self.open_id_connect_provider_arn)?;
        let ids = provider.client_id_list.get_or_insert_default();
        if !ids.contains(&self.client_id) {
            ids.push(self.client_id);
            check_client_ids(ids)?;
            cx.put(provider)?;
        }
        Ok(Empty {})
    }
}

/// Removes a client ID from an OpenID Connect provider; nothing happens if it does not have the client ID.
#[operation(
    of = OpenIDConnectProvider, call = "remove_client_id", on_model(client_id),
    include(ExistingOpenIDConnectProvider, ClientId), effect = write
)]
pub struct RemoveClientIDFromOpenIDConnectProvider {}

impl Handler for RemoveClientIDFromOpenIDConnectProvider {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut provider = require(cx, &self.open_id_connect_provider_arn)?;
        provider.client_id_list.get_or_insert_default().retain(|id| *id != self.client_id);
        cx.put(provider)?;
        Ok(Empty {})
    }
}

/// Replaces the thumbprints of an OpenID Connect provider.
#[operation(
    of = OpenIDConnectProvider, call = "update_thumbprint", include(ExistingOpenIDConnectProvider),
    needs(thumbprint_list), effect = write
)]
pub struct UpdateOpenIDConnectProviderThumbprint {}

impl Handler for UpdateOpenIDConnectProviderThumbprint {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut provider = require(cx, &self.open_id_connect_provider_arn)?;
        check_thumbprints(&self.thumbprint_list)?;
        provider.thumbprint_list = Some(self.thumbprint_list);
        cx.put(provider)?;
        Ok(Empty {})
    }
}

/// Changes the client IDs, thumbprints and tags of an OpenID Connect provider, where the model was changed.
#[operation(kind = OpenIDConnectProvider, call = "update", effect = write, output = OpenIDConnectProvider)]
pub struct OpenIDConnectProviderUpdate {
    /// The provider.
    #[field(model, name = "model")]
    pub model: OpenIDConnectProvider,
}

impl ManagerOperation for OpenIDConnectProviderUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<OpenIDConnectProvider> {
        let model = &self.model;
        model.check_changes()?;
        let (changed, arn) = (model.changed(), Text::new(model.require_arn()?));
        if changed.contains(&"ClientIDList") {
            let wanted = model.client_id_list.clone().unwrap_or_default();
            let current = get(context, &arn).await?.client_id_list.unwrap_or_default();
            for id in current.iter().filter(|id| !wanted.contains(id)) {
                let remove = RemoveClientIDFromOpenIDConnectProvider::new(arn.clone(), id.clone());
                context.call(remove).await?;
            }
            for id in wanted.into_iter().filter(|id| !current.contains(id)) {
                context.call(AddClientIDToOpenIDConnectProvider::new(arn.clone(), id)).await?;
            }
        }
        if changed.contains(&"ThumbprintList") {
            let thumbprints = model.thumbprint_list.clone().unwrap_or_default();
            context.call(UpdateOpenIDConnectProviderThumbprint::new(arn.clone(), thumbprints)).await?;
        }
        retag(context, model, model).await?;
        get(context, &arn).await
    }
}
