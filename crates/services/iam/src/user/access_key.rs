//! Access keys: long-term credentials of users and of the root user.

use crate::{
    User,
    entity::{self, Entity},
    errors,
    identity::{self, last_use},
    paging::Page,
    user::ExistingUser,
};
use nephos_cloud::{
    Handler, LongTermKey, Stored, Tx, account_of_access_key, new_access_key_id, new_secret_access_key,
};
use nephos_core::{
    Blob, Empty, Record, Resource, Result, Secret, Slot, Text, Timestamp, choices, operation, record_of,
};

/// Maximum number of access keys of a user.
pub(crate) const MAX_KEYS: usize = 2;

/// Value of texts about the last use of a key that was never used.
const NEVER_USED: &str = "N/A";

choices! {
    /// Status of an access key.
    pub enum AccessKeyStatus {
        /// The key is valid for requests.
        Active,
        /// The key was deactivated.
        Inactive,
        /// The key has expired.
        Expired,
    }
}

/// An access key: long-term credentials of a user.
#[derive(Resource)]
#[resource(
    name = "AccessKeyId", pk = "AccessKeyId", exists_if = "AccessKeyId",
    relation(user, one = User, with = find_user),)]
pub struct AccessKey {
    /// Name of the user; absent on keys of the root user.
    #[field(required, fixed, like = ExistingUser::user_name)]
    user_name: Option<Text>,
    /// ID of the key.
    #[field(service_set, length(16..=128), pattern = r"[\w]+")]
    access_key_id: Option<Text>,
    /// Status. A new key is active.
    status: Option<AccessKeyStatus>,
    /// Secret access key. Only the creation returns it.
    #[field(service_set)]
    secret_access_key: Option<Secret>,
    /// Time of creation.
    #[field(service_set)]
    create_date: Option<Timestamp>,
    slot: Slot,
}

/// Finds the user of an access key.
async fn find_user(key: &AccessKey) -> Result<Option<User>> {
    let Some(name) = key.user_name() else { return Ok(None) };
    User::objects(key.require_session()?).get(name).await
}

/// Row of an access key.
#[record_of(of = AccessKey, row, takes(access_key_id, status, create_date))]
pub(crate) struct AccessKeyRow {
    /// Unique ID of the user; the account for the root user.
    user_id: Option<Text>,
    /// Secret access key, sealed.
    #[field(sensitive)]
    secret: Option<Blob>,
}

nephos_cloud::stored!(AccessKeyRow in "iam/access-key" by access_key_id);

/// Row that finds the access keys of a user.
#[derive(Record)]
#[record(row)]
pub(crate) struct UserKeyRow {
    /// Unique ID of the user; the account for the root user.
    user_id: Option<Text>,
    /// ID of the key.
    access_key_id: Option<Text>,
}

nephos_cloud::stored!(UserKeyRow in "iam/user-key" by user_id, access_key_id);

/// Place of the sealed secret of a key.
fn place(access_key_id: &str) -> [&str; 2] {
    [AccessKeyRow::TABLE, access_key_id]
}

impl AccessKeyRow {
    /// True if the key is valid for requests.
    pub(crate) fn is_active(&self) -> bool {
        self.status == Some(AccessKeyStatus::Active)
    }

    fn find(cx: &Tx<'_>, access_key_id: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(access_key_id))
    }

    /// Returns the key with this ID, which must belong to the user.
    fn require(cx: &Tx<'_>, access_key_id: &str, owner: &Owner) -> Result<Self> {
        let found = Self::find(cx, access_key_id)?.filter(|row| row.user_id.as_ref() == Some(&owner.id));
        found.ok_or_else(|| errors::access_key_not_found(access_key_id))
    }

    /// Returns the key without its secret.
    fn into_key(self, owner: &Owner) -> AccessKey {
        let mut key = AccessKey::from_given(self);
        key.user_name = owner.name.clone();
        key
    }
}

/// User that credentials belong to.
pub(crate) struct Owner {
    /// Unique ID; the account for the root user.
    pub(crate) id: Text,
    /// Name; `None` for the root user.
    pub(crate) name: Option<Text>,
}

impl Owner {
    /// Returns the user with this name; without a name, the caller.
    pub(crate) fn require(cx: &Tx<'_>, name: Option<&Text>) -> Result<Self> {
        let user = match name {
            None => User::of_caller(cx)?,
            Some(name) => entity::require(cx, name)?,
        };
        Ok(Self { id: user.id().into(), name: user.user_name })
    }
}

fn keys_of(cx: &Tx<'_>, user_id: &str) -> Result<Vec<UserKeyRow>> {
    cx.all(&UserKeyRow::table(cx.scope()).text(user_id))
}

/// Returns the access keys of a user.
pub(crate) fn rows_of(cx: &Tx<'_>, user_id: &str) -> Result<Vec<AccessKeyRow>> {
    let mut rows = Vec::new();
    for row in keys_of(cx, user_id)? {
        rows.extend(AccessKeyRow::find(cx, row.access_key_id.as_deref().unwrap_or_default())?);
    }
    Ok(rows)
}

/// True if the user has access keys.
pub(crate) fn has_keys(cx: &Tx<'_>, user_id: &str) -> Result<bool> {
    Ok(!keys_of(cx, user_id)?.is_empty())
}

/// Finds the access key with this ID, of any account, with its secret and user. A key whose user does not exist is not
/// found.
pub(crate) fn find_key(cx: &mut Tx<'_>, access_key_id: &str) -> Result<Option<LongTermKey>> {
    let Some(account) = account_of_access_key(access_key_id) else { return Ok(None) };
    identity::in_account(cx, &account.clone(), |cx| {
        let Some(row) = AccessKeyRow::find(cx, access_key_id)? else { return Ok(None) };
        let secret = cx.open(&place(access_key_id), &row.secret.unwrap_or_default())?;
        let user_id = row.user_id.unwrap_or_default();
        let (arn, identity) = match user_id == account {
            true => (cx.scope().arn("iam", &["root"]).into(), None),
            false => match entity::find_by_id::<User>(cx, &user_id)? {
                Some(user) => (user.arn.unwrap_or_default(), Some(user_id.clone())),
                None => return Ok(None),
            },
        };
        let is_active = row.status == Some(AccessKeyStatus::Active);
        let secret = String::from_utf8_lossy(&secret).into();
        Ok(Some(LongTermKey { account, arn, user_id, identity, secret, is_active }))
    })
}

/// Creates an access key of a user; without a name, of the caller.
#[operation(
    of = AccessKey, call = "create", takes(user_name), wraps(access_key), effect = write,
    subject = "user/{UserName}"
)]
pub struct CreateAccessKey {}

impl Handler for CreateAccessKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        if keys_of(cx, &owner.id)?.len() >= MAX_KEYS {
            return Err(errors::quota_exceeded("AccessKeysPerUser", MAX_KEYS));
        }
        let mut id = new_access_key_id(cx.ids(), cx.scope().account());
        while AccessKeyRow::find(cx, &id)?.is_some() {
            id = new_access_key_id(cx.ids(), cx.scope().account());
        }
        let secret = new_secret_access_key(cx.ids());
        let row = AccessKeyRow {
            access_key_id: Some(id.clone()),
            user_id: Some(owner.id.clone()),
            status: Some(AccessKeyStatus::Active),
            create_date: Some(cx.now()),
            secret: Some(cx.seal(&place(&id), secret.expose().as_bytes())?),
        };
        cx.put(UserKeyRow { user_id: Some(owner.id.clone()), access_key_id: Some(id) })?;
        cx.put(row.clone())?;
        let mut key = row.into_key(&owner);
        key.secret_access_key = Some(secret);
        Ok(key.into())
    }
}

/// Refuses a status that callers cannot set.
pub(crate) fn check_status(status: AccessKeyStatus) -> Result<AccessKeyStatus> {
    if matches!(status, AccessKeyStatus::Active | AccessKeyStatus::Inactive) {
        return Ok(status);
    }
    let refused = errors::status_not_settable(&status).with_field("Status");
    Err(refused.with_hint("expected Active or Inactive"))
}

/// Activates or deactivates an access key.
#[operation(
    of = AccessKey, call = "update", model, needs(access_key_id, status), takes(user_name),
    effect = write, subject = "user/{UserName}"
)]
pub struct UpdateAccessKey {}

impl Handler for UpdateAccessKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let mut row = AccessKeyRow::require(cx, &self.access_key_id, &owner)?;
        row.status = Some(check_status(self.status)?);
        cx.put(row)?;
        Ok(Empty {})
    }
}

/// Deletes an access key of a user; without a name, of the caller.
#[operation(
    of = AccessKey, call = "delete", on_model, needs(access_key_id), takes(user_name(from_field = "UserName")),
    effect = write, subject = "user/{UserName}"
)]
pub struct DeleteAccessKey {}

impl Handler for DeleteAccessKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let row = AccessKeyRow::require(cx, &self.access_key_id, &owner)?;
        cx.remove(&UserKeyRow { user_id: row.user_id.clone(), access_key_id: row.access_key_id.clone() })?;
        cx.remove(&row)?;
        last_use::remove(cx, &self.access_key_id)?;
        Ok(Empty {})
    }
}

/// Lists the access keys of a user, without their secrets; without a name, of the caller.
#[operation(
    of = AccessKey, call = "list", takes(user_name), include(Page),
    page(access_key_metadata, marker, is_truncated), effect = read, subject = "user/{UserName}"
)]
pub struct ListAccessKeys {}

impl Handler for ListAccessKeys {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let keys = rows_of(cx, &owner.id)?.into_iter().map(|row| row.into_key(&owner));
        Ok(cx.page_items(&self, keys, |key| key.access_key_id.clone().unwrap_or_default())?.into())
    }
}

/// Returns the last use of an access key, and its user.
#[operation(
    of = AccessKey, call = "last_used", on_model, needs(access_key_id),
    effect = read, output = GetAccessKeyLastUsedResponse, subject = "user/*"
)]
pub struct GetAccessKeyLastUsed {}

/// Last use of an access key.
#[derive(Record)]
#[record(answer)]
pub struct AccessKeyLastUsed {
    /// Time of the last request; absent if the key was never used.
    pub(crate) last_used_date: Option<Timestamp>,
    /// Service of the last request; `N/A` if the key was never used.
    pub(crate) service_name: Option<Text>,
    /// Region of the last request; `N/A` if the key was never used.
    pub(crate) region: Option<Text>,
}

/// User and last use of an access key.
#[derive(Record)]
#[record(answer)]
pub struct GetAccessKeyLastUsedResponse {
    /// Name of the user; absent for the root user.
    user_name: Option<Text>,
    /// Last use of the key.
    access_key_last_used: Option<AccessKeyLastUsed>,
}

impl Handler for GetAccessKeyLastUsed {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetAccessKeyLastUsedResponse> {
        let row = AccessKeyRow::find(cx, &self.access_key_id)?;
        let row = row.ok_or_else(|| errors::access_key_not_found(&self.access_key_id))?;
        let user: Option<User> = entity::find_by_id(cx, row.user_id.as_deref().unwrap_or_default())?;
        let last_used = match last_use::find(cx, &self.access_key_id)? {
            Some(row) => row.into_key_use(),
            None => AccessKeyLastUsed {
                last_used_date: None,
                service_name: Some(NEVER_USED.into()),
                region: Some(NEVER_USED.into()),
            },
        };
        Ok(GetAccessKeyLastUsedResponse {
            user_name: user.and_then(|user| user.user_name),
            access_key_last_used: Some(last_used),
        })
    }
}
