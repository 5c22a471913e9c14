//! The attributes, read and checked, with errors that point at what is wrong.

use crate::names::{Case, snake};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{
    Attribute, Error, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Path, RangeLimits, Result, Token, Type,
    UnOp, meta::ParseNestedMeta, parse::Parse, punctuated::Punctuated, spanned::Spanned,
};

/// What `#[field(…)]` says.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) name: Option<LitStr>,
    pub(crate) wire: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) presence: Option<(Presence, Span)>,
    pub(crate) default: Option<(Expr, TokenStream)>,
    pub(crate) rules: Vec<TokenStream>,
    pub(crate) location: Option<TokenStream>,
    pub(crate) item: Option<LitStr>,
    pub(crate) time: Option<TokenStream>,
    pub(crate) spellings: Option<Path>,
    pub(crate) from: Option<LitStr>,
    pub(crate) flat: bool,
    pub(crate) sensitive: bool,
    pub(crate) token: bool,
    pub(crate) model: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Presence {
    Required,
    ServiceSet,
}

const FIELD_WORDS: &str = "name, wire, nowhere, alias, required, service_set, default, length, range, pattern, \
     one_of, each, item, flat, in_path, in_query, in_header, time, spellings, sensitive, token, model, from";

impl FieldAttrs {
    pub(crate) fn read(attrs: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("field")) {
            attr.parse_nested_meta(|meta| read.word(&meta))?;
        }
        Ok(read)
    }

    fn word(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let word = meta.path.require_ident()?.to_string();
        let location = |place: &str| {
            let place = Ident::new(place, Span::call_site());
            Some(quote!(::nephos_core::shape::Location::#place))
        };
        match word.as_str() {
            "name" => self.name = Some(text(meta)?),
            "wire" => self.wire = Some(text(meta)?),
            "alias" => self.aliases.push(text(meta)?),
            "item" => self.item = Some(text(meta)?),
            "from" => self.from = Some(text(meta)?),
            "nowhere" => self.location = location("Nowhere"),
            "in_path" => self.location = location("Path"),
            "in_query" => self.location = location("Query"),
            "in_header" => self.location = location("Header"),
            "required" => self.presence(Presence::Required, meta)?,
            "service_set" => self.presence(Presence::ServiceSet, meta)?,
            "flat" => self.flat = true,
            "sensitive" => self.sensitive = true,
            "token" => self.token = true,
            "model" => self.model = true,
            "default" => {
                let value: Expr = meta.value()?.parse()?;
                let literal = literal(&value)?;
                self.default = Some((value, literal));
            }
            "spellings" => self.spellings = Some(meta.value()?.parse()?),
            "time" => self.time = Some(time_form(&text(meta)?)?),
            _ => match rule(&word, meta)? {
                Some(rule) => self.rules.push(rule),
                None => return Err(meta.error(format!("a field has no `{word}`; it may have {FIELD_WORDS}"))),
            },
        }
        Ok(())
    }

    fn presence(&mut self, presence: Presence, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if self.presence.is_some_and(|(said, _)| said != presence) {
            return Err(meta.error("a field is either `required` or `service_set`, not both"));
        }
        self.presence = Some((presence, meta.path.span()));
        Ok(())
    }
}

fn rule(word: &str, meta: &ParseNestedMeta<'_>) -> Result<Option<TokenStream>> {
    Ok(Some(match word {
        "length" => {
            let (min, max) = bounds(meta)?;
            if let Some(below) = min.as_ref().filter(|min| whole(min).is_some_and(|min| min < 0)) {
                return Err(Error::new_spanned(below, "a length is 0 or more"));
            }
            let min = min.map_or(quote!(0), |min| quote!(#min));
            let max = max.map_or(quote!(usize::MAX), |max| quote!(#max));
            quote!(::nephos_core::shape::Rule::Length { min: #min, max: #max })
        }
        "range" => {
            let (min, max) = bounds(meta)?;
            let min = min.map_or(quote!(i64::MIN), |min| quote!(#min));
            let max = max.map_or(quote!(i64::MAX), |max| quote!(#max));
            quote!(::nephos_core::shape::Rule::Range { min: #min, max: #max })
        }
        "pattern" => {
            let pattern = text(meta)?;
            if let Err(wrong) = regex_syntax::parse(&pattern.value()) {
                return Err(Error::new(pattern.span(), format!("this is not a regular expression: {wrong}")));
            }
            quote!(::nephos_core::shape::Rule::Pattern({
                static PATTERN: ::nephos_core::rules::Pattern = ::nephos_core::rules::Pattern::new(#pattern);
                &PATTERN
            }))
        }
        "one_of" => {
            let content;
            syn::parenthesized!(content in meta.input);
            let values = Punctuated::<Expr, Token![,]>::parse_terminated(&content)?;
            let values = values.iter().map(literal).collect::<Result<Vec<_>>>()?;
            quote!(::nephos_core::shape::Rule::OneOf(&[#(#values),*]))
        }
        "each" => {
            let mut rules = Vec::new();
            meta.parse_nested_meta(|inner| {
                let word = inner.path.require_ident()?.to_string();
                match rule(&word, &inner)? {
                    Some(rule) => rules.push(rule),
                    None => return Err(inner.error("`each` takes rules: length, range, pattern, one_of")),
                }
                Ok(())
            })?;
            quote!(::nephos_core::shape::Rule::Each(&[#(#rules),*]))
        }
        _ => return Ok(None),
    }))
}

/// The text after `word =`.
pub(crate) fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    meta.value()?.parse()
}

/// `(1..=512)`: a range with both ends included, one of them perhaps open.
fn bounds(meta: &ParseNestedMeta<'_>) -> Result<(Option<Expr>, Option<Expr>)> {
    let content;
    syn::parenthesized!(content in meta.input);
    let range: Expr = content.parse()?;
    let wrong = |why: &str| Err(Error::new_spanned(&range, why));
    const FORMS: &str = "write the bounds as `1..=512`, `..=512` or `1..`";
    let Expr::Range(parts) = &range else { return wrong(FORMS) };
    let (min, max) = (parts.start.as_deref().cloned(), parts.end.as_deref().cloned());
    if let (Some(min), Some(max)) = (min.as_ref().and_then(whole), max.as_ref().and_then(whole))
        && min > max
    {
        return wrong("nothing is within these bounds: the first is larger than the second");
    }
    match (&parts.limits, &max) {
        (RangeLimits::Closed(_), Some(_)) | (RangeLimits::HalfOpen(_), None) => Ok((min, max)),
        _ => wrong(FORMS),
    }
}

/// The whole number that is written there, if it is one.
fn whole(value: &Expr) -> Option<i128> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => whole(expr).map(|number: i128| -number),
        _ => None,
    }
}

/// A literal, as it stands in a shape.
fn literal(value: &Expr) -> Result<TokenStream> {
    let make = |variant: &str| {
        let variant = Ident::new(variant, Span::call_site());
        quote!(::nephos_core::shape::Literal::#variant(#value))
    };
    match value {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Str(_) => Ok(make("Text")),
            Lit::Int(_) => Ok(make("Int")),
            Lit::Float(_) => Ok(make("Float")),
            Lit::Bool(_) => Ok(make("Bool")),
            _ => Err(Error::new(value.span(), "expected a number, a text, or true or false")),
        },
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
            Expr::Lit(ExprLit { lit: Lit::Float(_), .. }) => Ok(make("Float")),
            _ => Ok(make("Int")),
        },
        Expr::Array(array) if array.elems.is_empty() => Ok(quote!(::nephos_core::shape::Literal::EmptyList)),
        Expr::Block(block) if block.block.stmts.is_empty() => {
            Ok(quote!(::nephos_core::shape::Literal::EmptyMap))
        }
        _ => Err(Error::new(value.span(), "expected a number, a text, true or false, `[]` or `{}`")),
    }
}

fn time_form(form: &LitStr) -> Result<TokenStream> {
    let variant = match form.value().as_str() {
        "epoch_seconds" => quote!(EpochSeconds),
        "epoch_millis" => quote!(EpochMillis),
        "iso8601" => quote!(Iso8601),
        "http" => quote!(Http),
        _ => return Err(Error::new(form.span(), "expected epoch_seconds, epoch_millis, iso8601 or http")),
    };
    Ok(quote!(::nephos_core::TimeForm::#variant))
}

/// The documentation of an item: its paragraphs, without the leading spaces that `///` leaves.
pub(crate) fn docs(attrs: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        if let syn::Meta::NameValue(pair) = &attr.meta
            && let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &pair.value
        {
            lines.push(line.value().trim().to_owned());
        }
    }
    lines.join("\n").trim().to_owned()
}

/// Reads `case = "…"`.
pub(crate) fn case(meta: &ParseNestedMeta<'_>) -> Result<Case> {
    let text = text(meta)?;
    Case::parse(&text.value()).ok_or_else(|| Error::new(text.span(), "expected pascal, camel or snake"))
}

/// A list in parentheses.
pub(crate) fn list<T: Parse>(meta: &ParseNestedMeta<'_>) -> Result<Vec<T>> {
    let content;
    syn::parenthesized!(content in meta.input);
    Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

/// A field as the derives see it.
pub(crate) struct FieldInfo {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// The type within `Option`, or the type itself.
    pub(crate) inner: Type,
    pub(crate) optional: bool,
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) attrs: FieldAttrs,
}

impl FieldInfo {
    pub(crate) fn read(field: &syn::Field, case: Case) -> Result<Self> {
        let ident = field.ident.clone().ok_or_else(|| Error::new(field.span(), "fields need names"))?;
        let attrs = FieldAttrs::read(&field.attrs)?;
        let rust = ident.to_string();
        let rust = rust.strip_prefix("r#").unwrap_or(&rust);
        let name = match &attrs.name {
            Some(name) => {
                let expected = snake(&name.value());
                if expected != rust {
                    let why = format!(
                        "a field that the specification calls {:?} is called `{expected}`",
                        name.value()
                    );
                    return Err(Error::new(ident.span(), why));
                }
                name.value()
            }
            None => case.spell(rust),
        };
        let (optional, inner) = match option_of(&field.ty) {
            Some(inner) => (true, inner.clone()),
            None => (false, field.ty.clone()),
        };
        field_type(&inner)?;
        if let Some((value, _)) = &attrs.default
            && let Some(wanted) = misfit(value, &inner)
        {
            return Err(Error::new_spanned(value, format!("the default of this field is {wanted}")));
        }
        let docs = docs(&field.attrs);
        if docs.is_empty() {
            return Err(Error::new(ident.span(), format!("say what `{rust}` is in a `///` line above it")));
        }
        Ok(Self { ident, ty: field.ty.clone(), inner, optional, name, docs, attrs })
    }

    pub(crate) fn rust_name(&self) -> String {
        let name = self.ident.to_string();
        name.strip_prefix("r#").unwrap_or(&name).to_owned()
    }

    pub(crate) fn service_set(&self) -> bool {
        matches!(self.attrs.presence, Some((Presence::ServiceSet, _)))
    }

    pub(crate) fn required(&self) -> bool {
        matches!(self.attrs.presence, Some((Presence::Required, _)))
    }
}

/// Refuses types that are almost what a field may have, with the one that was meant.
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
    Err(Error::new_spanned(ty, format!("a field cannot be of this type; write `{meant}`")))
}

/// What the default of a field of type `ty` has to be, if `value` is something else.
fn misfit(value: &Expr, ty: &Type) -> Option<&'static str> {
    let value = match value {
        Expr::Unary(negative) => &*negative.expr,
        value => value,
    };
    let is = |kind: fn(&Lit) -> bool| matches!(value, Expr::Lit(ExprLit { lit, .. }) if kind(lit));
    let (fits, wanted) = match last_name(ty).as_deref() {
        Some("bool") => (is(|lit| matches!(lit, Lit::Bool(_))), "true or false"),
        Some("i64") => (is(|lit| matches!(lit, Lit::Int(_))), "a whole number"),
        Some("f64") => (is(|lit| matches!(lit, Lit::Int(_) | Lit::Float(_))), "a number"),
        Some("Vec") => (matches!(value, Expr::Array(_)), "`[]`"),
        Some("Map") => (matches!(value, Expr::Block(_)), "`{}`"),
        Some("Value") => (true, "anything"),
        // Text, or what can be read from text: an enum value, an instant.
        _ => (is(|lit| matches!(lit, Lit::Str(_))), "a text"),
    };
    (!fits).then_some(wanted)
}

/// The type within an `Option`.
pub(crate) fn option_of(ty: &Type) -> Option<&Type> {
    inside(ty, "Option")
}

/// The single type argument of a type whose path ends in `name`.
pub(crate) fn inside<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != name {
        return None;
    }
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        syn::GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

/// The last name of a type's path.
pub(crate) fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}
