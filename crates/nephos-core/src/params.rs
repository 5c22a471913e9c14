//! Parameters of an operation that are read from outside: from the wire, the command line, or by name.

use crate::{
    Error, FieldSet, Operation, Result,
    field_value::FieldValue,
    operation::with_service_code,
    record::{self, Fields},
    shape::{OperationShape, Presence, RecordShape, ServiceShape},
    violations,
};

/// Parameters being read from outside. Records which were given, because a required parameter has no null.
#[derive(Debug)]
pub struct Params<O> {
    params: O,
    given: FieldSet,
}

impl<O: Operation> Params<O> {
    /// Starts with no parameter given.
    pub fn blank() -> Self {
        Self { params: O::blank(), given: FieldSet::NONE }
    }

    /// Rejects parameters that only the operation on the wire has, and not the call of a manager.
    pub(crate) fn refuse_wire_only(&self, call: &OperationShape) -> Result<()> {
        let given = O::SHAPE.fields.iter().enumerate().filter(|(index, _)| self.given.contains(*index));
        match given.into_iter().find(|(_, param)| param.wire_only) {
            Some((_, param)) => {
                Err(Error::invalid(param.name, format!("{} has no such parameter", call.name)))
            }
            None => Ok(()),
        }
    }

    /// Adds to `error` the message on the wire for the rules that the parameters break.
    pub(crate) fn with_violations(&self, error: Error) -> Error {
        match violations::describe(&self.params, self.given, O::service()) {
            Some(message) => error.with_wire_message(message),
            None => error,
        }
    }

    /// Returns the parameters if all required ones were given and all rules are kept.
    pub fn finish(self) -> Result<O> {
        check_params(&self.params, self.given, O::service()).map_err(|error| self.with_violations(error))?;
        Ok(self.params)
    }
}

fn check_params(params: &dyn Fields, given: FieldSet, service: &'static ServiceShape) -> Result<()> {
    for (index, param) in params.shape().fields.iter().enumerate() {
        if param.presence == Presence::Required && !given.contains(index) {
            return Err(Error::invalid(param.name, "is required").with_code(service.missing()));
        }
    }
    record::check(params).map_err(|error| with_service_code(service, error))
}

impl<O: Operation> Fields for Params<O> {
    fn shape(&self) -> &'static RecordShape {
        O::SHAPE
    }

    fn field(&self, index: usize) -> &dyn FieldValue {
        self.params.field(index)
    }

    fn field_mut(&mut self, index: usize) -> &mut dyn FieldValue {
        self.params.field_mut(index)
    }

    fn note_given(&mut self, fields: FieldSet) {
        self.given.extend(fields);
    }
}
