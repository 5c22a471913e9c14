//! Aliases: names of keys.

use crate::{
    CryptoKey, CryptoKeyManager, errors,
    key::{
        KeyIdOrArn, KeyRow,
        describe::load_related,
        find::{self, ALIAS_PREFIX},
    },
    paging::Page,
};
use nephos_cloud::{Addressed, Handler, Stored, Tx};
use nephos_core::{
    Empty, Error, ManagerOperation, Resource, Result, Slot, Text, Timestamp, WorkflowContext,
    field_value::FieldType, operation, record_of,
};
use std::collections::HashSet;

/// Prefix of the aliases of keys that the provider manages.
const PROVIDER_PREFIX: &str = "alias/aws/";

/// Services whose keys have an alias in every account. The key is created when it is first used or described.
const PREDEFINED: &[&str] = &[
    "acm",
    "backup",
    "codecommit",
    "dms",
    "dynamodb",
    "ebs",
    "elasticfilesystem",
    "es",
    "fsx",
    "glue",
    "kafka",
    "kinesis",
    "kinesisvideo",
    "lambda",
    "lex",
    "lightsail",
    "mq",
    "rds",
    "redshift",
    "s3",
    "secretsmanager",
    "sns",
    "sqs",
    "ssm",
    "workspaces",
    "xray",
];

/// Maximum number of aliases of a key.
const MAX_ALIASES: usize = 50;

/// An alias: a name of a key, unique within account and Region.
#[derive(Resource)]
#[resource(
    hot, arn("AliasArn", "{AliasName}"), name = "AliasName", pk = "AliasName", exists_if = "AliasArn",
    relation(crypto_key, one = CryptoKey, with = key_of)
)]
pub struct KeyAlias {
    /// Name of the alias, with the prefix `alias/`.
    #[field(required, fixed, length(1..=256), pattern = "[a-zA-Z0-9:/_-]+")]
    pub(crate) alias_name: Option<Text>,
    /// ARN of the alias.
    #[field(service_set)]
    pub(crate) alias_arn: Option<Text>,
    /// ID or ARN of the key that the alias names; the service returns the ID.
    #[field(required, length(1..=2048))]
    pub(crate) target_key_id: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) creation_date: Option<Timestamp>,
    /// Time of the last change of the key.
    #[field(service_set)]
    pub(crate) last_updated_date: Option<Timestamp>,
    slot: Slot,
}

nephos_cloud::stored!(KeyAlias in "kms/alias" by alias_name; arn alias_arn);

/// Row of the index of aliases by key; all its fields are in its key.
#[record_of(of = KeyAlias, takes(target_key_id as key_id, alias_name), row)]
pub(crate) struct AliasOfKeyRow {}

nephos_cloud::stored!(AliasOfKeyRow in "kms/alias-of-key" by key_id, alias_name);

impl KeyAlias {
    fn index(&self) -> AliasOfKeyRow {
        self.clone().into()
    }
}

/// Refuses a name that aliases of customers cannot have.
fn check_name(name: &str) -> Result<()> {
    let Some(rest) = name.strip_prefix(ALIAS_PREFIX) else {
        return Err(errors::alias_prefix().with_field("AliasName").with_hint(format!("alias/{name}")));
    };
    if rest.is_empty() || name.starts_with(PROVIDER_PREFIX) {
        return Err(errors::alias_name_reserved().with_field("AliasName"));
    }
    Ok(())
}

/// Name of the alias of the key that the provider manages for a service.
pub(crate) fn of_service(service: &str) -> Text {
    [PROVIDER_PREFIX, service].concat().into()
}

/// Returns the service of a predefined alias.
pub(crate) fn service_of_predefined(name: &str) -> Option<&'static str> {
    let service = name.strip_prefix(PROVIDER_PREFIX)?;
    PREDEFINED.iter().find(|known| **known == service).copied()
}

/// Returns the names of the aliases of a key.
pub(crate) fn names_of(cx: &Tx<'_>, key_id: &str) -> Result<Vec<Text>> {
    let rows: Vec<AliasOfKeyRow> = cx.all(&AliasOfKeyRow::table(cx.scope()).text(key_id))?;
    Ok(rows.into_iter().filter_map(|row| row.alias_name).collect())
}

/// Finds the key that an alias names.
pub(crate) fn find_key(cx: &Tx<'_>, name: &str) -> Result<Option<KeyRow>> {
    let target = KeyAlias::find_by(cx, &[name])?.and_then(|alias| alias.target_key_id);
    target.map_or(Ok(None), |id| find::find_by_id(cx, &id))
}

/// Error for an alias that does not exist.
pub(crate) fn not_found(cx: &Tx<'_>, name: &str) -> Error {
    errors::alias_not_found(KeyAlias::arn_with(cx.scope(), &[name]))
}

fn require_alias(cx: &Tx<'_>, name: &str) -> Result<KeyAlias> {
    KeyAlias::find_by(cx, &[name])?.ok_or_else(|| not_found(cx, name).with_field("AliasName"))
}

/// Refuses another alias for a key that has the maximum number of aliases.
fn check_number(cx: &Tx<'_>, key: &KeyRow) -> Result<()> {
    if names_of(cx, key.id())?.len() >= MAX_ALIASES {
        return Err(errors::too_many_aliases(key.arn(cx.scope())));
    }
    Ok(())
}

/// Stores an alias of a key.
pub(crate) fn put(cx: &mut Tx<'_>, name: &str, key: &KeyRow) -> Result<()> {
    let mut alias = KeyAlias::blank();
    alias.alias_name = Some(name.into());
    alias.target_key_id = key.key_id.clone();
    alias.creation_date = Some(cx.now());
    alias.last_updated_date = Some(cx.now());
    cx.put(alias.index())?;
    cx.put(alias)
}

/// Removes the aliases of a key.
pub(crate) fn remove_all(cx: &mut Tx<'_>, key_id: &str) -> Result<()> {
    for name in names_of(cx, key_id)? {
        cx.remove_row(&KeyAlias::table(cx.scope()).text(&name))?;
    }
    let index = AliasOfKeyRow::table(cx.scope()).text(key_id);
    cx.remove_all(&index.prefix_range()).map(drop)
}

async fn key_of(alias: &KeyAlias) -> Result<Option<CryptoKey>> {
    load_related(alias, alias.target_key_id.as_ref()).await
}

/// Creates an alias of a key.
#[operation(
    of = KeyAlias, call = "create", model, read_back, needs(alias_name, target_key_id), effect = write,
    subject = "{AliasName} + key/{TargetKeyId}"
)]
pub struct CreateAlias {}

impl Handler for CreateAlias {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check_name(&self.alias_name)?;
        let key =
            find::require_own(cx, &self.target_key_id).map_err(|error| error.with_field("TargetKeyId"))?;
        key.check_not_managed(cx)?;
        key.check_not_pending_deletion(cx)?;
        if KeyAlias::find_by(cx, &[&self.alias_name])?.is_some() {
            let arn = KeyAlias::arn_with(cx.scope(), &[&self.alias_name]);
            return Err(errors::alias_exists(arn).with_field("AliasName"));
        }
        check_number(cx, &key)?;
        put(cx, &self.alias_name, &key)?;
        Ok(Empty {})
    }
}

/// Changes the key that an alias names, to a key of the same type and usage.
#[operation(
    of = KeyAlias, call = "update", changes, needs(alias_name, target_key_id), effect = write,
    subject = "{AliasName} + key/{TargetKeyId}"
)]
pub struct UpdateAlias {}

impl Handler for UpdateAlias {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check_name(&self.alias_name)?;
        let mut alias = require_alias(cx, &self.alias_name)?;
        let key =
            find::require_own(cx, &self.target_key_id).map_err(|error| error.with_field("TargetKeyId"))?;
        key.check_not_managed(cx)?;
        key.check_not_pending_deletion(cx)?;
        if alias.target_key_id == key.key_id {
            return Ok(Empty {});
        }
        let before = find::require_by_id(cx, alias.target_key_id.as_deref().unwrap_or_default())?;
        let kind = |key: &KeyRow| (key.spec().is_pair(), key.usage().clone());
        if kind(&before) != kind(&key) {
            return Err(errors::alias_target_differs().with_field("TargetKeyId"));
        }
        check_number(cx, &key)?;
        cx.remove(&alias.index())?;
        alias.target_key_id = key.key_id;
        alias.last_updated_date = Some(cx.now());
        cx.put(alias.index())?;
        cx.put(alias)?;
        Ok(Empty {})
    }
}

/// Deletes an alias. The key stays.
#[operation(
    of = KeyAlias, needs(alias_name), call = "delete", on_model, effect = write, subject = "{AliasName} + key/*"
)]
pub struct DeleteAlias {}

impl Handler for DeleteAlias {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check_name(&self.alias_name)?;
        let alias = require_alias(cx, &self.alias_name)?;
        cx.remove(&alias.index())?;
        cx.remove(&alias)?;
        Ok(Empty {})
    }
}

/// Returns a predefined alias whose key does not exist yet.
fn predefined_alias(cx: &Tx<'_>, name: Text) -> KeyAlias {
    let mut alias = KeyAlias::blank();
    alias.alias_arn = Some(KeyAlias::arn_with(cx.scope(), &[&name]).into());
    alias.alias_name = Some(name);
    alias
}

/// Lists aliases, of one key or of all, in order of their names.
#[operation(of = KeyAlias, call = "list", page(aliases, next_marker, truncated), include(Page), effect = read)]
pub struct ListAliases {
    /// ID or ARN of a key, to list only its aliases.
    #[field(length(1..=2048))]
    pub key_id: Option<Text>,
}

impl Handler for ListAliases {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let cx = &*cx;
        let Some(id) = &self.key_id else {
            let mut all: Vec<KeyAlias> = cx.all(&KeyAlias::table(cx.scope()))?;
            let known: HashSet<_> = all.iter().filter_map(|alias| alias.alias_name.clone()).collect();
            let predefined = PREDEFINED.iter().map(|service| of_service(service));
            all.extend(
                predefined.filter(|name| !known.contains(name)).map(|name| predefined_alias(cx, name)),
            );
            let name = |alias: &KeyAlias| alias.alias_name.clone().unwrap_or_default();
            all.sort_by_cached_key(name);
            return Ok(cx.page_items(&self, all, name)?.into());
        };
        let key = find::require_own(cx, id)?;
        let of_key = AliasOfKeyRow::table(cx.scope()).text(key.id());
        let page = cx.page_rows(&self, &of_key, |row: AliasOfKeyRow| {
            KeyAlias::find_by(cx, &[row.alias_name.as_deref().unwrap_or_default()])
        })?;
        Ok(page.into())
    }
}

/// Returns the alias with this name, if it exists.
#[operation(
    kind = KeyAlias, of = KeyAlias, call = "get", needs(alias_name), effect = read, output = Option<KeyAlias>
)]
pub struct KeyAliasGet {}

impl ManagerOperation for KeyAliasGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<KeyAlias>> {
        let mut list = ListAliases::new();
        loop {
            let page = context.call(list.clone()).await?;
            let has_name = |alias: &KeyAlias| alias.alias_name.as_ref() == Some(&self.alias_name);
            let found = page.aliases.into_iter().flatten().find(has_name);
            list.marker = page.next_marker;
            if found.is_some() || list.marker.is_none() {
                return Ok(found);
            }
        }
    }
}

/// Creates an alias of a key.
#[operation(
    kind = CryptoKey, of = KeyAlias, call = "create_alias", needs(alias_name, target_key_id), runs = CreateAlias,
    effect = write
)]
pub struct CryptoKeyCreateAlias {}

/// Changes the key that an alias names.
#[operation(
    kind = CryptoKey, of = KeyAlias, call = "update_alias", needs(alias_name, target_key_id), runs = UpdateAlias,
    effect = write
)]
pub struct CryptoKeyUpdateAlias {}

/// Deletes an alias. The key stays.
#[operation(
    kind = CryptoKey, of = KeyAlias, call = "delete_alias", needs(alias_name), runs = DeleteAlias, effect = write
)]
pub struct CryptoKeyDeleteAlias {}

/// Returns the aliases of a key.
#[operation(
    kind = CryptoKey, call = "aliases", include(KeyIdOrArn), on_model, runs = ListAliases,
    returns(aliases: Vec<KeyAlias>, next_marker), effect = read
)]
pub struct CryptoKeyAliases {}
