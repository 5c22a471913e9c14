//! Certificate authorities of database servers.

use super::{World, instances::create};
use nephos_core::Result;
use nephos_rds::{DescribeCertificates, ModifyCertificates, errors};
use nephos_testing::ask;

pub(super) fn certificates_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let found = ask(&session, DescribeCertificates::new())?;
    assert_eq!(found.default_certificate_for_new_launches(), Some("rds-ca-rsa2048-g1"));
    let identifiers: Vec<_> =
        found.certificates().unwrap().iter().map(|one| one.certificate_identifier().unwrap()).collect();
    assert_eq!(identifiers, ["rds-ca-ecc384-g1", "rds-ca-rsa2048-g1", "rds-ca-rsa4096-g1"]);
    let one = ask(&session, DescribeCertificates::new().certificate_identifier("RDS-CA-ECC384-G1"))?;
    let [one] = one.certificates().unwrap() else { panic!("one certificate") };
    assert_eq!(one.certificate_arn(), Some("arn:aws:rds:us-east-1::cert:rds-ca-ecc384-g1"));
    assert_eq!((one.certificate_type(), one.customer_override()), (Some("CA"), Some(false)));
    world.refused(&errors::CERTIFICATE_NOT_FOUND, "CertificateIdentifier", || {
        ask(&session, DescribeCertificates::new().certificate_identifier("rds-ca-2015"))
    });
    Ok(())
}

pub(super) fn new_instances_have_the_authority_of_the_account(world: &World) -> Result<()> {
    let session = world.session();
    let request = ModifyCertificates::new;
    let chosen = ask(&session, request().certificate_identifier("rds-ca-rsa4096-g1"))?;
    let chosen = chosen.certificate().unwrap();
    assert_eq!(chosen.customer_override(), Some(true));
    assert_eq!(chosen.customer_override_valid_till(), chosen.valid_till());
    let web = create(&session, "web", "mysql", "8.0.35")?;
    assert_eq!(web.ca_certificate_identifier(), Some("rds-ca-rsa4096-g1"));
    let other = create(&world.other_region(), "web", "mysql", "8.0.35")?;
    assert_eq!(other.ca_certificate_identifier(), Some("rds-ca-rsa2048-g1"));
    let removed = ask(&session, request().remove_customer_override(true))?;
    assert_eq!(removed.certificate().unwrap().certificate_identifier(), Some("rds-ca-rsa2048-g1"));
    let api = create(&session, "api", "mysql", "8.0.35")?;
    assert_eq!(api.ca_certificate_identifier(), Some("rds-ca-rsa2048-g1"));
    world.refused(&errors::CERTIFICATE_NOT_FOUND, "CertificateIdentifier", || {
        ask(&session, request().certificate_identifier("rds-ca-2015"))
    });
    world.refused(&errors::INVALID, "CertificateIdentifier", || ask(&session, request()));
    world.refused(&errors::INVALID_COMBINATION, "RemoveCustomerOverride", || {
        let both = request().certificate_identifier("rds-ca-ecc384-g1").remove_customer_override(true);
        ask(&session, both)
    });
    Ok(())
}
