//! Permissions boundaries: policies that limit the permissions of users and roles.

use crate::{
    Role, RoleManager, User, UserManager,
    entity::{self, Entity as _},
    policy::attachment::{self, Use},
    role::ExistingRole,
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
        Policy,
        /// A managed policy, as the provider's model calls it. The provider answers `Policy`.
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
    /// ARN of the policy.
    pub(crate) fn arn(&self) -> Option<&Text> {
        self.permissions_boundary_arn.as_ref()
    }

    pub(crate) fn new(arn: Text) -> Self {
        Self {
            permissions_boundary_type: Some(PermissionsBoundaryType::Policy),
            permissions_boundary_arn: Some(arn),
        }
    }
}

/// ARN of a policy that becomes a permissions boundary.
#[derive(Record)]
#[record(shared)]
pub struct NewBoundary {
    /// ARN of the policy.
    #[field(required, length(20..=2048), condition = "iam:PermissionsBoundary")]
    permissions_boundary: Option<Text>,
}

/// Declares the operations on the permissions boundary of a kind of entity.
macro_rules! boundaries {
    (
        $kind:ident, $existing:ident, $name:ident;
        $(#[$of_put:meta])+ $put:ident;
        $(#[$of_delete:meta])+ $delete:ident;
    ) => {
        impl $kind {
            /// Removes what listings do not return: the permissions boundary and the tags.
            pub(crate) fn for_listing(mut self) -> Self {
                self.permissions_boundary = None;
                self.tags = None;
                self
            }
        }

        $(#[$of_put])+
        #[operation(
            of = $kind, call = "put_permission_boundary", on_model(permissions_boundary), include($existing, NewBoundary), effect = write
        )]
        pub struct $put {}

        impl Handler for $put {
            fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
                let mut entity: $kind = entity::require(cx, &self.$name)?;
                entity.check_modifiable()?;
                attachment::require_attachable(cx, &self.permissions_boundary, PARAMETER)?;
                attachment::remove_uses(cx, &entity, Use::Boundary)?;
                // Removing the previous boundary may have changed the same policy.
                let policy = attachment::require_attachable(cx, &self.permissions_boundary, PARAMETER)?;
                attachment::add_use(cx, &entity, policy, Use::Boundary)?;
                entity.permissions_boundary = Some(AttachedPermissionsBoundary::new(self.permissions_boundary));
                cx.put(entity)?;
                Ok(Empty {})
            }
        }

        $(#[$of_delete])+
        #[operation(
            of = $kind, call = "delete_permission_boundary", on_model, include($existing), effect = write
        )]
        pub struct $delete {}

        impl Handler for $delete {
            fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
                let mut entity: $kind = entity::require(cx, &self.$name)?;
                entity.check_modifiable()?;
                attachment::remove_uses(cx, &entity, Use::Boundary)?;
                entity.permissions_boundary = None;
                cx.put(entity)?;
                Ok(Empty {})
            }
        }
    };
}

boundaries! {
    User, ExistingUser, user_name;
    /// Sets the permissions boundary of a user; it replaces another one.
    PutUserPermissionsBoundary;
    /// Removes the permissions boundary of a user, if there is one.
    DeleteUserPermissionsBoundary;
}

boundaries! {
    Role, ExistingRole, role_name;
    /// Sets the permissions boundary of a role; it replaces another one.
    PutRolePermissionsBoundary;
    /// Removes the permissions boundary of a role, if there is one.
    DeleteRolePermissionsBoundary;
}
