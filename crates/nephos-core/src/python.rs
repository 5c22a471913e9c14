//! Methods of the specification that follow Python's conventions, for ported or generated code.
//!
//! They are separate traits, so that they do not clutter the others: `use nephos::python::*` brings them into
//! scope.

use crate::{
    Map, QueryFuture, Record, Resource, Result, Results, Value,
    construct::{self, Strings},
};

/// Construction and validation of records as in pydantic.
pub trait PythonModel: Record {
    /// Builds a record from trusted data: defaults are applied, nothing is checked, values that do not fit are
    /// left out.
    ///
    /// Unknown names are dropped unless the record keeps them. `fields_set` overrides which fields count as set;
    /// by default these are the given ones.
    fn model_construct(fields_set: Option<&[&str]>, values: Map<Value>) -> Self {
        let mut record = Self::blank();
        construct::construct(&mut record, fields_set, &values);
        record
    }

    /// Builds a record from a mapping whose leaves are all texts, as from a form: numbers, bools in all their
    /// spellings, datetimes, enum values and nested records. Lists cannot be given this way.
    ///
    /// # Errors
    ///
    /// A value error with the field, for text that does not fit the field's type or rules.
    fn model_validate_strings(strings: &Map<Value>, options: &Strings<'_>) -> Result<Self> {
        let mut record = Self::blank();
        construct::validate_strings(&mut record, strings, options)?;
        Ok(record)
    }

    /// Builds a record from a mapping of values and checks it: [`Record::from_values`].
    ///
    /// # Errors
    ///
    /// A value error with the field, for a value that does not fit the field's type or rules.
    fn model_validate(values: &Map<Value>) -> Result<Self> {
        Self::from_values(values)
    }

    /// Applies a regular expression to a text attribute: returns the first group, or a mapping of the named
    /// groups.
    ///
    /// Without an expression, or on a null value, the value is returned as it is.
    ///
    /// # Errors
    ///
    /// An unknown attribute, a value that is no text, and an expression without groups are value errors; one that does
    /// not match is a runtime error.
    fn transform(&self, attribute: &str, transformer: Option<&str>) -> Result<Value> {
        construct::transform(self, attribute, transformer)
    }
}

impl<R: Record> PythonModel for R {}

/// Indexing and slicing of result sets as of Python's lists.
pub trait PythonResults<M> {
    /// Returns the model at `index`, counted from the end if it is negative.
    ///
    /// # Errors
    ///
    /// A value error if there is no model at `index`, or the listing's own error.
    fn at(&self, index: i64) -> QueryFuture<'_, M>;

    /// Returns the models from `start` to before `end`, every `step`-th: negative bounds count from the end, a
    /// negative step goes backwards, and positions out of range are left out. A step of 0 is an error.
    fn slice(&self, start: impl Into<Option<i64>>, end: impl Into<Option<i64>>, step: i64) -> Self;
}

impl<M: Resource> PythonResults<M> for Results<M> {
    fn at(&self, index: i64) -> QueryFuture<'_, M> {
        QueryFuture::new(Results::model_at(self, index))
    }

    fn slice(&self, start: impl Into<Option<i64>>, end: impl Into<Option<i64>>, step: i64) -> Self {
        self.sliced(start.into(), end.into(), step)
    }
}
