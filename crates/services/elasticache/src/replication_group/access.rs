//! Encryption of replication groups, and the users that may use them.

use super::{
    CreateReplicationGroup, ModifyReplicationGroup, ReplicationGroup, StorageEncryptionType,
    UserGroupsUpdateStatus, change::Change, refuse, token,
};
use crate::{
    CacheUserGroup, SERVICE, TransitEncryptionMode,
    engine::{Engine, Version},
    errors, user_group,
};
use nephos_cloud::{KeyUse, Tx, is_key_refusal};
use nephos_core::{Arn, Error, Result, Text};

/// Refuses encryption that a version does not have. `field` is the parameter that turns it on.
pub(super) fn check_encryption(version: &Version, field: &str) -> Result<()> {
    let parts = version.parts();
    if parts == [3, 2, 6] || parts >= [4, 0, 10] {
        return Ok(());
    }
    Err(errors::replication_encryption_version(version.number).with_field(field))
}

/// Refuses a crypto key that is malformed, or that cannot be used.
pub(super) fn check_crypto_key(cx: &mut Tx<'_>, arn: &str, key: &str) -> Result<()> {
    let invalid = || errors::crypto_key_invalid(key).with_field("CryptoKeyId");
    let is_arn = Arn::parts(key).is_some_and(|[_, service, _, _, resource]| {
        service == "kms" && (resource.starts_with("key/") || resource.starts_with("alias/"))
    });
    let is_name = |character: char| character.is_ascii_alphanumeric() || "-_/".contains(character);
    if !is_arn && (key.is_empty() || !key.chars().all(is_name)) {
        return Err(invalid());
    }
    let context = [("aws:elasticache:arn", arn)];
    let used = KeyUse { service: &SERVICE, context: &context, principal: None };
    cx.check_crypto_key(key, &used)
        .map_err(|error| if is_key_refusal(&error) { invalid().with_hint(error.message()) } else { error })
}

/// Returns the user groups with these IDs, or refuses: they must be active and fit to the engine, and
/// connections must be encrypted. `field` is the parameter with the IDs.
pub(super) fn read_user_groups(
    cx: &Tx<'_>,
    ids: &[Text],
    version: &Version,
    is_encrypted: bool,
    field: &str,
) -> Result<Vec<CacheUserGroup>> {
    let refuse = |error: Error| refuse(error, field);
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    if ids.len() > 1 {
        return refuse(errors::several_user_groups());
    }
    if !is_encrypted {
        return refuse(errors::users_without_encryption());
    }
    if version.parts() < [6, 0, 0] {
        return refuse(errors::users_version(version.number));
    }
    let mut groups = Vec::new();
    for id in ids {
        let group = user_group::require(cx, id).map_err(|error| error.with_field(field))?;
        group.check_active().map_err(|error| error.with_field(field))?;
        if group.is_valkey() && version.engine() == Engine::Redis {
            return refuse(errors::user_group_engine(group.id(), version.engine().name()));
        }
        groups.push(group);
    }
    Ok(groups)
}

/// Applies a change of the user groups. New ones are attached already.
pub(super) fn apply_user_groups(
    cx: &mut Tx<'_>,
    group: &mut ReplicationGroup,
    change: UserGroupsUpdateStatus,
) -> Result<()> {
    let removed = change.user_group_ids_to_remove.unwrap_or_default();
    for id in &removed {
        if let Some(found) = user_group::find(cx, id)? {
            user_group::detach(cx, found, group.id())?;
        }
    }
    let ids = group.user_group_ids.get_or_insert_default();
    ids.retain(|id| !removed.contains(id));
    ids.extend(change.user_group_ids_to_add.unwrap_or_default());
    Ok(())
}

/// Detaches all user groups from a group that is removed.
pub(super) fn detach_all(cx: &mut Tx<'_>, group: &ReplicationGroup) -> Result<()> {
    for id in group.user_group_ids.iter().flatten() {
        if let Some(found) = user_group::find(cx, id)? {
            user_group::detach(cx, found, group.id())?;
        }
    }
    Ok(())
}

impl CreateReplicationGroup {
    /// Sets encryption in transit and at rest.
    pub(super) fn set_encryption(
        &self,
        cx: &mut Tx<'_>,
        group: &mut ReplicationGroup,
        version: &Version,
    ) -> Result<()> {
        let is_encrypted = self.transit_encryption_enabled == Some(true);
        if is_encrypted {
            check_encryption(version, "TransitEncryptionEnabled")?;
        }
        let mode = self.transit_encryption_mode.clone();
        if mode.is_some() && !is_encrypted {
            return refuse(errors::transit_mode_without_encryption(), "TransitEncryptionMode");
        }
        if mode == Some(TransitEncryptionMode::Preferred) && version.parts() < [7, 0, 0] {
            return refuse(errors::transit_change_version(), "TransitEncryptionMode");
        }
        group.transit_encryption_enabled = Some(is_encrypted);
        group.transit_encryption_mode = is_encrypted.then(|| mode.unwrap_or(TransitEncryptionMode::Required));
        group.auth_token_enabled = Some(false);
        if let Some(token) = &self.auth_token {
            token::check(token)?;
            if !is_encrypted {
                return refuse(errors::token_without_encryption(), "AuthToken");
            }
        }
        let by_default = version.engine() == Engine::Valkey && self.primary_cluster_id.is_none();
        let at_rest = self.at_rest_encryption_enabled.unwrap_or(by_default);
        if at_rest {
            check_encryption(version, "AtRestEncryptionEnabled")?;
        }
        group.storage_encryption_type = Some(match (&self.crypto_key_id, at_rest) {
            (Some(_), false) => return refuse(errors::key_without_encryption(), "CryptoKeyId"),
            (Some(_), true) => StorageEncryptionType::SseKms,
            (None, true) => StorageEncryptionType::SseElasticache,
            (None, false) => StorageEncryptionType::None,
        });
        if let Some(key) = &self.crypto_key_id {
            let arn = group.arn.clone().unwrap_or_default();
            check_crypto_key(cx, &arn, key)?;
        }
        group.at_rest_encryption_enabled = Some(at_rest);
        group.crypto_key_id.clone_from(&self.crypto_key_id);
        Ok(())
    }
}

impl ModifyReplicationGroup {
    /// Reads the user groups to add and to remove; returns those to add.
    pub(super) fn change_users(
        &self,
        cx: &Tx<'_>,
        group: &ReplicationGroup,
        version: &Version,
        change: &mut Change,
    ) -> Result<Vec<CacheUserGroup>> {
        let current = group.user_group_ids.clone().unwrap_or_default();
        let lower = |ids: &Option<Vec<Text>>| -> Vec<Text> {
            ids.iter().flatten().map(|id| id.to_ascii_lowercase()).collect()
        };
        let mut removed = lower(&self.user_group_ids_to_remove);
        if let Some(stranger) = removed.iter().find(|id| !current.contains(id)) {
            let error = errors::user_group_not_attached(stranger, group.id());
            return refuse(error, "UserGroupIdsToRemove");
        }
        if self.remove_user_groups == Some(true) {
            removed.clone_from(&current);
        }
        let field = "UserGroupIdsToAdd";
        let added = lower(&self.user_group_ids_to_add);
        if let Some(known) = added.iter().find(|id| current.contains(id)) {
            return refuse(errors::user_group_attached_already(known, group.id()), field);
        }
        let kept = current.iter().filter(|id| !removed.contains(id)).count();
        if kept + added.len() > 1 {
            return refuse(errors::several_user_groups(), field);
        }
        let found = read_user_groups(cx, &added, version, group.is_encrypted(), field)?;
        if added.is_empty() && removed.is_empty() {
            return Ok(found);
        }
        let given = |ids: Vec<Text>| Some(ids).filter(|ids| !ids.is_empty());
        change.pending.user_groups = Some(UserGroupsUpdateStatus {
            user_group_ids_to_add: given(added),
            user_group_ids_to_remove: given(removed),
        });
        change.is_immediate = true;
        Ok(found)
    }
}
