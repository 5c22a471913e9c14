//! Operations on users.

use super::{
    ExistingUser, USERS, User, UserManager, access_key, login_profile, service_credential, ssh_public_key,
};
use crate::{
    certificate::signing_certificate,
    entity::{self, Entity, PathPrefix},
    errors,
    group::membership,
    identity::last_use,
    paging::Page,
    policy::{
        attachment::{self, Use},
        boundary::{self, AttachedPermissionsBoundary},
    },
    tagging,
    user::mfa_device::user_mfa_devices,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, ManagerOperation, Record, Result, Text, WorkflowContext, operation, retag};

/// Creates a user.
#[operation(
    of = User, call = "create", model, needs(user_name), takes(settable), overrides(tags),
    wraps(user), effect = write,
    also_requires("TagUser" = "Tags?")
)]
pub struct CreateUser {
    /// ARN of the policy that is the permissions boundary of the user.
    #[field(length(20..=2048), condition = "iam:PermissionsBoundary")]
    pub permissions_boundary: Option<Text>,
}

impl Handler for CreateUser {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.tags = tagging::read(self.tags.as_deref())?;
        entity::check_name_free::<User>(cx, &self.user_name)?;
        let boundary = self.permissions_boundary.take();
        let find = |arn: &Text| attachment::require_attachable(cx, arn, boundary::PARAMETER);
        let policy = boundary.as_ref().map(find).transpose()?;
        USERS.add_one(cx, || errors::quota_exceeded("UsersPerAccount", USERS.max))?;
        let mut user = User::from_given(self);
        user.permissions_boundary = boundary.map(AttachedPermissionsBoundary::new);
        let user = entity::create(cx, user)?;
        policy.map_or(Ok(()), |policy| attachment::add_use(cx, &user, policy, Use::Boundary))?;
        Ok(user.into())
    }
}

/// Returns a user. Without a name, returns the caller.
#[operation(of = User, wraps(user), effect = read)]
pub struct GetUser {
    /// Name of the user, ignoring case.
    #[field(like = ExistingUser::user_name)]
    pub user_name: Option<Text>,
}

impl Handler for GetUser {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let user = match &self.user_name {
            Some(name) => entity::require(cx, name)?,
            None => User::of_caller(cx)?,
        };
        Ok(user.into())
    }
}

/// Returns the user with this name, if it exists.
#[operation(
    kind = User, call = "get", runs = GetUser, include(ExistingUser), returns(user: User), none_if_missing, effect = read
)]
pub struct UserGet {}

/// Lists users in order of their names; with a path prefix, in order of their paths and names.
#[operation(
    of = User, call = "list", page(users, marker, is_truncated), include(PathPrefix, Page),
    pushdown(path_prefix = "Path"), effect = read, subject = "user/*"
)]
pub struct ListUsers {}

impl Handler for ListUsers {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(entity::page(cx, &self, self.path_prefix.as_ref(), |user: User| Ok(Some(user)))?.into())
    }
}

/// Changes the name or the path of a user. It keeps its unique ID, groups, policies and access keys.
#[operation(of = User, include(ExistingUser), effect = write)]
pub struct UpdateUser {
    /// New path.
    #[field(like = User::path)]
    pub new_path: Option<Text>,
    /// New name.
    #[field(like = User::user_name)]
    pub new_user_name: Option<Text>,
}

impl Handler for UpdateUser {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let (before, after): (User, User) =
            entity::rename(cx, &self.user_name, self.new_path, self.new_user_name)?;
        membership::rename_user(cx, &before, &after)?;
        attachment::rename_entity(cx, &before, &after)?;
        Ok(Empty {})
    }
}

/// Changes the name, path and tags of a user, where the model was changed. A given new name or path takes precedence.
#[operation(kind = User, call = "update", effect = write, output = User)]
pub struct UserUpdate {
    /// The user.
    #[field(model, name = "model")]
    pub model: User,
    /// New path.
    #[field(like = User::path)]
    pub new_path: Option<Text>,
    /// New name.
    #[field(like = User::user_name)]
    pub new_user_name: Option<Text>,
}

/// Returns the user with this name.
async fn get(context: &WorkflowContext, name: &Text) -> Result<User> {
    let found = context.call(GetUser::new().user_name(name.clone())).await?;
    found.user.ok_or_else(|| nephos_core::operation::missing_in_answer("User"))
}

impl ManagerOperation for UserUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<User> {
        let rename = |user_name, new_path, new_user_name| UpdateUser { user_name, new_path, new_user_name };
        let name =
            entity::send_renaming(context, &self.model, &self.new_path, &self.new_user_name, rename).await?;
        let found = get(context, &name).await?;
        retag(context, &self.model, &found).await?;
        get(context, &name).await
    }
}

/// Deletes a user, who must be in no group, and have no policies, keys, passwords, certificates and MFA devices.
#[operation(of = User, call = "delete", on_model, include(ExistingUser), effect = write)]
pub struct DeleteUser {}

impl Handler for DeleteUser {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let user: User = entity::require(cx, &self.user_name)?;
        if access_key::has_keys(cx, user.id())? {
            return Err(errors::has_access_keys());
        }
        if login_profile::find(cx, user.id())?.is_some() {
            return Err(errors::has_login_profile());
        }
        if user_mfa_devices::has_devices(cx, user.id())? {
            return Err(errors::has_mfa_devices());
        }
        if !signing_certificate::certificates_of(cx, user.id())?.is_empty() {
            return Err(errors::has_signing_certificates());
        }
        if ssh_public_key::has_keys(cx, user.id())? {
            return Err(errors::has_public_keys());
        }
        if service_credential::has_credentials(cx, user.id())? {
            return Err(errors::has_service_credentials());
        }
        if membership::is_member(cx, &user)? {
            return Err(errors::has_members());
        }
        attachment::check_deletable(cx, &user)?;
        attachment::remove_uses(cx, &user, Use::Boundary)?;
        USERS.remove_one(cx)?;
        last_use::remove_services(cx, user.id())?;
        entity::remove(cx, &user)?;
        Ok(Empty {})
    }
}
