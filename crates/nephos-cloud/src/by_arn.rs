//! ARNs: how those of a kind are made, and finding resources by them.

use crate::{Key, Stored, StoredResource, Tx};
use nephos_core::{Arn, Error, Resource, Result, Text};

/// A kind of resource that is found by its ARN: `arn:aws:service:region:account:word/part/part`.
pub trait ByArn: Resource + Stored {
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
        Self::KIND.saved_when.map_or("Arn", |index| Self::SHAPE.fields[index].name)
    }

    /// An ARN for a new resource: these parts, and an id.
    fn new_arn(cx: &Tx<'_>, parts: &[&str]) -> Text {
        let resource = format!("{}/{}/{}", Self::WORD, parts.join("/"), cx.ids().hex(16));
        cx.scope().arn(service::<Self>(), &[&resource]).into()
    }

    /// Adds to a key what tells the resource with that ARN from others.
    fn key_of(key: Key, arn: &str) -> Option<Key> {
        let parts = split::<Self>(arn).filter(|parts| parts.len() == Self::PARTS)?;
        Some(Self::KEY.iter().fold(key, |key, part| key.text(parts[*part])))
    }

    /// The resource with that ARN, which a caller gives as `field`.
    fn find(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Option<Self>> {
        let Some(key) = Self::key_of(Self::table(cx.scope()), arn) else {
            let what = Self::WORD.replace('-', " ");
            let why = format!("{arn:?} is not the resource name of a {what}");
            return Err((Self::KIND.service)().invalid.with_message(why).with_field(field));
        };
        Ok(cx.get(&key)?.filter(|found: &Self| found.own_arn() == arn))
    }

    /// The same, which must exist.
    fn require(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Self> {
        Self::find(cx, arn, field)?.ok_or_else(|| Self::not_found(arn))
    }

    /// The resource of that name, for kinds whose rows have the name as their key.
    fn find_by_name(cx: &Tx<'_>, name: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(name))
    }

    /// The refusal of an ARN or name that there is not.
    fn not_found(which: &str) -> Error {
        let code = Self::KIND.absent.unwrap_or((Self::KIND.service)().invalid);
        code.with_message(format!("there is no {} {which}", Self::WHAT))
    }
}

/// Declares how ARNs of kinds are made: the name of the kind in messages, the word for it in ARNs, the number of parts after
/// that, and those of them that are the key of its row.
#[macro_export]
macro_rules! by_arn {
    ($($kind:ident: $what:literal, $word:literal, $parts:literal parts, key $key:tt;)*) => {$(
        impl $crate::ByArn for $kind {
            const WORD: &'static str = $word;
            const WHAT: &'static str = $what;
            const PARTS: usize = $parts;
            const KEY: &'static [usize] = &$key;
        }
    )*};
}

/// The service's name within ARNs, which is that its requests are signed for.
fn service<K: ByArn>() -> &'static str {
    (K::KIND.service)().signing
}

/// The parts of an ARN after the word for its kind; none if it is no such ARN.
fn split<K: ByArn>(arn: &str) -> Option<Vec<&str>> {
    let [_, named, _, _, resource] = Arn::parts(arn)?;
    let mut parts = resource.split('/');
    if named != service::<K>() || parts.next() != Some(K::WORD) {
        return None;
    }
    let parts: Vec<_> = parts.collect();
    parts.iter().all(|part| !part.is_empty()).then_some(parts)
}

/// The parts of an ARN of the kind `K` after the word for it; none if it is no such ARN.
pub fn arn_parts<K: ByArn, const N: usize>(arn: &str) -> Option<[&str; N]> {
    <[&str; N]>::try_from(split::<K>(arn)?).ok()
}
