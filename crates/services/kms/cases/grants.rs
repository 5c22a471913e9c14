//! Grants of keys.

use super::World;
use nephos_core::{Map, Resource, Result, Session, Text};
use nephos_kms::{
    CreateGrant, CryptoKey, GrantConstraints, GrantOperation, KeyGrant, KeySpec, KeyUsage, RetireGrant,
    RevokeGrant, errors,
};
use nephos_testing::{DAY, OTHER_ACCOUNT, THIRD_ACCOUNT, ask};

/// Returns the ARN of the root of an account.
fn root_of(account: &str) -> Text {
    format!("arn:aws:iam::{account}:root").into()
}

/// Returns a request for a grant of a key that allows some operations to another account.
fn request(key: &CryptoKey, operations: &[GrantOperation]) -> CreateGrant {
    let id = key.key_id().unwrap_or_default();
    CreateGrant::new(id, operations.to_vec()).grantee_principal(root_of(OTHER_ACCOUNT))
}

fn constraints(pairs: &[(&str, &str)]) -> Result<GrantConstraints> {
    let pairs: Map<Text> = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    GrantConstraints::builder().encryption_context_subset(pairs).build()
}

impl World {
    /// Creates a grant of a key that allows its description to another account.
    pub(super) fn create_grant(&self, key: &CryptoKey) -> Result<KeyGrant> {
        let grant = KeyGrant::builder()
            .key_id(key.key_id().unwrap_or_default())
            .operations([GrantOperation::DescribeKey])
            .grantee_principal(root_of(OTHER_ACCOUNT))
            .retiring_principal(root_of(THIRD_ACCOUNT))
            .build()?;
        KeyGrant::objects(&self.session()).create(&grant).wait()
    }
}

pub(super) fn grant_is_created_found_listed_and_revoked(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let grant = world.create_grant(&key)?;
    assert_eq!(grant.key_id(), key.arn()?);
    assert_eq!(grant.grant_id().map(str::len), Some(64));
    assert_eq!(grant.issuing_account(), Some(root_of(world.session().account()).as_str()));
    let grants = KeyGrant::objects(&world.session());
    let (key_id, id) = (key.key_id().unwrap_or_default(), grant.grant_id().unwrap_or_default());
    assert_eq!(grants.get(key_id, id).wait()?.as_ref(), Some(&grant));
    assert_eq!(grants.list(key_id).results().all().wait()?, std::slice::from_ref(&grant));
    assert_eq!(grant.crypto_key().wait()?.as_deref(), Some(&key));
    let dry = RevokeGrant::new(key_id, id).dry_run(true);
    world.refused(&errors::DRY_RUN, None, || ask(&world.session(), dry.clone()));
    grant.delete().wait()?;
    assert_eq!(grants.get(key_id, id).wait()?, None);
    assert_eq!(grants.list(key_id).results().all().wait()?, []);
    world.refused(&errors::NOT_FOUND, "GrantId", || grants.delete(key_id, id).wait());
    Ok(())
}

/// A grant is effective at once, and its end too.
pub(super) fn grant_allows_use_by_other_account_until_it_is_deleted(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let arn = key.arn()?.unwrap_or_default();
    let elsewhere = CryptoKey::objects(&world.other_account());
    let describe = || elsewhere.describe(arn).wait();
    let text = format!(
        "User: {} is not authorized to perform: kms:DescribeKey on resource: {arn} because no resource-based policy \
         allows the kms:DescribeKey action",
        root_of(OTHER_ACCOUNT)
    );
    assert_eq!(world.refused(&errors::ACCESS_DENIED, None, describe).message(), text);
    let grant = world.create_grant(&key)?;
    assert_eq!(describe()?.key_metadata().and_then(CryptoKey::key_id), key.key_id());
    let other = RetireGrant::new().key_id(arn).grant_id(grant.grant_id().unwrap_or_default());
    let error = world.refused(&errors::ACCESS_DENIED, None, || ask(&world.other_account(), other.clone()));
    assert!(error.message().contains(&format!("kms:RetireGrant on resource: {arn} because")), "{error}");
    ask(&world.session_of(THIRD_ACCOUNT), other)?;
    world.refused(&errors::ACCESS_DENIED, None, describe);
    let retirable = request(&key, &[GrantOperation::DescribeKey, GrantOperation::RetireGrant]);
    let token = ask(&world.session(), retirable)?.grant_token().unwrap_or_default().to_owned();
    describe()?;
    ask(&world.other_account(), RetireGrant::new().grant_token(token))?;
    world.refused(&errors::ACCESS_DENIED, None, describe);
    Ok(())
}

pub(super) fn tokens_identify_the_grant_to_retire(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let created = ask(&world.session(), request(&key, &[GrantOperation::Decrypt]))?;
    let token = created.grant_token().unwrap_or_default();
    let dry = RetireGrant::new().grant_token(token).dry_run(true);
    world.refused(&errors::DRY_RUN, None, || ask(&world.session(), dry.clone()));
    ask(&world.session(), RetireGrant::new().grant_token(token))?;
    let again = RetireGrant::new().grant_token(token);
    world.refused(&errors::NOT_FOUND, "GrantId", || ask(&world.session(), again.clone()));
    let invalid = RetireGrant::new().grant_token("token");
    world.refused(&errors::INVALID_GRANT_TOKEN, "GrantToken", || ask(&world.session(), invalid.clone()));
    world.refused(&errors::VALIDATION, "GrantToken", || {
        ask(&world.session(), RetireGrant::new().grant_id(created.grant_id().unwrap_or_default()))
    });
    Ok(())
}

pub(super) fn grants_with_the_same_name_and_parameters_are_one(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let id_of = |request: CreateGrant| -> Result<String> {
        Ok(ask(&world.session(), request)?.grant_id().unwrap_or_default().to_owned())
    };
    let named = || request(&key, &[GrantOperation::Decrypt]).name("web");
    let first = id_of(named())?;
    assert_eq!(id_of(named())?, first);
    assert_ne!(id_of(named().constraints(constraints(&[("a", "b")])?))?, first);
    assert_ne!(id_of(named().name("other"))?, first);
    assert_ne!(id_of(request(&key, &[GrantOperation::Encrypt]).name("web"))?, first);
    let unnamed = || id_of(request(&key, &[GrantOperation::Decrypt]));
    assert_ne!(unnamed()?, unnamed()?);
    Ok(())
}

pub(super) fn grants_are_listed_by_grantee_and_page_by_page(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let id = key.key_id().unwrap_or_default();
    for _ in 0..3 {
        ask(&world.session(), request(&key, &[GrantOperation::Decrypt]))?;
    }
    let third = CreateGrant::new(id, vec![GrantOperation::Encrypt]).grantee_principal(root_of(THIRD_ACCOUNT));
    let third = ask(&world.session(), third)?;
    let grants = KeyGrant::objects(&world.session());
    let by =
        |account: &str| grants.list(id).grantee_principal(root_of(account)).limit(2).results().all().wait();
    assert_eq!(by(OTHER_ACCOUNT)?.len(), 3);
    let found = by(THIRD_ACCOUNT)?;
    assert_eq!(found.iter().map(KeyGrant::grant_id).collect::<Vec<_>>(), [third.grant_id()]);
    assert_eq!(grants.list(id).limit(1).results().all().wait()?.len(), 4);
    assert_eq!(grants.list(id).grant_id(third.grant_id().unwrap_or_default()).results().all().wait()?, found);
    Ok(())
}

pub(super) fn retirable_grants_are_listed_for_their_principal(world: &World) -> Result<()> {
    let (first, second) = (world.create_key()?, world.create_key()?);
    let mut created = vec![world.create_grant(&first)?, world.create_grant(&second)?];
    created.sort_by_key(|grant| grant.key_id().map(str::to_owned));
    let list = |session: &Session| {
        KeyGrant::objects(session).list_retirable().retiring_principal(root_of(THIRD_ACCOUNT)).limit(1).wait()
    };
    assert_eq!(list(&world.session_of(THIRD_ACCOUNT))?, created);
    assert_eq!(list(&world.session())?, []);
    created[0].delete().wait()?;
    assert_eq!(list(&world.session_of(THIRD_ACCOUNT))?, created[1..]);
    let grants = KeyGrant::objects(&world.session());
    world.refused(&errors::VALIDATION, "RetiringPrincipal", || grants.list_retirable().wait());
    Ok(())
}

pub(super) fn grant_operations_must_fit_the_key(world: &World) -> Result<()> {
    use GrantOperation::{
        CreateGrant, Decrypt, DeriveSharedSecret, DescribeKey, Encapsulate, Encrypt, GenerateDataKey,
        GenerateMac, GetPublicKey, ReEncryptTo, RetireGrant, Sign, Verify, VerifyMac,
    };
    let symmetric = (KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt);
    for ((spec, usage), valid, invalid) in [
        (symmetric, vec![Encrypt, GenerateDataKey, ReEncryptTo], vec![Sign, GetPublicKey, Encapsulate]),
        ((KeySpec::Rsa2048, KeyUsage::SignVerify), vec![Sign, Verify, GetPublicKey], vec![Encrypt]),
        ((KeySpec::Hmac256, KeyUsage::GenerateVerifyMac), vec![GenerateMac, VerifyMac], vec![GetPublicKey]),
        ((KeySpec::EccNistP256, KeyUsage::KeyAgreement), vec![DeriveSharedSecret], vec![Sign, Decrypt]),
    ] {
        let key = world.create_key_of(spec, usage)?;
        let general = [CreateGrant, RetireGrant, DescribeKey];
        ask(&world.session(), request(&key, &[valid.as_slice(), &general].concat()))?;
        for operation in invalid {
            let refused = request(&key, &[DescribeKey, operation]);
            world.refused(&errors::VALIDATION, "Operations", || ask(&world.session(), refused.clone()));
        }
    }
    let key = world.create_key_of(KeySpec::Hmac256, KeyUsage::GenerateVerifyMac)?;
    let create = || ask(&world.session(), request(&key, &[Encrypt]));
    let refused = world.refused(&errors::VALIDATION, "Operations", create);
    let text = "Operations [Encrypt] are not supported when creating a grant for a symmetric KMS key with key usage \
        GENERATE_VERIFY_MAC. Valid operations are [CreateGrant, RetireGrant, DescribeKey, GenerateMac, VerifyMac]";
    assert_eq!(refused.message(), text);
    Ok(())
}

pub(super) fn invalid_grants_are_refused(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let decrypt = || request(&key, &[GrantOperation::Decrypt]);
    let only = request(&key, &[GrantOperation::CreateGrant]);
    let refused = world.refused(&errors::VALIDATION, "Operations", || ask(&world.session(), only.clone()));
    assert_eq!(refused.message(), "Grants must not contain only the CreateGrant operation.");
    let pairs = Map::from_iter([("a".into(), "b".into())]);
    let both = GrantConstraints::builder().encryption_context_subset(pairs.clone());
    let both = decrypt().constraints(both.encryption_context_equals(pairs).build()?);
    let refused = world.refused(&errors::VALIDATION, "Constraints", || ask(&world.session(), both.clone()));
    assert_eq!(refused.message(), "More than one constraint supplied");
    let names: Vec<_> = (0..9).map(|n| n.to_string()).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let many = decrypt().constraints(constraints(&many)?);
    world.refused(&errors::VALIDATION, "Constraints", || ask(&world.session(), many.clone()));
    let pair = world.create_key_of(KeySpec::EccNistP256, KeyUsage::SignVerify)?;
    let pair = request(&pair, &[GrantOperation::Sign]).constraints(constraints(&[("a", "b")])?);
    let refused = world.refused(&errors::VALIDATION, "Constraints", || ask(&world.session(), pair.clone()));
    let text =
        "EncryptionContext is supported only when creating a grant for a symmetric encryption KMS key.";
    assert_eq!(refused.message(), text);
    let nobody = CreateGrant::new(key.key_id().unwrap_or_default(), vec![GrantOperation::Decrypt]);
    world.refused(&errors::VALIDATION, "GranteePrincipal", || ask(&world.session(), nobody.clone()));
    for (principal, field) in [
        (decrypt().grantee_principal("rds.amazonaws.com"), "GranteePrincipal"),
        (decrypt().retiring_principal("arn:aws:s3:::web"), "RetiringPrincipal"),
    ] {
        world.refused(&errors::INVALID_ARN, field, || ask(&world.session(), principal.clone()));
    }
    let service = || nobody.clone().grantee_service_principal("rds.us-east-1.amazonaws.com");
    world.refused(&errors::VALIDATION, "GranteeServicePrincipal", || ask(&world.session(), service()));
    let source =
        GrantConstraints::builder().source_arn("arn:aws:rds:us-east-1:123456789012:db:web").build()?;
    let complete = service().constraints(source).retiring_service_principal("rds.us-east-1.amazonaws.com");
    ask(&world.session(), complete)?;
    let dry = decrypt().dry_run(true);
    world.refused(&errors::DRY_RUN, None, || ask(&world.session(), dry.clone()));
    key.disable().wait()?;
    world.refused(&errors::DISABLED, None, || ask(&world.session(), decrypt()));
    key.delete().wait()?;
    world.refused(&errors::INVALID_STATE, None, || ask(&world.session(), decrypt()));
    Ok(())
}

pub(super) fn names_of_grants_are_checked(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let grants = KeyGrant::objects(&world.session());
    let id = key.key_id().unwrap_or_default();
    world.refused(&errors::INVALID_GRANT_ID, "GrantId", || grants.delete(id, "x").wait());
    world.refused(&errors::NOT_FOUND, "GrantId", || grants.delete(id, "0".repeat(64)).wait());
    world.create_alias(&key, "alias/web")?;
    let by_alias = CreateGrant::new("alias/web", vec![GrantOperation::Decrypt]);
    let by_alias = by_alias.grantee_principal(root_of(OTHER_ACCOUNT));
    let refused = world.refused(&errors::INVALID_ARN, "KeyId", || ask(&world.session(), by_alias.clone()));
    assert_eq!(refused.message(), "Key Aliases are not supported for this operation.");
    Ok(())
}

pub(super) fn grants_are_deleted_with_key(world: &World) -> Result<()> {
    let before = world.state()?;
    let key = world.create_key()?;
    world.create_grant(&key)?;
    world.create_grant(&key)?;
    key.delete().pending_window_in_days(7).wait()?;
    let retirable = || {
        let grants = KeyGrant::objects(&world.session_of(THIRD_ACCOUNT));
        grants.list_retirable().retiring_principal(root_of(THIRD_ACCOUNT)).wait()
    };
    assert_eq!(retirable()?.len(), 2);
    world.advance(DAY * 7)?;
    assert_eq!(retirable()?, []);
    let of_service = |state: &[(Vec<u8>, Vec<u8>)]| {
        let table =
            |(key, _): &(Vec<u8>, Vec<u8>)| nephos_cloud::read_key(key).map(|(table, _)| table.to_owned());
        state.iter().filter_map(table).filter(|table| table.starts_with("kms/")).count()
    };
    assert_eq!(of_service(&world.state()?), of_service(&before));
    Ok(())
}
