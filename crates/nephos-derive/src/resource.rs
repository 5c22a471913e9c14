//! `#[derive(Resource)]`.

use crate::{
    attrs::{self, FieldInfo},
    fields::{RecordAttrs, RecordInfo},
    methods,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Error, Ident, LitStr, Path, Result, meta::ParseNestedMeta};

#[derive(Default)]
struct ResourceAttrs {
    record: RecordAttrs,
    service: Option<Path>,
    arn: Option<LitStr>,
    name: Option<LitStr>,
    pk: Vec<LitStr>,
    pk_mapping: bool,
    mark: Option<LitStr>,
    tags: Option<LitStr>,
    frozen: bool,
    calls: Vec<Path>,
    verbs: [Option<Path>; 4],
    relations: Vec<Relation>,
}

/// The operations that `save`, `delete` and refreshing carry out, in the order of `ResourceAttrs::verbs`.
const VERBS: [&str; 4] = ["create", "update", "delete", "get"];

struct Relation {
    ident: Ident,
    kind: Path,
    many: bool,
    with: Path,
}

impl ResourceAttrs {
    fn read(input: &DeriveInput) -> Result<Self> {
        let mut read = Self::default();
        for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("resource")) {
            attr.parse_nested_meta(|meta| read.word(&meta))?;
        }
        Ok(read)
    }

    fn word(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let word = meta.path.require_ident()?.to_string();
        if self.record.word(&word, meta)? {
            return Ok(());
        }
        if let Some(verb) = VERBS.iter().position(|verb| *verb == word) {
            self.verbs[verb] = Some(meta.value()?.parse()?);
            return Ok(());
        }
        match word.as_str() {
            "service" => self.service = Some(meta.value()?.parse()?),
            "arn" => self.arn = Some(attrs::text(meta)?),
            "name" => self.name = Some(attrs::text(meta)?),
            "pk" if meta.input.peek(syn::token::Paren) => {
                self.pk = attrs::list(meta)?;
                self.pk_mapping = true;
            }
            "pk" => self.pk = vec![attrs::text(meta)?],
            "mark" => self.mark = Some(attrs::text(meta)?),
            "tags" => self.tags = Some(attrs::text(meta)?),
            "frozen" => self.frozen = true,
            "calls" => self.calls = attrs::list(meta)?,
            "relation" => self.relations.push(relation(meta)?),
            _ => {
                return Err(meta.error(
                    "a resource may have: service, case, arn, name, pk, mark, tags, frozen, extras, calls, create, \
                     update, delete, get, relation, check, settle",
                ));
            }
        }
        Ok(())
    }
}

fn relation(meta: &ParseNestedMeta<'_>) -> Result<Relation> {
    let (mut ident, mut kind, mut many, mut with) = (None, None, false, None);
    meta.parse_nested_meta(|inner| {
        if inner.path.is_ident("one") || inner.path.is_ident("many") {
            many = inner.path.is_ident("many");
            kind = Some(inner.value()?.parse()?);
        } else if inner.path.is_ident("with") {
            with = Some(inner.value()?.parse()?);
        } else {
            ident = Some(inner.path.require_ident()?.clone());
        }
        Ok(())
    })?;
    match (ident, kind, with) {
        (Some(ident), Some(kind), Some(with)) => Ok(Relation { ident, kind, many, with }),
        _ => Err(meta.error("write a relation as `relation(vpc, one = Vpc, with = find_vpc)`")),
    }
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let mut attrs = ResourceAttrs::read(input)?;
    let info = RecordInfo::read(input, std::mem::take(&mut attrs.record))?;
    info.all_optional()?;
    let Some(slot) = info.beside_named("slot") else {
        return Err(Error::new(info.ident.span(), "a resource has a last field `slot: Slot`"));
    };
    let Some(service) = &attrs.service else {
        return Err(Error::new(info.ident.span(), "say which service it belongs to: `service = SERVICE`"));
    };
    let record = info.implement(FieldInfo::required, access(&info, &attrs, slot));
    let kind = kind(&info, &attrs, service)?;
    let methods = typed_methods(&info, &attrs);
    let relations = attrs.relations.iter().map(|relation| relation_method(relation, slot));
    let (ident, vis) = (info.ident, info.vis);
    let manager = format_ident!("{ident}Manager");
    let about = format!("The operations on [`{ident}`].");
    let verbs = attrs.verbs.iter().zip(["Create", "Update", "Delete", "Get"]).map(|(verb, name)| {
        let name = format_ident!("{name}");
        match verb {
            Some(operation) => quote!(type #name = #operation;),
            None => quote!(type #name = ::nephos_core::Unsupported;),
        }
    });
    let refused_delete = attrs.verbs[2].is_none().then(|| {
        quote! {
            /// Models of this kind cannot delete themselves: an error when it is carried out.
            pub fn delete(&self) -> ::nephos_core::Refused {
                ::nephos_core::Refused::new::<Self>("delete")
            }
        }
    });
    Ok(quote! {
        #record
        #methods

        #[doc = #about]
        #[derive(Clone, Debug)]
        #vis struct #manager {
            session: ::nephos_core::Session,
        }

        impl #manager {
            /// The caller.
            pub fn session(&self) -> &::nephos_core::Session {
                &self.session
            }
        }

        impl #ident {
            #[doc = #about]
            pub fn objects(session: &::nephos_core::Session) -> #manager {
                #manager { session: session.clone() }
            }

            #(#relations)*
            #refused_delete
        }

        impl ::nephos_core::Resource for #ident {
            #kind
            type Manager = #manager;
            #(#verbs)*

            fn objects(session: &::nephos_core::Session) -> #manager {
                #ident::objects(session)
            }
        }
    })
}

/// Access to what a model carries beside its fields.
fn access(info: &RecordInfo<'_>, attrs: &ResourceAttrs, slot: &Ident) -> TokenStream {
    let extra = info.attrs.extras.then(|| {
        quote! {
            fn extra(&self) -> Option<&::nephos_core::Map<::nephos_core::Value>> {
                Some(self.#slot.extra())
            }

            fn extra_mut(&mut self) -> Option<&mut ::nephos_core::Map<::nephos_core::Value>> {
                Some(self.#slot.extra_mut())
            }
        }
    });
    let related = (!attrs.relations.is_empty()).then(|| {
        let arms = attrs.relations.iter().map(|relation| {
            let (ident, name) = (&relation.ident, relation.ident.to_string());
            let erased = if relation.many {
                quote!(::nephos_core::relation::Found::many(&found))
            } else {
                quote!(::nephos_core::relation::Found::one(&found))
            };
            quote! {
                #name => Some(Box::pin(async move {
                    let found = self.#ident().await?;
                    Ok(#erased)
                }))
            }
        });
        quote! {
            fn related<'a>(&'a self, name: &str) -> Option<::nephos_core::relation::Lookup<'a>> {
                match name {
                    #(#arms,)*
                    _ => None,
                }
            }
        }
    });
    quote! {
        fn kind(&self) -> Option<&'static ::nephos_core::shape::KindShape> {
            Some(<Self as ::nephos_core::Resource>::KIND)
        }

        fn slot(&self) -> Option<&::nephos_core::Slot> {
            Some(&self.#slot)
        }

        fn slot_mut(&mut self) -> Option<&mut ::nephos_core::Slot> {
            Some(&mut self.#slot)
        }

        #extra
        #related
    }
}

/// Getters and the rest. A field that is an identity and called like it is read through that.
fn typed_methods(info: &RecordInfo<'_>, attrs: &ResourceAttrs) -> TokenStream {
    let ident = info.ident;
    let is_identity = |field: &&FieldInfo| {
        let identity = match field.rust_name().as_str() {
            "arn" => attrs.arn.as_slice(),
            "name" => attrs.name.as_slice(),
            "pk" => &attrs.pk,
            _ => &[],
        };
        matches!(identity, [path] if path.value() == field.name)
    };
    let getters = info.fields.iter().filter(|field| !is_identity(field)).map(methods::getter);
    let fields = methods::fields(info);
    if attrs.frozen {
        return quote! {
            impl #ident {
                #(#getters)*
            }
            #fields
        };
    }
    let tags = attrs.tags.as_ref().and_then(|tags| info.index_of(tags).ok());
    let setters = methods::settable(info).filter(|(index, _)| Some(*index) != tags);
    let setters = setters.map(|(index, field)| methods::setter(info, index, field));
    let set_tags = tags.map(|index| tags_setter(&info.fields[index], index));
    let builder = methods::builder(info, quote!(::nephos_core::resource::finish(self.0)));
    quote! {
        impl #ident {
            #(#getters)*
            #(#setters)*
            #set_tags
        }
        #builder
        #fields
    }
}

/// Tags are assigned under rules of their own.
fn tags_setter(field: &FieldInfo, index: usize) -> TokenStream {
    let FieldInfo { inner, docs, .. } = field;
    let set = format_ident!("set_{}", field.rust_name());
    let docs = format!("Assigns: {docs}");
    quote! {
        #[doc = #docs]
        ///
        /// Tags that break a rule are refused; tags with the reserved prefix stay, whatever is assigned.
        pub fn #set(&mut self, value: impl ::nephos_core::Give<#inner>) -> ::nephos_core::Result<()> {
            let value: Option<#inner> = ::nephos_core::Give::give(value);
            ::nephos_core::tags::assign(self, #index, Box::new(value))
        }
    }
}

fn identity(info: &RecordInfo<'_>, paths: &[LitStr], mapping: bool) -> Result<TokenStream> {
    let mut steps = Vec::new();
    for path in paths {
        info.index_of(path)?;
        let value = path.value();
        let names: Vec<_> = value.split('.').map(str::to_owned).collect();
        steps.push(quote!(&[#(#names),*]));
    }
    Ok(match steps.as_slice() {
        [] => quote!(::nephos_core::shape::Identity::None),
        [path] if !mapping => quote!(::nephos_core::shape::Identity::Path(#path)),
        paths => quote!(::nephos_core::shape::Identity::Mapping(&[#(#paths),*])),
    })
}

fn index_or_none(info: &RecordInfo<'_>, name: Option<&LitStr>) -> Result<TokenStream> {
    Ok(match name {
        Some(name) => {
            let index = info.index_of(name)?;
            quote!(Some(#index))
        }
        None => quote!(None),
    })
}

fn kind(info: &RecordInfo<'_>, attrs: &ResourceAttrs, service: &Path) -> Result<TokenStream> {
    let (ident, name) = (info.ident, info.name());
    let arn = identity(info, attrs.arn.as_slice(), false)?;
    let name_identity = identity(info, attrs.name.as_slice(), false)?;
    let pk = identity(info, &attrs.pk, attrs.pk_mapping)?;
    let mark = index_or_none(info, attrs.mark.as_ref())?;
    let tags = index_or_none(info, attrs.tags.as_ref())?;
    let frozen = attrs.frozen;
    let calls = &attrs.calls;
    let relations = attrs.relations.iter().map(|relation| {
        let name = relation.ident.to_string();
        let (kind, many) = (&relation.kind, relation.many);
        quote! {
            ::nephos_core::shape::RelationShape {
                name: #name,
                kind: <#kind as ::nephos_core::Record>::SHAPE,
                many: #many,
            }
        }
    });
    Ok(quote! {
        const KIND: &'static ::nephos_core::shape::KindShape = {
            static KIND: ::nephos_core::shape::KindShape = ::nephos_core::shape::KindShape {
                name: #name,
                service: || &#service,
                record: <#ident as ::nephos_core::Record>::SHAPE,
                arn: #arn,
                name_identity: #name_identity,
                pk: #pk,
                mark: #mark,
                tags: #tags,
                frozen: #frozen,
                relations: &[#(#relations),*],
                calls: &[#(<#calls as ::nephos_core::Operation>::OPERATION),*],
            };
            &KIND
        };
    })
}

fn relation_method(relation: &Relation, slot: &Ident) -> TokenStream {
    let Relation { ident, kind, many, with } = relation;
    let name = ident.to_string();
    let (docs, ty) = if *many {
        (format!("The {}, looked up once and kept.", name.replace('_', " ")), quote!(Many<#kind>))
    } else {
        (format!("The {}, looked up once and kept.", name.replace('_', " ")), quote!(One<#kind>))
    };
    quote! {
        #[doc = #docs]
        pub async fn #ident(&self) -> ::nephos_core::Result<::nephos_core::relation::#ty> {
            if let Some(found) = self.#slot.related(#name) {
                return Ok(found);
            }
            let found = ::std::sync::Arc::new(#with(self).await?);
            self.#slot.remember(#name, found.clone());
            Ok(found)
        }
    }
}
