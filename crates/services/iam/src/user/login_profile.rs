//! Login profiles: passwords of users.

use crate::{
    account::password_policy,
    errors,
    user::{ExistingUser, User, access_key::Owner},
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{
    Blob, Empty, Record, Resource, Result, Secret, Slot, Text, Timestamp, operation, record_of,
};

/// Maximum number of passwords of a user that are kept, so that they are not used again.
const MAX_PASSWORDS: usize = 25;

/// A login profile: the password of a user.
#[derive(Resource)]
#[resource(name = "UserName", pk = "UserName", exists_if = "CreateDate")]
pub struct LoginProfile {
    /// Name of the user; absent for the root user.
    #[field(required, fixed, like = User::user_name)]
    user_name: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    create_date: Option<Timestamp>,
    /// True if the user must set a new password at the next sign-in; false by default.
    password_reset_required: Option<bool>,
    /// Password, which is not returned.
    #[field(not_on_wire, length(1..=128), pattern = r"[\x09\x0A\x0D\x20-\xFF]+")]
    password: Option<Secret>,
    slot: Slot,
}

/// Row of a login profile.
#[record_of(of = LoginProfile, row, takes(create_date, password_reset_required))]
pub(crate) struct LoginProfileRow {
    /// Unique ID of the user; the account for the root user.
    user_id: Option<Text>,
    /// Time of the last change of the password.
    pub(crate) changed: Option<Timestamp>,
    /// Current password and previous ones, newest first, sealed.
    #[field(sensitive)]
    passwords: Option<Vec<Blob>>,
}

nephos_cloud::stored!(LoginProfileRow in "iam/login-profile" by user_id);

impl LoginProfileRow {
    fn into_profile(self, owner: &Owner) -> LoginProfile {
        let mut profile = LoginProfile::from_given(self);
        profile.user_name = owner.name.clone();
        profile
    }

    /// True if the password is one of the newest `count`.
    fn has_password(&self, cx: &Tx<'_>, user_id: &str, password: &Secret, count: usize) -> Result<bool> {
        let mut is_known = false;
        for sealed in self.passwords.iter().flatten().take(count) {
            let known = cx.open(&[Self::TABLE, user_id], sealed)?;
            is_known |= Secret::from(String::from_utf8_lossy(&known)) == *password;
        }
        Ok(is_known)
    }

    /// Sets a new password, which must follow the password policy of the account. It does not hold for the root user.
    fn set_password(
        &mut self,
        cx: &mut Tx<'_>,
        owner: &Owner,
        password: &Secret,
        parameter: &str,
    ) -> Result<()> {
        if owner.name.is_some() {
            password_policy::check_password(cx, password.expose(), parameter)?;
            let prevented = password_policy::find(cx)?.and_then(|policy| policy.password_reuse_prevention);
            let prevented = usize::try_from(prevented.unwrap_or_default()).unwrap_or_default();
            if self.has_password(cx, &owner.id, password, prevented)? {
                let refused = errors::password_violation().with_field(parameter);
                return Err(refused.with_hint(format!("it is one of the last {prevented} passwords")));
            }
        }
        let sealed = cx.seal(&[Self::TABLE, &owner.id], password.expose().as_bytes())?;
        let passwords = self.passwords.get_or_insert_default();
        passwords.insert(0, sealed);
        passwords.truncate(MAX_PASSWORDS);
        self.changed = Some(cx.now());
        Ok(())
    }
}

/// Finds the login profile of a user; that of the root user under the account.
pub(crate) fn find(cx: &Tx<'_>, user_id: &str) -> Result<Option<LoginProfileRow>> {
    cx.get(&LoginProfileRow::table(cx.scope()).text(user_id))
}

fn require(cx: &Tx<'_>, owner: &Owner) -> Result<LoginProfileRow> {
    find(cx, &owner.id)?.ok_or_else(|| errors::login_profile_not_found(name_of(owner)))
}

fn name_of(owner: &Owner) -> &str {
    owner.name.as_deref().unwrap_or("root")
}

/// Creates the password of a user; without a name, of the caller.
#[operation(
    of = LoginProfile, call = "create", model, takes(settable), wraps(login_profile), effect = write,
    subject = "user/{UserName}"
)]
pub struct CreateLoginProfile {}

impl Handler for CreateLoginProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let password = self.password.ok_or_else(|| errors::password_missing().with_field("Password"))?;
        if find(cx, &owner.id)?.is_some() {
            return Err(errors::login_profile_exists(name_of(&owner)));
        }
        let mut row = LoginProfileRow {
            user_id: Some(owner.id.clone()),
            create_date: Some(cx.now()),
            changed: None,
            password_reset_required: Some(self.password_reset_required.unwrap_or_default()),
            passwords: None,
        };
        row.set_password(cx, &owner, &password, "Password")?;
        cx.put(row.clone())?;
        Ok(row.into_profile(&owner).into())
    }
}

/// Returns the login profile of a user; without a name, of the caller.
#[operation(
    of = LoginProfile, takes(user_name), wraps(login_profile), effect = read, subject = "user/{UserName}",
    access = list
)]
pub struct GetLoginProfile {}

impl Handler for GetLoginProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        Ok(require(cx, &owner)?.into_profile(&owner).into())
    }
}

/// Returns the login profile of a user, if it exists.
#[operation(
    kind = LoginProfile, call = "get", runs = GetLoginProfile, include(ExistingUser),
    returns(login_profile: LoginProfile), none_if_missing, effect = read
)]
pub struct LoginProfileGet {}

/// Changes the password of a user, and the requirement to set a new one, where given.
#[operation(
    of = LoginProfile, call = "update", changes, needs(user_name), takes(changeable), effect = write,
    subject = "user/{UserName}"
)]
pub struct UpdateLoginProfile {}

impl Handler for UpdateLoginProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, Some(&self.user_name))?;
        let mut row = require(cx, &owner)?;
        if let Some(password) = &self.password {
            row.set_password(cx, &owner, password, "Password")?;
        }
        row.password_reset_required = self.password_reset_required.or(row.password_reset_required);
        cx.put(row)?;
        Ok(Empty {})
    }
}

/// Deletes the password of a user; without a name, of the caller.
#[operation(of = LoginProfile, takes(user_name), effect = write, subject = "user/{UserName}")]
pub struct DeleteLoginProfile {}

impl Handler for DeleteLoginProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let row = require(cx, &owner)?;
        cx.remove(&row)?;
        Ok(Empty {})
    }
}

/// Deletes the password of a user.
#[operation(
    kind = LoginProfile, call = "delete", on_model, runs = DeleteLoginProfile, include(ExistingUser), effect = write
)]
pub struct LoginProfileDelete {}

/// Changes the password of the caller, who must be a user.
#[operation(of = LoginProfile, call = "change_password", effect = write, subject = "user/*")]
pub struct ChangePassword {
    /// Current password.
    #[field(like = LoginProfile::password)]
    pub old_password: Secret,
    /// New password.
    #[field(like = LoginProfile::password)]
    pub new_password: Secret,
}

impl Handler for ChangePassword {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, None)?;
        if owner.name.is_none() {
            return Err(errors::caller_not_user());
        }
        let mut row = require(cx, &owner)?;
        if !row.has_password(cx, &owner.id, &self.old_password, 1)? {
            return Err(errors::old_password_wrong().with_field("OldPassword"));
        }
        row.set_password(cx, &owner, &self.new_password, "NewPassword")?;
        row.password_reset_required = Some(false);
        cx.put(row)?;
        Ok(Empty {})
    }
}
