//! Sharing: which accounts may copy a manual snapshot and restore databases from it.

use super::family::Snapshot;
use crate::errors;
use nephos_cloud::{AccessRequest, Principal, Scope, Stored, StoredResource, Tx};
use nephos_core::{Arn, Record, Result, Text, Value};

/// Name of the attribute with the accounts.
pub(crate) const RESTORE: &str = "restore";

/// Value for all accounts.
pub(crate) const ALL: &str = "all";

/// What an account may do with a snapshot that is shared with it.
const ACTIONS: &str = r#""rds:DescribeDBSnapshots", "rds:CopyDBSnapshot", "rds:RestoreDBInstanceFromDBSnapshot",
    "rds:DescribeDBClusterSnapshots", "rds:CopyDBClusterSnapshot", "rds:RestoreDBClusterFromSnapshot""#;

/// Maximum number of accounts that a snapshot is shared with.
const MAX_ACCOUNTS: usize = 20;

/// Row that says that a snapshot is shared with an account, in the scope of the snapshot.
#[derive(Record)]
#[record(row)]
pub(crate) struct SnapshotShareRow {
    /// ARN of the snapshot.
    snapshot_arn: Option<Text>,
    /// Account; `all` for all accounts.
    account: Option<Text>,
}

nephos_cloud::stored!(SnapshotShareRow in "rds/snapshot-share" by snapshot_arn, account);

/// Row that finds the snapshots that are shared with an account, in the scope of the Region without an account.
#[derive(Record)]
#[record(row)]
pub(crate) struct SharedSnapshotRow {
    /// Account; `all` for all accounts.
    account: Option<Text>,
    /// ARN of the snapshot.
    snapshot_arn: Option<Text>,
}

nephos_cloud::stored!(SharedSnapshotRow in "rds/shared-snapshot" by account, snapshot_arn);

/// Scope of the rows that are found from all accounts of the Region.
fn all_accounts(cx: &Tx<'_>) -> Scope {
    cx.scope().with_account("")
}

/// Returns the accounts that a snapshot of this scope is shared with, in order.
pub(crate) fn accounts(cx: &Tx<'_>, arn: &str) -> Result<Vec<Text>> {
    let rows: Vec<SnapshotShareRow> = cx.all(&SnapshotShareRow::table(cx.scope()).text(arn))?;
    Ok(rows.into_iter().filter_map(|row| row.account).collect())
}

/// True if a snapshot of this scope is shared with an account.
pub(crate) fn is_shared_with(cx: &Tx<'_>, arn: &str, account: &str) -> Result<bool> {
    Ok(accounts(cx, arn)?.iter().any(|one| one == account || one == ALL))
}

/// Finds what a snapshot of this scope allows the account of a request, as a policy.
pub(crate) fn find_grants(cx: &mut Tx<'_>, arn: &Arn, asked: &AccessRequest) -> Result<Vec<(Text, Text)>> {
    let account = &asked.principal.account;
    if !is_shared_with(cx, arn.as_str(), account)? {
        return Ok(Vec::new());
    }
    let root = Principal::root(account).arn;
    let policy = format!(
        r#"{{"Version": "2012-10-17", "Statement": {{"Effect": "Allow", "Principal": {{"AWS": "{root}"}},
        "Action": [{ACTIONS}], "Resource": "{arn}"}}}}"#
    );
    Ok(vec![(RESTORE.into(), policy.into())])
}

/// Returns the snapshots of other accounts that are shared with an account, or with `all`, in order of their ARNs.
pub(crate) fn shared_with<S: Snapshot>(cx: &mut Tx<'_>, account: &str) -> Result<Vec<S>> {
    let own = cx.scope().clone();
    let rows: Vec<SharedSnapshotRow> =
        cx.in_scope(&all_accounts(cx), |cx| cx.all(&SharedSnapshotRow::table(cx.scope()).text(account)))?;
    let mut found = Vec::new();
    for arn in rows.into_iter().filter_map(|row| row.snapshot_arn) {
        let (Some(names), Some([_, _, region, owner, _])) = (S::read_arn(&arn), Arn::parts(&arn)) else {
            continue;
        };
        if owner != own.account() {
            found.extend(cx.in_scope(&Scope::new(owner, region), |cx| S::find_by(cx, &names))?);
        }
    }
    Ok(found)
}

/// Adds or removes the rows of an account.
fn set(cx: &mut Tx<'_>, arn: &str, account: &Text, is_shared: bool) -> Result<()> {
    let share = SnapshotShareRow { snapshot_arn: Some(arn.into()), account: Some(account.clone()) };
    let shared = SharedSnapshotRow { account: Some(account.clone()), snapshot_arn: Some(arn.into()) };
    let scope = all_accounts(cx);
    if is_shared {
        cx.put(share)?;
        cx.in_scope(&scope, |cx| cx.put(shared))
    } else {
        cx.remove(&share)?;
        cx.in_scope(&scope, |cx| cx.remove(&shared))
    }
}

/// Shares a snapshot with nobody.
pub(crate) fn remove_all(cx: &mut Tx<'_>, arn: &str) -> Result<()> {
    accounts(cx, arn)?.iter().try_for_each(|account| set(cx, arn, account, false))
}

/// A change of the accounts that a snapshot is shared with.
pub(crate) struct SharingChange<'c> {
    /// Name of the attribute.
    pub(crate) attribute: &'c str,
    pub(crate) add: &'c [Text],
    pub(crate) remove: &'c [Text],
}

impl SharingChange<'_> {
    /// Applies the change to a snapshot. Returns the accounts that it is shared with then.
    pub(crate) fn apply<S: Snapshot>(&self, cx: &mut Tx<'_>, snapshot: &S) -> Result<Vec<Text>> {
        if self.attribute != RESTORE {
            return Err(errors::attribute_unknown(self.attribute).with_field("AttributeName"));
        }
        if !snapshot.is_manual() {
            return Err(S::not_shareable().with_field(S::IDENTIFIER));
        }
        snapshot.check_available(S::IDENTIFIER)?;
        let is_account = |one: &str| one == ALL || Scope::check_account(one).is_ok();
        for (values, field) in [(self.add, "ValuesToAdd"), (self.remove, "ValuesToRemove")] {
            if let Some(wrong) = values.iter().find(|one| !is_account(one)) {
                return Err(errors::account_invalid(wrong).with_field(field));
            }
        }
        if !self.add.is_empty() {
            check_encryption(cx, snapshot, self.add)?;
        }
        let arn = snapshot.own_arn();
        let before = accounts(cx, arn)?;
        for account in before.iter().filter(|account| self.remove.contains(account)) {
            set(cx, arn, account, false)?;
        }
        for account in self.add {
            set(cx, arn, account, true)?;
        }
        let after = accounts(cx, arn)?;
        if cx.has_quotas() && after.len() > MAX_ACCOUNTS {
            return Err(errors::too_many_shares().with_field("ValuesToAdd"));
        }
        Ok(after)
    }
}

/// Refuses to share an encrypted snapshot with all accounts, or one under a key that only its account can use.
fn check_encryption(cx: &mut Tx<'_>, snapshot: &impl Snapshot, accounts: &[Text]) -> Result<()> {
    let parts = snapshot.parts();
    if !parts.encrypted {
        return Ok(());
    }
    if accounts.iter().any(|account| account == ALL) {
        return Err(errors::encrypted_snapshot_public().with_field("ValuesToAdd"));
    }
    if is_default_key(cx, parts.crypto_key)? {
        return Err(errors::default_key_shared().with_field("ValuesToAdd"));
    }
    Ok(())
}

/// True for the crypto key that the service uses by default. A cloud without crypto keys has none, and no other.
fn is_default_key(cx: &mut Tx<'_>, key: Option<&str>) -> Result<bool> {
    let Some(key) = key else { return Ok(true) };
    let found = cx.call_service_for_value("kms", "DescribeKey", &[("KeyId", Value::from(key))]);
    let manager = match &found {
        Ok(Some(found)) => found["KeyMetadata"]["KeyManager"].as_text(),
        _ => None,
    };
    Ok(manager == Some("PROVIDER"))
}
