//! Tags of log groups and destinations.

use super::{Destination, DestinationManager, Empty, LogGroup, LogGroupManager, errors, log_group};
use nephos_cloud::{
    Addressed, Handler, Scope, TagRules, TaggedEntry, TaggedKind, TaggedResources, Tagging, Tx,
};
use nephos_core::{
    Error, Map, Record, Request, Result, Tag, TagOperations, Text, WorkflowContext, operation, tags,
};

/// Rules for tags.
const TAG_RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
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

/// Adds tags to those of a resource; a tag with the same key is replaced.
pub(super) fn add_tags(before: Map<Text>, given: Map<Text>) -> Result<Map<Text>> {
    TAG_RULES.add(before, given).map_err(without_field)
}

/// Removes the field from TooManyTagsException: the service does not report it.
fn without_field(error: Error) -> Error {
    let is_too_many = error.code() == errors::TOO_MANY_TAGS.code;
    if is_too_many { errors::too_many_tags().with_hint(error.hint().unwrap_or_default()) } else { error }
}

impl TaggedKind for Destination {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        Self::require_tagged(cx, arn)
    }
}

impl TaggedKind for LogGroup {
    fn tagged_arn(&self, _scope: &Scope) -> Option<Text> {
        self.log_group_arn.clone()
    }

    /// Finds the log group with this ARN, with or without a trailing `:*`. Any other ARN is refused.
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        if !arn.starts_with("arn:") {
            return Ok(None);
        }
        let name = log_group::parse_identifier(cx.scope(), arn, "resourceArn")?;
        Self::require(cx, name, "resourceArn").map(Some)
    }
}

/// Tags of log groups and destinations, for tools that ask for all of them.
pub(super) const TAGGED: TaggedResources = TaggedResources {
    list: |cx| TAGGING.all(cx),
    add: |arn, tags| Ok(Request::new(TagResource::new(arn, tags.clone()))),
    remove: |arn, keys| Ok(Request::new(UntagResource::new(arn, keys.to_vec()))),
};

const TAGGING: Tagging = Tagging {
    rules: TAG_RULES,
    kinds: &[TaggedEntry::new::<Destination>(), TaggedEntry::new::<LogGroup>()],
    unknown: |arn| errors::not_a_taggable_arn().with_field("resourceArn").with_hint(arn),
    too_many: None,
};

/// Parameter that identifies a log group or destination by ARN.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct TaggedResource {
    /// ARN of the log group or destination.
    #[field(required, length(1..=1011))]
    resource_arn: Option<Text>,
}

/// Adds tags to a log group or destination; existing tags with the same keys are replaced.
#[operation(
    case = "camel", include(TaggedResource), effect = write, subject = "{resourceArn}"
)]
pub struct TagResource {
    /// Tags to add.
    #[field(length(1..))]
    pub tags: Map<Text>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        TAGGING.add(cx, &self.resource_arn, &self.tags).map_err(without_field)
    }
}

/// Removes tags from a log group or destination.
#[operation(
    case = "camel", include(TaggedResource), effect = write, subject = "{resourceArn}"
)]
pub struct UntagResource {
    /// Keys of the tags to remove.
    #[field(length(..=50), each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        TAGGING.remove(cx, &self.resource_arn, &self.tag_keys)
    }
}

/// Lists the tags of a log group or destination.
#[operation(
    case = "camel", include(TaggedResource), wraps(tags: Map<Text>), effect = read, subject = "{resourceArn}"
)]
pub struct ListTagsForResource {}

impl Handler for ListTagsForResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(TAGGING.list(cx, &self.resource_arn)?.into())
    }
}

/// Adds tags to a log group by its name; an older form of `TagResource`.
#[operation(
    of = LogGroup, case = "camel", needs(log_group_name),
    effect = write, subject = "log-group:{logGroupName}"
)]
pub struct TagLogGroup {
    /// Tags to add.
    #[field(length(1..))]
    pub tags: Map<Text>,
}

impl Handler for TagLogGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let arn = log_group::arn_of(cx.scope(), &self.log_group_name);
        TAGGING.add(cx, arn.as_str(), &self.tags).map_err(without_field)
    }
}

/// Removes tags from a log group by its name; an older form of `UntagResource`.
#[operation(
    of = LogGroup, case = "camel", needs(log_group_name),
    effect = write, subject = "log-group:{logGroupName}"
)]
pub struct UntagLogGroup {
    /// Keys of the tags to remove.
    #[field(length(1..), each(length(1..=128)))]
    pub tags: Vec<Text>,
}

impl Handler for UntagLogGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        TagRules { keys: "tags", ..TAG_RULES }.check_keys(&self.tags)?;
        TAGGING.remove(cx, log_group::arn_of(cx.scope(), &self.log_group_name).as_str(), &self.tags)
    }
}

/// Lists the tags of a log group by its name; an older form of `ListTagsForResource`.
#[operation(
    of = LogGroup, case = "camel", needs(log_group_name),
    wraps(tags: Map<Text>), effect = read, subject = "log-group:{logGroupName}"
)]
pub struct ListTagsLogGroup {}

impl Handler for ListTagsLogGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(tags::known(&LogGroup::require(cx, &self.log_group_name, "logGroupName")?).into())
    }
}

/// Removes the `:*` at the end of the ARN of a log group, which operations on tags do not accept.
fn without_wildcard(arn: &str) -> &str {
    arn.strip_suffix(":*").unwrap_or(arn)
}

/// Operations that change tags.
pub(super) struct TagCalls;

impl TagOperations for TagCalls {
    type Set = TagResource;
    type Remove = UntagResource;

    fn set(resource: Text, tags: Vec<Tag>) -> TagResource {
        TagResource::new(without_wildcard(&resource), tags::to_map(&tags))
    }

    fn remove(resource: Text, keys: Vec<Text>) -> UntagResource {
        UntagResource::new(without_wildcard(&resource), keys)
    }

    async fn list(context: &WorkflowContext, resource: &str) -> Result<Vec<Tag>> {
        let found = context.call(ListTagsForResource::new(without_wildcard(resource))).await?;
        Ok(found.tags.unwrap_or_default().into_iter().map(Tag::from).collect())
    }
}

nephos_core::tag_calls! {
    TagCalls by resource_arn;
    LogGroup by "Arn": LogGroupTag, LogGroupUntag, LogGroupListTags;
    Destination by "arn": DestinationTag, DestinationUntag, DestinationListTags;
}
