//! Operations on the attributes of snapshots of instances: the accounts that they are shared with.

use super::{
    DBSnapshot, DBSnapshotManager,
    family::{self, Snapshot},
    sharing::{self, SharingChange},
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Record, Result, Text, operation};

/// An attribute of a snapshot.
#[derive(Record)]
#[record(answer)]
pub struct DBSnapshotAttribute {
    /// Name: restore.
    attribute_name: Option<Text>,
    /// Accounts that may copy the snapshot and restore instances from it; `all` for all accounts.
    #[field(item = "AttributeValue")]
    attribute_values: Option<Vec<Text>>,
}

/// The attributes of a snapshot.
#[derive(Record)]
#[record(answer)]
pub struct DBSnapshotAttributesResult {
    /// Identifier of the snapshot.
    #[field(name = "DBSnapshotIdentifier")]
    db_snapshot_identifier: Option<Text>,
    /// Attributes.
    #[field(name = "DBSnapshotAttributes", item = "DBSnapshotAttribute")]
    db_snapshot_attributes: Option<Vec<DBSnapshotAttribute>>,
}

impl DBSnapshotAttributesResult {
    fn new(snapshot: &DBSnapshot, accounts: Vec<Text>) -> Self {
        let restore = DBSnapshotAttribute {
            attribute_name: Some(sharing::RESTORE.into()),
            attribute_values: Some(accounts),
        };
        Self {
            db_snapshot_identifier: snapshot.db_snapshot_identifier.clone(),
            db_snapshot_attributes: Some(vec![restore]),
        }
    }
}

/// Describes the attributes of a snapshot.
#[operation(
    of = DBSnapshot, call = "attributes", on_model, needs(db_snapshot_identifier),
    wraps(db_snapshot_attributes_result(name = "DBSnapshotAttributesResult"): DBSnapshotAttributesResult), effect = read,
    access = list
)]
pub struct DescribeDBSnapshotAttributes {}

impl Handler for DescribeDBSnapshotAttributes {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let snapshot: DBSnapshot = family::require(cx, &self.db_snapshot_identifier, DBSnapshot::IDENTIFIER)?;
        let accounts = sharing::accounts(cx, snapshot.own_arn())?;
        Ok(DBSnapshotAttributesResult::new(&snapshot, accounts).into())
    }
}

/// Shares a manual snapshot with accounts, or no longer. An encrypted one is shared with named accounts only, and not if it is
/// encrypted under the default crypto key of the service.
#[operation(
    of = DBSnapshot, call = "modify_attribute", on_model(attribute_name), needs(db_snapshot_identifier),
    wraps(db_snapshot_attributes_result(name = "DBSnapshotAttributesResult"): DBSnapshotAttributesResult), effect = write
)]
pub struct ModifyDBSnapshotAttribute {
    /// Name of the attribute: restore.
    pub attribute_name: Text,
    /// Accounts to share the snapshot with; `all` for all accounts.
    #[field(item = "AttributeValue")]
    pub values_to_add: Option<Vec<Text>>,
    /// Accounts to share the snapshot with no longer.
    #[field(item = "AttributeValue")]
    pub values_to_remove: Option<Vec<Text>>,
}

impl Handler for ModifyDBSnapshotAttribute {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let snapshot: DBSnapshot = family::require(cx, &self.db_snapshot_identifier, DBSnapshot::IDENTIFIER)?;
        let change = SharingChange {
            attribute: &self.attribute_name,
            add: self.values_to_add.as_deref().unwrap_or_default(),
            remove: self.values_to_remove.as_deref().unwrap_or_default(),
        };
        let accounts = change.apply(cx, &snapshot)?;
        Ok(DBSnapshotAttributesResult::new(&snapshot, accounts).into())
    }
}
