//! Tags of the resources of the service.

use crate::{
    CacheCluster, CacheClusterManager, CacheParameterGroup, CacheParameterGroupManager, CacheSnapshot,
    CacheSnapshotManager, CacheSubnetGroup, CacheSubnetGroupManager, CacheUser, CacheUserGroup,
    CacheUserGroupManager, CacheUserManager, ReplicationGroup, ReplicationGroupManager, ServerlessCache,
    ServerlessCacheManager, ServerlessCacheSnapshot, ServerlessCacheSnapshotManager, errors, parameter_group,
    replication_group, serverless_cache, snapshot, subnet_group, user, user_group,
};
use nephos_cloud::{Addressed, TagRules, TaggedKind, Tx};
use nephos_core::{Arn, Error, Result, Tag, Text, operation};

/// Rules for tags.
pub(crate) const RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
    invalid: |key| errors::invalid_tag(key),
    reserved: |key| errors::reserved_tag(key),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "Tags",
    keys: "TagKeys",
};

/// Error for an ARN of no resource of the service in this account and Region.
fn unknown_arn(arn: &str) -> Error {
    let error = match arn.split(':').collect::<Vec<_>>().as_slice() {
        ["arn", "aws", "elasticache", _, _, _, _] => errors::arn_unknown(arn),
        ["arn", "aws", _, _, _, _, _] => errors::arn_service(),
        [_, _, _, _, _, _, _] => errors::arn_partition(),
        _ => errors::arn_components(),
    };
    error.with_field("ResourceName")
}

/// Finds the resource of a kind with this ARN by its name, with `find`; none if it is an ARN of another kind. One of another
/// account or Region is refused, and one that does not exist, with the error that `missing` makes of its name.
pub(crate) fn find_by_arn<K: Addressed>(
    cx: &Tx<'_>,
    arn: &str,
    find: impl FnOnce(&Tx<'_>, &str) -> Result<Option<K>>,
    missing: impl FnOnce(&str) -> Error,
) -> Result<Option<K>> {
    let Some(name) = K::read_arn(arn).map(|names| names.concat()) else { return Ok(None) };
    let Some(["aws", _, region, account, _]) = Arn::parts(arn) else { return Ok(None) };
    let refuse = |error: Error| Err(error.with_field("ResourceName"));
    if region != cx.scope().region() {
        return refuse(errors::arn_region());
    }
    if account != cx.scope().account() {
        return refuse(errors::arn_account());
    }
    match find(cx, &name)? {
        Some(found) => Ok(Some(found)),
        None => refuse(missing(&name)),
    }
}

impl TaggedKind for CacheCluster {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let find = |cx: &Tx<'_>, id: &str| Self::find_by(cx, &[id]);
        find_by_arn(cx, arn, find, |id| errors::cluster_not_present(id))
    }
}

impl TaggedKind for CacheSnapshot {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, snapshot::find, |name| errors::snapshot_not_present(name))
    }
}

impl TaggedKind for CacheSubnetGroup {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, subnet_group::find, |name| errors::subnet_group_not_present(name))
    }
}

impl TaggedKind for CacheParameterGroup {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, parameter_group::find, |name| errors::parameter_group_not_present(name))
    }
}

impl TaggedKind for CacheUser {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, user::find, |id| errors::user_not_present(id))
    }
}

impl TaggedKind for CacheUserGroup {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, user_group::find, |id| errors::user_group_not_present(id))
    }
}

impl TaggedKind for ServerlessCache {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, serverless_cache::find, |name| errors::serverless_cache_not_present(name))
    }
}

impl TaggedKind for ServerlessCacheSnapshot {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let missing = |name: &str| errors::serverless_snapshot_not_present(name);
        find_by_arn(cx, arn, serverless_cache::find_snapshot, missing)
    }
}

impl TaggedKind for ReplicationGroup {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, replication_group::find, |id| errors::replication_group_not_present(id))
    }
}

/// Adds tags to a resource; tags with the same keys are replaced.
#[operation(
    effect = write, wraps(tag_list(item = "Tag"): Vec<Tag>), subject = "{ResourceName}", access = tagging
)]
pub struct AddTagsToResource {
    /// ARN of the resource.
    pub resource_name: Text,
    /// Tags to add.
    #[field(item = "Tag")]
    pub tags: Vec<Tag>,
}

/// Removes tags from a resource.
#[operation(
    effect = write, wraps(tag_list(item = "Tag"): Vec<Tag>), subject = "{ResourceName}", access = tagging
)]
pub struct RemoveTagsFromResource {
    /// ARN of the resource.
    pub resource_name: Text,
    /// Keys of the tags to remove.
    pub tag_keys: Vec<Text>,
}

/// Lists the tags of a resource.
#[operation(effect = read, wraps(tag_list(item = "Tag"): Vec<Tag>), subject = "{ResourceName}", access = read)]
pub struct ListTagsForResource {
    /// ARN of the resource.
    pub resource_name: Text,
}

nephos_cloud::tagging! {
    rules: RULES, unknown: unknown_arn;
    AddTagsToResource(resource_name, tags: Vec<Tag>) -> Vec<Tag>;
    RemoveTagsFromResource(resource_name, tag_keys) -> Vec<Tag>;
    ListTagsForResource(resource_name) -> tag_list: Vec<Tag>;
    CacheCluster, by "ARN": CacheClusterTag, CacheClusterUntag, CacheClusterListTags;
    CacheSnapshot, by "ARN": CacheSnapshotTag, CacheSnapshotUntag, CacheSnapshotListTags;
    CacheSubnetGroup, by "ARN": CacheSubnetGroupTag, CacheSubnetGroupUntag, CacheSubnetGroupListTags;
    CacheParameterGroup, by "ARN": CacheParameterGroupTag, CacheParameterGroupUntag, CacheParameterGroupListTags;
    CacheUser, by "ARN": CacheUserTag, CacheUserUntag, CacheUserListTags;
    CacheUserGroup, by "ARN": CacheUserGroupTag, CacheUserGroupUntag, CacheUserGroupListTags;
    ServerlessCache, by "ARN": ServerlessCacheTag, ServerlessCacheUntag, ServerlessCacheListTags;
    ServerlessCacheSnapshot, by "ARN":
        ServerlessCacheSnapshotTag, ServerlessCacheSnapshotUntag, ServerlessCacheSnapshotListTags;
    ReplicationGroup, by "ARN": ReplicationGroupTag, ReplicationGroupUntag, ReplicationGroupListTags;
}
