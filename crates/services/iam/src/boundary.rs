//! Permissions boundaries: policies that limit the permissions of users.

use super::{
    SERVICE, User, UserManager,
    attachment::{self, Use},
    calls::model_calls,
    entity,
    user::ExistingUser,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Record, Result, Text, choices, operation};

/// Name of the parameter with the boundary.
pub(crate) const PARAMETER: &str = "PermissionsBoundary";

choices! {
    /// Type of a permissions boundary.
    pub enum PermissionsBoundaryType {
        /// A managed policy.
        PermissionsBoundaryPolicy,
    }
}

/// The permissions boundary of an entity.
#[derive(Record)]
#[record(answer)]
pub struct AttachedPermissionsBoundary {
    /// Type of the boundary.
    permissions_boundary_type: Option<PermissionsBoundaryType>,
    /// ARN of the policy.
    permissions_boundary_arn: Option<Text>,
}

impl AttachedPermissionsBoundary {
    pub(crate) fn new(arn: Text) -> Self {
        Self {
            permissions_boundary_type: Some(PermissionsBoundaryType::PermissionsBoundaryPolicy),
            permissions_boundary_arn: Some(arn),
        }
    }
}

/// Sets the permissions boundary of a user; it replaces another one.
#[operation(
    service = SERVICE, of = User, call = "put_permission_boundary", also(ExistingUser),
    effect = write, output = Empty, subject = "user/{UserName}"
)]
pub struct PutUserPermissionsBoundary {
    /// ARN of the policy.
    #[field(length(20..=2048))]
    pub permissions_boundary: Text,
}

impl Handler for PutUserPermissionsBoundary {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut user: User = entity::require(cx, &self.user_name)?;
        attachment::require_attachable(cx, &self.permissions_boundary, PARAMETER)?;
        attachment::remove_boundary(cx, &user)?;
        // Removing the previous boundary may have changed the same policy.
        let policy = attachment::require_attachable(cx, &self.permissions_boundary, PARAMETER)?;
        attachment::add_use(cx, &user, policy, Use::Boundary)?;
        user.permissions_boundary = Some(AttachedPermissionsBoundary::new(self.permissions_boundary));
        cx.put(user)?;
        Ok(Empty {})
    }
}

/// Removes the permissions boundary of a user, if there is one.
#[operation(
    service = SERVICE, of = User, call = "delete_permission_boundary", instance, also(ExistingUser),
    effect = write, output = Empty, subject = "user/{UserName}"
)]
pub struct DeleteUserPermissionsBoundary {}

impl Handler for DeleteUserPermissionsBoundary {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut user: User = entity::require(cx, &self.user_name)?;
        attachment::remove_boundary(cx, &user)?;
        user.permissions_boundary = None;
        cx.put(user)?;
        Ok(Empty {})
    }
}

model_calls! {
    User {
        /// Sets the permissions boundary of the user; it replaces another one.
        put_permission_boundary(permissions_boundary = "PermissionsBoundary"):
            PutUserPermissionsBoundary => PutUserPermissionsBoundaryCall;
    }
}
