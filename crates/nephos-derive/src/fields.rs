//! The static table of a record, and access to its fields by index.

use crate::{
    attrs::{self, FieldInfo, last_name},
    methods,
    names::Case,
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, Path, Result};

/// What `#[record(…)]` and its like say of the record itself.
#[derive(Default)]
pub(crate) struct RecordAttrs {
    pub(crate) name: Option<String>,
    pub(crate) case: Case,
    pub(crate) extras: bool,
    pub(crate) check: Option<Path>,
    pub(crate) settle: Option<Path>,
}

impl RecordAttrs {
    /// Takes a word that every record may have; false if it is none.
    pub(crate) fn word(&mut self, word: &str, meta: &syn::meta::ParseNestedMeta<'_>) -> Result<bool> {
        match word {
            "case" => self.case = attrs::case(meta)?,
            "extras" => self.extras = true,
            "check" => self.check = Some(meta.value()?.parse()?),
            "settle" => self.settle = Some(meta.value()?.parse()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// A record as the derives see it.
pub(crate) struct RecordInfo<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a syn::Visibility,
    pub(crate) attrs: RecordAttrs,
    pub(crate) docs: String,
    pub(crate) fields: Vec<FieldInfo>,
    /// Fields of the struct that are no fields of the record: `slot`, `extra`.
    pub(crate) beside: Vec<Ident>,
}

/// How many fields a record may have; `FieldSet::MOST`.
const MOST_FIELDS: usize = 128;

impl<'a> RecordInfo<'a> {
    pub(crate) fn read(input: &'a DeriveInput, attrs: RecordAttrs) -> Result<Self> {
        let Data::Struct(data) = &input.data else {
            return Err(Error::new(input.ident.span(), "only a struct can be a record"));
        };
        if !input.generics.params.is_empty() {
            return Err(Error::new(input.ident.span(), "a record cannot be generic"));
        }
        let (mut fields, mut beside) = (Vec::new(), Vec::new());
        match &data.fields {
            Fields::Named(named) => {
                for field in &named.named {
                    match (&field.ident, last_name(&field.ty).as_deref()) {
                        (Some(ident), Some("Slot")) => beside.push(ident.clone()),
                        (Some(ident), Some("Extra")) => beside.push(ident.clone()),
                        _ => fields.push(FieldInfo::read(field, attrs.case)?),
                    }
                }
            }
            Fields::Unit => {}
            Fields::Unnamed(_) => {
                return Err(Error::new(input.ident.span(), "the fields of a record need names"));
            }
        }
        if fields.len() > MOST_FIELDS {
            let why = format!("a record can have {MOST_FIELDS} fields at most");
            return Err(Error::new(input.ident.span(), why));
        }
        for (n, field) in fields.iter().enumerate() {
            if let Some(twin) = fields[..n].iter().find(|twin| twin.name == field.name) {
                let why = format!("`{}` and `{}` are both called {:?}", twin.ident, field.ident, field.name);
                return Err(Error::new(field.ident.span(), why));
            }
        }
        let docs = attrs::docs(&input.attrs);
        if docs.is_empty() {
            let why = format!("say what `{}` is in a `///` line above it", input.ident);
            return Err(Error::new(input.ident.span(), why));
        }
        Ok(Self { ident: &input.ident, vis: &input.vis, attrs, docs, fields, beside })
    }

    pub(crate) fn name(&self) -> String {
        self.attrs.name.clone().unwrap_or_else(|| self.ident.to_string())
    }

    /// The index of the field that the specification calls `name`; an error at `at` if there is none.
    pub(crate) fn index_of(&self, name: &syn::LitStr) -> Result<usize> {
        let wanted = name.value();
        let first = wanted.split('.').next().unwrap_or_default();
        self.fields.iter().position(|field| field.name == first).ok_or_else(|| {
            let known: Vec<_> = self.fields.iter().map(|field| field.name.as_str()).collect();
            let why = format!("there is no field {first:?}; there are {}", known.join(", "));
            Error::new(name.span(), why)
        })
    }

    /// The `FieldShape`s.
    fn table(&self, required: impl Fn(&FieldInfo) -> bool) -> TokenStream {
        let rows = self.fields.iter().map(|field| {
            let FieldInfo { name, docs, ty, attrs, .. } = field;
            let rust_name = field.rust_name();
            let wire = attrs.wire.as_ref().map_or_else(|| name.clone(), syn::LitStr::value);
            let (key, wire_key) = (format!("\"{name}\":"), format!("\"{wire}\":"));
            let aliases = &attrs.aliases;
            let presence = if field.service_set() {
                quote!(ServiceSet)
            } else if required(field) {
                quote!(Required)
            } else {
                quote!(Optional)
            };
            let default = attrs.default.as_ref().map(|(_, value)| quote!(default: Some(#value),));
            let rules = &attrs.rules;
            let location = attrs.location.as_ref().map(|value| quote!(location: #value,));
            let item = attrs.item.as_ref().map(|value| quote!(item: #value,));
            let time = attrs.time.as_ref().map(|value| quote!(time: #value,));
            let spellings = attrs.spellings.as_ref().map(|path| quote!(spellings: #path,));
            let from = attrs.from.as_ref().map(|value| quote!(from: #value,));
            let secret = last_name(&field.inner).is_some_and(|name| name == "Secret");
            let (flat, sensitive, token) = (attrs.flat, attrs.sensitive || secret, attrs.token);
            let model = attrs.model.then(|| quote!(model: true,));
            quote! {
                ::nephos_core::shape::FieldShape {
                    name: #name,
                    rust_name: #rust_name,
                    wire: #wire,
                    key: #key,
                    wire_key: #wire_key,
                    aliases: &[#(#aliases),*],
                    docs: #docs,
                    ty: <#ty as ::nephos_core::datum::DatumType>::TYPE,
                    presence: ::nephos_core::shape::Presence::#presence,
                    rules: &[#(#rules),*],
                    flat: #flat,
                    sensitive: #sensitive,
                    token: #token,
                    #default #location #item #time #spellings #model #from
                    ..::nephos_core::shape::FieldShape::BLANK
                }
            }
        });
        quote!(&[#(#rows),*])
    }

    /// Everything that makes the struct a record. `more` goes into its `Fields`.
    pub(crate) fn implement(&self, required: impl Fn(&FieldInfo) -> bool, more: TokenStream) -> TokenStream {
        let (ident, name, docs) = (self.ident, self.name(), &self.docs);
        let has_rules: Vec<_> =
            self.fields.iter().map(|field| !field.attrs.rules.is_empty() || required(field)).collect();
        let table = self.table(required);
        let extras = self.attrs.extras;
        let indices = 0..self.fields.len();
        let indices = indices.collect::<Vec<_>>();
        let idents: Vec<_> = self.fields.iter().map(|field| &field.ident).collect();
        let types: Vec<_> = self.fields.iter().map(|field| &field.ty).collect();
        let beside = &self.beside;
        let defaults = self.fields.iter().any(|field| field.attrs.default.is_some());
        let check = self.attrs.check.as_ref().map(|path| {
            quote! {
                fn check_whole(&self) -> ::nephos_core::Result<()> {
                    #path(self)
                }
            }
        });
        let settle = self.attrs.settle.as_ref().map(|path| {
            quote! {
                fn settle(&mut self) {
                    #path(self)
                }
            }
        });
        quote! {
            impl ::nephos_core::record::Fields for #ident {
                fn shape(&self) -> &'static ::nephos_core::shape::RecordShape {
                    <Self as ::nephos_core::Record>::SHAPE
                }

                fn field(&self, index: usize) -> &dyn ::nephos_core::datum::Datum {
                    match index {
                        #(#indices => &self.#idents,)*
                        _ => unreachable!("the shape has as many fields as the struct"),
                    }
                }

                fn field_mut(&mut self, index: usize) -> &mut dyn ::nephos_core::datum::Datum {
                    match index {
                        #(#indices => &mut self.#idents,)*
                        _ => unreachable!("the shape has as many fields as the struct"),
                    }
                }

                #check
                #settle
                #more
            }

            impl ::nephos_core::Record for #ident {
                const SHAPE: &'static ::nephos_core::shape::RecordShape = {
                    static SHAPE: ::nephos_core::shape::RecordShape = ::nephos_core::shape::RecordShape {
                        name: #name,
                        docs: #docs,
                        fields: #table,
                        checked: {
                            const CHECKED: &[bool] = &[#(
                                #has_rules || <#types as ::nephos_core::datum::DatumType>::TYPE.has_rules_within()
                            ),*];
                            const COUNT: usize = ::nephos_core::shape::count(CHECKED);
                            &::nephos_core::shape::indices::<COUNT>(CHECKED)
                        },
                        defaults: #defaults #(|| <#types as ::nephos_core::datum::DatumType>::TYPE.has_records_within())*,
                        extras: #extras,
                    };
                    &SHAPE
                };
            }

            impl ::nephos_core::datum::Datum for #ident {
                fn view(&self) -> ::nephos_core::Ref<'_> {
                    ::nephos_core::Ref::Record(self)
                }

                fn put(
                    &mut self,
                    _value: ::nephos_core::Ref<'_>,
                    _reading: ::nephos_core::datum::Reading,
                ) -> ::core::result::Result<(), ::nephos_core::datum::Mismatch> {
                    Err(::nephos_core::datum::Mismatch("a record"))
                }

                fn open(&mut self) -> ::nephos_core::datum::Open<'_> {
                    ::nephos_core::datum::Open::Record(self)
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

                fn each_record(&mut self, each: &mut dyn FnMut(&mut dyn ::nephos_core::record::Fields)) {
                    each(self);
                }
            }

            impl ::nephos_core::datum::DatumType for #ident {
                const TYPE: ::nephos_core::shape::Type =
                    ::nephos_core::shape::Type::Record(<Self as ::nephos_core::Record>::SHAPE);

                // Inlined into everything that makes one, it would be most of what is compiled.
                #[inline(never)]
                fn blank() -> Self {
                    Self {
                        #(#idents: <#types as ::nephos_core::datum::DatumType>::blank(),)*
                        #(#beside: ::core::default::Default::default(),)*
                    }
                }
            }

            impl ::core::clone::Clone for #ident {
                #[inline(never)]
                fn clone(&self) -> Self {
                    Self {
                        #(#idents: ::core::clone::Clone::clone(&self.#idents),)*
                        #(#beside: ::core::clone::Clone::clone(&self.#beside),)*
                    }
                }
            }

            impl ::core::cmp::PartialEq for #ident {
                fn eq(&self, other: &Self) -> bool {
                    ::nephos_core::record::same(self, other)
                }
            }

            impl ::core::fmt::Debug for #ident {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    ::nephos_core::record::debug(self, f)
                }
            }
        }
    }

    /// The struct's field of that type name.
    pub(crate) fn beside_named(&self, name: &str) -> Option<&Ident> {
        self.beside.iter().find(|ident| *ident == name)
    }

    /// Refuses fields that are not optional: what a service answers may lack any of them.
    pub(crate) fn all_optional(&self) -> Result<()> {
        match self.fields.iter().find(|field| !field.optional) {
            Some(field) => Err(Error::new_spanned(
                &field.ty,
                format!(
                    "write `Option<…>`: a service may leave out any field; \
                     `#[field(required)]` makes callers give `{}`",
                    field.ident
                ),
            )),
            None => Ok(()),
        }
    }
}

/// Access to a record's `extra: Extra`.
pub(crate) fn extra_access(info: &RecordInfo<'_>) -> Result<TokenStream> {
    match (info.attrs.extras, info.beside_named("extra")) {
        (true, Some(extra)) => Ok(quote! {
            fn extra(&self) -> Option<&::nephos_core::Map<::nephos_core::Value>> {
                Some(&self.#extra)
            }

            fn extra_mut(&mut self) -> Option<&mut ::nephos_core::Map<::nephos_core::Value>> {
                Some(&mut self.#extra)
            }
        }),
        (true, None) => Err(Error::new(
            info.ident.span(),
            "a record with `extras` has a field `extra: Extra` to keep them in",
        )),
        (false, _) => Ok(quote!()),
    }
}

pub(crate) fn derive_record(input: &DeriveInput) -> Result<TokenStream> {
    let mut attrs = RecordAttrs::default();
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("record")) {
        attr.parse_nested_meta(|meta| {
            let word = meta.path.require_ident()?.to_string();
            if word == "name" {
                attrs.name = Some(attrs::text(&meta)?.value());
            } else if !attrs.word(&word, &meta)? {
                return Err(meta.error("a record may have: name, case, extras, check, settle"));
            }
            Ok(())
        })?;
    }
    let info = RecordInfo::read(input, attrs)?;
    info.all_optional()?;
    let implementation = info.implement(FieldInfo::required, extra_access(&info)?);
    let methods = methods::record(&info);
    Ok(quote!(#implementation #methods))
}
