//! `--query`: JMESPath expressions on the JSON of an answer.

use nephos::{Error, Result, Value};
use nephos_core::json::{self, Writing};

/// A compiled query.
#[derive(Debug)]
pub(crate) struct Query(jmespath::Expression<'static>);

impl Query {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        jmespath::compile(text).map(Self).map_err(|error| invalid_query(&error))
    }

    /// Applies the query to `value`.
    pub(crate) fn apply(&self, value: &Value) -> Result<Value> {
        let text = json::write(value.view(), Writing::SHOWN);
        let data =
            jmespath::Variable::from_json(&text).map_err(|message| Error::invalid("query", message))?;
        let selected = self.0.search(data).map_err(|error| invalid_query(&error))?;
        json::parse(selected.to_string().as_bytes())
    }
}

/// Returns the first line of the message; the others draw the position of the error.
fn invalid_query(error: &jmespath::JmespathError) -> Error {
    let text = error.to_string();
    Error::invalid("query", text.lines().next().unwrap_or_default().to_owned())
}
