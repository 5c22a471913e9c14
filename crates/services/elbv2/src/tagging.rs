//! Tags of balancers, listeners, rules, target groups and trust stores: lists on the wire, a row for each resource.

use super::{Empty, SERVICE, errors, listener, load_balancer, names, rule, target_group, trust_store};
use nephos_cloud::{Handler, Key, Stored, TagRules, Tx, tags::without};
use nephos_core::{
    Arn, Map, Record, Resource, Result, Steppable, Steps, Tag, TagChange, Text, datum::DatumType, operation,
    record::Fields, tags,
};

/// The tags of a resource.
#[derive(Record)]
pub struct Tags {
    /// The resource name.
    resource_arn: Option<Text>,
    /// The tags.
    tags: Option<Map<Text>>,
}

impl Stored for Tags {
    const TABLE: &'static str = "elbv2/tags";

    fn identify(&self, key: Key) -> Key {
        key.text(self.resource_arn.as_deref().unwrap_or_default())
    }
}

/// The rules for tags.
pub(super) const RULES: TagRules = TagRules {
    invalid: &errors::INVALID,
    too_many: &errors::TOO_MANY_TAGS,
    duplicate: &errors::DUPLICATE_TAG_KEYS,
    tags: "Tags",
    keys: "TagKeys",
};

fn stored(cx: &Tx<'_>, arn: &str) -> Result<Map<Text>> {
    let row: Option<Tags> = cx.get(&Tags::table(cx.scope()).text(arn))?;
    Ok(row.and_then(|row| row.tags).unwrap_or_default())
}

/// Whether these are the tags of a resource.
pub(super) fn are(cx: &Tx<'_>, arn: &str, tags: &Map<Text>) -> Result<bool> {
    Ok(stored(cx, arn)? == *tags)
}

/// Puts tags in place of all those of a resource.
pub(super) fn put(cx: &mut Tx<'_>, arn: &str, tags: Map<Text>) -> Result<()> {
    if tags.is_empty() {
        return forget(cx, arn);
    }
    let mut row = Tags::blank();
    (row.resource_arn, row.tags) = (Some(arn.into()), Some(tags));
    cx.put(row)
}

/// Removes all tags of a resource.
pub(super) fn forget(cx: &mut Tx<'_>, arn: &str) -> Result<()> {
    cx.remove_row(&Tags::table(cx.scope()).text(arn))
}

/// Refuses a resource name that names nothing here.
fn check_exists(cx: &Tx<'_>, arn: &str) -> Result<()> {
    const FIELD: &str = "ResourceArns";
    let resource = Arn::parts(arn).filter(|parts| parts[1] == names::SERVICE_NAME).map(|parts| parts[4]);
    match resource.and_then(|resource| resource.split('/').next()) {
        Some(load_balancer::KIND) => load_balancer::require(cx, arn, FIELD).map(drop),
        Some(listener::KIND) => listener::require(cx, arn, FIELD).map(drop),
        Some(rule::KIND) => rule::require(cx, arn, FIELD).map(drop),
        Some(target_group::KIND) => target_group::require(cx, arn, FIELD).map(drop),
        Some(trust_store::KIND) => trust_store::require(cx, arn, FIELD).map(drop),
        _ => {
            let why = format!(
                "{arn:?} is not the resource name of a balancer, listener, rule, target group or trust store"
            );
            Err(names::invalid(FIELD, why))
        }
    }
}

/// Puts tags on resources, in place of tags with the same keys.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{ResourceArns}")]
pub struct AddTags {
    /// The resource names.
    #[field(length(1..=20))]
    pub resource_arns: Vec<Text>,
    /// The tags.
    #[field(length(1..))]
    pub tags: Vec<Tag>,
}

impl Handler for AddTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let tags = RULES.read_list(&self.tags)?;
        let mut after = Vec::new();
        for arn in &self.resource_arns {
            check_exists(cx, arn)?;
            after.push(RULES.add(stored(cx, arn)?, tags.clone())?);
        }
        self.resource_arns.iter().zip(after).try_for_each(|(arn, all)| put(cx, arn, all))?;
        Ok(Empty {})
    }
}

/// Takes tags off resources.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{ResourceArns}")]
pub struct RemoveTags {
    /// The resource names.
    #[field(length(1..=20))]
    pub resource_arns: Vec<Text>,
    /// The keys of the tags.
    #[field(length(1..))]
    pub tag_keys: Vec<Text>,
}

impl Handler for RemoveTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        RULES.check_keys(&self.tag_keys)?;
        self.resource_arns.iter().try_for_each(|arn| check_exists(cx, arn))?;
        for arn in &self.resource_arns {
            let rest = without(stored(cx, arn)?, &self.tag_keys);
            put(cx, arn, rest)?;
        }
        Ok(Empty {})
    }
}

/// Describes the tags of resources.
#[operation(service = SERVICE, effect = read, output = TagDescriptions, subject = "{ResourceArns}")]
pub struct DescribeTags {
    /// The resource names.
    #[field(length(1..=20))]
    pub resource_arns: Vec<Text>,
}

/// The tags of a resource.
#[derive(Record)]
pub struct TagDescription {
    /// The resource name.
    resource_arn: Option<Text>,
    /// The tags.
    tags: Option<Vec<Tag>>,
}

/// The tags of resources.
#[derive(Record)]
#[record(name = "DescribeTagsOutput")]
pub struct TagDescriptions {
    /// Each resource with its tags.
    tag_descriptions: Option<Vec<TagDescription>>,
}

impl Handler for DescribeTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<TagDescriptions> {
        let describe = |arn: &Text| {
            check_exists(cx, arn)?;
            let tags = stored(cx, arn)?.into_iter().map(Tag::from).collect();
            Ok(TagDescription { resource_arn: Some(arn.clone()), tags: Some(tags) })
        };
        let described = self.resource_arns.iter().map(describe).collect::<Result<_>>()?;
        Ok(TagDescriptions { tag_descriptions: Some(described) })
    }
}

/// The tags of a resource.
pub(super) async fn of(steps: &Steps, arn: &str) -> Result<Option<Vec<Tag>>> {
    let found = steps.call(DescribeTags::new([arn])).await?.tag_descriptions.unwrap_or_default();
    Ok(found.into_iter().next().and_then(|found| found.tags).filter(|tags| !tags.is_empty()))
}

/// The model with its tags, which the service tells apart from it.
pub(super) async fn with_tags<M: Resource>(steps: &Steps, mut model: M) -> Result<M> {
    let tags = of(steps, model.require_arn()?).await?.unwrap_or_default();
    tags::put(&mut model, tags::to_map(&tags));
    Ok(model)
}

/// Makes the change that a caller made to the tags of `model`, whose ARN this is.
pub(super) async fn retag(steps: &Steps, arn: &str, model: &dyn Fields) -> Result<()> {
    let change = TagChange::of(model);
    let current = match change {
        TagChange::All(_) => of(steps, arn).await?.unwrap_or_default(),
        TagChange::Touched { .. } => Vec::new(),
    };
    let (set, removed) = change.against(&tags::to_map(&current));
    if !removed.is_empty() {
        steps.call(RemoveTags::new([arn], removed)).await?;
    }
    if !set.is_empty() {
        steps.call(AddTags::new([arn], set.into_iter().map(Tag::from).collect::<Vec<_>>())).await?;
    }
    Ok(())
}

/// The operations on tags of a kind's manager, which are the same for each.
macro_rules! tag_calls {
    ($module:ident, $kind:ident, $manager:ident, $arn:tt, $what:tt) => {
        #[doc = concat!("Tags of a ", $what, ".")]
        pub mod $module {
            use super::{AddTags, DescribeTags, RemoveTags, Result, Steppable, Steps, Text, operation};
            use crate::{$kind, $manager};

            /// Puts tags on the resource, in place of tags with the same keys.
            #[operation(kind = $kind, call = "tag", effect = write, output = ())]
            pub struct Tag {
                /// The resource name.
                pub resource_arn: Text,
                /// The tags.
                pub tags: Vec<nephos_core::Tag>,
            }

            impl Steppable for Tag {
                async fn run(&self, steps: &Steps) -> Result<()> {
                    steps.call(AddTags::new([self.resource_arn.clone()], self.tags.clone())).await?;
                    Ok(())
                }
            }

            /// Takes tags off the resource.
            #[operation(kind = $kind, call = "untag", effect = write, output = ())]
            pub struct Untag {
                /// The resource name.
                pub resource_arn: Text,
                /// The keys of the tags.
                pub tag_keys: Vec<Text>,
            }

            impl Steppable for Untag {
                async fn run(&self, steps: &Steps) -> Result<()> {
                    steps.call(RemoveTags::new([self.resource_arn.clone()], self.tag_keys.clone())).await?;
                    Ok(())
                }
            }

            /// The tags of the resource.
            #[operation(kind = $kind, call = "list_tags", effect = read, output = Vec<nephos_core::Tag>, instance)]
            pub struct ListTags {
                /// The resource name.
                #[field(from = $arn)]
                pub resource_arn: Text,
            }

            impl Steppable for ListTags {
                async fn run(&self, steps: &Steps) -> Result<Vec<nephos_core::Tag>> {
                    let found = steps.call(DescribeTags::new([self.resource_arn.clone()])).await?;
                    let first = found.tag_descriptions.unwrap_or_default().into_iter().next();
                    Ok(first.and_then(|first| first.tags).unwrap_or_default())
                }
            }
        }
    };
}

tag_calls!(of_load_balancer, LoadBalancer, LoadBalancerManager, "LoadBalancerArn", "load balancer");
tag_calls!(of_listener, Listener, ListenerManager, "ListenerArn", "listener");
tag_calls!(of_rule, Rule, RuleManager, "RuleArn", "rule");
tag_calls!(of_target_group, TargetGroup, TargetGroupManager, "TargetGroupArn", "target group");
tag_calls!(of_trust_store, TrustStore, TrustStoreManager, "TrustStoreArn", "trust store");
