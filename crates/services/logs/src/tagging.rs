//! Tags of log groups and destinations.

use super::{
    Destination, DestinationManager, Empty, LogGroup, LogGroupManager, destination, errors, log_group,
};
use nephos_cloud::{
    Handler, TagRules, Tx,
    tags::{to_list, without},
};
use nephos_core::{Error, Map, Record, Result, Tag, TagOperations, Text, WorkflowContext, operation, tags};

/// Rules for tags.
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

/// Adds tags to those of a resource; a tag with the same key is replaced.
pub(super) fn add_tags(before: Map<Text>, given: Map<Text>) -> Result<Map<Text>> {
    TAG_RULES.add(before, given).map_err(without_field)
}

/// Removes the field from TooManyTagsException: the service does not report it.
fn without_field(error: Error) -> Error {
    let is_too_many = error.code() == errors::TOO_MANY_TAGS.code;
    if is_too_many { errors::too_many_tags().with_hint(error.hint().unwrap_or_default()) } else { error }
}

/// A resource with tags.
enum Tagged {
    LogGroup(LogGroup),
    Destination(Destination),
}

impl Tagged {
    /// Returns the resource with this ARN, or a not-found error.
    fn require(cx: &Tx<'_>, arn: &str) -> Result<Self> {
        if !arn.starts_with("arn:") {
            return Err(errors::not_a_taggable_arn().with_field("resourceArn").with_hint(arn));
        }
        if let Some((scope, name)) = destination::parse_arn(arn) {
            let found = if scope == *cx.scope() { destination::find(cx, name)? } else { None };
            return found
                .map(Self::Destination)
                .ok_or_else(|| errors::destination_not_found().with_hint(arn));
        }
        let name = log_group::parse_identifier(cx.scope(), arn, "resourceArn")?;
        log_group::require(cx, name).map(Self::LogGroup)
    }

    /// Returns the tags of the resource.
    fn tags(&self) -> Map<Text> {
        match self {
            Self::LogGroup(group) => tags::known(group),
            Self::Destination(destination) => tags::known(destination),
        }
    }

    /// Replaces the tags of the resource.
    fn put(self, cx: &mut Tx<'_>, tags: Map<Text>) -> Result<Empty> {
        match self {
            Self::LogGroup(mut group) => {
                group.tags = to_list(tags);
                cx.put(group)?;
            }
            Self::Destination(mut destination) => {
                destination.tags = to_list(tags);
                cx.put(destination)?;
            }
        }
        Ok(Empty {})
    }

    /// Adds tags to the resource.
    fn add(self, cx: &mut Tx<'_>, given: Map<Text>) -> Result<Empty> {
        let tags = add_tags(self.tags(), given)?;
        self.put(cx, tags)
    }

    /// Removes the tags with these keys from the resource.
    fn remove(self, cx: &mut Tx<'_>, keys: &[Text]) -> Result<Empty> {
        let tags = without(self.tags(), keys);
        self.put(cx, tags)
    }
}

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
    case = "camel", also(TaggedResource), effect = write, subject = "{resourceArn}"
)]
pub struct TagResource {
    /// Tags to add.
    #[field(length(1..))]
    pub tags: Map<Text>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check_tags(&self.tags)?;
        Tagged::require(cx, &self.resource_arn)?.add(cx, self.tags)
    }
}

/// Removes tags from a log group or destination.
#[operation(
    case = "camel", also(TaggedResource), effect = write, subject = "{resourceArn}"
)]
pub struct UntagResource {
    /// Keys of the tags to remove.
    #[field(length(..=50), each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        TAG_RULES.check_keys(&self.tag_keys)?;
        Tagged::require(cx, &self.resource_arn)?.remove(cx, &self.tag_keys)
    }
}

/// Lists the tags of a log group or destination.
#[operation(
    case = "camel", also(TaggedResource), wraps(tags: Map<Text>), effect = read, subject = "{resourceArn}"
)]
pub struct ListTagsForResource {}

impl Handler for ListTagsForResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(Tagged::require(cx, &self.resource_arn)?.tags().into())
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
        check_tags(&self.tags)?;
        Tagged::LogGroup(log_group::require(cx, &self.log_group_name)?).add(cx, self.tags)
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
        Tagged::LogGroup(log_group::require(cx, &self.log_group_name)?).remove(cx, &self.tags)
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
        Ok(tags::known(&log_group::require(cx, &self.log_group_name)?).into())
    }
}

/// Removes the `:*` at the end of the ARN of a log group, which operations on tags do not accept.
fn without_wildcard(arn: &str) -> &str {
    arn.strip_suffix(":*").unwrap_or(arn)
}

/// Operations that change tags.
pub(super) struct Tagging;

impl TagOperations for Tagging {
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
    Tagging by resource_arn;
    LogGroup by "Arn": LogGroupTag, LogGroupUntag, LogGroupListTags;
    Destination by "arn": DestinationTag, DestinationUntag, DestinationListTags;
}
