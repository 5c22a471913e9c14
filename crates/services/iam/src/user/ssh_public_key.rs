//! SSH public keys of users, which authenticate them to repositories.

use crate::{
    AccessKeyStatus, User,
    certificate::rsa_public_key::RsaPublicKey,
    entity::{self, Entity as _, ids},
    errors,
    paging::Page,
    user::{
        ExistingUser,
        access_key::{self, Owner},
    },
};
use nephos_cloud::{Handler, Stored as _, Tx};
use nephos_core::{
    Empty, ManagerOperation, Record, Resource, Result, Slot, Text, Timestamp, WorkflowContext, choices,
    operation, record_of,
};

/// Maximum number of SSH public keys of a user.
const MAX_KEYS: usize = 5;

/// Number of characters of an ID after its prefix.
const ID_LENGTH: usize = 16;

choices! {
    /// Encoding of a public key.
    pub enum PublicKeyEncoding {
        /// `ssh-rsa` and the key in base64.
        Ssh = "SSH",
        /// PEM.
        Pem = "PEM",
    }
}

/// An SSH public key of a user.
#[derive(Resource)]
#[resource(name = "SSHPublicKeyId", pk = "SSHPublicKeyId", exists_if = "SSHPublicKeyId")]
pub struct SSHPublicKey {
    /// Name of the user.
    #[field(required, fixed, like = User::user_name)]
    user_name: Option<Text>,
    /// ID of the key.
    #[field(service_set, name = "SSHPublicKeyId", length(20..=128), pattern = r"[\w]+")]
    ssh_public_key_id: Option<Text>,
    /// MD5 fingerprint of the key.
    #[field(not_in_list, service_set)]
    fingerprint: Option<Text>,
    /// RSA key with at least 2048 bits, encoded as `ssh-rsa` or PEM, which a new key needs.
    #[field(
        not_in_list, fixed, name = "SSHPublicKeyBody", length(1..=16_384),
        pattern = r"[\x09\x0A\x0D\x20-\xFF]+"
    )]
    ssh_public_key_body: Option<Text>,
    /// Status. A new key is active.
    status: Option<AccessKeyStatus>,
    /// Time at which the key was uploaded.
    #[field(service_set)]
    upload_date: Option<Timestamp>,
    slot: Slot,
}

/// Row of an SSH public key.
#[record_of(
    of = SSHPublicKey, row,
    takes(ssh_public_key_id as key_id, ssh_public_key_body as body, fingerprint, status, upload_date)
)]
pub(crate) struct PublicKeyRow {
    /// Unique ID of the user.
    user_id: Option<Text>,
}

nephos_cloud::stored!(PublicKeyRow in "iam/ssh-public-key" by user_id, key_id);

impl PublicKeyRow {
    fn require(cx: &Tx<'_>, user_id: &str, key_id: &str) -> Result<Self> {
        let found = cx.get(&Self::table(cx.scope()).text(user_id).text(key_id))?;
        found.ok_or_else(|| errors::public_key_not_found(key_id))
    }

    fn into_key(self, user_name: Option<Text>) -> SSHPublicKey {
        let mut key = SSHPublicKey::from_given(self);
        key.user_name = user_name;
        key
    }
}

fn keys_of(cx: &Tx<'_>, user_id: &str) -> Result<Vec<PublicKeyRow>> {
    cx.all(&PublicKeyRow::table(cx.scope()).text(user_id))
}

/// True if the user has SSH public keys.
pub(crate) fn has_keys(cx: &Tx<'_>, user_id: &str) -> Result<bool> {
    Ok(!keys_of(cx, user_id)?.is_empty())
}

/// Uploads an SSH public key of a user.
#[operation(
    of = SSHPublicKey, call = "create", needs(user_name, ssh_public_key_body),
    wraps(ssh_public_key(name = "SSHPublicKey")), effect = write, subject = "user/{UserName}"
)]
pub struct UploadSSHPublicKey {}

impl Handler for UploadSSHPublicKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let user: User = entity::require(cx, &self.user_name)?;
        let fingerprint = Text::from(RsaPublicKey::parse(&self.ssh_public_key_body)?.fingerprint());
        let known = keys_of(cx, user.id())?;
        if known.iter().any(|row| row.fingerprint.as_ref() == Some(&fingerprint)) {
            return Err(errors::public_key_duplicate().with_field("SSHPublicKeyBody"));
        }
        if known.len() >= MAX_KEYS {
            return Err(errors::quota_exceeded("SSHPublicKeysPerUser", MAX_KEYS));
        }
        let row = PublicKeyRow {
            user_id: user.user_id.clone(),
            key_id: Some(ids::new_id(cx, "APKA", ID_LENGTH)),
            body: Some(self.ssh_public_key_body),
            fingerprint: Some(fingerprint),
            status: Some(AccessKeyStatus::Active),
            upload_date: Some(cx.now()),
        };
        cx.put(row.clone())?;
        Ok(row.into_key(user.user_name).into())
    }
}

/// Returns an SSH public key in an encoding.
#[operation(
    of = SSHPublicKey, needs(user_name, ssh_public_key_id), wraps(ssh_public_key(name = "SSHPublicKey")), effect = read,
    subject = "user/{UserName}"
)]
pub struct GetSSHPublicKey {
    /// Encoding of the key.
    pub encoding: PublicKeyEncoding,
}

impl Handler for GetSSHPublicKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let user: User = entity::require(cx, &self.user_name)?;
        let mut row = PublicKeyRow::require(cx, user.id(), &self.ssh_public_key_id)?;
        let parsed = RsaPublicKey::parse(row.body.as_deref().unwrap_or_default())?;
        row.body = Some(match self.encoding {
            PublicKeyEncoding::Pem => parsed.to_pem().into(),
            _ => parsed.to_ssh().into(),
        });
        Ok(row.into_key(user.user_name).into())
    }
}

/// User and ID of an existing SSH public key.
#[derive(Record)]
#[record(shared)]
pub struct ExistingPublicKey {
    /// Name of the user, ignoring case.
    #[field(required, like = SSHPublicKey::user_name)]
    user_name: Option<Text>,
    /// ID of the key.
    #[field(required, name = "SSHPublicKeyId", like = SSHPublicKey::ssh_public_key_id)]
    ssh_public_key_id: Option<Text>,
}

/// Returns the SSH public key of a user with this ID, if it exists.
#[operation(
    kind = SSHPublicKey, call = "get", include(ExistingPublicKey), effect = read, output = Option<SSHPublicKey>
)]
pub struct SSHPublicKeyGet {
    /// Encoding of the key; that of SSH by default.
    pub encoding: Option<PublicKeyEncoding>,
}

impl ManagerOperation for SSHPublicKeyGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<SSHPublicKey>> {
        let encoding = self.encoding.clone().unwrap_or(PublicKeyEncoding::Ssh);
        let get = GetSSHPublicKey::new(self.user_name.clone(), self.ssh_public_key_id.clone(), encoding);
        let found = context.find(get).await?;
        Ok(found.and_then(|found| found.ssh_public_key))
    }
}

/// Lists the SSH public keys of a user in order of their IDs; without a name, of the caller.
#[operation(
    of = SSHPublicKey, call = "list", include(Page), page(ssh_public_keys(name = "SSHPublicKeys"), marker, is_truncated),
    effect = read, subject = "user/{UserName}"
)]
pub struct ListSSHPublicKeys {
    /// Name of the user, ignoring case.
    #[field(like = ExistingUser::user_name)]
    pub user_name: Option<Text>,
}

impl Handler for ListSSHPublicKeys {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let rows = PublicKeyRow::table(cx.scope()).text(&owner.id);
        let convert = |row: PublicKeyRow| Ok(Some(row.into_key(owner.name.clone())));
        Ok(cx.page_rows(&self, &rows, convert)?.into())
    }
}

/// Activates or deactivates an SSH public key.
#[operation(
    of = SSHPublicKey, call = "update", model, needs(user_name, ssh_public_key_id, status),
    effect = write, subject = "user/{UserName}"
)]
pub struct UpdateSSHPublicKey {}

impl Handler for UpdateSSHPublicKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let user: User = entity::require(cx, &self.user_name)?;
        let mut row = PublicKeyRow::require(cx, user.id(), &self.ssh_public_key_id)?;
        row.status = Some(access_key::check_status(self.status)?);
        cx.put(row)?;
        Ok(Empty {})
    }
}

/// Deletes an SSH public key.
#[operation(
    of = SSHPublicKey, call = "delete", on_model, needs(user_name, ssh_public_key_id),
    effect = write, subject = "user/{UserName}"
)]
pub struct DeleteSSHPublicKey {}

impl Handler for DeleteSSHPublicKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let user: User = entity::require(cx, &self.user_name)?;
        cx.remove(&PublicKeyRow::require(cx, user.id(), &self.ssh_public_key_id)?)?;
        Ok(Empty {})
    }
}
