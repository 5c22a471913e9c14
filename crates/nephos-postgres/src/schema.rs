//! The tables of the store, and their versions.

use crate::{
    address::Address,
    connection::Connection,
    failure::{Failure, Outcome},
};
use nephos_store::{Error, ErrorKind};

/// The steps from no tables to those of the newest version; the version is the number of steps that were done.
pub(crate) const STEPS: &[&str] = &[
    // The rows, by the bytes of their keys.
    "CREATE TABLE rows (k bytea NOT NULL, h bytea NOT NULL, o bytea NOT NULL, v bytea NOT NULL, PRIMARY KEY (k, h));
     ALTER TABLE rows ALTER v SET STORAGE EXTERNAL;
     ALTER TABLE rows SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);",
    // The last transaction of each writer, by which an unknown end of one is found out; and the lock that ends conflicts.
    "CREATE TABLE writers (slot bytea PRIMARY KEY, number int8 NOT NULL, fence int8 NOT NULL, checked int8 NOT NULL DEFAULT 1,
         at timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 50);
     CREATE TABLE turn (unused int8);",
];

/// Creates the tables, or brings those of an earlier version up to date. A role that may not do that can open tables that are.
pub(crate) fn migrate(address: &Address) -> Outcome<()> {
    let mut connection = Connection::open(address, false)?;
    if version(&mut connection, address)? == Some(STEPS.len()) {
        return Ok(());
    }
    migrate_to(&mut connection, address, STEPS.len())
}

/// Does the steps up to `target`.
pub(crate) fn migrate_to(connection: &mut Connection, address: &Address, target: usize) -> Outcome<()> {
    connection.without_timeouts()?;
    // Several servers may be started together: each statement after the lock sees what the one before has done.
    connection.query("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(5642387)")?;
    let found = version(connection, address)?;
    if found.is_none() {
        let schema = &address.schema;
        // A role that owns the schema may not be allowed to create one.
        let exists = connection.query(&format!("SELECT FROM pg_namespace WHERE nspname = '{schema}'"))?;
        if !has_rows(&exists) {
            connection.query(&format!("CREATE SCHEMA {schema}"))?;
        }
        connection.query(
            "CREATE TABLE nephos_version (version int8 NOT NULL); INSERT INTO nephos_version VALUES (0)",
        )?;
    }
    for step in STEPS.iter().take(target).skip(found.unwrap_or(0)) {
        connection.query(step)?;
    }
    connection.query(&format!("UPDATE nephos_version SET version = {target}; COMMIT"))?;
    Ok(())
}

/// Returns the version of the tables; none if there are none.
fn version(connection: &mut Connection, address: &Address) -> Outcome<Option<usize>> {
    let schema = &address.schema;
    // Not by `to_regclass`: that looks into a cache, which may be older than the lock.
    let found = connection.query(&format!(
        "SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname = '{schema}' AND relname = 'nephos_version'"
    ))?;
    if !has_rows(&found) {
        return Ok(None);
    }
    let found = connection.query("SELECT version FROM nephos_version")?;
    let version = first_text(&found).and_then(|text| text.parse().ok());
    let version: usize = version.ok_or_else(|| {
        Failure::Store(Error::new(
            ErrorKind::Foreign,
            "the table nephos_version of the database is not that of a store",
        ))
    })?;
    if version > STEPS.len() {
        let message = format!(
            "the tables in the database have version {version}, and this program knows versions up to {}",
            STEPS.len()
        );
        return Err(Failure::Store(Error::new(ErrorKind::Newer, message)));
    }
    Ok(Some(version))
}

fn has_rows(answers: &[crate::connection::Answer]) -> bool {
    answers.first().is_some_and(|answer| !answer.rows.is_empty())
}

fn first_text(answers: &[crate::connection::Answer]) -> Option<String> {
    Some(answers.first()?.rows.first()?.text(0))
}
