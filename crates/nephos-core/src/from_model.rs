//! Construction of operations from models.

use crate::{
    Operation, Resource, Result,
    operation::with_service_code,
    projection::{copy, counterpart},
    resource,
};

/// An operation whose parameters are fields of a model.
pub trait FromModel: Operation {
    /// Builds the operation with all parameters that the model has values for.
    ///
    /// # Errors
    ///
    /// `Invalid` if the model has no value for a required parameter.
    fn from_model<M: Resource>(model: &M) -> Result<Self> {
        let mut params = Self::blank();
        copy(&mut params, model, |_| true).map_err(|error| with_service_code(Self::service(), error))?;
        Ok(params)
    }

    /// Builds the operation with the required parameters and with those that a caller changed in the model; none
    /// if no parameter was changed.
    ///
    /// # Errors
    ///
    /// `Invalid` for a changed field that cannot be changed, and if the model has no value for a required
    /// parameter.
    fn changes_of<M: Resource>(model: &M) -> Result<Option<Self>> {
        model.check_changes()?;
        let changed = resource::changed(model);
        let is_changed = |at: usize| changed.contains(at);
        if !Self::SHAPE.fields.iter().filter_map(|param| counterpart(M::SHAPE, param)).any(is_changed) {
            return Ok(None);
        }
        let mut params = Self::blank();
        copy(&mut params, model, is_changed).map_err(|error| with_service_code(Self::service(), error))?;
        Ok(Some(params))
    }
}

impl<O: Operation> FromModel for O {}
