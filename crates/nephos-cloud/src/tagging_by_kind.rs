//! Operations on tags that each kind of a service has for itself.

/// Describes and implements the operations on tags of a service that has them for each kind: one adds tags, one removes them, and
/// one lists them in pages. They are the calls `tag`, `untag` and `list_tags` of the kind. Makes `TAGGED`, which finds the
/// operation by the ARN of a resource.
///
/// `add` and `remove` are functions from the tags of a resource and those of the request to the tags afterwards; `unknown` is the
/// error for an ARN of none of the kinds. `include(…)` names the records of shared parameters with the tags, the keys and the
/// pagination, and the members of a page. Each kind is followed by its record of shared parameters with the one that names the
/// resource, the function that finds a resource by that or by its ARN, the function that checks a change, if some resources
/// cannot be changed, and the names of its operations.
#[macro_export]
macro_rules! tagging_by_kind {
    (
        add: $add:path, remove: $remove:path, unknown: $unknown:path;
        include($tag_list:ident, $tag_keys:ident, $page:ident => $token:ident, $flag:ident);
        $(
            $kind:ident, by $existing:ident($key:ident), $find:path $(, checked by $check:path)?:
            $tag:ident, $untag:ident, $list:ident;
        )+
    ) => {
        /// Tags of the resources of the service, for tools that ask for all of them.
        pub(crate) const TAGGED: $crate::TaggedResources = $crate::TaggedResources {
            list: |cx| Ok([$($crate::tagged_rows::<$kind>(cx)?),+].concat()),
            add: |arn, tags| {
                let tags: Vec<::nephos_core::Tag> = $crate::ListedTags::from_tags(tags.clone());
                $(if <$kind as $crate::Addressed>::read_arn(arn).is_some() {
                    return Ok(::nephos_core::Request::new($tag::new(arn, tags)));
                })+
                Err($unknown(arn))
            },
            remove: |arn, keys| {
                $(if <$kind as $crate::Addressed>::read_arn(arn).is_some() {
                    return Ok(::nephos_core::Request::new($untag::new(arn, keys.to_vec())));
                })+
                Err($unknown(arn))
            },
        };

        $(
            /// Adds tags; tags with the same keys are replaced.
            #[::nephos_core::operation(of = $kind, call = "tag", include($existing, $tag_list), effect = write)]
            pub struct $tag {}

            impl $crate::Handler for $tag {
                fn run(self, cx: &mut $crate::Tx<'_>) -> ::nephos_core::Result<Self::Output> {
                    let mut found: $kind = $find(cx, &self.$key)?;
                    $($check(cx, &found, <Self as ::nephos_core::Operation>::OPERATION.name)?;)?
                    found.tags = $add(found.tags.as_deref(), &self.tags)?;
                    cx.put(found)?;
                    Ok(::nephos_core::Empty {})
                }
            }

            /// Removes tags.
            #[::nephos_core::operation(of = $kind, call = "untag", include($existing, $tag_keys), effect = write)]
            pub struct $untag {}

            impl $crate::Handler for $untag {
                fn run(self, cx: &mut $crate::Tx<'_>) -> ::nephos_core::Result<Self::Output> {
                    let mut found: $kind = $find(cx, &self.$key)?;
                    $($check(cx, &found, <Self as ::nephos_core::Operation>::OPERATION.name)?;)?
                    found.tags = $remove(found.tags.as_deref(), &self.tag_keys)?;
                    cx.put(found)?;
                    Ok(::nephos_core::Empty {})
                }
            }

            /// Lists the tags, in order of their keys.
            #[::nephos_core::operation(
                of = $kind, call = "list_tags", on_model, include($existing, $page),
                page(tags: ::nephos_core::Tag, $token, $flag), effect = read
            )]
            pub struct $list {}

            impl $crate::Handler for $list {
                fn run(self, cx: &mut $crate::Tx<'_>) -> ::nephos_core::Result<Self::Output> {
                    let found: $kind = $find(cx, &self.$key)?;
                    let tags = found.tags.unwrap_or_default();
                    Ok(cx.page_items(&self, tags, |tag| tag.key().unwrap_or_default().into())?.into())
                }
            }
        )+
    };
}
