//! ARNs in parameters.

use super::errors;
use nephos_core::{Arn, Result};

/// Returns the part of an ARN after the resource type `resource_type`; `field` is the parameter with the ARN.
///
/// # Errors
///
/// Refused if the text is not an ARN, or is that of another resource type.
pub(crate) fn resource_in_arn<'a>(arn: &'a str, resource_type: &str, field: &str) -> Result<&'a str> {
    let Some([_, service, _, _, resource]) = Arn::parts(arn) else {
        return Err(errors::arn_not_parsed().with_field(field).with_hint(arn));
    };
    let resource = resource.strip_prefix(resource_type).and_then(|resource| resource.strip_prefix('/'));
    resource.filter(|_| service == "iam").ok_or_else(|| errors::arn_invalid(arn).with_field(field))
}
