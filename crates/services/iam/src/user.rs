//! Users.

pub(crate) mod access_key;
pub(crate) mod login_profile;
pub(crate) mod mfa_device;
mod operations;
pub(crate) mod service_credential;
pub(crate) mod ssh_public_key;

pub use access_key::*;
pub use login_profile::*;
pub use mfa_device::*;
pub use operations::*;
pub use service_credential::*;
pub use ssh_public_key::*;

use crate::{
    entity::{self, Entity},
    errors,
    policy::boundary::AttachedPermissionsBoundary,
};
use nephos_cloud::{Quota, Tx};
use nephos_core::{Arn, Error, Record, Resource, Result, Slot, Tag, Text, Timestamp, field_value::FieldType};

/// Quota of users in an account.
pub(crate) const USERS: Quota = Quota { counter: "iam/users", max: 5000, what: "users" };

/// A user: a person or a program with long-term credentials.
#[derive(Resource)]
#[resource(
    hot, arn("Arn", "user{Path: /=/}{UserName}"), name = "UserName", pk = "UserName", exists_if = "Arn", tags = "Tags",
    not_found = |name| errors::user_not_found(name)
)]
pub struct User {
    /// Path of the user: `/` or `/team/web/`.
    #[field(length(1..=512), pattern(r"(/)|(/[\x21-\x7E]+/)", errors::path_invalid))]
    pub(crate) path: Option<Text>,
    /// Name of the user, unique within the account, ignoring case.
    #[field(required, length(1..=64), pattern = r"[\w+=,.@-]+")]
    pub(crate) user_name: Option<Text>,
    /// Unique ID of the user, which a renamed user keeps.
    #[field(service_set)]
    pub(crate) user_id: Option<Text>,
    /// ARN of the user.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) create_date: Option<Timestamp>,
    /// Time of the last sign-in with a password.
    #[field(service_set)]
    password_last_used: Option<Timestamp>,
    /// Permissions boundary.
    #[field(not_in_list, service_set)]
    pub(crate) permissions_boundary: Option<AttachedPermissionsBoundary>,
    /// Tags.
    #[field(not_in_list, length(..=50))]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored!(User in "iam/user" by user_name ignoring case; arn arn);

impl Entity for User {
    const ID: &'static str = "UserId";
    const ID_PREFIX: &'static str = "AIDA";
    const NAME_TAKEN: fn(&str) -> Error = |name| errors::user_exists(name);

    fn boundary(&self) -> Option<&Text> {
        self.permissions_boundary.as_ref().and_then(|boundary| boundary.arn())
    }
}

impl User {
    /// Returns the user that calls; the root user of the account if it is not the caller's. Refuses sessions of roles and
    /// federated users, which are not users: their ARNs are those of sts.
    pub(crate) fn of_caller(cx: &Tx<'_>) -> Result<Self> {
        if matches!(Arn::parts(&cx.caller().principal().arn), Some([_, "sts", ..])) {
            return Err(errors::user_name_required());
        }
        let id = cx.caller().identity().filter(|_| cx.caller().account() == cx.scope().account());
        let user = id.map_or(Ok(None), |id| entity::find_by_id(cx, id))?;
        Ok(user.unwrap_or_else(|| Self::root(cx)))
    }

    /// Returns the root user of the account, which is not stored.
    pub(crate) fn root(cx: &Tx<'_>) -> Self {
        let mut root = Self::blank();
        root.user_id = Some(cx.scope().account().into());
        root.arn = Some(cx.scope().arn("iam", &["root"]).into());
        root
    }
}

/// Name of an existing user.
#[derive(Record)]
#[record(shared)]
pub struct ExistingUser {
    /// Name of the user, ignoring case.
    #[field(required, length(1..=128), pattern = r"[\w+=,.@-]+")]
    user_name: Option<Text>,
}
