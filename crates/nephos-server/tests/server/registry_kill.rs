//! A server is killed while clients push: images that were acknowledged survive with their layers, and half an upload is
//! never served.

use crate::{
    registry::{Client, create},
    served::serve,
};
use nephos::{Cloud, Image, ecr::ImageIdentifier};
use nephos_server::Server;
use nephos_testing::{kill_after, report_done};
use std::{fs, path::Path, thread};

/// Number of times that the server is killed.
const ROUNDS: usize = 50;

/// Child process of the next test: pushes images from two clients, and reports each, until it is killed.
#[test]
#[ignore = "child process of the next test"]
#[expect(clippy::disallowed_methods, reason = "the parent test passes the path in the environment")]
fn push_images_until_killed() {
    let path = std::env::var("NEPHOS_VICTIM").unwrap();
    let round = std::env::var("NEPHOS_START").unwrap();
    let cloud = Cloud::open(path).unwrap();
    let address = serve(Server::new(cloud));
    let push = |client: usize| {
        for n in 0.. {
            let tag = format!("{round}-{client}-{n}");
            // Large enough to be written in several pieces.
            let layer = tag.repeat(40_000);
            Client::new(address).push("web", &layer, &tag);
            report_done(&tag);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| push(0));
        push(1);
    });
}

#[test]
fn acknowledged_images_survive_kills() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("cloud");
    let cloud = Cloud::open(&path).unwrap();
    create(&cloud.session(), "web");
    cloud.close().unwrap();
    drop(cloud);
    let mut acknowledged = Vec::<String>::new();
    for round in 0..ROUNDS {
        let variables = [("NEPHOS_VICTIM", path.to_str().unwrap()), ("NEPHOS_START", &round.to_string())];
        acknowledged.extend(kill_after(1 + round % 3, "registry_kill::push_images_until_killed", &variables));
        let cloud = Cloud::open(&path).unwrap();
        // Reads every blob that is used.
        cloud.check().unwrap();
        let incoming = folder.path().join("cloud.nephos-blobs/incoming");
        assert_eq!(fs::read_dir(incoming).unwrap().count(), 0, "no half blob is left");
        cloud.close().unwrap();
    }
    verify(&path, &acknowledged);
}

/// Asserts that each image can be pulled, and that no blob is left over after their deletion.
fn verify(path: &Path, acknowledged: &[String]) {
    let cloud = Cloud::open(path).unwrap();
    let session = cloud.session();
    assert!(acknowledged.len() > ROUNDS);
    for tag in acknowledged {
        let id = ImageIdentifier::builder().image_tag(tag.as_str()).build().unwrap();
        let found = Image::objects(&session).get("web", id).wait().unwrap();
        assert!(found.is_some(), "{tag} was acknowledged and is lost");
    }
    nephos::Repository::objects(&session).delete("web").force(true).wait().unwrap();
    assert!(cloud.sweep_blobs().unwrap() >= acknowledged.len());
    cloud.check().unwrap();
}
