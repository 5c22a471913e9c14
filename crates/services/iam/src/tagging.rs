//! Tags of users, roles, instance profiles, policies, identity providers, server
//! certificates and MFA devices. Keys ignore case, and keep the case that they were given in.

use crate::{
    InstanceProfile, InstanceProfileManager, OpenIDConnectProvider, OpenIDConnectProviderManager, Policy,
    PolicyManager, Role, RoleManager, SAMLProvider, SAMLProviderManager, ServerCertificate,
    ServerCertificateManager, User, UserManager, VirtualMFADevice, VirtualMFADeviceManager,
    certificate::server_certificate::ExistingServerCertificate,
    entity::{self, Entity},
    errors,
    paging::Page,
    policy::{self, ExistingPolicy},
    provider::{
        open_id_provider::{self, ExistingOpenIDConnectProvider},
        saml_provider::{self, ExistingSamlProvider},
    },
    role::{ExistingRole, instance_profile::ExistingInstanceProfile},
    user::{
        ExistingUser,
        mfa_device::{self, ExistingDevice},
    },
};
use nephos_cloud::{TagMembers, TagRules, Tx, tags::to_list};
use nephos_core::{Map, Record, Result, Tag, Text, tags};

/// Rules for tags.
const RULES: TagRules = TagRules {
    any_characters: false,
    members: Some(TagMembers {
        key: "key",
        value: "value",
        pattern: Some(r"[\p{L}\p{Z}\p{N}_.:/=+\-@]+"),
        broken: |text| errors::INVALID.with_message(text),
    }),
    invalid: |key| errors::invalid_tag(key),
    reserved: |_| errors::reserved_tag(),
    too_many: errors::too_many_tags,
    duplicate: |_| errors::duplicate_tag(),
    tags: "Tags",
    keys: "TagKeys",
};

/// Validates the tags of a new entity and sorts them by key; no tags become `None`.
pub(crate) fn read(given: Option<&[Tag]>) -> Result<Option<Vec<Tag>>> {
    Ok(to_list(read_map(given.unwrap_or_default())?))
}

fn read_map(given: &[Tag]) -> Result<Map<Text>> {
    let mut tags = RULES.read_list(given)?;
    for (n, tag) in given.iter().enumerate() {
        let key = tag.key().unwrap_or_default();
        if given[..n].iter().any(|other| is_same(other.key().unwrap_or_default(), key)) {
            return Err(errors::duplicate_tag().with_field(format!("Tags[{key}]")));
        }
    }
    tags.sort_keys();
    Ok(tags)
}

fn is_same(key: &str, other: &str) -> bool {
    key.to_lowercase() == other.to_lowercase()
}

/// Adds tags to those of an entity; a tag with the same key, ignoring case, is replaced.
fn add(before: Option<&[Tag]>, given: &[Tag]) -> Result<Option<Vec<Tag>>> {
    let added = read_map(given)?;
    let mut all = tags::to_map(before.unwrap_or_default());
    all.retain(|key, _| !added.keys().any(|other| is_same(key, other)));
    let mut all = RULES.add(all, added)?;
    all.sort_keys();
    Ok(to_list(all))
}

/// Removes the tags with these keys, ignoring case.
fn remove(before: Option<&[Tag]>, keys: &[Text]) -> Result<Option<Vec<Tag>>> {
    RULES.check_keys(keys)?;
    let mut all = tags::to_map(before.unwrap_or_default());
    all.retain(|key, _| !keys.iter().any(|other| is_same(key, other)));
    Ok(to_list(all))
}

/// Tags to add.
#[derive(Record)]
#[record(shared)]
pub struct TagList {
    /// Tags to add.
    #[field(required, length(..=50))]
    tags: Option<Vec<Tag>>,
}

/// Keys of tags to remove.
#[derive(Record)]
#[record(shared)]
pub struct TagKeys {
    /// Keys of the tags, ignoring case.
    #[field(required, length(..=50), each(length(1..=128)))]
    tag_keys: Option<Vec<Text>>,
}

/// Finds the entity with this name or ARN, or refuses.
fn require_named<E: Entity>(cx: &Tx<'_>, name: &str) -> Result<E> {
    entity::require(cx, entity::name_in_arn(name))
}

nephos_cloud::tagging_by_kind! {
    add: add, remove: remove, unknown: entity::arns::invalid_arn;
    include(TagList, TagKeys, Page => marker, is_truncated);
    User, by ExistingUser(user_name), require_named: TagUser, UntagUser, ListUserTags;
    Role, by ExistingRole(role_name), require_named: TagRole, UntagRole, ListRoleTags;
    InstanceProfile, by ExistingInstanceProfile(instance_profile_name), require_named:
    TagInstanceProfile, UntagInstanceProfile, ListInstanceProfileTags;
    Policy, by ExistingPolicy(policy_arn), policy::require, checked by policy::check_own: TagPolicy, UntagPolicy, ListPolicyTags;
    OpenIDConnectProvider, by ExistingOpenIDConnectProvider(open_id_connect_provider_arn), open_id_provider::require:
    TagOpenIDConnectProvider, UntagOpenIDConnectProvider, ListOpenIDConnectProviderTags;
    SAMLProvider, by ExistingSamlProvider(saml_provider_arn), saml_provider::require:
    TagSAMLProvider, UntagSAMLProvider, ListSAMLProviderTags;
    ServerCertificate, by ExistingServerCertificate(server_certificate_name), require_named:
    TagServerCertificate, UntagServerCertificate, ListServerCertificateTags;
    VirtualMFADevice, by ExistingDevice(serial_number), mfa_device::require: TagMFADevice, UntagMFADevice, ListMFADeviceTags;
}
