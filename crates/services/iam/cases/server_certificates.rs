//! Server certificates.

use super::{World, ask, errors};
use nephos_core::{Resource, Result};
use nephos_iam::{
    AccountSummary, GetServerCertificate, ServerCertificate, UpdateServerCertificate, UploadServerCertificate,
};

pub(super) const WEB: &str = include_str!("../tests/pem/web.pem");
const WEB_KEY: &str = include_str!("../tests/pem/web.key.pem");
const AUTHORITY: &str = include_str!("../tests/pem/authority.pem");
const ROOT: &str = include_str!("../tests/pem/root.pem");
pub(super) const RSA: &str = include_str!("../tests/pem/rsa.pem");
const RSA_KEY: &str = include_str!("../tests/pem/rsa.key.pem");
const RSA_KEY_8: &str = include_str!("../tests/pem/rsa.pkcs8.pem");
pub(super) const EXPIRED: &str = include_str!("../tests/pem/expired.pem");

fn create(world: &World, name: &str) -> Result<ServerCertificate> {
    let model = ServerCertificate::builder().server_certificate_name(name).certificate_body(WEB);
    let model = model.private_key(WEB_KEY).certificate_chain(format!("{AUTHORITY}{ROOT}"));
    ServerCertificate::objects(&world.session()).create(&model.build()?).wait()
}

pub(super) fn uploaded_certificate_is_returned_by_get(world: &World) -> Result<()> {
    let objects = ServerCertificate::objects(&world.session());
    let created = create(world, "web")?;
    assert_eq!(created.require_arn()?, "arn:aws:iam::123456789012:server-certificate/web");
    assert!(created.server_certificate_id().is_some_and(|id| id.starts_with("ASCA") && id.len() == 21));
    assert_eq!(created.path(), Some("/"));
    assert_eq!(created.expiration().map(|time| time.to_string()).as_deref(), Some("2036-02-03T04:05:06Z"));
    assert_eq!(created.upload_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(created.certificate_body(), Some(WEB.trim_end()));
    assert_eq!(created.certificate_chain(), Some(format!("{AUTHORITY}{ROOT}").trim_end()));
    assert_eq!(created.private_key(), None);
    assert_eq!(objects.get("WEB").wait()?, Some(created.clone()));
    let listed = objects.list().results().all().wait()?;
    assert_eq!((listed.len(), listed[0].arn()?, listed[0].certificate_body()), (1, created.arn()?, None));
    for (_, row) in world.state()? {
        assert!(!String::from_utf8_lossy(&row).contains("PRIVATE KEY"), "the key is sealed");
    }
    let error = world.refused(&errors::EXISTS, None, || create(world, "Web"));
    assert_eq!(error.message(), "The Server Certificate with name Web already exists.");
    created.delete().wait()?;
    assert!(objects.get("web").wait()?.is_none());
    let get = || ask(&world.session(), GetServerCertificate::new("web"));
    let error = world.refused(&errors::NOT_FOUND, None, get);
    assert_eq!(error.message(), "The Server Certificate with name web cannot be found.");
    world.refused(&errors::NOT_FOUND, None, || created.delete().wait());
    Ok(())
}

pub(super) fn certificate_belongs_to_its_key_and_chain(world: &World) -> Result<()> {
    let session = world.session();
    let upload = |body: &str, key: &str| UploadServerCertificate::new("web", body, key);
    for (code, field, request) in [
        (&errors::MALFORMED_CERTIFICATE, "CertificateBody", upload("no certificate", WEB_KEY)),
        (&errors::MALFORMED_CERTIFICATE, "CertificateBody", upload(WEB_KEY, WEB_KEY)),
        (&errors::MALFORMED_CERTIFICATE, "CertificateBody", upload(&format!("{WEB}{RSA}"), WEB_KEY)),
        (&errors::MALFORMED_CERTIFICATE, "CertificateBody", upload(&format!("Subject: web\n{WEB}"), WEB_KEY)),
        (&errors::MALFORMED_CERTIFICATE, "CertificateBody", upload(EXPIRED, WEB_KEY)),
        (&errors::MALFORMED_CERTIFICATE, "PrivateKey", upload(WEB, WEB)),
        (&errors::MALFORMED_CERTIFICATE, "PrivateKey", upload(WEB, "secret")),
        (&errors::KEY_PAIR_MISMATCH, "PrivateKey", upload(WEB, RSA_KEY)),
        (&errors::KEY_PAIR_MISMATCH, "PrivateKey", upload(RSA, WEB_KEY)),
        (&errors::MALFORMED_CERTIFICATE, "CertificateChain", upload(WEB, WEB_KEY).certificate_chain("x")),
    ] {
        let error = world.refused(code, field, || ask(&session, request));
        assert!(!format!("{error:?}").contains("PRIVATE KEY"), "{error:?}");
    }
    for (chain, index) in [(ROOT.to_owned(), -1), (format!("{AUTHORITY}{RSA}"), 0)] {
        let request = upload(WEB, WEB_KEY).certificate_chain(chain);
        let error =
            world.refused(&errors::MALFORMED_CERTIFICATE, "CertificateChain", || ask(&session, request));
        assert!(error.message().ends_with(&format!("of the invalid certificate is: {index}")), "{error}");
    }
    for (name, key) in [("a", RSA_KEY), ("b", RSA_KEY_8)] {
        let answer = ask(&session, UploadServerCertificate::new(name, RSA, key))?;
        let expiration = answer.server_certificate_metadata().and_then(|found| found.expiration());
        assert_eq!(expiration.map(|time| time.to_string()).as_deref(), Some("2055-01-01T00:00:00Z"));
    }
    Ok(())
}

pub(super) fn certificate_is_renamed_and_tagged(world: &World) -> Result<()> {
    let mut certificate = create(world, "web")?;
    let id = certificate.server_certificate_id().map(str::to_owned);
    certificate.set_path("/cloudfront/")?;
    certificate.set_server_certificate_name("shop")?;
    certificate.set_tags(vec![nephos_core::Tag::new("team", "web")])?;
    certificate.save().wait()?;
    assert_eq!(certificate.require_arn()?, "arn:aws:iam::123456789012:server-certificate/cloudfront/shop");
    assert_eq!(certificate.server_certificate_id(), id.as_deref());
    let objects = ServerCertificate::objects(&world.session());
    assert!(objects.get("web").wait()?.is_none());
    let found = objects.get("shop").wait()?.expect("it was renamed");
    assert_eq!((found.tags().map(<[_]>::len), found.certificate_body()), (Some(1), Some(WEB.trim_end())));
    create(world, "web")?;
    let listed = objects.list().path_prefix("/cloudfront/").results().all().wait()?;
    assert_eq!(
        listed.iter().filter_map(|found| found.server_certificate_name()).collect::<Vec<_>>(),
        ["shop"]
    );
    let rename =
        || ask(&world.session(), UpdateServerCertificate::new("web").new_server_certificate_name("SHOP"));
    world.refused(&errors::EXISTS, None, rename);
    Ok(())
}

pub(super) fn account_can_have_twenty_certificates(world: &World) -> Result<()> {
    for n in 0..20 {
        create(world, &format!("web-{n}"))?;
    }
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || create(world, "more"));
    assert_eq!(error.message(), "Cannot exceed quota for ServerCertificatesPerAccount: 20");
    let summary = AccountSummary::objects(&world.session()).get().wait()?;
    assert_eq!(summary.summary_map().and_then(|map| map.get("ServerCertificates")), Some(&20));
    Ok(())
}
