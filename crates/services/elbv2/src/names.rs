//! ARNs of the service, and finding resources by them; refusals of parameters.

use super::{Listener, LoadBalancer, Rule, TargetGroup, TrustStore, errors};
use nephos_cloud::{Key, Stored, StoredResource, Tx};
use nephos_core::{Arn, Error, Resource, Result, Text, record::Fields};

/// The service's name within ARNs.
pub(super) const SERVICE_NAME: &str = "elasticloadbalancing";

/// A kind of resource that is found by its ARN.
pub(super) trait ByArn: Resource + Stored {
    /// The word for the kind in ARNs.
    const WORD: &'static str;
    /// The name of the kind in messages.
    const WHAT: &'static str;
    /// Number of the parts of an ARN after the word.
    const PARTS: usize;
    /// Those of the parts that are the key of its row.
    const KEY: &'static [usize];

    /// The field that holds the ARN.
    fn arn_field() -> &'static str {
        Self::KIND.mark.map_or("Arn", |index| Self::SHAPE.fields[index].name)
    }

    /// An ARN for a new resource: these parts, and an id.
    fn new_arn(cx: &Tx<'_>, parts: &[&str]) -> Text {
        let resource = format!("{}/{}/{}", Self::WORD, parts.join("/"), cx.ids().hex(16));
        cx.scope().arn(SERVICE_NAME, &[&resource]).into()
    }

    /// Adds to a key what tells the resource with that ARN from others.
    fn key_of(key: Key, arn: &str) -> Option<Key> {
        let parts = split(arn, Self::WORD).filter(|parts| parts.len() == Self::PARTS)?;
        Some(Self::KEY.iter().fold(key, |key, part| key.text(parts[*part])))
    }

    /// The resource with that ARN, which a caller gives as `field`.
    fn find(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Option<Self>> {
        let Some(key) = Self::key_of(Self::table(cx.scope()), arn) else {
            let what = Self::WORD.replace('-', " ");
            return Err(invalid(field, format!("{arn:?} is not the resource name of a {what}")));
        };
        Ok(cx.get(&key)?.filter(|found: &Self| found.own_arn() == arn))
    }

    /// The same, which must exist.
    fn require(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Self> {
        Self::find(cx, arn, field)?.ok_or_else(|| Self::not_found(arn))
    }

    /// The resource of that name, for kinds whose rows have the name as their key.
    fn named(cx: &Tx<'_>, name: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(name))
    }

    /// The refusal of an ARN or name that there is not.
    fn not_found(which: &str) -> Error {
        let code = Self::KIND.absent.unwrap_or(&errors::INVALID);
        code.because(format!("there is no {} {which}", Self::WHAT))
    }
}

/// Declares how ARNs of kinds are made.
macro_rules! by_arn {
    ($($kind:ident: $what:literal, $word:literal, $parts:literal parts, key $key:tt;)*) => {$(
        impl ByArn for $kind {
            const WORD: &'static str = $word;
            const WHAT: &'static str = $what;
            const PARTS: usize = $parts;
            const KEY: &'static [usize] = &$key;
        }
    )*};
}

by_arn! {
    LoadBalancer: "load balancer", "loadbalancer", 3 parts, key [1];
    Listener: "listener", "listener", 4 parts, key [1, 3];
    Rule: "rule", "listener-rule", 5 parts, key [1, 3, 4];
    TargetGroup: "target group", "targetgroup", 2 parts, key [0];
    TrustStore: "trust store", "truststore", 2 parts, key [0];
}

/// The parts of an ARN after the word for its kind; none if it is no such ARN.
fn split<'a>(arn: &'a str, word: &str) -> Option<Vec<&'a str>> {
    let [_, service, _, _, resource] = Arn::parts(arn)?;
    let mut parts = resource.split('/');
    if service != SERVICE_NAME || parts.next() != Some(word) {
        return None;
    }
    let parts: Vec<_> = parts.collect();
    parts.iter().all(|part| !part.is_empty()).then_some(parts)
}

/// The parts of an ARN of the kind `K` after the word for it; none if it is no such ARN.
pub(super) fn parts<K: ByArn, const N: usize>(arn: &str) -> Option<[&str; N]> {
    <[&str; N]>::try_from(split(arn, K::WORD)?).ok()
}

/// A refusal of a parameter.
pub(super) fn invalid(field: &str, why: impl Into<String>) -> Error {
    errors::INVALID.because(why).with_field(field)
}

/// A refusal of a parameter that does not go with the others.
pub(super) fn unfit(field: &str, why: impl Into<String>) -> Error {
    errors::INVALID_CONFIGURATION.because(why).with_field(field)
}

/// Refuses a text that is not a regular expression.
pub(super) fn check_regex(text: &str, field: &str) -> Result<()> {
    match regex::Regex::new(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(invalid(field, format!("{text:?} is not a regular expression"))),
    }
}

/// Refuses the first of these fields that is given, by `refusal` of its name.
pub(super) fn refuse_given(
    record: &dyn Fields,
    fields: &[&'static str],
    refusal: impl Fn(&'static str) -> Error,
) -> Result<()> {
    match fields.iter().find(|field| is_given(record, field)) {
        Some(field) => Err(refusal(field)),
        None => Ok(()),
    }
}

/// Whether a field has a value.
pub(super) fn is_given(record: &dyn Fields, field: &str) -> bool {
    let found = record.shape().field(field);
    debug_assert!(found.is_some(), "{} has no field {field}", record.shape().name);
    found.is_some_and(|(index, _)| !record.field(index).view().is_null())
}
