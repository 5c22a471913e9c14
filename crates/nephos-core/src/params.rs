//! Parameters of an operation that are read from outside: from the wire, the command line, or by name.

use crate::{
    Error, FieldSet, Result,
    field_value::FieldValue,
    operation::with_service_code,
    record::{self, Beside, Fields},
    shape::{OperationShape, Presence, RecordShape, ServiceShape},
    violations,
};

/// Parameters being read from outside. Records which were given, because a required parameter has no null.
pub struct Params {
    params: Box<dyn Fields>,
    given: FieldSet,
}

impl Params {
    /// Starts with blank parameters, none of which was given.
    pub fn new(blank: Box<dyn Fields>) -> Self {
        Self { params: blank, given: FieldSet::NONE }
    }

    /// Rejects parameters that only the operation on the wire has, and not the call of a manager.
    pub(crate) fn refuse_wire_only(&self, call: &OperationShape) -> Result<()> {
        let given = self.shape().fields.iter().enumerate().filter(|(index, _)| self.given.contains(*index));
        match given.into_iter().find(|(_, param)| param.details.wire_only) {
            Some((_, param)) => {
                Err(Error::invalid(param.name, format!("{} has no such parameter", call.name)))
            }
            None => Ok(()),
        }
    }

    /// Adds to `error` the message on the wire for the rules that the parameters break.
    pub(crate) fn with_violations(&self, error: Error, service: &'static ServiceShape) -> Error {
        match violations::describe(&*self.params, self.given, service) {
            Some(message) => error.with_wire_message(message),
            None => error,
        }
    }

    /// Returns the parameters if all required ones were given and all rules are kept.
    pub fn finish(self, service: &'static ServiceShape) -> Result<Box<dyn Fields>> {
        let (params, broken) = self.finish_unchecked(service);
        broken.map_or(Ok(params), Err)
    }

    /// Returns the parameters, and the error if a required one was not given or a rule is broken.
    pub(crate) fn finish_unchecked(self, service: &'static ServiceShape) -> (Box<dyn Fields>, Option<Error>) {
        let checked = check_params(&*self.params, self.given, service);
        let broken = checked.map_err(|error| self.with_violations(error, service)).err();
        (self.params, broken)
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

impl std::fmt::Debug for Params {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        record::debug(&*self.params, f)
    }
}

impl Fields for Params {
    fn shape(&self) -> &'static RecordShape {
        self.params.shape()
    }

    fn field(&self, index: usize) -> &dyn FieldValue {
        self.params.field(index)
    }

    fn field_mut(&mut self, index: usize) -> &mut dyn FieldValue {
        self.params.field_mut(index)
    }

    fn boxed_clone(&self) -> Box<dyn Fields> {
        self.params.boxed_clone()
    }

    fn beside(&self) -> Option<&dyn Beside> {
        Some(self)
    }

    fn beside_mut(&mut self) -> Option<&mut dyn Beside> {
        Some(self)
    }
}

impl Beside for Params {
    fn note_given(&mut self, fields: FieldSet) {
        self.given.extend(fields);
    }
}
