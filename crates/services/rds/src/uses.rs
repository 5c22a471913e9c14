//! Uses: which database uses which group. A group that is used cannot be deleted.

use nephos_cloud::{Stored, Tx};
use nephos_core::{Record, Result, Text};

/// Row that says that a database uses a group.
#[derive(Record)]
#[record(row)]
pub(crate) struct UseRow {
    /// ARN of the group.
    used_arn: Option<Text>,
    /// ARN of the database.
    user_arn: Option<Text>,
}

nephos_cloud::stored!(UseRow in "rds/use" by used_arn, user_arn);

/// Records what a database uses now: groups by ARN, instead of those that it used before.
pub(crate) fn update(cx: &mut Tx<'_>, user: &str, before: &[Text], after: &[Text]) -> Result<()> {
    let row = |used: &Text| UseRow { used_arn: Some(used.clone()), user_arn: Some(user.into()) };
    for used in before.iter().filter(|used| !after.contains(used)) {
        cx.remove(&row(used))?;
    }
    after.iter().filter(|used| !before.contains(used)).try_for_each(|used| cx.put(row(used)))
}

/// Returns the ARNs of the databases that use a group, in order.
pub(crate) fn users(cx: &Tx<'_>, used: &str) -> Result<Vec<Text>> {
    let rows: Vec<UseRow> = cx.all(&UseRow::table(cx.scope()).text(used))?;
    Ok(rows.into_iter().filter_map(|row| row.user_arn).collect())
}
