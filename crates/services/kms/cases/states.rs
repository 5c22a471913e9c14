//! Every operation in every state of its key.

use super::{World, ignoring_ciphertext, import};
use nephos_core::{Blob, Code, Resource, Result, Session, Tag, Text};
use nephos_kms::*;
use nephos_testing::{OTHER_ACCOUNT, OTHER_REGION, ask};

/// A state that keys are brought into.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Enabled,
    Disabled,
    PendingImport,
    PendingDeletion,
}

const STATES: [State; 4] = [State::Enabled, State::Disabled, State::PendingImport, State::PendingDeletion];

/// The code of the refusal in each state; `None` if the operation succeeds.
type Expected = [Option<&'static Code>; 4];

const ALWAYS: Expected = [None; 4];
/// Changes of a key that is not pending deletion.
const CHANGE: Expected = [None, None, None, Some(&errors::INVALID_STATE)];
/// Changes between enabled and disabled, which need material.
const SWITCH: Expected = [None, None, Some(&errors::INVALID_STATE), Some(&errors::INVALID_STATE)];
const CANCEL: Expected =
    [Some(&errors::INVALID_STATE), Some(&errors::INVALID_STATE), Some(&errors::INVALID_STATE), None];
/// Cryptography.
const USE: Expected =
    [None, Some(&errors::DISABLED), Some(&errors::INVALID_STATE), Some(&errors::INVALID_STATE)];

/// Imports of material.
const IMPORT: Expected = CHANGE;
/// Ends of grants. A key without material has none here.
const GRANTED: Expected = [None, None, Some(&errors::NOT_FOUND), None];
/// Automatic rotation, which keys without generated material do not have.
const ROTATION: Expected =
    [None, Some(&errors::DISABLED), Some(&errors::UNSUPPORTED), Some(&errors::INVALID_STATE)];

/// Keys in a state.
struct Keys<'w> {
    world: &'w World,
    state: State,
}

impl Keys<'_> {
    fn session(&self) -> Session {
        self.world.session()
    }

    /// Runs an operation.
    fn ask<O: nephos_core::operation::WireOperation>(&self, operation: O) -> Result<()> {
        ask(&self.session(), operation).map(drop)
    }

    /// Creates a key that is in the state.
    fn key(&self, spec: KeySpec, usage: KeyUsage) -> Result<Text> {
        self.key_after(spec, usage, |_| Ok(())).map(|(id, _)| id)
    }

    /// Creates a key that is in the state. It is enabled while `prepare` runs; without material, `prepare` does not run.
    fn key_after<T: Default>(
        &self,
        spec: KeySpec,
        usage: KeyUsage,
        prepare: impl FnOnce(&Text) -> Result<T>,
    ) -> Result<(Text, T)> {
        let mut model = CryptoKey::builder().key_spec(spec).key_usage(usage);
        if self.state == State::PendingImport {
            model = model.origin(KeyOrigin::External);
        }
        let key = CryptoKey::objects(&self.session()).create(&model.build()?).wait()?;
        let id = Text::new(key.key_id().unwrap());
        let prepared = if self.state == State::PendingImport { T::default() } else { prepare(&id)? };
        self.bring_into_state(&key)?;
        Ok((id, prepared))
    }

    /// Changes the state of a key that is enabled, or pending import.
    fn bring_into_state(&self, key: &CryptoKey) -> Result<()> {
        match self.state {
            State::Enabled | State::PendingImport => Ok(()),
            State::Disabled => key.disable().wait(),
            State::PendingDeletion => key.delete().wait().map(drop),
        }
    }

    /// Creates a key with imported material; also returns what `prepare` makes before the key is brought into the state.
    fn external<T>(&self, prepare: impl FnOnce(&CryptoKey) -> Result<T>) -> Result<(Text, T)> {
        let key = self.world.create_external(KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt)?;
        if self.state != State::PendingImport {
            import::import(&key, &[1; 32])?;
        }
        let prepared = prepare(&key)?;
        self.bring_into_state(&key)?;
        Ok((Text::new(key.key_id().unwrap()), prepared))
    }

    /// Creates a multi-Region key; `prepare` runs before it is brought into the state.
    fn multi_region(&self, prepare: impl FnOnce(&CryptoKey) -> Result<()>) -> Result<Text> {
        let mut model = CryptoKey::builder().multi_region(true);
        if self.state == State::PendingImport {
            model = model.origin(KeyOrigin::External);
        }
        let key = CryptoKey::objects(&self.session()).create(&model.build()?).wait()?;
        if self.state != State::PendingImport {
            prepare(&key)?;
        }
        self.bring_into_state(&key)?;
        Ok(Text::new(key.key_id().unwrap()))
    }

    /// Creates a key with a grant; returns the IDs of both.
    fn granted(&self) -> Result<(Text, Text)> {
        let grant = |id: &Text| ask(&self.session(), grant_of(id.clone()));
        let (id, created) = self.key_after(KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt, |id| {
            Ok(grant(id)?.grant_id().map(Text::new))
        })?;
        let grant_id = match created {
            Some(grant_id) => grant_id,
            None => Text::new("0".repeat(64)),
        };
        Ok((id, grant_id))
    }

    fn symmetric(&self) -> Result<Text> {
        self.key(KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt)
    }

    /// Creates a symmetric encryption key, and a ciphertext of it.
    fn with_ciphertext(&self) -> Result<(Text, Option<Blob>)> {
        self.key_after(KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt, |id| {
            let answer = ask(&self.session(), Encrypt::new(id.clone(), DATA))?;
            Ok(answer.ciphertext_blob().cloned())
        })
    }

    /// Creates an alias of a key of another name.
    fn alias(&self, id: &Text) -> Result<()> {
        self.ask(CreateAlias::new("alias/web", id.clone()))
    }
}

/// Prepares an operation, and returns it ready to run.
type Prepare = fn(&Keys<'_>) -> Result<Box<dyn FnOnce(&Keys<'_>) -> Result<()>>>;

/// Declares a row of the table from the code that prepares, and the operation.
macro_rules! row {
    ($operation:ident, $expected:ident, |$keys:ident| $prepare:block => $params:expr) => {
        (stringify!($operation), $expected, |$keys| {
            let params: $operation = {
                $prepare;
                $params
            };
            Ok(Box::new(move |keys: &Keys<'_>| keys.ask(params)))
        })
    };
    ($operation:ident, $expected:ident, |$keys:ident| $params:expr) => {
        row!($operation, $expected, |$keys| {} => $params)
    };
}

/// Returns a request for a grant of a key.
fn grant_of(id: Text) -> CreateGrant {
    let grantee = format!("arn:aws:iam::{OTHER_ACCOUNT}:root");
    CreateGrant::new(id, [GrantOperation::DescribeKey]).grantee_principal(grantee)
}

/// A plaintext or a message.
const DATA: &[u8] = b"data";

const P256: KeySpec = KeySpec::EccNistP256;
const HMAC: KeySpec = KeySpec::Hmac256;
const SIGN: KeyUsage = KeyUsage::SignVerify;
const MAC: KeyUsage = KeyUsage::GenerateVerifyMac;

/// Every operation of the service, with its refusals in the states.
const TABLE: &[(&str, Expected, Prepare)] = &[
    row!(CreateKey, ALWAYS, |_keys| CreateKey::new()),
    row!(DescribeKey, ALWAYS, |keys| DescribeKey::new(keys.symmetric()?)),
    row!(ListKeys, ALWAYS, |keys| { keys.symmetric()? } => ListKeys::new()),
    row!(UpdateKeyDescription, CHANGE, |keys| UpdateKeyDescription::new(keys.symmetric()?, "web")),
    row!(EnableKey, SWITCH, |keys| EnableKey::new(keys.symmetric()?)),
    row!(DisableKey, SWITCH, |keys| DisableKey::new(keys.symmetric()?)),
    row!(ScheduleKeyDeletion, CHANGE, |keys| ScheduleKeyDeletion::new(keys.symmetric()?)),
    row!(CancelKeyDeletion, CANCEL, |keys| CancelKeyDeletion::new(keys.symmetric()?)),
    row!(CreateAlias, CHANGE, |keys| CreateAlias::new("alias/web", keys.symmetric()?)),
    row!(UpdateAlias, CHANGE, |keys| {
        let other = Text::new(keys.world.create_key()?.key_id().unwrap());
        keys.alias(&other)?
    } => UpdateAlias::new("alias/web", keys.symmetric()?)),
    row!(DeleteAlias, ALWAYS, |keys| {
        keys.key_after(KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt, |id| keys.alias(id))?;
        if keys.state == State::PendingImport {
            keys.alias(&keys.symmetric()?)?;
        }
    } => DeleteAlias::new("alias/web")),
    row!(ListAliases, ALWAYS, |keys| ListAliases::new().key_id(keys.symmetric()?)),
    row!(TagResource, CHANGE, |keys| {
        TagResource::new(keys.symmetric()?, [Tag::from((Text::new("team"), Text::new("web")))])
    }),
    row!(UntagResource, CHANGE, |keys| UntagResource::new(keys.symmetric()?, [Text::new("team")])),
    row!(ListResourceTags, ALWAYS, |keys| ListResourceTags::new(keys.symmetric()?)),
    row!(Encrypt, USE, |keys| Encrypt::new(keys.symmetric()?, DATA)),
    row!(Decrypt, USE, |keys| {
        let (id, ciphertext) = keys.with_ciphertext()?;
        match ciphertext {
            Some(ciphertext) => Decrypt::new().ciphertext_blob(ciphertext),
            None => Decrypt::new().key_id(id).dry_run(true).dry_run_modifiers(ignoring_ciphertext()),
        }
    }),
    row!(ReEncrypt, USE, |keys| {
        let source = Text::new(keys.world.create_key()?.key_id().unwrap());
        let ciphertext = ask(&keys.session(), Encrypt::new(source, DATA))?.ciphertext_blob().cloned();
        ReEncrypt::new(keys.symmetric()?).ciphertext_blob(ciphertext)
    }),
    row!(GenerateDataKey, USE, |keys| GenerateDataKey::new(keys.symmetric()?).number_of_bytes(7)),
    row!(GenerateDataKeyWithoutPlaintext, USE, |keys| {
        GenerateDataKeyWithoutPlaintext::new(keys.symmetric()?).number_of_bytes(7)
    }),
    row!(GenerateDataKeyPair, USE, |keys| {
        GenerateDataKeyPair::new(keys.symmetric()?, DataKeyPairSpec::EccNistP256)
    }),
    row!(GenerateDataKeyPairWithoutPlaintext, USE, |keys| {
        GenerateDataKeyPairWithoutPlaintext::new(keys.symmetric()?, DataKeyPairSpec::EccNistP256)
    }),
    row!(GenerateRandom, ALWAYS, |_keys| GenerateRandom::new().number_of_bytes(7)),
    row!(Sign, USE, |keys| Sign::new(keys.key(P256, SIGN)?, DATA, SigningAlgorithm::EcdsaSha256)),
    row!(Verify, USE, |keys| {
        let algorithm = || SigningAlgorithm::EcdsaSha256;
        let (id, signature) = keys.key_after(P256, SIGN, |id| {
            let answer = ask(&keys.session(), Sign::new(id.clone(), DATA, algorithm()))?;
            Ok(answer.signature().cloned())
        })?;
        Verify::new(id, DATA, algorithm(), signature.unwrap_or_else(|| Blob::from(DATA)))
    }),
    row!(GenerateMac, USE, |keys| GenerateMac::new(keys.key(HMAC, MAC)?, DATA, MacAlgorithm::HmacSha256)),
    row!(VerifyMac, USE, |keys| {
        let algorithm = || MacAlgorithm::HmacSha256;
        let (id, mac) = keys.key_after(HMAC, MAC, |id| {
            let answer = ask(&keys.session(), GenerateMac::new(id.clone(), DATA, algorithm()))?;
            Ok(answer.mac().cloned())
        })?;
        VerifyMac::new(id, DATA, algorithm(), mac.unwrap_or_else(|| Blob::from(DATA)))
    }),
    row!(GetPublicKey, SWITCH, |keys| GetPublicKey::new(keys.key(P256, SIGN)?)),
    row!(DeriveSharedSecret, USE, |keys| {
        let peer = keys.world.create_key_of(P256, KeyUsage::KeyAgreement)?;
        let public_key = peer.public_key().wait()?.public_key().unwrap().clone();
        let id = keys.key(P256, KeyUsage::KeyAgreement)?;
        DeriveSharedSecret::new(id, KeyAgreementAlgorithm::Ecdh, public_key)
    }),
    row!(PutKeyPolicy, ALWAYS, |keys| {
        let policy = ask(&keys.session(), GetKeyPolicy::new(keys.symmetric()?))?.policy().unwrap().to_owned();
        PutKeyPolicy::new(keys.symmetric()?, policy)
    }),
    row!(GetKeyPolicy, ALWAYS, |keys| GetKeyPolicy::new(keys.symmetric()?)),
    row!(ListKeyPolicies, ALWAYS, |keys| ListKeyPolicies::new(keys.symmetric()?)),
    row!(CreateGrant, USE, |keys| grant_of(keys.symmetric()?)),
    row!(ListGrants, ALWAYS, |keys| ListGrants::new(keys.symmetric()?)),
    row!(ListRetirableGrants, ALWAYS, |keys| {
        keys.symmetric()?
    } => ListRetirableGrants::new().retiring_principal(format!("arn:aws:iam::{OTHER_ACCOUNT}:root"))),
    row!(RetireGrant, GRANTED, |keys| {
        let (id, grant_id) = keys.granted()?;
        let arn = keys.world.existing_key(&id)?.arn().ok().flatten().unwrap().to_owned();
        RetireGrant::new().key_id(arn).grant_id(grant_id)
    }),
    row!(RevokeGrant, GRANTED, |keys| {
        let (id, grant_id) = keys.granted()?;
        RevokeGrant::new(id, grant_id)
    }),
    row!(GetParametersForImport, IMPORT, |keys| {
        GetParametersForImport::new(keys.external(|_| Ok(()))?.0, import::OAEP, WrappingKeySpec::Rsa2048)
    }),
    row!(ImportKeyMaterial, IMPORT, |keys| {
        keys.external(|key| import::new_import(key, &import::OAEP, &[1; 32]))?.1
    }),
    row!(DeleteImportedKeyMaterial, ALWAYS, |keys| {
        DeleteImportedKeyMaterial::new(keys.external(|_| Ok(()))?.0)
    }),
    row!(EnableKeyRotation, ROTATION, |keys| EnableKeyRotation::new(keys.symmetric()?)),
    row!(DisableKeyRotation, ROTATION, |keys| DisableKeyRotation::new(keys.symmetric()?)),
    row!(GetKeyRotationStatus, ALWAYS, |keys| GetKeyRotationStatus::new(keys.symmetric()?)),
    row!(RotateKeyOnDemand, USE, |keys| RotateKeyOnDemand::new(keys.symmetric()?)),
    row!(ListKeyRotations, ALWAYS, |keys| ListKeyRotations::new(keys.symmetric()?)),
    row!(ReplicateKey, USE, |keys| ReplicateKey::new(keys.multi_region(|_| Ok(()))?, OTHER_REGION)),
    row!(UpdatePrimaryRegion, USE, |keys| {
        let id = keys.multi_region(|key| {
            let id = Text::new(key.key_id().unwrap());
            keys.ask(ReplicateKey::new(id, OTHER_REGION))
        })?;
        UpdatePrimaryRegion::new(id, OTHER_REGION)
    }),
];

pub(super) fn every_operation_is_refused_in_the_right_states(world: &World) -> Result<()> {
    for operation in SERVICE.operations {
        let name = operation.name;
        let row = TABLE.iter().find(|row| row.0 == name);
        let Some((_, expected, prepare)) = row else { panic!("{name} is not in the table of states") };
        for (state, expected) in STATES.into_iter().zip(expected) {
            let keys = Keys { world, state };
            let run = prepare(&keys)?;
            match expected {
                Some(code) => {
                    // Only a grant can be missing.
                    let field = (code.code == errors::NOT_FOUND.code).then_some("GrantId");
                    world.refused(code, field, || run(&keys));
                }
                None => {
                    run(&keys).unwrap_or_else(|error| panic!("{name} of a key that is {state:?}: {error}"))
                }
            }
            // The next operation may create the same alias.
            let _ = ask(&world.session(), DeleteAlias::new("alias/web"));
        }
    }
    assert_eq!(TABLE.len(), SERVICE.operations.len(), "the table has a row without an operation");
    Ok(())
}
