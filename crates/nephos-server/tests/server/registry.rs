//! The protocol of container registries, as docker, skopeo and oras use it.

use crate::{
    served::{Answer, noon, read_answer, send_with, serve, serve_cloud, serve_with_threads},
    signing::serve_strict,
};
use nephos::{
    AccessKey, BlobDigest, Cloud, Credentials, Permissions, Repository, Role, Session, SignedDuration, User,
    ecr::{ImageScanningConfiguration, ImageTagMutability},
    prelude::*,
};
use nephos_server::{Limits, Server};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
};

const OCI: &str = "application/vnd.oci.image.manifest.v1+json";

/// A client of a registry.
pub(crate) struct Client {
    address: SocketAddr,
    /// Headers of each request.
    headers: Vec<(String, String)>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, headers: Vec::new() }
    }

    fn with(&self, name: &str, value: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.push((name.into(), value.into()));
        Self { address: self.address, headers }
    }

    fn send(&self, method: &str, path: &str, body: impl AsRef<[u8]>) -> Answer {
        let headers: Vec<_> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        send_with(self.address, method, path, &headers, body.as_ref())
    }

    /// Begins an upload to the repository, and returns its address.
    fn begin(&self, repository: &str) -> String {
        let answer = self.send("POST", &format!("/v2/{repository}/blobs/uploads/"), "");
        assert_eq!(answer.status, 202, "{}", answer.text());
        answer.header("location").unwrap().into()
    }

    /// Uploads a blob in one piece, and returns its digest.
    fn push_blob(&self, repository: &str, content: &[u8]) -> String {
        let digest = BlobDigest::of(content).to_string();
        let upload = self.begin(repository);
        let answer = self.send("PATCH", &upload, content);
        assert_eq!(answer.status, 202, "{}", answer.text());
        let answer = self.send("PUT", &format!("{upload}?digest={digest}"), "");
        assert_eq!((answer.status, answer.header("docker-content-digest")), (201, Some(&*digest)));
        digest
    }

    fn push_manifest(&self, path: &str, manifest: &str) -> Answer {
        self.with("Content-Type", OCI).send("PUT", path, manifest)
    }

    /// Pushes an image with one layer under a tag, and returns its manifest.
    pub(crate) fn push(&self, repository: &str, layer: &str, tag: &str) -> String {
        let manifest = self.manifest(repository, layer, "");
        let answer = self.push_manifest(&format!("/v2/{repository}/manifests/{tag}"), &manifest);
        assert_eq!(answer.status, 201, "{}", answer.text());
        manifest
    }

    /// Uploads the contents of an image, and returns its manifest.
    fn manifest(&self, repository: &str, layer: &str, more: &str) -> String {
        let digest = self.push_blob(repository, layer.as_bytes());
        let content = format!(r#"{{"digest":"{digest}","size":{}}}"#, layer.len());
        format!(r#"{{"schemaVersion":2,"mediaType":"{OCI}","config":{content},"layers":[{content}]{more}}}"#)
    }
}

pub(crate) fn create(session: &Session, name: &str) -> Repository {
    let repository = Repository::builder()
        .repository_name(name)
        .image_tag_mutability(ImageTagMutability::Mutable)
        .image_scanning_configuration(ImageScanningConfiguration::builder().build().unwrap());
    Repository::objects(session).create(&repository.build().unwrap()).wait().unwrap()
}

/// Serves a cloud with the repository `team/web`.
fn serve_repository() -> (Cloud, Client) {
    let (cloud, address) = serve_cloud();
    create(&cloud.session(), "team/web");
    (cloud, Client::new(address))
}

/// Asserts the status and the code of a refusal.
#[track_caller]
fn assert_refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert!(answer.text().starts_with(&format!(r#"{{"errors":[{{"code":"{code}","#)), "{}", answer.text());
    assert_eq!(answer.header("docker-distribution-api-version"), Some("registry/2.0"));
}

#[test]
fn image_is_pushed_and_pulled() {
    let (cloud, client) = serve_repository();
    for path in ["/v2/", "/v2"] {
        let answer = client.send("GET", path, "");
        assert_eq!(
            (answer.status, answer.header("docker-distribution-api-version")),
            (200, Some("registry/2.0"))
        );
    }
    let manifest = client.push("team/web", "layer", "v1");
    let digest = BlobDigest::of(manifest.as_bytes()).to_string();
    for reference in ["v1", &digest] {
        let path = format!("/v2/team/web/manifests/{reference}");
        let answer = client.send("GET", &path, "");
        assert_eq!((answer.status, answer.text()), (200, manifest.as_str()));
        assert_eq!(
            (answer.header("content-type"), answer.header("docker-content-digest")),
            (Some(OCI), Some(&*digest))
        );
        let head = client.send("HEAD", &path, "");
        assert_eq!(
            (head.status, head.body.len(), head.header("docker-content-digest")),
            (200, 0, Some(&*digest))
        );
        assert_eq!(head.header("content-length"), Some(&*manifest.len().to_string()));
    }
    let images = Repository::objects(&cloud.session()).get("team/web").wait().unwrap().unwrap();
    assert_eq!(images.images().wait().unwrap().len(), 1);
    // Clients push what is there already, too.
    client.push("team/web", "layer", "v1");
    let answer = client.send("DELETE", &format!("/v2/team/web/manifests/{digest}"), "");
    assert_eq!(answer.status, 202);
    assert_refused(&client.send("GET", "/v2/team/web/manifests/v1", ""), 404, "MANIFEST_UNKNOWN");
}

#[test]
fn blobs_are_uploaded_in_chunks_and_resumed() {
    let (_, client) = serve_repository();
    let upload = client.begin("team/web");
    let first = client.with("Content-Range", "0-2").send("PATCH", &upload, "abc");
    assert_eq!((first.status, first.header("range")), (202, Some("0-2")));
    let answer = client.with("Content-Range", "2-4").send("PATCH", &upload, "cde");
    assert_refused(&answer, 416, "BLOB_UPLOAD_INVALID");
    assert_eq!(answer.header("range"), Some("0-2"));
    let status = client.send("GET", &upload, "");
    assert_eq!(
        (status.status, status.header("range"), status.header("content-length")),
        (204, Some("0-2"), None)
    );
    client.with("Content-Range", "3-4").send("PATCH", &upload, "de");
    let digest = BlobDigest::of(b"abcdef").to_string();
    let wrong = client.send("PUT", &format!("{upload}?digest={}", BlobDigest::of(b"x")), "f");
    assert_refused(&wrong, 400, "DIGEST_INVALID");
    let last = client.send("PUT", &format!("{upload}?digest={digest}"), "");
    assert_eq!(last.status, 201, "the last part was kept: {}", last.text());
    let blob = format!("/v2/team/web/blobs/{digest}");
    assert_eq!(client.send("GET", &blob, "").text(), "abcdef");
    assert_refused(&client.send("PATCH", &upload, "x"), 404, "BLOB_UPLOAD_UNKNOWN");
    let whole = BlobDigest::of(b"whole");
    let path = format!("/v2/team/web/blobs/uploads/?digest={whole}");
    assert_eq!(client.send("POST", &path, "whole").status, 201);
    assert_refused(&client.send("POST", &path, "other"), 400, "DIGEST_INVALID");
    let cancelled = client.begin("team/web");
    assert_eq!(client.send("DELETE", &cancelled, "").status, 204);
    assert_refused(&client.send("GET", &cancelled, ""), 404, "BLOB_UPLOAD_UNKNOWN");
}

#[test]
fn blobs_are_read_in_ranges() {
    let (_, client) = serve_repository();
    let path = format!("/v2/team/web/blobs/{}", client.push_blob("team/web", b"0123456789"));
    let head = client.send("HEAD", &path, "");
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, Some("10"), 0));
    let part = client.with("Range", "bytes=2-4").send("GET", &path, "");
    assert_eq!((part.status, part.text()), (206, "234"));
    assert_eq!(
        (part.header("content-range"), part.header("content-length")),
        (Some("bytes 2-4/10"), Some("3"))
    );
    let part = client.with("Range", "bytes=-2").send("GET", &path, "");
    assert_eq!((part.status, part.text()), (206, "89"));
    let outside = client.with("Range", "bytes=10-").send("GET", &path, "");
    assert_refused(&outside, 416, "RANGE_INVALID");
    assert_eq!(outside.header("content-range"), Some("bytes */10"));
    let missing = format!("/v2/team/web/blobs/{}", BlobDigest::of(b"none"));
    assert_refused(&client.send("GET", &missing, ""), 404, "BLOB_UNKNOWN");
    assert_refused(&client.send("DELETE", &path, ""), 405, "UNSUPPORTED");
}

#[test]
fn layers_of_other_repositories_are_mounted_if_the_registry_allows_it() {
    let (cloud, client) = serve_repository();
    create(&cloud.session(), "api");
    let digest = client.push_blob("team/web", b"layer");
    let mount = format!("/v2/api/blobs/uploads/?mount={digest}&from=team%2Fweb");
    assert_eq!(client.send("POST", &mount, "").status, 202, "an upload begins instead");
    Repository::objects(&cloud.session()).set_account_setting("BLOB_MOUNTING", "ENABLED").wait().unwrap();
    let mounted = client.send("POST", &mount, "");
    assert_eq!((mounted.status, mounted.header("docker-content-digest")), (201, Some(&*digest)));
    assert_eq!(client.send("GET", &format!("/v2/api/blobs/{digest}"), "").text(), "layer");
    let other = format!("/v2/api/blobs/uploads/?mount={}&from=team/web", BlobDigest::of(b"none"));
    assert_eq!(client.send("POST", &other, "").status, 202);
}

#[test]
fn tags_are_listed_in_pages() {
    let (_, client) = serve_repository();
    assert_eq!(client.send("GET", "/v2/team/web/tags/list", "").text(), r#"{"name":"team/web","tags":[]}"#);
    for tag in ["c", "a", "b"] {
        client.push("team/web", "layer", tag);
    }
    let first = client.send("GET", "/v2/team/web/tags/list?n=2", "");
    assert_eq!(first.text(), r#"{"name":"team/web","tags":["a","b"]}"#);
    assert_eq!(first.header("link"), Some(r#"</v2/team/web/tags/list?n=2&last=b>; rel="next""#));
    let rest = client.send("GET", "/v2/team/web/tags/list?n=2&last=b", "");
    assert_eq!((rest.text(), rest.header("link")), (r#"{"name":"team/web","tags":["c"]}"#, None));
}

#[test]
fn images_about_an_image_are_listed() {
    let (_, client) = serve_repository();
    let subject = BlobDigest::of(client.push("team/web", "layer", "v1").as_bytes());
    let more = format!(
        r#","artifactType":"text/signature","annotations":{{"by":"ann"}},"subject":{{"digest":"{subject}","size":1}}"#
    );
    let signature = client.manifest("team/web", "signature", &more);
    let digest = BlobDigest::of(signature.as_bytes());
    let answer = client.push_manifest(&format!("/v2/team/web/manifests/{digest}"), &signature);
    assert_eq!((answer.status, answer.header("oci-subject")), (201, Some(&*subject.to_string())));
    let listed = client.send("GET", &format!("/v2/team/web/referrers/{subject}"), "");
    let expected = format!(
        r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{{"mediaType":"{OCI}","digest":"{digest}","size":{},"artifactType":"text/signature","annotations":{{"by":"ann"}}}}]}}"#,
        signature.len()
    );
    assert_eq!(listed.text(), expected);
    let filtered =
        client.send("GET", &format!("/v2/team/web/referrers/{subject}?artifactType=text/plain"), "");
    assert!(filtered.text().ends_with(r#""manifests":[]}"#), "{}", filtered.text());
    assert_eq!(filtered.header("oci-filters-applied"), Some("artifactType"));
}

#[test]
fn refusals_have_the_codes_of_the_protocol() {
    let (cloud, client) = serve_repository();
    let unknown = client.send("GET", "/v2/none/manifests/v1", "");
    assert_refused(&unknown, 404, "NAME_UNKNOWN");
    let text = "The repository with name 'none' does not exist in the registry with id '123456789012'";
    assert!(unknown.text().contains(text), "{}", unknown.text());
    assert_refused(&client.send("POST", "/v2/none/blobs/uploads/", ""), 404, "NAME_UNKNOWN");
    assert_refused(&client.send("GET", "/v2/team/web/else", ""), 404, "UNSUPPORTED");
    assert_refused(&client.send("GET", "/v2/team/web/referrers/x", ""), 400, "DIGEST_INVALID");
    assert_refused(&client.send("GET", "/_nephos/forks/none/v2/", ""), 404, "NAME_UNKNOWN");
    let put = |text: &str| client.push_manifest("/v2/team/web/manifests/v1", text);
    assert_refused(&put("{"), 400, "MANIFEST_INVALID");
    let missing = format!(r#"{{"digest":"{}","size":1}}"#, BlobDigest::of(b"none"));
    let image = format!(r#"{{"mediaType":"{OCI}","config":{missing},"layers":[]}}"#);
    assert_refused(&put(&image), 404, "BLOB_UPLOAD_UNKNOWN");
    assert_refused(&put(&"x".repeat((4 << 20) + 1)), 413, "MANIFEST_INVALID");
    let manifest = client.push("team/web", "layer", "v1");
    let wrong = format!("/v2/team/web/manifests/{}", BlobDigest::of(b"none"));
    assert_refused(&client.push_manifest(&wrong, &manifest), 400, "DIGEST_INVALID");
    assert_refused(&client.push_manifest("/v2/team/web/manifests/a+b", &manifest), 400, "TAG_INVALID");
    let mut web = Repository::objects(&cloud.session()).get("team/web").wait().unwrap().unwrap();
    web.set_image_tag_mutability(ImageTagMutability::Immutable).unwrap();
    web.save().wait().unwrap();
    assert_refused(&put(&manifest), 400, "TAG_INVALID");
}

#[test]
fn size_of_blobs_is_limited() {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    create(&cloud.session(), "web");
    let mut limits = Limits::default();
    limits.blob_bytes = 10;
    let client = Client::new(serve(Server::new(cloud.clone()).limits(limits)));
    let upload = client.begin("web");
    assert_refused(&client.send("PATCH", &upload, "01234567890"), 413, "SIZE_INVALID");
    assert_eq!(client.send("PATCH", &upload, "0123456789").status, 202);
    assert_refused(&client.send("PATCH", &upload, "x"), 413, "SIZE_INVALID");
    assert_eq!(cloud.sweep_blobs().unwrap(), 0, "nothing of the refused part is left");
}

/// A connection whose request or answer is not complete.
struct Half(TcpStream);

impl Half {
    fn open(client: &Client, head: &str) -> Self {
        let mut stream = TcpStream::connect(client.address).unwrap();
        let head = format!("{head} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        Self(stream)
    }

    /// Begins to upload a part of two bytes; returns the first line of the response, which is there before the body.
    fn upload(client: &Client, repository: &str) -> (Self, String) {
        let mut half = Self::open(client, &format!("PATCH {}", client.begin(repository)));
        half.0.write_all(b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n").unwrap();
        let mut line = String::new();
        while !line.ends_with("\r\n\r\n") && !line.contains("HTTP/1.1 4") {
            let mut byte = [0];
            half.0.read_exact(&mut byte).unwrap();
            line.push(byte[0].into());
        }
        (half, line.trim_end().to_owned())
    }

    /// Sends a byte of the body.
    fn drip(&mut self) {
        self.0.write_all(b"x").unwrap();
    }

    fn finish(mut self) -> Answer {
        read_answer(&mut self.0)
    }
}

#[test]
fn bodies_that_wait_for_their_clients_hold_no_threads() {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    create(&cloud.session(), "web");
    let client = Client::new(serve_with_threads(Server::new(cloud), 1));
    // More than the buffers of a connection hold.
    let blob = client.push_blob("web", &vec![b'x'; 16 << 20]);
    let mut downloads = Vec::new();
    let mut uploads = Vec::new();
    for _ in 0..3 {
        let mut download = Half::open(&client, &format!("GET /v2/web/blobs/{blob}"));
        download.0.write_all(b"\r\n").unwrap();
        let mut first = [0; 12];
        download.0.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        downloads.push(download);
        let (mut upload, line) = Half::upload(&client, "web");
        assert_eq!(line, "HTTP/1.1 100 Continue");
        upload.drip();
        uploads.push(upload);
    }
    // A body of this size is answered on a thread.
    let large = client.send("POST", "/v1/registries/name/a", " ".repeat(40 << 10));
    assert_ne!(large.status, 500, "{}", large.text());
    assert_eq!(client.send("GET", "/_nephos/clock", "").status, 200);
    for mut upload in uploads {
        upload.drip();
        assert_eq!(upload.finish().status, 202);
    }
    for mut download in downloads {
        let mut rest = Vec::new();
        download.0.read_to_end(&mut rest).unwrap();
        assert!(rest.len() > 16 << 20);
    }
}

#[test]
fn uploads_at_a_time_are_limited() {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    create(&cloud.session(), "web");
    let mut limits = Limits::default();
    limits.uploads_per_client = 2;
    let client = Client::new(serve(Server::new(cloud).limits(limits)));
    let (mut first, _) = Half::upload(&client, "web");
    let (_second, line) = Half::upload(&client, "web");
    assert_eq!(line, "HTTP/1.1 100 Continue");
    let upload = client.begin("web");
    let refused = client.send("PATCH", &upload, "third");
    assert_refused(&refused, 429, "TOOMANYREQUESTS");
    assert!(refused.text().contains("2 uploads of this address are under way"), "{}", refused.text());
    assert_eq!(client.send("GET", &upload, "").status, 204, "other requests are answered");
    first.drip();
    first.drip();
    assert_eq!(first.finish().status, 202);
    assert_eq!(client.send("PATCH", &upload, "third").status, 202);
}

#[test]
fn manifests_of_many_layers_are_refused_in_a_short_text() {
    let (_, client) = serve_repository();
    let put = |count: usize| {
        let layer = |n| format!(r#"{{"digest":"{}","size":1}}"#, BlobDigest::of(format!("{n}").as_bytes()));
        let layers: Vec<_> = (0..count).map(layer).collect();
        let manifest = format!(r#"{{"mediaType":"{OCI}","layers":[{}]}}"#, layers.join(","));
        client.push_manifest("/v2/team/web/manifests/v1", &manifest)
    };
    let most = put(4_200);
    assert_refused(&most, 404, "BLOB_UPLOAD_UNKNOWN");
    assert!(
        most.text().contains(", and 4100 others]' required") && most.text().len() < 10_000,
        "{}",
        most.text()
    );
    let more = put(4_201);
    assert_refused(&more, 400, "MANIFEST_INVALID");
    assert!(more.text().contains("at most 4200 layers or images, got 4201"), "{}", more.text());
}

/// Returns the headers of a client that logged in with the token of `session`.
fn log_in(client: &Client, session: &Session) -> Client {
    let tokens = Repository::objects(session).get_authorization_token().wait().unwrap();
    let data = &tokens.authorization_data().unwrap()[0];
    client.with("Authorization", &format!("Basic {}", data.authorization_token().unwrap()))
}

#[test]
fn strict_server_wants_a_token() {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    create(&cloud.session(), "web");
    let (address, _) = serve_strict(&cloud);
    let client = Client::new(address);
    let challenge = client.send("GET", "/v2/", "");
    assert_refused(&challenge, 401, "UNAUTHORIZED");
    let realm = format!(r#"Basic realm="http://{address}/",service="ecr.amazonaws.com""#);
    assert_eq!(challenge.header("www-authenticate"), Some(&*realm));
    // A client without a login sends empty credentials after the challenge.
    let blob = format!("/v2/web/blobs/{}", BlobDigest::of(b"layer"));
    for (method, header) in [("HEAD", None), ("HEAD", Some("Basic Og==")), ("GET", Some("Basic Og=="))] {
        let client = header.map_or(Client::new(address), |header| client.with("Authorization", header));
        let answer = client.send(method, &blob, "");
        assert_eq!(
            (answer.status, answer.header("www-authenticate")),
            (401, Some(&*realm)),
            "{method} {header:?}"
        );
    }
    let wrong = client.with("Authorization", "Basic QVdTOnNlY3JldA==");
    assert_refused(&wrong.send("GET", "/v2/", ""), 403, "DENIED");
    let known = log_in(&client, &cloud.session());
    assert_eq!(known.send("GET", "/v2/", "").status, 200);
    known.push("web", "layer", "v1");
    let elsewhere = log_in(&client, &cloud.session().with_account("210987654321"));
    assert_refused(&elsewhere.send("GET", "/v2/web/manifests/v1", ""), 404, "NAME_UNKNOWN");
    cloud.clock().advance(SignedDuration::from_hours(12)).unwrap();
    let expired = known.send("GET", "/v2/", "");
    assert_refused(&expired, 403, "DENIED");
    assert!(expired.text().contains("has expired"), "{}", expired.text());
}

/// The caller of a token is nobody once it is gone, and not the root of its account.
#[test]
fn tokens_of_callers_that_are_gone_are_refused_where_policies_are_enforced() {
    let cloud = Cloud::options().clock(noon()).seed(1).permissions(Permissions::Enforce).in_memory();
    let root = cloud.session();
    create(&root, "web");
    let client = Client::new(serve(Server::new(cloud.clone())));
    let pull = |client: &Client| client.send("GET", "/v2/web/tags/list", "");
    let policy =
        r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}"#;
    let ann = User::builder().user_name("ann").build().unwrap();
    let ann = User::objects(&root).create(&ann).wait().unwrap();
    ann.put_policy("own", policy).wait().unwrap();
    let new_key = || AccessKey::objects(&root).create().user_name("ann").wait().unwrap();
    let log_in_with = |key: &AccessKey| {
        let credentials = Credentials {
            access_key_id: key.access_key_id().unwrap().into(),
            secret_access_key: key.secret_access_key().unwrap().clone(),
            session_token: None,
            expiration: None,
        };
        let session = root.with_credentials(credentials);
        let client = log_in(&client, &session);
        assert_eq!(pull(&client).status, 200);
        (session, client)
    };
    let deleted = new_key();
    let mut inactive = new_key();
    let [(session, of_deleted), (_, of_inactive)] = [&deleted, &inactive].map(log_in_with);
    let role = Role::builder().role_name("worker").assume_role_policy_document(
        r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "*"}}}"#,
    );
    let role = Role::objects(&root).create(&role.build().unwrap()).wait().unwrap();
    role.put_policy("own", policy).wait().unwrap();
    let assumed = session.assume(role.arn().unwrap().unwrap(), "job").wait().unwrap();
    let of_session = log_in(&client, &assumed);
    assert_eq!(pull(&of_session).status, 200);
    deleted.delete().wait().unwrap();
    assert_refused(&pull(&of_deleted), 403, "DENIED");
    inactive.set_status("Inactive").unwrap();
    inactive.save().wait().unwrap();
    assert_refused(&pull(&of_inactive), 403, "DENIED");
    role.delete_policy("own").wait().unwrap();
    role.delete().wait().unwrap();
    assert_refused(&pull(&of_session), 403, "DENIED");
    cloud.clock().advance(SignedDuration::from_hours(2)).unwrap();
    assert_refused(&pull(&of_session), 403, "DENIED");
}

#[test]
fn policies_decide_about_pushes_and_pulls() {
    let cloud = Cloud::options().clock(noon()).seed(1).permissions(Permissions::Enforce).in_memory();
    let root = cloud.session();
    create(&root, "web");
    let (address, _) = serve_strict(&cloud);
    let owner = log_in(&Client::new(address), &root);
    owner.push("web", "layer", "v1");
    let ann = User::builder().user_name("ann").build().unwrap();
    let ann = User::objects(&root).create(&ann).wait().unwrap();
    let allow = |actions: &str| {
        let document = format!(
            r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Action": [{actions}], "Resource": "*"}}]}}"#
        );
        ann.put_policy("own", document).wait().unwrap();
    };
    allow(r#""ecr:GetAuthorizationToken", "ecr:BatchGetImage""#);
    let key = AccessKey::objects(&root).create().user_name("ann").wait().unwrap();
    let credentials = Credentials {
        access_key_id: key.access_key_id().unwrap().into(),
        secret_access_key: key.secret_access_key().unwrap().clone(),
        session_token: None,
        expiration: None,
    };
    let client = log_in(&Client::new(address), &root.with_credentials(credentials));
    assert_eq!(client.send("GET", "/v2/web/manifests/v1", "").status, 200);
    let refused = client.send("POST", "/v2/web/blobs/uploads/", "");
    assert_refused(&refused, 403, "DENIED");
    let text = "User: arn:aws:iam::123456789012:user/ann is not authorized to perform: ecr:InitiateLayerUpload on resource: \
                arn:aws:ecr:us-east-1:123456789012:repository/web because no identity-based policy allows the \
                ecr:InitiateLayerUpload action";
    assert!(refused.text().contains(text), "{}", refused.text());
    allow(r#""ecr:*""#);
    client.push("web", "other", "v2");
    key.delete().wait().unwrap();
    assert_refused(&client.send("GET", "/v2/", ""), 403, "DENIED");
}

#[test]
fn forks_have_registries_of_their_own() {
    let (cloud, client) = serve_repository();
    client.push("team/web", "layer", "v1");
    assert_eq!(client.send("POST", "/_nephos/fork", r#"{"name":"one"}"#).status, 200);
    let fork = client.with("x-nephos-fork", "one");
    let manifest = fork.push("team/web", "new layer", "v2");
    assert_eq!(fork.send("GET", "/v2/team/web/manifests/v2", "").text(), manifest);
    assert_eq!(fork.send("GET", "/v2/team/web/manifests/v1", "").status, 200, "the images of its origin");
    assert_refused(&client.send("GET", "/v2/team/web/manifests/v2", ""), 404, "MANIFEST_UNKNOWN");
    assert_eq!(cloud.sweep_blobs().unwrap(), 0, "the fork uses its layer");
    client.send("DELETE", "/_nephos/forks/one", "");
    assert_eq!(cloud.sweep_blobs().unwrap(), 1);
}

#[test]
fn host_names_account_and_region() {
    let (cloud, client) = serve_repository();
    let session = cloud.session().with_account("210987654321").with_region("eu-west-1");
    create(&session, "there");
    let there = client.with("Host", "210987654321.dkr.ecr.eu-west-1.localhost:4566");
    there.push("there", "layer", "v1");
    assert_refused(&there.send("GET", "/v2/team/web/tags/list", ""), 404, "NAME_UNKNOWN");
    let found = Repository::objects(&session).get("there").wait().unwrap().unwrap();
    assert_eq!(found.images().wait().unwrap().len(), 1);
}
