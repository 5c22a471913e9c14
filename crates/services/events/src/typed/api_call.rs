//! Parameters of recorded API calls, by the shape of the operation.

use super::ApiCall;
use nephos_core::{
    Error, Map, Registry, Request, Result, Text, Value, dynamic,
    fill::{self, Reader},
    record::Fields,
    shape::{OperationShape, RecordShape, ServiceShape, Type},
};
use std::fmt;

/// Names of services in records of API calls that are neither their names nor their endpoints.
const ALIASES: &[(&str, &str)] = &[("execute-api", "apigateway"), ("es", "opensearch")];

/// Parameters of a recorded call.
pub enum ParsedRequest {
    /// Parameters of a known operation.
    Typed(Request),
    /// Parameters of another operation, or ones that the operation does not accept.
    Raw(Map<Value>),
}

impl fmt::Debug for ParsedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Typed(request) => nephos_core::record::debug(&*request.params, f),
            Self::Raw(members) => members.fmt(f),
        }
    }
}

impl ParsedRequest {
    /// Returns a parameter by its name; null if it was not given.
    pub fn get(&self, name: &str) -> Result<Value> {
        match self {
            Self::Typed(request) => nephos_core::record::get(&*request.params, name),
            Self::Raw(members) => Ok(members.get(name).cloned().unwrap_or_default()),
        }
    }

    /// The parameters as a record, if the operation is known.
    pub fn params(&self) -> Option<&dyn Fields> {
        match self {
            Self::Typed(request) => Some(&*request.params),
            Self::Raw(_) => None,
        }
    }
}

impl ApiCall {
    /// Finds the operation of the call.
    fn find_operation(
        &self,
        registry: &Registry,
    ) -> Option<(&'static ServiceShape, &'static OperationShape)> {
        let source = self.event_source()?.split('.').next()?;
        let alias = ALIASES.iter().find(|(name, _)| *name == source).map(|(_, service)| *service);
        let is_source = |service: &&&ServiceShape| {
            service.endpoint == source || service.name == source || Some(service.name) == alias
        };
        let find = |service: &&'static ServiceShape| {
            let found =
                service.operations.iter().find(|operation| Some(operation.name) == self.event_name())?;
            Some((*service, *found))
        };
        let found: Vec<_> = registry.services.iter().filter(is_source).filter_map(find).collect();
        // Two APIs can have one endpoint.
        let is_version = |(service, _): &&(&ServiceShape, _)| Some(service.api_version) == self.api_version();
        found.iter().find(is_version).or(found.first()).copied()
    }

    /// Returns the parameters of the call by the shape of its operation. The first letters of members may be small, and unknown
    /// members are ignored.
    ///
    /// # Errors
    ///
    /// If `strict` is true: refused if the operation is not known, has a member that the operation lacks, or lacks one that is
    /// required. Else such parameters are a map.
    pub fn parsed_request(&self, registry: &Registry, strict: bool) -> Result<ParsedRequest> {
        let members = match self.request_parameters() {
            Some(Value::Map(members)) => members.clone(),
            _ => Map::default(),
        };
        let parsed = self.parse_request(registry, &members, strict);
        match parsed {
            Ok(request) => Ok(ParsedRequest::Typed(request)),
            Err(error) if strict => Err(error),
            Err(_) => Ok(ParsedRequest::Raw(members)),
        }
    }

    fn parse_request(&self, registry: &Registry, members: &Map<Value>, strict: bool) -> Result<Request> {
        let Some((_, operation)) = self.find_operation(registry) else {
            let name = self.event_name().unwrap_or_default();
            return Err(Error::invalid("eventName", format!("the operation {name} is not known")));
        };
        dynamic::request(operation, &mut |params| {
            let shape = params.shape();
            members.iter().enumerate().try_for_each(|(n, (name, value))| match find_field(shape, name) {
                Some(index) => {
                    let field = &shape.fields[index];
                    let value = with_wire_names(value, &field.ty);
                    fill::fill_field(params, field.wire, value.view(), &Reader::REQUEST, n)
                }
                None if strict => Err(nephos_core::record::unknown_field(shape, name)),
                None => Ok(()),
            })
        })
    }
}

/// Finds a field by its name on the wire, whose first letter may be small here.
fn find_field(shape: &RecordShape, name: &str) -> Option<usize> {
    let is_named = |wire: &str| {
        let (mut own, mut given) = (wire.chars(), name.chars());
        let is_first = match (own.next(), given.next()) {
            (Some(own), Some(given)) => own == given || own.to_ascii_lowercase() == given,
            _ => false,
        };
        is_first && own.as_str() == given.as_str()
    };
    shape.fields.iter().position(|field| is_named(field.wire))
}

/// Gives the members of records in a value their names on the wire.
fn with_wire_names(value: &Value, ty: &Type) -> Value {
    match (value, ty) {
        (Value::Map(members), Type::Record(shape)) => {
            let renamed = members.iter().map(|(name, value)| match find_field(shape, name) {
                Some(index) => {
                    let field = &shape.fields[index];
                    (Text::from(field.wire), with_wire_names(value, &field.ty))
                }
                None => (name.clone(), value.clone()),
            });
            Value::Map(renamed.collect())
        }
        (Value::Map(members), Type::Map(of)) => {
            Value::Map(members.iter().map(|(key, value)| (key.clone(), with_wire_names(value, of))).collect())
        }
        (Value::List(items), Type::List(of)) => {
            Value::List(items.iter().map(|item| with_wire_names(item, of)).collect())
        }
        (value, _) => value.clone(),
    }
}
