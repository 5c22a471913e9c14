//! `Auth::Strict`: a server that verifies signatures rejects all requests without a valid one.

use crate::{
    served::{noon, send, serve},
    signing::{Signer, Wire},
};
use nephos::{Cloud, ErrorKind, Ids, LogGroup, Session, SignedDuration, prelude::*};
use nephos_server::{Auth, Key, Keys, RootKey, Server};
use std::net::SocketAddr;

/// Access keys of an identity service: one of another account, and a temporary one.
struct Identities;

impl Keys for Identities {
    fn find_key(&self, access_key_id: &str) -> Option<Key> {
        let key = |token: Option<&str>| Key {
            secret: "secret".into(),
            session_token: token.map(Into::into),
            account: "222222222222".into(),
        };
        match access_key_id {
            "AKIAOTHER" => Some(key(None)),
            "ASIASESSION" => Some(key(Some("token"))),
            _ => None,
        }
    }
}

fn serve_strict() -> (Cloud, SocketAddr, Signer) {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    // Signatures are verified with the wall clock, not with the clock of the cloud.
    cloud.clock().advance(SignedDuration::from_hours(48)).unwrap();
    let (root, signer) = Signer::root();
    let server = Server::new(cloud.clone()).auth(Auth::Strict).root(root).keys(Identities).clock(noon());
    (cloud, serve(server), Signer { region: "eu-west-1", ..signer })
}

fn create(name: &str) -> Wire {
    Wire::logs("CreateLogGroup", &format!("{{\"logGroupName\":\"{name}\"}}"))
}

fn group_exists(cloud: &Cloud, account: &str, name: &str) -> bool {
    let session = cloud.session().with_account(account).with_region("eu-west-1");
    LogGroup::objects(&session).get(name).wait().unwrap().is_some()
}

#[test]
fn signed_and_presigned_requests_are_accepted() {
    let (cloud, address, root) = serve_strict();
    for (name, wire) in [
        ("/header", create("/header").signed(address, &root)),
        ("/query", create("/query").presigned(address, &root)),
    ] {
        let answer = wire.send(address);
        assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        assert!(group_exists(&cloud, "123456789012", name), "{name}");
    }
    let other = Signer { key: "AKIAOTHER".into(), secret: "secret".into(), ..root.clone() };
    assert_eq!(create("/other").signed(address, &other).send(address).status, 200);
    let token = Some("token".to_owned());
    let session = Signer { key: "ASIASESSION".into(), token, ..other };
    assert_eq!(create("/session").signed(address, &session).send(address).status, 200);
    assert_eq!(create("/session/query").presigned(address, &session).send(address).status, 200);
    for name in ["/other", "/session", "/session/query"] {
        assert!(group_exists(&cloud, "222222222222", name), "a key acts for its own account");
    }
    for minutes in [-15, 15] {
        let signer = root.clone().after(SignedDuration::from_mins(minutes));
        let answer = create(&format!("/at/{minutes}")).signed(address, &signer).send(address);
        assert_eq!(answer.status, 200, "{minutes}: {}", answer.text());
    }
}

#[test]
fn remote_session_is_authenticated() {
    let (cloud, address, root) = serve_strict();
    let remote = |secret: &str| {
        let session = Session::remote().endpoint(format!("http://{address}")).region("eu-west-1");
        session.keys(root.key.as_str(), secret).sources(noon(), Ids::seeded(1)).build().unwrap()
    };
    let group = LogGroup::builder().log_group_name("/web").build().unwrap();
    LogGroup::objects(&remote(&root.secret)).create(&group).wait().unwrap();
    assert!(group_exists(&cloud, "123456789012", "/web"));
    let error = LogGroup::objects(&remote("guessed")).delete("/web").wait().unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Denied, "InvalidSignatureException"));
    assert!(group_exists(&cloud, "123456789012", "/web"));
}

/// A signed request that was changed, and the expected error code and part of the message.
type Case = (&'static str, Wire, &'static str, &'static str);

fn assert_rejected(cloud: &Cloud, address: SocketAddr, status: u16, cases: Vec<Case>) {
    let before = cloud.rows().unwrap();
    for (what, wire, code, text) in cases {
        let answer = wire.send(address);
        assert_eq!(answer.status, status, "{what}: {}", answer.text());
        assert_eq!(answer.header("x-amzn-errortype"), Some(code), "{what}: {}", answer.text());
        assert!(answer.text().contains(text), "{what}: {}", answer.text());
        assert_eq!(answer.header("x-amzn-requestid").map(str::len), Some(36), "{what}");
        assert_eq!(cloud.rows().unwrap(), before, "{what}");
    }
}

const MISMATCH: (&str, &str) = ("InvalidSignatureException", "does not match");

#[test]
fn request_changed_after_signing_is_rejected() {
    let (cloud, address, root) = serve_strict();
    let right = create("/web").signed(address, &root);
    let body = |body: &str| Wire { body: body.into(), ..right.clone() };
    let path = |path: &str| Wire { path: path.into(), ..right.clone() };
    let authorization = |from: &str, to: &str| {
        let header = right.header("authorization");
        assert!(header.contains(from), "{header}");
        right.clone().with("authorization", &header.replacen(from, to, 1))
    };
    let cases = vec![
        ("body", body("{\"logGroupName\":\"/api\"}"), MISMATCH.0, MISMATCH.1),
        ("body cut off", body(""), MISMATCH.0, MISMATCH.1),
        (
            "target",
            right.clone().with("x-amz-target", "Logs_20140328.DeleteLogGroup"),
            MISMATCH.0,
            MISMATCH.1,
        ),
        ("date", right.clone().with("x-amz-date", "20260131T120100Z"), MISMATCH.0, MISMATCH.1),
        ("host", right.clone().with("host", "elsewhere.localhost"), MISMATCH.0, MISMATCH.1),
        ("query", path("/?a=b"), MISMATCH.0, MISMATCH.1),
        ("path", path("/a"), MISMATCH.0, MISMATCH.1),
        ("method", Wire { method: "PUT", ..right.clone() }, MISMATCH.0, MISMATCH.1),
        ("Region", authorization("/eu-west-1/", "/us-east-1/"), MISMATCH.0, MISMATCH.1),
        ("service", authorization("/logs/", "/schemas/"), MISMATCH.0, "correct service: 'logs'"),
        ("day", authorization("/20260131/", "/20260130/"), MISMATCH.0, "20260130"),
        (
            "signature",
            authorization("Signature=", "Signature=0"),
            "IncompleteSignatureException",
            "64 hexadecimal digits",
        ),
        ("added header", right.clone().with("x-amz-extra", "1"), MISMATCH.0, "'x-amz-extra' must be"),
        ("dropped header", right.clone().without("content-type"), MISMATCH.0, "content-type"),
        (
            "signed body hash",
            right.clone().with("x-amz-content-sha256", "UNSIGNED-PAYLOAD"),
            MISMATCH.0,
            "must be",
        ),
    ];
    assert_rejected(&cloud, address, 400, cases);
    assert_eq!(right.send(address).status, 200, "the unchanged request must be valid");
}

#[test]
fn request_without_valid_key_is_rejected() {
    let (cloud, address, root) = serve_strict();
    let signed = |change: &dyn Fn(&mut Signer)| {
        let mut signer = root.clone();
        change(&mut signer);
        create("/web").signed(address, &signer)
    };
    let unknown = ("UnrecognizedClientException", "security token included in the request is invalid");
    let cases = vec![
        ("unknown key", signed(&|signer| signer.key = "AKIAUNKNOWN".into()), unknown.0, unknown.1),
        ("an account is no key", signed(&|signer| signer.key = "123456789012".into()), unknown.0, unknown.1),
        ("a token too many", signed(&|signer| signer.token = Some("token".into())), unknown.0, unknown.1),
        ("another secret", signed(&|signer| signer.secret = "guessed".into()), MISMATCH.0, MISMATCH.1),
        (
            "no token",
            signed(&|signer| (signer.key, signer.secret) = ("ASIASESSION".into(), "secret".into())),
            unknown.0,
            unknown.1,
        ),
        (
            "another token",
            signed(&|signer| {
                (signer.key, signer.secret) = ("ASIASESSION".into(), "secret".into());
                signer.token = Some("tokem".into());
            }),
            unknown.0,
            unknown.1,
        ),
        ("not signed", create("/web"), "MissingAuthenticationTokenException", "missing Authentication Token"),
        (
            "half a signature",
            create("/web").with("authorization", "AWS4-HMAC-SHA256 Credential=a/b"),
            "IncompleteSignatureException",
            "SignedHeaders",
        ),
        (
            "another algorithm",
            create("/web").with("authorization", "Bearer abc"),
            "IncompleteSignatureException",
            "algorithm",
        ),
        (
            "an operation that is none",
            Wire::logs("NoSuchThing", "{}"),
            "MissingAuthenticationTokenException",
            "missing",
        ),
    ];
    assert_rejected(&cloud, address, 400, cases);
    let nothing = Wire::logs("NoSuchThing", "{}").signed(address, &root).send(address);
    assert_eq!(nothing.header("x-amzn-errortype"), Some("UnknownOperationException"));
}

#[test]
fn expired_or_future_signature_is_rejected() {
    let (cloud, address, root) = serve_strict();
    let at = |seconds: i64| root.clone().after(SignedDuration::from_secs(seconds));
    let cases = vec![
        ("late", create("/a").signed(address, &at(-901)), MISMATCH.0, "Signature expired"),
        ("early", create("/a").signed(address, &at(901)), MISMATCH.0, "Signature not yet current"),
        ("presigned, late", create("/a").presigned(address, &at(-61)), MISMATCH.0, "Signature expired"),
        ("presigned, early", create("/a").presigned(address, &at(901)), MISMATCH.0, "not yet current"),
    ];
    assert_rejected(&cloud, address, 400, cases);
    assert_eq!(create("/a").presigned(address, &at(-60)).send(address).status, 200);
}

#[test]
fn changed_presigned_request_is_rejected() {
    let (cloud, address, root) = serve_strict();
    let signer = root.clone().for_service("schemas");
    let right = Wire::new("POST", "/v1/registries/name/web", "{}").presigned(address, &signer);
    let path = |from: &str, to: &str| {
        assert!(right.path.contains(from), "{}", right.path);
        Wire { path: right.path.replacen(from, to, 1), ..right.clone() }
    };
    let twice = right.clone().with("authorization", "AWS4-HMAC-SHA256 Credential=a");
    let cases = vec![
        ("path", path("/web", "/api"), MISMATCH.0, MISMATCH.1),
        ("longer", path("Expires=60", "Expires=6000"), MISMATCH.0, MISMATCH.1),
        ("for ever", path("Expires=60", "Expires=604801"), "IncompleteSignatureException", "604800"),
        ("another parameter", path("?", "?a=b&"), MISMATCH.0, MISMATCH.1),
        ("Region", path("eu-west-1", "us-east-1"), MISMATCH.0, MISMATCH.1),
        ("service", path("%2Fschemas%2F", "%2Flogs%2F"), MISMATCH.0, ""),
        ("body", Wire { body: b"{\"Description\":\"a\"}".to_vec(), ..right.clone() }, MISMATCH.0, MISMATCH.1),
        ("method", Wire { method: "DELETE", ..right.clone() }, MISMATCH.0, MISMATCH.1),
        (
            "no signature",
            path("X-Amz-Signature", "X-Signature"),
            "IncompleteSignatureException",
            "X-Amz-Signature",
        ),
        ("signed twice", twice, "IncompleteSignatureException", "Only one auth mechanism allowed"),
        (
            "not signed",
            Wire::new("GET", "/v1/registries", ""),
            "MissingAuthenticationTokenException",
            "missing",
        ),
    ];
    assert_rejected(&cloud, address, 403, cases);
    let answer = right.send(address);
    assert_eq!(answer.status, 201, "{}", answer.text());
}

#[test]
fn query_services_use_their_own_error_codes() {
    let (cloud, address, _) = serve_strict();
    let before = cloud.rows().unwrap();
    let form = "application/x-www-form-urlencoded";
    let request = Wire::new("POST", "/", "Action=DescribeAll&Version=1999-01-01").with("content-type", form);
    let answer = request.clone().send(address);
    assert_eq!(answer.status, 403);
    assert!(answer.text().contains("<Code>MissingAuthenticationToken</Code>"), "{}", answer.text());
    let answer = request.with("authorization", "AWS4-HMAC-SHA256 Credential=a/b").send(address);
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("<Code>IncompleteSignature</Code>"), "{}", answer.text());
    assert_eq!(cloud.rows().unwrap(), before);
}

#[test]
fn control_endpoint_requires_the_root_key() {
    let (cloud, address, root) = serve_strict();
    let root = root.for_service("nephos");
    let wire = || Wire::new("POST", "/_nephos/clock", "{\"advance\":3600}");
    let (before, now) = (cloud.rows().unwrap(), cloud.clock().now());
    let other = Signer { key: "AKIAOTHER".into(), secret: "secret".into(), ..root.clone() };
    for (wire, code) in [
        (wire(), "MissingAuthenticationTokenException"),
        (wire().signed(address, &other), "AccessDeniedException"),
        (
            wire().signed(address, &Signer { key: "AKIANOBODY".into(), ..other.clone() }),
            "UnrecognizedClientException",
        ),
        (wire().signed(address, &root.clone().for_service("logs")), "InvalidSignatureException"),
        (
            wire().signed(address, &root.clone().after(SignedDuration::from_hours(1))),
            "InvalidSignatureException",
        ),
        (
            Wire { body: b"{\"advance\":1}".to_vec(), ..wire().signed(address, &root) },
            "InvalidSignatureException",
        ),
    ] {
        let answer = wire.send(address);
        assert_eq!((answer.status, answer.field("Code").as_str()), (403, code), "{}", answer.text());
    }
    assert_eq!((cloud.rows().unwrap(), cloud.clock().now()), (before, now));
    assert_eq!(send(address, "GET", "/_nephos/health", "").status, 200);
    assert_eq!(wire().signed(address, &root).send(address).status, 200);
    assert_eq!(wire().presigned(address, &root).send(address).status, 200);
    assert_eq!(cloud.clock().now().duration_since(now), SignedDuration::from_hours(2));
}

#[test]
fn non_loopback_address_requires_strict_or_insecure() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let bind = |server: Server| {
        runtime.block_on(async { server.bind("0.0.0.0:0".parse().unwrap()).await.map(drop) })
    };
    let server = || Server::new(Cloud::in_memory());
    assert_eq!(bind(server()).unwrap_err().field(), Some("listen"));
    assert_eq!(bind(server().auth(Auth::Strict)).unwrap_err().field(), Some("auth"));
    bind(server().auth(Auth::Strict).root(RootKey::new(&Ids::system()))).unwrap();
    assert_eq!(bind(server().insecure(true)).unwrap_err().field(), Some("insecure"));
    bind(server().insecure(true).root(RootKey::new(&Ids::system()))).unwrap();
}

/// Requests through a container's bridge, or of a rule of the cloud, may look like those of this machine.
#[test]
fn control_endpoint_of_an_insecure_server_requires_the_root_key() {
    let root = RootKey::new(&Ids::system());
    let (sender, receiver) = std::sync::mpsc::channel();
    let server = Server::new(Cloud::in_memory()).insecure(true).root(root.clone());
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let bound = server.bind("0.0.0.0:0".parse().unwrap()).await.unwrap();
            sender.send(bound.address().port()).unwrap();
            bound.run(std::future::pending()).await;
        });
    });
    let address = SocketAddr::from(([127, 0, 0, 1], receiver.recv().unwrap()));
    assert_eq!(send(address, "GET", "/_nephos/health", "").status, 200);
    for (method, path) in [("GET", "clock"), ("POST", "reset"), ("POST", "permissions")] {
        assert_eq!(send(address, method, &format!("/_nephos/{path}"), "").status, 403, "{path}");
    }
    let groups = send(address, "GET", "/v1/registries", "");
    assert_ne!(groups.status, 403, "the services are open");
}
