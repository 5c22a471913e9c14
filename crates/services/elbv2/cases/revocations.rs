//! Files of trust stores: CA certificates bundles and revocation files.

use super::{
    World, ask, create_balancer, create_trust_store,
    trust_stores::{create_verifying_listener, stores},
};
use nephos_core::{Result, prelude::*};
use nephos_elbv2::{
    AddTrustStoreRevocations, CreateTrustStore, DeleteSharedTrustStoreAssociation,
    DescribeTrustStoreRevocations, GetResourcePolicy, GetTrustStoreCaCertificatesBundle,
    GetTrustStoreRevocationContent, ModifyTrustStore, RemoveTrustStoreRevocations, RevocationContent,
    RevocationType, TrustStoreRevocation, errors,
};

fn file(key: &str) -> RevocationContent {
    RevocationContent::builder().s3_bucket("trust").s3_key(key).build().unwrap()
}

fn ids(files: &[TrustStoreRevocation]) -> Vec<i64> {
    files.iter().filter_map(TrustStoreRevocation::revocation_id).collect()
}

pub(super) fn add_and_remove_revocation_files(world: &World) -> Result<()> {
    let session = world.session();
    let store = create_trust_store(world, "web")?;
    let arn = store.require_arn()?;
    let total = || stores(&session).get().name("web").wait().unwrap().unwrap().total_revoked_entries();
    assert_eq!(total(), Some(0));
    let empty = world.state()?;
    assert!(store.revocations().wait()?.is_empty());
    let added =
        stores(&session).add_revocations(arn).revocation_contents([file("a.crl"), file("b.crl")]).wait()?;
    assert_eq!(ids(&added), [1, 2]);
    assert_eq!(added[0].trust_store_arn(), Some(arn));
    assert_eq!(added[0].revocation_type(), Some(&RevocationType::Crl));
    assert_eq!((added[0].number_of_revoked_entries(), total()), (None, None), "buckets are not read");
    stores(&session).add_revocations(arn).revocation_contents([file("c.crl")]).wait()?;
    assert_eq!(ids(&store.revocations().wait()?), [1, 2, 3]);
    let of_ids = |ids: Vec<i64>| DescribeTrustStoreRevocations::new(arn).revocation_ids(ids);
    assert_eq!(ids(ask(&session, of_ids(vec![3, 1, 3]))?.trust_store_revocations().unwrap()), [1, 3]);
    assert_eq!(ids(ask(&session, of_ids(Vec::new()))?.trust_store_revocations().unwrap()), [1, 2, 3]);
    for size in 1..4 {
        assert_eq!(ids(&stores(&session).revocations(arn).page_size(size).wait()?), [1, 2, 3]);
    }
    stores(&session).remove_revocations(arn, [2]).wait()?;
    assert_eq!(ids(&store.revocations().wait()?), [1, 3]);
    let before = world.state()?;
    stores(&session).remove_revocations(arn, Vec::<i64>::new()).wait()?;
    world.assert_unchanged(&before)?;
    for refused in [vec![2], vec![1, 2]] {
        world.refused(&errors::REVOCATION_ID_NOT_FOUND, None, || {
            ask(&session, RemoveTrustStoreRevocations::new(arn, refused.clone()))
        });
        world.refused(&errors::REVOCATION_ID_NOT_FOUND, None, || ask(&session, of_ids(refused)));
    }
    stores(&session).remove_revocations(arn, [1, 3]).wait()?;
    assert_eq!(total(), Some(0));
    let added = stores(&session).add_revocations(arn).revocation_contents([file("d.crl")]).wait()?;
    assert_eq!(ids(&added), [4], "an ID is not used again");
    store.delete().wait()?;
    let again = create_trust_store(world, "web")?;
    assert!(again.revocations().wait()?.is_empty());
    again.delete().wait()?;
    assert!(world.state()?.len() < empty.len());
    Ok(())
}

pub(super) fn invalid_revocation_files_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let store = create_trust_store(world, "web")?;
    stores(&session).get().name("web").wait()?;
    let arn = store.require_arn()?;
    let add = |contents: Vec<RevocationContent>| {
        ask(&session, AddTrustStoreRevocations::new(arn).revocation_contents(contents))
    };
    world.refused(&errors::INVALID, "RevocationContents", || {
        ask(&session, AddTrustStoreRevocations::new(arn))
    });
    world.refused(&errors::INVALID, "RevocationContents", || add(Vec::new()));
    let without_key = RevocationContent::builder().s3_bucket("trust").build()?;
    world.refused(&errors::INVALID, "RevocationContents[1].S3Key", || add(vec![file("a.crl"), without_key]));
    let without_bucket = RevocationContent::builder().s3_key("a.crl").build()?;
    world.refused(&errors::INVALID, "RevocationContents[0].S3Bucket", || add(vec![without_bucket]));
    let mut no_bucket = file("a.crl");
    no_bucket.set_s3_bucket("No_Bucket")?;
    let error = world
        .refused(&errors::REVOCATION_NOT_FOUND, "RevocationContents[0].S3Bucket", || add(vec![no_bucket]));
    assert_eq!(error.message(), "The specified revocation file does not exist.");
    let thirty: Vec<_> = (0..30).map(|n| file(&format!("{n}.crl"))).collect();
    add(thirty)?;
    world.refused(&errors::TOO_MANY_REVOCATIONS, "RevocationContents", || add(vec![file("more.crl")]));
    let missing = arn.replace("/web/", "/gone/");
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || {
        ask(&session, AddTrustStoreRevocations::new(missing.as_str()).revocation_contents([file("a")]))
    });
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || {
        ask(&session, DescribeTrustStoreRevocations::new(missing.as_str()))
    });
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || {
        ask(&session, RemoveTrustStoreRevocations::new(missing.as_str(), [1]))
    });
    Ok(())
}

pub(super) fn files_have_locations(world: &World) -> Result<()> {
    let session = world.session();
    let store = create_trust_store(world, "web")?;
    stores(&session).get().name("web").wait()?;
    let arn = store.require_arn()?;
    assert_eq!(store.ca_certificates_bundle().wait()?, "https://trust.s3.us-east-1.amazonaws.com/ca.pem");
    let other = ModifyTrustStore::new(arn, "other.trust", "a b/ca.pem");
    ask(&session, other.ca_certificates_bundle_s3_object_version("3"))?;
    assert_eq!(
        store.ca_certificates_bundle().wait()?,
        "https://other.trust.s3.us-east-1.amazonaws.com/a%20b/ca.pem?versionId=3"
    );
    stores(&session).add_revocations(arn).revocation_contents([file("a.crl")]).wait()?;
    assert_eq!(
        stores(&session).revocation_content(arn, 1).wait()?,
        "https://trust.s3.us-east-1.amazonaws.com/a.crl"
    );
    world.refused(&errors::REVOCATION_ID_NOT_FOUND, None, || {
        ask(&session, GetTrustStoreRevocationContent::new(arn, 2))
    });
    let missing = arn.replace("/web/", "/gone/");
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || {
        ask(&session, GetTrustStoreCaCertificatesBundle::new(missing.as_str()))
    });
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || {
        ask(&session, GetTrustStoreRevocationContent::new(missing.as_str(), 1))
    });
    let field = "CaCertificatesBundleS3Bucket";
    let error = world.refused(&errors::BUNDLE_NOT_FOUND, field, || {
        ask(&session, CreateTrustStore::new("two", "No_Bucket", "ca.pem"))
    });
    assert_eq!(error.message(), "The specified ca certificate bundle does not exist.");
    world.refused(&errors::BUNDLE_NOT_FOUND, field, || {
        ask(&session, ModifyTrustStore::new(arn, "No_Bucket", "ca.pem"))
    });
    Ok(())
}

pub(super) fn trust_stores_are_not_shared(world: &World) -> Result<()> {
    let session = world.session();
    let (store, web) = (create_trust_store(world, "web")?, create_balancer(world, "web")?);
    let listener = create_verifying_listener(world, &web, 443, &store)?;
    let arn = store.require_arn()?;
    for resource in [arn, web.require_arn()?, listener.require_arn()?] {
        assert_eq!(stores(&session).resource_policy(resource).wait()?.policy(), None);
    }
    for missing in [arn.replace("/web/", "/gone/").as_str(), "web"] {
        let error = world.refused(&errors::RESOURCE_NOT_FOUND, "ResourceArn", || {
            ask(&session, GetResourcePolicy::new(missing))
        });
        assert_eq!(error.message(), "The specified resource does not exist.");
    }
    let delete = |resource: &str| ask(&session, DeleteSharedTrustStoreAssociation::new(arn, resource));
    world.refused(&errors::SAME_ACCOUNT, "ResourceArn", || delete(listener.require_arn().unwrap()));
    world.refused(&errors::ASSOCIATION_NOT_FOUND, "ResourceArn", || delete(web.require_arn().unwrap()));
    let foreign = listener.require_arn()?.replace("123456789012", "210987654321");
    world.refused(&errors::ASSOCIATION_NOT_FOUND, "ResourceArn", || delete(&foreign));
    let missing = arn.replace("/web/", "/gone/");
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || {
        ask(&session, DeleteSharedTrustStoreAssociation::new(missing.as_str(), foreign.as_str()))
    });
    Ok(())
}
