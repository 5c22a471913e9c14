//! `#[derive(Choice)]`.

use crate::attrs::docs;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Result, Token};

struct Value {
    ident: syn::Ident,
    name: String,
    wire: String,
    docs: String,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let ident = &input.ident;
    let Data::Enum(data) = &input.data else {
        return Err(Error::new(ident.span(), "only an enum can be a choice"));
    };
    let mut shape_name = ident.to_string();
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("choice")) {
        attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("name") {
                return Err(meta.error("an enum may have: name"));
            }
            shape_name = meta.value()?.parse::<LitStr>()?.value();
            Ok(())
        })?;
    }
    let (mut values, mut unknown) = (Vec::<Value>::new(), None);
    for variant in &data.variants {
        match read(variant)? {
            Some(value) => {
                if let Some(twin) = values.iter().find(|twin| twin.name == value.name) {
                    let why = format!("`{}` and `{}` are both {:?}", twin.ident, value.ident, value.name);
                    return Err(Error::new(variant.ident.span(), why));
                }
                values.push(value);
            }
            None => unknown = Some(&variant.ident),
        }
    }
    let unknown = unknown.ok_or_else(|| {
        let why = "add a last variant `#[choice(unknown)] Unknown(Text)`: a service may answer with a value \
                   that is not in the specification, and it is kept";
        Error::new(ident.span(), why)
    })?;
    let docs = docs(&input.attrs);
    if docs.is_empty() {
        return Err(Error::new(ident.span(), format!("say what `{ident}` is in a `///` line above it")));
    }
    let idents: Vec<_> = values.iter().map(|value| &value.ident).collect();
    let names = values.iter().map(|value| &value.name);
    let wires = values.iter().map(|value| &value.wire);
    let value_docs = values.iter().map(|value| &value.docs);
    let indices: Vec<usize> = (0..values.len()).collect();
    Ok(quote! {
        impl ::nephos_core::datum::Choice for #ident {
            const SHAPE: &'static ::nephos_core::shape::ChoiceShape = {
                static SHAPE: ::nephos_core::shape::ChoiceShape = ::nephos_core::shape::ChoiceShape {
                    name: #shape_name,
                    docs: #docs,
                    values: &[#(::nephos_core::shape::ChoiceValue {
                        name: #names,
                        wire: #wires,
                        docs: #value_docs,
                    }),*],
                };
                &SHAPE
            };

            fn index(&self) -> Option<usize> {
                match self {
                    #(Self::#idents => Some(#indices),)*
                    Self::#unknown(_) => None,
                }
            }

            fn from_index(index: usize) -> Self {
                match index {
                    #(#indices => Self::#idents,)*
                    _ => unreachable!("the shape has as many values as the enum"),
                }
            }

            fn from_unknown(text: &str) -> Self {
                Self::#unknown(text.into())
            }

            fn unknown(&self) -> Option<&str> {
                match self {
                    Self::#unknown(text) => Some(text),
                    _ => None,
                }
            }
        }

        impl ::nephos_core::datum::Datum for #ident {
            fn view(&self) -> ::nephos_core::Ref<'_> {
                ::nephos_core::datum::view_choice(self)
            }

            fn put(
                &mut self,
                value: ::nephos_core::Ref<'_>,
                reading: ::nephos_core::datum::Reading,
            ) -> ::core::result::Result<(), ::nephos_core::datum::Mismatch> {
                *self = ::nephos_core::datum::read_choice(value, reading)?;
                Ok(())
            }

            fn open(&mut self) -> ::nephos_core::datum::Open<'_> {
                ::nephos_core::datum::Open::Scalar
            }

            fn clear(&mut self) {
                *self = <Self as ::nephos_core::datum::DatumType>::blank();
            }

            fn fresh(&self) -> Box<dyn ::nephos_core::datum::Datum> {
                Box::new(<Self as ::nephos_core::datum::DatumType>::blank())
            }

            fn take_from(&mut self, other: &mut dyn ::nephos_core::datum::Datum) {
                ::nephos_core::datum::take_from(self, other);
            }
        }

        impl ::nephos_core::datum::DatumType for #ident {
            const TYPE: ::nephos_core::shape::Type =
                ::nephos_core::shape::Type::Choice(<Self as ::nephos_core::datum::Choice>::SHAPE);

            fn blank() -> Self {
                Self::#unknown(::nephos_core::Text::const_new(""))
            }

            fn read(
                value: ::nephos_core::Ref<'_>,
                reading: ::nephos_core::datum::Reading,
            ) -> ::core::result::Result<Self, ::nephos_core::datum::Mismatch> {
                ::nephos_core::datum::read_choice(value, reading)
            }

            fn usual(
                input: &mut ::nephos_core::json::Input<'_>,
                reading: ::nephos_core::datum::Reading,
            ) -> Option<Self> {
                ::nephos_core::datum::usual_choice(input, reading)
            }
        }

        impl ::core::fmt::Display for #ident {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(::nephos_core::datum::Choice::as_str(self))
            }
        }

        impl From<#ident> for ::nephos_core::Value {
            fn from(choice: #ident) -> Self {
                Self::Text(::nephos_core::datum::Choice::as_str(&choice).into())
            }
        }
    })
}

/// A known value; `None` for the variant that keeps unknown ones.
fn read(variant: &syn::Variant) -> Result<Option<Value>> {
    let mut name = variant.ident.to_string();
    let (mut wire, mut unknown) = (None, false);
    for attr in variant.attrs.iter().filter(|attr| attr.path().is_ident("choice")) {
        attr.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            while !input.is_empty() {
                if input.peek(LitStr) {
                    name = input.parse::<LitStr>()?.value();
                } else {
                    let word: syn::Ident = input.parse()?;
                    match word.to_string().as_str() {
                        "unknown" => unknown = true,
                        "wire" => {
                            input.parse::<Token![=]>()?;
                            wire = Some(input.parse::<LitStr>()?.value());
                        }
                        _ => {
                            let why = "a value may have: its name as a text, wire = \"…\", unknown";
                            return Err(Error::new(word.span(), why));
                        }
                    }
                }
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        })?;
    }
    match (&variant.fields, unknown) {
        (Fields::Unnamed(fields), true) if fields.unnamed.len() == 1 => Ok(None),
        (Fields::Unit, false) => {
            let wire = wire.unwrap_or_else(|| name.clone());
            Ok(Some(Value { ident: variant.ident.clone(), name, wire, docs: docs(&variant.attrs) }))
        }
        (_, true) => {
            Err(Error::new(variant.ident.span(), "the variant for unknown values is written `Unknown(Text)`"))
        }
        (_, false) => Err(Error::new(variant.ident.span(), "a value of an enum holds nothing")),
    }
}
