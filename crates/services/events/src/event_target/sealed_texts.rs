//! Sensitive texts of targets, which are stored sealed: SQL statements and GraphQL operations.

use crate::EventTarget;
use nephos_cloud::{Stored, Tx};
use nephos_core::{Blob, Result, Secret, Value, json, json::Writing, record_of};

/// Row of the sensitive texts of a target.
#[record_of(of = EventTarget, takes(event_bus_name, rule, id), row)]
pub(crate) struct SealedTextsRow {
    /// List of the GraphQL operation, the SQL statement and the list of SQL statements, as JSON, sealed.
    sealed: Option<Blob>,
}

nephos_cloud::stored!(SealedTextsRow in "events/target-texts" by event_bus_name, rule, id);

impl SealedTextsRow {
    /// Place that the texts are sealed for.
    fn place(&self) -> [&str; 4] {
        let [bus, rule, id] =
            [&self.event_bus_name, &self.rule, &self.id].map(|part| part.as_deref().unwrap_or_default());
        [Self::TABLE, bus, rule, id]
    }
}

/// Moves the sensitive texts of a target into a sealed row.
pub(crate) fn seal(cx: &mut Tx<'_>, target: &mut EventTarget) -> Result<()> {
    let text = |secret: Option<Secret>| secret.map_or(Value::Null, Value::Secret);
    let operation = target.graph_ql_parameters.as_mut().and_then(|graphql| graphql.graph_ql_operation.take());
    let redshift = target.redshift_data_parameters.as_mut();
    let (sql, sqls) = redshift.map_or((None, None), |redshift| (redshift.sql.take(), redshift.sqls.take()));
    let mut row = SealedTextsRow::from(target.clone());
    if operation.is_none() && sql.is_none() && sqls.is_none() {
        return cx.remove(&row);
    }
    let sqls = sqls.map_or(Value::Null, |sqls| Value::List(sqls.into_iter().map(Value::Secret).collect()));
    let texts = Value::List(vec![text(operation), text(sql), sqls]);
    let texts = zeroize::Zeroizing::new(json::write_bytes(texts.view(), Writing::EXPOSED));
    row.sealed = Some(cx.seal(&row.place(), &texts)?);
    cx.put(row)
}

/// Sets the sensitive texts of a target again.
pub(crate) fn open(cx: &Tx<'_>, target: &mut EventTarget) -> Result<()> {
    let key = SealedTextsRow::from(target.clone()).key(cx.scope());
    let Some(row) = cx.get::<SealedTextsRow>(&key)? else { return Ok(()) };
    let Some(sealed) = &row.sealed else { return Ok(()) };
    let texts = json::parse(&cx.open(&row.place(), sealed)?)?;
    let secret = |value: &Value| value.as_text().map(Secret::from);
    if let Some(graphql) = &mut target.graph_ql_parameters {
        graphql.graph_ql_operation = texts.item(0).and_then(secret);
    }
    if let Some(redshift) = &mut target.redshift_data_parameters {
        redshift.sql = texts.item(1).and_then(secret);
        let sqls = texts.item(2).and_then(Value::as_list);
        redshift.sqls = sqls.map(|sqls| sqls.iter().filter_map(secret).collect());
    }
    Ok(())
}

/// Removes the sensitive texts of a target.
pub(crate) fn remove(cx: &mut Tx<'_>, target: &EventTarget) -> Result<()> {
    cx.remove(&SealedTextsRow::from(target.clone()))
}
