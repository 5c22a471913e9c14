//! Tags of log groups.

use super::{Empty, LogGroup, SERVICE, errors, log_group};
use nephos_cloud::{
    Handler, Scope, TagRules, Tx,
    tags::{to_list, without},
};
use nephos_core::{Error, Map, Record, Result, Text, operation, tags};

/// Rules for the tags of log groups.
const TAG_RULES: TagRules = TagRules {
    invalid: |key| errors::invalid_tag(key),
    reserved: |_| errors::reserved_tag(),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "tags",
    keys: "tagKeys",
};

/// Checks the tags of a request.
pub(super) fn check_tags(tags: &Map<Text>) -> Result<()> {
    TAG_RULES.check(tags).map_err(without_field)
}

/// Removes the field from TooManyTagsException: the service does not report it.
fn without_field(error: Error) -> Error {
    let is_too_many = error.code() == errors::TOO_MANY_TAGS.code;
    if is_too_many { errors::too_many_tags().with_hint(error.hint().unwrap_or_default()) } else { error }
}

/// Returns the name of the group in an ARN, which must not end with `:*`.
fn name_from_arn<'a>(scope: &Scope, arn: &'a str) -> Result<&'a str> {
    if !arn.starts_with("arn:") {
        return Err(errors::invalid("resourceArn", format!("{arn:?} is not an ARN")));
    }
    if arn.ends_with(":*") {
        return Err(errors::invalid("resourceArn", "must not end with :*"));
    }
    log_group::parse_identifier(scope, arn, "resourceArn")
}

/// Parameter that identifies a log group by ARN.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct TaggedLogGroup {
    /// ARN of the log group, without a trailing `:*`.
    #[field(required, length(1..=1011))]
    resource_arn: Option<Text>,
}

/// Adds tags to a log group; existing tags with the same keys are replaced.
#[operation(
    service = SERVICE, case = "camel", also(TaggedLogGroup), effect = write, output = Empty, subject = "{resourceArn}"
)]
pub struct TagResource {
    /// Tags to add.
    #[field(length(1..))]
    pub tags: Map<Text>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check_tags(&self.tags)?;
        let mut group = log_group::require(cx, name_from_arn(cx.scope(), &self.resource_arn)?)?;
        group.tags = to_list(TAG_RULES.add(tags::known(&group), self.tags).map_err(without_field)?);
        cx.put(group)?;
        Ok(Empty {})
    }
}

/// Removes tags from a log group.
#[operation(
    service = SERVICE, case = "camel", also(TaggedLogGroup), effect = write, output = Empty, subject = "{resourceArn}"
)]
pub struct UntagResource {
    /// Keys of the tags to remove.
    #[field(length(..=50), each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        TAG_RULES.check_keys(&self.tag_keys)?;
        let name = name_from_arn(cx.scope(), &self.resource_arn)?;
        log_group::change(cx, name, |group| group.tags = to_list(without(tags::known(group), &self.tag_keys)))
    }
}

/// Lists the tags of a log group.
#[operation(
    service = SERVICE, case = "camel", also(TaggedLogGroup), effect = read, output = TagsOfResource,
    subject = "{resourceArn}"
)]
pub struct ListTagsForResource {}

/// Tags of a log group.
#[derive(Record)]
#[record(answer, case = "camel", name = "ListTagsForResourceResponse")]
pub struct TagsOfResource {
    /// Tags of the log group.
    pub(super) tags: Option<Map<Text>>,
}

impl Handler for ListTagsForResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<TagsOfResource> {
        let name = name_from_arn(cx.scope(), &self.resource_arn)?;
        let group = cx.get_stripped::<LogGroup>(&log_group::key_of(cx.scope(), name))?;
        let group = group.ok_or_else(log_group::not_found)?;
        Ok(TagsOfResource { tags: Some(tags::known(&group)) })
    }
}
