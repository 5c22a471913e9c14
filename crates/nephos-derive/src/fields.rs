//! Generates the shape of a record, and access to its fields by index.

use crate::{
    attrs::{self, FieldInfo, last_name, refuse},
    methods::{Special, getters, methods},
    names::Case,
    projection,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Fields, Ident, LitStr, Path, Result, Visibility, meta::ParseNestedMeta};

/// Content of `#[record(…)]` and similar attributes about the record itself.
#[derive(Default)]
pub(crate) struct RecordAttrs {
    pub(crate) name: Option<String>,
    pub(crate) case: Case,
    /// Case of the fields on the wire, if it differs from that in the specification.
    pub(crate) wire: Option<Case>,
    pub(crate) extras: bool,
    /// True if it is read and written so often that it gets its own code for that.
    pub(crate) hot: bool,
    pub(crate) check: Option<Path>,
    pub(crate) derive_fields: Option<Path>,
    /// True if its fields are parameters that several operations take.
    pub(crate) shared: bool,
    /// True if only the service makes it: it has getters only.
    pub(crate) answer: bool,
    /// True if only the service sees it: it has no methods.
    pub(crate) row: bool,
}

impl RecordAttrs {
    /// Parses a word that a record of its own may have; false for another word.
    pub(crate) fn own_word(&mut self, word: &str, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        match word {
            "name" => self.name = Some(attrs::text(meta)?.value()),
            "shared" => self.shared = true,
            "answer" => self.answer = true,
            "row" => self.row = true,
            _ => return self.word(word, meta),
        }
        Ok(true)
    }

    /// Parses a word that every record may have; false for another word.
    pub(crate) fn word(&mut self, word: &str, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        match word {
            "case" => self.case = Case::read(&attrs::text(meta)?)?,
            "wire" => self.wire = Some(Case::read(&attrs::text(meta)?)?),
            "extras" => self.extras = true,
            "hot" => self.hot = true,
            "check" => self.check = Some(meta.value()?.parse()?),
            "derive_fields" => self.derive_fields = Some(meta.value()?.parse()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// A record, as parsed by the derives.
pub(crate) struct RecordInfo<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) name: String,
    pub(crate) attrs: RecordAttrs,
    pub(crate) docs: String,
    pub(crate) fields: Vec<FieldInfo>,
    /// Members of the struct that are no fields of the record: `slot`, `extra`.
    pub(crate) beside: Vec<Ident>,
}

/// Maximum number of fields of a record: `FieldSet::MAX_FIELDS`.
const MAX_FIELDS: usize = 128;

impl<'a> RecordInfo<'a> {
    pub(crate) fn read(input: &'a DeriveInput, attrs: RecordAttrs) -> Result<Self> {
        Self::read_with(input, attrs, Vec::new())
    }

    /// Parses a record, with fields taken from a kind before those of the struct.
    pub(crate) fn read_with(
        input: &'a DeriveInput,
        attrs: RecordAttrs,
        taken: Vec<FieldInfo>,
    ) -> Result<Self> {
        let ident = &input.ident;
        let Data::Struct(data) = &input.data else { return refuse(ident, "only a struct can be a record") };
        if !input.generics.params.is_empty() {
            return refuse(ident, "a record cannot be generic");
        }
        if matches!(data.fields, Fields::Unnamed(_)) {
            return refuse(ident, "the fields of a record need names");
        }
        let (mut fields, mut beside) = (taken, Vec::new());
        for (field, ident) in data.fields.iter().filter_map(|field| Some((field, field.ident.as_ref()?))) {
            if let Some("Slot" | "Extra") = last_name(&field.ty).as_deref() {
                beside.push(ident.clone());
                continue;
            }
            let field = FieldInfo::read(field, ident, attrs.case, attrs.wire)?;
            let is_twin = |twin: &&FieldInfo| twin.name == field.name || twin.rust_name == field.rust_name;
            if let Some(twin) = fields.iter().find(is_twin) {
                let message = format!("`{}` and `{ident}` are both called {:?}", twin.ident, field.name);
                return refuse(ident, message);
            }
            fields.push(field);
        }
        if fields.len() > MAX_FIELDS {
            return refuse(ident, format!("a record can have at most {MAX_FIELDS} fields"));
        }
        let docs = attrs::needed_docs(&input.attrs, ident)?;
        let name = attrs.name.clone().unwrap_or_else(|| ident.to_string());
        Ok(Self { ident, vis: &input.vis, name, attrs, docs, fields, beside })
    }

    /// Index of the field `name` of the specification; an error that points there if there is none.
    pub(crate) fn index_of(&self, name: &LitStr) -> Result<usize> {
        let path = name.value();
        let first = path.split('.').next().unwrap_or_default();
        let Some(index) = self.fields.iter().position(|field| field.name == first) else {
            let known: Vec<_> = self.fields.iter().map(|field| field.name.as_str()).collect();
            return refuse(
                name,
                format!("no field is called {first:?}; the fields are {}", known.join(", ")),
            );
        };
        Ok(index)
    }

    /// Generates everything that makes the struct a record that a field can have. `beside` is added to its `Beside`.
    pub(crate) fn implement(&self, beside: TokenStream) -> TokenStream {
        let into_value = quote!(::nephos_core::derived_into_value!(););
        self.implement_record(|field| field.attrs.required, into_value, beside)
    }

    /// Generates everything that makes the struct a record of parameters.
    pub(crate) fn implement_params(&self) -> TokenStream {
        self.implement_record(|field| !field.optional, quote!(), quote!())
    }

    fn implement_record(
        &self,
        required: impl Fn(&FieldInfo) -> bool,
        into_value: TokenStream,
        more: TokenStream,
    ) -> TokenStream {
        let Self {
            ident, name, docs, beside, attrs: RecordAttrs { extras, check, derive_fields, .. }, ..
        } = self;
        let table = self.fields.iter().map(|field| field.shape(required(field)));
        let indices = 0..self.fields.len();
        let idents: Vec<_> = self.fields.iter().map(|field| &field.ident).collect();
        let blanks = self.fields.iter().map(|field| match field.optional {
            true => quote!(::core::option::Option::None),
            false => quote!(::nephos_core::field_value::FieldType::blank()),
        });
        let clones = self.fields.iter().map(|field| match (field.is_list(), field.optional) {
            (true, true) => quote!(::nephos_core::derived::clone_optional_list),
            (true, false) => quote!(::nephos_core::derived::clone_list),
            (false, _) => quote!(::core::clone::Clone::clone),
        });
        let check = check.iter();
        let derive_fields = derive_fields.iter();
        let hot = self.attrs.hot.then(|| {
            let key = |name: &str| Literal::byte_string(format!("\"{name}\":").as_bytes());
            let keys = self.fields.iter().map(|field| key(&field.name));
            let wire_keys = self.fields.iter().map(|field| key(&field.wire()));
            let indices = 0..self.fields.len();
            quote!(::nephos_core::derived_hot_fields!(#(#indices => #idents #keys #wire_keys,)*);)
        });
        let methods = quote! {
            #hot

            #(fn check_whole(&self) -> ::nephos_core::Result<()> {
                #check(self)
            })*

            #(fn settle(&mut self) {
                #derive_fields(self)
            }

            fn settles(&self) -> bool {
                true
            })*

            #more
        };
        let (has_beside, implemented) = if methods.is_empty() {
            (quote!(), quote!())
        } else {
            let implemented = quote! {
                #[doc(hidden)]
                impl ::nephos_core::record::Beside for #ident {
                    #methods
                }
            };
            (quote!(::nephos_core::derived_beside!();), implemented)
        };
        quote! {
            #[doc(hidden)]
            impl ::nephos_core::record::Fields for #ident {
                ::nephos_core::derived_fields!(#(#indices => #idents,)*);
                #into_value
                #has_beside
            }

            #implemented

            impl ::nephos_core::Record for #ident {
                const SHAPE: &'static ::nephos_core::shape::RecordShape =
                    ::nephos_core::derived_shape!(#ident #name, #docs, extras: #extras, [#(#table),*]);

                ::nephos_core::derived_blank!({ #(#idents: #blanks,)* } { #(#beside,)* });
            }

            ::nephos_core::derived_record!(#ident { #(#idents: #clones,)* } { #(#beside,)* });
        }
    }

    /// Generates the methods and serde of a record, as far as it has them.
    pub(crate) fn methods(&self) -> TokenStream {
        match &self.attrs {
            RecordAttrs { shared: true, .. } => projection::table(self, None, None),
            RecordAttrs { row: true, .. } => quote!(),
            RecordAttrs { answer: true, .. } => {
                let (serde, getters) = (self.serde(), getters(self, &Special::default()));
                quote!(#serde #getters)
            }
            _ => {
                let (serde, methods) = (self.serde(), methods(self, &Special::default()));
                quote!(#serde #methods)
            }
        }
    }

    /// Generates serde for the struct.
    pub(crate) fn serde(&self) -> TokenStream {
        let ident = self.ident;
        quote!(::nephos_core::derived_serde!(#ident);)
    }

    /// Returns the member of the struct of that name that is no field of the record.
    pub(crate) fn beside_named(&self, name: &str) -> Option<&Ident> {
        self.beside.iter().find(|ident| *ident == name)
    }

    /// Checks that all fields are optional, because an answer of a service may lack any of them.
    pub(crate) fn check_all_optional(&self) -> Result<()> {
        let Some(FieldInfo { ident, ty, .. }) = self.fields.iter().find(|field| !field.optional) else {
            return Ok(());
        };
        let message = format!(
            "write `Option<…>`: a service may leave out any field; `#[field(required)]` requires callers to set `{ident}`"
        );
        refuse(ty, message)
    }
}

pub(crate) fn derive_record(input: &DeriveInput) -> Result<TokenStream> {
    let mut attrs = RecordAttrs::default();
    let known = "a record may have: name, case, wire, extras, hot, check, derive_fields, shared, answer, row";
    attrs::words(&input.attrs, "record", known, |word, meta| attrs.own_word(word, meta))?;
    let info = RecordInfo::read(input, attrs)?;
    info.check_all_optional()?;
    let extra = info.beside_named("extra").filter(|_| info.attrs.extras);
    if info.attrs.extras && extra.is_none() {
        return refuse(info.ident, "a record with `extras` needs a field `extra: Extra` for them");
    }
    let extra = extra.map(|extra| quote!(::nephos_core::derived_extra_fields!(#extra);));
    let implementation = info.implement(quote!(#extra));
    let more = info.methods();
    Ok(quote!(#implementation #more))
}
