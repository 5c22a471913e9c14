//! The operation that upgrades a snapshot of an instance.

use super::{
    DBSnapshot, DBSnapshotManager,
    family::{self, Snapshot},
};
use crate::{engine, errors, instance};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Result, operation};

/// Upgrades a manual snapshot to a newer version of the engine.
#[operation(
    of = DBSnapshot, call = "update", changes, needs(db_snapshot_identifier), takes(changeable), except(tag_list),
    wraps(db_snapshot(name = "DBSnapshot")), effect = write,
    subject = "snapshot:{DBSnapshotIdentifier} + OptionGroupName? og:{OptionGroupName}"
)]
pub struct ModifyDBSnapshot {}

impl Handler for ModifyDBSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let field = DBSnapshot::IDENTIFIER;
        let mut snapshot: DBSnapshot = family::require(cx, &self.db_snapshot_identifier, field)?;
        if !snapshot.is_manual() {
            return Err(errors::automated_snapshot_not_upgradable().with_field(field));
        }
        snapshot.check_available(field)?;
        let engine = engine::require(snapshot.engine.as_deref().unwrap_or_default())?;
        let current = engine.version(snapshot.engine_version.as_deref().unwrap_or_default())?;
        let version = match self.engine_version.as_deref() {
            Some(given) => engine.version(given)?,
            None => current,
        };
        if version.name() != current.name() {
            if !current.can_upgrade_to(version) {
                let error = errors::cannot_upgrade(engine.name, current.name(), version.name());
                return Err(error.with_field("EngineVersion"));
            }
            snapshot.engine_version = Some(version.name().into());
            snapshot.status = Some("upgrading".into());
            let default = current.default_option_group();
            if snapshot.option_group_name.as_deref() == Some(default.as_str()) {
                snapshot.option_group_name = Some(version.default_option_group().into());
            }
        }
        if let Some(name) = &self.option_group_name {
            if !engine.is_oracle() {
                let error = errors::cluster_parameter_unsupported("OptionGroupName", engine.name);
                return Err(error.with_field("OptionGroupName"));
            }
            snapshot.option_group_name = Some(instance::require_option_group(cx, name, version)?);
        }
        cx.put_and_schedule_transition(snapshot.clone())?;
        Ok(snapshot.into())
    }
}
