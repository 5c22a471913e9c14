//! `#[operation]`.

use crate::{
    answers::{self, Answer},
    attrs::{self, FieldInfo, Taken, refuse},
    calls::{self, FindBy},
    fields::{RecordAttrs, RecordInfo},
    manager_call::{Plan, Returned, ReturnedMember, call_type, service_call},
    permission::PermissionAttrs,
    projection::{self, Projection, Source},
};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    DeriveInput, Error, Expr, Ident, LitInt, LitStr, Path, Result, Token, Type,
    ext::IdentExt,
    meta::ParseNestedMeta,
    parse::{Parse, ParseStream, Parser},
    parse_quote,
};

#[derive(Default)]
pub(crate) struct OperationAttrs {
    pub(crate) record: RecordAttrs,
    pub(crate) service: Option<Path>,
    pub(crate) of: Option<Path>,
    pub(crate) needs: Vec<Taken>,
    pub(crate) takes: Vec<Taken>,
    pub(crate) except: Vec<Ident>,
    pub(crate) subject: Option<LitStr>,
    pub(crate) permission: PermissionAttrs,
    pub(crate) returns: Option<ReturnedMember>,
    pub(crate) model: bool,
    pub(crate) overrides: Vec<Ident>,
    /// Records of shared parameters.
    pub(crate) include: Vec<Path>,
    pub(crate) find: Vec<FindBy>,
    pub(crate) with: Option<Path>,
    pub(crate) kind: Option<Path>,
    pub(crate) call: Option<LitStr>,
    pub(crate) effect: Option<Ident>,
    pub(crate) output: Option<Type>,
    pub(crate) http: Option<TokenStream>,
    pub(crate) pages: bool,
    pub(crate) on_model: bool,
    /// Parameters that the method of the model takes as arguments, because the model does not have them.
    pub(crate) arguments: Vec<Ident>,
    pub(crate) none_if_missing: bool,
    pub(crate) pushdown: Vec<Pushdown>,
    pub(crate) copies_to_answer: Vec<Ident>,
    pub(crate) one_of: Vec<Ident>,
    pub(crate) answer: Option<Answer>,
    pub(crate) read_back: bool,
    /// Operations that an update sends.
    pub(crate) changes: Option<Vec<Path>>,
    pub(crate) clears: Vec<Ident>,
    pub(crate) replaces: bool,
    /// The one operation that a call of a manager runs.
    pub(crate) runs: Option<Path>,
    /// Plan of a generated call.
    pub(crate) plan: Option<TokenStream>,
}

impl OperationAttrs {
    /// Tokens of the function that returns the service: that of the crate, unless it is named.
    fn service(&self) -> TokenStream {
        let own = parse_quote!(crate::SERVICE);
        let service = self.service.as_ref().unwrap_or(&own);
        quote!(|| &#service)
    }

    /// Sets answer and plan of a call that sends what changed in a model; false for another call.
    fn add_update_plan(&mut self) -> bool {
        let Some(kind) = &self.kind else { return false };
        let Some(changes) = self.changes.take() else { return false };
        self.output = Some(parse_quote!(#kind));
        self.plan = Some(quote! {
            ::nephos_core::plan::Plan::Update(&[#(<#changes as ::nephos_core::Operation>::OPERATION),*])
        });
        true
    }

    /// Names of the parameters that the method of the model takes.
    pub(crate) fn arguments(&self) -> TokenStream {
        let names = self.arguments.iter().map(|name| name.unraw().to_string());
        quote!(&[#(#names),*])
    }

    /// Names of the parameters that are copied into the answer.
    pub(crate) fn copies(&self) -> TokenStream {
        let copies = self.copies_to_answer.iter().map(|copied| copied.unraw().to_string());
        quote!(&[#(#copies),*])
    }

    /// Sets answer and plan of a call of a manager that is one operation with parameters of the same names.
    fn add_run_plan(&mut self, ident: &Ident) -> Result<()> {
        let Some(operation) = self.runs.take() else { return Ok(()) };
        if self.kind.is_none() {
            return refuse(operation, "an operation runs itself: `runs` is for calls with `kind`");
        }
        let has_pages = self.returns.as_ref().is_some_and(|member| member.token.is_some());
        if let (true, Some(echoed)) = (has_pages, self.copies_to_answer.first()) {
            return refuse(
                echoed,
                "`copies_to_answer` is for one answer: a call that returns all pages has many",
            );
        }
        let Returned { ty, returns } = Returned::read(ident, self, self.returns.as_ref())?;
        let complete = calls::complete(self, &ty);
        let copies = self.copies();
        let optional = self.none_if_missing;
        let read_back = self.read_back;
        let ty = self.kind.as_ref().filter(|_| read_back).map_or(ty, ToTokens::to_token_stream);
        let params = if self.model { quote!(Model) } else { quote!(Names) };
        let plan = Plan { copies, optional, complete, read_back, ..Plan::new(&operation, params, returns) };
        self.plan = Some(plan.tokens());
        self.output =
            Some(if optional { parse_quote!(::core::option::Option<#ty>) } else { parse_quote!(#ty) });
        Ok(())
    }

    /// Sets the subject, unless it is named: the resource that the parameters identify. A listing is not about one resource.
    fn set_subject(&mut self, input: &DeriveInput, identified: Option<String>) -> Result<()> {
        let Some(subject) = identified.or_else(|| self.pages.then(|| "*".to_owned())) else { return Ok(()) };
        match &self.subject {
            Some(given) if given.value() == subject => {
                refuse(given, "this is the subject anyway: remove `subject`")
            }
            Some(_) => Ok(()),
            None => {
                self.subject = Some(LitStr::new(&subject, input.ident.span()));
                Ok(())
            }
        }
    }

    /// Type of the answer; by default an operation on the wire has an empty one, and a call none.
    pub(crate) fn output(&self) -> TokenStream {
        match &self.output {
            Some(output) => quote!(#output),
            None if self.kind.is_some() => quote!(()),
            None => quote!(::nephos_core::Empty),
        }
    }
}

/// A parameter of a listing that a filter narrows: `name_prefix = "Name"` takes the prefix that the filter requires of the field,
/// `filters = filters::pushed` calls a function with the filter.
pub(crate) struct Pushdown {
    pub(crate) parameter: Ident,
    pub(crate) by: PushdownBy,
}

/// Source of the narrower value of a parameter: a required prefix, or a function.
pub(crate) enum PushdownBy {
    Field(LitStr),
    Function(Path),
}

impl Parse for Pushdown {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let parameter = input.parse()?;
        input.parse::<Token![=]>()?;
        let by = if input.peek(LitStr) {
            PushdownBy::Field(input.parse()?)
        } else {
            PushdownBy::Function(input.parse()?)
        };
        Ok(Self { parameter, by })
    }
}

const WORDS: &str = "an operation may have: service, of, needs, takes, include, except, subject, action, access, also_requires, no_permission, kind, call, returns, model, overrides, find, with, effect, output, http, pages, \
                     on_model, none_if_missing, one_of, page, wraps, answers, read_back, changes, clears, replaces, runs, pushdown, copies_to_answer, case, wire, hot, check";

impl OperationAttrs {
    fn word(&mut self, word: &str, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        match word {
            "service" => self.service = Some(meta.value()?.parse()?),
            "of" => self.of = Some(meta.value()?.parse()?),
            "needs" => self.needs = attrs::list(meta)?,
            "takes" => self.takes = attrs::list(meta)?,
            "include" => self.include = attrs::list(meta)?,
            "except" => self.except = attrs::list(meta)?,
            "subject" => self.subject = Some(attrs::text(meta)?),
            "model" => self.model = true,
            "overrides" => self.overrides = attrs::list(meta)?,
            "find" => self.find = attrs::list(meta)?,
            "with" => self.with = Some(meta.value()?.parse()?),
            "returns" => {
                let content;
                syn::parenthesized!(content in meta.input);
                self.returns = Some(content.parse()?);
            }
            "kind" => self.kind = Some(meta.value()?.parse()?),
            "call" => {
                let call = self.call.insert(attrs::text(meta)?);
                if call.parse::<Ident>().is_err() {
                    return refuse(call, "a call is named like a method: `create`, `get_fields`");
                }
            }
            "output" => self.output = Some(meta.value()?.parse()?),
            "pages" => self.pages = true,
            "on_model" => {
                self.on_model = true;
                if meta.input.peek(syn::token::Paren) {
                    self.arguments = attrs::list(meta)?;
                }
            }
            // Of calls that this crate generates.
            "plan" => self.plan = Some(meta.value()?.parse::<Expr>()?.into_token_stream()),
            "none_if_missing" => self.none_if_missing = true,
            "pushdown" => self.pushdown = attrs::list(meta)?,
            "copies_to_answer" => self.copies_to_answer = attrs::list(meta)?,
            "one_of" => self.one_of = attrs::list(meta)?,
            "read_back" => self.read_back = true,
            "changes" if meta.input.peek(syn::token::Paren) => self.changes = Some(attrs::list(meta)?),
            "changes" => self.changes = Some(Vec::new()),
            "clears" => self.clears = attrs::list(meta)?,
            "replaces" => self.replaces = true,
            "runs" => self.runs = Some(meta.value()?.parse()?),
            "effect" => {
                let effect: Ident = meta.value()?.parse()?;
                self.effect = Some(match effect.to_string().as_str() {
                    "read" => format_ident!("Read"),
                    "write" => format_ident!("Write"),
                    _ => return refuse(effect, "expected `read` or `write`"),
                });
            }
            "http" => {
                let form = "write method, path and status: `http(\"GET\", \"/v1/x/{name}\", 200)`";
                self.http = Some(http(meta).map_err(|error| Error::new(error.span(), form))?);
            }
            _ => {
                return Ok(answers::word(&mut self.answer, word, meta)?
                    || self.permission.word(word, meta)?
                    || self.record.word(word, meta)?);
            }
        }
        Ok(true)
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

/// Expands the attribute. If the operation takes fields of other structs, this is a call of the macro that has
/// the fields of the first.
pub(crate) fn expand(args: TokenStream, item: &TokenStream) -> Result<TokenStream> {
    match projection::call_macro(&args, item, &projection::sources(&args)?, &[]) {
        Some(macro_call) => Ok(macro_call),
        None => describe(args, &syn::parse2(item.clone())?, &[]),
    }
}

/// Expands an operation with the fields that macros passed, or calls the macro of the next struct.
pub(crate) fn expand_of(projection: Projection) -> TokenStream {
    if let Some(macro_call) = projection.call_next_macro() {
        return macro_call;
    }
    let Projection { args, item, sources, .. } = projection;
    if let Some(args) = projection::record_arguments(&args) {
        return answers::expand_record(args, item, &sources).unwrap_or_else(|error| error.to_compile_error());
    }
    let described = syn::parse2(item).and_then(|input: DeriveInput| {
        describe(args, &input, &sources).or_else(|error| Ok(struct_with_error(&input, &error)))
    });
    described.unwrap_or_else(|error| error.to_compile_error())
}

fn describe(args: TokenStream, input: &DeriveInput, sources: &[Source]) -> Result<TokenStream> {
    let mut attrs = OperationAttrs::default();
    let mut with_model = input.clone();
    let parser = syn::meta::parser(|meta| {
        let word = meta.path.require_ident()?.to_string();
        if attrs.word(&word, &meta)? { Ok(()) } else { Err(meta.error(WORDS)) }
    });
    parser.parse2(args)?;
    let takes_model = attrs.model && attrs.runs.is_some();
    let input = if attrs.add_update_plan() || takes_model {
        add_model(&mut with_model, attrs.kind.as_ref());
        &with_model
    } else {
        input
    };
    let (needs, takes) = (std::mem::take(&mut attrs.needs), std::mem::take(&mut attrs.takes));
    let (known, included) = match (&attrs.of, sources) {
        (Some(_), [kind, included @ ..]) => (&kind.fields[..], included),
        (_, included) => (&[][..], included),
    };
    let own = match &attrs.of {
        Some(kind) => {
            let case = attrs.record.case;
            projection::taken_fields(known, kind, needs, takes, &attrs.except, case)?
        }
        None if needs.is_empty() && takes.is_empty() => Vec::new(),
        None => return refuse(&input.ident, "name the kind whose fields it takes: `of = LogGroup`"),
    };
    let (mut taken, mut last) = (Vec::new(), Vec::new());
    for source in included {
        let (required, optional) = projection::shared_fields(source);
        taken.extend(required);
        last.extend(optional);
    }
    taken.extend(own.into_iter().chain(last));
    let answer = answers::generate(input, &mut attrs, known)?;
    attrs.add_run_plan(&input.ident)?;
    let mut info = RecordInfo::read_with(input, std::mem::take(&mut attrs.record), taken)?;
    if attrs.kind.is_none() && attrs.call.is_some() {
        // The call handles pagination tokens itself.
        info.fields
            .iter_mut()
            .filter(|field| field.attrs.page_token)
            .for_each(|field| field.attrs.set_wire_only());
    }
    if attrs.kind.is_none() && attrs.of.is_some() {
        attrs.set_subject(input, sources.first().and_then(|kind| kind.subject(&info.fields)))?;
    }
    let declaration = declaration(input, &info.fields);
    let more = calls::service_calls(&info, &mut attrs, input, known)?;
    let implemented = implement(&info, &attrs, more.calls)?;
    let more = more.tokens;
    Ok(quote!(#declaration #answer #implemented #more))
}

/// Adds the parameter that takes the model to a call.
fn add_model(input: &mut DeriveInput, kind: Option<&Path>) {
    if let syn::Data::Struct(data) = &mut input.data
        && let syn::Fields::Named(fields) = &mut data.fields
    {
        let model = quote! {
            /// Model of the resource.
            #[field(model, name = "model")]
            pub model: #kind
        };
        if let Ok(model) = syn::Field::parse_named.parse2(model) {
            fields.named.insert(0, model);
        }
    }
}

/// Returns the error and the struct as written, so that its uses are no errors, too.
pub(crate) fn struct_with_error(input: &DeriveInput, error: &Error) -> TokenStream {
    let (error, declaration) = (error.to_compile_error(), declaration(input, &[]));
    quote!(#error #declaration)
}

/// Returns the struct with the parameters that are taken from the kind, and without attributes of this macro.
fn declaration(input: &DeriveInput, fields: &[FieldInfo]) -> TokenStream {
    let DeriveInput { attrs, vis, ident, .. } = input;
    let taken = fields.iter().filter(|field| field.taken_from.is_some());
    let taken = taken.map(|FieldInfo { ident, ty, docs, .. }| quote!(#[doc = #docs] pub #ident: #ty,));
    let own = match &input.data {
        syn::Data::Struct(data) => data.fields.iter().cloned().collect(),
        _ => Vec::new(),
    };
    let own = own.into_iter().map(|mut field| {
        field.attrs.retain(|attr| !attr.path().is_ident("field"));
        quote!(#field,)
    });
    quote!(#(#attrs)* #[non_exhaustive] #vis struct #ident { #(#taken)* #(#own)* })
}

fn implement(
    info: &RecordInfo<'_>,
    attrs: &OperationAttrs,
    mut calls: Vec<TokenStream>,
) -> Result<TokenStream> {
    let (ident, docs) = (info.ident, &info.docs);
    let Some(effect) = &attrs.effect else { return refuse(ident, "add `effect = read` or `effect = write`") };
    if let (true, Some(call)) = (attrs.on_model, &attrs.call)
        && ["get", "set"].contains(&call.value().as_str())
    {
        return refuse(call, "a model has methods `get` and `set` for its fields: remove `on_model`");
    }
    if let (Some(service), Some(_)) = (&attrs.service, &attrs.kind) {
        return refuse(service, "a call of a manager is of the service of its kind: remove `service`");
    }
    let output = attrs.output();
    let own_call = quote!(<#ident as ::nephos_core::ManagerCall>::CALL);
    let (service, name, call) = match (&attrs.kind, &attrs.of, &attrs.call) {
        (None, of, Some(call)) => {
            let Some(kind) = of else { return refuse(call, "name the kind of the call: `of = LogGroup`") };
            calls.insert(0, own_call);
            (attrs.service(), ident.to_string(), service_call(info, attrs, kind, call)?)
        }
        (None, _, None) => (attrs.service(), ident.to_string(), quote!()),
        (Some(kind), _, Some(call)) => {
            let service = quote!(|| (<#kind as ::nephos_core::Resource>::KIND.service)());
            let own = quote! {
                #[doc(hidden)]
                impl ::nephos_core::ManagerCall for #ident {
                    type Answer = #output;
                    const CALL: &'static ::nephos_core::shape::OperationShape =
                        <Self as ::nephos_core::Operation>::OPERATION;
                }
            };
            calls.insert(0, own_call);
            let call_type = call_type(info, attrs, kind, call);
            (service, call.value(), quote!(#own #call_type))
        }
        (Some(_), _, None) => return refuse(ident, "name the call of the manager: `call = \"create\"`"),
    };
    let record = info.implement_params();
    let http = attrs.http.clone().unwrap_or_else(|| quote!(None));
    let reach = match (&attrs.kind, attrs.pages, &attrs.plan) {
        (None, ..) => quote!(Wire(::nephos_core::dynamic::WireReach::new::<#ident>())),
        (Some(_), true, _) => quote!(List(::nephos_core::dynamic::ListReach::new::<#ident>())),
        (Some(_), false, Some(plan)) => call_reach(ident, plan),
        (Some(_), false, None) => {
            call_reach(ident, &quote!(::nephos_core::plan::Plan::Code(::nephos_core::plan::code::<#ident>)))
        }
    };
    for name in &attrs.one_of {
        if !info.fields.iter().any(|field| field.optional && field.ident.unraw() == name.unraw()) {
            return refuse(name, "the operation has no such optional parameter");
        }
    }
    let one_of = attrs.one_of.iter().map(|name| name.unraw().to_string());
    let one_of = quote!(&[#(#one_of),*]);
    let (clears, replaces) = (attrs.clears.iter().map(|name| name.unraw().to_string()), attrs.replaces);
    let own = attrs.kind.is_some();
    let model_arguments = attrs.arguments();
    let (pages, instance) = (attrs.pages && own, attrs.on_model && own);
    let lists = attrs.pages;
    let subject = attrs.subject.as_ref().map(LitStr::value).unwrap_or_default();
    let permission = attrs.permission.shape(&name, !own, effect)?;
    let kind = kind_shape(attrs.kind.as_ref().or(attrs.of.as_ref()));
    let (arguments, required): (Vec<_>, Vec<_>) = required(info).map(argument).unzip();
    let optional = optional(info, true);
    Ok(quote! {
        #record
        ::nephos_core::derived_parameters!(#ident(#(#arguments),*) { #(#required,)* } { #(#optional)* });

        impl ::nephos_core::Operation for #ident {
            type Output = #output;

            const OPERATION: &'static ::nephos_core::shape::OperationShape = {
                static OPERATION: ::nephos_core::shape::OperationShape = ::nephos_core::shape::OperationShape {
                    name: #name,
                    docs: #docs,
                    params: <#ident as ::nephos_core::Record>::SHAPE,
                    output: <#output as ::nephos_core::operation::Output>::TYPE,
                    service: #service,
                    kind: #kind,
                    effect: ::nephos_core::shape::Effect::#effect,
                    subject: #subject,
                    permission: #permission,
                    http: #http,
                    pages: #pages,
                    lists: #lists,
                    instance: #instance,
                    arguments: #model_arguments,
                    one_of: #one_of,
                    clears: &[#(#clears),*],
                    replaces: #replaces,
                    reach: ::nephos_core::shape::Reach::new(&::nephos_core::dynamic::Reach::#reach),
                };
                &OPERATION
            };

            const CALLS: &'static [&'static ::nephos_core::shape::OperationShape] = &[#(#calls),*];
        }

        #call
    })
}

/// Tokens of the kind of an operation.
fn kind_shape(kind: Option<&Path>) -> TokenStream {
    kind.map_or_else(|| quote!(None), |kind| quote!(Some(<#kind as ::nephos_core::Resource>::KIND)))
}

/// Tokens of the reach of a call with this plan.
pub(crate) fn call_reach(ident: &Ident, plan: &TokenStream) -> TokenStream {
    quote!(Call(::nephos_core::dynamic::CallReach::new::<#ident>(#plan)))
}

/// Optional parameters, in the form of the macros that make their setters.
pub(crate) fn optional(info: &RecordInfo<'_>, wire_only: bool) -> impl Iterator<Item = TokenStream> {
    let optional =
        info.fields.iter().filter(move |field| field.optional && (wire_only || !field.attrs.wire_only));
    optional.map(|FieldInfo { ident, docs, inner, .. }| quote!(#[doc = #docs] #ident: #inner,))
}

pub(crate) fn required<'a>(info: &'a RecordInfo<'_>) -> impl Iterator<Item = &'a FieldInfo> {
    info.fields.iter().filter(|field| !field.optional)
}

/// Returns the form of a required parameter in a signature, and its conversion into the field.
pub(crate) fn argument(field: &FieldInfo) -> (TokenStream, TokenStream) {
    let FieldInfo { ident, ty, .. } = field;
    if field.attrs.model {
        return (quote!(#ident: &#ty), quote!(#ident: #ident.clone()));
    }
    (
        quote!(#ident: impl ::nephos_core::IntoField<#ty>),
        quote!(#ident: ::nephos_core::IntoField::<#ty>::into_field(#ident)),
    )
}
