//! Attributes of balancers, listeners and target groups: named settings, kept where they differ from the usual.

mod known;

use super::{SERVICE, errors, listener, load_balancer, names, target_group};
use known::Known;
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Map, Record, Result, Steppable, Steps, Text, datum::DatumType, operation};

/// An attribute: a named setting.
#[derive(Record)]
#[record(name = "LoadBalancerAttribute")]
pub struct Attribute {
    /// Its name.
    #[field(required, length(1..=256), pattern = "[a-zA-Z0-9._]+")]
    key: Option<Text>,
    /// Its value.
    #[field(length(..=1024))]
    value: Option<Text>,
}

impl<K: Into<Text>, V: Into<Text>> From<(K, V)> for Attribute {
    fn from((key, value): (K, V)) -> Self {
        Self { key: Some(key.into()), value: Some(value.into()) }
    }
}

/// The attributes of a resource that were ever set.
#[derive(Record)]
pub struct Attributes {
    /// The resource name.
    resource_arn: Option<Text>,
    /// The attributes.
    attributes: Option<Map<Text>>,
}

nephos_cloud::stored!(Attributes in "elbv2/attributes" by resource_arn);

fn set_on(cx: &Tx<'_>, arn: &str) -> Result<Map<Text>> {
    let row: Option<Attributes> = cx.get(&Attributes::table(cx.scope()).text(arn))?;
    Ok(row.and_then(|row| row.attributes).unwrap_or_default())
}

/// Removes all attributes of a resource.
pub(super) fn forget(cx: &mut Tx<'_>, arn: &str) -> Result<()> {
    cx.remove_row(&Attributes::table(cx.scope()).text(arn))
}

/// Whether balancers are protected from deletion.
pub(super) const DELETION_PROTECTION: &str = "deletion_protection.enabled";

/// How many seconds a target is let go of.
pub(super) const DEREGISTRATION_DELAY: &str = "deregistration_delay.timeout_seconds";

/// How many seconds an unhealthy target is let go of.
pub(super) const UNHEALTHY_DRAINING: &str = "target_health_state.unhealthy.draining_interval_seconds";

/// The value of an attribute of a resource, if it was ever set.
pub(super) fn value(cx: &Tx<'_>, arn: &str, key: &str) -> Result<Option<Text>> {
    Ok(set_on(cx, arn)?.swap_remove(key))
}

/// All attributes of a resource, as they are.
fn all(cx: &Tx<'_>, arn: &str, known: &[Known]) -> Result<Vec<Attribute>> {
    let mut set = set_on(cx, arn)?;
    let told = known.iter().map(|known| {
        let value = set.swap_remove(known.key).unwrap_or_else(|| known.usual.clone());
        Attribute::from((known.key, value))
    });
    Ok(told.collect())
}

/// Sets attributes of a resource; tells all of them.
fn modify(cx: &mut Tx<'_>, arn: &str, known: &[Known], given: &[Attribute]) -> Result<Vec<Attribute>> {
    let before = set_on(cx, arn)?;
    let (mut after, mut seen) = (before.clone(), Vec::new());
    for (n, attribute) in given.iter().enumerate() {
        let (key, value) =
            (attribute.key.clone().unwrap_or_default(), attribute.value.clone().unwrap_or_default());
        let field = format!("Attributes[{n}]");
        if seen.contains(&key) {
            return Err(names::invalid(&field, format!("{key} is given twice")));
        }
        let Some(known) = known.iter().find(|known| known.key == key) else {
            let hint = nephos_core::nearest::suggest(&key, known.iter().map(|known| known.key));
            return Err(names::invalid(&field, format!("there is no attribute {key} here{hint}")));
        };
        known.check(&value, before.get(&key)).map_err(|error| error.within(&field))?;
        seen.push(key.clone());
        if value == known.usual { drop(after.shift_remove(&key)) } else { drop(after.insert(key, value)) }
    }
    known::check_together(known, &after)?;
    if after != before {
        if after.is_empty() {
            forget(cx, arn)?;
        } else {
            let mut row = Attributes::blank();
            (row.resource_arn, row.attributes) = (Some(arn.into()), Some(after));
            cx.put(row)?;
        }
    }
    all(cx, arn, known)
}

/// The attributes of a resource.
#[derive(Record)]
#[record(name = "DescribeLoadBalancerAttributesOutput")]
pub struct Described {
    /// The attributes.
    attributes: Option<Vec<Attribute>>,
}

/// What belongs to attributes of one kind, which is the same for each.
macro_rules! attributes_of {
    (
        $module:ident, $kind:ident, $manager:ident, $arn:ident = $name:literal as $subject:tt, $most:literal,
        $describe:ident, $modify:ident, $known:expr
    ) => {
        /// Describes the attributes of a resource.
        #[operation(service = SERVICE, effect = read, output = Described, subject = $subject)]
        pub struct $describe {
            /// Its resource name.
            pub $arn: Text,
        }

        impl Handler for $describe {
            fn run(self, cx: &mut Tx<'_>) -> Result<Described> {
                let known = $known(cx, &self.$arn, $name)?;
                Ok(Described { attributes: Some(all(cx, &self.$arn, &known)?) })
            }
        }

        /// Sets attributes of a resource; others stay as they are.
        #[operation(service = SERVICE, effect = write, output = Described, subject = $subject)]
        pub struct $modify {
            /// Its resource name.
            pub $arn: Text,
            /// The attributes.
            #[field(length(1..=$most))]
            pub attributes: Vec<Attribute>,
        }

        impl Handler for $modify {
            fn run(self, cx: &mut Tx<'_>) -> Result<Described> {
                let known = $known(cx, &self.$arn, $name)?;
                Ok(Described { attributes: Some(modify(cx, &self.$arn, &known, &self.attributes)?) })
            }
        }

        /// Attributes of the kind.
        pub mod $module {
            use super::{Attribute, Map, Result, Steppable, Steps, Text, operation, $describe, $modify};
            use crate::{$kind, $manager};

            /// The attributes of the resource.
            #[operation(kind = $kind, call = "attributes", effect = read, output = Vec<Attribute>, instance)]
            pub struct Attributes {
                /// Its resource name.
                pub $arn: Text,
            }

            impl Steppable for Attributes {
                async fn run(&self, steps: &Steps) -> Result<Vec<Attribute>> {
                    Ok(steps.call($describe::new(self.$arn.clone())).await?.attributes.unwrap_or_default())
                }
            }

            /// The attributes of the resource, as a mapping.
            #[operation(kind = $kind, call = "attribute_map", effect = read, output = Map<Text>, instance)]
            pub struct AttributeMap {
                /// Its resource name.
                pub $arn: Text,
            }

            impl Steppable for AttributeMap {
                async fn run(&self, steps: &Steps) -> Result<Map<Text>> {
                    let found =
                        steps.call($describe::new(self.$arn.clone())).await?.attributes.unwrap_or_default();
                    Ok(super::mapping(found))
                }
            }

            /// Sets attributes of the resource; others stay as they are. Tells all of them.
            #[operation(kind = $kind, call = "set_attributes", effect = write, output = Vec<Attribute>)]
            pub struct SetAttributes {
                /// Its resource name.
                pub $arn: Text,
                /// The attributes.
                pub attributes: Vec<Attribute>,
            }

            impl Steppable for SetAttributes {
                async fn run(&self, steps: &Steps) -> Result<Vec<Attribute>> {
                    let modify = $modify::new(self.$arn.clone(), self.attributes.clone());
                    Ok(steps.call(modify).await?.attributes.unwrap_or_default())
                }
            }
        }
    };
}

attributes_of!(
    of_load_balancer,
    LoadBalancer,
    LoadBalancerManager,
    load_balancer_arn = "LoadBalancerArn" as "{LoadBalancerArn}",
    20,
    DescribeLoadBalancerAttributes,
    ModifyLoadBalancerAttributes,
    of_balancer
);
attributes_of!(
    of_listener,
    Listener,
    ListenerManager,
    listener_arn = "ListenerArn" as "{ListenerArn}",
    100,
    DescribeListenerAttributes,
    ModifyListenerAttributes,
    of_one_listener
);
attributes_of!(
    of_target_group,
    TargetGroup,
    TargetGroupManager,
    target_group_arn = "TargetGroupArn" as "{TargetGroupArn}",
    100,
    DescribeTargetGroupAttributes,
    ModifyTargetGroupAttributes,
    of_group
);

fn of_balancer(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Vec<Known>> {
    load_balancer::require(cx, arn, field).map(|balancer| known::of_load_balancer(&balancer))
}

fn of_one_listener(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Vec<Known>> {
    let listener = listener::require(cx, arn, field)?;
    let balancer = load_balancer::require(cx, listener.balancer_arn(), field)?;
    Ok(known::of_listener(&balancer, &listener))
}

fn of_group(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Vec<Known>> {
    target_group::require(cx, arn, field).map(|group| known::of_target_group(&group))
}

/// Attributes as a mapping.
pub(super) fn mapping(attributes: Vec<Attribute>) -> Map<Text> {
    attributes.into_iter().filter_map(|one| Some((one.key?, one.value.unwrap_or_default()))).collect()
}

/// A refusal of attributes that do not go together.
fn unfit(field: &str, why: impl Into<String>) -> nephos_core::Error {
    errors::INVALID_CONFIGURATION.because(why).with_field(field)
}
