//! Credentials of sessions from profiles, roles, web identity, containers and instances, against a server that verifies
//! signatures.

use crate::served::{NOON, noon, serve};
use nephos::{Clock, Cloud, ErrorKind, Ids, LogGroup, RemoteBuilder, Session, SignedDuration, prelude::*};
use nephos_server::{Auth, Key, Keys, RootKey, Server};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Access keys: `WORK`, and temporary ones that begin with `ROLE`: `ROLE-1` with the session token `token-1`.
struct KnownKeys;

impl Keys for KnownKeys {
    fn find_key(&self, access_key_id: &str) -> Option<Key> {
        let token = access_key_id.strip_prefix("ROLE-").map(|n| format!("token-{n}").into());
        let known = access_key_id == "WORK" || token.is_some();
        known.then(|| Key { secret: "hidden".into(), session_token: token, account: "222222222222".into() })
    }
}

/// A server that verifies signatures, the environment variables of the caller, and a folder for files.
struct World {
    cloud: Cloud,
    address: SocketAddr,
    clock: Clock,
    folder: tempfile::TempDir,
    variables: HashMap<&'static str, String>,
}

impl World {
    fn new() -> Self {
        let (clock, cloud) = (noon(), Cloud::options().clock(noon()).seed(1).in_memory());
        let server = Server::new(cloud.clone()).auth(Auth::Strict).root(RootKey::new(&Ids::seeded(1)));
        let address = serve(server.keys(KnownKeys).clock(clock.clone()));
        let folder = tempfile::tempdir().unwrap();
        let variables = HashMap::from([("HOME", folder.path().to_str().unwrap().to_owned())]);
        std::fs::create_dir(folder.path().join(".aws")).unwrap();
        Self { cloud, address, clock, folder, variables }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn remote(&self) -> RemoteBuilder {
        let variable = |name: &str| self.variables.get(name).cloned();
        let remote = Session::remote().environment(variable).endpoint(format!("http://{}", self.address));
        remote.sources(self.clock.clone(), Ids::seeded(1))
    }

    /// Creates a log group of that name, and returns the Region in which it exists.
    fn create(&self, session: &Session, name: &str) -> Option<&'static str> {
        let group = LogGroup::builder().log_group_name(name).build().unwrap();
        LogGroup::objects(session).create(&group).wait().unwrap();
        ["us-east-1", "eu-central-1"].into_iter().find(|region| {
            let there = self.cloud.session().with_account("222222222222").with_region(*region);
            LogGroup::objects(&there).get(name).wait().unwrap().is_some()
        })
    }
}

/// A request for credentials: its first line, its headers in lower case, its body.
struct CredentialsRequest {
    line: String,
    head: String,
    body: String,
}

/// Starts a source of credentials with `answer`, which returns a status and a body, or no response.
fn serve_credentials(
    answer: impl Fn(&CredentialsRequest) -> Option<(u16, String)> + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let (mut line, mut head) = (String::new(), String::new());
            reader.read_line(&mut line).unwrap();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 2 {}
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
            reader.read_exact(&mut body).unwrap();
            let request = CredentialsRequest {
                line: line.trim_end().into(),
                head,
                body: String::from_utf8(body).unwrap(),
            };
            if let Some((status, body)) = answer(&request) {
                let head = format!("HTTP/1.1 {status} -\r\nContent-Length: {}\r\n", body.len());
                let ttl = "x-aws-ec2-metadata-token-ttl-seconds: 21600\r\nConnection: close\r\n\r\n";
                reader.get_mut().write_all(format!("{head}{ttl}{body}").as_bytes()).unwrap();
            }
        }
    });
    address
}

/// Returns the n-th credentials as JSON, valid until `minutes` after noon.
fn credentials_json(n: usize, minutes: i64) -> String {
    let end = noon().now().checked_add(SignedDuration::from_mins(minutes)).unwrap();
    format!(
        "{{\"Code\":\"Success\",\"AccessKeyId\":\"ROLE-{n}\",\"SecretAccessKey\":\"hidden\",\"Token\":\"token-{n}\",\
         \"Expiration\":\"{end}\",\"LastUpdated\":\"{NOON}\",\"Type\":\"AWS-HMAC\"}}"
    )
}

/// Returns the first credentials as the response of STS to `action`.
fn credentials_xml(action: &str) -> String {
    format!(
        "<{action}Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><{action}Result><Credentials>\
         <AccessKeyId>ROLE-1</AccessKeyId><SecretAccessKey>hidden</SecretAccessKey><SessionToken>token-1</SessionToken>\
         <Expiration>2026-01-31T13:00:00Z</Expiration></Credentials></{action}Result></{action}Response>"
    )
}

#[test]
fn profile_sets_keys_and_region() {
    let mut world = World::new();
    world.file(".aws/config", "[profile work]\nregion = eu-central-1\n[default]\nregion = eu-west-3\n");
    world.file(".aws/credentials", "[work]\naws_access_key_id = WORK\naws_secret_access_key = hidden\n");
    let session = world.remote().profile("work").build().unwrap();
    assert_eq!(session.region(), "eu-central-1");
    assert_eq!(world.create(&session, "/profile"), Some("eu-central-1"));
    let session = world.remote().profile("work").region("us-east-1").build().unwrap();
    assert_eq!(
        world.create(&session, "/region"),
        Some("us-east-1"),
        "an explicit Region takes precedence over the profile"
    );

    world.variables.insert("AWS_PROFILE", "work".into());
    assert_eq!(world.create(&world.remote().build().unwrap(), "/variable"), Some("eu-central-1"));
    world.variables.insert("AWS_REGION", "us-east-1".into());
    assert_eq!(world.create(&world.remote().build().unwrap(), "/both"), Some("us-east-1"));
    world.variables.insert("AWS_ACCESS_KEY_ID", "NOBODY".into());
    world.variables.insert("AWS_SECRET_ACCESS_KEY", "wrong".into());
    let session = world.remote().profile("work").build().unwrap();
    assert_eq!(world.create(&session, "/named"), Some("us-east-1"), "an explicit profile takes precedence");
    let session = world.remote().build().unwrap();
    let error = LogGroup::objects(&session).get("/named").wait().unwrap_err();
    assert_eq!(error.code(), "UnrecognizedClientException", "keys take precedence over the default profile");
}

#[test]
fn profile_files_from_environment_and_invalid_profiles() {
    let mut world = World::new();
    let config =
        world.file("my-config", "[profile work]\naws_access_key_id = WORK\naws_secret_access_key = hidden\n");
    world.variables.insert("AWS_CONFIG_FILE", config.to_str().unwrap().into());
    let credentials =
        world.file("my-credentials", "[default]\naws_access_key_id = WORK\naws_secret_access_key = hidden\n");
    world.variables.insert("AWS_SHARED_CREDENTIALS_FILE", credentials.to_str().unwrap().into());
    let named = world.remote().profile("work").build().unwrap();
    assert_eq!(world.create(&named, "/config"), Some("us-east-1"));
    assert_eq!(world.create(&world.remote().build().unwrap(), "/default"), Some("us-east-1"));

    let missing = world.remote().profile("wrok").build().unwrap_err();
    assert_eq!((missing.kind(), missing.field()), (ErrorKind::Invalid, Some("profile")));
    assert!(missing.message().contains("work"), "{missing}");
    world.variables.insert("AWS_PROFILE", "gone".into());
    assert_eq!(world.remote().build().unwrap_err().field(), Some("profile"));
    world.variables.remove("AWS_PROFILE");
    world.file("my-config", "[profile work\n");
    let broken = world.remote().profile("work").build().unwrap_err();
    assert!(broken.message().contains("cannot read"), "{broken}");
    world.file("my-config", "[profile empty]\nregion = eu-central-1\n");
    world.file("my-credentials", "");
    world.variables.insert("AWS_EC2_METADATA_DISABLED", "true".into());
    let empty = world.remote().profile("empty").build().unwrap();
    let error = LogGroup::objects(&empty).get("/a").wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied, "{error}");
    assert_eq!(world.remote().build().unwrap_err().kind(), ErrorKind::Denied, "there are no credentials");
}

#[test]
fn role_is_assumed_with_source_profile() {
    let mut world = World::new();
    let request = Arc::new(Mutex::new(String::new()));
    let recorded = request.clone();
    let sts = serve_credentials(move |request| {
        *recorded.lock().unwrap() = format!("{}\n{}{}", request.line, request.head, request.body);
        Some((200, credentials_xml("AssumeRole")))
    });
    world.variables.insert("AWS_ENDPOINT_URL_STS", format!("http://{sts}"));
    world.file(
        ".aws/config",
        "[profile role]\nrole_arn = arn:aws:iam::222222222222:role/web\nsource_profile = base\nregion = eu-central-1\n\
         [profile base]\naws_access_key_id = BASE\naws_secret_access_key = hidden\n",
    );
    let session = world.remote().profile("role").build().unwrap();
    assert_eq!(world.create(&session, "/role"), Some("eu-central-1"));
    let request = request.lock().unwrap();
    assert!(request.contains("Action=AssumeRole") && request.contains("role%2Fweb"), "{request}");
    assert!(request.contains("credential=base/20260131/eu-central-1/sts/aws4_request"), "{request}");
}

#[test]
fn web_identity_token_is_exchanged_for_role_credentials() {
    let mut world = World::new();
    let sts = serve_credentials(|request| {
        let right = request.body.contains("Action=AssumeRoleWithWebIdentity")
            && request.body.contains("WebIdentityToken=who-I-am")
            && !request.head.contains("authorization");
        right.then(|| (200, credentials_xml("AssumeRoleWithWebIdentity")))
    });
    let token = world.file("token", "who-I-am");
    world.variables.insert("AWS_ENDPOINT_URL_STS", format!("http://{sts}"));
    world.variables.insert("AWS_WEB_IDENTITY_TOKEN_FILE", token.to_str().unwrap().into());
    world.variables.insert("AWS_ROLE_ARN", "arn:aws:iam::222222222222:role/web".into());
    assert_eq!(world.create(&world.remote().build().unwrap(), "/web"), Some("us-east-1"));
}

#[test]
fn container_credentials_are_refreshed_before_they_expire() {
    let mut world = World::new();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let container = serve_credentials(move |request| {
        assert!(request.line.starts_with("GET /task "), "{}", request.line);
        assert!(request.head.contains("authorization: my-token"), "{}", request.head);
        let n = counted.fetch_add(1, Ordering::SeqCst) + 1;
        // Each is valid for an hour more; the third request fails.
        if n == 3 { Some((404, String::new())) } else { Some((200, credentials_json(n, 60 * n as i64))) }
    });
    world.variables.insert("AWS_CONTAINER_CREDENTIALS_FULL_URI", format!("http://{container}/task"));
    world.variables.insert("AWS_CONTAINER_AUTHORIZATION_TOKEN", "my-token".into());
    let session = world.remote().build().unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 0, "credentials are fetched when they are needed");
    let fetched = |minutes: i64| {
        world.clock.advance(SignedDuration::from_mins(minutes));
        assert_eq!(LogGroup::objects(&session).get("/a").wait().map_err(|error| error.to_string()), Ok(None));
        count.load(Ordering::SeqCst)
    };
    assert_eq!((fetched(0), fetched(54)), (1, 1));
    assert_eq!((fetched(1), fetched(59)), (2, 2), "refreshed five minutes before they expire");
    assert_eq!(fetched(1), 3, "after a failed refresh the old ones are still used");
    assert_eq!(fetched(0), 4);

    let (shared, before) = (world.remote().build().unwrap(), count.load(Ordering::SeqCst));
    let call = |session: Session| move || LogGroup::objects(&session).get("/a").wait().is_ok();
    let others: Vec<_> = (0..8).map(|_| thread::spawn(call(shared.clone()))).collect();
    assert!(others.into_iter().all(|other| other.join().unwrap()));
    assert_eq!(count.load(Ordering::SeqCst), before + 1, "concurrent callers share one fetch");
}

#[test]
fn instance_credentials_use_a_metadata_token() {
    let mut world = World::new();
    let instance = serve_credentials(|request| {
        let (method, path) = request.line.trim_end_matches(" HTTP/1.1").split_once(' ').unwrap();
        let with_token = request.head.contains("x-aws-ec2-metadata-token: my-token");
        Some(match (method, path.trim_end_matches('/')) {
            ("PUT", "/latest/api/token") => (200, "my-token".into()),
            ("GET", path) if with_token && path.ends_with("/web-role") => (200, credentials_json(1, 360)),
            ("GET", path) if with_token && path.contains("/iam/security-credentials") => {
                (200, "web-role".into())
            }
            _ => (404, String::new()),
        })
    });
    world.variables.insert("AWS_EC2_METADATA_SERVICE_ENDPOINT", format!("http://{instance}"));
    assert_eq!(world.create(&world.remote().build().unwrap(), "/instance"), Some("us-east-1"));
}

#[test]
fn secrets_are_not_printed() {
    let mut world = World::new();
    world.file(".aws/credentials", "[default]\naws_access_key_id = WORK\naws_secret_access_key = hidden\n");
    world.variables.insert("AWS_SECRET_ACCESS_KEY", "hidden".into());
    world.variables.insert("AWS_ACCESS_KEY_ID", "KEY".into());
    world.variables.insert("AWS_SESSION_TOKEN", "hidden".into());
    let remote = world.remote().profile("default");
    let session = remote.clone().build().unwrap();
    assert_eq!(world.create(&session, "/a"), Some("us-east-1"));
    let printed = format!("{remote:?} {session:?} {:?}", world.remote().build().unwrap());
    assert!(!printed.contains("hidden"), "{printed}");
}
