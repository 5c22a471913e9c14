//! The sealed secret of an access key is opened by other services, in any Region.

use nephos_cloud::{Cloud, Handler, Service, ServiceSet, Tx};
use nephos_core::{
    Empty, Error, ErrorKind, Result, Text, operation,
    shape::{Protocol, ServiceShape},
};
use nephos_iam::{AccessKey, AccessKeyStatus, IAM, User, find_credentials};

/// A service that verifies secrets, as a server verifies signatures.
static SHAPE: ServiceShape = ServiceShape {
    name: "verifier",
    docs: "Verifies secrets.",
    api_version: "2026-01-01",
    protocol: Protocol::AwsQuery { namespace: "https://verifier.example.com/" },
    endpoint: "verifier",
    signing: "verifier",
    global: false,
    kinds: &[],
    operations: OPERATIONS,
    codes: nephos_iam::errors::ALL,
    invalid: &nephos_iam::errors::INVALID,
    invalid_token: || Error::new(ErrorKind::Invalid, "there are no pages"),
    resource_keys: &[],
};

nephos_cloud::handlers! { VerifySecret }

static VERIFIER: Service =
    Service { shape: &SHAPE, handlers: HANDLERS, controls: &[], views: &[], works: &[], tables: &[] };

/// Verifies the secret of an active access key.
#[operation(service = SHAPE, effect = read, output = Empty, subject = "*")]
struct VerifySecret {
    /// ID of the key.
    pub access_key_id: Text,
    /// Secret.
    pub secret: Text,
}

impl Handler for VerifySecret {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let refused = |reason: &str| Err(Error::new(ErrorKind::Denied, reason));
        match find_credentials(cx, &self.access_key_id)? {
            None => refused("unknown key"),
            Some(found) if !found.is_active => refused("inactive key"),
            Some(found) if found.secret_access_key.expose() != self.secret => refused("wrong secret"),
            Some(_) => Ok(Empty {}),
        }
    }
}

/// The services of the test.
#[derive(Debug)]
struct Services;

impl ServiceSet for Services {
    const SERVICES: &'static [&'static Service] = &[&IAM, &VERIFIER];
}

#[test]
fn secret_is_opened_in_any_region_while_the_key_is_active() -> Result<()> {
    use nephos_cloud::testing::{OTHER_ACCOUNT, OTHER_REGION, ask};
    use nephos_core::Resource;

    let cloud: Cloud<Services> = nephos_cloud::testing::options::<Services>().in_memory();
    let session = cloud.session();
    User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
    let mut key = AccessKey::objects(&session).create().user_name("ann").wait()?;
    let id = key.access_key_id().unwrap_or_default().to_owned();
    let secret = key.secret_access_key().map(|secret| secret.expose().to_owned()).unwrap_or_default();
    let verify = |id: &str, secret: &str| {
        let verifier = session.with_account(OTHER_ACCOUNT).with_region(OTHER_REGION);
        ask(&verifier, VerifySecret::new(id, secret)).map_err(|error| error.message().to_owned())
    };
    assert_eq!(verify(&id, &secret), Ok(Empty {}));
    assert_eq!(verify(&id, "wrong"), Err("wrong secret".to_owned()));
    assert_eq!(verify("AKIAIOSFODNN7EXAMPLE", &secret), Err("unknown key".to_owned()));
    assert_eq!(verify("short", &secret), Err("unknown key".to_owned()));
    key.set_status(AccessKeyStatus::Inactive)?;
    key.save().wait()?;
    assert_eq!(verify(&id, &secret), Err("inactive key".to_owned()));
    key.delete().wait()?;
    assert_eq!(verify(&id, &secret), Err("unknown key".to_owned()));
    Ok(())
}
