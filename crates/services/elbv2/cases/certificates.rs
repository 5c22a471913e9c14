//! Certificates of listeners and of their clients.

use super::{
    World, ask, create_balancer, create_listener, create_trust_store, fixed_response, listeners,
    listeners::{CERTIFICATE, certificate, create_https_listener},
};
use nephos_core::{Result, prelude::*};
use nephos_elbv2::{
    CreateListener, ModifyListener, MutualAuthentication, Protocol, RemoveListenerCertificates, Switch,
    TrustStoreAssociationStatus, errors,
};

fn certificate_arn(n: usize) -> String {
    format!("arn:aws:acm:us-east-1:123456789012:certificate/other-{n:02}")
}

pub(super) fn listener_has_one_default_certificate(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let create = || {
        CreateListener::new(web.require_arn().unwrap(), [fixed_response("404")])
            .port(443)
            .protocol(Protocol::Https)
    };
    world.refused(&errors::INVALID, "Certificates", || ask(&session, create()));
    world.refused(&errors::TOO_MANY_CERTIFICATES, "Certificates", || {
        ask(&session, create().certificates([certificate(CERTIFICATE), certificate(&certificate_arn(1))]))
    });
    for wrong in [
        "arn:aws:acm:eu-west-1:123456789012:certificate/one",
        "arn:aws:acm:us-east-1:210987654321:certificate/one",
        "arn:aws:s3:::one",
        "one",
    ] {
        world.refused(&errors::CERTIFICATE_NOT_FOUND, "Certificates[0].CertificateArn", || {
            ask(&session, create().certificates([certificate(wrong)]))
        });
    }
    let mut marked = certificate(CERTIFICATE);
    marked.set_is_default(true)?;
    world.refused(&errors::INVALID, "Certificates[0].IsDefault", || {
        ask(&session, create().certificates([marked]))
    });
    world.refused(&errors::INVALID, "Certificates", || {
        ask(&session, create().protocol(Protocol::Http).certificates([certificate(CERTIFICATE)]))
    });
    world.refused(&errors::SSL_POLICY_NOT_FOUND, "SslPolicy", || {
        ask(
            &session,
            create().certificates([certificate(CERTIFICATE)]).ssl_policy("ELBSecurityPolicy-2016-07"),
        )
    });
    let of_iam = certificate("arn:aws:iam::123456789012:server-certificate/web");
    ask(&session, create().certificates([of_iam]))?;
    Ok(())
}

pub(super) fn add_and_remove_listener_certificates(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let https = create_https_listener(world, &web, 443)?;
    let arn = https.require_arn()?;
    let all = || -> Vec<(String, bool)> {
        let returned = listeners(&session).list_certificates(arn).wait().unwrap();
        returned
            .iter()
            .map(|one| (one.certificate_arn().unwrap().to_owned(), one.is_default().unwrap()))
            .collect()
    };
    assert_eq!(all(), [(CERTIFICATE.to_owned(), true)]);
    let (one, two) = (certificate_arn(1), certificate_arn(2));
    let added = listeners(&session).add_certificates(arn, [two.as_str(), one.as_str()]).wait()?;
    assert_eq!(added.len(), 2);
    listeners(&session).add_certificates(arn, [one.as_str(), CERTIFICATE]).wait()?;
    assert_eq!(all(), [(CERTIFICATE.to_owned(), true), (one.clone(), false), (two.clone(), false)]);
    world.refused(&errors::NOT_PERMITTED, None, || {
        ask(&session, RemoveListenerCertificates::new(arn, [certificate(CERTIFICATE)]))
    });
    listeners(&session).remove_certificates(arn, [one.as_str()]).wait()?;
    listeners(&session).remove_certificates(arn, [one.as_str()]).wait()?;
    assert_eq!(all().len(), 2);
    let many: Vec<_> = (3..28).map(certificate_arn).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    world.refused(&errors::TOO_MANY_CERTIFICATES, "Certificates", || {
        listeners(&session).add_certificates(arn, many.as_slice()).wait()
    });
    listeners(&session).add_certificates(arn, &many[..24]).wait()?;
    let plain = create_listener(world, &web, 80, fixed_response("404"))?;
    world.refused(&errors::INVALID, "ListenerArn", || plain.list_certificates().wait());
    https.delete().wait()?;
    world.refused(&errors::LISTENER_NOT_FOUND, None, || https.list_certificates().wait());
    let state = world.state()?;
    assert!(
        !state.iter().any(|(_, row)| String::from_utf8_lossy(row).contains("other-")),
        "certificates are removed with the listener"
    );
    Ok(())
}

pub(super) fn mutual_authentication_is_validated(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let https = create_https_listener(world, &web, 443)?;
    let store = create_trust_store(world, "web")?;
    let store = store.require_arn()?;
    let clients = |mode: &str| MutualAuthentication::builder().mode(mode);
    let modify = |clients| ModifyListener::new(https.require_arn().unwrap()).mutual_authentication(clients);
    let refuse = |field: &str, clients: MutualAuthentication| {
        let field = format!("MutualAuthentication.{field}");
        world.refused(&errors::INVALID, field.as_str(), || ask(&session, modify(clients)))
    };
    assert!(clients("maybe").build().is_err());
    refuse("TrustStoreArn", clients("verify").build()?);
    refuse("TrustStoreArn", clients("passthrough").trust_store_arn(store).build()?);
    refuse("IgnoreClientCertificateExpiry", clients("off").ignore_client_certificate_expiry(true).build()?);
    refuse("AdvertiseTrustStoreCaNames", clients("off").advertise_trust_store_ca_names(Switch::On).build()?);
    let elsewhere = clients("verify").trust_store_arn(store.replace("us-east-1", "eu-west-1")).build()?;
    world.refused(&errors::TRUST_STORE_NOT_FOUND, "MutualAuthentication.TrustStoreArn", || {
        ask(&session, modify(elsewhere))
    });
    let mut found = listeners(&session).get(https.require_arn()?).wait()?.unwrap();
    found.set_mutual_authentication(clients("verify").trust_store_arn(store).build()?)?;
    found.save().wait()?;
    let returned = found.mutual_authentication().unwrap();
    assert_eq!(returned.ignore_client_certificate_expiry(), Some(false));
    assert_eq!(returned.trust_store_association_status(), Some(&TrustStoreAssociationStatus::Active));
    assert_eq!(returned.advertise_trust_store_ca_names(), Some(&Switch::Off));
    found.set_port(444)?;
    found.save().wait()?;
    assert_eq!(
        listeners(&session).get(https.require_arn()?).wait()?.unwrap().mutual_authentication(),
        found.mutual_authentication()
    );
    let plain = create_listener(world, &web, 80, fixed_response("404"))?;
    world.refused(&errors::INVALID_CONFIGURATION, "MutualAuthentication", || {
        let modify = ModifyListener::new(plain.require_arn().unwrap());
        ask(&session, modify.mutual_authentication(clients("off").build().unwrap()))
    });
    Ok(())
}
