//! Tests of `identity::session_rules`.

use nephos_cloud::TemporarySession;
use nephos_core::field_value::FieldType as _;
use nephos_iam::parts::session_rules::*;

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
