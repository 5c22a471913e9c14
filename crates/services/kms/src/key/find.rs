//! Lookup of keys by ID, ARN or alias.

use crate::{
    KeyAlias, SERVICE, alias, errors,
    key::{self, KeyRow},
};
use nephos_cloud::{Addressed, Scope, Stored, Tx};
use nephos_core::{Arn, Result, Text};

/// A key named by a request: its ID or alias, and the account that owns it.
struct Named<'n> {
    owner: Scope,
    resource: Resource<'n>,
}

/// Resource part of the ARN of a key or alias.
enum Resource<'n> {
    /// ID of a key.
    Key(&'n str),
    /// Name of an alias, with its prefix.
    Alias(&'n str),
}

/// Prefix of the names of aliases.
pub(crate) const ALIAS_PREFIX: &str = "alias/";

/// True if `id` has the form of the ID of a key: a UUID, or `mrk-` and 32 hexadecimal digits.
pub(crate) fn is_key_id(id: &str) -> bool {
    let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if let Some(digits) = id.strip_prefix("mrk-") {
        return digits.len() == 32 && is_hex(digits);
    }
    let lengths = id.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && id.split('-').all(is_hex)
}

impl<'n> Named<'n> {
    /// Parses an ID, the name of an alias, or an ARN of either.
    fn parse(caller: &Scope, name: &'n str) -> Result<Self> {
        let (owner, resource) = match Arn::parts(name) {
            None if name.starts_with("arn:") => {
                return Err(errors::not_a_key_arn(name).with_field("KeyId"));
            }
            None => (caller.clone(), name),
            Some([_, service, region, account, resource]) => {
                if service != "kms" {
                    return Err(errors::not_a_key_arn(name).with_field("KeyId"));
                }
                if region != caller.region() {
                    return Err(errors::region_invalid(region).with_field("KeyId"));
                }
                let resource = resource
                    .strip_prefix("key/")
                    .or_else(|| resource.starts_with(ALIAS_PREFIX).then_some(resource));
                let Some(resource) = resource else {
                    return Err(errors::not_a_key_arn(name).with_field("KeyId"));
                };
                (caller.with_account(account), resource)
            }
        };
        let resource = if resource.starts_with(ALIAS_PREFIX) {
            Resource::Alias(resource)
        } else if is_key_id(resource) {
            Resource::Key(resource)
        } else {
            return Err(errors::key_id_invalid(resource).with_field("KeyId"));
        };
        Ok(Self { owner, resource })
    }

    /// Returns the key, which must exist, in the scope of its owner.
    fn require(&self, cx: &Tx<'_>) -> Result<KeyRow> {
        let id = match self.resource {
            Resource::Key(id) => Text::new(id),
            Resource::Alias(name) => {
                let missing = || alias::not_found(cx, name).with_field("KeyId");
                KeyAlias::find_by(cx, &[name])?.and_then(|alias| alias.target_key_id).ok_or_else(missing)?
            }
        };
        require_by_id(cx, &id)
    }
}

/// Returns the key with this ID in the scope of the transaction, or a not-found error.
pub(crate) fn require_by_id(cx: &Tx<'_>, id: &str) -> Result<KeyRow> {
    let found = find_by_id(cx, id)?;
    found.ok_or_else(|| errors::key_not_found(key::arn(cx.scope(), id)).with_field("KeyId"))
}

/// Returns the key with this ID in the scope of the transaction.
pub(crate) fn find_by_id(cx: &Tx<'_>, id: &str) -> Result<Option<KeyRow>> {
    cx.get(&KeyRow::table(cx.scope()).text(id))
}

/// Returns the key with this ID or ARN, which must belong to the account of the caller.
pub(crate) fn require_own(cx: &Tx<'_>, name: &str) -> Result<KeyRow> {
    let named = Named::parse(cx.scope(), name)?;
    if let Resource::Alias(_) = named.resource {
        return Err(errors::alias_unsupported().with_field("KeyId"));
    }
    if named.owner.account() != cx.scope().account() {
        return Err(errors::not_a_key_arn(name).with_field("KeyId"));
    }
    named.require(cx)
}

/// Refuses an alias where only the ID or ARN of a key is allowed.
pub(crate) fn check_no_alias(name: &str) -> Result<()> {
    let resource = Arn::parts(name).map_or(name, |[.., resource]| resource);
    if resource.starts_with(ALIAS_PREFIX) {
        return Err(errors::alias_unsupported().with_field("KeyId"));
    }
    Ok(())
}

/// Calls `body` with the key of this ID, ARN or alias, in the account that owns it, without a check of access.
pub(crate) fn in_owner<T>(
    cx: &mut Tx<'_>,
    name: &str,
    body: impl FnOnce(&mut Tx<'_>, KeyRow) -> Result<T>,
) -> Result<T> {
    let named = Named::parse(cx.scope(), name)?;
    cx.in_scope(&named.owner, |cx| {
        let key = named.require(cx)?;
        body(cx, key)
    })
}

/// Calls `body` with the key of this ID, ARN or alias, in the account that owns it. If that is not the account of the caller,
/// the policy of the key must allow `operation`.
pub(crate) fn with_key<T>(
    cx: &mut Tx<'_>,
    name: &str,
    operation: &str,
    body: impl FnOnce(&mut Tx<'_>, KeyRow) -> Result<T>,
) -> Result<T> {
    let named = Named::parse(cx.scope(), name)?;
    if named.owner.account() != cx.scope().account() {
        let arn = cx.in_scope(&named.owner, |cx| named.require(cx).map(|key| key.arn(cx.scope())))?;
        cx.check_shared_access(&SERVICE, &format!("kms:{operation}"), arn.as_str())?;
    }
    in_owner(cx, name, body)
}

/// Returns the scope of the account that owns the key with this ID or ARN.
pub(crate) fn owner_of(caller: &Scope, name: &str) -> Result<Scope> {
    Named::parse(caller, name).map(|named| named.owner)
}
