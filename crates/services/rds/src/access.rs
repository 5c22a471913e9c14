//! Resources of requests in decisions: sources of restores that are not given by their names.

use crate::{
    DBCluster, DBClusterAutomatedBackup, DBInstance, DBInstanceAutomatedBackup,
    backup::{AutomatedBackup, backups_arn},
};
use nephos_cloud::{Stored, StoredResource, Tx};
use nephos_core::{Arn, Request, Result, Text, record::Fields};

/// Finds the database that a restore names by its resource ID, or by the ARN of its automated backups. Of a deleted one, there are only
/// the backups.
pub(crate) fn find_subjects(
    cx: &mut Tx<'_>,
    request: &Request,
    _action: &str,
    arn: &Arn,
) -> Result<Option<Vec<Text>>> {
    let Some((resource_type, name)) = arn.resource().split_once(':') else { return Ok(None) };
    let is_given = |parameter: &str| text(&*request.params, parameter).is_some_and(|given| given == name);
    match resource_type {
        "db" if is_given("SourceDbiResourceId") => {
            let live = find(cx, |one: &DBInstance| has_id(&one.dbi_resource_id, name))?;
            live_or_backups::<DBInstanceAutomatedBackup>(cx, live, name)
        }
        "cluster" if is_given("SourceDbClusterResourceId") => {
            let live = find(cx, |one: &DBCluster| has_id(&one.db_cluster_resource_id, name))?;
            live_or_backups::<DBClusterAutomatedBackup>(cx, live, name)
        }
        "auto-backup" => {
            let is_of = |id: &Text| backups_arn(cx, "auto-backup", id) == arn.as_str();
            let live = find(cx, |one: &DBInstance| one.dbi_resource_id.as_ref().is_some_and(is_of))?;
            Ok(Some([Some(arn.as_str().into()), live].into_iter().flatten().collect()))
        }
        _ => Ok(None),
    }
}

/// Returns the ARN of a database, or else that of the backups of a deleted one with this resource ID.
fn live_or_backups<B: AutomatedBackup>(
    cx: &Tx<'_>,
    live: Option<Text>,
    resource_id: &str,
) -> Result<Option<Vec<Text>>> {
    let found = match live {
        Some(live) => Some(live),
        None => B::find_retained(cx, resource_id)?.map(|backups| backups.backups_arn().into()),
    };
    Ok(found.map(|arn| vec![arn]))
}

/// Returns the ARN of the first resource of a kind that is meant.
fn find<K: Stored + StoredResource>(cx: &Tx<'_>, is_meant: impl Fn(&K) -> bool) -> Result<Option<Text>> {
    let all: Vec<K> = cx.all(&K::table(cx.scope()))?;
    Ok(all.iter().find(|one| is_meant(one)).map(|one| one.own_arn().into()))
}

fn has_id(id: &Option<Text>, given: &str) -> bool {
    id.as_ref().is_some_and(|id| id.eq_ignore_ascii_case(given))
}

fn text<'p>(params: &'p dyn Fields, name: &str) -> Option<&'p str> {
    let (index, _) = params.shape().field(name)?;
    params.field(index).view().as_text()
}
