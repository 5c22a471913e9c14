//! Operations that make, describe and delete snapshots of instances.

use super::{
    DBSnapshot, DBSnapshotManager, SavedInstanceRow,
    family::{self, MANUAL, Snapshot},
    sharing,
};
use crate::{
    DBInstance, errors,
    filters::{self, Filter, Filters},
    identifier::Page,
    instance,
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Operation, Result, Tag, Text, operation};

/// Filters of snapshots.
const FILTERS: &[&str] = &["db-instance-id", "db-snapshot-id", "dbi-resource-id", "snapshot-type", "engine"];

/// Makes a snapshot of an instance, which must be available.
#[operation(
    of = DBSnapshot, call = "create", model, overrides(tag_list), needs(db_snapshot_identifier, db_instance_identifier),
    takes(tag_list(wire = "Tags")), wraps(db_snapshot(name = "DBSnapshot")), effect = write,
    also_requires("AddTagsToResource" = "TagList?"),
    subject = "snapshot:{DBSnapshotIdentifier} + db:{DBInstanceIdentifier}"
)]
pub struct CreateDBSnapshot {}

impl Handler for CreateDBSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut instance = instance::require(cx, &self.db_instance_identifier, "DBInstanceIdentifier")?;
        let id = family::read_manual::<DBSnapshot>(cx, &self.db_snapshot_identifier, DBSnapshot::IDENTIFIER)?;
        let snapshot = instance.take_snapshot(cx, id, self.tag_list.as_deref(), "DBInstanceIdentifier")?;
        instance.db_instance_status = Some("backing-up".into());
        instance.store(cx)?;
        Ok(snapshot.into())
    }
}

impl DBInstance {
    /// Makes a manual snapshot of the instance, which must be available; `field` is the parameter with the instance. Its status
    /// does not change. The tags of the instance are copied if it is set up so; given ones win.
    pub(crate) fn take_snapshot(
        &self,
        cx: &mut Tx<'_>,
        id: Text,
        tags: Option<&[Tag]>,
        field: &str,
    ) -> Result<DBSnapshot> {
        if self.db_cluster_identifier.is_some() {
            return Err(errors::snapshot_of_cluster_member().with_field(field));
        }
        if self.status() != "available" {
            let error = errors::snapshot_of_unavailable_instance(self.id()).with_hint(self.status());
            return Err(error.with_field(field));
        }
        let mut snapshot = DBSnapshot::of_instance(cx, self, id, MANUAL)?;
        let copied = self.tag_list.as_deref().filter(|_| self.copy_tags_to_snapshot == Some(true));
        snapshot.tag_list = Some(family::merge_tags(tags, copied)?);
        SavedInstanceRow::keep(cx, self, snapshot.own_arn())?;
        snapshot.store_manual(cx)?;
        Ok(snapshot)
    }
}

/// Describes snapshots of instances, in order of their identifiers: those of the account, and shared ones if they are asked for.
#[operation(
    of = DBSnapshot, call = "list", page(db_snapshots(name = "DBSnapshots", item = "DBSnapshot"), marker), include(Page),
    find(db_snapshot_identifier), effect = read, access = list
)]
pub struct DescribeDBSnapshots {
    /// Identifier of an instance: only its snapshots.
    #[field(name = "DBInstanceIdentifier")]
    pub db_instance_identifier: Option<Text>,
    /// Identifier of one snapshot; the ARN of one of another account.
    #[field(name = "DBSnapshotIdentifier")]
    pub db_snapshot_identifier: Option<Text>,
    /// Type: manual, automated, shared, public or awsbackup. Manual and automated ones by default.
    pub snapshot_type: Option<Text>,
    /// Filters: db-instance-id, db-snapshot-id, dbi-resource-id, snapshot-type or engine.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// True for snapshots that other accounts share with this one, too.
    pub include_shared: Option<bool>,
    /// True for snapshots that other accounts share with all, too.
    pub include_public: Option<bool>,
    /// Resource ID of an instance: only its snapshots.
    pub dbi_resource_id: Option<Text>,
}

impl Handler for DescribeDBSnapshots {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let filters = filters::read(self.filters.as_deref(), FILTERS)?;
        let types = SnapshotTypes::read(
            self.snapshot_type.as_deref(),
            self.include_shared == Some(true),
            self.include_public == Some(true),
        )?;
        let is_shown = |snapshot: &DBSnapshot| {
            types.has(snapshot.snapshot_type.as_deref())
                && is_same(self.db_instance_identifier.as_deref(), snapshot.db_instance_identifier.as_deref())
                && is_same(self.dbi_resource_id.as_deref(), snapshot.dbi_resource_id.as_deref())
                && snapshot.matches(&filters)
        };
        let id = self.db_snapshot_identifier.as_deref();
        Ok(types.page(cx, &self, id, is_shown)?.into())
    }
}

/// True if nothing was given, or the same in any case.
pub(crate) fn is_same(given: Option<&str>, own: Option<&str>) -> bool {
    given.is_none_or(|given| own.is_some_and(|own| own.eq_ignore_ascii_case(given)))
}

impl DBSnapshot {
    /// True if the snapshot matches all filters.
    fn matches(&self, filters: &Filters<'_>) -> bool {
        filters.match_all(|name, value| {
            // An ARN ends with the identifier.
            let id = value.rsplit(':').next().unwrap_or(value);
            match name {
                "db-instance-id" => is_same(Some(id), self.db_instance_identifier.as_deref()),
                "db-snapshot-id" => {
                    is_same(Some(value), self.db_snapshot_identifier.as_deref())
                        || is_same(Some(value), self.db_snapshot_arn.as_deref())
                }
                "dbi-resource-id" => self.dbi_resource_id.as_deref() == Some(value),
                "snapshot-type" => self.snapshot_type.as_deref() == Some(value),
                "engine" => self.engine.as_deref() == Some(value),
                _ => false,
            }
        })
    }
}

/// Types of snapshots that a listing shows.
pub(crate) struct SnapshotTypes {
    /// Types of the account's own snapshots.
    own: &'static [&'static str],
    shared: bool,
    public: bool,
}

impl SnapshotTypes {
    /// Reads the parameters of a listing.
    pub(crate) fn read(given: Option<&str>, include_shared: bool, include_public: bool) -> Result<Self> {
        let (own, shared, public): (&[&str], bool, bool) = match given {
            None => (&["manual", "automated", "awsbackup"], include_shared, include_public),
            Some("manual") => (&["manual"], include_shared, include_public),
            Some("automated") => (&["automated"], false, false),
            Some("awsbackup") => (&["awsbackup"], false, false),
            Some("shared") => (&[], true, include_public),
            Some("public") => (&[], include_shared, true),
            Some(other) => {
                return Err(errors::snapshot_type_invalid(other).with_field("SnapshotType"));
            }
        };
        Ok(Self { own, shared, public })
    }

    /// Returns a page of a listing: the snapshot with an identifier or ARN, or all, as far as they are shown.
    pub(crate) fn page<S: Snapshot>(
        &self,
        cx: &mut Tx<'_>,
        listing: &impl Operation,
        id: Option<&str>,
        is_shown: impl Fn(&S) -> bool,
    ) -> Result<(Vec<S>, Option<Text>)> {
        if let Some(id) = id {
            let found = self.require::<S>(cx, id)?;
            return cx.page_list(listing, Some(found).filter(is_shown));
        }
        if self.shared || self.public {
            let all = self.all::<S>(cx)?.into_iter().filter(is_shown);
            return cx.page_items(listing, all, |snapshot| snapshot.own_name().into());
        }
        cx.page_rows(listing, &S::table(cx.scope()), |snapshot| Ok(Some(snapshot).filter(&is_shown)))
    }

    /// True if snapshots of a type are shown.
    pub(crate) fn has(&self, snapshot_type: Option<&str>) -> bool {
        match snapshot_type {
            Some("shared") => self.shared,
            Some("public") => self.public,
            other => other.is_some_and(|other| self.own.contains(&other)),
        }
    }

    /// Returns the snapshots of the account and those of others, in order of their identifiers.
    fn all<S: Snapshot>(&self, cx: &mut Tx<'_>) -> Result<Vec<S>> {
        let mut all: Vec<S> = if self.own.is_empty() { Vec::new() } else { cx.all(&S::table(cx.scope()))? };
        let account = Text::new(cx.scope().account());
        for (is_shown, account, name) in
            [(self.shared, account.as_str(), "shared"), (self.public, sharing::ALL, "public")]
        {
            if is_shown {
                let found = sharing::shared_with::<S>(cx, account)?;
                all.extend(found.into_iter().map(|snapshot| of_other_account(snapshot, name)));
            }
        }
        all.sort_by(|one, other| one.own_name().cmp(other.own_name()));
        all.dedup_by(|one, other| one.own_name() == other.own_name());
        Ok(all)
    }

    /// Finds one snapshot by its identifier or ARN, or refuses.
    fn require<S: Snapshot>(&self, cx: &mut Tx<'_>, given: &str) -> Result<S> {
        let found = family::require_readable::<S>(cx, given, S::IDENTIFIER)?;
        if found.scope.account() == cx.scope().account() {
            // The ARN of another Region is found nowhere.
            return family::require(cx, given, S::IDENTIFIER);
        }
        let arn = Text::new(found.snapshot.own_arn());
        let mut all = SnapshotTypes { own: &[], shared: true, public: true }.all::<S>(cx)?.into_iter();
        let found = all.find(|snapshot| snapshot.own_name() == arn);
        found.ok_or_else(|| S::not_found(given).with_field(S::IDENTIFIER))
    }
}

/// A snapshot as another account sees it: its ARN is its identifier, and its tags are not shown.
fn of_other_account<S: Snapshot>(mut snapshot: S, snapshot_type: &str) -> S {
    let arn = Text::new(snapshot.own_arn());
    let parts = snapshot.parts_mut();
    *parts.identifier = Some(arn);
    *parts.snapshot_type = Some(snapshot_type.into());
    *parts.tags = Some(Vec::new());
    snapshot
}

/// Deletes a manual snapshot.
#[operation(
    of = DBSnapshot, call = "delete", on_model, needs(db_snapshot_identifier), wraps(db_snapshot(name = "DBSnapshot")),
    effect = write
)]
pub struct DeleteDBSnapshot {}

impl Handler for DeleteDBSnapshot {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut snapshot: DBSnapshot = family::delete(cx, &self.db_snapshot_identifier)?;
        snapshot.status = Some("deleted".into());
        Ok(snapshot.into())
    }
}
