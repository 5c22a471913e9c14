//! Encryption and decryption.

use super::{World, ignoring_ciphertext};
use nephos_core::{Blob, Map, Resource, Result, Text, field_value::FieldType};
use nephos_kms::{
    CryptoKey, Decrypt, Encrypt, EncryptionAlgorithm, KeySpec, KeyUsage, ReEncrypt, RecipientInfo, errors,
};
use nephos_testing::{DAY, OTHER_ACCOUNT, OTHER_REGION, ask};

const PLAINTEXT: &[u8] = b"the plaintext";

fn context(pairs: &[(&str, &str)]) -> Map<Text> {
    pairs.iter().map(|(name, value)| (Text::new(name), Text::new(value))).collect()
}

impl World {
    fn encrypt(&self, key: &CryptoKey) -> Result<Blob> {
        let answer = CryptoKey::objects(&self.session()).encrypt(key.key_id().unwrap(), PLAINTEXT).wait()?;
        Ok(answer.ciphertext_blob().unwrap().clone())
    }

    fn rsa_key(&self) -> Result<CryptoKey> {
        self.create_key_of(KeySpec::Rsa2048, KeyUsage::EncryptDecrypt)
    }
}

pub(super) fn encrypted_data_is_decrypted_with_and_without_key(world: &World) -> Result<()> {
    let key = world.create_key()?;
    world.create_alias(&key, "alias/web")?;
    let arn = key.arn()?.unwrap().to_owned();
    let keys = CryptoKey::objects(&world.session());
    for name in [key.key_id().unwrap(), arn.as_str(), "alias/web"] {
        let encrypted = keys.encrypt(name, PLAINTEXT).wait()?;
        assert_eq!(encrypted.key_id(), Some(arn.as_str()));
        assert_eq!(encrypted.encryption_algorithm(), Some(&EncryptionAlgorithm::SymmetricDefault));
        let ciphertext = encrypted.ciphertext_blob().unwrap();
        let decrypted = keys.decrypt().ciphertext_blob(ciphertext.clone()).wait()?;
        assert_eq!(decrypted.plaintext().unwrap().0, PLAINTEXT);
        assert_eq!(decrypted.key_id(), Some(arn.as_str()));
        assert_eq!(decrypted.key_material_id(), key.current_key_material_id());
        let decrypted = keys.decrypt().ciphertext_blob(ciphertext.clone()).key_id(name).wait()?;
        assert_eq!(decrypted.plaintext().unwrap().0, PLAINTEXT);
        let decrypted = key.decrypt().ciphertext_blob(ciphertext.clone()).wait()?;
        assert_eq!(decrypted.plaintext().unwrap().0, PLAINTEXT);
    }
    Ok(())
}

pub(super) fn equal_plaintexts_have_different_ciphertexts(world: &World) -> Result<()> {
    let key = world.create_key()?;
    assert_ne!(world.encrypt(&key)?, world.encrypt(&key)?);
    Ok(())
}

pub(super) fn plaintext_has_1_to_4096_bytes(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let keys = CryptoKey::objects(&world.session());
    let id = key.key_id().unwrap();
    let longest = vec![7; 4096];
    let ciphertext = keys.encrypt(id, longest.clone()).wait()?.ciphertext_blob().unwrap().clone();
    assert!(ciphertext.0.len() <= 6144);
    assert_eq!(keys.decrypt().ciphertext_blob(ciphertext).wait()?.plaintext().unwrap().0, longest);
    for length in [0, 4097] {
        world.refused(&errors::VALIDATION, "Plaintext", || keys.encrypt(id, vec![7; length]).wait());
    }
    for length in [0, 6145] {
        world.refused(&errors::VALIDATION, "CiphertextBlob", || {
            keys.decrypt().ciphertext_blob(vec![7; length]).wait()
        });
    }
    world.refused(&errors::VALIDATION, "CiphertextBlob", || keys.decrypt().wait());
    Ok(())
}

pub(super) fn encryption_context_must_be_the_same(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let keys = CryptoKey::objects(&world.session());
    let given = context(&[("team", "web"), ("stage", "test")]);
    let encrypt = keys.encrypt(key.key_id().unwrap(), PLAINTEXT).encryption_context(given);
    let ciphertext = encrypt.wait()?.ciphertext_blob().unwrap().clone();
    let decrypt = |context: Map<Text>| {
        keys.decrypt().ciphertext_blob(ciphertext.clone()).encryption_context(context).wait()
    };
    let reordered = decrypt(context(&[("stage", "test"), ("team", "web")]))?;
    assert_eq!(reordered.plaintext().unwrap().0, PLAINTEXT);
    for other in [
        &[][..],
        &[("team", "web")],
        &[("team", "web"), ("stage", "prod")],
        &[("team", "web"), ("Stage", "test")],
        &[("team", "web"), ("stage", "test"), ("more", "")],
    ] {
        let refused =
            world.refused(&errors::INVALID_CIPHERTEXT, "CiphertextBlob", || decrypt(context(other)));
        assert_eq!(refused.message(), "");
    }
    Ok(())
}

pub(super) fn damaged_ciphertext_is_refused(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let ciphertext = world.encrypt(&key)?;
    let decrypt = |bytes: Vec<u8>| key.decrypt().ciphertext_blob(bytes).wait();
    let length = ciphertext.0.len();
    for at in [0, 40, length - PLAINTEXT.len() - 17, length - 17, length - 1] {
        let mut damaged = ciphertext.0.clone();
        damaged[at] ^= 1;
        let refused = decrypt(damaged).expect_err("a damaged ciphertext is refused");
        let expected = [errors::INVALID_CIPHERTEXT.code, errors::INCORRECT_KEY.code];
        assert!(expected.contains(&refused.code()), "{refused}");
    }
    for end in [1, 10, length - 1] {
        world
            .refused(&errors::INVALID_CIPHERTEXT, "CiphertextBlob", || decrypt(ciphertext.0[..end].to_vec()));
    }
    Ok(())
}

pub(super) fn ciphertext_of_another_key_is_refused(world: &World) -> Result<()> {
    let (first, second) = (world.create_key()?, world.create_key()?);
    let ciphertext = world.encrypt(&first)?;
    let others = [second, world.rsa_key()?, world.create_key_of(KeySpec::EccNistP256, KeyUsage::SignVerify)?];
    for other in others {
        let refused = world.refused(&errors::INCORRECT_KEY, "KeyId", || {
            other.decrypt().ciphertext_blob(ciphertext.clone()).wait()
        });
        assert!(refused.message().starts_with("The key ID in the request does not"), "{refused}");
    }
    Ok(())
}

pub(super) fn ciphertext_of_missing_key_is_denied(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let ciphertext = world.encrypt(&key)?;
    let elsewhere = CryptoKey::objects(&world.session().with_region(OTHER_REGION));
    let decrypt = || elsewhere.decrypt().ciphertext_blob(ciphertext.clone()).wait();
    let refused = world.refused(&errors::ACCESS_DENIED, "CiphertextBlob", decrypt);
    assert!(refused.message().contains("perform: kms:Decrypt on the resource associated with"), "{refused}");
    key.delete().pending_window_in_days(7).wait()?;
    world.advance(DAY * 7)?;
    let keys = CryptoKey::objects(&world.session());
    let decrypt = || keys.decrypt().ciphertext_blob(ciphertext.clone()).wait();
    world.refused(&errors::ACCESS_DENIED, "CiphertextBlob", decrypt);
    Ok(())
}

pub(super) fn rsa_keys_encrypt_with_both_algorithms(world: &World) -> Result<()> {
    let key = world.rsa_key()?;
    let keys = CryptoKey::objects(&world.session());
    let id = key.key_id().unwrap();
    let algorithms = [(EncryptionAlgorithm::RsaesOaepSha1, 214), (EncryptionAlgorithm::RsaesOaepSha256, 190)];
    for (algorithm, limit) in algorithms {
        let encrypt =
            |length: usize| keys.encrypt(id, vec![7; length]).encryption_algorithm(algorithm.clone()).wait();
        let ciphertext = encrypt(limit)?.ciphertext_blob().unwrap().clone();
        assert_eq!(ciphertext.0.len(), 256);
        let decrypt = |bytes: Blob| {
            keys.decrypt().ciphertext_blob(bytes).key_id(id).encryption_algorithm(algorithm.clone())
        };
        let decrypted = decrypt(ciphertext.clone()).wait()?;
        assert_eq!(decrypted.plaintext().unwrap().0, vec![7; limit]);
        assert_eq!((decrypted.encryption_algorithm(), decrypted.key_material_id()), (Some(&algorithm), None));
        let refused = world.refused(&errors::VALIDATION, "Plaintext", || encrypt(limit + 1));
        assert_eq!(
            refused.message(),
            format!(
                "Algorithm {algorithm} and key spec RSA_2048 cannot encrypt data larger than {limit} bytes."
            )
        );
        let mut damaged = ciphertext.clone();
        damaged.0[100] ^= 1;
        for invalid in [damaged, Blob(vec![1; 256]), Blob(vec![1; 10])] {
            world.refused(&errors::INVALID_CIPHERTEXT, "CiphertextBlob", || decrypt(invalid).wait());
        }
        let without_key =
            || keys.decrypt().ciphertext_blob(ciphertext).encryption_algorithm(algorithm.clone()).wait();
        world.refused(&errors::VALIDATION, "KeyId", without_key);
    }
    // The default algorithm is symmetric.
    let refused =
        world.refused(&errors::INVALID_USAGE, "EncryptionAlgorithm", || keys.encrypt(id, PLAINTEXT).wait());
    assert_eq!(refused.message(), "Algorithm SYMMETRIC_DEFAULT is incompatible with key spec RSA_2048.");
    let with_context = || {
        let encrypt = keys.encrypt(id, PLAINTEXT).encryption_algorithm(EncryptionAlgorithm::RsaesOaepSha256);
        encrypt.encryption_context(context(&[("a", "b")])).wait()
    };
    world.refused(&errors::VALIDATION, "EncryptionContext", with_context);
    Ok(())
}

pub(super) fn algorithm_must_be_one_of_the_key(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let encrypt = || {
        let call = CryptoKey::objects(&world.session()).encrypt(key.key_id().unwrap(), PLAINTEXT);
        call.encryption_algorithm(EncryptionAlgorithm::RsaesOaepSha256).wait()
    };
    let refused = world.refused(&errors::INVALID_USAGE, "EncryptionAlgorithm", encrypt);
    assert!(refused.message().ends_with("is incompatible with key spec SYMMETRIC_DEFAULT."), "{refused}");
    Ok(())
}

pub(super) fn keys_of_another_usage_do_not_encrypt(world: &World) -> Result<()> {
    let key = world.create_key_of(KeySpec::Hmac256, KeyUsage::GenerateVerifyMac)?;
    // The usage is refused before the state.
    key.disable().wait()?;
    let keys = CryptoKey::objects(&world.session());
    let refused = world
        .refused(&errors::INVALID_USAGE, "KeyId", || keys.encrypt(key.key_id().unwrap(), PLAINTEXT).wait());
    let arn = key.arn()?.unwrap();
    assert_eq!(
        refused.message(),
        format!("{arn} key usage is GENERATE_VERIFY_MAC which is not valid for Encrypt.")
    );
    Ok(())
}

pub(super) fn data_is_encrypted_again_under_another_key(world: &World) -> Result<()> {
    let (source, target) = (world.create_key()?, world.rsa_key()?);
    let keys = CryptoKey::objects(&world.session());
    let encrypt = keys.encrypt(source.key_id().unwrap(), PLAINTEXT);
    let given = context(&[("a", "b")]);
    let ciphertext = encrypt.encryption_context(given.clone()).wait()?.ciphertext_blob().unwrap().clone();
    let answer = keys
        .re_encrypt(target.key_id().unwrap())
        .ciphertext_blob(ciphertext.clone())
        .source_encryption_context(given.clone())
        .destination_encryption_algorithm(EncryptionAlgorithm::RsaesOaepSha1)
        .wait()?;
    assert_eq!(answer.source_key_id(), source.arn()?);
    assert_eq!(answer.key_id(), target.arn()?);
    assert_eq!(answer.source_encryption_algorithm(), Some(&EncryptionAlgorithm::SymmetricDefault));
    assert_eq!(answer.destination_encryption_algorithm(), Some(&EncryptionAlgorithm::RsaesOaepSha1));
    assert_eq!(answer.source_key_material_id(), source.current_key_material_id());
    assert_eq!(answer.destination_key_material_id(), None);
    let back = keys
        .re_encrypt(source.key_id().unwrap())
        .ciphertext_blob(answer.ciphertext_blob().unwrap().clone())
        .source_key_id(target.key_id().unwrap())
        .source_encryption_algorithm(EncryptionAlgorithm::RsaesOaepSha1)
        .destination_encryption_context(context(&[("c", "d")]))
        .wait()?;
    let decrypt = keys.decrypt().ciphertext_blob(back.ciphertext_blob().unwrap().clone());
    let decrypted = decrypt.encryption_context(context(&[("c", "d")])).wait()?;
    assert_eq!(decrypted.plaintext().unwrap().0, PLAINTEXT);

    let other = world.create_key()?;
    let re_encrypt = || keys.re_encrypt(target.key_id().unwrap()).ciphertext_blob(ciphertext.clone());
    world.refused(&errors::INCORRECT_KEY, "SourceKeyId", || {
        re_encrypt().source_key_id(other.key_id().unwrap()).wait()
    });
    world.refused(&errors::INVALID_USAGE, "DestinationEncryptionAlgorithm", || re_encrypt().wait());
    let to_source = || keys.re_encrypt(source.key_id().unwrap()).ciphertext_blob(ciphertext.clone());
    world.refused(&errors::INVALID_CIPHERTEXT, "CiphertextBlob", || to_source().wait());
    let long = keys.encrypt(source.key_id().unwrap(), vec![7; 200]).wait()?;
    world.refused(&errors::VALIDATION, "Plaintext", || {
        let call = keys.re_encrypt(target.key_id().unwrap());
        let call = call.ciphertext_blob(long.ciphertext_blob().unwrap().clone());
        call.destination_encryption_algorithm(EncryptionAlgorithm::RsaesOaepSha256).wait()
    });
    let missing = "00000000-0000-4000-8000-000000000000";
    let to_missing =
        || keys.re_encrypt(missing).ciphertext_blob(ciphertext.clone()).source_encryption_context(given);
    world.refused(&errors::NOT_FOUND, "DestinationKeyId", || to_missing().wait());
    world.refused(&errors::NOT_FOUND, "SourceKeyId", || re_encrypt().source_key_id(missing).wait());
    Ok(())
}

pub(super) fn dry_run_checks_everything_and_is_refused(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let id = key.key_id().unwrap();
    let session = world.session();
    let refused =
        world.refused(&errors::DRY_RUN, None, || ask(&session, Encrypt::new(id, PLAINTEXT).dry_run(true)));
    assert_eq!(refused.message(), "The request would have succeeded, but the DryRun option is set.");
    let ciphertext = world.encrypt(&key)?;
    let decrypt = || Decrypt::new().dry_run(true).key_id(Text::new(id));
    world.refused(&errors::DRY_RUN, None, || ask(&session, decrypt().ciphertext_blob(ciphertext.clone())));
    let mut damaged = ciphertext.clone();
    *damaged.0.last_mut().unwrap() ^= 1;
    world.refused(&errors::INVALID_CIPHERTEXT, "CiphertextBlob", || {
        ask(&session, decrypt().ciphertext_blob(damaged.clone()))
    });
    let re_encrypt = || ReEncrypt::new(id).dry_run(true);
    world.refused(&errors::DRY_RUN, None, || ask(&session, re_encrypt().ciphertext_blob(ciphertext.clone())));
    world.refused(&errors::VALIDATION, "CiphertextBlob", || ask(&session, decrypt()));
    world.refused(&errors::DRY_RUN, None, || {
        ask(&session, decrypt().dry_run_modifiers(ignoring_ciphertext()))
    });
    world.refused(&errors::VALIDATION, "SourceKeyId", || {
        ask(&session, re_encrypt().dry_run_modifiers(ignoring_ciphertext()))
    });
    world.refused(&errors::DRY_RUN, None, || {
        ask(&session, re_encrypt().source_key_id(Text::new(id)).dry_run_modifiers(ignoring_ciphertext()))
    });
    // Without a dry run, its modifiers have no effect.
    world.refused(&errors::VALIDATION, "CiphertextBlob", || {
        ask(&session, Decrypt::new().dry_run_modifiers(ignoring_ciphertext()))
    });
    key.disable().wait()?;
    world.refused(&errors::DISABLED, None, || ask(&session, Encrypt::new(id, PLAINTEXT).dry_run(true)));
    world.refused(&errors::DISABLED, None, || {
        ask(&session, decrypt().dry_run_modifiers(ignoring_ciphertext()))
    });
    Ok(())
}

pub(super) fn recipients_are_refused_by_name(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let ciphertext = world.encrypt(&key)?;
    world.refused(&errors::UNSUPPORTED, "Recipient", || {
        key.decrypt().ciphertext_blob(ciphertext.clone()).recipient(RecipientInfo::blank()).wait()
    });
    world.refused(&errors::UNSUPPORTED, "Recipient", || {
        key.generate_data_key().number_of_bytes(16).recipient(RecipientInfo::blank()).wait()
    });
    world.refused(&errors::UNSUPPORTED, "Recipient", || {
        let keys = CryptoKey::objects(&world.session());
        keys.generate_random().number_of_bytes(16).recipient(RecipientInfo::blank()).wait()
    });
    Ok(())
}

pub(super) fn another_account_cannot_use_key_by_default(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let ciphertext = world.encrypt(&key)?;
    let theirs = CryptoKey::objects(&world.session_of(OTHER_ACCOUNT));
    let refused = theirs.encrypt(key.arn()?.unwrap(), PLAINTEXT).wait().expect_err("it is refused");
    assert_eq!(refused.code(), "AccessDeniedException", "{refused}");
    let refused = theirs.decrypt().ciphertext_blob(ciphertext).wait().expect_err("it is refused");
    assert_eq!(refused.code(), "AccessDeniedException", "{refused}");
    Ok(())
}
