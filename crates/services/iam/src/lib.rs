//! Identity: users, groups, roles, policies and access keys. The service is global: it is the same in every Region.

mod access_key;
mod attachment;
mod boundary;
mod calls;
mod document;
mod entity;
pub mod errors;
mod group;
mod identity;
mod ids;
mod inline_policy;
mod instance_profile;
mod last_use;
mod membership;
mod paging;
mod policy;
mod policy_entities;
mod policy_version;
mod role;
mod tagging;
/// Behaviour cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "cases/mod.rs"]
pub mod testing;
mod user;

pub use access_key::*;
pub use attachment::*;
pub use boundary::*;
pub use group::*;
pub use identity::{AssumableRole, find_role};
pub use inline_policy::*;
pub use instance_profile::*;
pub use membership::*;
pub use policy::*;
pub use policy_entities::*;
pub use policy_version::*;
pub use role::*;
pub use tagging::*;
pub use user::*;

use nephos_cloud::{Service, ServiceAccess, Table, WorkEntry};
pub use nephos_core::Empty;
use nephos_core::{
    Resource,
    shape::{Protocol, ServiceShape},
};

/// Description of the service.
pub static SERVICE: ServiceShape = ServiceShape {
    name: "iam",
    docs: "Identity: users, groups, roles, policies and access keys.",
    api_version: "2010-05-08",
    protocol: Protocol::AwsQuery { namespace: "https://iam.amazonaws.com/doc/2010-05-08/" },
    endpoint: "iam",
    signing: "iam",
    global: true,
    kinds: &[
        User::KIND,
        Group::KIND,
        Role::KIND,
        InstanceProfile::KIND,
        AccessKey::KIND,
        Policy::KIND,
        PolicyVersion::KIND,
    ],
    operations: OPERATIONS,
    codes: errors::ALL,
    invalid: &errors::INVALID,
    invalid_token: errors::invalid_marker,
    resource_keys: &[
        ("user", &["aws:ResourceTag/${TagKey}", "iam:ResourceTag/${TagKey}"]),
        ("role", &["aws:ResourceTag/${TagKey}", "iam:ResourceTag/${TagKey}"]),
        ("policy", &["aws:ResourceTag/${TagKey}"]),
        ("{PolicyArn}", &["aws:ResourceTag/${TagKey}"]),
        ("instance-profile", &["aws:ResourceTag/${TagKey}"]),
    ],
};

nephos_cloud::handlers! {
    CreateUser, GetUser, ListUsers, UpdateUser, DeleteUser, TagUser, UntagUser, ListUserTags,
    CreateGroup, GetGroup, ListGroups, UpdateGroup, DeleteGroup,
    AddUserToGroup, RemoveUserFromGroup, ListGroupsForUser,
    CreateRole, GetRole, ListRoles, UpdateRole, UpdateRoleDescription, UpdateAssumeRolePolicy, DeleteRole,
    TagRole, UntagRole, ListRoleTags, AttachRolePolicy, DetachRolePolicy, ListAttachedRolePolicies,
    PutRolePermissionsBoundary, DeleteRolePermissionsBoundary,
    PutRolePolicy, GetRolePolicy, ListRolePolicies, DeleteRolePolicy,
    CreateInstanceProfile, GetInstanceProfile, ListInstanceProfiles, ListInstanceProfilesForRole, DeleteInstanceProfile,
    AddRoleToInstanceProfile, RemoveRoleFromInstanceProfile,
    TagInstanceProfile, UntagInstanceProfile, ListInstanceProfileTags,
    CreatePolicy, GetPolicy, ListPolicies, DeletePolicy, TagPolicy, UntagPolicy, ListPolicyTags,
    CreatePolicyVersion, GetPolicyVersion, ListPolicyVersions, DeletePolicyVersion, SetDefaultPolicyVersion,
    AttachUserPolicy, DetachUserPolicy, ListAttachedUserPolicies,
    AttachGroupPolicy, DetachGroupPolicy, ListAttachedGroupPolicies, ListEntitiesForPolicy,
    PutUserPermissionsBoundary, DeleteUserPermissionsBoundary,
    PutUserPolicy, GetUserPolicy, ListUserPolicies, DeleteUserPolicy,
    PutGroupPolicy, GetGroupPolicy, ListGroupPolicies, DeleteGroupPolicy,
    CreateAccessKey, UpdateAccessKey, DeleteAccessKey, ListAccessKeys, GetAccessKeyLastUsed,
}

/// The service for clouds: handlers and tables.
pub static IAM: Service = Service {
    shape: &SERVICE,
    handlers: HANDLERS,
    controls: &[],
    views: &[],
    works: &[WorkEntry::new::<last_use::UseUpdate>()],
    tables: &[
        Table::new::<User>(),
        Table::new::<Group>(),
        Table::new::<Role>(),
        Table::new::<InstanceProfile>(),
        Table::new::<instance_profile::ProfileRoleRow>(),
        Table::new::<instance_profile::RoleProfileRow>(),
        Table::new::<Policy>(),
        Table::new::<policy_version::VersionRow>(),
        Table::new::<policy_version::NewestVersionRow>(),
        Table::new::<attachment::EntityPolicyRow>(),
        Table::new::<attachment::PolicyEntityRow>(),
        Table::new::<inline_policy::InlinePolicyRow>(),
        Table::new::<entity::PathRow>(),
        Table::new::<entity::IdRow>(),
        Table::new::<membership::MemberRow>(),
        Table::new::<membership::MembershipRow>(),
        Table::new::<access_key::AccessKeyRow>(),
        Table::new::<access_key::UserKeyRow>(),
        Table::new::<last_use::LastUseRow>(),
    ],
    access: ServiceAccess {
        identities: Some(&identity::IamIdentities),
        find_resource: Some(identity::find_resource),
    },
};

#[cfg(test)]
mod tests {
    use super::CreateUser;
    use nephos_core::{
        Operation as _, Value,
        dynamic::{self, Reach},
        fill::{self, Reader},
    };

    #[test]
    fn messages_about_broken_rules_have_no_values() {
        let Reach::Wire(request) = dynamic::reach(CreateUser::OPERATION) else {
            unreachable!("it is on the wire")
        };
        let name = Value::from("a b");
        let filled =
            request(&mut |params| fill::fill_field(params, "UserName", name.view(), &Reader::REQUEST, 0));
        let text = "1 validation error detected: Value at 'userName' failed to satisfy constraint: Member must satisfy \
                    regular expression pattern: [\\w+=,.@-]+";
        assert_eq!(filled.map(drop).unwrap_err().wire_message(), text);
    }
}
