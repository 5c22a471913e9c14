//! Operations that sessions cannot call, whatever their policies allow.

use crate::{SERVICE, errors};
use nephos_cloud::TemporarySession;
use nephos_core::Result;

/// Service name of temporary credentials in actions.
const TEMPORARY_CREDENTIALS: &str = "sts";

/// Refuses operations that a session cannot call. Sessions of roles can call all operations. Those of `GetSessionToken`
/// can call this service only with MFA, and of sts only `AssumeRole` and `GetCallerIdentity`; those of `GetFederationToken`
/// cannot call this service, and of sts only `GetCallerIdentity`.
pub(crate) fn check(session: &TemporarySession, service: &str, operation: &str) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use nephos_core::field_value::FieldType as _;

    #[test]
    fn sessions_are_limited_by_the_way_they_were_issued() {
        let session = |arn: &str, has_mfa: bool| {
            let mut session = TemporarySession::blank();
            session.arn = Some(format!("arn:aws:sts::123456789012:{arn}").into());
            session.has_mfa = Some(has_mfa);
            session
        };
        let role = session("assumed-role/deploy/s1", false);
        let federated = session("federated-user/ann", true);
        let [plain, with_mfa] = [false, true].map(|has_mfa| session("user/ann", has_mfa));
        for (service, operation, allowed) in [
            ("iam", "ListUsers", [true, false, false, true]),
            ("sts", "GetCallerIdentity", [true; 4]),
            ("sts", "AssumeRole", [true, false, true, true]),
            ("sts", "GetAccessKeyInfo", [true, false, false, false]),
            ("logs", "CreateLogGroup", [true; 4]),
        ] {
            for (session, allowed) in [&role, &federated, &plain, &with_mfa].into_iter().zip(allowed) {
                let checked = check(session, service, operation);
                assert_eq!(checked.is_ok(), allowed, "{service}:{operation} as {:?}", session.arn);
            }
        }
    }
}
