//! Typed getters, checked setters, builders and typed fields.

use crate::{
    attrs::{FieldInfo, inside, last_name},
    fields::RecordInfo,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Type;

/// The methods of a record: getters, setters, a builder, `FIELDS`.
pub(crate) fn record(info: &RecordInfo<'_>) -> TokenStream {
    let ident = info.ident;
    let getters = info.fields.iter().map(getter);
    let setters = settable(info).map(|(index, field)| setter(info, index, field));
    let builder = builder(info, quote!(::nephos_core::record::finish(self.0)));
    let fields = fields(info);
    quote! {
        impl #ident {
            #(#getters)*
            #(#setters)*
        }
        #builder
        #fields
    }
}

/// The fields that callers may assign, with their indices.
pub(crate) fn settable<'a>(info: &'a RecordInfo<'_>) -> impl Iterator<Item = (usize, &'a FieldInfo)> {
    info.fields.iter().enumerate().filter(|(_, field)| !field.service_set())
}

/// A method that reads the field: by value if that is cheap, borrowed otherwise.
pub(crate) fn getter(field: &FieldInfo) -> TokenStream {
    let (ident, docs, inner) = (&field.ident, &field.docs, &field.inner);
    let (ty, read) = if let Some(item) = inside(inner, "Vec") {
        (quote!(&[#item]), quote!(self.#ident.as_deref()))
    } else {
        match last_name(inner).as_deref() {
            Some("bool" | "i64" | "f64" | "Timestamp") => (quote!(#inner), quote!(self.#ident)),
            Some("Text") => (quote!(&str), quote!(self.#ident.as_deref())),
            _ => (quote!(&#inner), quote!(self.#ident.as_ref())),
        }
    };
    quote! {
        #[doc = #docs]
        pub fn #ident(&self) -> Option<#ty> {
            #read
        }
    }
}

/// A method that assigns the field, if the value keeps its rules.
pub(crate) fn setter(info: &RecordInfo<'_>, index: usize, field: &FieldInfo) -> TokenStream {
    let FieldInfo { ident, docs, inner, .. } = field;
    let set = format_ident!("set_{}", field.rust_name());
    let docs = format!("Assigns: {docs}");
    let slot = info.beside_named("slot");
    let give = slot.map(|slot| quote!(self.#slot.give(::nephos_core::FieldSet::of(#index));));
    let mark = slot.map(|slot| quote!(self.#slot.mark(#index);));
    quote! {
        #[doc = #docs]
        ///
        /// A value that breaks a rule is refused, and the old one stays.
        pub fn #set(&mut self, value: impl ::nephos_core::Give<#inner>) -> ::nephos_core::Result<()> {
            let value: Option<#inner> = ::nephos_core::Give::give(value);
            let field = &<Self as ::nephos_core::Record>::SHAPE.fields[#index];
            ::nephos_core::rules::check(field, ::nephos_core::datum::Datum::view(&value))?;
            #give
            if self.#ident != value {
                self.#ident = value;
                #mark
                ::nephos_core::record::Fields::settle(self);
            }
            Ok(())
        }
    }
}

/// A builder: it takes what it is given, and checks the whole in the end.
pub(crate) fn builder(info: &RecordInfo<'_>, finish: TokenStream) -> TokenStream {
    let (ident, vis) = (info.ident, info.vis);
    let builder = format_ident!("{ident}Builder");
    let about = format!("Builds a [`{ident}`].");
    let setters = settable(info).map(|(index, field)| {
        let FieldInfo { ident, docs, inner, .. } = field;
        let given = info
            .beside_named("slot")
            .map(|_| quote!(::nephos_core::record::Fields::note_given(&mut self.0, ::nephos_core::FieldSet::of(#index));));
        quote! {
            #[doc = #docs]
            pub fn #ident(mut self, value: impl ::nephos_core::Give<#inner>) -> Self {
                self.0.#ident = ::nephos_core::Give::give(value);
                #given
                self
            }
        }
    });
    quote! {
        #[doc = #about]
        #[must_use = "a builder does nothing until `build` is called"]
        #[derive(Clone, Debug)]
        #vis struct #builder(#ident);

        impl #builder {
            #(#setters)*

            /// Checks everything and gives back the record, or the first thing that is wrong with it.
            pub fn build(self) -> ::nephos_core::Result<#ident> {
                #finish
            }
        }

        impl #ident {
            #[doc = #about]
            pub fn builder() -> #builder {
                #builder(<Self as ::nephos_core::datum::DatumType>::blank())
            }
        }
    }
}

/// A struct of typed fields, and the constant `FIELDS` that is it.
pub(crate) fn fields(info: &RecordInfo<'_>) -> TokenStream {
    let (ident, vis) = (info.ident, info.vis);
    let holder = format_ident!("{ident}Fields");
    let about = format!("The fields of [`{ident}`], for predicates and orders.");
    let idents: Vec<_> = info.fields.iter().map(|field| &field.ident).collect();
    let types: Vec<&Type> = info.fields.iter().map(|field| &field.ty).collect();
    let names = info.fields.iter().map(|field| &field.name);
    let docs = info.fields.iter().map(|field| &field.docs);
    quote! {
        #[doc = #about]
        #[derive(Debug)]
        #vis struct #holder {
            #(#[doc = #docs] pub #idents: ::nephos_core::Field<#ident, #types>,)*
        }

        impl #ident {
            /// Its fields, for predicates and orders.
            pub const FIELDS: #holder = #holder {
                #(#idents: ::nephos_core::Field::new(&[#names]),)*
            };
        }
    }
}
