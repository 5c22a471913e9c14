//! `Auth::Open`: signatures are not verified, but set the account and the Region.

use crate::served::{authorization, logs, noon, send, send_with, serve, serve_cloud};
use nephos::{Cloud, LogGroup};
use nephos_server::{Key, Keys, Server};

fn create(name: &str) -> String {
    format!("{{\"logGroupName\":\"{name}\"}}")
}

fn group_exists(cloud: &Cloud, account: &str, region: &str, name: &str) -> bool {
    let session = cloud.session().with_account(account).with_region(region);
    LogGroup::objects(&session).get(name).wait().unwrap().is_some()
}

/// Keys of three digits, each of the account that repeats them.
struct Owners;

impl Keys for Owners {
    fn find_key(&self, access_key_id: &str) -> Option<Key> {
        let known = access_key_id.len() == 3;
        known.then(|| Key {
            secret: "a".into(),
            session_token: None,
            account: access_key_id.repeat(4).into(),
        })
    }
}

#[test]
fn access_key_sets_the_account_and_credential_scope_the_region() {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    let address = serve(Server::new(cloud.clone()).keys(Owners));
    for (key, account) in [
        ("987", "987987987987"),
        ("111111111111", "111111111111"),
        ("11111111111", "123456789012"),
        ("11111111111a", "123456789012"),
        ("AKIAIOSFODNN7EXAMPLE", "123456789012"),
        ("a/bc", "123456789012"),
    ] {
        let name = format!("/{}", key.replace('/', "-"));
        assert_eq!(logs(address, key, "CreateLogGroup", &create(&name)).status, 200, "{key}");
        assert!(group_exists(&cloud, account, "us-east-1", &name), "{key}");
    }
    let target = ("X-Amz-Target", "Logs_20140328.CreateLogGroup");
    let signed = authorization("test", "ap-southeast-2", "logs");
    let headers = [target, ("X-Amz-Date", "20260131T120000Z"), ("Authorization", &signed)];
    assert_eq!(send_with(address, "POST", "/", &headers, create("/header").as_bytes()).status, 200);
    assert!(group_exists(&cloud, "123456789012", "ap-southeast-2", "/header"));

    let query = format!(
        "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=111111111111%2F20260131%2Fsa-east-1%2Flogs%2Faws4_request\
         &X-Amz-Date=20260131T120000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature={:064}",
        0
    );
    assert_eq!(send_with(address, "POST", &query, &[target], create("/query").as_bytes()).status, 200);
    assert!(group_exists(&cloud, "111111111111", "sa-east-1", "/query"));
}

#[test]
fn unsigned_request_uses_the_default_account() {
    let (cloud, address) = serve_cloud();
    let target = [("X-Amz-Target", "Logs_20140328.CreateLogGroup")];
    assert_eq!(send_with(address, "POST", "/", &target, create("/web").as_bytes()).status, 200);
    assert!(group_exists(&cloud, "123456789012", "us-east-1", "/web"));
    assert_eq!(send(address, "GET", "/v1/registries", "").status, 200);
}

#[test]
fn incomplete_signature_is_rejected() {
    let (cloud, address) = serve_cloud();
    let before = cloud.rows().unwrap();
    let whole = authorization("111111111111", "us-east-1", "logs");
    for wrong in [
        "",
        "Basic abc",
        "AWS4-HMAC-SHA256 Credential=",
        &whole.replace("AWS4-HMAC", "AWS5-HMAC"),
        &whole.replace("/aws4_request", ""),
        &whole.replace("Signature=0", "Signature="),
        &whole.replace("SignedHeaders", "Headers"),
        &whole.replace("111111111111", ""),
    ] {
        let date = ("X-Amz-Date", "20260131T120000Z");
        let target = ("X-Amz-Target", "Logs_20140328.CreateLogGroup");
        let headers = [target, date, ("Authorization", wrong)];
        let answer = send_with(address, "POST", "/", &headers, create("/web").as_bytes());
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text());
        assert_eq!(answer.header("x-amzn-errortype"), Some("IncompleteSignatureException"), "{wrong}");
        let rest = send_with(address, "GET", "/v1/registries", &[date, ("Authorization", wrong)], b"");
        assert_eq!(rest.status, 403, "{wrong}: {}", rest.text());
    }
    let undated = send_with(address, "GET", "/v1/registries", &[("Authorization", &whole)], b"");
    assert!(undated.text().contains("X-Amz-Date"), "{}", undated.text());
    assert_eq!(cloud.rows().unwrap(), before);
}

#[test]
fn cross_origin_control_request_is_rejected() {
    let (cloud, address) = serve_cloud();
    assert_eq!(logs(address, "test", "CreateLogGroup", &create("/web")).status, 200);
    let own = format!("http://{address}");
    let reset =
        |origin: &str| send_with(address, "POST", "/_nephos/reset", &[("Origin", origin)], b"").status;
    assert_eq!((reset("http://elsewhere"), reset("null")), (403, 403));
    assert!(group_exists(&cloud, "123456789012", "us-east-1", "/web"));
    assert_eq!(reset(&own), 200);
    assert!(!group_exists(&cloud, "123456789012", "us-east-1", "/web"));
}

/// Sends requests as a web page would, with these headers; returns their statuses.
fn send_as_page(address: std::net::SocketAddr, headers: &[(&str, &str)]) -> Vec<(&'static str, u16)> {
    let form = "Action=CreateVpc&Version=2016-11-15&CidrBlock=10.0.0.0%2F16";
    let target = [("X-Amz-Target", "Logs_20140328.DescribeLogGroups")].as_slice();
    let logs = [target, headers].concat();
    vec![
        ("reset", send_with(address, "POST", "/_nephos/reset", headers, b"").status),
        ("state", send_with(address, "GET", "/_nephos/state", headers, b"").status),
        ("form", send_with(address, "POST", "/", headers, form.as_bytes()).status),
        ("image", send_with(address, "GET", &format!("/?{form}"), headers, b"").status),
        ("json", send_with(address, "POST", "/", &logs, b"{}").status),
        ("rest", send_with(address, "POST", "/v1/registries/name/evil", headers, b"{}").status),
    ]
}

#[test]
fn cross_origin_and_rebound_requests_are_rejected() {
    let (cloud, address) = serve_cloud();
    let before = cloud.rows().unwrap();
    let rebound = [("Host", "evil.example:4566"), ("Origin", "http://evil.example:4566")];
    for headers in [
        &rebound[..],
        &rebound[..1],
        &[("Origin", "http://evil.example")],
        &[("Origin", "null")],
        &[("Referer", "http://evil.example/page")],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "same-site")],
    ] {
        for (request, status) in send_as_page(address, headers) {
            assert_eq!(status, 403, "{request} with {headers:?}");
        }
        assert_eq!(send_with(address, "GET", "/_nephos/health", headers, b"").status, 200, "{headers:?}");
    }
    assert_eq!(cloud.rows().unwrap(), before);
    let own = format!("http://{address}");
    for headers in [
        &[("Origin", own.as_str())][..],
        &[("Referer", &format!("{own}/console"))],
        &[("Sec-Fetch-Site", "same-origin")],
        &[("Sec-Fetch-Site", "none")],
    ] {
        for (request, status) in send_as_page(address, headers) {
            assert_ne!(status, 403, "{request} with {headers:?}");
        }
    }
}

#[test]
fn allowed_hosts_and_origins_are_accepted() {
    let cloud = Cloud::in_memory();
    let server =
        Server::new(cloud).host("nephos.test").unwrap().allow_origin("http://localhost:3000").unwrap();
    let address = serve(server);
    let named = [("Host", "nephos.test:4566")];
    assert_eq!(send_with(address, "GET", "/v1/registries", &named, b"").status, 200);
    let page = [("Origin", "http://localhost:3000"), ("Sec-Fetch-Site", "cross-site")];
    let answer = send_with(address, "GET", "/v1/registries", &page, b"");
    assert_eq!(
        (answer.status, answer.header("access-control-allow-origin")),
        (200, Some("http://localhost:3000"))
    );
    let preflight = [
        page[0],
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "x-amz-target"),
    ];
    let answer = send_with(address, "OPTIONS", "/", &preflight, b"");
    assert_eq!((answer.status, answer.header("access-control-allow-headers")), (204, Some("x-amz-target")));
    let other = [("Origin", "http://localhost:3001")];
    assert_eq!(send_with(address, "GET", "/v1/registries", &other, b"").status, 403);
}
