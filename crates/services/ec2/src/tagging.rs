//! Tags of every part of the network, under the rules that all kinds share.

use super::{
    Empty, SERVICE, errors,
    filters::{self, Filter},
    instance::Instance,
    network::{self, Member},
    security_group::Definition,
    subnet::Subnet,
    vpc::Vpc,
};
use nephos_cloud::{Filterable, Handler, Tx};
use nephos_core::{
    Error, Map, Record, Result, Steps, TagChange, Text, operation,
    record::Fields,
    tags::{self, MOST},
};
use std::ops::ControlFlow;

/// How many tags a page has, unless the caller wants fewer.
const PAGE: usize = 1000;

/// A tag: a key and its value.
#[derive(Record)]
pub struct Tag {
    /// The key.
    #[field(wire = "key")]
    pub(super) key: Option<Text>,
    /// The value.
    #[field(wire = "value")]
    pub(super) value: Option<Text>,
}

impl<K: Into<Text>, V: Into<Text>> From<(K, V)> for Tag {
    fn from((key, value): (K, V)) -> Self {
        Self { key: Some(key.into()), value: Some(value.into()) }
    }
}

/// The tags of what a call creates.
#[derive(Record)]
pub struct TagSpecification {
    /// The type of the resource.
    #[field(wire = "resourceType")]
    resource_type: Option<Text>,
    /// The tags.
    #[field(wire = "Tag")]
    tags: Option<Vec<Tag>>,
}

impl TagSpecification {
    /// The tags of a model that is created, as the service takes them.
    pub(super) fn of<M: Member>(tags: &Option<Vec<Tag>>) -> Option<Vec<Self>> {
        let tags = tags.clone().filter(|tags| !tags.is_empty())?;
        Some(vec![Self { resource_type: Some(M::RESOURCE.into()), tags: Some(tags) }])
    }
}

/// The tags that a caller gives to what they create.
pub(super) fn specified<M: Member>(given: Option<&[TagSpecification]>) -> Result<Option<Vec<Tag>>> {
    let mut tags = Vec::new();
    for (n, specification) in given.unwrap_or_default().iter().enumerate() {
        let at = |error: Error| error.within(&format!("TagSpecifications[{n}]"));
        if specification.resource_type.as_deref() != Some(M::RESOURCE) {
            let why = format!("only {:?} can be tagged by this operation", M::RESOURCE);
            return Err(at(errors::INVALID.because(why).with_field("ResourceType")));
        }
        tags.extend(specification.tags.iter().flatten().cloned());
    }
    check(&tags).map_err(|error| error.within("TagSpecifications"))?;
    for tag in &mut tags {
        tag.value.get_or_insert_default();
    }
    Ok((!tags.is_empty()).then_some(tags))
}

/// Checks tags that a caller gives.
fn check(given: &[Tag]) -> Result<()> {
    let text = |text: &Option<Text>| text.clone().unwrap_or_default();
    let pairs: Vec<_> = given.iter().map(|tag| (text(&tag.key), text(&tag.value))).collect();
    check_number(&pairs)?;
    let checked = tags::check_pairs(pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())));
    checked.map_err(|error| error.within("Tags").with_code(&errors::INVALID))
}

fn check_number(tags: &[(Text, Text)]) -> Result<()> {
    match tags.iter().filter(|(key, value)| !tags::is_reserved(key, value)).count() {
        number if number > MOST => {
            let why = format!("a resource has at most {MOST} tags, not {number}");
            Err(errors::TOO_MANY_TAGS.because(why).with_field("Tags"))
        }
        _ => Ok(()),
    }
}

/// A change that was checked and is still to be made.
type Write = Box<dyn FnOnce(&mut Tx<'_>) -> Result<()>>;

/// Checks a change of the tags of the resource with that id.
fn prepare(cx: &Tx<'_>, id: &str, change: &dyn Fn(&mut Map<Text>)) -> Result<Option<Write>> {
    fn of<M: Member>(cx: &Tx<'_>, id: &str, change: &dyn Fn(&mut Map<Text>)) -> Result<Option<Write>> {
        let mut member = network::require::<M>(cx, id, "Resources")?;
        let tags = member.tags();
        let pair = |tag: &Tag| Some((tag.key.clone()?, tag.value.clone().unwrap_or_default()));
        let before: Map<Text> = tags.iter().flatten().filter_map(pair).collect();
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return Ok(None);
        }
        let after: Vec<_> = after.into_iter().collect();
        check_number(&after)?;
        *tags = (!after.is_empty()).then(|| after.into_iter().map(Tag::from).collect());
        Ok(Some(Box::new(move |cx| cx.put(member))))
    }
    match id.rsplit_once('-').map(|(word, _)| word) {
        Some(Vpc::WORD) => of::<Vpc>(cx, id, change),
        Some(Subnet::WORD) => of::<Subnet>(cx, id, change),
        Some(Definition::WORD) => of::<Definition>(cx, id, change),
        Some(Instance::WORD) => of::<Instance>(cx, id, change),
        _ => Err(errors::ID.because(format!("The ID '{id}' is not valid")).with_field("Resources")),
    }
}

/// Checks a change of the tags of every one of `resources`.
fn prepare_all(cx: &Tx<'_>, resources: &[Text], change: &dyn Fn(&mut Map<Text>)) -> Result<Vec<Write>> {
    if resources.is_empty() {
        return Err(errors::MISSING.because("names nothing").with_field("Resources"));
    }
    let prepared = resources.iter().map(|id| prepare(cx, id, change));
    prepared.filter_map(Result::transpose).collect()
}

/// Puts tags on resources, in place of tags with the same keys.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{Resources: vpc-=vpc/vpc-, subnet-=subnet/subnet-, sg-=security-group/sg-, i-=instance/i-}")]
pub struct CreateTags {
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
    /// The ids of the resources.
    #[field(wire = "ResourceId", length(..=1000))]
    pub resources: Vec<Text>,
    /// The tags.
    #[field(wire = "Tag")]
    pub tags: Vec<Tag>,
}

impl Handler for CreateTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        if self.tags.is_empty() {
            return Err(errors::MISSING.because("there are none").with_field("Tags"));
        }
        check(&self.tags)?;
        let writes = prepare_all(cx, &self.resources, &|tags| {
            let given = self
                .tags
                .iter()
                .filter_map(|tag| Some((tag.key.clone()?, tag.value.clone().unwrap_or_default())));
            tags.extend(given);
        })?;
        super::only_to_try(self.dry_run)?;
        writes.into_iter().try_for_each(|write| write(cx))?;
        Ok(Empty {})
    }
}

/// Takes tags off resources: all of them if none are named.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{Resources: vpc-=vpc/vpc-, subnet-=subnet/subnet-, sg-=security-group/sg-, i-=instance/i-}")]
pub struct DeleteTags {
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
    /// The ids of the resources.
    #[field(wire = "resourceId", length(..=1000))]
    pub resources: Vec<Text>,
    /// The tags: those with a value only where they have that value.
    #[field(wire = "tag")]
    pub tags: Option<Vec<Tag>>,
}

impl Handler for DeleteTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let named = self.tags.as_deref().filter(|tags| !tags.is_empty());
        for (n, tag) in named.into_iter().flatten().enumerate() {
            let why = match tag.key.as_deref() {
                None | Some("") => "a tag needs a key",
                Some(key) if tags::is_reserved(key, "") => "is a reserved tag, which cannot be removed",
                _ => continue,
            };
            return Err(errors::INVALID.because(why).with_field(format!("Tags[{n}].Key")));
        }
        let goes = |key: &str, value: &str| match named {
            None => !tags::is_reserved(key, value),
            Some(named) => named.iter().any(|tag| {
                tag.key.as_deref() == Some(key) && tag.value.as_deref().is_none_or(|wanted| wanted == value)
            }),
        };
        let writes = prepare_all(cx, &self.resources, &|tags| tags.retain(|key, value| !goes(key, value)))?;
        super::only_to_try(self.dry_run)?;
        writes.into_iter().try_for_each(|write| write(cx))?;
        Ok(Empty {})
    }
}

/// A tag, and what it is on.
#[derive(Record)]
pub struct TagDescription {
    /// The key.
    #[field(wire = "key")]
    key: Option<Text>,
    /// The id of the resource.
    #[field(wire = "resourceId")]
    resource_id: Option<Text>,
    /// The type of the resource.
    #[field(wire = "resourceType")]
    resource_type: Option<Text>,
    /// The value.
    #[field(wire = "value")]
    value: Option<Text>,
}

impl Filterable for TagDescription {
    const FILTERS: &'static [(&'static str, &'static str)] = &[
        ("key", "Key"),
        ("resource-id", "ResourceId"),
        ("resource-type", "ResourceType"),
        ("value", "Value"),
    ];
}

/// Describes the tags of all resources, in order of the resources' ids and the tags' keys.
#[operation(service = SERVICE, effect = read, output = TagDescriptions, subject = "*")]
pub struct DescribeTags {
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
    /// Only those that pass all of these.
    #[field(wire = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// How many at most.
    #[field(page_size, wire = "maxResults", range(5..=1000))]
    pub max_results: Option<i64>,
    /// Where the page before ended.
    #[field(page_token, wire = "nextToken")]
    pub next_token: Option<Text>,
}

/// A page of tags.
#[derive(Record)]
#[record(name = "DescribeTagsResult")]
pub struct TagDescriptions {
    /// Where this page ends.
    #[field(wire = "nextToken")]
    next_token: Option<Text>,
    /// The tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<TagDescription>>,
}

impl Handler for DescribeTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<TagDescriptions> {
        let filters = filters::RULES.read::<TagDescription>(self.filters.as_deref())?;
        let position = cx.page_position(&self, self.next_token.as_deref());
        let after = position.map_err(|error| error.with_field("NextToken"))?;
        super::only_to_try(self.dry_run)?;
        let mut all = Vec::new();
        collect::<Vpc>(cx, &mut all)?;
        collect::<Subnet>(cx, &mut all)?;
        collect::<Definition>(cx, &mut all)?;
        collect::<Instance>(cx, &mut all)?;
        // No id has a space, so that the order of places is that of ids, then keys.
        let place = |tag: &TagDescription| format!("{} {}", text(&tag.resource_id), text(&tag.key));
        all.sort_by_cached_key(place);
        let mut left =
            all.into_iter().filter(|tag| after.as_deref().is_none_or(|after| *place(tag) > *after));
        let size = self.max_results.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(PAGE);
        let mut wanted = left.by_ref().filter(|tag| filters.accept(tag));
        let found: Vec<_> = wanted.by_ref().take(size).collect();
        let more = wanted.next().is_some();
        let next = found.last().filter(|_| more).map(|last| cx.page_token(&self, &place(last)));
        Ok(TagDescriptions { next_token: next, tags: Some(found) })
    }
}

fn text(text: &Option<Text>) -> &str {
    text.as_deref().unwrap_or_default()
}

fn collect<M: Member>(cx: &Tx<'_>, all: &mut Vec<TagDescription>) -> Result<()> {
    network::each::<M>(cx, None, |mut member| {
        let id = Text::new(member.id());
        all.extend(member.tags().take().into_iter().flatten().map(|tag| TagDescription {
            key: tag.key,
            resource_id: Some(id.clone()),
            resource_type: Some(M::RESOURCE.into()),
            value: tag.value,
        }));
        Ok(ControlFlow::Continue(()))
    })
}

/// Makes the change that a caller made to the tags of `model`, which is `current` at the service.
pub(super) async fn retag(steps: &Steps, id: &str, current: &dyn Fields, model: &dyn Fields) -> Result<()> {
    let (put, removed) = TagChange::of(model).against(&tags::known(current));
    if !removed.is_empty() {
        let removed: Vec<_> = removed.into_iter().map(|key| Tag { key: Some(key), value: None }).collect();
        steps.call(DeleteTags::new(vec![Text::new(id)]).tags(removed)).await?;
    }
    if !put.is_empty() {
        let put: Vec<_> = put.into_iter().map(Tag::from).collect();
        steps.call(CreateTags::new(vec![Text::new(id)], put)).await?;
    }
    Ok(())
}

/// The operations of a kind's manager that are the same for each: getting one, and changing its tags.
macro_rules! calls {
    ($kind:ident, $id:ident, $name:literal, $found:path) => {
        /// The one with that id, if there is one.
        #[operation(kind = $kind, call = "get", effect = read, output = Option<$kind>)]
        pub struct Get {
            /// Its id.
            pub $id: Text,
        }

        impl Steppable for Get {
            async fn run(&self, steps: &Steps) -> Result<Option<$kind>> {
                match $found(steps, self.$id.clone()).await {
                    Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                    found => found.map(Some),
                }
            }
        }

        /// Changes the tags: those that differ from what the model was read with.
        #[operation(kind = $kind, call = "update", case = "snake", effect = write, output = $kind)]
        pub struct Update {
            /// The model.
            #[field(model)]
            pub model: $kind,
        }

        impl Steppable for Update {
            async fn run(&self, steps: &Steps) -> Result<$kind> {
                let id = network::given(self.model.$id.as_ref(), $name)?;
                self.model.check_changes()?;
                let current = $found(steps, id.clone()).await?;
                tagging::retag(steps, &id, &current, &self.model).await?;
                $found(steps, id).await
            }
        }
    };
}

pub(super) use calls;
