//! Tags of models and services: the view of a model's tags, and the calls that change them.

use crate::{
    Error, ErrorKind, Map, Operation, QueryFuture, Record, Resource, Result, Tag, TagChange, TagsMut, Text,
    WorkflowContext,
    record::Fields,
    save,
    shape::{RecordShape, Type},
    tags::{is_known, known, tags_of},
};

/// Operations by which a service changes the tags of its resources.
pub trait TagOperations {
    /// Type of the parameter that takes tags.
    type Tags: FromTags;
    /// Operation that sets tags.
    type Set: Operation<Output: Record>;
    /// Operation that removes tags.
    type Remove: Operation<Output: Record>;

    /// Makes the operation that sets tags of a resource; tags with the same keys are replaced.
    fn set(resource: Text, tags: Self::Tags) -> Self::Set;

    /// Makes the operation that removes the tags with these keys.
    fn remove(resource: Text, keys: Vec<Text>) -> Self::Remove;

    /// Fetches the tags that the resource has at the service.
    fn current(context: &WorkflowContext, resource: &str) -> impl Future<Output = Result<Map<Text>>> + Send;
}

/// Sends the caller's changes of the tags of `model`.
pub async fn retag<O: TagOperations>(
    context: &WorkflowContext,
    resource: &str,
    model: &dyn Fields,
) -> Result<()> {
    let change = TagChange::from_model(model);
    let current = match change {
        TagChange::All(_) => O::current(context, resource).await?,
        TagChange::Touched { .. } => Map::default(),
    };
    let (set, removed) = change.against(&current);
    if !removed.is_empty() {
        context.call(O::remove(resource.into(), removed)).await?;
    }
    if !set.is_empty() {
        context.call(O::set(resource.into(), O::Tags::from_tags(set))).await?;
    }
    Ok(())
}

/// Declares the [`TagOperations`] of a service that has one operation to set tags and one to remove them, each of
/// one resource; `current` is an async function that fetches them.
#[macro_export]
macro_rules! tag_operations {
    ($vis:vis $name:ident: $tags:ty, $set:ident, $remove:ident, current = $current:path) => {
        /// Operations that change tags.
        $vis struct $name;

        impl $crate::TagOperations for $name {
            type Tags = $tags;
            type Set = $set;
            type Remove = $remove;

            fn set(resource: $crate::Text, tags: $tags) -> $set {
                $set::new(resource, tags)
            }

            fn remove(resource: $crate::Text, keys: Vec<$crate::Text>) -> $remove {
                $remove::new(resource, keys)
            }

            async fn current(
                context: &$crate::WorkflowContext,
                resource: &str,
            ) -> $crate::Result<$crate::Map<$crate::Text>> {
                $current(context, resource).await
            }
        }
    };
}

/// A type of parameter that takes tags: a mapping, or a list.
pub trait FromTags {
    /// Converts tags into this form.
    fn from_tags(tags: Map<Text>) -> Self;
}

impl FromTags for Map<Text> {
    fn from_tags(tags: Map<Text>) -> Self {
        tags
    }
}

impl<T: From<(Text, Text)>> FromTags for Vec<T> {
    fn from_tags(tags: Map<Text>) -> Self {
        tags.into_iter().map(T::from).collect()
    }
}

/// Declares the calls `tag`, `untag` and `list_tags` of the managers of several kinds, with the names of
/// their parameter records. The kinds and their managers must be in scope.
#[macro_export]
macro_rules! tag_calls {
    (
        $operations:ident, tags: $tags:ty, list: $list:path => $listed:ty;
        $($kind:ident by $arn:literal: $tag:ident, $untag:ident, $list_tags:ident;)*
    ) => {
        $(
            /// Sets tags; tags with the same keys are replaced.
            #[$crate::operation(kind = $kind, call = "tag", effect = write, output = ())]
            pub struct $tag {
                /// ARN of the resource.
                pub resource_arn: $crate::Text,
                /// Tags to set.
                pub tags: $tags,
            }

            impl $crate::ManagerOperation for $tag {
                async fn run(&self, context: &$crate::WorkflowContext) -> $crate::Result<()> {
                    let operation = <$operations as $crate::TagOperations>::set;
                    context.call(operation(self.resource_arn.clone(), self.tags.clone())).await?;
                    Ok(())
                }
            }

            /// Removes tags.
            #[$crate::operation(kind = $kind, call = "untag", effect = write, output = ())]
            pub struct $untag {
                /// ARN of the resource.
                pub resource_arn: $crate::Text,
                /// Keys of the tags to remove.
                pub tag_keys: Vec<$crate::Text>,
            }

            impl $crate::ManagerOperation for $untag {
                async fn run(&self, context: &$crate::WorkflowContext) -> $crate::Result<()> {
                    let operation = <$operations as $crate::TagOperations>::remove;
                    context.call(operation(self.resource_arn.clone(), self.tag_keys.clone())).await?;
                    Ok(())
                }
            }

            /// Lists the tags.
            #[$crate::operation(kind = $kind, call = "list_tags", effect = read, output = $listed, instance)]
            pub struct $list_tags {
                /// ARN of the resource.
                #[field(from = $arn)]
                pub resource_arn: $crate::Text,
            }

            impl $crate::ManagerOperation for $list_tags {
                async fn run(&self, context: &$crate::WorkflowContext) -> $crate::Result<$listed> {
                    $list(context, &self.resource_arn).await
                }
            }
        )*
    };
}

/// A model with tags, viewed as a mapping.
///
/// A listing may leave `Tags` null, which means that they are not known. Both views fetch them then, so that they
/// are complete, and saving sends only the keys that were touched.
pub trait Tagged: Resource {
    /// Shape of a tag: the specification's `tag_class`. A kind without tags is a value error.
    fn tag_class() -> Result<&'static RecordShape> {
        let index = tags_of(Self::KIND)?;
        Ok(match Self::SHAPE.fields[index].ty {
            Type::List(Type::Record(tag)) => tag,
            _ => Tag::SHAPE,
        })
    }

    /// Returns the tags; fetches them if they are not known.
    fn tags_map(&self) -> QueryFuture<'_, Map<Text>>
    where
        Self: Sized,
    {
        QueryFuture::new(async move {
            let Some(index) = Self::KIND.tags else { return Ok(Map::default()) };
            if is_known(self, index) {
                return Ok(known(self));
            }
            Ok(known(&fetch(self).await?))
        })
    }

    /// Returns the tags as a mapping that writes through to the model; fetches them first if they are not known.
    fn tags_mut(&mut self) -> QueryFuture<'_, TagsMut<'_>>
    where
        Self: Sized,
    {
        QueryFuture::new(async move {
            let index = tags_of(Self::KIND)?;
            if !is_known(self, index) {
                let mut fetched = fetch(self).await?;
                self.field_mut(index).take_from(fetched.field_mut(index));
                if let Some(slot) = self.slot_mut() {
                    slot.note_fetched_tags();
                }
            }
            let model: &mut dyn Fields = self;
            Ok(TagsMut { model, index })
        })
    }
}

impl<R: Resource> Tagged for R {}

async fn fetch<R: Resource>(model: &R) -> Result<R> {
    let fetched = save::fetch_latest(model).await?;
    fetched.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("the {} no longer exists", R::KIND.name)))
}
