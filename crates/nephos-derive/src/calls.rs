//! Calls of a manager that are generated from an operation of the service: one that takes the whole model, and
//! one that gets one resource by a listing.

use crate::{
    attrs::{FieldInfo, refuse},
    fields::RecordInfo,
    manager_call::{Plan, Returned, ReturnedMember},
    operation::OperationAttrs,
    projection::KnownField,
};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    DeriveInput, Ident, LitStr, Path, Result, Token,
    ext::IdentExt,
    parse::{Parse, ParseStream},
};

/// A way to get one resource by a listing: a key, and the parameter that takes a list of such keys, or the key itself.
pub(crate) struct FindBy {
    key: Ident,
    list: Ident,
}

impl Parse for FindBy {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let key = Ident::parse_any(input)?;
        let list = match input.parse::<Option<Token![in]>>()? {
            Some(_) => Ident::parse_any(input)?,
            None => key.clone(),
        };
        Ok(Self { key, list })
    }
}

/// Calls that are generated from an operation: their code, and their shapes.
#[derive(Default)]
pub(crate) struct GeneratedCalls {
    pub(crate) tokens: TokenStream,
    pub(crate) calls: Vec<TokenStream>,
}

impl GeneratedCalls {
    fn add(&mut self, record: &Ident, tokens: TokenStream) {
        self.tokens.extend(tokens);
        self.calls.push(quote!(<#record as ::nephos_core::ManagerCall>::CALL));
    }
}

/// Generates the calls for `model` and `find`, and removes what they use from `attrs`.
pub(crate) fn service_calls(
    info: &RecordInfo<'_>,
    attrs: &mut OperationAttrs,
    input: &DeriveInput,
    known: &[KnownField],
) -> Result<GeneratedCalls> {
    let mut generated = GeneratedCalls::default();
    let Some(kind) = attrs.of.clone().filter(|_| attrs.kind.is_none()) else { return Ok(generated) };
    let finds = std::mem::take(&mut attrs.find);
    if !finds.is_empty() {
        let record = record_name(&kind, "get");
        generated.add(&record, find_call(info, attrs, &kind, known, &finds, &record)?);
    }
    if let Some(changes) = attrs.changes.take() {
        if !changes.is_empty() {
            let message = "`changes` of an operation is this operation: list others on a call with `kind`";
            return refuse(info.ident, message);
        }
        let Some(call) = attrs.call.take() else {
            return refuse(info.ident, "name the call: `call = \"update\"`");
        };
        let record = record_name(&kind, &call.value());
        generated.add(&record, update_call(info, &kind, &call, &record));
    }
    if std::mem::take(&mut attrs.model) {
        let Some(call) = attrs.call.take() else {
            return refuse(info.ident, "name the call: `call = \"create\"`");
        };
        let record = record_name(&kind, &call.value());
        generated.add(&record, model_call(info, attrs, &kind, input, &call, &record)?);
    }
    Ok(generated)
}

/// Name of a call's record: the kind and the call, `ListenerCreate`.
fn record_name(kind: &Path, call: &str) -> Ident {
    let kind = kind.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let call: String = call.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    format_ident!("{kind}{call}")
}

/// Generates the call that takes the whole model: parameters of the kind come from it, the others are given
/// beside it.
fn model_call(
    info: &RecordInfo<'_>,
    attrs: &mut OperationAttrs,
    kind: &Path,
    input: &DeriveInput,
    call: &LitStr,
    record: &Ident,
) -> Result<TokenStream> {
    let (ident, vis, docs) = (info.ident, info.vis, &info.docs);
    let member = attrs.returns.take();
    let Returned { ty, returns } = Returned::read(ident, attrs, member.as_ref())?;
    let overrides = std::mem::take(&mut attrs.overrides);
    let is_override = |field: &&FieldInfo| overrides.iter().any(|name| name.unraw() == field.ident.unraw());
    let from_kind = info.fields.iter().filter(|field| field.taken_from.is_some()).filter(is_override);
    let from_kind = from_kind.map(|FieldInfo { ident, inner, name, .. }| {
        quote! {
            /// Given beside the model, it wins over the model's value; tags are merged key by key.
            #[field(name = #name)]
            pub #ident: ::core::option::Option<#inner>,
        }
    });
    let from_model = |field: &syn::Field| {
        let own = |info: &&FieldInfo| Some(&info.ident) == field.ident.as_ref();
        info.fields.iter().find(own).is_some_and(|info| info.attrs.from_model)
    };
    let own: Vec<_> = match &input.data {
        syn::Data::Struct(data) => {
            let beside = data.fields.iter().filter(|field| !from_model(field));
            beside.map(ToTokens::to_token_stream).collect()
        }
        _ => Vec::new(),
    };
    let is_given = |shared: &&Path| overrides.iter().any(|name| shared.is_ident(name));
    let included = attrs.include.iter().filter(is_given);
    let case = attrs.record.case.word();
    let complete = complete(attrs, &ty);
    let ty = if attrs.read_back { quote!(#kind) } else { ty };
    let copies = attrs.copies();
    let read_back = attrs.read_back;
    let plan = Plan { copies, complete, read_back, ..Plan::new(ident, quote!(Model), returns) }.tokens();
    Ok(quote! {
        #[doc = #docs]
        #[::nephos_core::operation(
            kind = #kind, call = #call, include(#(#included),*), case = #case, effect = write, output = #ty, plan = #plan
        )]
        #vis struct #record {
            /// Model of the resource.
            #[field(model, name = "model")]
            pub model: #kind,
            #(#from_kind)*
            #(#own,)*
        }
    })
}

/// Generates the call that sends what changed in a model by this operation.
fn update_call(info: &RecordInfo<'_>, kind: &Path, call: &LitStr, record: &Ident) -> TokenStream {
    let (ident, vis, docs, case) = (info.ident, info.vis, &info.docs, info.attrs.case.word());
    quote! {
        #[doc = #docs]
        #[::nephos_core::operation(kind = #kind, call = #call, case = #case, effect = write, changes(#ident))]
        #vis struct #record {}
    }
}

/// Tokens of the function in `with` that completes the answer of a call, to a value of type `ty`.
pub(crate) fn complete(attrs: &OperationAttrs, ty: &TokenStream) -> TokenStream {
    let Some(with) = &attrs.with else { return quote!(None) };
    quote! {{
        fn complete<'s>(
            context: &'s ::nephos_core::WorkflowContext,
            value: ::std::boxed::Box<dyn ::nephos_core::field_value::FieldValue>,
        ) -> ::nephos_core::BoxFuture<
            's,
            ::nephos_core::Result<::std::boxed::Box<dyn ::nephos_core::field_value::FieldValue>>,
        > {
            ::std::boxed::Box::pin(async move {
                let value: #ty = #with(context, ::nephos_core::plan::typed(value)?).await?;
                Ok(::std::boxed::Box::new(value) as ::std::boxed::Box<dyn ::nephos_core::field_value::FieldValue>)
            })
        }
        Some(complete)
    }}
}

/// Generates the call `get`, which lists one resource.
fn find_call(
    info: &RecordInfo<'_>,
    attrs: &OperationAttrs,
    kind: &Path,
    known: &[KnownField],
    finds: &[FindBy],
    record: &Ident,
) -> Result<TokenStream> {
    let (ident, vis) = (info.ident, info.vis);
    let Some(ReturnedMember { items, .. }) = &attrs.returns else {
        return refuse(ident, "name the items of a page: `returns(log_groups, next_token)`");
    };
    let case = attrs.record.case.word();
    let several = finds.len() > 1;
    let mut params = Vec::new();
    for (n, FindBy { key, list }) in finds.iter().enumerate() {
        if !info.fields.iter().any(|field| field.ident.unraw() == list.unraw()) {
            return refuse(list, "the operation has no such parameter");
        }
        let field = known.iter().find(|field| field.ident.unraw() == key.unraw());
        let docs = field.map_or_else(|| "Name of the resource.".to_owned(), |field| field.docs.clone());
        // A model is polled by the first key.
        let from = field.filter(|_| n == 0).map(|field| {
            let from = &field.name;
            quote!(#[field(from_field = #from)])
        });
        let ty = if several {
            quote!(::core::option::Option<::nephos_core::Text>)
        } else {
            quote!(::nephos_core::Text)
        };
        params.push(quote!(#[doc = #docs] #from pub #key: #ty,));
    }
    let keys = finds.iter().map(|FindBy { key, list }| {
        let (key, list) = (key.unraw().to_string(), list.unraw().to_string());
        quote!((#key, #list))
    });
    let items = items.unraw().to_string();
    let returns = quote!(First { name: #items });
    let complete = complete(attrs, &quote!(#kind));
    let plan = Plan { complete, optional: true, ..Plan::new(ident, quote!(Keys(&[#(#keys),*])), returns) };
    let plan = plan.tokens();
    let what = kind.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let docs = format!("Gets the {what}; none if it does not exist.");
    Ok(quote! {
        #[doc = #docs]
        #[::nephos_core::operation(
            kind = #kind, call = "get", case = #case, effect = read, output = ::core::option::Option<#kind>, plan = #plan
        )]
        #vis struct #record {
            #(#params)*
        }
    })
}
