//! ARNs: building the ARNs of a kind, and finding resources by ARN.

use crate::{Key, Stored, StoredResource, Tx};
use nephos_core::{Arn, Error, Resource, Result, Text};

/// A kind of resource that is found by its ARN: `arn:aws:service:region:account:type/part/part`.
pub trait ByArn: Resource + Stored {
    /// Resource type in ARNs.
    const RESOURCE_TYPE: &'static str;
    /// Number of parts of an ARN after the resource type.
    const PARTS: usize;
    /// Indexes of the parts that are the key of the row.
    const KEY: &'static [usize];

    /// Name of the field with the ARN.
    fn arn_field() -> &'static str {
        Self::KIND.saved_when.map_or("Arn", |index| Self::SHAPE.fields[index].name)
    }

    /// Builds the ARN of a new resource from these parts and a new ID.
    fn new_arn(cx: &Tx<'_>, parts: &[&str]) -> Text {
        let resource = format!("{}/{}/{}", Self::RESOURCE_TYPE, parts.join("/"), cx.ids().hex(16));
        cx.scope().arn(service::<Self>(), &[&resource]).into()
    }

    /// Appends the key parts of an ARN to a key; `None` if it is not an ARN of this kind.
    fn key_of(key: Key, arn: &str) -> Option<Key> {
        let parts = split::<Self>(arn).filter(|parts| parts.len() == Self::PARTS)?;
        Some(Self::KEY.iter().fold(key, |key, part| key.text(parts[*part])))
    }

    /// Finds the resource with this ARN, which is the value of the parameter `field`.
    fn find(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Option<Self>> {
        let Some(key) = Self::key_of(Self::table(cx.scope()), arn) else {
            return Err(Self::invalid_arn(arn).with_field(field));
        };
        Ok(cx.get(&key)?.filter(|found: &Self| found.own_arn() == arn))
    }

    /// Finds the resource with this ARN, or refuses with the not-found error of the kind.
    fn require(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Self> {
        Self::find(cx, arn, field)?.ok_or_else(|| Self::not_found(arn))
    }

    /// Error for a text that is not an ARN of this kind.
    fn invalid_arn(arn: &str) -> Error;

    /// Finds the resource with this name, for kinds whose rows have the name as their key.
    fn find_by_name(cx: &Tx<'_>, name: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(name))
    }

    /// Error for an ARN or a name that does not exist.
    fn not_found(which: &str) -> Error;
}

/// Declares the ARNs of kinds: the name of the kind in messages, the resource type in ARNs, the number of parts after it,
/// the indexes of those that are the key of the row, and the not-found error. `$invalid` makes the error for a text that is
/// not an ARN of the kind, from the text and the name of the kind.
#[macro_export]
macro_rules! by_arn {
    (invalid $invalid:path;
     $($kind:ident: $name:literal, $resource_type:literal, $parts:literal parts, key $key:tt, $not_found:expr;)*) => {$(
        impl $crate::ByArn for $kind {
            const RESOURCE_TYPE: &'static str = $resource_type;
            const PARTS: usize = $parts;
            const KEY: &'static [usize] = &$key;

            fn invalid_arn(arn: &str) -> ::nephos_core::Error {
                $invalid(arn, $name)
            }

            fn not_found(which: &str) -> ::nephos_core::Error {
                let not_found: fn(&str) -> ::nephos_core::Error = $not_found;
                not_found(which).with_hint(which)
            }
        }
    )*};
}

/// Name of the service in ARNs, which is the name that requests are signed for.
fn service<K: ByArn>() -> &'static str {
    (K::KIND.service)().signing
}

/// Returns the parts of an ARN after the resource type; `None` if it is not an ARN of this kind.
fn split<K: ByArn>(arn: &str) -> Option<Vec<&str>> {
    let [_, signing, _, _, resource] = Arn::parts(arn)?;
    let mut parts = resource.split('/');
    if signing != service::<K>() || parts.next() != Some(K::RESOURCE_TYPE) {
        return None;
    }
    let parts: Vec<_> = parts.collect();
    parts.iter().all(|part| !part.is_empty()).then_some(parts)
}

/// Returns the `N` parts of an ARN of the kind `K` after the resource type; `None` if it is not such an ARN.
pub fn arn_parts<K: ByArn, const N: usize>(arn: &str) -> Option<[&str; N]> {
    <[&str; N]>::try_from(split::<K>(arn)?).ok()
}
