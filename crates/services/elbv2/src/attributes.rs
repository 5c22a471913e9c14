//! Attributes of load balancers, listeners and target groups: named settings, stored where they differ from the default.

mod definitions;

use super::{
    Listener, ListenerManager, LoadBalancer, LoadBalancerManager, TargetGroup, TargetGroupManager, errors,
    rows::map_by_arn,
};
use definitions::AttributeDefinition;
use nephos_cloud::{Addressed, Handler, StoredResource, Tx};
use nephos_core::{Error, Map, Record, Result, Text, WorkflowContext, nearest, operation};

/// An attribute: a named setting.
#[derive(Record)]
#[record(name = "LoadBalancerAttribute")]
pub struct Attribute {
    /// Name of the attribute.
    #[field(required, length(1..=256), pattern = "[a-zA-Z0-9._]+")]
    key: Option<Text>,
    /// Value of the attribute.
    #[field(length(..=1024))]
    value: Option<Text>,
}

impl<K: Into<Text>, V: Into<Text>> From<(K, V)> for Attribute {
    fn from((key, value): (K, V)) -> Self {
        Self { key: Some(key.into()), value: Some(value.into()) }
    }
}

map_by_arn! {
    /// Attributes of a resource that differ from their defaults.
    pub(crate) struct AttributesRow { attributes } in "elbv2/attributes"
}

/// Key of the deletion protection of a load balancer.
pub(super) const DELETION_PROTECTION: &str = "deletion_protection.enabled";

/// Key of the deregistration delay of a target group, in seconds.
pub(super) const DEREGISTRATION_DELAY: &str = "deregistration_delay.timeout_seconds";

/// Key of the draining interval of unhealthy targets, in seconds.
pub(super) const UNHEALTHY_DRAINING: &str = "target_health_state.unhealthy.draining_interval_seconds";

/// Returns the value of an attribute of a resource, if it differs from the default.
pub(super) fn value(cx: &Tx<'_>, arn: &str, key: &str) -> Result<Option<Text>> {
    Ok(AttributesRow::get(cx, arn)?.swap_remove(key))
}

/// Returns all attributes of a resource, with defaults.
fn describe_all(cx: &Tx<'_>, arn: &str, definitions: &[AttributeDefinition]) -> Result<Vec<Attribute>> {
    let mut set = AttributesRow::get(cx, arn)?;
    let mut value = |definition: &AttributeDefinition| {
        set.swap_remove(definition.key).unwrap_or_else(|| definition.default.into())
    };
    Ok(definitions.iter().map(|definition| Attribute::from((definition.key, value(definition)))).collect())
}

/// Sets attributes of a resource and returns all of its attributes.
fn modify<K: HasAttributes>(
    cx: &mut Tx<'_>,
    resource: &K,
    attributes: &[Attribute],
) -> Result<Vec<Attribute>> {
    let (arn, definitions) = (resource.own_arn(), resource.definitions(cx)?);
    let before = AttributesRow::get(cx, arn)?;
    let (mut after, mut seen) = (before.clone(), Vec::new());
    for (n, attribute) in attributes.iter().enumerate() {
        let (key, value) =
            (attribute.key.clone().unwrap_or_default(), attribute.value.clone().unwrap_or_default());
        let field = format!("Attributes[{n}]");
        if seen.contains(&key) {
            return Err(errors::given_twice(format!("{} attribute key", K::NOUN), key).with_field(field));
        }
        let Some(definition) = definitions.iter().find(|definition| definition.key == key) else {
            let hint = nearest::hint(&key, definitions.iter().map(|definition| definition.key));
            return Err(resource.unknown_attribute(cx, &key)?.with_field(field).with_hint(hint));
        };
        definition.check(&value, before.get(&key)).map_err(|error| error.in_field(&field))?;
        seen.push(key.clone());
        if value == definition.default {
            drop(after.shift_remove(&key))
        } else {
            drop(after.insert(key, value))
        }
    }
    definitions::check_together(&definitions, &after)?;
    if after != before {
        AttributesRow::put(cx, arn, after)?;
    }
    describe_all(cx, arn, &definitions)
}

/// A kind that has attributes.
trait HasAttributes: Addressed + StoredResource {
    /// Name of the kind at the beginning of an error.
    const NOUN: &'static str;

    /// Returns the definitions of the attributes that the resource can have.
    fn definitions(&self, cx: &Tx<'_>) -> Result<Vec<AttributeDefinition>>;

    /// Returns the error for an attribute that the resource cannot have.
    fn unknown_attribute(&self, _cx: &Tx<'_>, key: &str) -> Result<Error> {
        Ok(errors::attribute_not_recognized(Self::NOUN, key))
    }
}

/// True if a resource can have the attribute.
fn has_attribute(resource: &impl HasAttributes, cx: &Tx<'_>, key: &str) -> Result<bool> {
    Ok(resource.definitions(cx)?.iter().any(|definition| definition.key == key))
}

/// Converts attributes to a mapping of names to values.
async fn to_map(_context: &WorkflowContext, attributes: Vec<Attribute>) -> Result<Map<Text>> {
    let pairs = attributes.into_iter();
    Ok(pairs.filter_map(|one| Some((one.key?, one.value.unwrap_or_default()))).collect())
}

/// Declares the operations on the attributes of kinds, with their calls, and the call `attribute_map`.
macro_rules! attributes_of {
    ($(
        $kind:ident, $arn:ident, max $max:literal: $describe:ident, $modify:ident, $map:ident;
    )*) => {$(
        /// Describes the attributes of a resource.
        #[operation(
            of = $kind, call = "attributes", on_model, needs($arn),
            wraps(attributes: Vec<Attribute>), effect = read, subject = "*"
        )]
        pub struct $describe {}

        impl Handler for $describe {
            fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
                let resource = $kind::require(cx, &self.$arn, $kind::arn_field())?;
                Ok(describe_all(cx, &self.$arn, &resource.definitions(cx)?)?.into())
            }
        }

        /// Sets attributes of a resource; all others stay unchanged. Returns all attributes.
        #[operation(
            of = $kind, call = "set_attributes", needs($arn),
            wraps(attributes: Vec<Attribute>), effect = write
        )]
        pub struct $modify {
            /// Attributes to set.
            #[field(length(1..=$max))]
            pub attributes: Vec<Attribute>,
        }

        impl Handler for $modify {
            fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
                let resource = $kind::require(cx, &self.$arn, $kind::arn_field())?;
                Ok(modify(cx, &resource, &self.attributes)?.into())
            }
        }

        /// Describes the attributes of a resource, as a mapping of names to values.
        #[operation(
            kind = $kind, call = "attribute_map", on_model, runs = $describe, returns(attributes: Map<Text>),
            with = to_map, effect = read
        )]
        pub struct $map {
            /// ARN of the resource.
            pub $arn: Text,
        }
    )*};
}

attributes_of! {
    LoadBalancer, load_balancer_arn, max 20:
        DescribeLoadBalancerAttributes, ModifyLoadBalancerAttributes, LoadBalancerAttributeMap;
    Listener, listener_arn, max 100:
        DescribeListenerAttributes, ModifyListenerAttributes, ListenerAttributeMap;
    TargetGroup, target_group_arn, max 100:
        DescribeTargetGroupAttributes, ModifyTargetGroupAttributes, TargetGroupAttributeMap;
}
