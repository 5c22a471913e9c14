//! Words of `#[operation]` about the permission that it needs.

use crate::attrs::{self, refuse};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Ident, LitStr, Result, Token,
    meta::ParseNestedMeta,
    parse::{Parse, ParseStream},
};

/// Content of the words about permissions.
#[derive(Default)]
pub(crate) struct PermissionAttrs {
    action: Option<LitStr>,
    access: Option<Ident>,
    also_requires: Vec<FurtherAction>,
    no_permission: Option<Ident>,
    unsigned: bool,
}

/// A further action and the template of its resources: `"iam:PassRole" = "roleArn? {roleArn}"`.
struct FurtherAction {
    action: LitStr,
    template: LitStr,
}

impl Parse for FurtherAction {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let action = input.parse()?;
        input.parse::<Token![=]>()?;
        let template: LitStr = input.parse()?;
        if template.value().is_empty() {
            return refuse(template, "name its resources, or the parameter that it depends on: `\"Tags?\"`");
        }
        Ok(Self { action, template })
    }
}

impl PermissionAttrs {
    /// Parses a word about permissions; false for another word.
    pub(crate) fn word(&mut self, word: &str, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        match word {
            "action" => self.action = Some(attrs::text(meta)?),
            "access" => self.access = Some(meta.value()?.parse()?),
            "also_requires" => self.also_requires = attrs::list(meta)?,
            "unsigned" => self.unsigned = true,
            "no_permission" => self.no_permission = Some(meta.path.require_ident()?.clone()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Tokens of the `PermissionShape` of the operation `name`. Words that would do nothing are refused.
    pub(crate) fn shape(&self, name: &str, is_on_wire: bool, effect: &Ident) -> Result<TokenStream> {
        let Self { action, access, also_requires, no_permission, unsigned } = self;
        if !is_on_wire {
            self.check_absent()?;
        }
        if let Some(action) = action.as_ref().filter(|action| action.value() == name) {
            return refuse(action, "this is the action anyway: remove `action`");
        }
        if let (Some(word), true) = (no_permission, action.is_some() || !also_requires.is_empty()) {
            return refuse(
                word,
                "an operation that needs no permission has no action: remove `action` and `also_requires`",
            );
        }
        if *unsigned && no_permission.is_none() {
            return refuse(effect, "without a signature there is no caller to check: add `no_permission`");
        }
        if action.is_none() && access.is_none() && also_requires.is_empty() && no_permission.is_none() {
            return Ok(quote!(::nephos_core::permission::PermissionShape::DERIVED));
        }
        let level = match access {
            Some(access) => {
                let level = access_level(access, name, effect)?;
                quote!(Some(::nephos_core::permission::AccessLevel::#level))
            }
            None => quote!(None),
        };
        let action = action.as_ref().map(LitStr::value).unwrap_or_default();
        let further =
            also_requires.iter().map(|FurtherAction { action, template }| quote!((#action, #template)));
        let open = no_permission.is_some();
        Ok(quote! {
            ::nephos_core::permission::PermissionShape {
                action: #action,
                access: #level,
                further: &[#(#further),*],
                open: #open,
                unsigned: #unsigned,
            }
        })
    }

    /// Refuses the words on a call of a manager: the operations that it runs are checked.
    fn check_absent(&self) -> Result<()> {
        let message = "permissions are those of operations on the wire, which the call runs: remove this";
        match self {
            Self { action: Some(action), .. } => refuse(action, message),
            Self { access: Some(access), .. } => refuse(access, message),
            Self { no_permission: Some(word), .. } => refuse(word, message),
            Self { also_requires, .. } => {
                also_requires.first().map_or(Ok(()), |first| refuse(&first.action, message))
            }
        }
    }
}

/// Returns the name of the level in Rust.
fn access_level(access: &Ident, name: &str, effect: &Ident) -> Result<TokenStream> {
    let is_tagging = name.starts_with("Tag") || name.starts_with("Untag") || name.ends_with("Tags");
    let derived = match effect == "Read" {
        true if name.starts_with("List") => "list",
        true => "read",
        false if is_tagging => "tagging",
        false => "write",
    };
    let level = match access.to_string().as_str() {
        "list" => quote!(List),
        "read" => quote!(Read),
        "write" => quote!(Write),
        "tagging" => quote!(Tagging),
        "permissions" => quote!(PermissionsManagement),
        _ => return refuse(access, "expected `list`, `read`, `write`, `tagging` or `permissions`"),
    };
    if access == derived {
        return refuse(access, "this is the access level anyway: remove `access`");
    }
    Ok(level)
}
