//! Reasons for which a policy document is malformed.

use std::fmt;

/// Reason for which a policy document is malformed. Its text is a sentence for hints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The document is not a JSON object.
    NotJson,
    /// The version is unknown.
    Version,
    /// The version is not the current one.
    OldVersion,
    /// An older parser of the provider refuses the document.
    Legacy(String),
    /// The ID is not a text.
    Id,
    /// An element of the document is unknown.
    Element(String),
    /// The document has no statements.
    NoStatements,
    /// A statement is not an object.
    NoObject,
    /// Two statements have this ID.
    RepeatedSid(String),
    /// A statement has an invalid ID.
    Sid,
    /// A statement has neither of these elements.
    Missing(&'static str, &'static str),
    /// A statement has both of these elements.
    Both(&'static str, &'static str),
    /// A statement has an element that policies of this kind cannot have: `Principal`, `NotResource`.
    Prohibited(&'static str),
    /// A statement has no effect.
    NoEffect,
    /// The effect of a statement is neither `Allow` nor `Deny`.
    Effect,
    /// An element of a statement is unknown.
    StatementElement(String),
    /// An element is neither a text nor a list of texts.
    NoTexts(String),
    /// The value of a principal has the wrong type.
    Principal,
    /// The kind of a principal is unknown.
    PrincipalKind(String),
    /// A name is not that of a principal of this kind.
    PrincipalName {
        /// Kind of principal: `AWS`.
        kind: String,
        /// The invalid name.
        name: String,
    },
    /// An action has no service or an invalid name.
    Action(String),
    /// An action has two colons.
    Colons(String),
    /// The service of an action has an invalid name.
    Vendor(String),
    /// An action belongs to another service.
    ForeignAction {
        /// The action.
        action: String,
        /// Noun for a resource of the service.
        resource: &'static str,
        /// An action of the service.
        example: &'static str,
    },
    /// A resource is neither `*` nor an ARN.
    Resource(String),
    /// A resource has no service.
    ResourceVendor,
    /// A resource is in a partition that does not exist.
    Partition {
        /// The partition.
        partition: String,
        /// The resource, with `*` for parts that it lacks.
        arn: String,
    },
    /// A resource of a global service has a Region.
    Region {
        /// The resource.
        resource: String,
        /// True if it is a user, role or other resource of identities.
        is_identity: bool,
    },
    /// The path of a resource of identities starts with none of these.
    IdentityPath(String),
    /// A resource belongs to another service.
    ForeignResource {
        /// The resource.
        resource: String,
        /// Noun for a resource of the service.
        expected: &'static str,
    },
    /// The conditions are not an object.
    Condition,
    /// A condition operator is unknown.
    Operator(String),
    /// The value of a condition operator is not an object.
    OperatorValue(String),
    /// The values of a condition key are neither a value nor a list of values.
    ConditionValues(String),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson => f.write_str("it must be a JSON object"),
            Self::Version => f.write_str("Version must be 2012-10-17 or 2008-10-17"),
            Self::OldVersion => f.write_str("Version must be 2012-10-17"),
            Self::Legacy(reason) => f.write_str(reason),
            Self::Id => f.write_str("Id must be a string"),
            Self::Element(name) => write!(f, "unknown element {name}; expected Version, Id or Statement"),
            Self::NoStatements => f.write_str("Statement must be an object, or a non-empty list of objects"),
            Self::NoObject => f.write_str("a statement must be an object"),
            Self::RepeatedSid(sid) => write!(f, "two statements have the Sid {sid}"),
            Self::Sid => f.write_str("a Sid can only contain letters and digits"),
            Self::Missing(one, other) => write!(f, "a statement must have either {one} or {other}"),
            Self::Both(one, other) => write!(f, "a statement cannot have both {one} and {other}"),
            Self::Prohibited(element) => write!(f, "a statement of this policy cannot have {element}"),
            Self::NoEffect => f.write_str("a statement must have an Effect"),
            Self::Effect => f.write_str("an Effect must be Allow or Deny"),
            Self::StatementElement(name) => write!(f, "unknown element {name} of a statement"),
            Self::NoTexts(element) => {
                write!(f, "{element} must be a string, or a non-empty list of strings")
            }
            Self::Principal => f.write_str(
                "a principal must be \"*\", or an object with AWS, Service, Federated or CanonicalUser",
            ),
            Self::PrincipalKind(kind) => write!(f, "unknown kind of principal {kind}"),
            Self::PrincipalName { kind, name } => write!(f, "{name:?} is not a principal of kind {kind}"),
            Self::Action(action) => write!(f, "{action:?} is not an action"),
            Self::Colons(action) => write!(f, "{action:?} has more than one colon"),
            Self::Vendor(vendor) => write!(f, "{vendor:?} is not the name of a service"),
            Self::ForeignAction { action, resource, example } => {
                write!(f, "{action:?} is not an action on {resource}s, such as {example}")
            }
            Self::Resource(resource) => write!(f, "{resource:?} is neither \"*\" nor an ARN"),
            Self::ResourceVendor => f.write_str("an ARN must name a service"),
            Self::Partition { partition, .. } => write!(f, "{partition:?} is not a partition, such as aws"),
            Self::Region { resource, .. } => write!(f, "{resource:?} cannot have a Region"),
            Self::IdentityPath(starts) => write!(f, "its path must be * or start with {starts}"),
            Self::ForeignResource { resource, expected } => {
                write!(f, "{resource:?} is neither \"*\" nor the ARN of a {expected}")
            }
            Self::Condition => f.write_str("a Condition must be an object"),
            Self::Operator(operator) => write!(f, "unknown condition operator {operator}"),
            Self::OperatorValue(operator) => write!(f, "{operator} must be an object of condition keys"),
            Self::ConditionValues(key) => {
                write!(f, "{key} must be a value, or a list of values")
            }
        }
    }
}
