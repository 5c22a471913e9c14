//! ARNs in parameters.

use crate::errors;
use nephos_core::{Arn, Error};

/// Error for a text that is not an ARN, or is that of another kind.
pub(crate) fn invalid_arn(arn: &str) -> Error {
    match Arn::parts(arn) {
        Some(_) => errors::arn_invalid(arn),
        None => errors::arn_not_parsed().with_hint(arn),
    }
}
