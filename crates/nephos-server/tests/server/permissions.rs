//! Permissions of callers over all protocols.

use crate::{
    served::{Answer, noon, send, serve},
    signing::{Signer, Wire, serve_strict},
};
use nephos::{
    AccessKey, Cloud, Credentials, Permissions, Session, SignedDuration, User, prelude::*,
    services::iam::AccessKeyStatus,
};
use nephos_cloud::TemporarySession;
use nephos_core::field_value::FieldType;
use nephos_server::Server;
use std::net::SocketAddr;

/// A server that verifies signatures and enforces policies, and the user `ann`, who has no policies.
struct World {
    cloud: Cloud,
    address: SocketAddr,
    root: Signer,
    ann: User,
    key: AccessKey,
}

impl World {
    fn new() -> Self {
        let cloud = Cloud::options().clock(noon()).seed(1).permissions(Permissions::Enforce).in_memory();
        let (address, root) = serve_strict(&cloud);
        let session = cloud.session();
        let ann = User::builder().user_name("ann").build().unwrap();
        let ann = User::objects(&session).create(&ann).wait().unwrap();
        let key = AccessKey::objects(&session).create().user_name("ann").wait().unwrap();
        Self { cloud, address, root, ann, key }
    }

    fn signer(&self, service: &'static str) -> Signer {
        let key = self.key.access_key_id().unwrap().to_owned();
        let secret = self.key.secret_access_key().unwrap().expose().to_owned();
        Signer { key, secret, service, ..self.root.clone() }
    }

    fn send(&self, service: &'static str, wire: Wire) -> Answer {
        wire.signed(self.address, &self.signer(service)).send(self.address)
    }

    /// Gives the user a policy with a statement that allows an action under a condition.
    fn allow(&self, action: &str, condition: &str) {
        let document = format!(
            r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Action": "{action}", "Resource": "*",
            "Condition": {{{condition}}}}}]}}"#
        );
        self.ann.put_policy("own", document).wait().unwrap();
    }
}

fn form(body: &str) -> Wire {
    Wire::new("POST", "/", body).with("content-type", "application/x-www-form-urlencoded")
}

fn create(name: &str) -> Wire {
    Wire::logs("CreateLogGroup", &format!(r#"{{"logGroupName":"{name}"}}"#))
}

/// Text of a refusal, without what a protocol adds.
fn refusal(action: &str, resource: &str) -> String {
    format!(
        "User: arn:aws:iam::123456789012:user/ann is not authorized to perform: {action}{resource} because no \
         identity-based policy allows the {action} action"
    )
}

#[test]
fn refusals_have_the_code_and_status_of_each_protocol() {
    let world = World::new();
    let secret = Wire::new("POST", "/", r#"{"SecretId":"db"}"#)
        .with("x-amz-target", "secretsmanager.GetSecretValue")
        .with("content-type", "application/x-amz-json-1.1");
    let log_group = " on resource: arn:aws:logs:us-east-1:123456789012:log-group:/new:log-stream:";
    let registry = " on resource: arn:aws:schemas:us-east-1:123456789012:registry/*";
    for (service, wire, status, action, resource) in [
        ("logs", create("/new"), 400, "logs:CreateLogGroup", log_group),
        ("secretsmanager", secret, 400, "secretsmanager:GetSecretValue", " on resource: db"),
        ("schemas", Wire::new("GET", "/v1/registries", ""), 403, "schemas:ListRegistries", registry),
    ] {
        let answer = world.send(service, wire);
        assert_eq!(answer.status, status, "{}", answer.text());
        let message = if answer.text().contains("\"Message\"") { "Message" } else { "message" };
        assert_eq!(answer.field(message), refusal(action, resource), "{service}");
        let code = answer.header("x-amzn-errortype").map(str::to_owned);
        let code = code.unwrap_or_else(|| answer.field("__type"));
        assert_eq!(code, "AccessDeniedException", "{service}");
    }
    let user = " on resource: arn:aws:iam::123456789012:user/ben";
    for (service, body, code, action, resource) in [
        ("iam", "Action=CreateUser&Version=2010-05-08&UserName=ben", "AccessDenied", "iam:CreateUser", user),
        (
            "elasticloadbalancing",
            "Action=DescribeTargetGroups&Version=2015-12-01",
            "AccessDenied",
            "elasticloadbalancing:DescribeTargetGroups",
            "",
        ),
        ("ec2", "Action=DescribeVpcs&Version=2016-11-15", "UnauthorizedOperation", "ec2:DescribeVpcs", ""),
    ] {
        let answer = world.send(service, form(body));
        assert_eq!(answer.status, 403, "{}", answer.text());
        let text = answer.text();
        assert!(text.contains(&format!("<Code>{code}</Code>")), "{text}");
        assert!(text.contains(&refusal(action, resource)), "{text}");
    }
    let refused = world.cloud.decisions(None).unwrap();
    assert_eq!(refused.iter().filter(|decision| decision.refused == Some(true)).count(), 6);
}

#[test]
fn message_of_a_refused_ec2_operation_is_decoded() {
    let world = World::new();
    let answer = world.send("ec2", form("Action=DescribeVpcs&Version=2016-11-15"));
    let (_, encoded) = answer.text().split_once("Encoded authorization failure message: ").unwrap();
    let (encoded, _) = encoded.split_once("</Message>").unwrap();
    let encoded = encoded.to_owned();
    let decoded = world.cloud.run_in_transaction(move |cx| Ok(cx.decode_message(&encoded))).unwrap().unwrap();
    for part in [r#""allowed":false"#, r#""explicitDeny":false"#, "ec2:DescribeVpcs", "127.0.0.1"] {
        assert!(decoded.contains(part), "no {part} in {decoded}");
    }
    let other = Cloud::in_memory();
    let encoded = answer.text().to_owned();
    assert!(other.run_in_transaction(move |cx| Ok(cx.decode_message(&encoded))).unwrap().is_none());
}

/// Address, software and encryption of a client are known only of requests over the network.
#[test]
fn conditions_on_the_client_decide() {
    let world = World::new();
    for (condition, is_allowed) in [
        (r#""IpAddress": {"aws:SourceIp": "127.0.0.0/8"}"#, true),
        (r#""IpAddress": {"aws:SourceIp": "10.0.0.0/8"}"#, false),
        (r#""NotIpAddress": {"aws:SourceIp": "127.0.0.1"}"#, false),
        (r#""Bool": {"aws:SecureTransport": "false"}"#, true),
        (r#""Bool": {"aws:SecureTransport": "true"}"#, false),
        (r#""StringLike": {"aws:UserAgent": "tests/*"}"#, true),
        (r#""StringLike": {"aws:UserAgent": "other/*"}"#, false),
        (r#""StringEquals": {"aws:RequestedRegion": "us-east-1"}"#, true),
    ] {
        world.allow("logs:DescribeLogGroups", condition);
        let wire = Wire::logs("DescribeLogGroups", "{}").with("user-agent", "tests/1");
        let answer = world.send("logs", wire);
        assert_eq!(answer.status == 200, is_allowed, "{condition}: {}", answer.text());
    }
}

#[test]
fn root_is_not_limited_and_inactive_keys_stop_at_once() {
    let mut world = World::new();
    assert_eq!(create("/root").signed(world.address, &world.root).send(world.address).status, 200);
    world.allow("logs:*", r#""Bool": {"aws:SecureTransport": "false"}"#);
    assert_eq!(world.send("logs", create("/one")).status, 200);
    world.key.set_status(AccessKeyStatus::Inactive).unwrap();
    world.key.save().wait().unwrap();
    let answer = world.send("logs", create("/two"));
    assert_eq!((answer.status, answer.field("__type").as_str()), (400, "UnrecognizedClientException"));
    world.key.set_status(AccessKeyStatus::Active).unwrap();
    world.key.save().wait().unwrap();
    assert_eq!(world.send("logs", create("/two")).status, 200);
}

/// Issues credentials of a session of the user, limited by a policy.
fn limited(world: &World, policy: &str) -> Credentials {
    let (id, policy) = (world.ann.user_id().unwrap().to_owned(), policy.to_owned());
    let issued = world.cloud.run_in_transaction(move |cx| {
        let mut session = TemporarySession::blank();
        session.account = Some("123456789012".into());
        session.arn = Some("arn:aws:iam::123456789012:user/ann".into());
        session.user_id = Some(id.as_str().into());
        session.identity = Some(id.as_str().into());
        session.issued = Some(cx.now());
        session.expiration = Some(cx.now() + SignedDuration::from_hours(1));
        session.policies = Some(vec![policy.as_str().into()]);
        cx.issue_credentials(session)
    });
    issued.unwrap()
}

#[test]
fn sessions_are_limited_by_their_policies_and_expire() {
    let world = World::new();
    world.allow("logs:*", r#""Null": {"aws:SourceIp": "false"}"#);
    let document =
        r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"logs:Describe*","Resource":"*"}}"#;
    let credentials = limited(&world, document);
    let signer = Signer {
        key: credentials.access_key_id.to_string(),
        secret: credentials.secret_access_key.expose().to_owned(),
        token: credentials.session_token.map(|token| token.expose().to_owned()),
        ..world.root.clone()
    };
    let send = |wire: Wire| wire.signed(world.address, &signer).send(world.address);
    assert_eq!(send(Wire::logs("DescribeLogGroups", "{}")).status, 200);
    let answer = send(create("/new"));
    assert_eq!(answer.status, 400);
    let text = refusal(
        "logs:CreateLogGroup",
        " on resource: arn:aws:logs:us-east-1:123456789012:log-group:/new:log-stream:",
    );
    assert_eq!(answer.field("message"), text.replace("identity-based policy", "session policy"));
    world.cloud.clock().advance(SignedDuration::from_hours(2)).unwrap();
    let answer = send(Wire::logs("DescribeLogGroups", "{}"));
    assert_eq!((answer.status, answer.field("__type").as_str()), (400, "ExpiredTokenException"));
}

/// A session that does not verify signatures has the permissions of its key.
#[test]
fn open_servers_enforce_policies_too() {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    let address = serve(Server::new(cloud.clone()));
    let session = cloud.session();
    let ann = User::builder().user_name("ann").build().unwrap();
    User::objects(&session).create(&ann).wait().unwrap();
    let key = AccessKey::objects(&session).create().user_name("ann").wait().unwrap();
    let remote = Session::remote().endpoint(format!("http://{address}"));
    let remote = remote.keys(key.access_key_id().unwrap(), "any").build().unwrap();
    let create = |name: &str| {
        let group = nephos::LogGroup::builder().log_group_name(name).build().unwrap();
        nephos::LogGroup::objects(&remote).create(&group).wait()
    };
    create("/off").unwrap();
    let set = |setting: &str| {
        let body = format!(r#"{{"permissions": "{setting}"}}"#);
        let answer = send(address, "POST", "/_nephos/permissions", &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    set("record");
    create("/record").unwrap();
    set("enforce");
    let error = create("/enforce").unwrap_err();
    assert_eq!((error.kind(), error.code()), (nephos::ErrorKind::Denied, "AccessDeniedException"));
    let log = send(address, "GET", "/_nephos/access/log", "");
    assert!(log.text().contains("log-group:/record:log-stream:"), "{}", log.text());
    assert!(!log.text().contains(key.secret_access_key().unwrap().expose()));
    set("off");
    create("/enforce").unwrap();
}

/// Gives the user a policy that allows an action of the control endpoint on a resource.
fn allow_control(world: &World, action: &str, resource: &str) {
    let document = format!(
        r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Action": "{action}", "Resource": "{resource}"}}]}}"#
    );
    world.ann.put_policy("own", document).wait().unwrap();
}

/// Status and code of a control request of the user.
fn control(world: &World, method: &'static str, path: &str, body: &str) -> (u16, String) {
    let answer = world.send("nephos", Wire::new(method, &format!("/_nephos/{path}"), body));
    (answer.status, if answer.status == 200 { String::new() } else { answer.field("Code") })
}

#[test]
fn policies_allow_forks_the_clock_and_explanations() {
    let ok = || (200, String::new());
    let denied = || (403, "AccessDeniedException".to_owned());
    let fork = "arn:aws:nephos::123456789012:fork/mine";
    for mode in Permissions::ALL {
        let world = World::new();
        world.cloud.set_permissions(mode).unwrap();
        let why = r#"{"principal": "arn:aws:iam::123456789012:user/ann", "action": "logs:CreateLogGroup", "resource": "*"}"#;
        let requests = [
            ("POST", "fork", r#"{"name": "mine"}"#),
            ("POST", "clock", r#"{"advance": 60}"#),
            ("POST", "access/why", why),
            ("DELETE", "forks/mine", ""),
        ];
        for (method, path, body) in requests {
            assert_eq!(control(&world, method, path, body), denied(), "{mode:?} {path}");
        }
        let answer = world.send("nephos", Wire::new("POST", "/_nephos/fork", r#"{"name": "mine"}"#));
        let refusal = format!(
            "nephos:Fork on resource: {fork} because no identity-based policy allows the nephos:Fork action"
        );
        assert!(answer.text().contains(&refusal), "{}", answer.text());

        allow_control(&world, "nephos:Fork", "arn:aws:nephos:*:*:fork/m*");
        assert_eq!(control(&world, "POST", "fork", r#"{"name": "other"}"#), denied());
        assert_eq!(control(&world, "POST", "fork", r#"{"name": "mine"}"#), ok());
        assert_eq!(control(&world, "POST", "clock", r#"{"advance": 60}"#), denied());
        // The fork has the policies of the cloud that it was made from.
        assert_eq!(control(&world, "POST", "forks/mine/_nephos/clock", r#"{"advance": 60}"#), denied());
        assert_eq!(control(&world, "DELETE", "forks/mine", ""), ok());

        allow_control(&world, "nephos:*", "arn:aws:nephos:*:*:fork/*");
        assert_eq!(control(&world, "POST", "fork", r#"{"name": "mine"}"#), ok());
        assert_eq!(control(&world, "GET", "forks", ""), ok());
        let now = world.cloud.clock().now();
        assert_eq!(control(&world, "POST", "forks/mine/_nephos/clock", r#"{"advance": 60}"#), ok());
        assert_eq!(control(&world, "POST", "clock", r#"{"advance": 60}"#), denied());
        assert_eq!(world.cloud.clock().now(), now);
        assert_eq!(control(&world, "POST", "forks/mine/_nephos/access/why", why), ok());
        assert_eq!(control(&world, "POST", "access/why", why), denied());

        allow_control(&world, "nephos:*", "*");
        assert_eq!(control(&world, "POST", "clock", r#"{"advance": 60}"#), ok());
        assert_eq!(world.cloud.clock().now(), now + SignedDuration::from_mins(1));
        assert_eq!(control(&world, "POST", "access/why", why), ok());
        for (method, path) in
            [("POST", "reset"), ("GET", "state"), ("GET", "access/log"), ("POST", "permissions")]
        {
            assert_eq!(control(&world, method, path, ""), denied(), "only the root key may do this");
        }
    }
}

/// Decisions over requests to the control endpoint are logged like others.
#[test]
fn decisions_about_the_control_endpoint_are_logged() {
    let world = World::new();
    assert_eq!(control(&world, "POST", "fork", r#"{"name": "mine"}"#).0, 403);
    let logged = world.cloud.decisions(Some("arn:aws:iam::123456789012:user/ann")).unwrap();
    let [logged] = &logged[..] else { panic!("{logged:?}") };
    assert_eq!((logged.action.as_deref(), logged.refused), (Some("nephos:Fork"), Some(true)));
}
