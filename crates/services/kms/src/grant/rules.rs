//! Rules for new grants: operations, constraints and principals.

use crate::{GrantConstraints, GrantOperation, KeyGrant, KeySpec, KeyUsage, errors, key::KeyRow};
use nephos_cloud::Tx;
use nephos_core::{Arn, Result};

/// Maximum number of pairs of a constraint on the encryption context.
const MAX_PAIRS: usize = 8;

/// Maximum length of a value in a constraint on the encryption context.
const MAX_VALUE_LENGTH: usize = 384;

/// Operations that grants for all keys can allow.
const GENERAL: [GrantOperation; 3] =
    [GrantOperation::CreateGrant, GrantOperation::RetireGrant, GrantOperation::DescribeKey];

/// Returns the operations without repetitions.
pub(crate) fn distinct(operations: &[GrantOperation]) -> Vec<GrantOperation> {
    let mut distinct = Vec::new();
    for operation in operations {
        if !distinct.contains(operation) {
            distinct.push(operation.clone());
        }
    }
    distinct
}

/// Returns the operations that grants for a key can allow beside the general ones.
fn operations_of(key: &KeyRow) -> &'static [GrantOperation] {
    use GrantOperation::{
        Decrypt, DeriveSharedSecret, Encrypt, GenerateDataKey, GenerateDataKeyPair,
        GenerateDataKeyPairWithoutPlaintext, GenerateDataKeyWithoutPlaintext, GenerateMac, GetPublicKey,
        ReEncryptFrom, ReEncryptTo, Sign, Verify, VerifyMac,
    };
    match key.usage() {
        KeyUsage::EncryptDecrypt if *key.spec() == KeySpec::SymmetricDefault => &[
            Encrypt,
            Decrypt,
            ReEncryptFrom,
            ReEncryptTo,
            GenerateDataKey,
            GenerateDataKeyWithoutPlaintext,
            GenerateDataKeyPair,
            GenerateDataKeyPairWithoutPlaintext,
        ],
        KeyUsage::EncryptDecrypt => &[Encrypt, Decrypt, ReEncryptFrom, ReEncryptTo, GetPublicKey],
        KeyUsage::SignVerify => &[Sign, Verify, GetPublicKey],
        KeyUsage::GenerateVerifyMac => &[GenerateMac, VerifyMac],
        KeyUsage::KeyAgreement => &[DeriveSharedSecret, GetPublicKey],
        KeyUsage::Unknown(_) => &[],
    }
}

/// True if at least one constraint is given.
pub(crate) fn has_constraints(constraints: &GrantConstraints) -> bool {
    constraints.encryption_context_equals.is_some()
        || constraints.encryption_context_subset.is_some()
        || constraints.source_arn.is_some()
}

/// Refuses a grant that a key cannot have.
pub(crate) fn check(cx: &mut Tx<'_>, key: &KeyRow, grant: &KeyGrant) -> Result<()> {
    check_principals(cx, grant)?;
    check_operations(key, grant.operations.as_deref().unwrap_or_default())?;
    grant.constraints.as_ref().map_or(Ok(()), |constraints| check_constraints(key, constraints))
}

fn check_principals(cx: &mut Tx<'_>, grant: &KeyGrant) -> Result<()> {
    if grant.grantee_principal.is_some() == grant.grantee_service_principal.is_some() {
        return Err(errors::grantee_missing().with_field("GranteePrincipal"));
    }
    if grant.retiring_principal.is_some() && grant.retiring_service_principal.is_some() {
        return Err(errors::retiring_principals_given().with_field("RetiringServicePrincipal"));
    }
    let has_source = grant.constraints.as_ref().is_some_and(|constraints| constraints.source_arn.is_some());
    if grant.grantee_service_principal.is_some() && !(has_source && grant.retiring().is_some()) {
        return Err(errors::service_grant_incomplete().with_field("GranteeServicePrincipal"));
    }
    for (principal, field) in
        [(&grant.grantee_principal, "GranteePrincipal"), (&grant.retiring_principal, "RetiringPrincipal")]
    {
        let Some(arn) = principal else { continue };
        let is_identity = matches!(Arn::parts(arn), Some([_, "iam" | "sts", ..]));
        if !is_identity || !cx.has_principal(arn)? {
            return Err(errors::not_a_principal(arn).with_field(field));
        }
    }
    Ok(())
}

fn check_operations(key: &KeyRow, operations: &[GrantOperation]) -> Result<()> {
    if operations.iter().all(|operation| *operation == GrantOperation::CreateGrant) {
        return Err(errors::grant_of_only_create_grant().with_field("Operations"));
    }
    let list = |operations: Vec<&GrantOperation>| {
        operations.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let valid: Vec<_> = GENERAL.iter().chain(operations_of(key)).collect();
    let invalid: Vec<_> = operations.iter().filter(|operation| !valid.contains(operation)).collect();
    if invalid.is_empty() {
        return Ok(());
    }
    let kind = if key.spec().is_pair() { "an asymmetric" } else { "a symmetric" };
    let refused = errors::grant_operations_unsupported(list(invalid), kind, key.usage(), list(valid));
    Err(refused.with_field("Operations"))
}

fn check_constraints(key: &KeyRow, constraints: &GrantConstraints) -> Result<()> {
    let (equals, subset) = (&constraints.encryption_context_equals, &constraints.encryption_context_subset);
    let Some(pairs) = equals.as_ref().or(subset.as_ref()) else { return Ok(()) };
    if equals.is_some() && subset.is_some() {
        return Err(errors::grant_constraints_given().with_field("Constraints"));
    }
    if *key.spec() != KeySpec::SymmetricDefault {
        return Err(errors::grant_constraint_unsupported().with_field("Constraints"));
    }
    let is_long = |value: &str| value.chars().count() > MAX_VALUE_LENGTH;
    if pairs.len() > MAX_PAIRS || pairs.iter().any(|(_, value)| is_long(value)) {
        return Err(errors::grant_constraint_too_large().with_field("Constraints"));
    }
    Ok(())
}
