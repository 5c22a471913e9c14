//! Tags of instance profiles.

use super::{
    GetInstanceProfile, InstanceProfile, InstanceProfileManager, SERVICE, entity,
    instance_profile::ExistingInstanceProfile,
    paging::{PAGE_SIZE, Page},
    tagging::{self, TagKeys, TagList, Tags},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Map, Result, Tag, Text, WorkflowContext, operation, tags};

/// Adds tags to an instance profile; a tag with the same key, ignoring case, is replaced.
#[operation(
    service = SERVICE, of = InstanceProfile, call = "tag", also(ExistingInstanceProfile, TagList),
    effect = write, output = Empty, subject = "instance-profile/{InstanceProfileName}"
)]
pub struct TagInstanceProfile {}

impl Handler for TagInstanceProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut profile: InstanceProfile = entity::require(cx, &self.instance_profile_name)?;
        profile.tags = tagging::add(profile.tags.as_deref(), &self.tags)?;
        cx.put(profile)?;
        Ok(Empty {})
    }
}

/// Removes tags from an instance profile.
#[operation(
    service = SERVICE, of = InstanceProfile, call = "untag", also(ExistingInstanceProfile, TagKeys),
    effect = write, output = Empty, subject = "instance-profile/{InstanceProfileName}"
)]
pub struct UntagInstanceProfile {}

impl Handler for UntagInstanceProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut profile: InstanceProfile = entity::require(cx, &self.instance_profile_name)?;
        profile.tags = tagging::remove(profile.tags.as_deref(), &self.tag_keys)?;
        cx.put(profile)?;
        Ok(Empty {})
    }
}

/// Lists the tags of an instance profile in order of their keys.
#[operation(
    service = SERVICE, of = InstanceProfile, call = "list_tags", instance, also(ExistingInstanceProfile, Page),
    gives(tags: Vec<Tag>, marker), effect = read, output = Tags, subject = "instance-profile/{InstanceProfileName}"
)]
pub struct ListInstanceProfileTags {}

impl Handler for ListInstanceProfileTags {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Tags> {
        self.max_items.get_or_insert(PAGE_SIZE);
        let tags =
            entity::require::<InstanceProfile>(cx, &self.instance_profile_name)?.tags.unwrap_or_default();
        Ok(cx.page_items(&self, tags, |tag| tag.key().unwrap_or_default().into())?.into())
    }
}

async fn current(context: &WorkflowContext, instance_profile_name: &str) -> Result<Map<Text>> {
    let found = context.call(GetInstanceProfile::new(instance_profile_name)).await?.instance_profile;
    Ok(tags::to_map(&found.and_then(|profile| profile.tags).unwrap_or_default()))
}

nephos_core::tag_operations!(pub(super) InstanceProfileTagging: Vec<Tag>, TagInstanceProfile, UntagInstanceProfile, current = current);
