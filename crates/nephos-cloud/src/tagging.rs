//! Operations on the tags of resources: handlers, calls and facts from one list of kinds.

use crate::{
    ResourceFacts, Scope, Stored, TagRules, Tx,
    tagged::{TaggedResource, arn_of},
    tags::without,
};
use nephos_core::{Arn, Empty, Error, Map, Result, Tag, Text, tags};

/// A kind whose tags are changed by the operations of its service for all kinds, or the row of such a kind.
pub trait TaggedKind: Stored {
    /// Finds the resource with this ARN; none if it is no ARN of the kind. A resource that does not exist is refused, see
    /// [`Addressed::require_tagged`](crate::Addressed::require_tagged).
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>>;

    /// ARN of the resource.
    fn tagged_arn(&self, _scope: &Scope) -> Option<Text> {
        arn_of(self)
    }

    /// Refuses a change of the tags.
    fn check_tags_can_change(&self) -> Result<()> {
        Ok(())
    }

    /// Returns the facts of the resource for permission decisions.
    fn facts(&self, _cx: &mut Tx<'_>) -> Result<ResourceFacts> {
        Ok(ResourceFacts::tagged(tags::known(self)))
    }
}

/// A kind in the list of [`Tagging`], without its type.
#[derive(Clone, Copy)]
pub struct TaggedEntry {
    all: fn(&Tx<'_>) -> Result<Vec<TaggedResource>>,
    list: fn(&Tx<'_>, &str) -> Result<Option<Map<Text>>>,
    change: fn(&mut Tx<'_>, &str, Change<'_>) -> Result<bool>,
    facts: fn(&mut Tx<'_>, &str) -> Result<Option<ResourceFacts>>,
}

/// A change of tags.
type Change<'c> = &'c dyn Fn(Map<Text>) -> Result<Map<Text>>;

impl TaggedEntry {
    /// Creates the entry of `K`.
    pub const fn new<K: TaggedKind>() -> Self {
        Self { all: all::<K>, list: list::<K>, change: change::<K>, facts: facts::<K> }
    }
}

impl std::fmt::Debug for TaggedEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TaggedEntry")
    }
}

fn all<K: TaggedKind>(cx: &Tx<'_>) -> Result<Vec<TaggedResource>> {
    let rows: Vec<K> = cx.all(&K::table(cx.scope()))?;
    let resource = |row: &K| TaggedResource::new(row.tagged_arn(cx.scope())?, tags::known(row));
    Ok(rows.iter().filter_map(resource).collect())
}

fn list<K: TaggedKind>(cx: &Tx<'_>, arn: &str) -> Result<Option<Map<Text>>> {
    Ok(K::find_tagged(cx, arn)?.map(|found| tags::known(&found)))
}

fn change<K: TaggedKind>(cx: &mut Tx<'_>, arn: &str, change: Change<'_>) -> Result<bool> {
    let Some(mut found) = K::find_tagged(cx, arn)? else { return Ok(false) };
    found.check_tags_can_change()?;
    let after = change(tags::known(&found))?;
    tags::put(&mut found, after);
    cx.put(found)?;
    Ok(true)
}

fn facts<K: TaggedKind>(cx: &mut Tx<'_>, arn: &str) -> Result<Option<ResourceFacts>> {
    match K::find_tagged(cx, arn) {
        Ok(Some(found)) => found.facts(cx).map(Some),
        _ => Ok(None),
    }
}

/// Tags of the kinds of a service.
#[derive(Clone, Copy, Debug)]
pub struct Tagging {
    /// Rules for tags.
    pub rules: TagRules,
    /// Kinds with tags.
    pub kinds: &'static [TaggedEntry],
    /// Error for an ARN of none of the kinds.
    pub unknown: fn(&str) -> Error,
    /// Error for too many tags of the resource with this ARN; that of the rules if it is not given.
    pub too_many: Option<fn(&str) -> Error>,
}

impl Tagging {
    /// Adds tags to a resource.
    pub fn add(&self, cx: &mut Tx<'_>, arn: &str, given: &impl GivenTags) -> Result<Empty> {
        let too_many = |error: Error| match self.too_many {
            Some(too_many) if error.code() == (self.rules.too_many)().code() => {
                too_many(arn).with_field(self.rules.tags)
            }
            _ => error,
        };
        let given = given.read(&self.rules).map_err(too_many)?;
        self.change(cx, arn, &|before| self.rules.add(before, given.clone())).map_err(too_many)
    }

    /// Removes the tags with these keys from a resource.
    pub fn remove(&self, cx: &mut Tx<'_>, arn: &str, keys: &[Text]) -> Result<Empty> {
        self.rules.check_keys(keys)?;
        self.change(cx, arn, &|before| Ok(without(before, keys)))
    }

    fn change(&self, cx: &mut Tx<'_>, arn: &str, change: Change<'_>) -> Result<Empty> {
        for kind in self.kinds {
            if (kind.change)(cx, arn, change)? {
                return Ok(Empty {});
            }
        }
        Err((self.unknown)(arn))
    }

    /// Returns the resources that have tags.
    pub fn all(&self, cx: &Tx<'_>) -> Result<Vec<TaggedResource>> {
        let mut found = Vec::new();
        for kind in self.kinds {
            found.extend((kind.all)(cx)?);
        }
        Ok(found)
    }

    /// Returns the tags of a resource.
    pub fn list(&self, cx: &Tx<'_>, arn: &str) -> Result<Map<Text>> {
        for kind in self.kinds {
            if let Some(found) = (kind.list)(cx, arn)? {
                return Ok(found);
            }
        }
        Err((self.unknown)(arn))
    }

    /// Returns the facts of a resource for permission decisions, if it exists.
    pub fn facts(&self, cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
        for kind in self.kinds {
            if let Some(found) = (kind.facts)(cx, arn.as_str())? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Tags in a request: a list, or a mapping.
pub trait GivenTags {
    /// Validates the tags.
    fn read(&self, rules: &TagRules) -> Result<Map<Text>>;
}

impl GivenTags for Vec<Tag> {
    fn read(&self, rules: &TagRules) -> Result<Map<Text>> {
        rules.read_list(self)
    }
}

impl GivenTags for Map<Text> {
    fn read(&self, rules: &TagRules) -> Result<Map<Text>> {
        rules.check(self)?;
        Ok(self.clone())
    }
}

/// Tags in an answer: a list, or a mapping.
pub trait ListedTags {
    /// Converts tags into this form.
    fn from_tags(tags: Map<Text>) -> Self;
}

impl ListedTags for Vec<Tag> {
    fn from_tags(tags: Map<Text>) -> Self {
        tags.into_iter().map(Tag::from).collect()
    }
}

impl ListedTags for Map<Text> {
    fn from_tags(tags: Map<Text>) -> Self {
        tags
    }
}

/// Implements the operations on tags of a service, each of one resource by its ARN; makes the calls `tag`, `untag` and
/// `list_tags` of the kinds, and `find_resource`, which returns their facts. The operations are described by the service; each
/// is followed by its parameters, and by the type of the tags in its answer, if it has them. Each kind is followed by the field
/// with its ARN and the names of its calls, and before that by the type of its rows if that is not the kind. `paged` after the
/// listing says that its answer is a page; `+ rows` are tagged resources without calls.
#[macro_export]
macro_rules! tagging {
    (@entry $kind:ident) => { $crate::TaggedEntry::new::<$kind>() };
    (@entry $kind:ident, $row:ty) => { $crate::TaggedEntry::new::<$row>() };
    (@optional) => { None };
    (@optional $value:expr) => { Some($value) };
    (@listed $cx:ident, $operation:ident, $tags:ident) => { Ok($tags.into()) };
    (@listed $cx:ident, $operation:ident, $tags:ident, paged) => { Ok($cx.page_list(&$operation, $tags)?.into()) };
    (@answer $cx:ident, $arn:expr) => { Ok(::nephos_core::Empty {}) };
    (@answer $cx:ident, $arn:expr, $listed:ty) => {{
        let tags: $listed = $crate::ListedTags::from_tags(TAGGING.list($cx, $arn)?);
        Ok(tags.into())
    }};
    (
        rules: $rules:expr, unknown: $unknown:expr $(, too_many: $too_many:expr)?;
        $set:ident($set_arn:ident, $tags:ident: $given:ty) $(-> $set_as:ty)?;
        $remove:ident($remove_arn:ident, $keys:ident) $(-> $remove_as:ty)?;
        $list:ident($list_arn:ident) -> $listed_as:ident: $listed:ty $(, $paged:ident)?;
        $($kind:ident $(stored as $row:ty)? , by $arn:literal: $tag_call:ident, $untag_call:ident, $list_call:ident;)+
        $(+ rows $($further:ty),+;)?
    ) => {
        /// Tags of the kinds of the service.
        const TAGGING: $crate::Tagging = $crate::Tagging {
            rules: $rules,
            kinds: &[$($crate::tagging!(@entry $kind $(, $row)?)),+ $(, $($crate::TaggedEntry::new::<$further>()),+)?],
            unknown: $unknown,
            too_many: $crate::tagging!(@optional $($too_many)?),
        };

        /// Tags of the resources of the service, for tools that ask for all of them.
        pub(crate) const TAGGED: $crate::TaggedResources = $crate::TaggedResources {
            list: |cx| TAGGING.all(cx),
            add: |arn, tags| {
                let tags: $given = $crate::ListedTags::from_tags(tags.clone());
                Ok(::nephos_core::Request::new($set::new(arn, tags)))
            },
            remove: |arn, keys| Ok(::nephos_core::Request::new($remove::new(arn, keys.to_vec()))),
        };

        impl $crate::Handler for $set {
            fn run(self, cx: &mut $crate::Tx<'_>) -> ::nephos_core::Result<Self::Output> {
                TAGGING.add(cx, &self.$set_arn, &self.$tags)?;
                $crate::tagging!(@answer cx, &self.$set_arn $(, $set_as)?)
            }
        }

        impl $crate::Handler for $remove {
            fn run(self, cx: &mut $crate::Tx<'_>) -> ::nephos_core::Result<Self::Output> {
                TAGGING.remove(cx, &self.$remove_arn, &self.$keys)?;
                $crate::tagging!(@answer cx, &self.$remove_arn $(, $remove_as)?)
            }
        }

        impl $crate::Handler for $list {
            fn run(self, cx: &mut $crate::Tx<'_>) -> ::nephos_core::Result<Self::Output> {
                let tags: $listed = $crate::ListedTags::from_tags(TAGGING.list(cx, &self.$list_arn)?);
                $crate::tagging!(@listed cx, self, tags $(, $paged)?)
            }
        }

        /// Finds the facts of a resource for permission decisions.
        pub(crate) fn find_resource(
            cx: &mut $crate::Tx<'_>,
            arn: &::nephos_core::Arn,
        ) -> ::nephos_core::Result<Option<$crate::ResourceFacts>> {
            TAGGING.facts(cx, arn)
        }

        $(
            /// Sets tags; tags with the same keys are replaced.
            #[::nephos_core::operation(kind = $kind, call = "tag", effect = write, runs = $set)]
            pub struct $tag_call {
                /// ARN of the resource.
                #[field(from_field = $arn)]
                pub $set_arn: ::nephos_core::Text,
                /// Tags to set.
                pub $tags: $given,
            }

            /// Removes tags.
            #[::nephos_core::operation(kind = $kind, call = "untag", effect = write, runs = $remove)]
            pub struct $untag_call {
                /// ARN of the resource.
                #[field(from_field = $arn)]
                pub $remove_arn: ::nephos_core::Text,
                /// Keys of the tags to remove.
                pub $keys: Vec<::nephos_core::Text>,
            }

            /// Lists the tags.
            #[::nephos_core::operation(
                kind = $kind, call = "list_tags", effect = read, runs = $list, returns($listed_as: $listed), on_model
            )]
            pub struct $list_call {
                /// ARN of the resource.
                #[field(from_field = $arn)]
                pub $list_arn: ::nephos_core::Text,
            }
        )+
    };
}
