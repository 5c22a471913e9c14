//! Key sets of issuers, and the OpenID Connect providers that tokens are verified with.

use crate::{
    OpenIDConnectProvider, errors,
    identity::{in_account, shared_rows::in_shared_scope},
    provider::open_id_provider::{SCHEME, read_url},
};
use nephos_cloud::{Addressed, Handler, Stored, Tx};
use nephos_core::{Empty, Record, Result, Text, Value, operation};

/// An OpenID Connect provider of an account, for the verification of tokens.
#[derive(Clone, Debug)]
pub struct OpenIdProvider {
    /// ARN of the provider.
    pub arn: Text,
    /// URL of the issuer without its scheme, which is the prefix of its condition keys.
    pub issuer: Text,
    /// Client IDs, of which a token has one as its audience.
    pub client_ids: Vec<Text>,
    /// Thumbprints of the certificates of the issuer.
    pub thumbprints: Vec<Text>,
    /// Key set (JWKS) of the issuer, if it was registered with the cloud.
    pub keys: Option<Value>,
}

/// Finds the OpenID Connect provider of an account for an issuer, with or without the scheme.
pub fn find_open_id_provider(cx: &mut Tx<'_>, account: &str, issuer: &str) -> Result<Option<OpenIdProvider>> {
    let issuer = Text::new(issuer.strip_prefix(SCHEME).unwrap_or(issuer));
    let found = in_account(cx, account, |cx| OpenIDConnectProvider::find_by(cx, &[&issuer]))?;
    let Some(provider) = found else { return Ok(None) };
    Ok(Some(OpenIdProvider {
        arn: provider.arn.unwrap_or_default(),
        client_ids: provider.client_id_list.unwrap_or_default(),
        thumbprints: provider.thumbprint_list.unwrap_or_default(),
        keys: find_keys(cx, &issuer)?,
        issuer,
    }))
}

/// Row of the key set of an issuer, in the scope that all accounts share.
#[derive(Record)]
#[record(row)]
pub(crate) struct OpenIdKeysRow {
    /// URL of the issuer without its scheme.
    issuer: Option<Text>,
    /// Key set (JWKS).
    keys: Option<Value>,
}

nephos_cloud::stored!(OpenIdKeysRow in "iam/open-id-keys" by issuer);

fn find_keys(cx: &mut Tx<'_>, issuer: &str) -> Result<Option<Value>> {
    in_shared_scope(cx, |cx| {
        let row: Option<OpenIdKeysRow> = cx.get(&OpenIdKeysRow::table(cx.scope()).text(issuer))?;
        Ok(row.and_then(|row| row.keys))
    })
}

/// Registers the key set of an issuer, by which tokens of its OpenID Connect providers are verified in all accounts. The
/// cloud does not fetch key sets. A test control.
#[operation(case = "camel", effect = write, subject = "*")]
pub struct SetOpenIdKeys {
    /// URL of the issuer: `https://token.example.com`.
    pub url: Text,
    /// Key set (JWKS): an object with a list `keys`. An empty list removes the key set.
    pub keys: Value,
}

impl Handler for SetOpenIdKeys {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let issuer = Some(Text::new(read_url(&self.url).map_err(|error| error.with_field("url"))?));
        let is_key = |key: &Value| key.get("kty").is_some_and(|kind| kind.as_text().is_some());
        let is_empty = match self.keys.get("keys") {
            Some(Value::List(keys)) if keys.iter().all(is_key) => keys.is_empty(),
            _ => return Err(errors::key_set_invalid().with_field("keys")),
        };
        in_shared_scope(cx, |cx| match is_empty {
            true => cx.remove(&OpenIdKeysRow { issuer, keys: None }),
            false => cx.put(OpenIdKeysRow { issuer, keys: Some(self.keys) }),
        })?;
        Ok(Empty {})
    }
}
