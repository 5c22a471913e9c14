//! Services answer at their own paths only, and paths that are nearly those of the control endpoint are refused.

use crate::{
    served::{noon, send, send_with, serve, serve_cloud},
    signing::{Wire, serve_strict},
};
use nephos::Cloud;
use nephos_server::Server;
use std::net::TcpListener;

/// Paths that are nearly that of a fork, or of no service.
const NEARLY: [&str; 15] = [
    "//_nephos/forks/try",
    "//_nephos/forks/try/",
    "/_Nephos/forks/try",
    "/_NEPHOS/forks/try/",
    "/x/_nephos/forks/try",
    "/%5Fnephos/forks/try",
    "/_nephos%2Fforks/try",
    "/./_nephos/forks/try",
    "/_nephos",
    "/_Nephos/../v1/registries/name/k",
    "/_nephos/forks/try//",
    "/_nephos/forks/try//_nephos/reset",
    "/_nephos/forks/try/_Nephos/reset",
    "//",
    "/x",
];

#[test]
fn path_that_is_nearly_a_fork_changes_nothing() {
    let (cloud, address) = serve_cloud();
    assert_eq!(send(address, "POST", "/_nephos/fork", "{\"name\":\"try\"}").status, 200);
    let before = cloud.rows().unwrap();
    let target = [("X-Amz-Target", "Logs_20140328.CreateLogGroup")];
    let form = "Action=CreateVpc&Version=2016-11-15&CidrBlock=10.0.0.0%2F16";
    for path in NEARLY {
        for answer in [
            send_with(address, "POST", path, &target, b"{\"logGroupName\":\"/a\"}"),
            send(address, "POST", path, form),
            send(address, "GET", &format!("{path}?{form}"), ""),
            send(address, "POST", &format!("{path}/v1/registries/name/web"), "{}"),
        ] {
            assert_eq!(answer.status, 404, "{path}: {}", answer.text());
        }
        assert_eq!(cloud.rows().unwrap(), before, "{path}");
    }
    assert_eq!(send(address, "POST", "/", form).status, 200);
    assert_eq!(
        send_with(address, "POST", "/_nephos/forks/try", &target, b"{\"logGroupName\":\"/a\"}").status,
        200
    );
    // A name of the user is no spelling of the control endpoint.
    assert_eq!(send(address, "POST", "/v1/registries/name/_nephos", "{}").status, 201);
}

#[test]
fn signature_for_a_fork_is_not_valid_for_the_main_cloud() {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    let (address, signer) = serve_strict(&cloud);
    let fork = Wire::new("POST", "/_nephos/fork", "{\"name\":\"try\"}");
    assert_eq!(fork.signed(address, &signer.clone().for_service("nephos")).send(address).status, 200);
    let create = Wire {
        path: "/_nephos/forks/try".into(),
        ..Wire::logs("CreateLogGroup", "{\"logGroupName\":\"/a\"}")
    };
    let create = create.signed(address, &signer);
    let before = cloud.rows().unwrap();
    for path in NEARLY {
        let answer = Wire { path: path.into(), ..create.clone() }.send(address);
        assert!((400..=404).contains(&answer.status), "{path}: {}", answer.text());
        assert_eq!(cloud.rows().unwrap(), before, "{path}");
    }
    let same_path = Wire { path: "//_nephos/forks/try".into(), ..create.clone() }.send(address);
    assert_eq!((same_path.status, same_path.field("Code")), (404, "NoSuchPath".into()));
    assert_eq!(create.send(address).status, 200);
    assert_eq!(cloud.rows().unwrap(), before);
}

#[test]
fn path_that_is_nearly_a_fork_is_not_forwarded() {
    let behind = TcpListener::bind("127.0.0.1:0").unwrap();
    behind.set_nonblocking(true).unwrap();
    let server = Server::new(Cloud::in_memory());
    let address = serve(server.fallback(&format!("http://{}", behind.local_addr().unwrap())).unwrap());
    for path in NEARLY.into_iter().filter(|path| path.to_ascii_lowercase().contains("nephos")) {
        let target = [("X-Amz-Target", "AmazonSQS.SendMessage")];
        let answer = send_with(address, "POST", path, &target, b"{}");
        assert!((400..=404).contains(&answer.status), "{path}: {}", answer.text());
    }
    assert_eq!(behind.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}
