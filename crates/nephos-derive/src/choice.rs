//! `#[derive(Choice)]`.

use crate::attrs::{docs, needed_docs, refuse, text, words};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields, Ident, LitStr, Result, Token, Variant, parse::ParseStream};

struct Value {
    ident: Ident,
    name: String,
    wire: String,
    docs: String,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let ident = &input.ident;
    let Data::Enum(data) = &input.data else { return refuse(ident, "only an enum can be a choice") };
    let mut name = ident.to_string();
    words(&input.attrs, "choice", "an enum may have: name", |word, meta| {
        if word == "name" {
            name = text(meta)?.value();
        }
        Ok(word == "name")
    })?;
    let (mut values, mut unknown) = (Vec::<Value>::new(), None);
    for variant in &data.variants {
        match read(variant)? {
            Some(value) => {
                if let Some(twin) = values.iter().find(|twin| twin.name == value.name) {
                    let message = format!("`{}` and `{}` are both {:?}", twin.ident, value.ident, value.name);
                    return refuse(&variant.ident, message);
                }
                values.push(value);
            }
            None => unknown = Some(&variant.ident),
        }
    }
    let Some(unknown) = unknown else {
        let message = "add a last variant `#[choice(unknown)] Unknown(Text)`: a service may answer with a value \
                   that is not in the specification, and it is kept";
        return refuse(ident, message);
    };
    let docs = needed_docs(&input.attrs, ident)?;
    let values = values.iter().enumerate().map(|(index, value)| {
        let Value { ident, name, wire, docs } = value;
        quote!(#ident = #index, #name, #wire, #docs;)
    });
    Ok(quote!(::nephos_core::derived_choice!(#ident, #name, #docs { #(#values)* } #unknown);))
}

/// Parses a known value; `None` for the variant of unknown ones.
fn read(variant: &Variant) -> Result<Option<Value>> {
    let ident = &variant.ident;
    let (mut name, mut wire, mut unknown) = (ident.to_string(), None, false);
    for attr in variant.attrs.iter().filter(|attr| attr.path().is_ident("choice")) {
        attr.parse_args_with(|input: ParseStream<'_>| {
            while !input.is_empty() {
                if input.peek(LitStr) {
                    name = input.parse::<LitStr>()?.value();
                } else {
                    let word: Ident = input.parse()?;
                    if word == "unknown" {
                        unknown = true;
                    } else if word == "wire" {
                        input.parse::<Token![=]>()?;
                        wire = Some(input.parse::<LitStr>()?.value());
                    } else {
                        return refuse(&word, "a value may have: its name as a text, wire = \"…\", unknown");
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
            Ok(Some(Value { ident: ident.clone(), name, wire, docs: docs(&variant.attrs) }))
        }
        (_, true) => refuse(ident, "the variant for unknown values is written `Unknown(Text)`"),
        (_, false) => refuse(ident, "a value of an enum has no data"),
    }
}
