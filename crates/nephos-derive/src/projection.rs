//! Passes the fields of a kind, or of a record of shared parameters, to operations.
//!
//! `#[derive(Resource)]`, and `#[derive(Record)]` with `#[record(shared)]`, make a macro with the name of the
//! struct that holds its fields. `#[operation]` with `of = Kind` or `include(Record)` calls these macros one after
//! the other, and so gets the fields: their names, their docs, and which of them a caller sets.

use crate::{
    attrs::{FieldInfo, Taken, last_name, refuse},
    fields::RecordInfo,
    names::{self, Case},
};
use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{
    Ident, LitBool, LitStr, Path, Result, Token, braced,
    ext::IdentExt,
    parse::{Parse, ParseStream, Parser},
    punctuated::Punctuated,
};

/// Generates the macro with the name of the struct, and the types of its fields. A kind has the field with its ARN, and the
/// template of ARNs.
pub(crate) fn table(info: &RecordInfo<'_>, arn: Option<&LitStr>, path: Option<&LitStr>) -> TokenStream {
    let ident = info.ident;
    let text = |text: Option<&LitStr>| text.map(LitStr::value).unwrap_or_default();
    let (arn, path) = (text(arn), text(path));
    let types = info.fields.iter().map(|field| {
        let (hash, inner) = (names::hash(&field.rust_name), &field.inner);
        quote!(#[doc(hidden)] impl ::nephos_core::derived::HasField<#hash> for #ident { type Inner = #inner; })
    });
    let module = format_ident!("__fields_of_{ident}");
    let fields = info.fields.iter().map(|field| {
        let FieldInfo { ident, name, docs, attrs, .. } = field;
        let (wire, settable, fixed) = (field.wire(), !attrs.service_set, attrs.fixed);
        let (required, page_token, wire_only) = (attrs.required, attrs.page_token, attrs.wire_only);
        let type_name = last_name(&field.inner).unwrap_or_default();
        let from = field.source();
        quote!(#ident #name #wire #docs #type_name #from #settable #fixed #required #page_token #wire_only,)
    });
    quote! {
        #(#types)*
        #[doc(hidden)]
        #[allow(non_snake_case, unused_macros, unused_imports)]
        mod #module {
            macro_rules! #ident {
                ($($operation:tt)*) => {
                    ::nephos_core::operation_of! { { #arn #path #(#fields)* } $($operation)* }
                };
            }
            pub(crate) use #ident;
        }
        #[allow(unused_imports)]
        pub(crate) use #module::#ident;
    }
}

/// A field, as passed by the macro of its struct.
pub(crate) struct KnownField {
    pub(crate) ident: Ident,
    /// Position among the fields of its record.
    pub(crate) position: usize,
    pub(crate) name: String,
    pub(crate) wire: String,
    pub(crate) docs: String,
    /// Last name of its type.
    pub(crate) type_name: String,
    /// Field of a model that it is taken from.
    pub(crate) from: String,
    pub(crate) settable: bool,
    pub(crate) fixed: bool,
    pub(crate) required: bool,
    pub(crate) page_token: bool,
    pub(crate) wire_only: bool,
}

impl Parse for KnownField {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let ident = Ident::parse_any(input)?;
        let text = || Ok::<_, syn::Error>(input.parse::<LitStr>()?.value());
        let (name, wire, docs) = (text()?, text()?, text()?);
        let (type_name, from) = (text()?, text()?);
        let flag = || Ok::<_, syn::Error>(input.parse::<LitBool>()?.value);
        let (settable, fixed, required) = (flag()?, flag()?, flag()?);
        let (page_token, wire_only) = (flag()?, flag()?);
        input.parse::<Token![,]>()?;
        Ok(Self {
            ident,
            position: 0,
            name,
            wire,
            docs,
            type_name,
            from,
            settable,
            fixed,
            required,
            page_token,
            wire_only,
        })
    }
}

/// A struct whose fields an operation takes: its path, and the fields that its macro passed.
pub(crate) struct Source {
    pub(crate) path: Path,
    pub(crate) fields: Vec<KnownField>,
    /// Name of the field with its ARN, if it is a kind.
    arn: String,
    /// Template of its ARNs.
    arn_path: String,
    tokens: TokenStream,
}

impl Source {
    fn read(path: Path, fields: ParseStream<'_>) -> Result<Self> {
        let tokens = fields.fork().parse()?;
        let arn = fields.parse::<LitStr>()?.value();
        let arn_path = fields.parse::<LitStr>()?.value();
        let mut known = Vec::new();
        while !fields.is_empty() {
            known.push(KnownField { position: known.len(), ..fields.parse()? });
        }
        Ok(Self { path, fields: known, arn, arn_path, tokens })
    }

    /// Returns the subject of an operation of this kind with these parameters: the resource that they identify.
    pub(crate) fn subject(&self, params: &[FieldInfo]) -> Option<String> {
        let is_param = |name: &str| params.iter().any(|param| param.name == name);
        let has_arn = |param: &&FieldInfo| {
            !self.arn.is_empty()
                && (param.name == self.arn || param.source().split('|').any(|from| from == self.arn))
        };
        let by_arn = params.iter().find(has_arn).map(|param| format!("{{{}}}", param.name));
        let mut subject = String::new();
        let mut rest = self.arn_path.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (placeholder, behind) = after.split_once('}')?;
            let (name, default) = placeholder.split_once(':').unwrap_or((placeholder, ""));
            subject.push_str(before);
            match default.split_once('=') {
                _ if is_param(name) => subject.push_str(&format!("{{{placeholder}}}")),
                Some((_, default)) => subject.push_str(default.trim()),
                // A part that no parameter has.
                None if name.is_empty() && by_arn.is_none() => subject.push('*'),
                None => return by_arn,
            }
            rest = behind;
        }
        subject.push_str(rest);
        if subject.is_empty() { by_arn } else { Some(subject) }
    }
}

/// Returns the names of the fields in a template.
pub(crate) fn placeholders(template: &str) -> Vec<String> {
    let parts = template.split('{').skip(1).filter_map(|part| part.split_once('}'));
    parts.map(|(name, _)| name.split(':').next().unwrap_or_default().to_owned()).collect()
}

/// Input from the macro of a struct: its fields, the arguments of the attribute, the operation, the path of the
/// struct, the structs whose macros are still to be called, and those whose macros were called.
pub(crate) struct Projection {
    pub(crate) args: TokenStream,
    pub(crate) item: TokenStream,
    /// Structs whose macros are still to be called.
    pending: Vec<Path>,
    /// Structs whose fields are known.
    pub(crate) sources: Vec<Source>,
}

impl Parse for Projection {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (fields, args, item, path, pending, done);
        braced!(fields in input);
        braced!(args in input);
        braced!(item in input);
        braced!(path in input);
        braced!(pending in input);
        braced!(done in input);
        let mut sources = Vec::new();
        while !done.is_empty() {
            let (path, fields);
            path = done.parse()?;
            braced!(fields in done);
            sources.push(Source::read(path, &fields)?);
        }
        sources.push(Source::read(path.parse()?, &fields)?);
        let pending = Punctuated::<Path, Token![,]>::parse_terminated(&pending)?.into_iter().collect();
        Ok(Self { args: args.parse()?, item: item.parse()?, pending, sources })
    }
}

impl Projection {
    /// Returns the call of the next struct's macro, if one is left.
    pub(crate) fn call_next_macro(&self) -> Option<TokenStream> {
        call_macro(&self.args, &self.item, &self.pending, &self.sources)
    }
}

/// Returns a call of the macro of the first of `pending`, which expands to `operation_of` with the fields of that
/// struct.
pub(crate) fn call_macro(
    args: &TokenStream,
    item: &TokenStream,
    pending: &[Path],
    done: &[Source],
) -> Option<TokenStream> {
    let (next, rest) = pending.split_first()?;
    let done = done.iter().map(|Source { path, tokens, .. }| quote!(#path { #tokens }));
    Some(quote!(#next! { { #args } { #item } { #next } { #(#rest),* } { #(#done)* } }))
}

/// Marks the arguments of a record, in contrast to those of an operation.
pub(crate) fn mark_record(args: &TokenStream) -> TokenStream {
    quote!(record; #args)
}

/// Returns the arguments of a record; none if they are those of an operation.
pub(crate) fn record_arguments(args: &TokenStream) -> Option<TokenStream> {
    let mut tokens = args.clone().into_iter();
    let is_record = matches!(tokens.next()?, TokenTree::Ident(word) if word == "record")
        && matches!(tokens.next()?, TokenTree::Punct(mark) if mark.as_char() == ';');
    is_record.then(|| tokens.collect())
}

/// Returns the structs whose fields an operation takes: the kind in `of` first, then those in `include`.
pub(crate) fn sources(args: &TokenStream) -> Result<Vec<Path>> {
    let (mut kind, mut also) = (None, Vec::new());
    let mut tokens = args.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (token, tokens.peek()) {
            (TokenTree::Ident(word), Some(TokenTree::Punct(equals)))
                if word == "of" && equals.as_char() == '=' =>
            {
                let path = tokens.by_ref().skip(1);
                let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(c) if c.as_char() == ',');
                kind = Some(syn::parse2(path.take_while(|token| !is_comma(token)).collect())?);
            }
            (TokenTree::Ident(word), Some(TokenTree::Group(group))) if word == "include" => {
                let paths = Punctuated::<Path, Token![,]>::parse_terminated.parse2(group.stream())?;
                also.extend(paths);
            }
            _ => {}
        }
    }
    Ok(kind.into_iter().chain(also).collect())
}

/// Returns the parameters that an operation takes from `kind`, required ones first.
pub(crate) fn taken_fields(
    known: &[KnownField],
    kind: &Path,
    needs: Vec<Taken>,
    takes: Vec<Taken>,
    leaves: &[Ident],
    case: Case,
) -> Result<Vec<FieldInfo>> {
    let (needed, taken) = select(known, needs, takes, leaves)?;
    let field = |optional| move |(field, one)| FieldInfo::taken(field, one, kind, optional, case);
    Ok(needed.into_iter().map(field(false)).chain(taken.into_iter().map(field(true))).collect())
}

/// A field of a kind, and how it is taken.
pub(crate) type Selected<'k> = (&'k KnownField, Taken);

/// Returns the fields of a kind that `needs` and `takes` name, by themselves or as a group.
pub(crate) fn select<'k>(
    known: &'k [KnownField],
    needs: Vec<Taken>,
    takes: Vec<Taken>,
    leaves: &[Ident],
) -> Result<(Vec<Selected<'k>>, Vec<Selected<'k>>)> {
    let (mut needed, mut taken) = (Vec::new(), Vec::new());
    let mut named: Vec<String> = leaves.iter().map(|ident| ident.unraw().to_string()).collect();
    for leaf in leaves {
        find(known, leaf)?;
    }
    let explicit = |list: &[Taken]| list.iter().map(|one| one.ident.unraw().to_string()).collect::<Vec<_>>();
    named.extend(explicit(&needs));
    named.extend(explicit(&takes));
    for one in needs {
        needed.push((find(known, &one.ident)?, one));
    }
    for one in takes {
        let group: fn(&KnownField) -> bool = match one.ident.to_string().as_str() {
            "all" => |_| true,
            "settable" => |field| field.settable,
            "changeable" => |field| field.settable && !field.fixed,
            _ => {
                taken.push((find(known, &one.ident)?, one));
                continue;
            }
        };
        let span = one.ident.span();
        let others = known.iter().filter(|field| group(field));
        for field in others.filter(|field| !named.contains(&field.ident.unraw().to_string())) {
            let mut ident = field.ident.clone();
            ident.set_span(span);
            taken.push((field, Taken::plain(ident)));
        }
    }
    Ok((needed, taken))
}

/// Returns the parameters of a record of shared ones: the required ones, and the others.
pub(crate) fn shared_fields(source: &Source) -> (Vec<FieldInfo>, Vec<FieldInfo>) {
    let taken = |field: &KnownField| {
        let plain = Taken::plain(field.ident.clone());
        FieldInfo::taken(field, plain, &source.path, !field.required, Case::default())
    };
    source.fields.iter().map(taken).partition(|field| !field.optional)
}

fn find<'k>(known: &'k [KnownField], ident: &Ident) -> Result<&'k KnownField> {
    let name = ident.unraw();
    match known.iter().find(|field| field.ident.unraw() == name) {
        Some(field) => Ok(field),
        None => {
            let names: Vec<_> = known.iter().map(|field| field.ident.unraw().to_string()).collect();
            refuse(ident, format!("the kind has no field `{name}`; its fields are {}", names.join(", ")))
        }
    }
}
