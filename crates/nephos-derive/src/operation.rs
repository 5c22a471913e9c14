//! `#[derive(Operation)]`.

use crate::{
    attrs::{self, FieldInfo},
    fields::{RecordAttrs, RecordInfo},
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Error, Ident, LitInt, LitStr, Path, Result, Token, Type, meta::ParseNestedMeta};

#[derive(Default)]
struct OperationAttrs {
    record: RecordAttrs,
    service: Option<Path>,
    kind: Option<Path>,
    call: Option<LitStr>,
    write: Option<bool>,
    output: Option<Type>,
    http: Option<TokenStream>,
    pages: bool,
    instance: bool,
}

impl OperationAttrs {
    fn read(input: &DeriveInput) -> Result<Self> {
        let mut read = Self::default();
        for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("operation")) {
            attr.parse_nested_meta(|meta| read.word(&meta))?;
        }
        Ok(read)
    }

    fn word(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let word = meta.path.require_ident()?.to_string();
        if self.record.word(&word, meta)? {
            return Ok(());
        }
        match word.as_str() {
            "service" => self.service = Some(meta.value()?.parse()?),
            "kind" => self.kind = Some(meta.value()?.parse()?),
            "call" => {
                let call = attrs::text(meta)?;
                if call.parse::<Ident>().is_err() {
                    return Err(Error::new(
                        call.span(),
                        "a call is named as a method is: `create`, `get_fields`",
                    ));
                }
                self.call = Some(call);
            }
            "output" => self.output = Some(meta.value()?.parse()?),
            "pages" => self.pages = true,
            "instance" => self.instance = true,
            "effect" => {
                let effect: Ident = meta.value()?.parse()?;
                self.write = Some(match effect.to_string().as_str() {
                    "read" => false,
                    "write" => true,
                    _ => return Err(Error::new(effect.span(), "expected `read` or `write`")),
                });
            }
            "http" => {
                self.http = Some(http(meta).map_err(|wrong| {
                    Error::new(
                        wrong.span(),
                        "write method, path and status: `http(\"GET\", \"/v1/x/{name}\", 200)`",
                    )
                })?);
            }
            _ => {
                return Err(meta.error(
                    "an operation may have: service, kind, call, effect, output, http, pages, instance, case, check",
                ));
            }
        }
        Ok(())
    }
}

fn http(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    let content;
    syn::parenthesized!(content in meta.input);
    let method: LitStr = content.parse()?;
    content.parse::<Token![,]>()?;
    let path: LitStr = content.parse()?;
    content.parse::<Token![,]>()?;
    let status: LitInt = content.parse()?;
    Ok(quote!(Some(::nephos_core::shape::Http { method: #method, path: #path, status: #status })))
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let mut attrs = OperationAttrs::read(input)?;
    let info = RecordInfo::read(input, std::mem::take(&mut attrs.record))?;
    let ident = info.ident;
    let missing = |what: &str| Error::new(ident.span(), what);
    let write = attrs.write.ok_or_else(|| missing("say `effect = read` or `effect = write`"))?;
    let output =
        attrs.output.clone().ok_or_else(|| missing("say what it answers: `output = …`, `()` for nothing"))?;
    if let (true, Some(call)) = (attrs.instance, &attrs.call)
        && ["get", "set"].contains(&call.value().as_str())
    {
        let why = "a model's own `get` and `set` are about its fields: leave out `instance`";
        return Err(Error::new(call.span(), why));
    }
    let record = info.implement(|field| !field.optional, quote!());
    let (service, name) = match (&attrs.service, &attrs.kind, &attrs.call) {
        (Some(service), None, None) => (quote!(&#service), ident.to_string()),
        (None, Some(kind), Some(call)) => {
            (quote!((<#kind as ::nephos_core::Resource>::KIND.service)()), call.value())
        }
        _ => {
            let why = "say `service = …` for an operation on the wire, or `kind = …, call = \"…\"` for one of a manager";
            return Err(missing(why));
        }
    };
    let effect = if write { quote!(Write) } else { quote!(Read) };
    let http = attrs.http.clone().unwrap_or_else(|| quote!(None));
    let reach = match (&attrs.kind, attrs.pages) {
        (None, _) => quote!(Wire(::nephos_core::dynamic::request::<#ident>)),
        (Some(_), false) => quote!(Call(::nephos_core::dynamic::call::<#ident>)),
        (Some(_), true) => quote!(List(::nephos_core::dynamic::results::<#ident>)),
    };
    let reach = quote!(::nephos_core::dynamic::Reach::#reach);
    let (docs, pages, instance) = (&info.docs, attrs.pages, attrs.instance);
    let constructor = constructor(&info);
    let setters = optional(&info).map(|field| {
        let FieldInfo { ident, docs, inner, .. } = field;
        quote! {
            #[doc = #docs]
            #[must_use]
            pub fn #ident(mut self, value: impl ::nephos_core::Give<#inner>) -> Self {
                self.#ident = ::nephos_core::Give::give(value);
                self
            }
        }
    });
    let call = match (&attrs.kind, &attrs.call) {
        (Some(kind), Some(call)) => call_type(&info, &attrs, kind, call),
        _ => quote!(),
    };
    Ok(quote! {
        #record

        impl #ident {
            #constructor
            #(#setters)*
        }

        impl ::nephos_core::Operation for #ident {
            type Output = #output;

            const OPERATION: &'static ::nephos_core::shape::OperationShape = {
                static OPERATION: ::nephos_core::shape::OperationShape = ::nephos_core::shape::OperationShape {
                    name: #name,
                    docs: #docs,
                    params: <#ident as ::nephos_core::Record>::SHAPE,
                    output: <#output as ::nephos_core::operation::Output>::TYPE,
                    effect: ::nephos_core::shape::Effect::#effect,
                    http: #http,
                    pages: #pages,
                    instance: #instance,
                    reach: #reach,
                };
                &OPERATION
            };

            fn service() -> &'static ::nephos_core::shape::ServiceShape {
                #service
            }
        }

        #call
    })
}

fn optional<'a>(info: &'a RecordInfo<'_>) -> impl Iterator<Item = &'a FieldInfo> {
    info.fields.iter().filter(|field| field.optional)
}

fn required<'a>(info: &'a RecordInfo<'_>) -> impl Iterator<Item = &'a FieldInfo> {
    info.fields.iter().filter(|field| !field.optional)
}

/// What a required parameter is written as in a signature, and how it becomes the field.
fn argument(field: &FieldInfo) -> (TokenStream, TokenStream) {
    let FieldInfo { ident, ty, .. } = field;
    if field.attrs.model {
        return (quote!(#ident: &#ty), quote!(#ident: #ident.clone()));
    }
    let blank = quote!(<#ty as ::nephos_core::datum::DatumType>::blank);
    (
        quote!(#ident: impl ::nephos_core::Give<#ty>),
        quote!(#ident: ::nephos_core::Give::<#ty>::give(#ident).unwrap_or_else(#blank)),
    )
}

fn constructor(info: &RecordInfo<'_>) -> TokenStream {
    let (arguments, values): (Vec<_>, Vec<_>) = required(info).map(argument).unzip();
    let optional = optional(info).map(|field| &field.ident);
    quote! {
        /// The operation with its required parameters; the others are not said.
        pub fn new(#(#arguments),*) -> Self {
            Self {
                #(#values,)*
                #(#optional: None,)*
            }
        }
    }
}

/// The call that a manager gives, and the methods that give it.
fn call_type(info: &RecordInfo<'_>, attrs: &OperationAttrs, kind: &Path, call: &LitStr) -> TokenStream {
    let (ident, vis, docs) = (info.ident, info.vis, &info.docs);
    let call_type = format_ident!("{ident}Call");
    let method = Ident::new(&call.value(), call.span());
    let mut manager = kind.clone();
    if let Some(last) = manager.segments.last_mut() {
        last.ident = format_ident!("{}Manager", last.ident);
    }
    let (arguments, _): (Vec<_>, Vec<_>) = required(info).map(argument).unzip();
    let given: Vec<_> = required(info).map(|field| &field.ident).collect();
    let setters = optional(info).map(|field| {
        let FieldInfo { ident, docs, inner, .. } = field;
        quote! {
            #[doc = #docs]
            pub fn #ident(self, value: impl ::nephos_core::Give<#inner>) -> Self {
                let value = ::nephos_core::Give::<#inner>::give(value);
                Self(self.0.map(|params| params.#ident(value)))
            }
        }
    });
    let about = format!("The call of `{}` being prepared.", call.value());
    let carry_out = if attrs.pages { results(&call_type, kind) } else { carry_out(ident, &call_type) };
    let on_model = on_model(info, kind);
    let instance = attrs.instance.then(|| {
        quote! {
            impl #kind {
                #[doc = #docs]
                pub fn #method(&self) -> #call_type {
                    let session = ::nephos_core::Resource::require_session(self).cloned();
                    #call_type(::nephos_core::Call::on(session, ::nephos_core::operation::OnModel::on(self)))
                }
            }
        }
    });
    quote! {
        #[doc = #about]
        #[must_use = "a call is carried out when it is awaited or waited for"]
        #[derive(Clone, Debug)]
        #vis struct #call_type(::nephos_core::Call<#ident>);

        impl #call_type {
            #(#setters)*

            /// Takes all parameters from `record`.
            pub fn with(self, record: #ident) -> Self {
                Self(self.0.with(record))
            }

            /// Sets a parameter by its name in the specification; a name that is none is refused with the nearest.
            pub fn set(self, name: &str, value: impl Into<::nephos_core::Value>) -> Self {
                Self(self.0.set(name, value))
            }
        }

        #carry_out
        #on_model

        impl #manager {
            #[doc = #docs]
            pub fn #method(&self, #(#arguments),*) -> #call_type {
                #call_type(::nephos_core::Call::new(self.session(), #ident::new(#(#given),*)))
            }
        }

        #instance
    }
}

fn carry_out(ident: &Ident, call_type: &Ident) -> TokenStream {
    let output = quote!(<#ident as ::nephos_core::Operation>::Output);
    quote! {
        impl #call_type {
            /// Carries the call out, blocking this thread. No runtime is needed.
            pub fn wait(self) -> ::nephos_core::Result<#output> {
                self.0.wait()
            }

            /// Carries the call out and takes back what it changed; tells what that would have been.
            pub fn preview(self) -> ::nephos_core::Asked<'static, ::nephos_core::Preview<#output>> {
                self.0.preview()
            }
        }

        impl ::core::future::IntoFuture for #call_type {
            type Output = ::nephos_core::Result<#output>;
            type IntoFuture = ::nephos_core::Carried<#output>;

            fn into_future(self) -> Self::IntoFuture {
                self.0.run()
            }
        }
    }
}

fn results(call_type: &Ident, kind: &Path) -> TokenStream {
    quote! {
        impl #call_type {
            /// The models, fetched when they are asked for.
            pub fn results(self) -> ::nephos_core::Results<#kind> {
                self.0.results()
            }
        }
    }
}

/// How a model fills the operation's parameters.
fn on_model(info: &RecordInfo<'_>, kind: &Path) -> TokenStream {
    let ident = info.ident;
    let model = info.fields.iter().find(|field| field.attrs.model).map(|field| {
        let field = &field.ident;
        quote!(params.#field = model.clone();)
    });
    quote! {
        impl ::nephos_core::operation::OnModel<#kind> for #ident {
            fn on(model: &#kind) -> ::nephos_core::Result<Self> {
                #[allow(unused_mut, reason = "only operations that take the whole model change it")]
                let mut params: Self = ::nephos_core::operation::from_model(model)?;
                #model
                Ok(params)
            }
        }
    }
}
