//! Operations that sessions cannot call, whatever their policies allow.

use crate::{SERVICE, errors};
use nephos_cloud::TemporarySession;
use nephos_core::Result;

/// Service name of temporary credentials in actions.
const TEMPORARY_CREDENTIALS: &str = "sts";

/// Refuses operations that a session cannot call. Sessions of roles can call all operations. Those of `GetSessionToken`
/// can call this service only with MFA, and of sts only `AssumeRole` and `GetCallerIdentity`; those of `GetFederationToken`
/// cannot call this service, and of sts only `GetCallerIdentity`.
pub fn check(session: &TemporarySession, service: &str, operation: &str) -> Result<()> {
    if session.is_of_role() {
        return Ok(());
    }
    let is_federated = session.arn.as_ref().is_some_and(|arn| arn.contains(":federated-user/"));
    if service == SERVICE.signing && (is_federated || session.has_mfa != Some(true)) {
        return Err(errors::token_invalid().with_hint(match is_federated {
            true => "credentials of GetFederationToken cannot call this service",
            false => "credentials of GetSessionToken can call this service only with MFA",
        }));
    }
    let is_allowed = match operation {
        "GetCallerIdentity" => true,
        "AssumeRole" => !is_federated,
        _ => service != TEMPORARY_CREDENTIALS,
    };
    if is_allowed { Ok(()) } else { Err(errors::called_with_session(operation)) }
}
