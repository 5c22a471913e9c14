//! Resource names of the family, and what they say.

use super::errors;
use nephos_cloud::Scope;
use nephos_core::{Arn, Error, Result};

/// The service's name within resource names.
pub(super) const SERVICE_NAME: &str = "elasticloadbalancing";

/// A resource name of this scope, made of these parts.
pub(super) fn arn(scope: &Scope, parts: &[&str]) -> Arn {
    scope.arn(SERVICE_NAME, &[&parts.join("/")])
}

/// The parts of a resource name behind the word for its kind, `N` of them; none if it is no such name.
pub(super) fn parts<'a, const N: usize>(arn: &'a str, kind: &str) -> Option<[&'a str; N]> {
    let [_, service, _, _, resource] = Arn::parts(arn)?;
    let mut parts = resource.split('/');
    if service != SERVICE_NAME || parts.next() != Some(kind) {
        return None;
    }
    let parts: Vec<_> = parts.collect();
    <[&str; N]>::try_from(parts).ok().filter(|parts| parts.iter().all(|part| !part.is_empty()))
}

/// The parts of a resource name that a caller gives, which must be one.
pub(super) fn given<'a, const N: usize>(arn: &'a str, kind: &str, field: &str) -> Result<[&'a str; N]> {
    parts(arn, kind).ok_or_else(|| {
        let what = kind.replace('-', " ");
        errors::INVALID.because(format!("{arn:?} is not the resource name of a {what}")).with_field(field)
    })
}

/// A refusal of a parameter.
pub(super) fn invalid(field: &str, why: impl Into<String>) -> Error {
    errors::INVALID.because(why).with_field(field)
}
