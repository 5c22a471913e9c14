//! ARNs of stored kinds: building them, and finding resources by name or ARN. The template of a kind's ARNs says how.

use crate::{Key, Scope, Stored, Tx};
use nephos_core::{
    Arn, Error, Resource, Result, Text,
    record::Fields,
    shape::{Identity, KindShape},
};

/// A stored kind, found by its name or its ARN: `arn("ArchiveArn", "archive/{ArchiveName}")`. The fields of the template are the
/// key of its rows.
pub trait Addressed: Resource + Stored {
    /// Builds the ARN of a resource from the values in the braces of the template.
    fn arn_with(scope: &Scope, values: &[&str]) -> Arn {
        arn(scope, Self::KIND, &Self::KIND.path.with(values.iter().copied()))
    }

    /// Builds the ARN of a new resource, which ends with a new ID.
    fn new_arn(cx: &Tx<'_>, values: &[&str]) -> Text {
        let id = cx.ids().hex(16);
        let values = values.iter().copied().chain([id.as_str()]);
        arn(cx.scope(), Self::KIND, &Self::KIND.path.with(values)).into()
    }

    /// Returns the values in the braces of the template for an ARN; none if it is no ARN of this kind.
    fn read_arn(arn: &str) -> Option<Vec<&str>> {
        Self::KIND.path.read(resource_part(Self::KIND, arn)?)
    }

    /// Appends the parts of an ARN that identify the resource to a key; none if it is no ARN of this kind.
    fn key_of_arn(key: Key, arn: &str) -> Option<Key> {
        let parts = Self::KIND.path.read_identity(resource_part(Self::KIND, arn)?)?;
        Some(add_names::<Self>(key, &parts))
    }

    /// Name of the field with the ARN.
    fn arn_field() -> &'static str {
        match Self::KIND.arn {
            Identity::Path([name]) => name,
            _ => "Arn",
        }
    }

    /// Finds the resource with these names: the key of its row.
    fn find_by(cx: &Tx<'_>, names: &[&str]) -> Result<Option<Self>> {
        cx.get(&add_names::<Self>(Self::table(cx.scope()), names))
    }

    /// Finds the resource with this ARN or name, the value of the parameter `field`. Resources of another account or Region are
    /// not found.
    fn find(cx: &Tx<'_>, given: &str, field: &str) -> Result<Option<Self>> {
        let invalid = (Self::KIND.service)().invalid_arn;
        if !given.starts_with("arn:") && invalid.is_none() {
            return Self::find_by(cx, &[given]);
        }
        let Some(key) = Self::key_of_arn(Self::table(cx.scope()), given) else {
            return match invalid {
                Some(invalid) => Err(invalid(given, Self::KIND).with_field(field)),
                None => Ok(None),
            };
        };
        if !cx.scope().owns(given) {
            return Ok(None);
        }
        Ok(cx.get(&key)?.filter(|found: &Self| found.arn().ok().flatten() == Some(given)))
    }

    /// Finds the resource with this ARN or name, or refuses with the not-found error of the kind.
    fn require(cx: &Tx<'_>, given: &str, field: &str) -> Result<Self> {
        Self::find(cx, given, field)?.ok_or_else(|| Self::not_found(given))
    }

    /// Finds the resource with this ARN, or refuses if it does not exist; none if it is no ARN of this kind.
    fn require_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        match Self::read_arn(arn) {
            Some(_) => Self::require(cx, arn, "ResourceArn").map(Some),
            None => Ok(None),
        }
    }

    /// Error for a name or an ARN that does not exist.
    fn not_found(given: &str) -> Error {
        Self::KIND.missing(given)
    }
}

impl<R: Resource + Stored> Addressed for R {}

/// Appends names to a key, as the service of the kind keeps them.
fn add_names<R: Resource>(key: Key, names: &[&str]) -> Key {
    let service = (R::KIND.service)();
    names.iter().fold(key, |key, name| key.text(&service.kept_name(name)))
}

/// Returns the ARN of a resource by the template of its kind; none if a field that it needs is null.
pub fn own_arn<R: Resource>(resource: &R, scope: &Scope) -> Option<Text> {
    arn_of(R::KIND, resource, scope).map(Text::from)
}

fn arn_of(kind: &KindShape, resource: &dyn Fields, scope: &Scope) -> Option<Arn> {
    let value = |name| {
        let (index, _) = resource.shape().field(name)?;
        resource.field(index).view().as_text()
    };
    Some(arn(scope, kind, &kind.path.fill(value)?))
}

/// Returns an ARN of the service of `kind`. Requests to a service are signed for the name that its ARNs have.
fn arn(scope: &Scope, kind: &KindShape, resource: &str) -> Arn {
    scope.arn((kind.service)().signing, &[resource])
}

/// Returns the resource part of an ARN of the service of `kind`.
fn resource_part<'a>(kind: &KindShape, arn: &'a str) -> Option<&'a str> {
    let [_, service, _, _, resource] = Arn::parts(arn)?;
    (service == (kind.service)().signing).then_some(resource)
}
