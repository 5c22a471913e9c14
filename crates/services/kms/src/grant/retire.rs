//! Deletion of grants: they are revoked by those who manage the key, or retired by those whom the grant names.

use crate::{
    KeyGrant, KeyGrantManager, SERVICE,
    crypto::{DryRun, check_dry_run},
    errors, grant,
    key::{self, KeyIdOrArn, find},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Arn, Empty, Result, Text, operation};

/// Number of digits of the ID of a grant.
const ID_LENGTH: usize = 64;

/// Refuses a text that does not have the form of the ID of a grant.
pub(crate) fn check_id(id: &str) -> Result<()> {
    if id.len() != ID_LENGTH || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(errors::grant_id_invalid(id).with_field("GrantId"));
    }
    Ok(())
}

/// Returns a grant of a key, which must exist.
fn require(cx: &Tx<'_>, key_id: &str, grant_id: &str) -> Result<KeyGrant> {
    check_id(grant_id)?;
    let found = grant::find_grant(cx, key_id, grant_id)?;
    found.ok_or_else(|| errors::grant_not_found(grant_id).with_field("GrantId"))
}

/// Revokes a grant: it is deleted, and what it allowed is no longer allowed.
#[operation(
    of = KeyGrant, include(KeyIdOrArn, DryRun), needs(grant_id), call = "delete", on_model, effect = write,
    subject = "key/{KeyId}", access = permissions
)]
pub struct RevokeGrant {}

impl Handler for RevokeGrant {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        find::check_no_alias(&self.key_id)?;
        find::with_key(cx, &self.key_id, "RevokeGrant", |cx, key| {
            let grant = require(cx, key.id(), &self.grant_id)?;
            check_dry_run(self.dry_run)?;
            grant::remove(cx, &grant)?;
            Ok(Empty {})
        })
    }
}

/// Retires a grant: its retiring principal, its grantee if the grant allows it, or the account that created it deletes it.
#[operation(
    of = KeyGrant, include(DryRun), call = "retire", on_model, effect = write, subject = "key/{KeyId}",
    access = permissions
)]
pub struct RetireGrant {
    /// Token of the grant.
    #[field(length(1..=8192))]
    pub grant_token: Option<Text>,
    /// ID or ARN of the key, without a token.
    #[field(from_field = "KeyId", length(1..=2048))]
    pub key_id: Option<Text>,
    /// ID of the grant, without a token.
    #[field(from_field = "GrantId", length(1..=128))]
    pub grant_id: Option<Text>,
}

/// Name of a grant in a request: its token, or the key and the ID.
pub(crate) struct GrantName<'n> {
    pub(crate) token: Option<&'n str>,
    pub(crate) key: Option<&'n str>,
    pub(crate) id: Option<&'n str>,
}

impl GrantName<'_> {
    /// Returns the ARN of the key, and the ID of the grant.
    pub(crate) fn resolve(&self, cx: &Tx<'_>) -> Result<(Text, Text)> {
        match (self.token, self.key, self.id) {
            (Some(token), ..) => grant::open_token(cx, token)
                .ok_or_else(|| errors::grant_token_invalid().with_field("GrantToken")),
            (None, Some(key), Some(id)) => {
                find::check_no_alias(key)?;
                let arn = match Arn::parts(key) {
                    Some(_) => key.into(),
                    None => key::arn(cx.scope(), key).into(),
                };
                Ok((arn, id.into()))
            }
            _ => Err(errors::grant_to_retire_missing().with_field("GrantToken")),
        }
    }
}

/// Returns the resource in decisions about the retirement of a grant.
pub(crate) fn retirement_arn(key: &str, grant_id: &str) -> String {
    format!("{key}/grant/{grant_id}")
}

impl Handler for RetireGrant {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let (token, key, id) =
            (self.grant_token.as_deref(), self.key_id.as_deref(), self.grant_id.as_deref());
        let (key, id) = GrantName { token, key, id }.resolve(cx)?;
        let owner = find::owner_of(cx.scope(), &key)?;
        if owner.account() != cx.scope().account() {
            cx.check_shared_access(&SERVICE, "kms:RetireGrant", &retirement_arn(&key, &id))?;
        }
        cx.in_scope(&owner, |cx| {
            let key = find::require_own(cx, &key)?;
            let grant = require(cx, key.id(), &id)?;
            check_dry_run(self.dry_run)?;
            grant::remove(cx, &grant)?;
            Ok(Empty {})
        })
    }
}
