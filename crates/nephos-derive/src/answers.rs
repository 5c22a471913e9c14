//! Answers that are generated from an operation: a page of items, a wrapped value, or fields of its kind.

use crate::{
    attrs::{self, FieldInfo, Taken, refuse},
    fields::{RecordAttrs, RecordInfo},
    manager_call::ReturnedMember,
    names::Case,
    operation::OperationAttrs,
    projection::{self, KnownField, Source},
};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Data, DataStruct, DeriveInput, Fields, Ident, Path, Result, Token, Type,
    ext::IdentExt,
    parse::{Parse, ParseStream, Parser},
    parse_quote,
};

/// A page: its items, the pagination token of the next page, and a flag that says if there is one.
pub(crate) struct PageAnswer {
    items: Member,
    /// Type of an item; the kind if it is not given.
    ty: Option<Type>,
    /// Function that converts the items for the call.
    by: Option<Path>,
    token: Member,
    flag: Option<Ident>,
}

/// A member of a generated answer, with the words of its field: `vpcs(wire = "vpcSet")`.
struct Member {
    ident: Ident,
    words: TokenStream,
}

impl Parse for Member {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let ident = input.parse()?;
        let mut words = TokenStream::new();
        if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            let content: TokenStream = content.parse()?;
            words = quote!(#[field(#content)]);
        }
        Ok(Self { ident, words })
    }
}

impl Parse for PageAnswer {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let items: Member = input.parse()?;
        let ty = after(input, input.peek(Token![:]))?;
        let by = if input.peek(Token![=>]) {
            input.parse::<Token![=>]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        let Some(token) = after(input, input.peek(Token![,]))? else {
            return refuse(items.ident, "name the pagination token: `page(log_groups, next_token)`");
        };
        let flag = after(input, input.peek(Token![,]))?;
        Ok(Self { items, ty, by, token, flag })
    }
}

/// Parses what follows the next token, if `is_there`.
fn after<T: Parse>(input: ParseStream<'_>, is_there: bool) -> Result<Option<T>> {
    if !is_there {
        return Ok(None);
    }
    input.parse::<proc_macro2::TokenTree>()?;
    input.parse().map(Some)
}

/// A wrapped value: its field, and its type, which is the kind if it is not given.
pub(crate) struct Wrapped {
    field: Member,
    ty: Option<Type>,
}

impl Parse for Wrapped {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let field = input.parse()?;
        Ok(Self { field, ty: after(input, input.peek(Token![:]))? })
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
            let lists_kind = ty.is_none() || by.is_some();
            let item = ty.map_or_else(kind, |ty| Ok(ty.to_token_stream()))?;
            let flag = flag.map(|flag| quote!(, #flag));
            attrs.pages = lists_kind && attrs.call.is_some();
            let ty = Some(parse_quote!(::std::vec::Vec<#item>));
            let Member { ident: items, words: of_items } = items;
            let Member { ident: token, words: of_token } = token;
            attrs.returns = Some(ReturnedMember { items: items.clone(), ty, by, token: Some(token.clone()) });
            Ok(quote! {
                ::nephos_core::page! {
                    #[doc = #docs]
                    #[record(case = #case)]
                    #vis struct #record { #of_items #items: #item, #of_token #token #flag }
                }
            })
        }
        Answer::Wrapped(Wrapped { field, ty }) => {
            let Member { ident: field, words } = field;
            let ty = ty.map_or_else(kind, |ty| Ok(ty.to_token_stream()))?;
            attrs.returns = Some(ReturnedMember {
                items: field.clone(),
                ty: Some(parse_quote!(#ty)),
                by: None,
                token: None,
            });
            let member = sentence(&field);
            Ok(quote! {
                #[doc = #docs]
                #[derive(::nephos_core::Record)]
                #[record(answer, case = #case)]
                #vis struct #record {
                    #[doc = #member]
                    #words
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
            let input: DeriveInput = parse_quote!(#[doc = #docs] #vis struct #record {});
            let attrs = RecordAttrs { answer: true, ..RecordAttrs::default() };
            projected(&input, attrs, &kind, fields)
        }
    }
}

/// Returns a name as a sentence: `key_metadata` as `Key metadata.`
fn sentence(field: &Ident) -> String {
    let words = field.unraw().to_string().replace('_', " ");
    let (first, rest) = words.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

/// Generates a record with fields of a kind and its own, and its conversion from the kind.
fn projected(
    input: &DeriveInput,
    attrs: RecordAttrs,
    kind: &Path,
    fields: Vec<FieldInfo>,
) -> Result<TokenStream> {
    let info = RecordInfo::read_with(input, attrs, fields)?;
    info.check_all_optional()?;
    let (ident, vis) = (info.ident, info.vis);
    let others = input.attrs.iter();
    let members = info
        .fields
        .iter()
        .map(|FieldInfo { ident, ty, docs, .. }| quote!(#[doc = #docs] pub(crate) #ident: #ty,));
    let members = quote!(#(#members)*);
    let implementation = info.implement(quote!());
    let methods = info.methods();
    Ok(quote! {
        #(#others)*
        #vis struct #ident { #members }
        #implementation
        #methods

        impl ::core::convert::From<#kind> for #ident {
            fn from(mut model: #kind) -> Self {
                ::nephos_core::record::project(&mut model)
            }
        }
    })
}

/// Adds fields of a kind to another kind, whose derive reads them, and the conversion from the kind.
fn projected_kind(
    mut input: DeriveInput,
    kind: &Path,
    taken: Vec<projection::Selected<'_>>,
    case: Case,
) -> Result<TokenStream> {
    let ident = input.ident.clone();
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &mut input.data else {
        return refuse(ident, "a kind with fields of another one is a struct with a field `slot: Slot`");
    };
    for (n, (field, one)) in taken.into_iter().enumerate() {
        let field = attrs::projected_field(field, one, kind, case);
        fields.named.insert(n, syn::Field::parse_named.parse2(field)?);
    }
    Ok(quote! {
        #input

        impl ::core::convert::From<#kind> for #ident {
            fn from(mut model: #kind) -> Self {
                ::nephos_core::record::project(&mut model)
            }
        }
    })
}

/// Content of `#[record_of(…)]`.
#[derive(Default)]
struct RecordOf {
    record: RecordAttrs,
    of: Option<Path>,
    takes: Vec<Taken>,
    except: Vec<Ident>,
}

/// Expands `#[record_of(of = Kind, takes(…))]` with the fields that the kind's macro passed.
pub(crate) fn expand_record(args: TokenStream, item: TokenStream, sources: &[Source]) -> Result<TokenStream> {
    const WORDS: &str = "a record with fields of a kind may have: of, takes, except, name, case, wire, check, derive_fields, answer, row";
    let input: DeriveInput = syn::parse2(item)?;
    let mut attrs = RecordOf::default();
    let parser = syn::meta::parser(|meta| {
        let word = meta.path.require_ident()?.to_string();
        match word.as_str() {
            "of" => attrs.of = Some(meta.value()?.parse()?),
            "takes" => attrs.takes = attrs::list(&meta)?,
            "except" => attrs.except = attrs::list(&meta)?,
            _ if attrs.record.own_word(&word, &meta)? => {}
            _ => return Err(meta.error(WORDS)),
        }
        Ok(())
    });
    syn::parse::Parser::parse2(parser, args)?;
    let (Some(kind), Some(source)) = (attrs.of, sources.first()) else {
        return refuse(&input.ident, "name the kind whose fields it has: `of = LogGroup`");
    };
    let RecordOf { record, takes, except, .. } = RecordOf { of: None, ..attrs };
    if input.attrs.iter().any(|attr| attr.path().is_ident("resource")) {
        let (_, taken) = projection::select(&source.fields, Vec::new(), takes, &except)?;
        return projected_kind(input, &kind, taken, record.case);
    }
    let mut fields =
        projection::taken_fields(&source.fields, &kind, Vec::new(), takes, &except, record.case)?;
    // A row keeps its fixed fields as its kind does.
    for field in fields.iter_mut().filter(|field| field.attrs.fixed) {
        field.attrs.shape.insert("fixed", quote!(true));
    }
    projected(&input, record, &kind, fields)
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
