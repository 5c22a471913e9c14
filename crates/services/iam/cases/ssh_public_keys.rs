//! SSH public keys.

use super::{World, ask, errors};
use nephos_core::{Resource as _, Result};
use nephos_iam::{AccessKeyStatus, ListSSHPublicKeys, PublicKeyEncoding, SSHPublicKey};

const SSH: &str = include_str!("../tests/pem/rsa.ssh");
const PEM: &str = include_str!("../tests/pem/rsa.public.pem");
const ED25519: &str = include_str!("../tests/pem/ed25519.ssh");
const SMALL: &str = include_str!("../tests/pem/small.ssh");
const FINGERPRINT: &str = "e9:b4:6c:f7:9b:f9:f8:67:bb:9d:5d:42:a5:d7:fc:62";

fn create(world: &World, user: &str, body: &str) -> Result<SSHPublicKey> {
    SSHPublicKey::objects(&world.session()).create(user, body).wait()
}

pub(super) fn public_key_is_returned_in_both_encodings(world: &World) -> Result<()> {
    for user in ["Ann", "bea"] {
        world.create_user(user)?;
    }
    let objects = SSHPublicKey::objects(&world.session());
    let without_comment = SSH.rsplit_once(' ').map_or(SSH, |(key, _)| key);
    for (user, body) in [("Ann", SSH), ("bea", PEM)] {
        let key = create(world, user, body)?;
        assert_eq!((key.user_name(), key.ssh_public_key_body()), (Some(user), Some(body)));
        assert_eq!((key.fingerprint(), key.status()), (Some(FINGERPRINT), Some(&AccessKeyStatus::Active)));
        let id = key.ssh_public_key_id().unwrap_or_default();
        assert!(id.starts_with("APKA") && id.len() == 20, "{id}");
        for (encoding, expected) in [(PublicKeyEncoding::Ssh, without_comment), (PublicKeyEncoding::Pem, PEM)]
        {
            let found = objects.get(user, id).encoding(encoding).wait()?.expect("it exists");
            assert_eq!(found.ssh_public_key_body(), Some(expected));
        }
        assert!(objects.get("ann", "APKAAAAAAAAAAAAAAAAA").wait()?.is_none());
    }
    Ok(())
}

pub(super) fn public_key_is_listed_changed_and_deleted(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    let mut key = create(world, "ann", SSH)?;
    let objects = SSHPublicKey::objects(&world.session());
    key.set_status(AccessKeyStatus::Inactive)?;
    key.save().wait()?;
    let listed = objects.list().user_name("ANN").results().all().wait()?;
    assert_eq!((listed.len(), listed[0].status()), (1, Some(&AccessKeyStatus::Inactive)));
    assert_eq!((listed[0].ssh_public_key_body(), listed[0].fingerprint()), (None, None));
    let page = ask(&world.session(), ListSSHPublicKeys::new())?;
    assert_eq!(page.ssh_public_keys().map(<[_]>::len), Some(0), "the root user has no keys");
    let error = world.refused(&errors::DELETE_CONFLICT, None, || ann.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must delete SSH public keys first.");
    listed[0].delete().wait()?;
    let error = world.refused(&errors::NOT_FOUND, None, || key.delete().wait());
    let id = key.ssh_public_key_id().unwrap_or_default();
    assert_eq!(error.message(), format!("The Public Key with id {id} cannot be found."));
    ann.delete().wait()?;
    Ok(())
}

pub(super) fn invalid_public_keys_are_refused(world: &World) -> Result<()> {
    world.create_user("ann")?;
    create(world, "ann", SSH)?;
    for (code, body) in [
        (&errors::DUPLICATE_PUBLIC_KEY, PEM),
        (&errors::UNRECOGNIZED_ENCODING, "a key"),
        (&errors::INVALID_PUBLIC_KEY, ED25519),
        (&errors::INVALID_PUBLIC_KEY, SMALL),
        (&errors::INVALID_PUBLIC_KEY, "ssh-rsa"),
        (&errors::INVALID_PUBLIC_KEY, "ssh-rsa AAAAB3NzaC1yc2EAAAAD"),
        (&errors::INVALID_PUBLIC_KEY, super::server_certificates::RSA),
    ] {
        world.refused(code, "SSHPublicKeyBody", || create(world, "ann", body));
    }
    world.refused(&errors::NOT_FOUND, None, || create(world, "bea", SSH));
    Ok(())
}
