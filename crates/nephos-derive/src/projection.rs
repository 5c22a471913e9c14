//! The fields of a kind as its operations see them.
//!
//! `#[derive(Resource)]` makes a macro that is called like the kind and holds the names of its fields. `#[operation]` with
//! `of = Kind` calls it, and so gets to know them: which there are, what they are for, and which a caller sets.

use crate::{
    attrs::{FieldInfo, Taken, refuse},
    fields::RecordInfo,
};
use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{
    Ident, LitBool, LitStr, Path, Result, braced,
    ext::IdentExt,
    parse::{Parse, ParseStream},
};

/// The macro that is called like the kind.
pub(crate) fn table(info: &RecordInfo<'_>) -> TokenStream {
    let ident = info.ident;
    let module = format_ident!("__fields_of_{ident}");
    let fields = info.fields.iter().map(|field| {
        let FieldInfo { ident, name, docs, attrs, .. } = field;
        let (wire, settable, fixed) = (field.wire(), !attrs.service_set, attrs.fixed);
        quote!(#ident #name #wire #docs #settable #fixed,)
    });
    quote! {
        #[doc(hidden)]
        #[allow(non_snake_case, unused_macros, unused_imports)]
        mod #module {
            macro_rules! #ident {
                ($($operation:tt)*) => {
                    ::nephos_core::operation_of! { { #(#fields)* } $($operation)* }
                };
            }
            pub(crate) use #ident;
        }
        #[allow(unused_imports)]
        pub(crate) use #module::#ident;
    }
}

/// A field of a kind, as the kind's macro tells it.
pub(crate) struct Known {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) wire: String,
    pub(crate) docs: String,
    settable: bool,
    fixed: bool,
}

impl Parse for Known {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let ident = Ident::parse_any(input)?;
        let [name, wire, docs] =
            [input.parse::<LitStr>()?, input.parse()?, input.parse()?].map(|text| text.value());
        let (settable, fixed) = (input.parse::<LitBool>()?.value, input.parse::<LitBool>()?.value);
        input.parse::<syn::Token![,]>()?;
        Ok(Self { ident, name, wire, docs, settable, fixed })
    }
}

/// What the kind's macro hands on: its fields, what the attribute said, and the struct.
pub(crate) struct Projection {
    pub(crate) fields: Vec<Known>,
    pub(crate) args: TokenStream,
    pub(crate) item: TokenStream,
}

impl Parse for Projection {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (fields, args, item);
        braced!(fields in input);
        braced!(args in input);
        braced!(item in input);
        let mut known = Vec::new();
        while !fields.is_empty() {
            known.push(fields.parse()?);
        }
        Ok(Self { fields: known, args: args.parse()?, item: item.parse()? })
    }
}

/// The kind that an operation is `of`, if its attribute says so.
pub(crate) fn kind_of(args: &TokenStream) -> Option<Path> {
    let mut tokens = args.clone().into_iter();
    loop {
        match tokens.next()? {
            TokenTree::Ident(word) if word == "of" => break,
            _ => {}
        }
    }
    match tokens.next()? {
        TokenTree::Punct(equals) if equals.as_char() == '=' => {}
        _ => return None,
    }
    let path = tokens.take_while(|token| !matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','));
    syn::parse2(path.collect()).ok()
}

/// The parameters that an operation takes from `kind`: those it needs first.
pub(crate) fn taken(
    known: &[Known],
    kind: &Path,
    needs: Vec<Taken>,
    takes: Vec<Taken>,
    leaves: &[Ident],
) -> Result<Vec<FieldInfo>> {
    let mut fields = Vec::new();
    let mut named: Vec<String> = leaves.iter().map(|ident| ident.unraw().to_string()).collect();
    for leaf in leaves {
        find(known, leaf)?;
    }
    let explicit = |list: &[Taken]| list.iter().map(|one| one.ident.unraw().to_string()).collect::<Vec<_>>();
    named.extend(explicit(&needs));
    named.extend(explicit(&takes));
    for one in needs {
        fields.push(FieldInfo::taken(find(known, &one.ident)?, one, kind, false));
    }
    for one in takes {
        let group: fn(&Known) -> bool = match one.ident.to_string().as_str() {
            "settable" => |field| field.settable,
            "changeable" => |field| field.settable && !field.fixed,
            _ => {
                fields.push(FieldInfo::taken(find(known, &one.ident)?, one, kind, true));
                continue;
            }
        };
        let span = one.ident.span();
        let others = known.iter().filter(|field| group(field));
        for field in others.filter(|field| !named.contains(&field.ident.unraw().to_string())) {
            let mut ident = field.ident.clone();
            ident.set_span(span);
            fields.push(FieldInfo::taken(field, Taken::plain(ident), kind, true));
        }
    }
    Ok(fields)
}

fn find<'k>(known: &'k [Known], ident: &Ident) -> Result<&'k Known> {
    let name = ident.unraw();
    match known.iter().find(|field| field.ident.unraw() == name) {
        Some(field) => Ok(field),
        None => {
            let names: Vec<_> = known.iter().map(|field| field.ident.unraw().to_string()).collect();
            refuse(ident, format!("the kind has no field `{name}`; it has {}", names.join(", ")))
        }
    }
}
