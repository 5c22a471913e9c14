//! Signing certificates.

use super::{
    World, ask, errors,
    server_certificates::{EXPIRED, RSA, WEB},
};
use nephos_core::{Resource as _, Result};
use nephos_iam::{
    AccessKeyStatus, DeleteSigningCertificate, ListSigningCertificates, SigningCertificate,
    UploadSigningCertificate,
};

const OTHER: &str = include_str!("../tests/pem/root.pem");

fn create(world: &World, user: &str, body: &str) -> Result<SigningCertificate> {
    SigningCertificate::objects(&world.session()).create(body).user_name(user).wait()
}

pub(super) fn signing_certificate_is_uploaded_changed_and_deleted(world: &World) -> Result<()> {
    let ann = world.create_user("Ann")?;
    let objects = SigningCertificate::objects(&world.session());
    let mut certificate = create(world, "ann", WEB)?;
    assert_eq!(
        (certificate.user_name(), certificate.status()),
        (Some("Ann"), Some(&AccessKeyStatus::Active))
    );
    assert_eq!(certificate.certificate_body(), Some(WEB));
    assert_eq!(certificate.certificate_id().map(str::len), Some(32));
    assert_eq!(certificate.upload_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(objects.list().user_name("ann").results().all().wait()?, [certificate.clone()]);
    certificate.set_status(AccessKeyStatus::Inactive)?;
    certificate.save().wait()?;
    let listed = objects.list().user_name("ann").results().all().wait()?;
    assert_eq!(listed[0].status(), Some(&AccessKeyStatus::Inactive));
    certificate.set_status(AccessKeyStatus::Expired)?;
    world.refused(&errors::INVALID_INPUT, "Status", || certificate.save().wait());
    let error = world.refused(&errors::DELETE_CONFLICT, None, || ann.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must delete signing certificates first.");
    certificate.delete().wait()?;
    let error = world.refused(&errors::NOT_FOUND, None, || certificate.delete().wait());
    let id = certificate.certificate_id().unwrap_or_default();
    assert_eq!(error.message(), format!("The Certificate with id {id} cannot be found."));
    ann.delete().wait()?;
    Ok(())
}

pub(super) fn user_can_have_two_signing_certificates(world: &World) -> Result<()> {
    world.create_user("ann")?;
    create(world, "ann", WEB)?;
    world.refused(&errors::DUPLICATE_CERTIFICATE, "CertificateBody", || create(world, "ann", WEB));
    create(world, "ann", RSA)?;
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || create(world, "ann", OTHER));
    assert_eq!(error.message(), "Cannot exceed quota for CertificatesPerUser: 2");
    let session = world.session();
    let page = ask(&session, ListSigningCertificates::new().user_name("ann").max_items(1))?;
    assert_eq!((page.certificates().map(<[_]>::len), page.is_truncated()), (Some(1), Some(true)));
    Ok(())
}

pub(super) fn malformed_and_expired_signing_certificates_are_refused(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let error = world.refused(&errors::MALFORMED_CERTIFICATE, "CertificateBody", || {
        create(world, "ann", "no certificate")
    });
    assert_eq!(error.message(), "Certificate no certificate is malformed.");
    world.refused(&errors::INVALID_CERTIFICATE, "CertificateBody", || create(world, "ann", EXPIRED));
    world.refused(&errors::NOT_FOUND, None, || create(world, "bea", WEB));
    Ok(())
}

pub(super) fn root_user_can_have_signing_certificates(world: &World) -> Result<()> {
    let session = world.session();
    let certificate = SigningCertificate::objects(&session).create(WEB).wait()?;
    assert_eq!(certificate.user_name(), None);
    let id = certificate.certificate_id().unwrap_or_default();
    SigningCertificate::objects(&session).delete(id).wait()?;
    let uploaded = ask(&session, UploadSigningCertificate::new(WEB))?;
    let id = uploaded.certificate().and_then(|found| found.certificate_id()).unwrap_or_default().to_owned();
    ask(&session, DeleteSigningCertificate::new(id))?;
    Ok(())
}
