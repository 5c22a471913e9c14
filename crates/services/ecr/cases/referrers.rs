//! Cases: images that are about another image are listed.

use super::{
    World, create,
    images::{OCI, push, put},
};
use nephos_core::{Result, Session};
use nephos_ecr::{ListImageReferrers, ReferrersFilter, SubjectIdentifier, errors};
use nephos_testing::ask;

/// Pushes a signature of an image.
fn sign(session: &Session, subject: &str, artifact_type: &str) -> Result<()> {
    let config = nephos_cloud::BlobDigest::of(b"one");
    let manifest = format!(
        r#"{{"mediaType":"{OCI}","artifactType":"{artifact_type}","config":{{"digest":"{config}","size":3}},"layers":[],
            "subject":{{"digest":"{subject}","size":1}},"annotations":{{"by":"me"}}}}"#
    );
    put(session, &manifest, None).map(|_| ())
}

fn list(subject: &str) -> Result<ListImageReferrers> {
    let subject = SubjectIdentifier::builder().image_digest(subject).build()?;
    Ok(ListImageReferrers::new("web", subject))
}

pub(super) fn referrers_are_listed_and_filtered(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let digest = push(&session, "one", Some("v1"))?;
    assert_eq!(ask(&session, list(&digest)?)?.referrers().unwrap().len(), 0);
    sign(&session, &digest, "application/a")?;
    sign(&session, &digest, "application/b")?;
    let found = ask(&session, list(&digest)?)?;
    assert_eq!(found.referrers().unwrap().len(), 2);
    let filter = ReferrersFilter::builder().artifact_types(["application/b"]).build()?;
    let found = ask(&session, list(&digest)?.filter(filter))?;
    let [one] = found.referrers().unwrap() else { panic!("one signature") };
    assert_eq!((one.artifact_type(), one.media_type()), (Some("application/b"), Some(OCI)));
    assert_eq!(one.annotations().unwrap().get("by").map(|by| by.as_str()), Some("me"));
    let first = ask(&session, list(&digest)?.max_results(1))?;
    let next = list(&digest)?.max_results(1).next_token(first.next_token().unwrap());
    assert_ne!(ask(&session, next)?.referrers(), first.referrers());
    world.refused(&errors::INVALID, "subjectId", || ask(&session, list("abc")?));
    Ok(())
}
