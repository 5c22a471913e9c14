//! Trust stores, and the listeners that use them.

use super::{
    World, ask, balancers, create_balancer, create_trust_store, fixed_response, listeners,
    listeners::{CERTIFICATE, certificate},
};
use nephos_core::{Result, Session, prelude::*};
use nephos_elbv2::{
    CreateListener, CreateTrustStore, DeleteTrustStore, DescribeTrustStoreAssociations, DescribeTrustStores,
    Listener, LoadBalancer, ModifyListener, ModifyTrustStore, MutualAuthentication, Protocol, TrustStore,
    TrustStoreManager, TrustStoreStatus, errors,
};

pub(super) fn stores(session: &Session) -> TrustStoreManager {
    TrustStore::objects(session)
}

fn create(name: &str) -> CreateTrustStore {
    CreateTrustStore::new(name, "trust", "ca.pem")
}

fn verify_against(store: &TrustStore) -> MutualAuthentication {
    MutualAuthentication::builder()
        .mode("verify")
        .trust_store_arn(store.require_arn().unwrap())
        .build()
        .unwrap()
}

/// Creates a listener that verifies the certificates of clients.
pub(super) fn create_verifying_listener(
    world: &World,
    balancer: &LoadBalancer,
    port: i64,
    store: &TrustStore,
) -> Result<Listener> {
    let model = Listener::builder()
        .load_balancer_arn(balancer.require_arn()?)
        .port(port)
        .certificates([certificate(CERTIFICATE)])
        .default_actions([fixed_response("200")])
        .mutual_authentication(verify_against(store))
        .build()?;
    Ok(listeners(&world.session()).create(&model).wait()?.remove(0))
}

fn association_arns(store: &TrustStore) -> Vec<String> {
    let returned = store.associations().wait().unwrap();
    returned.iter().map(|one| one.resource_arn().unwrap().to_owned()).collect()
}

pub(super) fn create_then_get_returns_trust_store(world: &World) -> Result<()> {
    let session = world.session();
    let model = TrustStore::builder()
        .name("web-1")
        .ca_certificates_bundle_s3_bucket("trust")
        .ca_certificates_bundle_s3_key("ca.pem")
        .ca_certificates_bundle_s3_object_version("3")
        .tags([("team", "web")])
        .build()?;
    let created = stores(&session).create(&model).tags([("a", "b")]).wait()?.remove(0);
    let prefix = "arn:aws:elasticloadbalancing:us-east-1:123456789012:truststore/web-1/";
    assert!(
        created.require_arn()?.starts_with(prefix) && created.require_arn()?.len() == prefix.len() + 16,
        "{:?}",
        created.arn()
    );
    assert_eq!(created.status(), Some(&TrustStoreStatus::Creating));
    let found = stores(&session).get().name("web-1").wait()?.unwrap();
    assert_eq!(stores(&session).get().trust_store_arn(created.require_arn()?).wait()?.unwrap(), found);
    assert_eq!(found.status(), Some(&TrustStoreStatus::Active));
    assert_eq!((found.number_of_ca_certificates(), found.total_revoked_entries()), (None, Some(0)));
    assert_eq!(found.ca_certificates_bundle_s3_bucket(), None, "the location of the bundle is not returned");
    assert_eq!(found.tags_map().wait()?.len(), 2);
    assert!(found.is_saved() && found.changed().is_empty());
    Ok(())
}

pub(super) fn invalid_and_duplicate_trust_store_names_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let long = "a".repeat(33);
    for name in ["", "-a", "a-", "a--b", "a_b", "é", &long] {
        assert!(TrustStore::builder().name(name).build().is_err(), "{name:?}");
        world.refused(&errors::INVALID, "Name", || ask(&session, create(name)));
    }
    for (field, create) in [
        ("CaCertificatesBundleS3Bucket", CreateTrustStore::new("web", "", "ca.pem")),
        ("CaCertificatesBundleS3Key", CreateTrustStore::new("web", "trust", "")),
    ] {
        world.refused(&errors::INVALID, field, || ask(&session, create));
    }
    let without = TrustStore::builder().name("web").ca_certificates_bundle_s3_bucket("trust").build()?;
    world.refused(&errors::INVALID, "CaCertificatesBundleS3Key", || stores(&session).create(&without).wait());
    world.refused(&errors::DUPLICATE_TAG_KEYS, "Tags[a]", || {
        ask(&session, create("web").tags([("a", "b"), ("a", "c")]))
    });
    let created = create_trust_store(world, "web")?;
    stores(&session).get().name("web").wait()?;
    world.refused(&errors::DUPLICATE_TRUST_STORE, None, || ask(&session, create("web")));
    created.delete().wait()?;
    assert_ne!(create_trust_store(world, "web")?.require_arn()?, created.require_arn()?);
    Ok(())
}

pub(super) fn trust_store_quota_is_enforced(world: &World) -> Result<()> {
    let session = world.session();
    let first = create_trust_store(world, "s0")?;
    for n in 1..20 {
        create_trust_store(world, &format!("s{n}"))?;
    }
    stores(&session).get().name("s0").wait()?;
    world.refused(&errors::TOO_MANY_TRUST_STORES, None, || ask(&session, create("s20")));
    first.delete().wait()?;
    ask(&session, create("s20"))?;
    Ok(())
}

pub(super) fn list_trust_stores_by_arn_or_name(world: &World) -> Result<()> {
    let session = world.session();
    let (a, b) = (create_trust_store(world, "a")?, create_trust_store(world, "b")?);
    world.refused(&errors::INVALID, "TrustStoreArn", || stores(&session).get().wait());
    world.refused(&errors::INVALID, "Names", || {
        ask(&session, DescribeTrustStores::new().names(["a"]).trust_store_arns([a.require_arn().unwrap()]))
    });
    assert!(stores(&session).get().name("c").wait()?.is_none());
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || {
        ask(&session, DescribeTrustStores::new().names(["c"]))
    });
    world.refused(&errors::INVALID, "TrustStoreArns", || {
        ask(&session, DescribeTrustStores::new().trust_store_arns(["a"]))
    });
    let names = |list: nephos_core::Results<TrustStore>| super::names(&list.all().wait().unwrap()).unwrap();
    for limit in 1..4 {
        assert_eq!(names(stores(&session).list().page_size(limit).results()), ["a", "b"]);
    }
    assert_eq!(
        names(stores(&session).list().trust_store_arns([b.require_arn()?, a.require_arn()?]).results()),
        ["b", "a"]
    );
    assert!(names(stores(&session).list().names(Vec::new()).results()).is_empty());
    Ok(())
}

pub(super) fn modify_trust_store_replaces_certificates(world: &World) -> Result<()> {
    let session = world.session();
    let created = create_trust_store(world, "web")?;
    let arn = created.require_arn()?;
    stores(&session).get().name("web").wait()?;
    let other = || ModifyTrustStore::new(arn, "trust", "new.pem");
    ask(&session, other().ca_certificates_bundle_s3_object_version("2"))?;
    let is_stored = |text: &str| {
        world.state().unwrap().iter().any(|(_, row)| String::from_utf8_lossy(row).contains(text))
    };
    assert!(is_stored("new.pem") && !is_stored("\"ca.pem"), "the location is replaced");
    let before = world.state()?;
    ask(&session, other().ca_certificates_bundle_s3_object_version("2"))?;
    world.assert_unchanged(&before)?;
    world.refused(&errors::INVALID, "CaCertificatesBundleS3Key", || {
        ask(&session, ModifyTrustStore::new(arn, "trust", ""))
    });
    let missing = arn.replace("/web/", "/gone/");
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || {
        ask(&session, ModifyTrustStore::new(missing.as_str(), "trust", "new.pem"))
    });
    Ok(())
}

pub(super) fn trust_store_model_saves_and_deletes(world: &World) -> Result<()> {
    let session = world.session();
    let empty = world.state()?;
    create_trust_store(world, "web")?;
    let mut found = stores(&session).get().name("web").wait()?.unwrap();
    let before = world.state()?;
    found.save().wait()?;
    world.assert_unchanged(&before)?;
    found.tags_mut().wait()?.insert("team", "web")?;
    found.save().wait()?;
    assert_eq!(found.list_tags().wait()?.len(), 1);
    found.set_ca_certificates_bundle_s3_key("new.pem")?;
    world
        .refused(&errors::INVALID, "CaCertificatesBundleS3Bucket", || stores(&session).update(&found).wait());
    found.set_ca_certificates_bundle_s3_bucket("trust")?;
    found.save().wait()?;
    assert_eq!(found.tags_map().wait()?.len(), 1);
    let mut wrong = found.clone();
    wrong.set_name("other")?;
    world.refused(&errors::INVALID, "Name", || stores(&session).update(&wrong).wait());
    found.delete().wait()?;
    assert!(stores(&session).get().name("web").wait()?.is_none());
    world.assert_unchanged(&empty)?;
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || found.delete().wait());
    world.refused(&errors::INVALID, "TrustStoreArn", || ask(&session, DeleteTrustStore::new("web")));
    Ok(())
}

pub(super) fn trust_store_in_use_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let (one, two) = (create_trust_store(world, "one")?, create_trust_store(world, "two")?);
    let web = create_balancer(world, "web")?;
    let (first, second) = (
        create_verifying_listener(world, &web, 443, &one)?,
        create_verifying_listener(world, &web, 444, &one)?,
    );
    let mut expected = [first.require_arn()?.to_owned(), second.require_arn()?.to_owned()];
    expected.sort();
    assert_eq!(association_arns(&one), expected);
    assert_eq!(association_arns(&two), [""; 0]);
    let page = ask(&session, DescribeTrustStoreAssociations::new(one.require_arn()?).page_size(1))?;
    assert_eq!(page.trust_store_associations().unwrap().len(), 1);
    assert!(page.next_marker().is_some());
    let error = world.refused(&errors::TRUST_STORE_IN_USE, None, || one.delete().wait());
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let missing = one.require_arn()?.replace("/one/", "/gone/");
    world.refused(&errors::TRUST_STORE_NOT_FOUND, None, || {
        ask(&session, DescribeTrustStoreAssociations::new(missing.as_str()))
    });
    let field = "MutualAuthentication.TrustStoreArn";
    let unknown_store =
        MutualAuthentication::builder().mode("verify").trust_store_arn(missing.as_str()).build()?;
    world.refused(&errors::TRUST_STORE_NOT_FOUND, field, || {
        ask(
            &session,
            ModifyListener::new(first.require_arn().unwrap()).mutual_authentication(unknown_store.clone()),
        )
    });
    world.refused(&errors::TRUST_STORE_NOT_FOUND, field, || {
        let create = CreateListener::new(web.require_arn().unwrap(), [fixed_response("200")])
            .port(445)
            .protocol(Protocol::Https);
        ask(&session, create.certificates([certificate(CERTIFICATE)]).mutual_authentication(unknown_store))
    });

    ask(&session, ModifyListener::new(first.require_arn()?).mutual_authentication(verify_against(&two)))?;
    assert_eq!(
        (association_arns(&one), association_arns(&two)),
        (vec![second.require_arn()?.to_owned()], vec![first.require_arn()?.to_owned()])
    );
    ask(&session, ModifyListener::new(first.require_arn()?).port(446))?;
    assert_eq!(association_arns(&two), [first.require_arn()?]);
    second.delete().wait()?;
    one.delete().wait()?;
    world.refused(&errors::TRUST_STORE_IN_USE, None, || two.delete().wait());
    balancers(&session).delete(web.require_arn()?).wait()?;
    assert_eq!(association_arns(&two), [""; 0]);
    two.delete().wait()
}
