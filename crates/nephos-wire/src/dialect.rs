//! The two dialects of query services: names of members and list items.

use nephos_core::{
    Type,
    shape::{FieldShape, Location},
};
use std::borrow::Cow;

/// Default name of the items of a list.
const MEMBER: &str = "member";

/// Dialect of a query service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Dialect of most query services.
    Query,
    /// Dialect of EC2.
    Ec2,
}

/// Layout of the items of a list, or the entries of a mapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items {
    /// Name of each item, unless they are flat.
    pub(crate) name: &'static str,
    /// True if there is no element around the items.
    pub(crate) flat: bool,
}

impl Dialect {
    /// Returns the name of `field` in a form.
    pub(crate) fn form_name(self, field: &FieldShape) -> Cow<'static, str> {
        let wire = field.wire;
        match self {
            Self::Query => Cow::Borrowed(flat_item_name(field).unwrap_or(wire)),
            Self::Ec2 if wire.starts_with(|first: char| first.is_ascii_lowercase()) => {
                Cow::Owned(wire[..1].to_ascii_uppercase() + &wire[1..])
            }
            Self::Ec2 => Cow::Borrowed(wire),
        }
    }

    /// True if `key` is the name of `field` in a form. An empty list has its own name even if its items have another.
    pub(crate) fn is_form_name(self, field: &FieldShape, key: &str) -> bool {
        is_on_wire(field) && (self.form_name(field) == key || (self == Self::Query && field.wire == key))
    }

    /// Returns the layout of the items of the list in `field` in a form.
    pub(crate) fn items_in_form(self, field: &FieldShape) -> Items {
        match (self, field.ty) {
            (Self::Ec2, Type::List(_)) => Items { name: "", flat: true },
            _ => Items { name: field.details.item, flat: field.details.flat },
        }
    }

    /// Returns the layout of the items of nested lists in a form.
    pub(crate) fn nested_items_in_form(self) -> Items {
        Items { name: MEMBER, flat: self == Self::Ec2 }
    }

    /// Returns the layout of the items of the list in `field` in XML.
    pub(crate) fn items_in_xml(self, field: &FieldShape) -> Items {
        let name =
            if field.details.item == MEMBER { self.nested_items_in_xml().name } else { field.details.item };
        Items { name, flat: field.details.flat }
    }

    /// Returns the layout of the items of nested lists in XML.
    pub(crate) fn nested_items_in_xml(self) -> Items {
        Items { name: if self == Self::Ec2 { "item" } else { MEMBER }, flat: false }
    }
}

/// Returns the name of `field` in XML.
pub(crate) fn xml_name(field: &FieldShape) -> &'static str {
    flat_item_name(field).unwrap_or(field.wire)
}

/// True if the field is on the wire. These protocols have no other location than the body.
pub(crate) fn is_on_wire(field: &FieldShape) -> bool {
    field.location != Location::NotOnWire
}

/// Returns the name of the items of a flat list, if they have one of their own.
fn flat_item_name(field: &FieldShape) -> Option<&'static str> {
    (field.details.flat && field.details.item != MEMBER && matches!(field.ty, Type::List(_)))
        .then_some(field.details.item)
}
