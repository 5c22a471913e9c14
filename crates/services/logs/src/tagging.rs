//! Tags of log groups.

use super::{Empty, LogGroup, SERVICE, errors, log_group};
use nephos_cloud::{
    Handler, Scope, TagRules, Tx,
    tags::{to_list, without},
};
use nephos_core::{Error, Map, Record, Result, Text, operation, tags};

/// The rules for tags.
const RULES: TagRules =
    TagRules { too_many: &errors::TOO_MANY_TAGS, ..TagRules::new(&errors::INVALID, "tags", "tagKeys") };

/// Checks tags that a caller gives.
pub(super) fn check(tags: &Map<Text>) -> Result<()> {
    RULES.check(tags).map_err(without_field)
}

/// The service does not say in which parameter there are too many tags.
fn without_field(error: Error) -> Error {
    let is_too_many = error.code() == errors::TOO_MANY_TAGS.code;
    if is_too_many { errors::TOO_MANY_TAGS.with_message(error.message()) } else { error }
}

/// The name of the group in an ARN without `:*`.
fn named<'a>(scope: &Scope, arn: &'a str) -> Result<&'a str> {
    let wrong = |why: &str| errors::invalid("resourceArn", why);
    if !arn.starts_with("arn:") {
        return Err(wrong("is not a resource name"));
    }
    if arn.ends_with(":*") {
        return Err(wrong("must not end with :*"));
    }
    log_group::name_in(scope, arn, "resourceArn")
}

/// A log group by its ARN.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct Tagged {
    /// ARN of the log group, without a trailing `:*`.
    #[field(required, length(1..=1011))]
    resource_arn: Option<Text>,
}

/// Sets tags of a log group, in place of those with the same keys.
#[operation(
    service = SERVICE, case = "camel", also(Tagged), effect = write, output = Empty, subject = "{resourceArn}"
)]
pub struct TagResource {
    /// The tags.
    #[field(length(1..))]
    pub tags: Map<Text>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check(&self.tags)?;
        let mut group = log_group::require(cx, named(cx.scope(), &self.resource_arn)?)?;
        group.tags = to_list(RULES.add(tags::known(&group), self.tags).map_err(without_field)?);
        cx.put(group)?;
        Ok(Empty {})
    }
}

/// Removes tags of a log group.
#[operation(
    service = SERVICE, case = "camel", also(Tagged), effect = write, output = Empty, subject = "{resourceArn}"
)]
pub struct UntagResource {
    /// Keys of the tags.
    #[field(length(..=50), each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        RULES.check_keys(&self.tag_keys)?;
        let name = named(cx.scope(), &self.resource_arn)?;
        log_group::change(cx, name, |group| group.tags = to_list(without(tags::known(group), &self.tag_keys)))
    }
}

/// The tags of a log group.
#[operation(
    service = SERVICE, case = "camel", also(Tagged), effect = read, output = TagsOfResource, subject = "{resourceArn}"
)]
pub struct ListTagsForResource {}

/// The tags of a log group.
#[derive(Record)]
#[record(answer, case = "camel", name = "ListTagsForResourceResponse")]
pub struct TagsOfResource {
    /// The tags.
    pub(super) tags: Option<Map<Text>>,
}

impl Handler for ListTagsForResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<TagsOfResource> {
        let name = named(cx.scope(), &self.resource_arn)?;
        let group = cx.get_stripped::<LogGroup>(&log_group::key_of(cx.scope(), name))?;
        let group = group.ok_or_else(|| log_group::not_found(name))?;
        Ok(TagsOfResource { tags: Some(tags::known(&group)) })
    }
}
