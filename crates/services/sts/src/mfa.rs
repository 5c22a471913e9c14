//! Codes of MFA devices in requests.

use super::errors;
use nephos_cloud::Tx;
use nephos_core::Result;
use nephos_iam::verify_mfa;

/// Verifies the code of an MFA device of the caller. False if the request has neither a device nor a code.
pub(crate) fn check(cx: &mut Tx<'_>, serial_number: Option<&str>, code: Option<&str>) -> Result<bool> {
    let (serial_number, code) = match (serial_number, code) {
        (None, None) => return Ok(false),
        (Some(serial_number), Some(code)) => (serial_number, code),
        (None, _) => return Err(errors::mfa_incomplete().with_field("SerialNumber")),
        (_, None) => return Err(errors::mfa_incomplete().with_field("TokenCode")),
    };
    let user_id = cx.caller().user_id().to_owned();
    match verify_mfa(cx, &user_id, serial_number, code)? {
        true => Ok(true),
        false => Err(errors::mfa_code_wrong().with_field("TokenCode")),
    }
}
