//! API destinations at a loopback address.

use crate::served::{self, noon, serve, serve_cloud, session};
use nephos::{
    ApiDestination, Cloud, Connection, EventBus, EventRule, EventTarget, Session, SignedDuration,
    prelude::*,
    services::events::{
        ApiDestinationHttpMethod, ConnectionAuthParameters, ConnectionAuthorizationType,
        ConnectionBasicAuthParameters, ConnectionOAuthClientParameters, ConnectionOAuthHttpMethod,
        ConnectionOAuthParameters, ConnectionState, DeliveryState, HttpParameters, ListDeliveries,
        PutEventsRequestEntry,
    },
};
use nephos_server::Server;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    sync::mpsc::{Receiver, channel},
    thread,
};

/// A request that an endpoint got: its first line, its other lines in lower case, and its body.
struct Received {
    line: String,
    head: String,
    body: String,
}

/// Starts an endpoint that answers with what `answer` returns for the number and the first line of a request.
fn endpoint(
    answer: impl Fn(usize, &str) -> (u16, &'static str) + Send + 'static,
) -> (SocketAddr, Receiver<Received>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for (n, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(&stream);
            let (mut line, mut head) = (String::new(), String::new());
            reader.read_line(&mut line).unwrap();
            while !head.ends_with("\r\n\r\n") {
                reader.read_line(&mut head).unwrap();
            }
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            let mut body = vec![0; length.unwrap()];
            reader.read_exact(&mut body).unwrap();
            let (status, text) = answer(n, &line);
            let body = String::from_utf8(body).unwrap();
            if sender.send(Received { line: line.trim().to_owned(), head, body }).is_err() {
                return;
            }
            let length = text.len();
            let _ = write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n{text}");
        }
    });
    (address, receiver)
}

/// Creates a connection, an API destination and a rule that sends events of shops to it.
fn create_rule(
    session: &Session,
    url: &str,
    ty: ConnectionAuthorizationType,
    auth: ConnectionAuthParameters,
) {
    let connection = Connection::builder().name("shop").authorization_type(ty).auth_parameters(auth);
    let connection = Connection::objects(session).create(&connection.build().unwrap()).wait().unwrap();
    let destination = ApiDestination::builder()
        .name("orders")
        .connection_arn(connection.require_arn().unwrap())
        .invocation_endpoint(url)
        .http_method(ApiDestinationHttpMethod::Put);
    let destination = ApiDestination::objects(session).create(&destination.build().unwrap()).wait().unwrap();
    let rule = EventRule::builder().name("orders").event_pattern(r#"{"source": ["shop"]}"#).build().unwrap();
    EventRule::objects(session).create(&rule).wait().unwrap();
    let http = HttpParameters::builder()
        .path_parameter_values(["7"])
        .header_parameters([("X-Team", "web")])
        .query_string_parameters([("q", "1 2")]);
    let target = EventTarget::builder()
        .rule("orders")
        .id("t")
        .arn(destination.require_arn().unwrap())
        .role_arn("arn:aws:iam::123456789012:role/events")
        .http_parameters(http.build().unwrap())
        .input(r#"{"n": 1}"#);
    EventTarget::objects(session).create(&target.build().unwrap()).wait().unwrap();
}

fn send_order(session: &Session) {
    let entry = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail("{}").build();
    EventBus::objects(session).put_events("default", [entry.unwrap()]).strict(true).wait().unwrap();
}

fn basic(password: &str) -> ConnectionAuthParameters {
    let basic = ConnectionBasicAuthParameters::builder().username("ann").password(password).build().unwrap();
    ConnectionAuthParameters::builder().basic_auth_parameters(basic).build().unwrap()
}

/// Creates a cloud with the function of a server, which does not run: calls are made when the clock is advanced.
fn cloud() -> (Cloud, Session) {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    drop(Server::new(cloud.clone()));
    (cloud.clone(), cloud.session())
}

fn advance(cloud: &Cloud, seconds: i64) {
    cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
}

#[test]
fn served_cloud_sends_events_to_an_endpoint() {
    let (_, address) = serve_cloud();
    let (endpoint, requests) = endpoint(|_, _| (200, ""));
    let session = Session::remote().endpoint(format!("http://{address}")).region("us-east-1");
    let session = session.keys("123456789012", "x").build().unwrap();
    let url = format!("http://{endpoint}/orders/*?v=1");
    create_rule(&session, &url, ConnectionAuthorizationType::Basic, basic("hush"));
    send_order(&session);
    let request = requests.recv().unwrap();
    assert_eq!(request.line, "PUT /orders/7?v=1&q=1%202 HTTP/1.1");
    assert_eq!(request.body, r#"{"n": 1}"#);
    for line in [
        "authorization: basic yw5uomh1c2g=",
        "x-team: web",
        "content-type: application/json; charset=utf-8",
        "user-agent: amazon/eventbridge/apidestinations",
        &format!("host: {endpoint}"),
    ] {
        assert!(request.head.lines().any(|found| found == line), "{line} is not in {}", request.head);
    }
}

#[test]
fn status_decides_on_further_requests() {
    for (status, state, is_authorized) in [
        (200, None, true),
        (404, Some(DeliveryState::Failed), true),
        (301, Some(DeliveryState::Failed), true),
        (401, Some(DeliveryState::Pending), false),
        (407, Some(DeliveryState::Pending), false),
        (409, Some(DeliveryState::Pending), true),
        (429, Some(DeliveryState::Pending), true),
        (503, Some(DeliveryState::Pending), true),
    ] {
        let (cloud, session) = cloud();
        let (endpoint, requests) = endpoint(move |_, _| (status, ""));
        let url = format!("http://{endpoint}/");
        create_rule(&session, &url, ConnectionAuthorizationType::Basic, basic("hush"));
        send_order(&session);
        advance(&cloud, 0);
        assert_eq!(requests.try_iter().count(), 1, "{status}");
        let deliveries = cloud.control(ListDeliveries::new()).unwrap();
        let found = deliveries.deliveries().unwrap().first().and_then(|delivery| delivery.state().cloned());
        assert_eq!(found, state, "{status}");
        let connection = Connection::objects(&session).get("shop").wait().unwrap().unwrap();
        assert_eq!(
            connection.connection_state() == Some(&ConnectionState::Authorized),
            is_authorized,
            "{status}"
        );
        advance(&cloud, 1);
        let is_repeated = state == Some(DeliveryState::Pending) && is_authorized;
        assert_eq!(requests.try_iter().count(), usize::from(is_repeated), "{status}");
    }
}

#[test]
fn token_is_kept_until_it_expires_or_is_refused() {
    let (cloud, session) = cloud();
    let answer = |n, line: &str| match line.starts_with("POST /token") {
        true => (200, r#"{"access_token": "t1", "expires_in": 60}"#),
        false if n == 5 => (401, ""),
        false => (200, ""),
    };
    let (endpoint, requests) = endpoint(answer);
    let client =
        ConnectionOAuthClientParameters::builder().client_id("shop").client_secret("a&b").build().unwrap();
    let oauth = ConnectionOAuthParameters::builder()
        .client_parameters(client)
        .authorization_endpoint(format!("http://{endpoint}/token"))
        .http_method(ConnectionOAuthHttpMethod::Post);
    let auth = ConnectionAuthParameters::builder().o_auth_parameters(oauth.build().unwrap()).build().unwrap();
    create_rule(&session, &format!("http://{endpoint}/orders"), ConnectionAuthorizationType::OAuth, auth);
    let sent = |seconds| {
        advance(&cloud, seconds);
        send_order(&session);
        advance(&cloud, 0);
        requests.try_iter().collect::<Vec<_>>()
    };
    let [token, request] = &sent(0)[..] else { panic!("a token and a request") };
    assert_eq!(token.body, "grant_type=client_credentials&client_id=shop&client_secret=a%26b");
    assert!(request.head.contains("authorization: bearer t1"), "{}", request.head);
    assert_eq!(sent(0).len(), 1);
    assert_eq!(sent(61).len(), 2);
    assert_eq!(sent(0).len(), 1, "the endpoint refuses the token");
    advance(&cloud, 1);
    let repeated: Vec<_> = requests.try_iter().map(|request| request.line).collect();
    assert_eq!(repeated, ["POST /token HTTP/1.0", "PUT /orders?q=1%202 HTTP/1.1"]);
}

/// A rule that reaches its own server could use the control endpoint as a client of this machine, and feed itself.
#[test]
fn server_sends_nothing_to_itself() {
    let (cloud, address) = serve_cloud();
    let port = address.port();
    for host in ["127.0.0.1", "localhost", "[::1]", "127.9.9.9"] {
        let body = format!(r#"{{"name": "own", "url": "http://{host}:{port}/_nephos/reset"}}"#);
        let answer = served::send(address, "POST", "/_nephos/functions", &body);
        assert_eq!(answer.status, 400, "{host}");
        assert!(String::from_utf8(answer.body).unwrap().contains("is the address of this server"), "{host}");
        // An endpoint of a destination cannot be an address in brackets.
        if host.starts_with('[') {
            continue;
        }
        let fork = cloud.fork().unwrap();
        let url = format!("http://{host}:{port}/_nephos/reset");
        create_rule(&fork.session(), &url, ConnectionAuthorizationType::Basic, basic("hush"));
        send_order(&fork.session());
        fork.clock().advance(SignedDuration::from_secs(1)).unwrap();
        let all = fork.control(ListDeliveries::new()).unwrap();
        let delivery = &all.deliveries().unwrap()[0];
        assert_eq!(delivery.state(), Some(&DeliveryState::Failed), "{host}: {delivery:?}");
        assert!(delivery.error_message().unwrap().ends_with("is the address of this server"), "{host}");
    }
}

#[test]
fn server_that_sends_no_requests_keeps_them_in_the_outbox() {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    let address = serve(Server::new(cloud.clone()).outgoing(false));
    let answer =
        served::send(address, "POST", "/_nephos/functions", r#"{"name": "f", "url": "http://127.0.0.1:9/"}"#);
    assert_eq!(answer.status, 403);
    let url = "http://127.0.0.1:9/";
    create_rule(&cloud.session(), url, ConnectionAuthorizationType::Basic, basic("hush"));
    send_order(&cloud.session());
    let all = cloud.control(ListDeliveries::new()).unwrap();
    assert_eq!(all.deliveries().unwrap()[0].state(), Some(&DeliveryState::Delivered));
}

/// An endpoint that does not answer delays no other.
#[test]
fn endpoints_of_other_accounts_do_not_wait_for_one_that_hangs() {
    let (_, address) = serve_cloud();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let (endpoint, requests) = endpoint(|_, _| (200, ""));
    let send = |account: &str, url: SocketAddr| {
        let session = session(address, account).with_region("us-east-1");
        let url = format!("http://{url}/");
        create_rule(&session, &url, ConnectionAuthorizationType::Basic, basic("hush"));
        send_order(&session);
    };
    send("111111111111", silent.local_addr().unwrap());
    let (mut hanging, _) = silent.accept().unwrap();
    send("222222222222", endpoint);
    requests.recv().unwrap();
    // The first request still waits for its answer: its connection has not ended.
    hanging.set_nonblocking(true).unwrap();
    let mut received = Vec::new();
    let error = hanging.read_to_end(&mut received).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
}
