//! Tokens of the clients of replication groups.

use super::{ReplicationGroup, change::Change};
use crate::{AuthTokenUpdateStatus, AuthTokenUpdateStrategyType, errors};
use nephos_cloud::{Stored, Tx};
use nephos_core::{Blob, Record, Result, Secret, Text};

/// Characters of tokens beside letters and digits.
const SPECIALS: &str = "!&#$^<>-";

/// Tokens of a group. There are two while a token is being replaced.
#[derive(Record)]
#[record(row)]
pub(crate) struct AuthTokensRow {
    /// ID of the group.
    replication_group_id: Option<Text>,
    /// Tokens that are valid, sealed; the newest is the last.
    #[field(sensitive)]
    tokens: Option<Vec<Blob>>,
    /// Tokens that are valid when the pending change is applied, sealed.
    #[field(sensitive)]
    new_tokens: Option<Vec<Blob>>,
}

nephos_cloud::stored!(AuthTokensRow in "elasticache/auth-tokens" by replication_group_id);

/// Refuses a malformed token.
pub fn check(token: &Secret) -> Result<()> {
    let token = token.expose();
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || SPECIALS.contains(character);
    if (16..=128).contains(&token.len()) && token.chars().all(is_allowed) {
        return Ok(());
    }
    Err(errors::auth_token_invalid().with_field("AuthToken"))
}

fn seal(cx: &mut Tx<'_>, id: &str, token: &Secret) -> Result<Blob> {
    cx.seal(&[AuthTokensRow::TABLE, id], token.expose().as_bytes())
}

fn find(cx: &Tx<'_>, id: &str) -> Result<Option<AuthTokensRow>> {
    cx.get(&AuthTokensRow::table(cx.scope()).text(id))
}

/// Stores the token of a new group.
pub(super) fn put(cx: &mut Tx<'_>, group: &mut ReplicationGroup, token: &Secret) -> Result<()> {
    let sealed = seal(cx, group.id(), token)?;
    group.auth_token_enabled = Some(true);
    group.auth_token_last_modified_date = Some(cx.now());
    cx.put(AuthTokensRow {
        replication_group_id: group.replication_group_id.clone(),
        tokens: Some(vec![sealed]),
        new_tokens: None,
    })
}

/// A change of the token, checked.
pub(super) enum TokenChange {
    /// A new token, and what becomes of the others.
    New(Secret, AuthTokenUpdateStrategyType),
    /// The token is removed.
    Delete,
}

impl TokenChange {
    /// Reads the parameters of an operation. `adds_users` is true if a user group is added.
    pub(super) fn read(
        group: &ReplicationGroup,
        token: Option<&Secret>,
        strategy: Option<&AuthTokenUpdateStrategyType>,
        adds_users: bool,
    ) -> Result<Option<Self>> {
        if strategy == Some(&AuthTokenUpdateStrategyType::Delete) {
            if token.is_some() || !adds_users {
                return Err(errors::token_deletion().with_field("AuthTokenUpdateStrategy"));
            }
            return Ok(Some(Self::Delete));
        }
        let Some(token) = token else {
            return match strategy {
                Some(_) => Err(errors::token_strategy_without_token().with_field("AuthTokenUpdateStrategy")),
                None => Ok(None),
            };
        };
        check(token)?;
        if !group.is_encrypted() {
            return Err(errors::token_without_encryption().with_field("AuthToken"));
        }
        if adds_users || group.user_group_ids.as_ref().is_some_and(|ids| !ids.is_empty()) {
            return Err(errors::token_with_user_groups().with_field("AuthToken"));
        }
        let strategy = strategy.cloned().unwrap_or(AuthTokenUpdateStrategyType::Rotate);
        Ok(Some(Self::New(token.clone(), strategy)))
    }

    /// Keeps the change until it is applied.
    pub(super) fn put(self, cx: &mut Tx<'_>, group: &ReplicationGroup, change: &mut Change) -> Result<()> {
        let tokens = find(cx, group.id())?.and_then(|row| row.tokens).unwrap_or_default();
        let (new_tokens, status) = match self {
            Self::Delete => (Vec::new(), None),
            Self::New(token, strategy) => {
                let sealed = seal(cx, group.id(), &token)?;
                if strategy == AuthTokenUpdateStrategyType::Set {
                    (vec![sealed], Some(AuthTokenUpdateStatus::Setting))
                } else {
                    let last = tokens.last().cloned();
                    (last.into_iter().chain([sealed]).collect(), Some(AuthTokenUpdateStatus::Rotating))
                }
            }
        };
        change.pending.auth_token_status = status;
        change.is_immediate = true;
        cx.put(AuthTokensRow {
            replication_group_id: group.replication_group_id.clone(),
            tokens: Some(tokens),
            new_tokens: Some(new_tokens),
        })
    }
}

/// Applies a pending change of the token.
pub(super) fn apply(cx: &mut Tx<'_>, group: &mut ReplicationGroup) -> Result<()> {
    let Some(mut row) = find(cx, group.id())? else { return Ok(()) };
    let Some(tokens) = row.new_tokens.take() else { return Ok(()) };
    group.auth_token_enabled = Some(!tokens.is_empty());
    group.auth_token_last_modified_date = Some(cx.now());
    row.tokens = Some(tokens);
    if group.auth_token_enabled == Some(true) { cx.put(row) } else { cx.remove(&row) }
}

/// Removes the tokens of a group that is removed.
pub(super) fn remove(cx: &mut Tx<'_>, id: &str) -> Result<()> {
    cx.remove_row(&AuthTokensRow::table(cx.scope()).text(id))
}
