//! Identity: users, groups, roles, policies and access keys. The service is global: it is the same in every Region.

mod access_key;
mod account_alias;
mod account_summary;
mod arns;
mod attachment;
mod authorization_details;
mod boundary;
mod calls;
mod certificate;
mod credential_report;
mod der;
mod document;
mod entity;
pub mod errors;
mod group;
mod group_calls;
mod identity;
mod ids;
mod inline_policy;
mod instance_profile;
mod last_accessed;
mod last_use;
mod login_profile;
mod managed;
mod md5;
mod membership;
mod mfa_codes;
mod mfa_device;
mod open_id_keys;
mod open_id_provider;
mod paging;
mod password_policy;
mod policy;
mod policy_entities;
mod policy_use;
mod policy_version;
mod role;
mod rsa_public_key;
mod saml_keys;
mod saml_metadata;
mod saml_provider;
mod server_certificate;
mod service_credential;
mod service_linked_role;
mod session_rules;
mod shared_rows;
mod signing_certificate;
mod simulation;
mod ssh_public_key;
mod tagging;
/// Behaviour cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "../cases/mod.rs"]
pub mod testing;
mod totp;
mod user;
mod user_mfa_devices;

pub use access_key::*;
pub use account_alias::*;
pub use account_summary::*;
pub use attachment::*;
pub use authorization_details::*;
pub use boundary::*;
pub use credential_report::*;
pub use document::malformed_policy;
pub use group::*;
pub use group_calls::*;
pub use identity::{AssumableRole, find_policy_document, find_role};
pub use inline_policy::*;
pub use instance_profile::*;
pub use last_accessed::*;
pub use login_profile::*;
pub use membership::*;
pub use mfa_codes::*;
pub use mfa_device::*;
pub use open_id_keys::*;
pub use open_id_provider::*;
pub use password_policy::*;
pub use policy::*;
pub use policy_entities::*;
pub use policy_use::*;
pub use policy_version::*;
pub use role::*;
pub use saml_keys::{NewPrivateKey, SamlPrivateKey};
pub use saml_provider::*;
pub use server_certificate::*;
pub use service_credential::*;
pub use service_linked_role::*;
pub use signing_certificate::*;
pub use simulation::*;
pub use ssh_public_key::*;
pub use tagging::*;
pub use user::*;
pub use user_mfa_devices::*;

pub use nephos_core::Empty;
use nephos_core::shape::Protocol;

/// Condition keys with the tags of a resource.
const TAGS: &[&str] = &["aws:ResourceTag/${TagKey}"];
/// Condition keys with the tags of a user or role.
const ENTITY_TAGS: &[&str] = &["aws:ResourceTag/${TagKey}", "iam:ResourceTag/${TagKey}"];

nephos_cloud::service! {
    IAM = "iam", "Identity: users, groups, roles, policies and access keys.";
    shape {
        api_version: "2010-05-08",
        protocol: Protocol::AwsQuery { namespace: "https://iam.amazonaws.com/doc/2010-05-08/" },
        global: true,
        shows_values: false,
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_marker,
        invalid_arn: Some(|arn, _| arns::invalid_arn(arn)),
        resource_keys: &[
            ("user{", ENTITY_TAGS),
            ("user/{", ENTITY_TAGS),
            ("role{", ENTITY_TAGS),
            ("role/{", ENTITY_TAGS),
            ("policy{", TAGS),
            ("{PolicyArn}", TAGS),
            ("instance-profile{", TAGS),
            ("instance-profile/{", TAGS),
            ("oidc-provider/{", TAGS),
            ("{OpenIDConnectProviderArn}", TAGS),
            ("saml-provider/{", TAGS),
            ("{SAMLProviderArn}", TAGS),
            ("server-certificate{", TAGS),
            ("server-certificate/{", TAGS),
            ("mfa{", TAGS),
            ("{SerialNumber}", TAGS),
        ],
    }
    kinds {
        User, Group, Role, InstanceProfile, AccessKey, Policy, PolicyVersion, LoginProfile,
        VirtualMFADevice, OpenIDConnectProvider, SAMLProvider, ServerCertificate, SigningCertificate,
        SSHPublicKey, ServiceSpecificCredential, PasswordPolicy, AccountSummary,
    }
    operations {
        CreateUser, GetUser, ListUsers, UpdateUser, DeleteUser, TagUser, UntagUser, ListUserTags,
        CreateGroup, GetGroup, ListGroups, UpdateGroup, DeleteGroup,
        AddUserToGroup, RemoveUserFromGroup, ListGroupsForUser,
        CreateRole, GetRole, ListRoles, UpdateRole, UpdateRoleDescription, UpdateAssumeRolePolicy, DeleteRole,
        TagRole, UntagRole, ListRoleTags, AttachRolePolicy, DetachRolePolicy, ListAttachedRolePolicies,
        PutRolePermissionsBoundary, DeleteRolePermissionsBoundary,
        PutRolePolicy, GetRolePolicy, ListRolePolicies, DeleteRolePolicy,
        CreateServiceLinkedRole, DeleteServiceLinkedRole, GetServiceLinkedRoleDeletionStatus,
        CreateInstanceProfile, GetInstanceProfile, ListInstanceProfiles, ListInstanceProfilesForRole, DeleteInstanceProfile,
        AddRoleToInstanceProfile, RemoveRoleFromInstanceProfile,
        TagInstanceProfile, UntagInstanceProfile, ListInstanceProfileTags,
        CreatePolicy, GetPolicy, ListPolicies, DeletePolicy, TagPolicy, UntagPolicy, ListPolicyTags,
        CreatePolicyVersion, GetPolicyVersion, ListPolicyVersions, DeletePolicyVersion, SetDefaultPolicyVersion,
        AttachUserPolicy, DetachUserPolicy, ListAttachedUserPolicies,
        AttachGroupPolicy, DetachGroupPolicy, ListAttachedGroupPolicies, ListEntitiesForPolicy,
        SimulatePrincipalPolicy, SimulateCustomPolicy, GetContextKeysForPrincipalPolicy, GetContextKeysForCustomPolicy,
        PutUserPermissionsBoundary, DeleteUserPermissionsBoundary,
        PutUserPolicy, GetUserPolicy, ListUserPolicies, DeleteUserPolicy,
        PutGroupPolicy, GetGroupPolicy, ListGroupPolicies, DeleteGroupPolicy,
        CreateAccessKey, UpdateAccessKey, DeleteAccessKey, ListAccessKeys, GetAccessKeyLastUsed,
        GetAccountSummary, GetAccountAuthorizationDetails, CreateAccountAlias, DeleteAccountAlias, ListAccountAliases,
        GenerateCredentialReport, GetCredentialReport, UpdateAccountPasswordPolicy, GetAccountPasswordPolicy, DeleteAccountPasswordPolicy,
        CreateLoginProfile, GetLoginProfile, UpdateLoginProfile, DeleteLoginProfile, ChangePassword,
        CreateOpenIDConnectProvider, GetOpenIDConnectProvider, ListOpenIDConnectProviders, DeleteOpenIDConnectProvider,
        AddClientIDToOpenIDConnectProvider, RemoveClientIDFromOpenIDConnectProvider,
        UpdateOpenIDConnectProviderThumbprint, TagOpenIDConnectProvider, UntagOpenIDConnectProvider,
        ListOpenIDConnectProviderTags,
        CreateSAMLProvider, GetSAMLProvider, ListSAMLProviders, UpdateSAMLProvider, DeleteSAMLProvider,
        TagSAMLProvider, UntagSAMLProvider, ListSAMLProviderTags,
        CreateVirtualMFADevice, GetMFADevice, ListVirtualMFADevices, ListMFADevices, DeleteVirtualMFADevice,
        EnableMFADevice, DeactivateMFADevice, ResyncMFADevice, TagMFADevice, UntagMFADevice, ListMFADeviceTags,
        UploadServerCertificate, GetServerCertificate, ListServerCertificates, UpdateServerCertificate,
        DeleteServerCertificate, TagServerCertificate, UntagServerCertificate, ListServerCertificateTags,
        UploadSigningCertificate, ListSigningCertificates, UpdateSigningCertificate, DeleteSigningCertificate,
        UploadSSHPublicKey, GetSSHPublicKey, ListSSHPublicKeys, UpdateSSHPublicKey, DeleteSSHPublicKey,
        CreateServiceSpecificCredential, ListServiceSpecificCredentials, UpdateServiceSpecificCredential,
        ResetServiceSpecificCredential, DeleteServiceSpecificCredential,
        GenerateServiceLastAccessedDetails, GetServiceLastAccessedDetails, GetServiceLastAccessedDetailsWithEntities,
    }
    calls {
        LoginProfileGet, LoginProfileDelete, RoleUpdate, PolicyVersionCreate, PolicyVersionGet,
        InstanceProfileUpdate, AccountSummaryAuthorizationDetails, GroupGet, GroupUpdate, GroupPutPolicy,
        GroupDeletePolicy, GroupListPolicies, GroupListAttachedPolicies, UserGet, UserUpdate,
        UserAddToGroup, UserRemoveFromGroup, UserListGroups, OpenIDConnectProviderGet,
        OpenIDConnectProviderList, OpenIDConnectProviderUpdate, ServerCertificateGet,
        ServerCertificateUpdate, SAMLProviderGet, SAMLProviderList, SAMLProviderUpdate, SSHPublicKeyGet,
        VirtualMFADeviceGet,
        VirtualMFADeviceUpdate, PolicyUpdate, PolicyInUse, PolicyNotInUse, PolicyListVersions,
        PolicySetDefaultVersion,
    }
    controls {
        "open-id-keys" => SetOpenIdKeys,
    }
    works {
        last_use::UseUpdate, last_accessed::JobExpiry, service_linked_role::DeletionTaskExpiry,
    }
    tables {
        User, Group, Role, InstanceProfile, instance_profile::ProfileRoleRow,
        instance_profile::RoleProfileRow, Policy, policy_version::VersionRow,
        policy_version::NewestVersionRow, managed::ManagedUseRow, service_linked_role::DeletionTaskRow,
        attachment::EntityPolicyRow, attachment::PolicyEntityRow, inline_policy::InlinePolicyRow,
        entity::PathRow, entity::IdRow, membership::MemberRow, membership::MembershipRow,
        access_key::AccessKeyRow, access_key::UserKeyRow, last_use::LastUseRow, last_use::ServiceUseRow,
        last_accessed::JobRow, account_alias::AccountAliasRow, account_alias::TakenAliasRow, PasswordPolicy,
        credential_report::ReportRow, login_profile::LoginProfileRow, OpenIDConnectProvider,
        open_id_keys::OpenIdKeysRow, SAMLProvider, saml_keys::SamlKeyRow, ServerCertificate,
        server_certificate::CertificateKeyRow, signing_certificate::SigningCertificateRow,
        ssh_public_key::PublicKeyRow, service_credential::ServiceCredentialRow, VirtualMFADevice,
        mfa_device::DeviceSeedRow, user_mfa_devices::UserDeviceRow,
    }
    access {
        identities: Some(&identity::IamIdentities),
        find_resource: Some(identity::find_resource),
    }
}

#[cfg(test)]
mod tests {
    use super::CreateUser;
    use nephos_core::{
        Operation as _, Value, dynamic,
        fill::{self, Reader},
    };

    #[test]
    fn messages_about_broken_rules_have_no_values() {
        let name = Value::from("a b");
        let filled = dynamic::request(CreateUser::OPERATION, &mut |params| {
            fill::fill_field(params, "UserName", name.view(), &Reader::REQUEST, 0)
        });
        let text = "1 validation error detected: Value at 'userName' failed to satisfy constraint: Member must satisfy \
                    regular expression pattern: [\\w+=,.@-]+";
        assert_eq!(filled.map(drop).unwrap_err().wire_message(), text);
    }
}
