//! The two dialects of query services: how each names members and items.

use nephos_core::{
    Type,
    shape::{FieldShape, Location},
};
use std::borrow::Cow;

/// What a list's items are called if nothing is said.
const MEMBER: &str = "member";

/// Which of the two a service speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// That of most query services.
    Query,
    /// That of EC2.
    Ec2,
}

/// How the items of a list, or the entries of a mapping, stand in what holds them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items {
    /// The name of each, if they are in something.
    pub(crate) name: &'static str,
    /// Whether they are in nothing.
    pub(crate) flat: bool,
}

impl Dialect {
    /// The name of `field` in a form.
    pub(crate) fn in_form(self, field: &FieldShape) -> Cow<'static, str> {
        let wire = field.wire;
        match self {
            Self::Query => Cow::Borrowed(item_of_flat(field).unwrap_or(wire)),
            Self::Ec2 if wire.starts_with(|first: char| first.is_ascii_lowercase()) => {
                Cow::Owned(wire[..1].to_ascii_uppercase() + &wire[1..])
            }
            Self::Ec2 => Cow::Borrowed(wire),
        }
    }

    /// Whether `key` is the name of `field` in a form. An empty list has its own name even if its items have another.
    pub(crate) fn is_in_form(self, field: &FieldShape, key: &str) -> bool {
        travels(field) && (self.in_form(field) == key || (self == Self::Query && field.wire == key))
    }

    /// How the items of the list in `field` stand in a form.
    pub(crate) fn items_in_form(self, field: &FieldShape) -> Items {
        match (self, field.ty) {
            (Self::Ec2, Type::List(_)) => Items { name: "", flat: true },
            _ => Items { name: field.item, flat: field.flat },
        }
    }

    /// How the items of lists within lists stand in a form.
    pub(crate) fn inner_in_form(self) -> Items {
        Items { name: MEMBER, flat: self == Self::Ec2 }
    }

    /// How the items of the list in `field` stand in XML.
    pub(crate) fn items_in_xml(self, field: &FieldShape) -> Items {
        let name = if field.item == MEMBER { self.inner_in_xml().name } else { field.item };
        Items { name, flat: field.flat }
    }

    /// How the items of lists within lists stand in XML.
    pub(crate) fn inner_in_xml(self) -> Items {
        Items { name: if self == Self::Ec2 { "item" } else { MEMBER }, flat: false }
    }
}

/// The name of `field` in XML.
pub(crate) fn in_xml(field: &FieldShape) -> &'static str {
    item_of_flat(field).unwrap_or(field.wire)
}

/// Whether the wire's record has the field. There is no other place than the body in these protocols.
pub(crate) fn travels(field: &FieldShape) -> bool {
    field.location != Location::NotOnWire
}

/// The items of a list without a list around it stand under their own name, if they have one.
fn item_of_flat(field: &FieldShape) -> Option<&'static str> {
    (field.flat && field.item != MEMBER && matches!(field.ty, Type::List(_))).then_some(field.item)
}
