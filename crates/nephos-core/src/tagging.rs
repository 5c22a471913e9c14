//! The view of a model's tags, and the calls of services that change the tags of several resources at once.

use crate::{
    Error, ErrorKind, Map, Operation, QueryFuture, Record, Resource, Result, Tag, TagsMut, Text,
    WorkflowContext,
    record::Fields,
    save,
    shape::{RecordShape, Type},
    tags::{is_known, known, tags_of},
};

/// Operations of a service that change the tags of several resources at once. The calls of its managers are about one.
pub trait TagOperations {
    /// Operation that sets tags.
    type Set: Operation<Output: Record>;
    /// Operation that removes tags.
    type Remove: Operation<Output: Record>;

    /// Makes the operation that sets tags of a resource; tags with the same keys are replaced.
    fn set(resource: Text, tags: Vec<Tag>) -> Self::Set;

    /// Makes the operation that removes the tags with these keys.
    fn remove(resource: Text, keys: Vec<Text>) -> Self::Remove;

    /// Fetches the tags that the resource has at the service. Kinds whose models have their tags need no such operation.
    fn list(_context: &WorkflowContext, _resource: &str) -> impl Future<Output = Result<Vec<Tag>>> + Send {
        std::future::ready(Ok(Vec::new()))
    }
}

/// Declares the calls `tag`, `untag` and `list_tags` of the managers of several kinds by [`TagOperations`]: for each kind, the
/// parameter and the field that identify a resource, and the names of the calls. The kinds and their managers must be in scope.
#[macro_export]
macro_rules! tag_calls {
    (
        $operations:ident by $id:ident;
        $($kind:ident by $field:literal: $tag:ident, $untag:ident $(, $list_tags:ident)?;)*
    ) => {
        $(
            /// Sets tags; tags with the same keys are replaced.
            #[$crate::operation(kind = $kind, call = "tag", effect = write, output = ())]
            pub struct $tag {
                /// ARN or ID of the resource.
                #[field(from_field = $field)]
                pub $id: $crate::Text,
                /// Tags to set.
                pub tags: Vec<$crate::Tag>,
            }

            impl $crate::ManagerOperation for $tag {
                async fn run(&self, context: &$crate::WorkflowContext) -> $crate::Result<()> {
                    let operation = <$operations as $crate::TagOperations>::set;
                    context.call(operation(self.$id.clone(), self.tags.clone())).await?;
                    Ok(())
                }
            }

            /// Removes tags.
            #[$crate::operation(kind = $kind, call = "untag", effect = write, output = ())]
            pub struct $untag {
                /// ARN or ID of the resource.
                #[field(from_field = $field)]
                pub $id: $crate::Text,
                /// Keys of the tags to remove.
                pub tag_keys: Vec<$crate::Text>,
            }

            impl $crate::ManagerOperation for $untag {
                async fn run(&self, context: &$crate::WorkflowContext) -> $crate::Result<()> {
                    let operation = <$operations as $crate::TagOperations>::remove;
                    context.call(operation(self.$id.clone(), self.tag_keys.clone())).await?;
                    Ok(())
                }
            }

            $(
            /// Lists the tags.
            #[$crate::operation(kind = $kind, call = "list_tags", effect = read, output = Vec<$crate::Tag>, on_model)]
            pub struct $list_tags {
                /// ARN or ID of the resource.
                #[field(from_field = $field)]
                pub $id: $crate::Text,
            }

            impl $crate::ManagerOperation for $list_tags {
                async fn run(&self, context: &$crate::WorkflowContext) -> $crate::Result<Vec<$crate::Tag>> {
                    <$operations as $crate::TagOperations>::list(context, &self.$id).await
                }
            }
            )?
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
