//! The tokens of a `FieldShape`, from the attributes of the field.

use super::{FieldAttrs, FieldInfo, TakenFrom, last_name};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeMap;
use syn::{LitStr, Path, ext::IdentExt};

/// Members of a shape, and their values.
pub(super) type Members = BTreeMap<&'static str, TokenStream>;

/// Members of `FieldShape` that words set; words set all members of `FieldDetails`.
const SET_BY_WORDS: [&str; 6] = ["default", "fixed", "location", "not_in_list", "rust_name", "sensitive"];

/// Separates the members of `FieldShape` from those of `FieldDetails`.
fn split(members: &Members) -> (Members, Members) {
    members.clone().into_iter().partition(|(name, _)| SET_BY_WORDS.contains(name))
}

/// Tokens of details: those of `base`, except for these members.
fn details_tokens(details: &Members, base: TokenStream) -> TokenStream {
    if details.is_empty() {
        return base;
    }
    let members = details.keys().map(|member| format_ident!("{member}"));
    let values = details.values();
    quote!(&::nephos_core::shape::FieldDetails { #(#members: #values,)* ..*#base })
}

impl FieldInfo {
    /// Tokens of its `FieldShape`.
    pub(crate) fn shape(&self, required: bool) -> TokenStream {
        if let Some(from) = &self.taken_from {
            return self.taken_shape(from, required);
        }
        let Self { name, rust_name, docs, ty, attrs: FieldAttrs { aliases, shape, .. }, .. } = self;
        let rules = self.rules();
        let wire = self.wire();
        let (key, wire_key) = (format!("\"{name}\":"), format!("\"{wire}\":"));
        let (open, close) = (format!("<{wire}>"), format!("</{wire}>"));
        let presence = self.presence(required);
        let (own, mut details) = split(shape);
        if !aliases.is_empty() {
            details.insert("aliases", quote!(&[#(#aliases),*]));
        }
        let details = details_tokens(&details, quote!(::nephos_core::shape::FieldDetails::NONE));
        let is_secret = last_name(&self.inner).is_some_and(|name| name == "Secret");
        let mut members = Members::from([
            ("default", quote!(None)),
            ("fixed", quote!(false)),
            ("location", quote!(::nephos_core::shape::Location::Body)),
            ("not_in_list", quote!(false)),
            ("rust_name", quote!(#rust_name)),
            ("sensitive", quote!(#is_secret)),
        ]);
        members.extend(own);
        let (members, values) = (members.keys().map(|member| format_ident!("{member}")), members.values());
        quote! {
            ::nephos_core::shape::FieldShape {
                name: #name,
                wire: #wire,
                key: #key,
                wire_key: #wire_key,
                xml_tags: [#open, #close],
                docs: #docs,
                ty: <#ty as ::nephos_core::field_value::FieldType>::TYPE,
                presence: #presence,
                rules: #rules,
                details: #details,
                #(#members: #values,)*
            }
        }
    }

    /// Tokens of the `FieldShape` of a parameter taken from a kind: that of the field, with the operation's
    /// overrides.
    fn taken_shape(&self, from: &TakenFrom, required: bool) -> TokenStream {
        let FieldAttrs { name, wire, rules, shape, .. } = &self.attrs;
        let TakenFrom { kind, position, .. } = from;
        let at = quote!(<#kind as ::nephos_core::Record>::SHAPE, #position);
        let (mut members, details) = split(shape);
        if !details.is_empty() {
            let details = details_tokens(&details, quote!(::nephos_core::shape::details_at(#at)));
            members.insert("details", details);
        }
        if let Some(name) = name.as_ref().map(LitStr::value) {
            let key = format!("\"{name}\":");
            members.extend([("name", quote!(#name)), ("key", quote!(#key))]);
        }
        if let Some(wire) = wire.as_ref().map(LitStr::value) {
            let (key, open, close) = (format!("\"{wire}\":"), format!("<{wire}>"), format!("</{wire}>"));
            let (wire, tags) = (quote!(#wire), quote!([#open, #close]));
            members.extend([("wire", wire), ("wire_key", quote!(#key)), ("xml_tags", tags)]);
        }
        if !rules.is_empty() {
            members.insert("rules", quote!(&[#(#rules),*]));
        }
        let presence = self.presence(required);
        let base = if self.attrs.is_projected {
            let own = &self.rust_name;
            members.insert("rust_name", quote!(#own));
            members.insert("presence", presence);
            quote!(::nephos_core::shape::field_at(#at))
        } else {
            quote!(::nephos_core::shape::parameter_at(#at, #presence))
        };
        if members.is_empty() {
            return base;
        }
        let (members, values) = (members.keys().map(|member| format_ident!("{member}")), members.values());
        quote!(::nephos_core::shape::FieldShape { #(#members: #values,)* ..#base })
    }

    /// Tokens of its `Presence`.
    fn presence(&self, required: bool) -> TokenStream {
        let presence = match required {
            _ if self.attrs.service_set => quote!(ServiceSet),
            true => quote!(Required),
            false => quote!(Optional),
        };
        quote!(::nephos_core::shape::Presence::#presence)
    }

    /// Tokens of its rules: its own, or those of the field in `like`.
    fn rules(&self) -> TokenStream {
        let FieldAttrs { rules, like, .. } = &self.attrs;
        like.as_ref().map_or_else(|| quote!(&[#(#rules),*]), rules_like)
    }
}

/// Tokens of the rules of another record's field: `TargetGroup::port`.
pub(super) fn rules_like(field: &Path) -> TokenStream {
    let mut record = field.clone();
    let field = record.segments.pop().map(|last| last.ident.unraw().to_string());
    record.segments.pop_punct();
    quote!(::nephos_core::shape::field_of(<#record as ::nephos_core::Record>::SHAPE, #field).rules)
}
