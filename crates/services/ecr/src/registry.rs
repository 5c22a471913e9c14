//! The registry of an account: its policy, replication, scanning and settings.

pub(crate) mod policy;
mod replication;
mod scanning;
mod settings;

pub use policy::*;
pub use replication::*;
pub use scanning::*;
pub use settings::*;

use nephos_cloud::{Key, Parts, Scope, Stored, Tx};
use nephos_core::{Record, Result, Text, field_value::FieldType as _};

/// Row of the registry of an account in a Region: what differs from the defaults.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct RegistryRow {
    /// Policy document.
    policy_text: Option<Text>,
    /// Replication of images to other registries.
    replication_configuration: Option<ReplicationConfiguration>,
    /// Scanning of images.
    scanning_configuration: Option<RegistryScanningConfiguration>,
    /// Version of basic scanning.
    basic_scan_type_version: Option<Text>,
    /// Scope of the policy.
    registry_policy_scope: Option<Text>,
    /// Mounting of layers of other repositories.
    blob_mounting: Option<Text>,
}

impl Stored for RegistryRow {
    const TABLE: &'static str = "ecr/registry";

    fn identify(&self, key: Key) -> Key {
        key
    }

    fn strip_derived(&mut self) {}

    fn restore(&mut self, _: &Scope, _: Parts<'_>) {}
}

/// True if layers of other repositories of the registry are mounted.
pub(crate) fn has_blob_mounting(cx: &mut Tx<'_>) -> Result<bool> {
    Ok(RegistryRow::find(cx)?.blob_mounting.as_deref() == Some("ENABLED"))
}

impl RegistryRow {
    /// Finds the registry of the scope; one with all defaults if nothing was set.
    fn find(cx: &Tx<'_>) -> Result<Self> {
        Ok(cx.get(&Self::table(cx.scope()))?.unwrap_or_else(Self::blank))
    }

    /// Changes the registry of the scope.
    fn change(cx: &mut Tx<'_>, change: impl FnOnce(&mut Self)) -> Result<()> {
        let mut row = Self::find(cx)?;
        change(&mut row);
        cx.put(row)
    }
}
