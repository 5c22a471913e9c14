//! Tests of `protocol::route`.

use nephos_cloud::BlobDigest;
use nephos_core::Text;
use nephos_ecr::protocol::route::*;

#[test]
fn paths_are_read_from_their_end() {
    let digest = BlobDigest::of(b"abc");
    let name = || Text::from("a/manifests/b");
    for (path, route) in [
        ("/v2/".to_owned(), Some(Route::Version)),
        ("/v2/a/manifests/b/tags/list".into(), Some(Route::Tags { name: name() })),
        (
            "/v2/a/manifests/b/manifests/v1".into(),
            Some(Route::Manifest { name: name(), reference: "v1".into() }),
        ),
        (format!("/v2/a/manifests/b/blobs/{digest}"), Some(Route::Blob { name: name(), digest })),
        ("/v2/a/manifests/b/blobs/uploads/".into(), Some(Route::Uploads { name: name() })),
        ("/v2/a/manifests/b/blobs/uploads".into(), Some(Route::Uploads { name: name() })),
        ("/v2/a/manifests/b/blobs/uploads/1".into(), Some(Route::Upload { name: name(), id: "1".into() })),
        ("/v2/a/manifests/b/referrers/x".into(), Some(Route::Referrers { name: name(), digest: "x".into() })),
        ("/v2/tags/list".into(), None),
        ("/v2/a//tags/list".into(), None),
        ("/v2/a/blobs/sha256:1".into(), None),
        ("/v2/a".into(), None),
    ] {
        assert_eq!(Route::parse(&path), route, "{path}");
    }
}
