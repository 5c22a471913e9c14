//! Parses and checks attributes. Errors point at the wrong token.

mod shape;

use crate::{
    names::{Case, hash, snake},
    projection::KnownField,
};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use shape::{Members, rules_like};
use std::fmt::Display;
use syn::{
    Attribute, Error, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Path, RangeLimits, Result, Token, Type,
    UnOp,
    ext::IdentExt,
    meta::ParseNestedMeta,
    parse::{Parse, ParseStream, Parser},
    parse_quote,
    punctuated::Punctuated,
};

/// Returns an error that points at `at`.
pub(crate) fn refuse<T>(at: impl ToTokens, message: impl Display) -> Result<T> {
    Err(Error::new_spanned(at, message))
}

/// Parses the attributes called `name`, `#[name(word, word = …, word(…))]`. `take` handles each word and returns
/// false for an unknown one, which is an error with the text `known`, in which `{word}` stands for the word.
pub(crate) fn words(
    attrs: &[Attribute],
    name: &str,
    known: &str,
    mut take: impl FnMut(&str, &ParseNestedMeta<'_>) -> Result<bool>,
) -> Result<()> {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        attr.parse_nested_meta(|meta| {
            let word = meta.path.require_ident()?.to_string();
            if take(&word, &meta)? { Ok(()) } else { Err(meta.error(known.replace("{word}", &word))) }
        })?;
    }
    Ok(())
}

/// Parses the text after `word =`.
pub(crate) fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    meta.value()?.parse()
}

/// Parses the list in parentheses after the word.
pub(crate) fn list<T: Parse>(meta: &ParseNestedMeta<'_>) -> Result<Vec<T>> {
    let content;
    syn::parenthesized!(content in meta.input);
    Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

/// Returns the documentation of an item: its lines, without the spaces that `///` leaves.
pub(crate) fn docs(attrs: &[Attribute]) -> String {
    let docs = attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let lines = docs.filter_map(|attr| match &attr.meta.require_name_value().ok()?.value {
        Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => Some(line.value().trim().to_owned()),
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns the documentation of an item; an error if there is none.
pub(crate) fn needed_docs(attrs: &[Attribute], ident: &Ident) -> Result<String> {
    let docs = docs(attrs);
    if docs.is_empty() {
        return refuse(ident, format!("document `{}` with a `///` line above it", ident.unraw()));
    }
    Ok(docs)
}

/// Content of `#[field(…)]`.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) name: Option<LitStr>,
    pub(crate) wire: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) required: bool,
    pub(crate) service_set: bool,
    pub(crate) fixed: bool,
    pub(crate) wire_only: bool,
    pub(crate) page_token: bool,
    /// True if the value comes from the model's field of the same name, which may have another type.
    pub(crate) from_model: bool,
    pub(crate) default: Option<Expr>,
    pub(crate) rules: Vec<TokenStream>,
    /// Field with the same rules: `TargetGroup::port`.
    pub(crate) like: Option<Path>,
    pub(crate) model: bool,
    /// True if a caller may set it, although its kind requires it.
    pub(crate) optional: bool,
    /// The field of another kind that it is.
    projected: Option<TakenFrom>,
    is_projected: bool,
    /// Members of its shape that have another value than usual.
    pub(crate) shape: Members,
}

const FIELD_WORDS: &str = "a field has no `{word}`; it may have name, wire, not_on_wire, alias, required, service_set, \
     fixed, default, clear, length, range, pattern, one_of, each, like, item, flat, in_path, in_query, in_header, payload, time, spellings, \
     sensitive, idempotency_token, page_token, page_size, response_only, wire_only, condition, no_effect, not_in_list, from_model, tags_by_type, model, from_field, sent_with, printed_after, optional";

impl FieldAttrs {
    /// Marks it as a parameter that only the operation on the wire has.
    pub(crate) fn set_wire_only(&mut self) {
        self.wire_only = true;
        self.shape.insert("wire_only", quote!(true));
    }

    fn word(&mut self, word: &str, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        match word {
            "wire_only" => self.set_wire_only(),
            "from_model" => self.from_model = true,
            "optional" => self.optional = true,
            // Of fields that this crate generates.
            "projected" => self.projected = Some(TakenFrom::read(meta)?),
            _ => return self.other_word(word, meta),
        }
        Ok(true)
    }

    fn other_word(&mut self, word: &str, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        let mut set = |member, value| drop(self.shape.insert(member, value));
        match word {
            "name" => self.name = Some(text(meta)?),
            "wire" => self.wire = Some(text(meta)?),
            "alias" => self.aliases.push(text(meta)?),
            "like" => self.like = Some(like(meta)?),
            "required" => self.required = true,
            "service_set" => self.service_set = true,
            "model" => {
                self.model = true;
                set("model", quote!(true));
            }
            "default" => {
                let value = self.default.insert(meta.value()?.parse()?);
                let literal = literal(value)?;
                set("default", quote!(Some(#literal)));
            }
            "clear" => {
                let literal = literal(&meta.value()?.parse()?)?;
                set("clear", quote!(Some(#literal)));
            }
            "not_on_wire" => set("location", quote!(::nephos_core::shape::Location::NotOnWire)),
            "in_path" => set("location", quote!(::nephos_core::shape::Location::Path)),
            "in_query" => set("location", quote!(::nephos_core::shape::Location::Query)),
            "in_header" => set("location", quote!(::nephos_core::shape::Location::Header)),
            "payload" => set("location", quote!(::nephos_core::shape::Location::Payload)),
            "item" => set("item", text(meta)?.into_token_stream()),
            "from_field" => set("from", text(meta)?.into_token_stream()),
            "sent_with" => set("sent_with", text(meta)?.into_token_stream()),
            "printed_after" => set("printed_after", text(meta)?.into_token_stream()),
            "condition" => set("condition", condition_key(&text(meta)?)?),
            "spellings" => set("spellings", meta.value()?.parse::<Path>()?.into_token_stream()),
            "time" => set("time", time_form(&text(meta)?)?),
            "fixed" => {
                self.fixed = true;
                set("fixed", quote!(true));
            }
            "response_only" => set("response_only", quote!(true)),
            "no_effect" => set("no_effect", quote!(true)),
            "not_in_list" => set("not_in_list", quote!(true)),
            "tags_by_type" => set("tags_by_type", quote!(true)),
            "flat" => set("flat", quote!(true)),
            "sensitive" => set("sensitive", quote!(true)),
            "idempotency_token" => set("token", quote!(true)),
            "page_token" => {
                self.page_token = true;
                set("paging", quote!(Some(::nephos_core::shape::Paging::Token)));
            }
            "page_size" => {
                set("paging", quote!(Some(::nephos_core::shape::Paging::Size)));
                if meta.input.peek(Token![=]) {
                    let size: syn::LitInt = meta.value()?.parse()?;
                    set("default_page_size", quote!(Some(#size)));
                }
            }
            _ => match rule(word, meta)? {
                Some(rule) => self.rules.push(rule),
                None => return Ok(false),
            },
        }
        if self.like.is_some() && !self.rules.is_empty() {
            return Err(meta.error(
                "a field has either rules of its own or those of another field with `like`, not both",
            ));
        }
        if self.service_set && self.shape.contains_key("condition") {
            return Err(meta.error("`condition` is for parameters, and callers do not set this field"));
        }
        if self.required && self.service_set {
            return Err(meta.error("a field is either `required` or `service_set`, not both"));
        }
        Ok(true)
    }
}

/// Parses a record and one of its fields, as in Rust: `TargetGroup::port`.
fn like(meta: &ParseNestedMeta<'_>) -> Result<Path> {
    let path: Path = meta.value()?.parse()?;
    if path.segments.len() < 2 {
        return refuse(path, "name a field of a record: `like = TargetGroup::port`");
    }
    Ok(path)
}

/// Reads `pattern = r"…"`, or `pattern(r"…", error)` with the service's own error for texts that do not match.
fn pattern(meta: &ParseNestedMeta<'_>) -> Result<(LitStr, TokenStream)> {
    if !meta.input.peek(syn::token::Paren) {
        return Ok((text(meta)?, quote!()));
    }
    let inner;
    syn::parenthesized!(inner in meta.input);
    let pattern = inner.parse()?;
    inner.parse::<syn::Token![,]>()?;
    let refusal: Path = inner.parse()?;
    Ok((pattern, quote!(.refusing(#refusal))))
}

fn rule(word: &str, meta: &ParseNestedMeta<'_>) -> Result<Option<TokenStream>> {
    Ok(Some(match word {
        "length" => {
            let (min, max) = bounds(meta, parse_quote!(0), parse_quote!(usize::MAX))?;
            if int_value(&min).is_some_and(|min| min < 0) {
                return refuse(min, "a length is 0 or more");
            }
            quote!(::nephos_core::shape::Rule::Length { min: #min, max: #max })
        }
        "range" => {
            let (min, max) = bounds(meta, parse_quote!(i64::MIN), parse_quote!(i64::MAX))?;
            quote!(::nephos_core::shape::Rule::Range { min: #min, max: #max })
        }
        "pattern" => {
            let (pattern, refusal) = pattern(meta)?;
            if let Err(wrong) = regex_syntax::parse(&pattern.value()) {
                return refuse(pattern, format!("this is not a regular expression: {wrong}"));
            }
            quote!(::nephos_core::shape::Rule::Pattern({
                static PATTERN: ::nephos_core::rules::Pattern = ::nephos_core::rules::Pattern::new(#pattern)#refusal;
                &PATTERN
            }))
        }
        "one_of" => {
            let values = list(meta)?.iter().map(literal).collect::<Result<Vec<_>>>()?;
            quote!(::nephos_core::shape::Rule::OneOf(&[#(#values),*]))
        }
        "each" => {
            let mut rules = Vec::new();
            let mut same = None;
            meta.parse_nested_meta(|inner| {
                let word = inner.path.require_ident()?.to_string();
                if word == "like" {
                    same = Some(rules_like(&like(&inner)?));
                    return Ok(());
                }
                let wrong = || inner.error("`each` takes rules: length, range, pattern, one_of");
                rules.push(rule(&word, &inner)?.ok_or_else(wrong)?);
                Ok(())
            })?;
            let rules = same.unwrap_or_else(|| quote!(&[#(#rules),*]));
            quote!(::nephos_core::shape::Rule::Each(#rules))
        }
        _ => return Ok(None),
    }))
}

/// Parses `(1..=512)`: an inclusive range; an open end is `default_min` or `default_max`.
fn bounds(meta: &ParseNestedMeta<'_>, default_min: Expr, default_max: Expr) -> Result<(Expr, Expr)> {
    let content;
    syn::parenthesized!(content in meta.input);
    let written: Expr = content.parse()?;
    let forms = "write the bounds as `1..=512`, `..=512` or `1..`";
    let Expr::Range(range) = &written else { return refuse(written, forms) };
    if matches!(range.limits, RangeLimits::HalfOpen(_)) != range.end.is_none() {
        return refuse(written, forms);
    }
    let min = range.start.as_deref().cloned().unwrap_or(default_min);
    let max = range.end.as_deref().cloned().unwrap_or(default_max);
    if int_value(&min).zip(int_value(&max)).is_some_and(|(min, max)| min > max) {
        return refuse(written, "the range is empty: its start is greater than its end");
    }
    Ok((min, max))
}

/// Value of an integer literal, if it is one.
fn int_value(value: &Expr) -> Option<i128> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => int_value(expr).map(|number: i128| -number),
        _ => None,
    }
}

/// Strips the minus sign from an expression.
fn unsigned(value: &Expr) -> &Expr {
    match value {
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => expr,
        value => value,
    }
}

/// Converts an expression into a literal of a shape.
fn literal(value: &Expr) -> Result<TokenStream> {
    let literal = match unsigned(value) {
        Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => quote!(Text(#value)),
        Expr::Lit(ExprLit { lit: Lit::Int(_), .. }) => quote!(Int(#value)),
        Expr::Lit(ExprLit { lit: Lit::Float(_), .. }) => quote!(Float(#value)),
        Expr::Lit(ExprLit { lit: Lit::Bool(_), .. }) => quote!(Bool(#value)),
        Expr::Array(array) if array.elems.is_empty() => quote!(EmptyList),
        Expr::Block(block) if block.block.stmts.is_empty() => quote!(EmptyMap),
        _ => return refuse(value, "expected a number, a text, true or false, `[]` or `{}`"),
    };
    Ok(quote!(::nephos_core::shape::Literal::#literal))
}

/// Checks a condition key of a service. Those of tags follow from the parameters with tags.
fn condition_key(key: &LitStr) -> Result<TokenStream> {
    match key.value().split_once(':') {
        Some(("aws", _)) => refuse(key, "global condition keys have no parameter of their own"),
        Some((service, name)) if !service.is_empty() && !name.is_empty() => Ok(key.into_token_stream()),
        _ => refuse(key, "write the key with the prefix of its service: `secretsmanager:Name`"),
    }
}

fn time_form(form: &LitStr) -> Result<TokenStream> {
    Ok(match form.value().as_str() {
        "epoch_seconds" => quote!(::nephos_core::TimeForm::EpochSeconds),
        "epoch_millis" => quote!(::nephos_core::TimeForm::EpochMillis),
        "iso8601" => quote!(::nephos_core::TimeForm::Iso8601),
        "http" => quote!(::nephos_core::TimeForm::Http),
        _ => return refuse(form, "expected epoch_seconds, epoch_millis, iso8601 or http"),
    })
}

/// A field, as parsed by the derives.
pub(crate) struct FieldInfo {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// Type within `Option`, or the type itself.
    pub(crate) inner: Type,
    pub(crate) optional: bool,
    pub(crate) name: String,
    pub(crate) rust_name: String,
    pub(crate) docs: String,
    pub(crate) attrs: FieldAttrs,
    /// For a parameter that an operation takes from a kind: that field.
    pub(crate) taken_from: Option<TakenFrom>,
}

/// The field of a kind that a parameter or the field of an answer is taken from.
pub(crate) struct TakenFrom {
    kind: Path,
    /// Position of the field among those of the kind.
    position: usize,
    /// Name of the field on the wire.
    wire: String,
    /// Last name of the field's type.
    pub(crate) type_name: String,
    /// Field of a model that the field is taken from, if it is a parameter itself.
    from: String,
}

impl TakenFrom {
    /// Parses what [`tokens`](Self::tokens) generates.
    fn read(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let content;
        syn::parenthesized!(content in meta.input);
        let kind = content.parse()?;
        content.parse::<Token![,]>()?;
        let position = content.parse::<syn::LitInt>()?.base10_parse()?;
        let text = || {
            content.parse::<Token![,]>()?;
            Ok::<_, Error>(content.parse::<LitStr>()?.value())
        };
        let (wire, type_name, from) = (text()?, text()?, text()?);
        Ok(Self { kind, position, wire, type_name, from })
    }

    /// Tokens of the word that passes it to a derive.
    fn tokens(&self) -> TokenStream {
        let Self { kind, position, wire, type_name, from } = self;
        quote!(projected(#kind, #position, #wire, #type_name, #from))
    }
}

/// A field of a kind that an operation takes: its name, another name that it gets there, and the attributes that the
/// operation overrides.
pub(crate) struct Taken {
    pub(crate) ident: Ident,
    renamed: Option<Ident>,
    attrs: FieldAttrs,
    /// The overriding attributes as written.
    words: TokenStream,
}

impl Taken {
    /// Takes the field unchanged.
    pub(crate) fn plain(ident: Ident) -> Self {
        Self { ident, renamed: None, attrs: FieldAttrs::default(), words: TokenStream::new() }
    }
}

impl Parse for Taken {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (ident, mut attrs) = (Ident::parse_any(input)?, FieldAttrs::default());
        let mut words = TokenStream::new();
        let renamed = if input.peek(Token![as]) {
            input.parse::<Token![as]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            let parser = syn::meta::parser(|meta| {
                let word = meta.path.require_ident()?.to_string();
                let known = attrs.word(&word, &meta)?;
                if known { Ok(()) } else { Err(meta.error(FIELD_WORDS.replace("{word}", &word))) }
            });
            words = content.parse()?;
            parser.parse2(words.clone())?;
        }
        Ok(Self { ident, renamed, attrs, words })
    }
}

/// Returns the field of a kind that takes it from another kind, with the words for its derive.
pub(crate) fn projected_field(field: &KnownField, taken: Taken, kind: &Path, case: Case) -> TokenStream {
    let words = taken.words.clone();
    let is_renamed = taken.renamed.is_some();
    let info = FieldInfo::taken(field, taken, kind, true, case);
    let FieldInfo { ident, ty, docs, attrs, .. } = &info;
    let mut all: Vec<_> = info.taken_from.iter().map(TakenFrom::tokens).collect();
    let (name, wire) = (&info.name, info.wire());
    if is_renamed || case.spell(&info.rust_name) != *name {
        all.push(quote!(name = #name));
    }
    all.push(quote!(wire = #wire));
    if is_renamed {
        let from = &field.name;
        all.push(quote!(from_field = #from));
    }
    all.extend((!field.settable).then(|| quote!(service_set)));
    all.extend((field.required && !attrs.optional).then(|| quote!(required)));
    all.extend(field.fixed.then(|| quote!(fixed)));
    all.extend((!words.is_empty()).then_some(words));
    quote!(#[doc = #docs] #[field(#(#all),*)] pub(crate) #ident: #ty)
}

impl FieldInfo {
    /// True if its type is written as a list.
    pub(crate) fn is_list(&self) -> bool {
        matches!(&self.inner, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Vec"))
    }

    /// Makes the parameter that an operation takes from a field of `kind`.
    pub(crate) fn taken(field: &KnownField, taken: Taken, kind: &Path, optional: bool, case: Case) -> Self {
        let Taken { ident, renamed, mut attrs, .. } = taken;
        attrs.page_token |= field.page_token;
        attrs.fixed |= field.fixed;
        if field.wire_only {
            attrs.set_wire_only();
        }
        let source = field.ident.unraw().to_string();
        let hash = hash(&source);
        let inner: Type = parse_quote!(<#kind as ::nephos_core::derived::HasField<#hash>>::Inner);
        let ty = if optional { parse_quote!(::core::option::Option<#inner>) } else { inner.clone() };
        let ident = match renamed {
            Some(renamed) => {
                let (name, from) = (case.spell(&renamed.unraw().to_string()), &field.name);
                let name = attrs.name.get_or_insert_with(|| LitStr::new(&name, renamed.span())).clone();
                attrs.wire.get_or_insert(name);
                let rust_name = renamed.unraw().to_string();
                attrs.shape.extend([("rust_name", quote!(#rust_name)), ("from", quote!(#from))]);
                renamed
            }
            None => respanned(&field.ident, &ident),
        };
        let rust_name = ident.unraw().to_string();
        let name = attrs.name.as_ref().map_or_else(|| field.name.clone(), LitStr::value);
        let docs = field.docs.clone();
        let taken_from = Some(TakenFrom {
            kind: kind.clone(),
            position: field.position,
            wire: field.wire.clone(),
            type_name: field.type_name.clone(),
            from: field.from.clone(),
        });
        Self { ident, ty, inner, optional, name, rust_name, docs, attrs, taken_from }
    }

    pub(crate) fn read(field: &syn::Field, ident: &Ident, case: Case, wire: Option<Case>) -> Result<Self> {
        let mut attrs = FieldAttrs::default();
        words(&field.attrs, "field", FIELD_WORDS, |word, meta| attrs.word(word, meta))?;
        let rust_name = ident.unraw().to_string();
        let name = attrs.name.as_ref().map_or_else(|| case.spell(&rust_name), LitStr::value);
        if let (Some(wire), None) = (wire, &attrs.wire) {
            attrs.wire = Some(LitStr::new(&wire.spell(&rust_name), ident.span()));
        }
        let expected = snake(&name);
        if attrs.name.is_some() && expected != rust_name {
            return refuse(
                ident,
                format!("a field that the specification calls {name:?} is called `{expected}`"),
            );
        }
        let within = inside(&field.ty, "Option");
        let (optional, inner) = (within.is_some(), within.unwrap_or(&field.ty).clone());
        field_type(&inner)?;
        if let Some(value) = &attrs.default
            && let Some(wanted) = expected_default(value, &inner)
        {
            return refuse(value, format!("the default of this field is {wanted}"));
        }
        let docs = needed_docs(&field.attrs, ident)?;
        let taken_from = attrs.projected.take();
        attrs.is_projected = taken_from.is_some();
        let (ident, ty) = (ident.clone(), field.ty.clone());
        Ok(Self { ident, ty, inner, optional, name, rust_name, docs, attrs, taken_from })
    }

    /// Provider's spelling.
    pub(crate) fn wire(&self) -> String {
        match (&self.attrs.wire, &self.taken_from) {
            (Some(wire), _) => wire.value(),
            (None, Some(from)) => from.wire.clone(),
            (None, None) => self.name.clone(),
        }
    }

    /// Field of a model that a parameter is taken from, if it has another name there; alternatives are joined with `|`.
    pub(crate) fn source(&self) -> String {
        match (self.attrs.shape.get("from"), &self.taken_from) {
            (Some(from), _) => from.to_string().trim_matches('"').to_owned(),
            (None, Some(taken)) => taken.from.clone(),
            (None, None) => String::new(),
        }
    }
}

/// Returns the identifier with another span.
fn respanned(ident: &Ident, at: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(at.span());
    ident
}

/// Rejects types that are close to a type of fields, and suggests the right one.
fn field_type(ty: &Type) -> Result<()> {
    let meant = match last_name(ty).as_deref() {
        Some("String" | "str") => "Text",
        Some("u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "isize") => "i64",
        Some("f32") => "f64",
        Some("HashMap" | "BTreeMap" | "IndexMap") => "Map",
        Some("Vec") => match inside(ty, "Vec") {
            Some(item) if last_name(item).as_deref() == Some("u8") => "Blob",
            Some(item) => return field_type(item),
            None => return Ok(()),
        },
        Some("Map") => return inside(ty, "Map").map_or(Ok(()), field_type),
        _ => return Ok(()),
    };
    refuse(ty, format!("a field cannot be of this type; write `{meant}`"))
}

/// Returns a description of the defaults that a field of type `ty` may have, if `value` is none of them.
fn expected_default(value: &Expr, ty: &Type) -> Option<&'static str> {
    let value = unsigned(value);
    let is = |kind: fn(&Lit) -> bool| matches!(value, Expr::Lit(ExprLit { lit, .. }) if kind(lit));
    let (fits, wanted) = match last_name(ty).as_deref() {
        Some("bool") => (is(|lit| matches!(lit, Lit::Bool(_))), "true or false"),
        Some("i64") => (is(|lit| matches!(lit, Lit::Int(_))), "a whole number"),
        Some("f64") => (is(|lit| matches!(lit, Lit::Int(_) | Lit::Float(_))), "a number"),
        Some("Vec") => (matches!(value, Expr::Array(_)), "`[]`"),
        Some("Map") => (matches!(value, Expr::Block(_)), "`{}`"),
        Some("Value") => (true, "anything"),
        // Text, or a type that is read from text: an enum, an instant.
        _ => (is(|lit| matches!(lit, Lit::Str(_))), "a text"),
    };
    (!fits).then_some(wanted)
}

/// Returns the single type argument of a type whose path ends in `name`.
pub(crate) fn inside<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        syn::GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

/// Returns the last name of a type's path.
pub(crate) fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}
