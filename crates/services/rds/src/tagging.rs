//! Tags of the resources of the service.

use crate::{
    DBCluster, DBClusterManager, DBClusterParameterGroup, DBClusterParameterGroupManager, DBClusterSnapshot,
    DBClusterSnapshotManager, DBInstance, DBInstanceManager, DBParameterGroup, DBParameterGroupManager,
    DBSnapshot, DBSnapshotManager, DBSubnetGroup, DBSubnetGroupManager, EventSubscription,
    EventSubscriptionManager, OptionGroup, OptionGroupManager, errors, event_subscription, option_group,
    parameter_group, subnet_group,
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
    errors::resource_name_invalid(arn).with_field("ResourceName")
}

/// Finds the resource of a kind with this ARN by its name, with `find`; none if it is an ARN of another kind, account or Region.
/// One that does not exist is refused.
fn find_by_arn<K: Addressed>(
    cx: &Tx<'_>,
    arn: &str,
    find: impl FnOnce(&Tx<'_>, &str) -> Result<Option<K>>,
) -> Result<Option<K>> {
    let Some(name) = K::read_arn(arn).map(|names| names.concat()) else { return Ok(None) };
    match Arn::parts(arn) {
        Some(["aws", _, region, account, _])
            if region == cx.scope().region() && account == cx.scope().account() => {}
        _ => return Ok(None),
    }
    match find(cx, &name)? {
        Some(found) => Ok(Some(found)),
        None => Err(K::not_found(&name).with_field("ResourceName")),
    }
}

impl TaggedKind for DBSubnetGroup {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, subnet_group::find)
    }
}

impl TaggedKind for DBParameterGroup {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, parameter_group::find)
    }
}

impl TaggedKind for DBClusterParameterGroup {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, parameter_group::cluster::find)
    }
}

impl TaggedKind for OptionGroup {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, option_group::find)
    }
}

impl TaggedKind for DBInstance {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, |cx, id| Self::find_by(cx, &[id]))
    }
}

impl TaggedKind for DBCluster {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, |cx, id| Self::find_by(cx, &[id]))
    }
}

impl TaggedKind for EventSubscription {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, event_subscription::find)
    }
}

impl TaggedKind for DBSnapshot {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, |cx, id| Self::find_by(cx, &[id]))
    }
}

impl TaggedKind for DBClusterSnapshot {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        find_by_arn(cx, arn, |cx, id| Self::find_by(cx, &[id]))
    }
}

/// Adds tags to a resource; tags with the same keys are replaced.
#[operation(effect = write, subject = "{ResourceName}", access = tagging)]
pub struct AddTagsToResource {
    /// ARN of the resource.
    pub resource_name: Text,
    /// Tags to add.
    #[field(item = "Tag")]
    pub tags: Vec<Tag>,
}

/// Removes tags from a resource.
#[operation(effect = write, subject = "{ResourceName}", access = tagging)]
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
    /// Filters. The provider has none.
    #[field(item = "Filter", length(..=0))]
    pub filters: Option<Vec<crate::Filter>>,
}

nephos_cloud::tagging! {
    rules: RULES, unknown: unknown_arn;
    AddTagsToResource(resource_name, tags: Vec<Tag>);
    RemoveTagsFromResource(resource_name, tag_keys);
    ListTagsForResource(resource_name) -> tag_list: Vec<Tag>;
    DBSubnetGroup, by "DBSubnetGroupArn": DBSubnetGroupTag, DBSubnetGroupUntag, DBSubnetGroupListTags;
    DBParameterGroup, by "DBParameterGroupArn": DBParameterGroupTag, DBParameterGroupUntag, DBParameterGroupListTags;
    DBClusterParameterGroup, by "DBClusterParameterGroupArn": DBClusterParameterGroupTag, DBClusterParameterGroupUntag,
        DBClusterParameterGroupListTags;
    OptionGroup, by "OptionGroupArn": OptionGroupTag, OptionGroupUntag, OptionGroupListTags;
    DBInstance, by "DBInstanceArn": DBInstanceTag, DBInstanceUntag, DBInstanceListTags;
    DBClusterSnapshot, by "DBClusterSnapshotArn": DBClusterSnapshotTag, DBClusterSnapshotUntag, DBClusterSnapshotListTags;
    DBSnapshot, by "DBSnapshotArn": DBSnapshotTag, DBSnapshotUntag, DBSnapshotListTags;
    DBCluster, by "DBClusterArn": DBClusterTag, DBClusterUntag, DBClusterListTags;
    EventSubscription, by "EventSubscriptionArn": EventSubscriptionTag, EventSubscriptionUntag, EventSubscriptionListTags;
}
