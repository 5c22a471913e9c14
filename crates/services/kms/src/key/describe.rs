//! Descriptions and listings of keys.

use crate::{
    CryptoKey, CryptoKeyManager,
    key::{KeyName, KeyRow, create::CreateKeyResponse, find, service_use, tagging},
    paging::Page,
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{
    ErrorKind, Listing, PageRequest, Record, Resource, Result, Text, WorkflowContext, operation, record_of,
};

/// Tokens of grants that are not effective everywhere yet.
#[derive(Record)]
#[record(shared)]
pub struct GrantTokens {
    /// Tokens of grants.
    #[field(length(..=10), each(length(1..=8192)))]
    grant_tokens: Option<Vec<Text>>,
}

/// Describes a key.
#[operation(
    of = CryptoKey, include(KeyName, GrantTokens), call = "describe", on_model, effect = read,
    output = CreateKeyResponse
)]
pub struct DescribeKey {}

impl Handler for DescribeKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<CreateKeyResponse> {
        if let Some(key) = service_use::find_predefined(cx, &self.key_id)? {
            return Ok(key.describe(cx).into());
        }
        let key = find::with_key(cx, &self.key_id, "DescribeKey", |cx, key| Ok(key.describe(cx)))?;
        Ok(key.into())
    }
}

/// Returns the key with this ID, ARN or alias, if it exists.
#[operation(
    kind = CryptoKey, call = "get", include(KeyName, GrantTokens), runs = DescribeKey, none_if_missing,
    returns(key_metadata: CryptoKey), with = tagging::with_tags, effect = read
)]
pub struct CryptoKeyGet {}

/// Lists the IDs and ARNs of keys, in order of their IDs.
#[operation(
    of = CryptoKey, include(Page), page(keys: KeyListEntry, next_marker, truncated), effect = read, subject = "*"
)]
pub struct ListKeys {}

/// ID and ARN of a key.
#[record_of(of = CryptoKey, takes(key_id, arn as key_arn), answer)]
pub struct KeyListEntry {}

impl Handler for ListKeys {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let page = cx.page_rows(&self, &KeyRow::table(cx.scope()), |key: KeyRow| {
            let key_arn = Some(key.arn(cx.scope()).into());
            Ok(Some(KeyListEntry { key_arn, key_id: key.key_id }))
        })?;
        Ok(page.into())
    }
}

/// Lists the keys of the account and Region, each with its description. A key that the caller may not describe has only ID
/// and ARN.
#[operation(
    kind = CryptoKey, call = "list", pages, include(Page), effect = read, output = nephos_core::Page<CryptoKey>
)]
pub struct CryptoKeyList {}

impl Listing for CryptoKeyList {
    type Model = CryptoKey;

    async fn page(
        &self,
        context: &WorkflowContext,
        request: &PageRequest,
    ) -> Result<nephos_core::Page<CryptoKey>> {
        let list = ListKeys::from_given(self.clone()).marker(request.token.clone());
        let found = context.call(list).await?;
        let mut items = Vec::new();
        for entry in found.keys.unwrap_or_default() {
            let id = entry.key_id.clone().unwrap_or_default();
            match context.call(DescribeKey::new(id)).await {
                Ok(described) => items.extend(described.key_metadata),
                // It was deleted after it was listed.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) if error.kind() == ErrorKind::Denied => items.push(entry.into()),
                Err(error) => return Err(error),
            }
        }
        Ok(nephos_core::Page { items, next_token: found.next_marker })
    }
}

impl From<KeyListEntry> for CryptoKey {
    fn from(entry: KeyListEntry) -> Self {
        Self::from_given(entry)
    }
}

/// Loads the key that a model of any service names by ID, ARN or alias.
pub async fn load_related(model: &impl Resource, id: Option<&Text>) -> Result<Option<CryptoKey>> {
    let Some(id) = id else { return Ok(None) };
    CryptoKey::objects(model.require_session()?).get(id.clone()).await
}
