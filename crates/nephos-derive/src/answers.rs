//! Answers that are generated from an operation: a page of items, a wrapped value, or fields of its kind.

use crate::{
    attrs::{self, FieldInfo, Taken, refuse},
    fields::RecordInfo,
    methods::{Special, getters},
    operation::{Gives, OperationAttrs},
    projection::{self, KnownField},
};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    DeriveInput, Ident, Path, Result, Token, Type,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    parse_quote,
};

/// A page: its items, the pagination token of the next page, and a flag that says if there is one.
pub(crate) struct PageAnswer {
    items: Ident,
    /// Type of an item; the kind if it is not given.
    ty: Option<Type>,
    /// Function that converts the items for the call.
    by: Option<Path>,
    token: Ident,
    flag: Option<Ident>,
}

impl Parse for PageAnswer {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let Gives { items, ty, by, token } = input.parse()?;
        let Some(token) = token else {
            return refuse(items, "name the pagination token: `page(log_groups, next_token)`");
        };
        let flag = if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Ok(Self { items, ty, by, token, flag })
    }
}

/// A wrapped value: its field, and its type, which is the kind if it is not given.
pub(crate) struct Wrapped {
    field: Ident,
    ty: Option<Type>,
}

impl Parse for Wrapped {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let Gives { items, ty, .. } = input.parse()?;
        Ok(Self { field: items, ty })
    }
}

/// A generated answer.
pub(crate) enum Answer {
    Page(PageAnswer),
    Wrapped(Wrapped),
    Fields(Vec<Taken>),
}

/// Generates the record of the answer, and sets what the operation and its call return.
pub(crate) fn generate(
    input: &DeriveInput,
    attrs: &mut OperationAttrs,
    known: &[KnownField],
) -> Result<TokenStream> {
    let Some(answer) = attrs.answer.take() else { return Ok(quote!()) };
    let (ident, vis) = (&input.ident, &input.vis);
    if let Some(output) = &attrs.output {
        return refuse(output, "the answer is described already: remove `output`");
    }
    let record = format_ident!("{ident}Response");
    attrs.output = Some(parse_quote!(#record));
    let case = attrs.record.case.word();
    let docs = format!("Answer of [`{ident}`].");
    let kind = || match &attrs.of {
        Some(kind) => Ok(kind.to_token_stream()),
        None => refuse(ident, "name the kind, `of = LogGroup`, or the type: `page(log_groups: LogGroup, …)`"),
    };
    match answer {
        Answer::Page(PageAnswer { items, ty, by, token, flag }) => {
            let is_kind = ty.is_none();
            let item = ty.map_or_else(kind, |ty| Ok(ty.to_token_stream()))?;
            let flag = flag.map(|flag| quote!(, #flag));
            attrs.pages = is_kind && attrs.call.is_some();
            let ty = Some(parse_quote!(::std::vec::Vec<#item>));
            attrs.gives = Some(Gives { items: items.clone(), ty, by, token: Some(token.clone()) });
            Ok(quote! {
                ::nephos_core::page! {
                    #[doc = #docs]
                    #[record(case = #case)]
                    #vis struct #record { #items: #item, #token #flag }
                }
            })
        }
        Answer::Wrapped(Wrapped { field, ty }) => {
            let ty = ty.map_or_else(kind, |ty| Ok(ty.to_token_stream()))?;
            attrs.gives =
                Some(Gives { items: field.clone(), ty: Some(parse_quote!(#ty)), by: None, token: None });
            let member = words(&field);
            Ok(quote! {
                #[doc = #docs]
                #[derive(::nephos_core::Record)]
                #[record(answer, case = #case)]
                #vis struct #record {
                    #[doc = #member]
                    pub(crate) #field: ::core::option::Option<#ty>,
                }

                impl ::core::convert::From<#ty> for #record {
                    fn from(value: #ty) -> Self {
                        Self { #field: ::core::option::Option::Some(value) }
                    }
                }
            })
        }
        Answer::Fields(taken) => {
            let Some(kind) = attrs.of.clone() else {
                return refuse(ident, "name the kind whose fields it answers: `of = LogGroup`");
            };
            let case = attrs.record.case;
            let fields = projection::taken_fields(known, &kind, Vec::new(), taken, &[], case)?;
            projected(&docs, vis, &record, &kind, fields)
        }
    }
}

/// Returns a name as a sentence: `key_metadata` as `Key metadata.`
fn words(field: &Ident) -> String {
    let words = field.unraw().to_string().replace('_', " ");
    let (first, rest) = words.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

/// Generates a record with fields of a kind, and its conversion from the kind.
fn projected(
    docs: &str,
    vis: &syn::Visibility,
    record: &Ident,
    kind: &Path,
    fields: Vec<FieldInfo>,
) -> Result<TokenStream> {
    let input: DeriveInput = parse_quote!(#[doc = #docs] #vis struct #record {});
    let info = RecordInfo::read_with(&input, Default::default(), fields)?;
    let members = info
        .fields
        .iter()
        .map(|FieldInfo { ident, ty, docs, .. }| quote!(#[doc = #docs] pub(crate) #ident: #ty,));
    let members = quote!(#(#members)*);
    let (implementation, getters) =
        (info.implement(|_| false, quote!()), getters(&info, &Special::default()));
    let serde = info.serde();
    Ok(quote! {
        #[doc = #docs]
        #vis struct #record { #members }
        #implementation
        #serde
        #getters

        impl ::core::convert::From<#kind> for #record {
            fn from(mut model: #kind) -> Self {
                ::nephos_core::record::project(&mut model)
            }
        }
    })
}

/// Parses the words of generated answers; false for another word.
pub(crate) fn word(
    answer: &mut Option<Answer>,
    word: &str,
    meta: &syn::meta::ParseNestedMeta<'_>,
) -> Result<bool> {
    let parsed = match word {
        "page" => Answer::Page(in_parentheses(meta)?),
        "wraps" => Answer::Wrapped(in_parentheses(meta)?),
        "answers" => Answer::Fields(attrs::list(meta)?),
        _ => return Ok(false),
    };
    if answer.replace(parsed).is_some() {
        return Err(meta.error("an operation has one answer"));
    }
    Ok(true)
}

fn in_parentheses<T: Parse>(meta: &syn::meta::ParseNestedMeta<'_>) -> Result<T> {
    let content;
    syn::parenthesized!(content in meta.input);
    content.parse()
}
