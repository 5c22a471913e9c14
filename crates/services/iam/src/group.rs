//! Groups of users.

pub(crate) mod group_calls;
pub(crate) mod membership;
mod operations;

pub use group_calls::*;
pub use membership::*;
pub use operations::*;

use crate::{User, entity::Entity, errors};
use nephos_cloud::Quota;
use nephos_core::{Error, Record, Resource, Slot, Text, Timestamp};

/// Quota of groups in an account.
pub(crate) const GROUPS: Quota = Quota { counter: "iam/groups", max: 300, what: "groups" };

/// A group of users, who have the permissions of its policies.
#[derive(Resource)]
#[resource(
    arn("Arn", "group{Path: /=/}{GroupName}"), name = "GroupName", pk = "GroupName", exists_if = "Arn",
    not_found = |name| errors::group_not_found(name)
)]
pub struct Group {
    /// Path of the group: `/` or `/team/web/`.
    #[field(like = User::path)]
    pub(crate) path: Option<Text>,
    /// Name of the group, unique within the account, ignoring case.
    #[field(required, length(1..=128), pattern = r"[\w+=,.@-]+")]
    pub(crate) group_name: Option<Text>,
    /// Unique ID of the group, which a renamed group keeps.
    #[field(service_set)]
    pub(crate) group_id: Option<Text>,
    /// ARN of the group.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) create_date: Option<Timestamp>,
    slot: Slot,
}

nephos_cloud::stored!(Group in "iam/group" by group_name ignoring case; arn arn);

impl Entity for Group {
    const ID: &'static str = "GroupId";
    const ID_PREFIX: &'static str = "AGPA";
    const NAME_TAKEN: fn(&str) -> Error = |name| errors::group_exists(name);
}

/// Name of an existing group.
#[derive(Record)]
#[record(shared)]
pub struct ExistingGroup {
    /// Name of the group, ignoring case.
    #[field(required, like = Group::group_name)]
    group_name: Option<Text>,
}
