//! Grants: permissions to use a key that are independent of its policy.

pub(crate) mod list;
pub(crate) mod policy;
pub(crate) mod retire;
pub(crate) mod rules;

pub use list::*;
pub use retire::*;

use crate::{
    CryptoKey,
    crypto::{DryRun, check_dry_run},
    errors,
    key::{self, KeyRow, describe::GrantTokens, find},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use nephos_cloud::{Handler, Key, Scope, Stored, Tx};
use nephos_core::{Arn, Map, Record, Resource, Result, Slot, Text, Timestamp, choices, operation, record_of};

/// Maximum number of grants of a key.
const MAX_GRANTS: i64 = 50_000;

/// Associated data of grant tokens.
const TOKEN: &[u8] = b"nephos: a grant token";

choices! {
    /// Operation that a grant allows.
    #[derive(Eq)]
    pub enum GrantOperation {
        /// Decryption.
        Decrypt,
        /// Encryption.
        Encrypt,
        /// Generation of data keys.
        GenerateDataKey,
        /// Generation of encrypted data keys.
        GenerateDataKeyWithoutPlaintext,
        /// Decryption as a part of encrypting again.
        ReEncryptFrom,
        /// Encryption as a part of encrypting again.
        ReEncryptTo,
        /// Signing.
        Sign,
        /// Verification of signatures.
        Verify,
        /// Reading the public key.
        GetPublicKey,
        /// Creation of grants that allow at most what this grant allows.
        CreateGrant,
        /// Retirement of the grant.
        RetireGrant,
        /// Description of the key.
        DescribeKey,
        /// Generation of data key pairs.
        GenerateDataKeyPair,
        /// Generation of data key pairs with an encrypted private key.
        GenerateDataKeyPairWithoutPlaintext,
        /// Generation of message authentication codes.
        GenerateMac,
        /// Verification of message authentication codes.
        VerifyMac,
        /// Derivation of shared secrets.
        DeriveSharedSecret,
        /// Key encapsulation. No key supports it here.
        Encapsulate,
        /// Key decapsulation. No key supports it here.
        Decapsulate,
    }
}

/// Conditions under which a grant is effective.
#[derive(Record)]
pub struct GrantConstraints {
    /// Pairs that the encryption context of a request must contain.
    #[field(condition = "kms:EncryptionContext:${EncryptionContextKey} + kms:EncryptionContextKeys")]
    pub(crate) encryption_context_subset: Option<Map<Text>>,
    /// Pairs that the encryption context of a request must consist of.
    #[field(condition = "kms:EncryptionContext:${EncryptionContextKey} + kms:EncryptionContextKeys")]
    pub(crate) encryption_context_equals: Option<Map<Text>>,
    /// ARN of the resource that a request must be made for.
    #[field(
        length(20..=512), pattern = "^arn:aws[a-z0-9-]*:[a-z0-9-]+:[a-z0-9-]*:[0-9]{12}:.+$",
        condition = "kms:GrantConstraintSourceArn"
    )]
    pub(crate) source_arn: Option<Text>,
}

/// A grant: it allows a principal to use a key.
#[derive(Resource)]
#[resource(
    name = "Name", pk("KeyId", "GrantId"), exists_if = "CreationDate",
    relation(crypto_key, one = CryptoKey, with = key_of)
)]
pub struct KeyGrant {
    /// ID or ARN of the key; the service returns the ARN.
    #[field(required, fixed, length(1..=2048))]
    pub(crate) key_id: Option<Text>,
    /// ID of the grant.
    #[field(service_set, length(1..=128))]
    pub(crate) grant_id: Option<Text>,
    /// Name of the grant. Creating a grant with the same name and the same other parameters returns the existing grant.
    #[field(fixed, length(1..=256), pattern = "^[a-zA-Z0-9:/_-]+$")]
    pub(crate) name: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) creation_date: Option<Timestamp>,
    /// ARN of the principal that the grant is for.
    #[field(fixed, length(1..=256), pattern = r"^[\w+=,.@:/-]+$", condition = "kms:GranteePrincipal")]
    pub(crate) grantee_principal: Option<Text>,
    /// ARN of the principal that can retire the grant.
    #[field(fixed, length(1..=256), pattern = r"^[\w+=,.@:/-]+$", condition = "kms:RetiringPrincipal")]
    pub(crate) retiring_principal: Option<Text>,
    /// ARN of the root of the account that created the grant.
    #[field(service_set)]
    pub(crate) issuing_account: Option<Text>,
    /// Operations that the grant allows.
    #[field(required, fixed, condition = "kms:GrantOperations")]
    pub(crate) operations: Option<Vec<GrantOperation>>,
    /// Conditions under which the grant is effective.
    #[field(fixed, condition = "kms:GrantConstraintType")]
    pub(crate) constraints: Option<GrantConstraints>,
    /// Name of the service that the grant is for.
    #[field(
        fixed, length(1..=128), pattern = r"^([A-Za-z0-9\-]+)\.([A-Za-z0-9\-]+)(\.[A-Za-z0-9\-]+)+$",
        condition = "kms:GranteeServicePrincipal"
    )]
    pub(crate) grantee_service_principal: Option<Text>,
    /// Name of the service that can retire the grant.
    #[field(
        fixed, length(1..=128), pattern = r"^([A-Za-z0-9\-]+)\.([A-Za-z0-9\-]+)(\.[A-Za-z0-9\-]+)+$",
        condition = "kms:RetiringServicePrincipal"
    )]
    pub(crate) retiring_service_principal: Option<Text>,
    slot: Slot,
}

nephos_cloud::stored!(KeyGrant in "kms/grant" by key_id, grant_id);

/// Row of the index of the grants of a key by their grantee; all its fields are in its key.
#[record_of(of = KeyGrant, takes(key_id, grant_id), row)]
pub(crate) struct GrantOfGranteeRow {
    /// ARN of a principal, or name of a service.
    pub(crate) grantee: Option<Text>,
}

nephos_cloud::stored!(GrantOfGranteeRow in "kms/grant-of-grantee" by key_id, grantee, grant_id);

/// Row of the index of grants by their retiring principal, in the account of that principal; all its fields are in its key.
#[record_of(of = KeyGrant, takes(key_id, grant_id), row)]
pub(crate) struct RetirableGrantRow {
    /// ARN of a principal, or name of a service.
    pub(crate) retiring: Option<Text>,
    /// Account of the key.
    pub(crate) account: Option<Text>,
}

nephos_cloud::stored!(RetirableGrantRow in "kms/retirable-grant" by retiring, account, key_id, grant_id);

impl KeyGrant {
    /// Returns the ID.
    pub(crate) fn id(&self) -> &str {
        self.grant_id.as_deref().unwrap_or_default()
    }

    /// Returns the ARN of the principal, or the name of the service, that the grant is for.
    pub(crate) fn grantee(&self) -> &str {
        let grantee = self.grantee_principal.as_deref().or(self.grantee_service_principal.as_deref());
        grantee.unwrap_or_default()
    }

    /// Returns the ARN of the principal, or the name of the service, that can retire the grant.
    pub(crate) fn retiring(&self) -> Option<&str> {
        self.retiring_principal.as_deref().or(self.retiring_service_principal.as_deref())
    }

    /// True if the grant allows an operation.
    pub(crate) fn allows(&self, operation: &GrantOperation) -> bool {
        self.operations.iter().flatten().any(|allowed| allowed == operation)
    }

    /// Returns the grant as the service returns it, with the ARN of its key.
    pub(crate) fn into_listed(mut self, scope: &Scope) -> Self {
        self.key_id = self.key_id.map(|id| key::arn(scope, &id).into());
        self
    }

    fn grantee_row(&self) -> GrantOfGranteeRow {
        let (key_id, grant_id) = (self.key_id.clone(), self.grant_id.clone());
        GrantOfGranteeRow { key_id, grantee: Some(self.grantee().into()), grant_id }
    }

    /// Returns the row of the index by retiring principals, and its scope: that of the principal's account.
    fn retirable_row(&self, owner: &Scope) -> Option<(Scope, RetirableGrantRow)> {
        let retiring = self.retiring()?;
        let scope = match Arn::parts(retiring) {
            Some([_, _, _, account, _]) => owner.with_account(account),
            None => owner.clone(),
        };
        let row = RetirableGrantRow {
            retiring: Some(retiring.into()),
            account: Some(owner.account().into()),
            key_id: self.key_id.clone(),
            grant_id: self.grant_id.clone(),
        };
        Some((scope, row))
    }

    /// True if another grant is the same, but for what the service sets.
    fn is_same(&self, other: &Self) -> bool {
        let mut other = other.clone();
        other.grant_id.clone_from(&self.grant_id);
        other.creation_date = self.creation_date;
        *self == other
    }
}

/// Returns the prefix of the grants of a key.
pub(crate) fn prefix(cx: &Tx<'_>, key_id: &str) -> Key {
    KeyGrant::table(cx.scope()).text(key_id)
}

/// Returns the prefix of the index of the grants of a key to a grantee.
pub(crate) fn prefix_of_grantee(cx: &Tx<'_>, key_id: &str, grantee: &str) -> Key {
    GrantOfGranteeRow::table(cx.scope()).text(key_id).text(grantee)
}

/// Returns a grant of a key; `None` if it does not exist.
pub(crate) fn find_grant(cx: &Tx<'_>, key_id: &str, grant_id: &str) -> Result<Option<KeyGrant>> {
    cx.get(&prefix(cx, key_id).text(grant_id))
}

/// Returns the grants of a key to a grantee.
pub(crate) fn find_by_grantee(cx: &Tx<'_>, key_id: &str, grantee: &str) -> Result<Vec<KeyGrant>> {
    let rows: Vec<GrantOfGranteeRow> = cx.all(&prefix_of_grantee(cx, key_id, grantee))?;
    let mut grants = Vec::with_capacity(rows.len());
    for row in rows {
        grants.extend(find_grant(cx, key_id, row.grant_id.as_deref().unwrap_or_default())?);
    }
    Ok(grants)
}

fn counter(key_id: &str) -> String {
    format!("kms/grants/{key_id}")
}

fn put(cx: &mut Tx<'_>, grant: KeyGrant) -> Result<()> {
    let owner = cx.scope().clone();
    cx.put(grant.grantee_row())?;
    if let Some((scope, row)) = grant.retirable_row(&owner) {
        cx.in_scope(&scope, |cx| cx.put(row))?;
    }
    cx.add_to_count(&counter(grant.key_id.as_deref().unwrap_or_default()), 1)?;
    cx.put(grant)
}

/// Removes a grant.
pub(crate) fn remove(cx: &mut Tx<'_>, grant: &KeyGrant) -> Result<()> {
    let owner = cx.scope().clone();
    cx.remove(&grant.grantee_row())?;
    if let Some((scope, row)) = grant.retirable_row(&owner) {
        cx.in_scope(&scope, |cx| cx.remove(&row))?;
    }
    cx.add_to_count(&counter(grant.key_id.as_deref().unwrap_or_default()), -1)?;
    cx.remove(grant)
}

/// Removes the grants of a key.
pub(crate) fn remove_all(cx: &mut Tx<'_>, key_id: &str) -> Result<()> {
    let grants: Vec<KeyGrant> = cx.all(&prefix(cx, key_id))?;
    grants.iter().try_for_each(|grant| remove(cx, grant))
}

/// Creates a grant. It is effective at once.
#[operation(
    of = KeyGrant, call = "create", model, read_back, needs(key_id, operations), takes(settable),
    include(GrantTokens, DryRun), effect = write, output = CreateGrantResponse, subject = "key/{KeyId}",
    access = permissions
)]
pub struct CreateGrant {}

/// A new grant.
#[record_of(of = KeyGrant, takes(grant_id), answer)]
pub struct CreateGrantResponse {
    /// Token of the grant. It identifies the grant that is to be retired; requests do not need it.
    grant_token: Option<Text>,
}

impl CreateGrant {
    /// Returns the grant, for a key that allows it.
    fn to_grant(&self, cx: &mut Tx<'_>, key: &KeyRow) -> Result<KeyGrant> {
        let mut grant = KeyGrant::from_given(self.clone());
        grant.key_id.clone_from(&key.key_id);
        grant.operations = Some(rules::distinct(&self.operations));
        grant.constraints = grant.constraints.filter(rules::has_constraints);
        rules::check(cx, key, &grant)?;
        let issuer = nephos_cloud::Principal::root(cx.caller().account());
        grant.issuing_account = Some(issuer.arn);
        Ok(grant)
    }
}

impl Handler for CreateGrant {
    fn run(self, cx: &mut Tx<'_>) -> Result<CreateGrantResponse> {
        find::check_no_alias(&self.key_id)?;
        let key_id = self.key_id.clone();
        find::with_key(cx, &key_id, "CreateGrant", |cx, key| {
            key.check_not_managed(cx)?;
            key.check_usable(cx)?;
            let mut grant = self.to_grant(cx, &key)?;
            check_dry_run(self.dry_run)?;
            if grant.name.is_some() {
                let known = find_by_grantee(cx, key.id(), grant.grantee())?;
                if let Some(same) = known.into_iter().find(|known| known.is_same(&grant)) {
                    return to_response(cx, &same);
                }
            }
            if cx.count(&counter(key.id()))? >= MAX_GRANTS {
                return Err(errors::too_many_grants(key.arn(cx.scope())));
            }
            grant.grant_id = Some(cx.ids().hex(64));
            grant.creation_date = Some(cx.now());
            let response = to_response(cx, &grant)?;
            put(cx, grant)?;
            Ok(response)
        })
    }
}

/// Returns the answer for a grant in the scope of its key, with a new token.
fn to_response(cx: &Tx<'_>, grant: &KeyGrant) -> Result<CreateGrantResponse> {
    let key = key::arn(cx.scope(), grant.key_id.as_deref().unwrap_or_default());
    let content = format!("{key} {}", grant.id());
    let token = URL_SAFE_NO_PAD.encode(cx.seal_unbound(TOKEN, content.as_bytes())?);
    Ok(CreateGrantResponse { grant_token: Some(token.into()), grant_id: grant.grant_id.clone() })
}

/// Returns the ARN of the key and the ID of the grant in a token; `None` if it is not a token of this cloud.
pub(crate) fn open_token(cx: &Tx<'_>, token: &str) -> Option<(Text, Text)> {
    let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
    let opened = cx.open_unbound(TOKEN, &sealed).ok()?;
    let (key, grant) = std::str::from_utf8(&opened).ok()?.split_once(' ')?;
    Some((key.into(), grant.into()))
}

/// Returns the key of a grant.
async fn key_of(grant: &KeyGrant) -> Result<Option<CryptoKey>> {
    let Some(id) = &grant.key_id else { return Ok(None) };
    CryptoKey::objects(grant.require_session()?).get(id.clone()).await
}
