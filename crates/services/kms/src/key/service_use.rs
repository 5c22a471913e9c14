//! Keys that other services encrypt their data with.

use crate::{
    KeyOrigin, KeySpec, KeyUsage, SERVICE, alias, errors,
    key::{KeyManager, KeyRow, create, find, material_row::MaterialRow},
    material::{self, Context},
};
use nephos_cloud::{CheckKey, CryptoKeys, EncryptionContext, Scope, Tx, UsableKey, Work};
use nephos_core::{Ids, Record, Result, Text, shape::ServiceShape};
use zeroize::Zeroizing;

/// The keys of this service, for other services.
#[derive(Debug)]
pub(crate) struct Keys;

/// Returns the key, which must be usable for symmetric encryption now.
fn usable(cx: &Tx<'_>, key: &KeyRow) -> Result<UsableKey> {
    key.check_usable(cx)?;
    let arn = Text::from(key.arn(cx.scope()));
    if *key.spec() != KeySpec::SymmetricDefault {
        return Err(errors::key_not_symmetric(&arn));
    }
    Ok(UsableKey { arn, is_managed: key.is_managed() })
}

/// Returns the key that the provider manages for a service, before it is stored. Its ID follows from account, Region and
/// service, so that all who ask at the same time get the same.
fn new_managed(cx: &Tx<'_>, service: &str) -> KeyRow {
    let place = format!("{}/{}/{service}", cx.scope().account(), cx.scope().region());
    let seed = place.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut key = create::new_row(cx, KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt, false);
    key.key_id = Some(Ids::seeded(seed).uuid());
    key.key_manager = Some(KeyManager::Provider);
    key.origin = Some(KeyOrigin::ProviderCrypto);
    key.description =
        Some(format!("Default key that protects my data when no other key is defined: {service}").into());
    key
}

fn create_managed(cx: &mut Tx<'_>, service: &str) -> Result<KeyRow> {
    let mut key = new_managed(cx, service);
    let stored = create::generate(cx, &KeySpec::SymmetricDefault)?;
    key.add_material(cx, &stored, None)?;
    alias::put(cx, &alias::of_service(service), &key)?;
    cx.put(key.clone())?;
    Ok(key)
}

/// Returns the key of a predefined alias that nobody has used yet, and has it stored after the answer.
pub(crate) fn find_predefined(cx: &mut Tx<'_>, name: &str) -> Result<Option<KeyRow>> {
    let Some(service) = alias::service_of_predefined(name) else { return Ok(None) };
    if alias::find_key(cx, name)?.is_some() {
        return Ok(None);
    }
    cx.schedule_after_answer(&ManagedKeyCreation { service: Some(service.into()) })?;
    Ok(Some(new_managed(cx, service)))
}

/// Due work that stores the key that the provider manages for a service.
#[derive(Record)]
#[record(row)]
pub(crate) struct ManagedKeyCreation {
    /// Name of the service.
    service: Option<Text>,
}

impl Work for ManagedKeyCreation {
    const NAME: &'static str = "kms/managed-key";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let service = self.service.unwrap_or_default();
        match alias::find_key(cx, &alias::of_service(&service))? {
            Some(_) => Ok(()),
            None => create_managed(cx, &service).map(drop),
        }
    }
}

/// Finds the key with this ID, ARN or alias, or else the key that the provider manages for a service, which is created if it does not
/// exist. Also returns the scope of its owner.
fn find_or_create(cx: &mut Tx<'_>, name: Option<&str>, service: &str) -> Result<(Scope, KeyRow)> {
    let service = match name {
        None => service,
        Some(name) => match alias::service_of_predefined(name) {
            Some(service) => service,
            None => return find::in_owner(cx, name, |cx, key| Ok((cx.scope().clone(), key))),
        },
    };
    let key = match alias::find_key(cx, &alias::of_service(service))? {
        Some(key) => key,
        None => create_managed(cx, service)?,
    };
    Ok((cx.scope().clone(), key))
}

impl CryptoKeys for Keys {
    fn shape(&self) -> &'static ServiceShape {
        &SERVICE
    }

    fn find_usable(&self, cx: &mut Tx<'_>, name: Option<&str>, service: &str) -> Result<UsableKey> {
        let (owner, key) = find_or_create(cx, name, service)?;
        cx.in_scope(&owner, |cx| usable(cx, &key))
    }

    fn encrypt(
        &self,
        cx: &mut Tx<'_>,
        name: Option<&str>,
        service: &str,
        check: &CheckKey<'_>,
        context: &EncryptionContext<'_>,
        plain: &[u8],
    ) -> Result<Vec<u8>> {
        let (owner, key) = find_or_create(cx, name, service)?;
        let found = cx.in_scope(&owner, |cx| usable(cx, &key))?;
        check(cx, &found)?;
        cx.in_scope(&owner, |cx| {
            let stored = key.open_material(cx)?;
            let name = key.ciphertext_name(cx.scope());
            let context = Context::new(context.iter().copied());
            material::encrypt(&name, &stored, &context, plain, |aad| cx.nonce(aad, plain))
                .map_err(|_| errors::material_unreadable())
        })
    }

    fn decrypt(
        &self,
        cx: &mut Tx<'_>,
        context: &EncryptionContext<'_>,
        ciphertext: &[u8],
    ) -> Result<(UsableKey, Zeroizing<Vec<u8>>)> {
        let unreadable = |_| errors::material_unreadable();
        let name = material::read_header(ciphertext).map_err(unreadable)?;
        let owner = cx.scope().with_account(&name.account);
        cx.in_scope(&owner, |cx| {
            let key = find::require_by_id(cx, &name.key_id)?;
            let found = usable(cx, &key)?;
            let row = MaterialRow::find(cx, &name.key_id, &name.material_id)?;
            let stored = row.ok_or_else(errors::material_unreadable)?.open(cx)?;
            let context = Context::new(context.iter().copied());
            let plain = material::decrypt(&stored, &context, ciphertext).map_err(unreadable)?;
            Ok((found, plain))
        })
    }
}
