//! What snapshots of instances and of clusters have in common: identifiers, lookups, the quota, copies and deletion.

use super::sharing;
use crate::{
    SourceType, StorageEncryptionType, errors,
    event::{self, KnownEvent, Source},
    identifier, settings, tagging,
};
use nephos_cloud::{Addressed, Quota, Scope, StoredResource, Tx, own_arn, tags::to_list};
use nephos_core::{Arn, Error, Result, Tag, Text, Timestamp};

/// Start of the identifiers of snapshots that the service makes.
pub(crate) const AUTOMATED_PREFIX: &str = "rds:";

/// Type of snapshots that callers make.
pub(crate) const MANUAL: &str = "manual";

/// Type of snapshots that the service makes.
pub(crate) const AUTOMATED: &str = "automated";

/// Fields that both kinds of snapshots have, to read.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'s> {
    pub(crate) status: Option<&'s str>,
    pub(crate) snapshot_type: Option<&'s str>,
    pub(crate) encrypted: bool,
    pub(crate) crypto_key: Option<&'s str>,
    pub(crate) tags: Option<&'s [Tag]>,
}

/// Fields that both kinds of snapshots have, to change.
pub(crate) struct PartsMut<'s> {
    pub(crate) identifier: &'s mut Option<Text>,
    pub(crate) arn: &'s mut Option<Text>,
    pub(crate) status: &'s mut Option<Text>,
    pub(crate) snapshot_type: &'s mut Option<Text>,
    pub(crate) percent_progress: &'s mut Option<i64>,
    pub(crate) snapshot_create_time: &'s mut Option<Timestamp>,
    pub(crate) encrypted: &'s mut Option<bool>,
    pub(crate) encryption_type: &'s mut Option<StorageEncryptionType>,
    pub(crate) crypto_key: &'s mut Option<Text>,
    pub(crate) source_snapshot: &'s mut Option<Text>,
    pub(crate) tags: &'s mut Option<Vec<Tag>>,
}

/// A step in the life of a snapshot.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// Its creation, or a copy, started.
    Started,
    /// It was created.
    Created,
    /// A caller deleted it.
    Deleted,
}

/// A kind of snapshots.
pub(crate) trait Snapshot: Addressed + Clone {
    /// Parameter with the identifier.
    const IDENTIFIER: &'static str;
    /// Longest identifier.
    const MAX_LENGTH: usize;
    /// Quota of manual snapshots.
    const QUOTA: Quota;
    /// True if a copy can be encrypted although its source is not.
    const COPIES_CAN_ENCRYPT: bool;
    /// Status of a copy that is being made.
    const COPYING: &'static str;
    /// Type of the snapshots as sources of events.
    const SOURCE: SourceType;

    /// Error for an identifier that is taken.
    fn exists(id: &str) -> Error;
    /// Error for a snapshot that is not available.
    fn not_available(id: &str, status: &str) -> Error;
    /// Error for the deletion of an automated snapshot.
    fn not_deletable() -> Error;
    /// Error for sharing an automated snapshot.
    fn not_shareable() -> Error;
    /// Removes what is kept for restores.
    fn remove_saved(&self, cx: &mut Tx<'_>) -> Result<()>;
    /// Copies what is kept for restores from the snapshot with this ARN in another scope.
    fn copy_saved(&self, cx: &mut Tx<'_>, source: &Scope, arn: &str) -> Result<()>;
    /// Fields to read.
    fn parts(&self) -> Parts<'_>;
    /// Fields to change.
    fn parts_mut(&mut self) -> PartsMut<'_>;
    /// Event of a step in the life of the snapshot, with the arguments of its message; none if the service has none.
    fn event_of(&self, step: Step, scope: &Scope) -> Option<(&'static KnownEvent, Vec<Text>)>;

    /// Records the event of a step.
    fn record(&self, cx: &mut Tx<'_>, step: Step) -> Result<()> {
        let Some((event, arguments)) = self.event_of(step, cx.scope()) else { return Ok(()) };
        let source = Source { kind: Self::SOURCE, id: self.own_name(), arn: self.own_arn(), logged: None };
        let arguments: Vec<_> = arguments.iter().map(Text::as_str).collect();
        event::record(cx, &source, event, &arguments)
    }

    /// Begins the creation.
    fn begin(&mut self, snapshot_type: &str) {
        let parts = self.parts_mut();
        *parts.status = Some("creating".into());
        *parts.snapshot_type = Some(snapshot_type.into());
        *parts.percent_progress = Some(0);
        *parts.snapshot_create_time = None;
    }

    /// Ends the creation.
    fn finish(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let parts = self.parts_mut();
        *parts.percent_progress = Some(100);
        *parts.snapshot_create_time = Some(cx.now());
        self.record(cx, Step::Created)
    }

    /// True for a snapshot that a caller made.
    fn is_manual(&self) -> bool {
        self.parts().snapshot_type == Some(MANUAL)
    }

    /// Refuses a snapshot that is not available; `field` is the parameter with its identifier.
    fn check_available(&self, field: &str) -> Result<()> {
        match self.parts().status.unwrap_or_default() {
            "available" => Ok(()),
            status => Err(Self::not_available(self.own_name(), status).with_field(field)),
        }
    }

    /// Stores a new manual snapshot, if the quota allows it.
    fn store_manual(&self, cx: &mut Tx<'_>) -> Result<()> {
        Self::QUOTA.add_one(cx, errors::too_many_snapshots)?;
        self.store_new(cx)
    }

    /// Stores a new snapshot.
    fn store_new(&self, cx: &mut Tx<'_>) -> Result<()> {
        self.record(cx, Step::Started)?;
        cx.put_and_schedule_transition(self.clone())
    }
}

/// Reads the identifier of the last snapshot of a database, as [`read_manual`] does.
pub(crate) fn read_last<S: Snapshot>(cx: &Tx<'_>, given: &str) -> Result<Text> {
    read_new::<S>(cx, given, "FinalDBSnapshotIdentifier", 255)
}

/// Reads the identifier of a new snapshot; refuses one that is taken. `field` is the parameter with it.
fn read_new<S: Snapshot>(cx: &Tx<'_>, given: &str, field: &str, max: usize) -> Result<Text> {
    let id = identifier::read(given, field, max)?;
    match S::find_by(cx, &[&id])? {
        Some(_) => Err(S::exists(&id).with_field(field)),
        None => Ok(id),
    }
}

/// Reads the identifier of a snapshot that a caller makes, which begins with a letter.
pub(crate) fn read_manual<S: Snapshot>(cx: &Tx<'_>, given: &str, field: &str) -> Result<Text> {
    if !given.is_empty() && !given.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Err(errors::snapshot_identifier_invalid(given).with_field(field));
    }
    read_new::<S>(cx, given, field, S::MAX_LENGTH)
}

/// Finds the snapshot of the caller with this identifier or ARN, in any case.
pub(crate) fn find<S: Snapshot>(cx: &Tx<'_>, given: &str) -> Result<Option<S>> {
    S::find_by(cx, &[&identifier::name_of::<S>(cx, given)])
}

/// Finds the snapshot of the caller with this identifier or ARN, or refuses. `field` is the parameter with it.
pub(crate) fn require<S: Snapshot>(cx: &Tx<'_>, given: &str, field: &str) -> Result<S> {
    find(cx, given)?.ok_or_else(|| S::not_found(given).with_field(field))
}

/// Returns the given tags of a snapshot together with those that are copied; given ones win.
pub(crate) fn merge_tags(given: Option<&[Tag]>, copied: Option<&[Tag]>) -> Result<Vec<Tag>> {
    let mut tags = tagging::RULES.read_list(given.unwrap_or_default())?;
    for (key, value) in tagging::RULES.read_list(copied.unwrap_or_default())? {
        tags.entry(key).or_insert(value);
    }
    Ok(to_list(tags).unwrap_or_default())
}

/// A snapshot that the caller may read: its own, or one of another account that is shared.
pub(crate) struct Readable<S> {
    pub(crate) snapshot: S,
    /// Account and Region of the snapshot.
    pub(crate) scope: Scope,
}

impl<S: Snapshot> Readable<S> {
    /// Refuses to restore from an encrypted snapshot of another account, which must be copied first. `field` is the parameter with it.
    pub(crate) fn check_encryption(&self, cx: &Tx<'_>, field: &str) -> Result<()> {
        let parts = self.snapshot.parts();
        if self.scope == *cx.scope() || !parts.encrypted {
            return Ok(());
        }
        Err(errors::source_key_not_accessible(parts.crypto_key.unwrap_or_default()).with_field(field))
    }
}

/// Finds a snapshot that the caller may read by its identifier or ARN, or refuses. `field` is the parameter with it.
pub(crate) fn require_readable<S: Snapshot>(
    cx: &mut Tx<'_>,
    given: &str,
    field: &str,
) -> Result<Readable<S>> {
    let own = cx.scope().clone();
    let scope = match (S::read_arn(given), Arn::parts(given)) {
        (Some(_), Some([_, _, region, account, _])) => Scope::new(account, region),
        _ => own.clone(),
    };
    let found: Option<S> = cx.in_scope(&scope, |cx| {
        let Some(snapshot) = find::<S>(cx, given)? else { return Ok::<_, Error>(None) };
        let is_own = cx.scope().account() == own.account();
        let is_readable = is_own || sharing::is_shared_with(cx, snapshot.own_arn(), own.account())?;
        Ok(is_readable.then_some(snapshot))
    })?;
    match found {
        Some(snapshot) => Ok(Readable { snapshot, scope }),
        None => Err(S::not_found(given).with_field(field)),
    }
}

/// Finds a snapshot to restore a database from: one of the Region that is available, or refuses.
pub(crate) fn require_restorable<S: Snapshot>(
    cx: &mut Tx<'_>,
    given: &str,
    field: &str,
) -> Result<Readable<S>> {
    let found = require_readable::<S>(cx, given, field)?;
    if found.scope.region() != cx.scope().region() {
        return Err(S::not_found(given).with_field(field));
    }
    found.snapshot.check_available(field)?;
    Ok(found)
}

/// A copy of a snapshot that a caller asks for.
pub(crate) struct CopyRequest<'c> {
    /// Identifier or ARN of the source, and its parameter.
    pub(crate) source: (&'c str, &'static str),
    /// Identifier of the copy, and its parameter.
    pub(crate) target: (&'c str, &'static str),
    pub(crate) crypto_key: Option<&'c str>,
    pub(crate) copy_tags: Option<bool>,
    pub(crate) tags: Option<&'c [Tag]>,
}

impl CopyRequest<'_> {
    /// Makes the copy, which is not stored yet. Also returns the source.
    pub(crate) fn make<S: Snapshot>(&self, cx: &mut Tx<'_>) -> Result<(S, Readable<S>)> {
        let source = require_readable::<S>(cx, self.source.0, self.source.1)?;
        source.snapshot.check_available(self.source.1)?;
        let id = read_manual::<S>(cx, self.target.0, self.target.1)?;
        let mut copy = source.snapshot.clone();
        *copy.parts_mut().identifier = Some(id);
        let arn = own_arn(&copy, cx.scope()).unwrap_or_default();
        *copy.parts_mut().arn = Some(arn.clone());
        copy.begin(MANUAL);
        *copy.parts_mut().status = Some(S::COPYING.into());
        *copy.parts_mut().tags = self.read_tags(cx, &source)?;
        self.encrypt(cx, &source, &mut copy, &arn)?;
        *copy.parts_mut().source_snapshot = Some(source.snapshot.own_arn().into());
        Ok((copy, source))
    }

    /// Returns the given tags, and those of the source if they are to be copied.
    fn read_tags<S: Snapshot>(&self, cx: &Tx<'_>, source: &Readable<S>) -> Result<Option<Vec<Tag>>> {
        let is_copied = self.copy_tags == Some(true);
        if is_copied && source.scope.account() != cx.scope().account() {
            return Err(errors::tags_of_shared_snapshot().with_field("CopyTags"));
        }
        let copied = source.snapshot.parts().tags.filter(|_| is_copied);
        merge_tags(self.tags, copied).map(Some)
    }

    /// Encrypts the copy: under another crypto key, or under the one of the source, which must be of the same account and Region.
    fn encrypt<S: Snapshot>(
        &self,
        cx: &mut Tx<'_>,
        source: &Readable<S>,
        copy: &mut S,
        arn: &str,
    ) -> Result<()> {
        let field = "CryptoKeyId";
        let is_encrypted = source.snapshot.parts().encrypted;
        let Some(key) = self.crypto_key else {
            return match is_encrypted {
                true if source.scope.region() != cx.scope().region() => {
                    Err(errors::key_for_other_region_needed().with_field(field))
                }
                true if source.scope != *cx.scope() => {
                    Err(errors::key_for_other_account_needed().with_field(field))
                }
                _ => Ok(()),
            };
        };
        if !is_encrypted && !S::COPIES_CAN_ENCRYPT {
            return Err(errors::copy_not_encrypted().with_field(field));
        }
        let key = settings::find_crypto_key(cx, arn, Some(key), field)?;
        let parts = copy.parts_mut();
        *parts.encrypted = Some(true);
        *parts.encryption_type = Some(StorageEncryptionType::SseKms);
        *parts.crypto_key = key;
        Ok(())
    }
}

/// Stores a copy.
pub(crate) fn store_copy<S: Snapshot>(cx: &mut Tx<'_>, copy: &S, source: &Readable<S>) -> Result<()> {
    copy.copy_saved(cx, &source.scope, source.snapshot.own_arn())?;
    copy.store_manual(cx)
}

/// Deletes a manual snapshot, and all that belongs to it. Returns it as it was.
pub(crate) fn delete<S: Snapshot>(cx: &mut Tx<'_>, given: &str) -> Result<S> {
    let snapshot: S = require(cx, given, S::IDENTIFIER)?;
    if !snapshot.is_manual() {
        return Err(S::not_deletable().with_field(S::IDENTIFIER));
    }
    if snapshot.parts().status != Some("copying") {
        snapshot.check_available(S::IDENTIFIER)?;
    }
    S::QUOTA.remove_one(cx)?;
    snapshot.record(cx, Step::Deleted)?;
    remove(cx, &snapshot)?;
    Ok(snapshot)
}

/// Removes a snapshot, and all that belongs to it.
pub(crate) fn remove<S: Snapshot>(cx: &mut Tx<'_>, snapshot: &S) -> Result<()> {
    sharing::remove_all(cx, snapshot.own_arn())?;
    snapshot.remove_saved(cx)?;
    cx.remove(snapshot)
}
