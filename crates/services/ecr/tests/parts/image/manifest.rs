//! Tests of `image::manifest`.

use nephos_core::Text;
use nephos_ecr::parts::manifest::*;

const DIGEST: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn manifests_of_images_and_lists_are_read() {
    let content = format!(r#"{{"mediaType":"application/x","digest":"{DIGEST}","size":3}}"#);
    let oci = "application/vnd.oci.image.manifest.v1+json";
    let text = format!(
        r#"{{"mediaType":"{oci}","config":{content},"layers":[{content},{content}],"subject":{content}}}"#
    );
    let image = Manifest::parse(&text, None).unwrap();
    assert_eq!((image.size, &*image.layers), (9, &[Text::from(DIGEST)][..]));
    assert_eq!(image.subject.as_deref(), Some(DIGEST));
    assert_eq!(image.artifact_type.as_deref(), Some("application/x"), "that of the configuration");
    let text = format!(r#"{{"manifests":[{content}]}}"#);
    let list = Manifest::parse(&text, Some(LISTS[1])).unwrap();
    assert_eq!((list.children.len(), list.layers.len()), (1, 0));
    let first = format!(r#"{{"schemaVersion":1,"fsLayers":[{{"blobSum":"{DIGEST}"}}]}}"#);
    assert_eq!(Manifest::parse(&first, None).unwrap().layers.len(), 1);
}

#[test]
fn invalid_manifests_are_refused() {
    let oci = IMAGES[1];
    for text in [
        "",
        "[]",
        "{}",
        r#"{"mediaType":"text/plain"}"#,
        &format!(r#"{{"mediaType":"{oci}"}}"#),
        &format!(r#"{{"mediaType":"{oci}","layers":[{{"digest":"sha256:1"}}]}}"#),
        &format!(r#"{{"mediaType":"{oci}","layers":[{{"digest":"{DIGEST}","size":-1}}]}}"#),
        &format!(r#"{{"mediaType":"{oci}","layers":{{}}}}"#),
        r#"{"schemaVersion":1}"#,
    ] {
        assert!(Manifest::parse(text, None).is_err(), "{text}");
    }
    assert!(Manifest::parse(&format!(r#"{{"mediaType":"{oci}"}}"#), Some(LISTS[0])).is_err());
}

#[test]
fn parts_of_manifests_are_limited() {
    for (media_type, list) in [(IMAGES[1], "layers"), (LISTS[1], "manifests")] {
        let parse = |count: usize| {
            let parts: Vec<_> =
                (0..count).map(|n| format!(r#"{{"digest":"sha256:{n:064x}","size":1}}"#)).collect();
            let text = format!(r#"{{"mediaType":"{media_type}","{list}":[{}]}}"#, parts.join(","));
            Manifest::parse(&text, None)
        };
        let most = parse(4_200).unwrap();
        assert_eq!(
            (
                most.layers.len() + most.children.len(),
                most.layers.last().or(most.children.last()).unwrap().len()
            ),
            (4_200, 71)
        );
        let error = parse(46_000).unwrap_err();
        assert!(error.message().contains("at most 4200 layers or images, got 46000"), "{error}");
    }
}
