//! Calls of a manager that are generated from an operation of the service: one that takes the whole model, and
//! one that gets one resource by a listing.

use crate::{
    attrs::{FieldInfo, refuse},
    fields::RecordInfo,
    operation::{Gives, OperationAttrs},
    projection::KnownField,
};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    DeriveInput, Ident, LitStr, Path, Result, Token,
    ext::IdentExt,
    parse::{Parse, ParseStream},
};

/// A way to get one resource by a listing: a key, and the parameter that takes a list of such keys.
pub(crate) struct FindBy {
    key: Ident,
    list: Ident,
}

impl Parse for FindBy {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let key = Ident::parse_any(input)?;
        input.parse::<Token![in]>()?;
        Ok(Self { key, list: Ident::parse_any(input)? })
    }
}

/// Generates the calls for `model` and `find`, and removes what they use from `attrs`.
pub(crate) fn service_calls(
    info: &RecordInfo<'_>,
    attrs: &mut OperationAttrs,
    input: &DeriveInput,
    known: &[KnownField],
) -> Result<TokenStream> {
    let Some(kind) = attrs.of.clone().filter(|_| attrs.service.is_some()) else { return Ok(quote!()) };
    let finds = std::mem::take(&mut attrs.find);
    let found = if finds.is_empty() { quote!() } else { find_call(info, attrs, &kind, known, &finds)? };
    let of_model =
        if std::mem::take(&mut attrs.model) { model_call(info, attrs, &kind, input)? } else { quote!() };
    Ok(quote!(#found #of_model))
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
) -> Result<TokenStream> {
    let (ident, vis, docs) = (info.ident, info.vis, &info.docs);
    let Some(call) = attrs.call.take() else {
        return refuse(ident, "name the call: `call = \"create\"`");
    };
    let (ty, extraction) = match attrs.gives.take() {
        Some(gives) => {
            let Some(ty) = &gives.ty else {
                return refuse(&gives.items, "add the type of this field: `gives(name: Type)`");
            };
            (ty.to_token_stream(), gives.extraction())
        }
        None => (attrs.output.to_token_stream(), quote!(found)),
    };
    let empty = ty.to_string() == "Empty";
    let record = record_name(kind, &call.value());
    let beside = std::mem::take(&mut attrs.beside);
    let is_beside = |field: &&FieldInfo| beside.iter().any(|name| name.unraw() == field.ident.unraw());
    let from_kind = info.fields.iter().filter(|field| field.taken_from.is_some()).filter(is_beside);
    let from_kind = from_kind.map(|FieldInfo { ident, inner, .. }| {
        quote! {
            /// Given beside the model, it wins over the model's value; tags are merged key by key.
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
    let case = attrs.record.case.word();
    let with = with(attrs);
    let (ty, body) = match empty {
        true => (quote!(()), quote!(context.call(params).await.map(drop))),
        false => (
            ty,
            quote! {
                let sent = params.clone();
                let found = context.call(params).await?;
                let mut given = #extraction;
                ::nephos_core::operation::echo_tags(&mut given, &sent);
                #with
                Ok(given)
            },
        ),
    };
    Ok(quote! {
        #[doc = #docs]
        #[::nephos_core::operation(kind = #kind, call = #call, case = #case, effect = write, output = #ty)]
        #vis struct #record {
            /// Model of the resource.
            #[field(model, name = "model")]
            pub model: #kind,
            #(#from_kind)*
            #(#own,)*
        }

        #[doc(hidden)]
        impl ::nephos_core::ManagerOperation for #record {
            async fn run(&self, context: &::nephos_core::WorkflowContext) -> ::nephos_core::Result<#ty> {
                let params: #ident = ::nephos_core::operation::beside_model(&self.model, self)?;
                #body
            }
        }
    })
}

fn with(attrs: &OperationAttrs) -> Option<TokenStream> {
    attrs.with.as_ref().map(|with| quote!(let given = #with(context, given).await?;))
}

/// Generates the call `get`, which lists one resource.
fn find_call(
    info: &RecordInfo<'_>,
    attrs: &OperationAttrs,
    kind: &Path,
    known: &[KnownField],
    finds: &[FindBy],
) -> Result<TokenStream> {
    let (ident, vis) = (info.ident, info.vis);
    let Some(Gives { items, .. }) = &attrs.gives else {
        return refuse(ident, "name the items of a page: `gives(log_groups, next_token)`");
    };
    let (record, case) = (record_name(kind, "get"), attrs.record.case.word());
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
            quote!(#[field(from = #from)])
        });
        let ty = if several {
            quote!(::core::option::Option<::nephos_core::Text>)
        } else {
            quote!(::nephos_core::Text)
        };
        params.push(quote!(#[doc = #docs] #from pub #key: #ty,));
    }
    let set = finds.iter().map(|FindBy { key, list }| match several {
        true => quote!(params.#list = self.#key.clone().map(|one| vec![one]);),
        false => quote!(params.#list = Some(vec![self.#key.clone()]);),
    });
    let checked = several.then(|| {
        let keys = finds.iter().map(|FindBy { key, .. }| LitStr::new(&key.unraw().to_string(), key.span()));
        quote!(::nephos_core::operation::exactly_one(self, &[#(#keys),*])?;)
    });
    let with = attrs.with.as_ref().map(|with| quote!(let model = #with(context, model).await?;));
    let what = kind.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let docs = format!("Gets the {what}; none if it does not exist.");
    Ok(quote! {
        #[doc = #docs]
        #[::nephos_core::operation(
            kind = #kind, call = "get", case = #case, effect = read, output = ::core::option::Option<#kind>
        )]
        #vis struct #record {
            #(#params)*
        }

        #[doc(hidden)]
        impl ::nephos_core::ManagerOperation for #record {
            async fn run(&self, context: &::nephos_core::WorkflowContext) -> ::nephos_core::Result<::core::option::Option<#kind>> {
                #checked
                let mut params = <#ident as ::nephos_core::field_value::FieldType>::blank();
                #(#set)*
                let Some(found) = context.find(params).await? else { return Ok(None) };
                let Some(model) = found.#items.unwrap_or_default().into_iter().next() else { return Ok(None) };
                #with
                Ok(Some(model))
            }
        }
    })
}
