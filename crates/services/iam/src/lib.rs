//! Identity: users, groups, roles, policies and access keys. The service is global: it is the same in every Region.

mod account;
mod certificate;
#[doc(hidden)]
pub mod entity;
pub mod errors;
mod group;
mod identity;
mod paging;
mod policy;
mod provider;
mod role;
mod simulation;
mod tagging;
mod user;

pub use account::*;
pub use certificate::*;
pub use group::*;
pub use identity::{AssumableRole, find_policy_document, find_role};
pub use policy::*;
pub use provider::*;
pub use role::*;
pub use simulation::*;
pub use tagging::*;
pub use user::*;

pub use nephos_core::Empty;
use nephos_core::shape::Protocol;

/// Condition keys with the tags of a resource.
const TAGS: &[&str] = &["aws:ResourceTag/${TagKey}"];
/// Condition keys with the tags of a user or role.
const ENTITY_TAGS: &[&str] = &["aws:ResourceTag/${TagKey}", "iam:ResourceTag/${TagKey}"];

nephos_cloud::parts! {
    der: certificate::der,
    md5: certificate::md5,
    session_rules: identity::session_rules,
    document: policy::document,
    managed: policy::managed,
    saml_metadata: provider::saml_metadata,
    linked_services: role::linked_services,
    simulation: simulation,
    evaluate: simulation::evaluate,
    statements: simulation::statements,
    totp: user::mfa_device::totp,
}

nephos_cloud::service! {
    IAM = "iam", "Identity: users, groups, roles, policies and access keys.";
    shape {
        api_version: "2010-05-08",
        protocol: Protocol::AwsQuery { namespace: "https://iam.amazonaws.com/doc/2010-05-08/" },
        global: true,
        shows_values: false,
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_marker,
        invalid_arn: Some(|arn, _| entity::arns::invalid_arn(arn)),
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
    internal { NoteCertificateUse }
    works {
        identity::last_use::UseUpdate, account::last_accessed::JobExpiry, role::service_linked_role::DeletionTaskExpiry,
    }
    tables {
        User, Group, Role, InstanceProfile, role::instance_profile::ProfileRoleRow,
        role::instance_profile::RoleProfileRow, Policy, policy::policy_version::VersionRow,
        policy::policy_version::NewestVersionRow, policy::managed::ManagedUseRow, role::service_linked_role::DeletionTaskRow,
        policy::attachment::EntityPolicyRow, policy::attachment::PolicyEntityRow, policy::inline_policy::InlinePolicyRow,
        entity::PathRow, entity::IdRow, group::membership::MemberRow, group::membership::MembershipRow,
        user::access_key::AccessKeyRow, user::access_key::UserKeyRow, identity::last_use::LastUseRow, identity::last_use::ServiceUseRow,
        account::last_accessed::JobRow, account::account_alias::AccountAliasRow, account::account_alias::TakenAliasRow, PasswordPolicy,
        account::credential_report::ReportRow, user::login_profile::LoginProfileRow, OpenIDConnectProvider,
        provider::open_id_keys::OpenIdKeysRow, SAMLProvider, provider::saml_keys::SamlKeyRow, ServerCertificate,
        certificate::server_certificate::CertificateKeyRow, certificate::server_certificate::CertificateUseRow, certificate::signing_certificate::SigningCertificateRow,
        user::ssh_public_key::PublicKeyRow, user::service_credential::ServiceCredentialRow, VirtualMFADevice,
        user::mfa_device::DeviceSeedRow, user::mfa_device::user_mfa_devices::UserDeviceRow,
    }
    access {
        identities: Some(&identity::IamIdentities),
        find_resource: Some(identity::find_resource),
    }
    tagged { tagging::TAGGED }
}
