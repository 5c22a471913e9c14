//! SAML providers: identity providers whose assertions principals exchange for temporary credentials.

use crate::{
    entity::ids,
    errors,
    identity::in_account,
    provider::{
        saml_keys::{KEY_ID_LENGTH, NewPrivateKey, SamlKeyRow, SamlPrivateKey},
        saml_metadata,
    },
    tagging,
};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx, own_arn};
use nephos_core::{
    Empty, Listing, ManagerOperation, Page, PageRequest, Record, Resource, Result, SignedDuration, Slot, Tag,
    Text, Timestamp, WorkflowContext, choices, field_value::FieldType, operation,
};

/// Quota of SAML providers in an account.
pub(crate) const PROVIDERS: Quota = Quota { counter: "iam/saml-providers", max: 100, what: "SAML providers" };

/// Time for which metadata without an expiration time is valid: one hundred years.
const VALIDITY: SignedDuration = SignedDuration::from_hours(24 * 36_525);

choices! {
    /// Encryption of the assertions of a SAML provider.
    pub enum AssertionEncryptionMode {
        /// Assertions must be encrypted.
        Required,
        /// Assertions can be encrypted.
        Allowed,
    }
}

/// A SAML provider: an identity provider whose assertions principals exchange for temporary credentials.
#[derive(Resource)]
#[resource(
    arn("Arn", "saml-provider/{Name}"), name = "Name", pk = "Arn", exists_if = "Arn", tags = "Tags",
    not_found = |arn| errors::saml_provider_not_found(arn)
)]
pub struct SAMLProvider {
    /// ARN of the provider.
    #[field(service_set)]
    arn: Option<Text>,
    /// Name of the provider, unique within the account.
    #[field(required, fixed, not_on_wire, length(1..=128), pattern = r"[\w._-]+")]
    name: Option<Text>,
    /// Unique ID of the provider.
    #[field(not_in_list, service_set, name = "SAMLProviderUUID")]
    saml_provider_uuid: Option<Text>,
    /// Metadata document of the identity provider in XML, which a new provider needs.
    #[field(not_in_list, name = "SAMLMetadataDocument", length(1000..=10_000_000))]
    saml_metadata_document: Option<Text>,
    /// Time at which the metadata expires.
    #[field(service_set)]
    valid_until: Option<Timestamp>,
    /// Time of creation.
    #[field(service_set)]
    create_date: Option<Timestamp>,
    /// Encryption of assertions; allowed by default.
    #[field(not_in_list)]
    pub(crate) assertion_encryption_mode: Option<AssertionEncryptionMode>,
    /// Private keys that decrypt assertions: at most two.
    #[field(not_in_list, service_set)]
    pub(crate) private_key_list: Option<Vec<SamlPrivateKey>>,
    /// Tags.
    #[field(not_in_list, length(..=50))]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored!(SAMLProvider in "iam/saml-provider" by name; arn arn);

impl SAMLProvider {
    /// Adds the ARN and the name, which the service does not return.
    fn with_name_and_arn(mut self, arn: &Text) -> Self {
        self.name = arn.rsplit('/').next().map(Text::new);
        self.arn = Some(arn.clone());
        self
    }

    /// Sets the metadata document, or refuses it.
    fn set_metadata(&mut self, now: Timestamp, document: Text) -> Result<()> {
        let refused = || errors::metadata_not_parsed().with_field("SAMLMetadataDocument");
        let metadata = saml_metadata::parse(&document).ok_or_else(refused)?;
        let created = self.create_date.unwrap_or(now);
        let valid_until = metadata.valid_until.or_else(|| created.checked_add(VALIDITY).ok());
        if valid_until.is_some_and(|time| time <= now) {
            return Err(refused().with_hint("the document has expired"));
        }
        self.valid_until = valid_until;
        self.saml_metadata_document = Some(document);
        Ok(())
    }
}

/// Finds the provider with this ARN, or refuses.
pub(crate) fn require(cx: &Tx<'_>, arn: &str) -> Result<SAMLProvider> {
    SAMLProvider::require(cx, arn, "SAMLProviderArn")
}

/// ARN of an existing provider.
#[derive(Record)]
#[record(shared)]
pub struct ExistingSamlProvider {
    /// ARN of the provider.
    #[field(required, name = "SAMLProviderArn", from_field = "Arn|SAMLProviderArn", length(20..=2048))]
    saml_provider_arn: Option<Text>,
}

/// Creates a SAML provider.
#[operation(
    of = SAMLProvider, call = "create", model, read_back, needs(saml_metadata_document, name), takes(settable),
    include(NewPrivateKey), overrides(NewPrivateKey),
    answers(arn as saml_provider_arn(name = "SAMLProviderArn"), tags), effect = write,
    also_requires("TagSAMLProvider" = "Tags?")
)]
pub struct CreateSAMLProvider {}

impl Handler for CreateSAMLProvider {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.tags = tagging::read(self.tags.as_deref())?;
        if SAMLProvider::find_by(cx, &[&self.name])?.is_some() {
            return Err(errors::saml_provider_exists(&self.name));
        }
        let (key, document) = (self.add_private_key.take(), self.saml_metadata_document.clone());
        let mut provider = SAMLProvider::from_given(self);
        provider.set_metadata(cx.now(), document)?;
        provider.private_key_list = Some(Vec::new());
        provider.check_private_keys(key.as_ref())?;
        PROVIDERS.add_one(cx, || errors::quota_exceeded("SAMLProvidersPerAccount", PROVIDERS.max))?;
        key.iter().try_for_each(|key| provider.add_private_key(cx, key))?;
        provider.assertion_encryption_mode.get_or_insert(AssertionEncryptionMode::Allowed);
        provider.saml_provider_uuid = Some(ids::new_id(cx, "SAMLSP", KEY_ID_LENGTH));
        provider.create_date = Some(cx.now());
        provider.arn = own_arn(&provider, cx.scope());
        cx.put(provider.clone())?;
        Ok(provider.into())
    }
}

/// Returns a SAML provider, without its ARN.
#[operation(of = SAMLProvider, include(ExistingSamlProvider), effect = read, output = SAMLProvider)]
pub struct GetSAMLProvider {}

impl Handler for GetSAMLProvider {
    fn run(self, cx: &mut Tx<'_>) -> Result<SAMLProvider> {
        let mut provider = require(cx, &self.saml_provider_arn)?;
        provider.arn = None;
        provider.tags.get_or_insert_default();
        Ok(provider)
    }
}

/// Returns the SAML provider with this ARN, if it exists.
#[operation(
    kind = SAMLProvider, call = "get", include(ExistingSamlProvider), effect = read, output = Option<SAMLProvider>
)]
pub struct SAMLProviderGet {}

impl ManagerOperation for SAMLProviderGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<SAMLProvider>> {
        let found = context.find(GetSAMLProvider::new(self.saml_provider_arn.clone())).await?;
        Ok(found.map(|provider| provider.with_name_and_arn(&self.saml_provider_arn)))
    }
}

/// Lists the SAML providers of the account.
#[operation(
    of = SAMLProvider, effect = read, subject = "saml-provider/*",
    wraps(saml_provider_list(name = "SAMLProviderList"): Vec<SAMLProvider>)
)]
pub struct ListSAMLProviders {}

impl Handler for ListSAMLProviders {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let all: Vec<SAMLProvider> = cx.all(&SAMLProvider::table(cx.scope()))?;
        let entry = |provider: SAMLProvider| {
            let mut entry = SAMLProvider::blank();
            entry.arn = provider.arn;
            entry.valid_until = provider.valid_until;
            entry.create_date = provider.create_date;
            entry
        };
        Ok(all.into_iter().map(entry).collect::<Vec<_>>().into())
    }
}

/// Lists the SAML providers of the account in order of their names, with ARN, creation and expiration time only.
#[operation(kind = SAMLProvider, call = "list", pages, effect = read, output = Page<SAMLProvider>)]
pub struct SAMLProviderList {}

impl Listing for SAMLProviderList {
    type Model = SAMLProvider;

    async fn page(&self, context: &WorkflowContext, _: &PageRequest) -> Result<Page<SAMLProvider>> {
        let found = context.call(ListSAMLProviders::new()).await?;
        let provider = |entry: SAMLProvider| {
            let arn = entry.arn.clone().unwrap_or_default();
            entry.with_name_and_arn(&arn)
        };
        Ok(Page::only(found.saml_provider_list.unwrap_or_default().into_iter().map(provider).collect()))
    }
}

/// Changes the metadata document, encryption and private keys of a SAML provider, where given.
#[operation(
    of = SAMLProvider, include(ExistingSamlProvider, NewPrivateKey),
    takes(saml_metadata_document, assertion_encryption_mode),
    answers(arn as saml_provider_arn(name = "SAMLProviderArn")), effect = write
)]
pub struct UpdateSAMLProvider {
    /// ID of the private key to remove.
    #[field(length(22..=64), pattern = "[A-Z0-9]+")]
    pub remove_private_key: Option<Text>,
}

impl Handler for UpdateSAMLProvider {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut provider = require(cx, &self.saml_provider_arn)?;
        self.saml_metadata_document.map_or(Ok(()), |document| provider.set_metadata(cx.now(), document))?;
        self.remove_private_key.iter().try_for_each(|id| provider.take_private_key(id))?;
        provider.assertion_encryption_mode =
            self.assertion_encryption_mode.or(provider.assertion_encryption_mode.take());
        provider.check_private_keys(self.add_private_key.as_ref())?;
        if self.remove_private_key.is_some() {
            cx.remove(&SamlKeyRow { key_id: self.remove_private_key, key: None })?;
        }
        self.add_private_key.iter().try_for_each(|key| provider.add_private_key(cx, key))?;
        cx.put(provider.clone())?;
        Ok(provider.into())
    }
}

/// Changes the metadata document, encryption and tags of a SAML provider, where the model was changed, and its private
/// keys, where given.
#[operation(
    kind = SAMLProvider, call = "update", include(NewPrivateKey), changes(UpdateSAMLProvider), effect = write
)]
pub struct SAMLProviderUpdate {
    /// ID of the private key to remove.
    #[field(length(22..=64), pattern = "[A-Z0-9]+")]
    pub remove_private_key: Option<Text>,
}

/// Deletes a SAML provider.
#[operation(of = SAMLProvider, call = "delete", on_model, include(ExistingSamlProvider), effect = write)]
pub struct DeleteSAMLProvider {}

impl Handler for DeleteSAMLProvider {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let provider = require(cx, &self.saml_provider_arn)?;
        for key in provider.private_key_list.iter().flatten() {
            cx.remove(&SamlKeyRow { key_id: key.key_id.clone(), key: None })?;
        }
        PROVIDERS.remove_one(cx)?;
        cx.remove(&provider)?;
        Ok(Empty {})
    }
}

/// A SAML provider, for the verification of assertions.
#[derive(Clone, Debug)]
pub struct SamlProvider {
    /// ARN of the provider.
    pub arn: Text,
    /// Unique ID of the provider, which is part of the URL of its sign-in endpoint.
    pub uuid: Option<Text>,
    /// Entity ID of the identity provider, which is the issuer of its assertions.
    pub entity_id: Text,
    /// Certificates that sign assertions, in base64.
    pub certificates: Vec<Text>,
    /// Time at which the metadata expires.
    pub valid_until: Option<Timestamp>,
    /// True if assertions must be encrypted.
    pub requires_encryption: bool,
}

/// Finds the SAML provider of an account by its ARN.
pub fn find_saml_provider(cx: &mut Tx<'_>, account: &str, arn: &str) -> Result<Option<SamlProvider>> {
    let Some(provider) = in_account(cx, account, |cx| SAMLProvider::find(cx, arn, "SAMLProviderArn"))? else {
        return Ok(None);
    };
    let document = provider.saml_metadata_document.unwrap_or_default();
    Ok(saml_metadata::parse(&document).map(|metadata| SamlProvider {
        arn: arn.into(),
        uuid: provider.saml_provider_uuid,
        entity_id: metadata.entity_id,
        certificates: metadata.certificates,
        valid_until: provider.valid_until,
        requires_encryption: provider.assertion_encryption_mode == Some(AssertionEncryptionMode::Required),
    }))
}
