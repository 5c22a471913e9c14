//! Calls of a manager that are one operation of the service: their plans, types and methods.

use crate::{
    attrs::{self, refuse},
    calls,
    fields::RecordInfo,
    operation::{OperationAttrs, Pushdown, PushdownBy, argument, call_reach, optional, required},
};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Ident, LitStr, Path, Result, Token, Type,
    ext::IdentExt,
    parse::{Parse, ParseStream},
};

/// Generates the call of a manager that is one operation of the service.
pub(crate) fn service_call(
    info: &RecordInfo<'_>,
    attrs: &OperationAttrs,
    kind: &Path,
    call: &LitStr,
) -> Result<TokenStream> {
    let (ident, docs) = (info.ident, &info.docs);
    let Some(effect) = &attrs.effect else { return refuse(ident, "add `effect = read` or `effect = write`") };
    let (pages, instance, arguments) = (attrs.pages, attrs.on_model, attrs.arguments());
    let by = attrs.returns.as_ref().is_some_and(|member| member.by.is_some());
    if !pages && (by || !attrs.pushdown.is_empty()) {
        return refuse(ident, "`pushdown` and `=>` are for listings: add `pages`");
    }
    if attrs.none_if_missing && pages {
        return refuse(ident, "a listing returns an empty page, not none: remove `none_if_missing`");
    }
    let (narrowed, echoed) = (narrowed(attrs), echoed(&attrs.copies_to_answer));
    let (answer, reach, run) = match (&attrs.returns, pages) {
        (Some(ReturnedMember { items, token: Some(token), by, .. }), true) => {
            let by = by.iter();
            let run = quote! {
                #[doc(hidden)]
                impl ::nephos_core::Listing for #ident {
                    type Model = #kind;

                    async fn page(
                        &self,
                        context: &::nephos_core::WorkflowContext,
                        request: &::nephos_core::PageRequest,
                    ) -> ::nephos_core::Result<::nephos_core::Page<#kind>> {
                        let Some(mut params) = ::nephos_core::operation::page_params(self, request) else {
                            return Ok(::nephos_core::Page::default());
                        };
                        #narrowed
                        let found = context.call(params).await?;
                        let mut items = found.#items.unwrap_or_default();
                        #(let mut items = #by(items);)*
                        #echoed
                        Ok(::nephos_core::Page { items, next_token: found.#token })
                    }
                }
            };
            let reach = quote!(List(::nephos_core::dynamic::ListReach::new::<#ident>()));
            (quote!(::nephos_core::Page<#kind>), reach, run)
        }
        (_, true) => return refuse(ident, "name the items of a page: `returns(log_groups, next_token)`"),
        (member, false) => {
            let returned = Returned::read(ident, attrs, member.as_ref())?;
            let (mut ty, returns) = (returned.ty, returned.returns);
            let answered = ty.clone();
            if attrs.none_if_missing {
                ty = quote!(::core::option::Option<#ty>);
            }
            let copies = attrs.copies();
            let complete = calls::complete(attrs, &answered);
            let optional = attrs.none_if_missing;
            let plan = Plan { copies, optional, complete, ..Plan::new(ident, quote!(Call), returns) };
            let plan = plan.tokens();
            (ty, call_reach(ident, &plan), quote!())
        }
    };
    let call_type = call_type(info, attrs, kind, call);
    Ok(quote! {
        #[doc(hidden)]
        impl ::nephos_core::ManagerCall for #ident {
            type Answer = #answer;

            const CALL: &'static ::nephos_core::shape::OperationShape = {
                static CALL: ::nephos_core::shape::OperationShape = ::nephos_core::shape::OperationShape {
                    name: #call,
                    docs: #docs,
                    params: <#ident as ::nephos_core::Record>::SHAPE,
                    output: <#answer as ::nephos_core::operation::Output>::TYPE,
                    service: || <#ident as ::nephos_core::Operation>::service(),
                    kind: Some(<#kind as ::nephos_core::Resource>::KIND),
                    effect: ::nephos_core::shape::Effect::#effect,
                    subject: "",
                    permission: ::nephos_core::permission::PermissionShape::DERIVED,
                    http: None,
                    pages: #pages,
                    lists: #pages,
                    instance: #instance,
                    arguments: #arguments,
                    one_of: <#ident as ::nephos_core::Operation>::OPERATION.one_of,
                    clears: &[],
                    replaces: false,
                    reach: ::nephos_core::shape::Reach::new(&::nephos_core::dynamic::Reach::#reach),
                };
                &CALL
            };
        }
        #run
        #call_type
    })
}

/// Narrows the parameters of a listing by the filter, so that fewer items are fetched.
fn narrowed(attrs: &OperationAttrs) -> TokenStream {
    let narrowed = attrs.pushdown.iter().map(|Pushdown { parameter, by }| match by {
        PushdownBy::Field(field) => quote! {
            if params.#parameter.is_none() {
                params.#parameter = request.filter.required_prefix(#field);
            }
        },
        PushdownBy::Function(function) => {
            quote!(params.#parameter = #function(params.#parameter.take(), &request.filter);)
        }
    });
    quote!(#(#narrowed)*)
}

/// Copies parameters into the items of a listing, which do not have them.
fn echoed(echoes: &[Ident]) -> TokenStream {
    if echoes.is_empty() {
        return quote!();
    }
    quote!(items.iter_mut().for_each(|item| { #(item.#echoes = self.#echoes.clone().into();)* });)
}

/// Plan of a call that is one operation.
pub(crate) struct Plan<'a> {
    pub(crate) operation: &'a dyn ToTokens,
    /// Tokens of its `ParamsFrom`.
    pub(crate) params: TokenStream,
    /// Tokens of its `Returns`.
    pub(crate) returns: TokenStream,
    pub(crate) optional: bool,
    pub(crate) copies: TokenStream,
    pub(crate) complete: TokenStream,
    pub(crate) read_back: bool,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(operation: &'a dyn ToTokens, params: TokenStream, returns: TokenStream) -> Self {
        let (copies, complete) = (quote!(&[]), quote!(None));
        Self { operation, params, returns, optional: false, copies, complete, read_back: false }
    }

    pub(crate) fn tokens(&self) -> TokenStream {
        let Self { operation, params, returns, optional, copies, complete, read_back } = self;
        quote! {
            ::nephos_core::plan::Plan::Operation(::nephos_core::plan::OperationPlan {
                operation: <#operation as ::nephos_core::Operation>::OPERATION,
                params: ::nephos_core::plan::ParamsFrom::#params,
                optional: #optional,
                returns: ::nephos_core::plan::Returns::#returns,
                copies: #copies,
                complete: #complete,
                read_back: #read_back,
            })
        }
    }
}

/// Part of an operation's answer that a call returns: its type, and the tokens of its `Returns`.
pub(crate) struct Returned {
    pub(crate) ty: TokenStream,
    pub(crate) returns: TokenStream,
}

impl Returned {
    pub(crate) fn read(
        ident: &Ident,
        attrs: &OperationAttrs,
        member: Option<&ReturnedMember>,
    ) -> Result<Self> {
        let Some(ReturnedMember { items, ty, token, .. }) = member else {
            let output = attrs.output();
            return Ok(match output.to_string().as_str() {
                "()" | "Empty" | ":: nephos_core :: Empty" => {
                    Self { ty: quote!(()), returns: quote!(Nothing) }
                }
                _ => Self { ty: output, returns: quote!(Answer) },
            });
        };
        let Some(ty) = ty else {
            let message = "name the field that the call returns: `returns(log_groups: Vec<LogGroup>)`";
            return refuse(ident, message);
        };
        let name = items.unraw().to_string();
        let returns = match token.as_ref().map(|token| token.unraw().to_string()) {
            Some(token) => quote!(AllPages { name: #name, token: #token }),
            None => {
                let optional = attrs::last_name(ty).as_deref() == Some("Option");
                quote!(Field { name: #name, optional: #optional })
            }
        };
        Ok(Self { ty: quote!(#ty), returns })
    }
}

/// Part of the response that a call returns: a field and its type, and the field with the pagination token.
pub(crate) struct ReturnedMember {
    pub(crate) items: Ident,
    pub(crate) ty: Option<Type>,
    /// Function that converts the items of a page into models.
    pub(crate) by: Option<Path>,
    pub(crate) token: Option<Ident>,
}

impl Parse for ReturnedMember {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let items = input.parse()?;
        let ty = if input.peek(Token![:]) {
            input.parse::<Token![:]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        let by = if input.peek(Token![=>]) {
            input.parse::<Token![=>]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        let token = if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Ok(Self { items, ty, by, token })
    }
}

/// Generates the type of a manager's call, and the methods that return it.
pub(crate) fn call_type(
    info: &RecordInfo<'_>,
    attrs: &OperationAttrs,
    kind: &Path,
    call: &LitStr,
) -> TokenStream {
    let (ident, vis, docs) = (info.ident, info.vis, &info.docs);
    let call_type = format_ident!("{ident}Call");
    let method = Ident::new(&call.value(), call.span());
    let mut manager = kind.clone();
    if let Some(last) = manager.segments.last_mut() {
        last.ident = format_ident!("{}Manager", last.ident);
    }
    let arguments = required(info).map(|field| argument(field).0);
    let given = required(info).map(|field| &field.ident);
    let optional = optional(info, false);
    let outcome = if attrs.pages {
        // A listing of the service is of its kind.
        let listed = attrs.output.as_ref().and_then(|output| attrs::inside(output, "Page"));
        let listed = listed.map_or(quote!(#kind), |listed| quote!(#listed));
        quote!(::nephos_core::derived_results!(#call_type: #listed);)
    } else {
        let listed = match (&attrs.returns, &attrs.output) {
            _ if attrs.none_if_missing => None,
            (Some(member), _) => member.ty.as_ref(),
            (None, output) => output.as_ref(),
        };
        let one = listed.and_then(|ty| attrs::inside(ty, "Vec"));
        let one = one.map(|item| quote!(::nephos_core::derived_one!(#call_type: #item);));
        quote! {
            ::nephos_core::derived_answer!(#call_type: <#ident as ::nephos_core::ManagerCall>::Answer);
            #one
        }
    };
    let errors = if attrs.pages {
        "None here: errors come with the first page that is fetched."
    } else {
        "None here: the call fails when it runs, with `Invalid` for a parameter that breaks its rules and with the error \
         codes of the service."
    };
    let saves = match call.value().as_str() {
        "create" => Some(quote!(impl ::nephos_core::HasCreate for #kind { type Create = #ident; })),
        "update" => Some(quote!(impl ::nephos_core::HasUpdate for #kind { type Update = #ident; })),
        _ => None,
    };
    let instance = attrs.on_model.then(|| {
        let arguments = attrs.arguments.iter().filter_map(|name| {
            let field = info.fields.iter().find(|field| field.ident.unraw() == name.unraw())?;
            let (name, ty) = (&field.name, &field.ty);
            let ident = &field.ident;
            Some(quote!(#ident: #ty = #name))
        });
        quote!(::nephos_core::derived_instance!(#kind { #[doc = #docs] #method(#(#arguments),*): #call_type: #ident });)
    });
    quote! {
        ::nephos_core::derived_call!(#vis #call_type: #ident = #call { #(#optional)* });
        #outcome
        #saves
        #instance

        impl #manager {
            #[doc = #docs]
            ///
            /// # Errors
            ///
            #[doc = #errors]
            #[inline]
            pub fn #method(&self, #(#arguments),*) -> #call_type {
                #call_type(::nephos_core::Call::new(self.session(), #ident::new(#(#given),*)))
            }
        }
    }
}
