//! Identity: users, groups and access keys. The service is global: it is the same in every Region.

mod access_key;
mod calls;
mod entity;
pub mod errors;
mod group;
mod ids;
mod membership;
mod paging;
mod tagging;
/// Behaviour cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "cases/mod.rs"]
pub mod testing;
mod user;

pub use access_key::*;
pub use group::*;
pub use ids::account_of_access_key;
pub use membership::*;
pub use tagging::*;
pub use user::*;

use nephos_cloud::{Service, Table};
pub use nephos_core::Empty;
use nephos_core::{
    Resource,
    shape::{Protocol, ServiceShape},
};

/// Description of the service.
pub static SERVICE: ServiceShape = ServiceShape {
    name: "iam",
    docs: "Identity: users, groups and access keys.",
    api_version: "2010-05-08",
    protocol: Protocol::AwsQuery { namespace: "https://iam.amazonaws.com/doc/2010-05-08/" },
    endpoint: "iam",
    signing: "iam",
    global: true,
    kinds: &[User::KIND, Group::KIND, AccessKey::KIND],
    operations: OPERATIONS,
    codes: errors::ALL,
    invalid: &errors::INVALID,
    invalid_token: errors::invalid_marker,
};

nephos_cloud::handlers! {
    CreateUser, GetUser, ListUsers, UpdateUser, DeleteUser, TagUser, UntagUser, ListUserTags,
    CreateGroup, GetGroup, ListGroups, UpdateGroup, DeleteGroup,
    AddUserToGroup, RemoveUserFromGroup, ListGroupsForUser,
    CreateAccessKey, UpdateAccessKey, DeleteAccessKey, ListAccessKeys, GetAccessKeyLastUsed,
}

/// The service for clouds: handlers and tables.
pub static IAM: Service = Service {
    shape: &SERVICE,
    handlers: HANDLERS,
    controls: &[],
    views: &[],
    works: &[],
    tables: &[
        Table::new::<User>(),
        Table::new::<Group>(),
        Table::new::<entity::PathRow>(),
        Table::new::<entity::IdRow>(),
        Table::new::<membership::MemberRow>(),
        Table::new::<membership::MembershipRow>(),
        Table::new::<access_key::AccessKeyRow>(),
        Table::new::<access_key::UserKeyRow>(),
    ],
};
