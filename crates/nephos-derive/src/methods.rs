//! Generates typed getters, checked setters, builders and typed fields.

use crate::{
    attrs::{FieldInfo, inside, last_name},
    fields::RecordInfo,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// Differences of a model's methods from those of a plain record.
#[derive(Default)]
pub(crate) struct Special {
    /// True if callers cannot change it: it has no setters and no builder.
    pub(crate) frozen: bool,
    /// Field with its tags.
    pub(crate) tags: Option<usize>,
    /// Fields without a getter of their own.
    pub(crate) no_getter: Vec<usize>,
}

/// Generates the methods of a record: getters, setters, a builder, `FIELDS`.
pub(crate) fn methods(info: &RecordInfo<'_>, special: &Special) -> TokenStream {
    let (ident, vis) = (info.ident, info.vis);
    let indexed = || info.fields.iter().enumerate();
    let getters = getters(info, special);
    let fields_type = format_ident!("{ident}Fields");
    let typed = info.fields.iter();
    let typed =
        typed.map(|FieldInfo { ident, ty, name, docs, .. }| quote!(#[doc = #docs] #ident: #ty = #name,));
    let setters = (!special.frozen).then(|| {
        let builder = format_ident!("{ident}Builder");
        let settable = indexed().filter(|(_, field)| !field.attrs.service_set);
        let settable = settable.map(|(index, FieldInfo { ident, rust_name, inner, docs, .. })| {
            let set = format_ident!("set_{rust_name}");
            let clear = format_ident!("clear_{rust_name}");
            let errors = if special.tags == Some(index) {
                "`Invalid` for tags that break a rule; the old tags stay. Tags with the reserved prefix cannot be set or removed."
            } else {
                "`Invalid` for a value that breaks a rule; the old value stays."
            };
            quote!(#[doc = #docs] #ident #set #clear: #inner = #index, #errors;)
        });
        quote!(::nephos_core::derived_setters!(#vis #builder: #ident { #(#settable)* });)
    });
    quote! {
        #getters
        #setters
        ::nephos_core::derived_typed_fields!(#vis #fields_type: #ident { #(#typed)* });
    }
}

/// Generates the getters of a record.
pub(crate) fn getters(info: &RecordInfo<'_>, special: &Special) -> TokenStream {
    let fields = info.fields.iter().enumerate().filter(|(index, _)| !special.no_getter.contains(index));
    let (ident, getters) = (info.ident, fields.map(|(_, field)| getter(field)));
    quote!(impl #ident { #(#getters)* })
}

/// Generates a getter: by value if that is cheap, borrowed otherwise.
fn getter(field: &FieldInfo) -> TokenStream {
    let FieldInfo { ident, docs, inner, .. } = field;
    let not_in_list =
        field.attrs.shape.contains_key("not_in_list").then_some("\n\nListings omit it.").into_iter();
    // The type of a field that is taken from a kind is an associated type, of which the kind knows the name.
    let type_name = field.taken_from.as_ref().map(|from| from.type_name.clone()).or_else(|| last_name(inner));
    let (ty, read) = match (type_name.as_deref(), inside(inner, "Vec")) {
        (_, Some(item)) => (quote!(&[#item]), quote!(.as_deref())),
        (Some("Vec"), None) => (quote!(&<#inner as ::core::ops::Deref>::Target), quote!(.as_deref())),
        (Some("Text"), _) => (quote!(&str), quote!(.as_deref())),
        (Some("bool" | "i64" | "f64" | "Timestamp"), _) => (quote!(#inner), quote!()),
        _ => (quote!(&#inner), quote!(.as_ref())),
    };
    quote! {
        #[doc = #docs]
        #(#[doc = #not_in_list])*
        #[inline]
        pub fn #ident(&self) -> Option<#ty> {
            self.#ident #read
        }
    }
}
