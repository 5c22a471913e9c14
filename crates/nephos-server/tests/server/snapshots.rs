//! Snapshots by the control endpoint: names in a folder, and paths only if they are allowed.

use crate::served::{logs, send, serve};
use nephos::{Cloud, LogGroup};
use nephos_server::Server;
use std::{os::unix::fs::PermissionsExt, process::Command};

fn group_exists(cloud: &Cloud, name: &str) -> bool {
    LogGroup::objects(&cloud.session()).get(name).wait().unwrap().is_some()
}

#[test]
fn snapshots_have_names_in_one_folder() {
    let (folder, cloud) = (tempfile::tempdir().unwrap(), Cloud::in_memory());
    let snapshots = folder.path().join("state.snapshots");
    let address = serve(Server::new(cloud.clone()).snapshot_folder(&snapshots));
    let create = |name: &str| {
        logs(address, "test", "CreateLogGroup", &format!("{{\"logGroupName\":\"{name}\"}}")).status
    };
    assert_eq!(create("/before"), 200);
    let saved = send(address, "POST", "/_nephos/snapshot", "{\"name\":\"one\"}");
    assert_eq!(saved.status, 200, "{}", saved.text());
    assert_eq!(saved.field("path"), snapshots.join("one").to_str().unwrap());
    assert_eq!(snapshots.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(send(address, "POST", "/_nephos/snapshot", "{\"name\":\"one\"}").status, 409);
    assert_eq!(create("/after"), 200);
    // The field `path` accepts a name, too.
    assert_eq!(send(address, "POST", "/_nephos/restore", "{\"path\":\"one\"}").status, 200);
    assert!(group_exists(&cloud, "/before") && !group_exists(&cloud, "/after"));
    assert_eq!(send(address, "POST", "/_nephos/restore", "{\"name\":\"two\"}").status, 404);
    // Files of these names are removed as leftovers of processes that have ended.
    for name in ["keep.99999999-1.nephos-new", "state.nephos-lock", "a.NEPHOS-key"] {
        let refused = send(address, "POST", "/_nephos/snapshot", &format!("{{\"name\":\"{name}\"}}"));
        assert_eq!(refused.status, 400, "{name}: {}", refused.text());
        assert!(refused.text().contains(name), "{}", refused.text());
    }
    assert_eq!(std::fs::read_dir(&snapshots).unwrap().count(), 1);

    let outside = folder.path().join("outside");
    cloud.save_to(&outside, |_| ()).unwrap();
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    for (body, status) in [
        (format!("{{\"path\":\"{}\"}}", outside.display()), 403),
        (format!("{{\"path\":\"{}/new\"}}", folder.path().display()), 403),
        ("{\"path\":\"../outside\"}".into(), 403),
        ("{\"path\":\"..\"}".into(), 400),
        ("{\"name\":\"../outside\"}".into(), 400),
        ("{\"name\":\"a\",\"path\":\"a\"}".into(), 400),
        ("{\"name\":\"\"}".into(), 400),
        ("{}".into(), 400),
    ] {
        for request in ["snapshot", "restore"] {
            let answer = send(address, "POST", &format!("/_nephos/{request}"), &body);
            assert_eq!(answer.status, status, "{request} {body}: {}", answer.text());
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before);
}

#[test]
fn paths_of_snapshots_must_be_allowed_and_be_regular_files() {
    let (folder, cloud) = (tempfile::tempdir().unwrap(), Cloud::in_memory());
    let address = serve(Server::new(cloud.clone()).allow_snapshot_paths(true));
    let post = |request: &str, path: &std::path::Path| {
        send(address, "POST", &format!("/_nephos/{request}"), &format!("{{\"path\":\"{}\"}}", path.display()))
    };
    let path = folder.path().join("copy");
    assert_eq!(post("snapshot", &path).status, 200);
    assert_eq!(post("restore", &path).status, 200);
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&fifo, &link).unwrap();
    for path in [&fifo, &link, std::path::Path::new("/dev/zero"), folder.path()] {
        let refused = post("restore", path);
        assert_eq!(refused.status, 400, "{}", refused.text());
        assert!(refused.text().contains("is not a regular file"), "{}", refused.text());
    }
    let text = folder.path().join("text");
    std::fs::write(&text, "not a state").unwrap();
    for (path, status, code) in [
        (text.clone(), 400, "InvalidSnapshot"),
        (text.join("x"), 400, "ValidationError"),
        (folder.path().join("missing"), 404, "NotFound"),
    ] {
        let refused = post("restore", &path);
        assert_eq!(refused.status, status, "{}", refused.text());
        assert_eq!(refused.field("Code"), code, "{}", refused.text());
        assert!(refused.text().contains(path.to_str().unwrap()), "{}", refused.text());
    }
    let named = send(address, "POST", "/_nephos/snapshot", "{\"name\":\"one\"}");
    assert_eq!(named.status, 404, "there is no folder: {}", named.text());
}
