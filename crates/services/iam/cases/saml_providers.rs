//! SAML providers.

use super::{World, ask, errors};
use nephos_core::{Resource, Result, Secret, Tag, Tagged, Text};
use nephos_iam::{
    AssertionEncryptionMode, CreateSAMLProvider, GetSAMLProvider, SAMLProvider, UpdateSAMLProvider,
};

const ARN: &str = "arn:aws:iam::123456789012:saml-provider/corp";

const KEY: &str = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";

/// Returns a metadata document with attributes in its root element.
fn metadata(attributes: &str) -> Text {
    format!(
        "<EntityDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"https://idp.example/\" {attributes}>\
         <!-- {} --><IDPSSODescriptor protocolSupportEnumeration=\"urn:oasis:names:tc:SAML:2.0:protocol\">\
         <KeyDescriptor use=\"signing\"><KeyInfo xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><X509Data>\
         <X509Certificate>TUlJQw==</X509Certificate></X509Data></KeyInfo></KeyDescriptor>\
         </IDPSSODescriptor></EntityDescriptor>",
        "x".repeat(1000)
    )
    .into()
}

fn model(name: &str) -> Result<SAMLProvider> {
    SAMLProvider::builder().name(name).saml_metadata_document(metadata("")).build()
}

fn create(world: &World, name: &str) -> Result<SAMLProvider> {
    SAMLProvider::objects(&world.session()).create(&model(name)?).wait()
}

pub(super) fn created_saml_provider_is_returned_by_get(world: &World) -> Result<()> {
    let provider = create(world, "corp")?;
    assert_eq!((provider.require_arn()?, provider.name()?), (ARN, Some("corp")));
    assert_eq!(provider.saml_metadata_document(), Some(metadata("").as_str()));
    assert_eq!(provider.create_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(provider.valid_until().map(|time| time.to_string()).as_deref(), Some("2126-02-01T12:00:00Z"));
    assert_eq!(provider.assertion_encryption_mode(), Some(&AssertionEncryptionMode::Allowed));
    assert_eq!(provider.private_key_list(), Some(&[][..]));
    assert!(provider.saml_provider_uuid().is_some_and(|id| id.len() >= 22));
    let objects = SAMLProvider::objects(&world.session());
    assert_eq!(objects.get(ARN).wait()?, Some(provider));
    let error = world.refused(&errors::EXISTS, None, || create(world, "corp"));
    assert_eq!(error.message(), "SAMLProvider corp already exists.");
    for name in ["", "a b", "a/b", &"a".repeat(129)] {
        let create = CreateSAMLProvider::new(metadata(""), name);
        world.refused(&errors::INVALID, "Name", || ask(&world.session(), create));
    }
    Ok(())
}

pub(super) fn metadata_is_checked(world: &World) -> Result<()> {
    let create = |document: Text| ask(&world.session(), CreateSAMLProvider::new(document, "corp"));
    let field = "SAMLMetadataDocument";
    world.refused(&errors::INVALID, field, || create("<a/>".into()));
    let wrong = [
        "x".repeat(1000),
        metadata("").replace("IDPSSODescriptor", "SPSSODescriptor"),
        metadata("").replace("TUlJQw==", ""),
        metadata("").replace("entityID", "other"),
        metadata("").replace("</EntityDescriptor>", ""),
        metadata("validUntil=\"2026-01-31T11:59:59Z\"").into(),
    ];
    for document in wrong {
        let error = world.refused(&errors::INVALID_INPUT, field, || create(document.clone().into()));
        assert_eq!(error.message(), "Could not parse metadata");
    }
    create(metadata("validUntil=\"2027-01-01T00:00:00Z\""))?;
    let found = SAMLProvider::objects(&world.session()).get(ARN).wait()?.expect("it exists");
    assert_eq!(found.valid_until().map(|time| time.to_string()).as_deref(), Some("2027-01-01T00:00:00Z"));
    Ok(())
}

pub(super) fn saml_provider_is_listed_changed_and_deleted(world: &World) -> Result<()> {
    let objects = SAMLProvider::objects(&world.session());
    let mut provider = create(world, "corp")?;
    create(world, "a")?;
    let listed = objects.list().results().all().wait()?;
    assert_eq!(super::names(&listed)?, ["a", "corp"]);
    assert_eq!((listed[1].create_date(), listed[1].saml_metadata_document()), (provider.create_date(), None));
    assert_eq!(listed[1].tags_map().wait()?.len(), 0);
    provider.set_saml_metadata_document(metadata("validUntil=\"2030-01-01T00:00:00Z\""))?;
    provider.set_tags(vec![Tag::new("team", "web")])?;
    provider.save().wait()?;
    let found = objects.get(ARN).wait()?.expect("it exists");
    assert_eq!(found.valid_until().map(|time| time.to_string()).as_deref(), Some("2030-01-01T00:00:00Z"));
    assert_eq!(objects.list_tags(ARN).wait()?, [Tag::new("team", "web")]);
    objects.untag(ARN, vec!["team".into()]).wait()?;
    objects.tag(ARN, vec![Tag::new("a", "1")]).wait()?;
    assert_eq!(objects.list_tags(ARN).wait()?, [Tag::new("a", "1")]);
    provider.delete().wait()?;
    let error = world.refused(&errors::NOT_FOUND, None, || provider.delete().wait());
    assert_eq!(error.message(), format!("Manifest not found for arn {ARN}"));
    assert!(objects.get(ARN).wait()?.is_none());
    world.refused(&errors::INVALID_INPUT, "SAMLProviderArn", || {
        ask(&world.session(), GetSAMLProvider::new("arn:aws:iam::123456789012:user/ann"))
    });
    Ok(())
}

pub(super) fn private_keys_are_sealed_and_limited(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "corp")?;
    let update = || UpdateSAMLProvider::new(ARN);
    let required = || update().assertion_encryption_mode(AssertionEncryptionMode::Required);
    world.refused(&errors::INVALID_INPUT, "AssertionEncryptionMode", || ask(&session, required()));
    world
        .refused(&errors::INVALID_INPUT, "AddPrivateKey", || ask(&session, update().add_private_key("text")));
    ask(&session, required().add_private_key(KEY))?;
    ask(&session, update().add_private_key(KEY))?;
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || ask(&session, update().add_private_key(KEY)));
    assert_eq!(error.message(), "Cannot exceed quota for PrivateKeysPerSAMLProvider: 2");
    for (_, row) in world.state()? {
        assert!(!String::from_utf8_lossy(&row).contains("c2VjcmV0"));
    }
    let objects = SAMLProvider::objects(&session);
    let found = objects.get(ARN).wait()?.expect("it exists");
    let ids: Vec<_> = found.private_key_list().into_iter().flatten().filter_map(|key| key.key_id()).collect();
    assert_eq!(ids.len(), 2);
    let remove = |id: &str| ask(&session, update().remove_private_key(id));
    remove(ids[0])?;
    world.refused(&errors::NOT_FOUND, "RemovePrivateKey", || remove(ids[0]));
    world.refused(&errors::INVALID_INPUT, "AssertionEncryptionMode", || remove(ids[1]));
    objects.update(&found).remove_private_key(ids[1]).add_private_key(Secret::from(KEY)).wait()?;
    found.delete().wait()?;
    Ok(())
}

pub(super) fn deleted_saml_provider_leaves_no_rows(world: &World) -> Result<()> {
    // The first sealed value adds a row that identifies the key of the cloud.
    world.create_device("phone")?;
    let before = world.state()?;
    let provider =
        SAMLProvider::objects(&world.session()).create(&model("corp")?).add_private_key(Secret::from(KEY));
    provider.wait()?.delete().wait()?;
    world.assert_unchanged(&before)
}
