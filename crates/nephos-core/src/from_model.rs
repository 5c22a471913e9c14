//! Operations made from models.

use crate::{
    Operation, Resource, Result,
    operation::with_service_code,
    projection::{copy, counterpart},
    resource,
};

/// An operation whose parameters are fields of a model.
pub trait FromModel: Operation {
    /// The operation with every parameter that the model has a value for.
    ///
    /// # Errors
    ///
    /// A required parameter that the model has no value for is refused.
    fn from_model<M: Resource>(model: &M) -> Result<Self> {
        let mut params = Self::blank();
        copy(&mut params, model, |_| true).map_err(|error| with_service_code(Self::service(), error))?;
        Ok(params)
    }

    /// The operation with the required parameters, and with the others that a caller changed in the model; none if none of
    /// its parameters was changed.
    ///
    /// # Errors
    ///
    /// A change that cannot be made, and a required parameter that the model has no value for, are refused.
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
