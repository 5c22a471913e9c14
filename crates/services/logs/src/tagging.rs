//! Tags of log groups.

use super::{Empty, LogGroup, SERVICE, errors, log_group};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{Map, Record, Result, Tag, Text, operation, tags};

/// The most tags that a log group can have.
const MOST: usize = 50;

/// Checks tags that a caller hands in.
pub(super) fn check(given: &Map<Text>) -> Result<()> {
    let counted = given.iter().filter(|(key, value)| !tags::is_reserved(key, value)).count();
    if counted > MOST {
        return Err(
            errors::TOO_MANY_TAGS.because(format!("a log group has at most {MOST} tags, not {counted}"))
        );
    }
    tags::check_pairs(given.iter().map(|(key, value)| (key.as_str(), value.as_str())))
        .map_err(|error| error.within("tags").with_code(&errors::INVALID))
}

/// The name of the group that a resource name without `:*` names.
fn named<'a>(scope: &Scope, arn: &'a str) -> Result<&'a str> {
    let wrong = |why: &str| errors::INVALID.because(why).with_field("resourceArn");
    if !arn.starts_with("arn:") {
        return Err(wrong("is not a resource name"));
    }
    if arn.ends_with(":*") {
        return Err(wrong("must not end with :*"));
    }
    log_group::name_in(scope, arn, "resourceArn")
}

/// Puts tags on a log group, in place of tags with the same keys.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "{resourceArn}")]
pub struct TagResource {
    /// The log group's resource name, without a trailing `:*`.
    #[field(length(1..=1011))]
    pub resource_arn: Text,
    /// The tags.
    #[field(length(1..))]
    pub tags: Map<Text>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check(&self.tags)?;
        let mut group = log_group::require(cx, named(cx.scope(), &self.resource_arn)?)?;
        let mut tags = tags::known(&group);
        tags.extend(self.tags);
        if tags.iter().filter(|(key, value)| !tags::is_reserved(key, value)).count() > MOST {
            return Err(errors::TOO_MANY_TAGS.because(format!("a log group has at most {MOST} tags")));
        }
        group.tags = Some(tags.into_iter().map(Tag::from).collect());
        cx.put(group)?;
        Ok(Empty {})
    }
}

/// Takes tags off a log group.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "{resourceArn}")]
pub struct UntagResource {
    /// The log group's resource name, without a trailing `:*`.
    #[field(length(1..=1011))]
    pub resource_arn: Text,
    /// The keys of the tags.
    #[field(length(..=50), each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        if let Some(key) = self.tag_keys.iter().find(|key| tags::is_reserved(key, "")) {
            let why = format!("the tag {key} is reserved and cannot be removed");
            return Err(errors::INVALID.because(why).with_field("tagKeys"));
        }
        let mut group = log_group::require(cx, named(cx.scope(), &self.resource_arn)?)?;
        let mut tags = tags::known(&group);
        self.tag_keys.iter().for_each(|key| drop(tags.shift_remove(key)));
        group.tags = (!tags.is_empty()).then(|| tags.into_iter().map(Tag::from).collect());
        cx.put(group)?;
        Ok(Empty {})
    }
}

/// The tags of a log group.
#[operation(service = SERVICE, case = "camel", effect = read, output = TagsOfResource, subject = "{resourceArn}")]
pub struct ListTagsForResource {
    /// The log group's resource name, without a trailing `:*`.
    #[field(length(1..=1011))]
    pub resource_arn: Text,
}

/// The tags of a log group.
#[derive(Record)]
#[record(case = "camel", name = "ListTagsForResourceResponse")]
pub struct TagsOfResource {
    /// The tags.
    pub(super) tags: Option<Map<Text>>,
}

impl Handler for ListTagsForResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<TagsOfResource> {
        let name = named(cx.scope(), &self.resource_arn)?;
        let group = cx.get_shed::<LogGroup>(&log_group::key_of(cx.scope(), name))?;
        let group = group.ok_or_else(|| log_group::not_found(name))?;
        Ok(TagsOfResource { tags: Some(tags::known(&group)) })
    }
}
