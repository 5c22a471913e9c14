//! Temporary credentials on a server that verifies signatures.

use crate::served::{noon, send_with, serve};
use nephos::{
    AccessKey, AssumeRole, CallerIdentity, Clock, Cloud, Credentials, Ids, Permissions, Role, Session,
    SignedDuration, User, prelude::*,
};
use nephos_server::{Auth, RootKey, Server};
use std::net::SocketAddr;

const TRUST: &str = r#"{"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "123456789012"}}]}"#;

const ROLE: &str = "arn:aws:iam::123456789012:role/web";

/// A served cloud with the user `ann` and the role `web`.
struct World {
    cloud: Cloud,
    clock: Clock,
    address: SocketAddr,
    key: AccessKey,
}

impl World {
    fn new() -> Self {
        let clock = noon();
        let cloud = Cloud::options().clock(clock.clone()).seed(1).in_memory();
        let session = cloud.session();
        User::objects(&session).create(&User::builder().user_name("ann").build().unwrap()).wait().unwrap();
        let key = AccessKey::objects(&session).create().user_name("ann").wait().unwrap();
        let role = Role::builder().role_name("web").assume_role_policy_document(TRUST).build().unwrap();
        Role::objects(&session).create(&role).wait().unwrap();
        let server = Server::new(cloud.clone()).auth(Auth::Strict).root(RootKey::new(&Ids::seeded(1)));
        let address = serve(server.clock(clock.clone()));
        Self { cloud, clock, address, key }
    }

    fn session(&self, credentials: Credentials) -> Session {
        let remote = Session::remote().endpoint(format!("http://{}", self.address));
        remote.credentials(credentials).sources(self.clock.clone(), Ids::seeded(1)).build().unwrap()
    }

    fn ann(&self) -> Session {
        self.session(Credentials {
            access_key_id: self.key.access_key_id().unwrap().into(),
            secret_access_key: self.key.secret_access_key().cloned().unwrap(),
            session_token: None,
            expiration: None,
        })
    }
}

fn caller(session: &Session) -> nephos::Result<String> {
    let identity = CallerIdentity::objects(session).get().wait()?;
    identity.require_arn().map(str::to_owned)
}

#[test]
fn temporary_credentials_sign_requests_until_they_expire() {
    let world = World::new();
    let web = world.ann().assume(ROLE, "deploy").duration_seconds(900).wait().unwrap();
    assert_eq!(caller(&web).unwrap(), "arn:aws:sts::123456789012:assumed-role/web/deploy");
    let credentials = web.credentials().unwrap().clone();
    let changed = |change: fn(&mut Credentials)| {
        let mut credentials = credentials.clone();
        change(&mut credentials);
        caller(&world.session(credentials)).unwrap_err()
    };
    let error = changed(|credentials| credentials.secret_access_key = "guessed".into());
    assert_eq!(error.code(), "SignatureDoesNotMatch");
    for error in [
        changed(|credentials| credentials.session_token = None),
        changed(|credentials| credentials.session_token = Some("AAAA".into())),
    ] {
        assert_eq!((error.code(), error.status()), ("InvalidClientTokenId", 403));
    }
    // The clocks of the cloud and of signatures are one here.
    world.cloud.clock().advance(SignedDuration::from_mins(15)).unwrap();
    let error = caller(&web).unwrap_err();
    assert_eq!((error.code(), error.status()), ("ExpiredToken", 403), "{error}");
    assert_eq!(error.message(), "The security token included in the request is expired");
}

#[test]
fn disabled_key_stops_working_at_the_next_request() {
    let world = World::new();
    let ann = world.ann();
    assert_eq!(caller(&ann).unwrap(), "arn:aws:iam::123456789012:user/ann");
    let mut key = world.key.clone();
    key.set_status("Inactive").unwrap();
    key.save().wait().unwrap();
    assert_eq!(caller(&ann).unwrap_err().code(), "InvalidClientTokenId");
    key.set_status("Active").unwrap();
    key.save().wait().unwrap();
    assert!(caller(&ann).is_ok());
}

#[test]
fn web_identity_tokens_need_no_signature() {
    let world = World::new();
    let body = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleSessionName=ci&WebIdentityToken=token&RoleArn=";
    let body = format!("{body}{ROLE}");
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = send_with(world.address, "POST", "/", &form, body.as_bytes());
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("<Code>InvalidIdentityToken</Code>"), "{}", answer.text());
    let signed = body.replace("AssumeRoleWithWebIdentity", "AssumeRole");
    let answer = send_with(world.address, "POST", "/", &form, signed.as_bytes());
    assert!(answer.text().contains("<Code>MissingAuthenticationToken</Code>"), "{}", answer.text());
    // Remote sessions do not sign it either, so that credentials which are not known do not matter.
    let unknown = world.session(Credentials {
        access_key_id: "AKIAUNKNOWN".into(),
        secret_access_key: "guessed".into(),
        session_token: None,
        expiration: None,
    });
    let token = AssumeRole::objects(&unknown).assume_with_web_identity(ROLE, "ci", "token");
    assert_eq!(token.wait().unwrap_err().code(), "InvalidIdentityToken");
}

#[test]
fn encoded_message_of_a_refusal_is_decoded() {
    let world = World::new();
    world.cloud.set_permissions(Permissions::Enforce).unwrap();
    let error = nephos::Vpc::objects(&world.ann()).list().results().all().wait().unwrap_err();
    assert_eq!(error.code(), "UnauthorizedOperation", "{error}");
    let (_, encoded) = error.message().split_once("Encoded authorization failure message: ").unwrap();
    let decode =
        |session: &Session, message: &str| CallerIdentity::objects(session).decode_message(message).wait();
    assert_eq!(decode(&world.ann(), encoded).unwrap_err().code(), "AccessDenied", "ann has no permission");
    let decoded = decode(&world.cloud.session(), encoded).unwrap();
    for part in [r#""allowed":false"#, r#""action":"ec2:DescribeVpcs""#, "user/ann"] {
        assert!(decoded.contains(part), "{part}: {decoded}");
    }
    let other = Cloud::in_memory();
    assert_eq!(decode(&other.session(), encoded).unwrap_err().code(), "InvalidAuthorizationMessageException");
}

/// Permissions in a fork give none outside of it.
#[test]
fn credentials_of_a_fork_are_not_valid_in_the_main_cloud() {
    let world = World::new();
    let fork = world.cloud.fork().unwrap();
    let issued = |cloud: &nephos::Kernel| {
        let session = cloud.session().assume(ROLE, "deploy").wait().unwrap();
        session.credentials().unwrap().clone()
    };
    assert!(caller(&world.session(issued(&world.cloud))).is_ok());
    let refused = caller(&world.session(issued(&fork))).unwrap_err();
    assert_eq!((refused.code(), refused.status()), ("InvalidClientTokenId", 403));
}
