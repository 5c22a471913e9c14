//! Transforms: how a request is rewritten before it is handed on.

use super::validation::{check_regex, invalid, refuse_fields};
use nephos_core::{Record, Result, Text, choices};

choices! {
    /// What is rewritten.
    pub enum TransformType {
        /// The host.
        HostHeaderRewrite = "host-header-rewrite",
        /// The path and query.
        UrlRewrite = "url-rewrite",
    }
}

/// What is found, and what is put in its place.
#[derive(Record)]
pub struct RewriteConfig {
    /// The expression that is found.
    #[field(required, length(1..=1024))]
    regex: Option<Text>,
    /// What is put in its place.
    #[field(required, length(..=1024))]
    replace: Option<Text>,
}

/// How the host is rewritten.
#[derive(Record)]
pub struct HostHeaderRewriteConfig {
    /// What is found, and what is put in its place.
    rewrites: Option<Vec<RewriteConfig>>,
}

/// How the path and query are rewritten.
#[derive(Record)]
pub struct UrlRewriteConfig {
    /// What is found, and what is put in its place.
    rewrites: Option<Vec<RewriteConfig>>,
}

/// How a request is rewritten before it is handed on.
#[derive(Record)]
#[record(name = "RuleTransform")]
pub struct Transform {
    /// What is rewritten.
    #[field(required)]
    r#type: Option<TransformType>,
    /// How the host is.
    host_header_rewrite_config: Option<HostHeaderRewriteConfig>,
    /// How the path and query are.
    url_rewrite_config: Option<UrlRewriteConfig>,
}

/// Refuses transforms that are not whole, or twice the same.
pub(super) fn check(transforms: &[Transform]) -> Result<()> {
    for (n, transform) in transforms.iter().enumerate() {
        let path = format!("Transforms[{n}]");
        if transforms[..n].iter().any(|other| other.r#type == transform.r#type) {
            return Err(invalid(&path, "a rule can have at most one transform of each type"));
        }
        transform.check().map_err(|error| error.in_field(&path))?;
    }
    Ok(())
}

impl Transform {
    fn check(&self) -> Result<()> {
        let host = self.host_header_rewrite_config.as_ref().and_then(|config| config.rewrites.as_deref());
        let url = self.url_rewrite_config.as_ref().and_then(|config| config.rewrites.as_deref());
        let (own, name, other) = match self.r#type {
            Some(TransformType::HostHeaderRewrite) => (host, "HostHeaderRewriteConfig", "UrlRewriteConfig"),
            _ => (url, "UrlRewriteConfig", "HostHeaderRewriteConfig"),
        };
        refuse_fields(self, &[other], |field| invalid(field, "is not allowed for a transform of this type"))?;
        let [rewrite] = own.unwrap_or_default() else {
            return Err(invalid(&format!("{name}.Rewrites"), "must have exactly one rewrite"));
        };
        let expression = rewrite.regex.as_deref().unwrap_or_default();
        check_regex(expression, &format!("{name}.Rewrites[0].Regex"))
    }
}
