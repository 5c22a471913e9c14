//! Tags of managed policies.

use super::{
    GetPolicy, Policy, PolicyManager, SERVICE,
    paging::{PAGE_SIZE, Page},
    policy::{self, ExistingPolicy},
    tagging::{self, TagKeys, TagList, Tags},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Map, Result, Tag, Text, WorkflowContext, operation, tags};

/// Adds tags to a policy; a tag with the same key, ignoring case, is replaced.
#[operation(
    service = SERVICE, of = Policy, call = "tag", also(ExistingPolicy, TagList),
    effect = write, output = Empty, subject = "{PolicyArn}"
)]
pub struct TagPolicy {}

impl Handler for TagPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut policy = policy::require(cx, &self.policy_arn)?;
        policy.tags = tagging::add(policy.tags.as_deref(), &self.tags)?;
        cx.put(policy)?;
        Ok(Empty {})
    }
}

/// Removes tags from a policy.
#[operation(
    service = SERVICE, of = Policy, call = "untag", also(ExistingPolicy, TagKeys),
    effect = write, output = Empty, subject = "{PolicyArn}"
)]
pub struct UntagPolicy {}

impl Handler for UntagPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut policy = policy::require(cx, &self.policy_arn)?;
        policy.tags = tagging::remove(policy.tags.as_deref(), &self.tag_keys)?;
        cx.put(policy)?;
        Ok(Empty {})
    }
}

/// Lists the tags of a policy in order of their keys.
#[operation(
    service = SERVICE, of = Policy, call = "list_tags", instance, also(ExistingPolicy, Page),
    gives(tags: Vec<Tag>, marker), effect = read, output = Tags, subject = "{PolicyArn}"
)]
pub struct ListPolicyTags {}

impl Handler for ListPolicyTags {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Tags> {
        self.max_items.get_or_insert(PAGE_SIZE);
        let tags = policy::require(cx, &self.policy_arn)?.tags.unwrap_or_default();
        Ok(cx.page_items(&self, tags, |tag| tag.key().unwrap_or_default().into())?.into())
    }
}

async fn current(context: &WorkflowContext, arn: &str) -> Result<Map<Text>> {
    let found = context.call(GetPolicy::new(arn)).await?.policy;
    Ok(tags::to_map(&found.and_then(|policy| policy.tags).unwrap_or_default()))
}

nephos_core::tag_operations!(pub(super) PolicyTagging: Vec<Tag>, TagPolicy, UntagPolicy, current = current);
