//! Credentials are verified by other services, in any Region: codes of MFA devices, and issuers of tokens. Tags are changed by
//! other services.

use nephos_cloud::{Cloud, Handler, Service, ServiceSet, Tx};
use nephos_core::{Empty, Error, ErrorKind, Result, Text, json, operation, shape::Protocol};
use nephos_iam::{
    IAM, InstanceProfile, OpenIDConnectProvider, Policy, SetOpenIdKeys, User, VirtualMFADevice, errors,
    find_open_id_provider, verify_mfa,
};
use nephos_iam_cases::mfa_code;

// A service that verifies credentials, as a server verifies signatures.
nephos_cloud::service! {
    VERIFIER = "verifier", "Verifies credentials.";
    shape {
        protocol: Protocol::AwsQuery { namespace: "https://verifier.example.com/" },
        invalid: &errors::INVALID,
    }
    kinds {}
    operations { VerifyCode, VerifyIssuer, VerifyTags }
    tables {}
}

/// Verifies the code of an MFA device.
#[operation(effect = write, subject = "*")]
struct VerifyCode {
    /// Unique ID of the user.
    pub user_id: Text,
    /// Serial number of the device.
    pub serial_number: Text,
    /// Code.
    pub code: Text,
}

impl Handler for VerifyCode {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        match verify_mfa(cx, &self.user_id, &self.serial_number, &self.code)? {
            true => Ok(Empty {}),
            false => Err(Error::new(ErrorKind::Denied, "wrong code")),
        }
    }
}

/// Verifies that an account has an OpenID Connect provider with keys.
#[operation(effect = read, subject = "*")]
struct VerifyIssuer {
    /// Account.
    pub account: Text,
    /// URL of the issuer.
    pub issuer: Text,
}

impl Handler for VerifyIssuer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let refused = |reason: &str| Err(Error::new(ErrorKind::Denied, reason));
        match find_open_id_provider(cx, &self.account, &self.issuer)? {
            None => refused("unknown issuer"),
            Some(found) if found.client_ids != ["sts"] => refused("wrong client ID"),
            Some(found) if found.keys.is_none() => refused("no keys"),
            Some(_) => Ok(Empty {}),
        }
    }
}

/// Verifies that tags of a resource can be added and removed.
#[operation(effect = write, subject = "*")]
struct VerifyTags {
    /// ARN of the resource.
    pub arn: Text,
}

impl Handler for VerifyTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let is_tagged = |cx: &mut Tx<'_>| -> Result<bool> {
            Ok(cx.tagged_resources()?.iter().any(|found| found.arn == self.arn))
        };
        cx.add_tags(&self.arn, &[("Team".into(), "web".into())].into_iter().collect())?;
        assert!(is_tagged(cx)?, "{} has a tag", self.arn);
        cx.remove_tags(&self.arn, &["team".into()])?;
        assert!(!is_tagged(cx)?, "{} has no tag", self.arn);
        Ok(Empty {})
    }
}

/// The services of the test.
#[derive(Debug)]
struct Services;

impl ServiceSet for Services {
    const SERVICES: &'static [&'static Service] = &[&IAM, &VERIFIER];
}

#[test]
fn code_of_mfa_device_is_accepted_once() -> Result<()> {
    use nephos_core::{Resource, SignedDuration};
    use nephos_testing::{OTHER_ACCOUNT, OTHER_REGION, ask};

    let cloud: Cloud<Services> = nephos_testing::options::<Services>().in_memory();
    let session = cloud.session();
    let user = User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
    let model = VirtualMFADevice::builder().virtual_mfa_device_name("phone").build()?;
    let device = VirtualMFADevice::objects(&session).create(&model).wait()?;
    let (seed, serial) = (device.base32_string_seed().cloned().unwrap_or_default(), device.require_arn()?);
    let code = |later: i64| mfa_code(&seed, cloud.clock().now().as_millisecond() + 1000 * later);
    let verify_of = |user: &str, serial: &str, code: String| {
        let verifier = session.with_account(OTHER_ACCOUNT).with_region(OTHER_REGION);
        ask(&verifier, VerifyCode::new(user, serial, code)).is_ok()
    };
    let id = user.user_id().unwrap_or_default();
    let verify = |later: i64| verify_of(id, serial, code(later));
    assert!(!verify(0), "the device is not enabled");
    device.enable("ann", code(-60), code(-30)).wait()?;
    assert!(!verify(-30), "the code enabled the device");
    assert!(!verify_of("AIDAOTHER", serial, code(0)) && !verify_of(id, "other", code(0)));
    assert!(verify(0));
    assert!(!verify(0), "the code was used");
    assert!(!verify(60), "the code is too early");
    assert!(verify(30), "the clock of the device may be a step ahead");
    cloud.clock().advance(SignedDuration::from_secs(120))?;
    assert!(!verify(-60), "the code is too late");
    assert!(verify(-30));
    Ok(())
}

#[test]
fn issuer_is_found_with_its_keys() -> Result<()> {
    use nephos_testing::{OTHER_ACCOUNT, OTHER_REGION, ask};

    let cloud: Cloud<Services> = nephos_testing::options::<Services>().in_memory();
    let owner = cloud.session().with_account(OTHER_ACCOUNT);
    let verify = |issuer: &str| {
        let verifier = cloud.session().with_region(OTHER_REGION);
        ask(&verifier, VerifyIssuer::new(OTHER_ACCOUNT, issuer)).map_err(|error| error.message().to_owned())
    };
    assert_eq!(verify("https://a.example"), Err("unknown issuer".to_owned()));
    let model = OpenIDConnectProvider::builder().url("https://a.example").client_id_list(vec!["sts".into()]);
    OpenIDConnectProvider::objects(&owner).create(&model.build()?).wait()?;
    assert_eq!(verify("https://a.example"), Err("no keys".to_owned()));
    let keys = json::parse(br#"{"keys": [{"kty": "RSA"}]}"#)?;
    cloud.control(SetOpenIdKeys::new("https://a.example", keys))?;
    assert_eq!(verify("https://a.example"), Ok(Empty {}));
    assert_eq!(verify("a.example"), Ok(Empty {}));
    assert_eq!(verify("https://a.example/"), Err("unknown issuer".to_owned()));
    Ok(())
}

#[test]
fn tags_are_changed_by_arn() -> Result<()> {
    use nephos_core::Resource;
    use nephos_testing::ask;

    let cloud: Cloud<Services> = nephos_testing::options::<Services>().in_memory();
    let session = cloud.session();
    let user = User::builder().user_name("Ann").path("/a/b/").build()?;
    let profile = InstanceProfile::builder().instance_profile_name("web").build()?;
    let document =
        r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}"#;
    let policy = Policy::builder().policy_name("all").path("/a/").build()?;
    let provider = OpenIDConnectProvider::builder().url("https://a.example/b").build()?;
    let device = VirtualMFADevice::builder().virtual_mfa_device_name("phone").path("/a/").build()?;
    let arns = [
        User::objects(&session).create(&user).wait()?.require_arn()?.to_owned(),
        InstanceProfile::objects(&session).create(&profile).wait()?.require_arn()?.to_owned(),
        Policy::objects(&session).create(&policy, document).wait()?.require_arn()?.to_owned(),
        OpenIDConnectProvider::objects(&session).create(&provider).wait()?.require_arn()?.to_owned(),
        VirtualMFADevice::objects(&session).create(&device).wait()?.require_arn()?.to_owned(),
    ];
    for arn in arns {
        ask(&session, VerifyTags::new(arn))?;
    }
    let unknown = ["group/web", "user/none", "user", "policy/none"];
    for resource in unknown {
        let arn = format!("arn:aws:iam::123456789012:{resource}");
        assert!(ask(&session, VerifyTags::new(arn)).is_err(), "{resource} has no tags");
    }
    let managed = ask(&session, VerifyTags::new("arn:aws:iam::aws:policy/ReadOnlyAccess"));
    assert_eq!(managed.map_err(|error| error.kind()), Err(ErrorKind::Denied));
    Ok(())
}
