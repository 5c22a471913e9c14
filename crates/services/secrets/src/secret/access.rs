//! Days on which values were last read.
//!
//! A read must not wait for a disk write, so the day is stored afterwards, and only for the first read of a day.

use crate::{Secret, SecretRow, secret::secret_row::find_with_suffix};
use nephos_cloud::{Key, Scope, Stored, Tx, Work};
use nephos_core::{Map, Result, SignedDuration, Text, Timestamp, field_value::FieldType, record_of};

/// Row with the days on which the values of a secret were last read.
#[record_of(of = Secret, takes(name), row, name = "SecretAccess")]
pub(crate) struct AccessRow {
    /// Day on which any version was last read.
    last: Option<Timestamp>,
    /// Day on which each version was last read.
    versions: Option<Map<Timestamp>>,
}

nephos_cloud::stored!(AccessRow in "secretsmanager/access" by name);

/// Returns the start of the UTC day of `time`.
pub(crate) fn start_of_day(time: Timestamp) -> Timestamp {
    let into = SignedDuration::from_secs(time.as_second().rem_euclid(24 * 60 * 60));
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    whole.checked_sub(into).unwrap_or(whole)
}

pub(crate) fn key(scope: &Scope, name: &str) -> Key {
    AccessRow::table(scope).text(name)
}

fn find(cx: &Tx<'_>, name: &str) -> Result<Option<AccessRow>> {
    cx.get(&key(cx.scope(), name))
}

/// Returns the day on which a secret was last read.
pub(crate) fn last_access(cx: &Tx<'_>, name: &str) -> Result<Option<Timestamp>> {
    last_access_in(cx, cx.scope(), name)
}

/// Returns the day on which a secret of another Region was last read.
pub(crate) fn last_access_in(cx: &Tx<'_>, scope: &Scope, name: &str) -> Result<Option<Timestamp>> {
    let accesses = cx.get_in::<AccessRow>(scope, &key(scope, name))?;
    Ok(accesses.and_then(|accesses| accesses.last))
}

/// Returns the days on which the versions of a secret were last read.
pub(crate) fn version_accesses(cx: &Tx<'_>, name: &str) -> Result<Map<Timestamp>> {
    Ok(find(cx, name)?.and_then(|accesses| accesses.versions).unwrap_or_default())
}

/// Schedules an update of the day on which a version was last read, unless it was already read today.
pub(crate) fn record_access(cx: &mut Tx<'_>, secret: &SecretRow, version: &Text) -> Result<()> {
    let today = start_of_day(cx.now());
    let known = find(cx, secret.own_name())?.and_then(|accesses| accesses.versions?.get(version).copied());
    if known == Some(today) {
        return Ok(());
    }
    cx.schedule_after_answer(&AccessUpdate {
        name: secret.name.clone(),
        suffix: secret.suffix.clone(),
        version_id: Some(version.clone()),
    })
}

/// Due work that stores the day on which a version was read.
#[record_of(of = Secret, takes(name), row)]
pub(crate) struct AccessUpdate {
    /// Random characters after the name in the ARN.
    suffix: Option<Text>,
    /// ID of the version.
    version_id: Option<Text>,
}

impl Work for AccessUpdate {
    const NAME: &'static str = "secretsmanager/accessed";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        // The secret may have been deleted since, and another one created with its name.
        if find_with_suffix(cx, &self.name, &self.suffix)?.is_none() {
            return Ok(());
        }
        let name = self.name.unwrap_or_default();
        let mut accesses = find(cx, &name)?.unwrap_or_else(AccessRow::blank);
        let today = start_of_day(cx.now());
        accesses.name = Some(name);
        accesses.last = Some(today);
        accesses.versions.get_or_insert_default().insert(self.version_id.unwrap_or_default(), today);
        cx.put(accesses)
    }
}
