//! Secrets of cryptographic operations are not printed.

use super::World;
use nephos_core::{
    Blob, Result,
    shape::{RecordShape, Type},
};
use nephos_kms::{CryptoKey, DataKeyPairSpec, DataKeySpec, KeySpec, KeyUsage, SERVICE};

/// Members that hold plaintexts, keys, secrets and messages.
const SECRETS: &[&str] = &["Plaintext", "PrivateKeyPlaintext", "SharedSecret", "Message"];

fn assert_sensitive(operation: &str, record: &RecordShape) {
    for field in record.fields.iter().filter(|field| SECRETS.contains(&field.wire)) {
        assert!(field.sensitive, "{operation}: {} is not sensitive", field.wire);
    }
}

pub(super) fn members_with_secrets_are_sensitive(_world: &World) -> Result<()> {
    for operation in SERVICE.operations {
        assert_sensitive(operation.name, operation.params);
        if let Some(Type::Record(record)) = operation.output {
            assert_sensitive(operation.name, record);
        }
    }
    Ok(())
}

/// Asserts that a printed text contains the bytes in no form.
#[track_caller]
fn assert_hidden(printed: &str, secret: &[u8]) {
    let numbers = secret.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let forms = [String::from_utf8_lossy(secret).into_owned(), Blob::from(secret).to_base64(), numbers];
    for form in forms {
        assert!(!printed.contains(&form), "{printed} contains {form}");
    }
}

pub(super) fn secrets_are_not_printed(world: &World) -> Result<()> {
    let secret = b"correct horse battery staple";
    let key = world.create_key()?;
    let id = key.key_id().unwrap();
    let keys = CryptoKey::objects(&world.session());
    let call = keys.encrypt(id, secret.as_slice());
    assert_hidden(&format!("{call:?}"), secret);
    let ciphertext = call.wait()?.ciphertext_blob().unwrap().clone();
    let decrypted = key.decrypt().ciphertext_blob(ciphertext).wait()?;
    assert_eq!(decrypted.plaintext().unwrap().0, secret);
    assert_hidden(&format!("{decrypted:?}"), secret);
    let data_key = key.generate_data_key().key_spec(DataKeySpec::Aes256).wait()?;
    assert_hidden(&format!("{data_key:?}"), &data_key.plaintext().unwrap().0);
    let pair = keys.generate_data_key_pair(id, DataKeyPairSpec::EccNistP256).wait()?;
    assert_hidden(&format!("{pair:?}"), &pair.private_key_plaintext().unwrap().0);
    let random = keys.generate_random().number_of_bytes(24).wait()?;
    assert_hidden(&format!("{random:?}"), &random.plaintext().unwrap().0);
    let agreement = world.create_key_of(KeySpec::EccNistP256, KeyUsage::KeyAgreement)?;
    let public_key = agreement.public_key().wait()?.public_key().unwrap().clone();
    let derive = keys.derive_shared_secret(
        agreement.key_id().unwrap(),
        nephos_kms::KeyAgreementAlgorithm::Ecdh,
        public_key,
    );
    let derived = derive.wait()?;
    assert_hidden(&format!("{derived:?}"), &derived.shared_secret().unwrap().0);
    // A refusal does not repeat the data either.
    let refused = keys.encrypt(id, secret.repeat(200)).wait().expect_err("it is too long");
    assert_hidden(&format!("{refused:?} {refused}"), secret);
    Ok(())
}

pub(super) fn secrets_are_not_printed_in_previews(world: &World) -> Result<()> {
    let secret = b"correct horse battery staple";
    let key = world.create_key()?;
    let encrypt = CryptoKey::objects(&world.session()).encrypt(key.key_id().unwrap(), secret.as_slice());
    let encrypted = encrypt.preview().wait()?;
    assert_hidden(&format!("{encrypted:?}"), secret);
    let ciphertext = encrypted.answer.ciphertext_blob().unwrap().clone();
    let decrypted = key.decrypt().ciphertext_blob(ciphertext).preview().wait()?;
    assert_eq!(decrypted.answer.plaintext().unwrap().0, secret);
    assert_hidden(&format!("{decrypted:?}"), secret);
    Ok(())
}
