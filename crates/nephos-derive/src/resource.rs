//! `#[derive(Resource)]`.

use crate::{
    attrs::{self, FieldInfo, refuse},
    fields::{RecordAttrs, RecordInfo},
    methods::{Special, methods},
    projection,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Expr, Ident, LitStr, Path, Result, meta::ParseNestedMeta, parse_quote};

#[derive(Default)]
struct ResourceAttrs {
    record: RecordAttrs,
    service: Option<Path>,
    arn: Vec<LitStr>,
    name: Vec<LitStr>,
    pk: Vec<LitStr>,
    pk_mapping: bool,
    exists_if: Option<LitStr>,
    tags: Option<LitStr>,
    frozen: bool,
    /// Template of the resource part of its ARNs.
    path: Option<LitStr>,
    not_found: Option<Expr>,
    no_delete: bool,
    relations: Vec<Relation>,
}

impl ResourceAttrs {
    fn word(&mut self, word: &str, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        match word {
            "service" => self.service = Some(meta.value()?.parse()?),
            "arn" => self.read_arn(meta)?,
            "name" => self.name = vec![attrs::text(meta)?],
            "pk" => {
                self.pk_mapping = meta.input.peek(syn::token::Paren);
                self.pk = if self.pk_mapping { attrs::list(meta)? } else { vec![attrs::text(meta)?] };
            }
            "exists_if" => self.exists_if = Some(attrs::text(meta)?),
            "tags" => self.tags = Some(attrs::text(meta)?),
            "frozen" => self.frozen = true,
            "not_found" => self.not_found = Some(meta.value()?.parse()?),
            "no_delete" => self.no_delete = true,
            "relation" => self.relations.push(Relation::read(meta)?),
            _ => return self.record.word(word, meta),
        }
        Ok(true)
    }
}

impl ResourceAttrs {
    /// Parses `arn = "Arn"`, `arn("Arn", "archive/{Name}")` or `arn("vpc/{VpcId}")`: the field, and the template.
    fn read_arn(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if !meta.input.peek(syn::token::Paren) {
            self.arn = vec![attrs::text(meta)?];
            return Ok(());
        }
        for text in attrs::list::<LitStr>(meta)? {
            if text.value().contains('{') {
                self.path = Some(text);
            } else {
                self.arn = vec![text];
            }
        }
        Ok(())
    }

    /// Refuses fields in the template of ARNs that the kind does not have.
    fn check_path(&self, info: &RecordInfo<'_>) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        for name in projection::placeholders(&path.value()) {
            if !["", "*"].contains(&name.as_str()) {
                info.index_of(&LitStr::new(&name, path.span()))?;
            }
        }
        Ok(())
    }
}

struct Relation {
    ident: Ident,
    kind: Path,
    many: bool,
    with: Path,
    /// True if it is looked up each time, and for filters only: callers have a call of the same name.
    uncached: bool,
}

impl Relation {
    fn read(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let (mut ident, mut kind, mut many, mut with, mut uncached) = (None, None, false, None, false);
        meta.parse_nested_meta(|inner| {
            if inner.path.is_ident("one") || inner.path.is_ident("many") {
                many = inner.path.is_ident("many");
                kind = Some(inner.value()?.parse()?);
            } else if inner.path.is_ident("with") {
                with = Some(inner.value()?.parse()?);
            } else if inner.path.is_ident("uncached") {
                uncached = true;
            } else {
                ident = Some(inner.path.require_ident()?.clone());
            }
            Ok(())
        })?;
        match (ident, kind, with) {
            (Some(ident), Some(kind), Some(with)) if many || !uncached => {
                Ok(Self { ident, kind, many, with, uncached })
            }
            _ => Err(meta.error("write a relation as `relation(vpc, one = Vpc, with = find_vpc)`")),
        }
    }

    /// Tokens of its `RelationShape`.
    fn shape(&self) -> TokenStream {
        let Self { ident, kind, many, .. } = self;
        let name = ident.to_string();
        let kind = quote!(<#kind as ::nephos_core::Record>::SHAPE);
        quote!(::nephos_core::shape::RelationShape { name: #name, kind: #kind, many: #many })
    }

    /// Type of the result.
    fn found_type(&self) -> TokenStream {
        let kind = &self.kind;
        if self.many { quote!(::std::vec::Vec<#kind>) } else { quote!(::core::option::Option<#kind>) }
    }

    /// Entry in the macro that looks up relations by name.
    fn lookup(&self) -> TokenStream {
        let Self { ident, with, uncached, .. } = self;
        let (name, found) = (ident.to_string(), self.found_type());
        if *uncached {
            quote!(#name uncached<#found>(#with),)
        } else {
            quote!(#name remembered<#found>(Self::#ident),)
        }
    }

    /// Entry in the macro that makes methods.
    fn method(&self) -> TokenStream {
        let Self { ident, kind, many, with, .. } = self;
        let (name, found) = (ident.to_string(), self.found_type());
        let kind = kind.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let docs = match many {
            true => format!("Looks up the {}: models of [`{kind}`].", name.replace('_', " ")),
            false => format!("Looks up the {}: a [`{kind}`], if there is one.", name.replace('_', " ")),
        };
        quote!(#[doc = #docs] #ident(#name): #found = #with;)
    }
}

const WORDS: &str = "a resource may have: service, case, wire, arn, name, pk, exists_if, tags, frozen, not_found, extras, hot, \
     no_delete, relation, check, derive_fields";

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let mut attrs = ResourceAttrs::default();
    attrs::words(&input.attrs, "resource", WORDS, |word, meta| attrs.word(word, meta))?;
    let info = RecordInfo::read(input, std::mem::take(&mut attrs.record))?;
    info.check_all_optional()?;
    attrs.check_path(&info)?;
    let (ident, vis) = (info.ident, info.vis);
    let Some(slot) = info.beside_named("slot") else {
        return refuse(ident, "a resource needs a last field `slot: Slot`");
    };
    let lookups = attrs.relations.iter().map(Relation::lookup);
    let cached = attrs.relations.iter().filter(|relation| !relation.uncached).map(Relation::method);
    let access = quote!(::nephos_core::derived_model_fields!(#slot { #(#lookups)* }););
    let record = info.implement(access);
    let kind = kind(&info, &attrs)?;
    let special = Special {
        frozen: attrs.frozen,
        tags: attrs.tags.as_ref().map(|tags| info.index_of(tags)).transpose()?,
        no_getter: (0..info.fields.len()).filter(|&index| is_identity(&info.fields[index], &attrs)).collect(),
    };
    let methods = methods(&info, &special);
    let serde = info.serde();
    let manager = format_ident!("{ident}Manager");
    let unsupported_delete = (attrs.no_delete || attrs.frozen)
        .then(|| quote!(::nephos_core::derived_unsupported_delete!(#ident);));
    let table = projection::table(&info, attrs.arn.first(), attrs.path.as_ref());
    Ok(quote! {
        #record
        #serde
        #methods
        #table
        ::nephos_core::derived_resource!(#vis #manager: #ident #kind);
        ::nephos_core::derived_relations!(#ident.#slot { #(#cached)* });
        #unsupported_delete
    })
}

/// True if the field is an identity and has its name: it is read through the identity then.
fn is_identity(field: &FieldInfo, attrs: &ResourceAttrs) -> bool {
    let identity = match field.rust_name.as_str() {
        "arn" => &attrs.arn,
        "name" => &attrs.name,
        "pk" => &attrs.pk,
        _ => return false,
    };
    matches!(identity.as_slice(), [path] if path.value() == field.name)
}

/// Tokens of the `KindShape`.
fn kind(info: &RecordInfo<'_>, attrs: &ResourceAttrs) -> Result<TokenStream> {
    let (ident, name, frozen) = (info.ident, &info.name, attrs.frozen);
    let own = parse_quote!(crate::SERVICE);
    let service = attrs.service.as_ref().unwrap_or(&own);
    let arn = identity(info, &attrs.arn, false)?;
    let name_identity = identity(info, &attrs.name, false)?;
    let pk = identity(info, &attrs.pk, attrs.pk_mapping)?;
    let exists_if = index_or_none(info, attrs.exists_if.as_ref())?;
    let tags = index_or_none(info, attrs.tags.as_ref())?;
    let path = attrs.path.as_ref().map(LitStr::value).unwrap_or_default();
    let not_found = match &attrs.not_found {
        Some(not_found) => quote!(Some(#not_found)),
        None => quote!(None),
    };
    let relations = attrs.relations.iter().map(Relation::shape);
    Ok(quote! {
        ::nephos_core::shape::KindShape {
            name: #name,
            service: || &#service,
            record: <#ident as ::nephos_core::Record>::SHAPE,
            arn: #arn,
            name_identity: #name_identity,
            pk: #pk,
            exists_if: #exists_if,
            tags: #tags,
            frozen: #frozen,
            path: ::nephos_core::ResourcePath(#path),
            not_found: #not_found,
            relations: &[#(#relations),*],
        }
    })
}

fn identity(info: &RecordInfo<'_>, paths: &[LitStr], mapping: bool) -> Result<TokenStream> {
    let mut steps = Vec::new();
    for path in paths {
        info.index_of(path)?;
        let path = path.value();
        let names = path.split('.');
        steps.push(quote!(&[#(#names),*]));
    }
    Ok(match steps.as_slice() {
        [] => quote!(::nephos_core::shape::Identity::None),
        [path] if !mapping => quote!(::nephos_core::shape::Identity::Path(#path)),
        paths => quote!(::nephos_core::shape::Identity::Mapping(&[#(#paths),*])),
    })
}

fn index_or_none(info: &RecordInfo<'_>, name: Option<&LitStr>) -> Result<TokenStream> {
    let Some(name) = name else { return Ok(quote!(None)) };
    let index = info.index_of(name)?;
    Ok(quote!(Some(#index)))
}
