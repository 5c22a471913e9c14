//! Tags of users, roles, instance profiles, policies, identity providers, server
//! certificates and MFA devices. Keys ignore case, and keep the case that they were given in.

use crate::{
    InstanceProfile, InstanceProfileManager, OpenIDConnectProvider, OpenIDConnectProviderManager, Policy,
    PolicyManager, Role, RoleManager, SAMLProvider, SAMLProviderManager, ServerCertificate,
    ServerCertificateManager, User, UserManager, VirtualMFADevice, VirtualMFADeviceManager,
    certificate::server_certificate::ExistingServerCertificate,
    entity, errors,
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
use nephos_cloud::{Handler, TagMembers, TagRules, TaggedResources, Tx, tagged_rows, tags::to_list};
use nephos_core::{Arn, Empty, Map, Operation as _, Record, Result, Tag, Text, operation, tags};

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

/// Tags of all resources, for tools that ask for them.
pub(crate) const TAGGED: TaggedResources = TaggedResources {
    list: |cx| {
        let kinds = [
            tagged_rows::<User>,
            tagged_rows::<Role>,
            tagged_rows::<InstanceProfile>,
            tagged_rows::<Policy>,
            tagged_rows::<OpenIDConnectProvider>,
            tagged_rows::<SAMLProvider>,
            tagged_rows::<ServerCertificate>,
            tagged_rows::<VirtualMFADevice>,
        ];
        let lists = kinds.iter().map(|rows| rows(cx)).collect::<Result<Vec<_>>>()?;
        Ok(lists.concat())
    },
    add: |cx, arn, tags| {
        let (kind, name) = kind_and_name(arn);
        let tags: Vec<_> = tags.clone().into_iter().map(Tag::from).collect();
        let tagged = match kind {
            "user" => TagUser::new(name, tags).run(cx),
            "role" => TagRole::new(name, tags).run(cx),
            "instance-profile" => TagInstanceProfile::new(name, tags).run(cx),
            "policy" => TagPolicy::new(arn, tags).run(cx),
            "oidc-provider" => TagOpenIDConnectProvider::new(arn, tags).run(cx),
            "saml-provider" => TagSAMLProvider::new(arn, tags).run(cx),
            "server-certificate" => TagServerCertificate::new(name, tags).run(cx),
            "mfa" => TagMFADevice::new(arn, tags).run(cx),
            _ => Err(entity::arns::invalid_arn(arn)),
        };
        tagged.map(drop)
    },
    remove: |cx, arn, keys| {
        let (kind, name) = kind_and_name(arn);
        let keys = keys.to_vec();
        let untagged = match kind {
            "user" => UntagUser::new(name, keys).run(cx),
            "role" => UntagRole::new(name, keys).run(cx),
            "instance-profile" => UntagInstanceProfile::new(name, keys).run(cx),
            "policy" => UntagPolicy::new(arn, keys).run(cx),
            "oidc-provider" => UntagOpenIDConnectProvider::new(arn, keys).run(cx),
            "saml-provider" => UntagSAMLProvider::new(arn, keys).run(cx),
            "server-certificate" => UntagServerCertificate::new(name, keys).run(cx),
            "mfa" => UntagMFADevice::new(arn, keys).run(cx),
            _ => Err(entity::arns::invalid_arn(arn)),
        };
        untagged.map(drop)
    },
};

/// Returns the type and the name of the resource in an ARN.
fn kind_and_name(arn: &str) -> (&str, &str) {
    let resource = Arn::parts(arn).map_or("", |[.., resource]| resource);
    let kind = resource.split('/').next().unwrap_or_default();
    (kind, resource.rsplit('/').next().unwrap_or_default())
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

/// Allows changes of the tags of any resource of a kind.
fn any_tags<T>(_: &Tx<'_>, _: &T, _: &str) -> Result<()> {
    Ok(())
}

/// Declares the operations on the tags of a kind: its parameter, the function that finds the resource or refuses, and the
/// check of changes.
macro_rules! tags_of {
    (
        $kind:ident, $existing:ident, $key:ident, $require:path, $check:path;
        $(#[$of_tag:meta])+ $tag:ident;
        $(#[$of_untag:meta])+ $untag:ident;
        $(#[$of_list:meta])+ $list:ident;
    ) => {
        $(#[$of_tag])+
        #[operation(of = $kind, call = "tag", also($existing, TagList), effect = write)]
        pub struct $tag {}

        impl Handler for $tag {
            fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
                let mut resource: $kind = $require(cx, &self.$key)?;
                $check(cx, &resource, Self::OPERATION.name)?;
                resource.tags = add(resource.tags.as_deref(), &self.tags)?;
                cx.put(resource)?;
                Ok(Empty {})
            }
        }

        $(#[$of_untag])+
        #[operation(of = $kind, call = "untag", also($existing, TagKeys), effect = write)]
        pub struct $untag {}

        impl Handler for $untag {
            fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
                let mut resource: $kind = $require(cx, &self.$key)?;
                $check(cx, &resource, Self::OPERATION.name)?;
                resource.tags = remove(resource.tags.as_deref(), &self.tag_keys)?;
                cx.put(resource)?;
                Ok(Empty {})
            }
        }

        $(#[$of_list])+
        #[operation(
            of = $kind, call = "list_tags", instance, also($existing, Page),
            page(tags: Tag, marker, is_truncated), effect = read
        )]
        pub struct $list {}

        impl Handler for $list {
            fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
                let resource: $kind = $require(cx, &self.$key)?;
                let tags = resource.tags.unwrap_or_default();
                Ok(cx.page_items(&self, tags, |tag| tag.key().unwrap_or_default().into())?.into())
            }
        }
    };
}

tags_of! {
    User, ExistingUser, user_name, entity::require, any_tags;
    /// Adds tags to a user; a tag with the same key, ignoring case, is replaced.
    TagUser;
    /// Removes tags from a user.
    UntagUser;
    /// Lists the tags of a user in order of their keys.
    ListUserTags;
}

tags_of! {
    Role, ExistingRole, role_name, entity::require, any_tags;
    /// Adds tags to a role; a tag with the same key, ignoring case, is replaced.
    TagRole;
    /// Removes tags from a role.
    UntagRole;
    /// Lists the tags of a role in order of their keys.
    ListRoleTags;
}

tags_of! {
    InstanceProfile, ExistingInstanceProfile, instance_profile_name, entity::require, any_tags;
    /// Adds tags to an instance profile; a tag with the same key, ignoring case, is replaced.
    TagInstanceProfile;
    /// Removes tags from an instance profile.
    UntagInstanceProfile;
    /// Lists the tags of an instance profile in order of their keys.
    ListInstanceProfileTags;
}

tags_of! {
    Policy, ExistingPolicy, policy_arn, policy::require, policy::check_own;
    /// Adds tags to a policy; a tag with the same key, ignoring case, is replaced.
    TagPolicy;
    /// Removes tags from a policy.
    UntagPolicy;
    /// Lists the tags of a policy in order of their keys.
    ListPolicyTags;
}

tags_of! {
    OpenIDConnectProvider, ExistingOpenIDConnectProvider, open_id_connect_provider_arn, open_id_provider::require, any_tags;
    /// Adds tags to an OpenID Connect provider; a tag with the same key, ignoring case, is replaced.
    TagOpenIDConnectProvider;
    /// Removes tags from an OpenID Connect provider.
    UntagOpenIDConnectProvider;
    /// Lists the tags of an OpenID Connect provider in order of their keys.
    ListOpenIDConnectProviderTags;
}

tags_of! {
    SAMLProvider, ExistingSamlProvider, saml_provider_arn, saml_provider::require, any_tags;
    /// Adds tags to a SAML provider; a tag with the same key, ignoring case, is replaced.
    TagSAMLProvider;
    /// Removes tags from a SAML provider.
    UntagSAMLProvider;
    /// Lists the tags of a SAML provider in order of their keys.
    ListSAMLProviderTags;
}

tags_of! {
    VirtualMFADevice, ExistingDevice, serial_number, mfa_device::require, any_tags;
    /// Adds tags to a virtual MFA device; a tag with the same key, ignoring case, is replaced.
    TagMFADevice;
    /// Removes tags from a virtual MFA device.
    UntagMFADevice;
    /// Lists the tags of a virtual MFA device in order of their keys.
    ListMFADeviceTags;
}

tags_of! {
    ServerCertificate, ExistingServerCertificate, server_certificate_name, entity::require, any_tags;
    /// Adds tags to a server certificate; a tag with the same key, ignoring case, is replaced.
    TagServerCertificate;
    /// Removes tags from a server certificate.
    UntagServerCertificate;
    /// Lists the tags of a server certificate in order of their keys.
    ListServerCertificateTags;
}
