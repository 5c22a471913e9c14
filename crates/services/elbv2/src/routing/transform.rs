//! Transforms: rewrites of a request before it is forwarded.

use crate::{
    errors,
    validation::{check_regex, refuse_fields, wire_name},
};
use nephos_core::{Record, Result, Text, choices};

choices! {
    /// Type of a transform.
    pub enum TransformType {
        /// Rewrites the host header.
        HostHeaderRewrite = "host-header-rewrite",
        /// Rewrites the path and query string.
        UrlRewrite = "url-rewrite",
    }
}

/// A regular expression and its replacement.
#[derive(Record)]
pub struct RewriteConfig {
    /// Regular expression to replace.
    #[field(required, length(1..=1024))]
    regex: Option<Text>,
    /// Replacement.
    #[field(required, length(..=1024))]
    replace: Option<Text>,
}

/// Rewrites of the host header.
#[derive(Record)]
pub struct HostHeaderRewriteConfig {
    /// Regular expressions and their replacements; exactly one.
    rewrites: Option<Vec<RewriteConfig>>,
}

/// Rewrites of the path and query string.
#[derive(Record)]
pub struct UrlRewriteConfig {
    /// Regular expressions and their replacements; exactly one.
    rewrites: Option<Vec<RewriteConfig>>,
}

/// A rewrite of a request before it is forwarded.
#[derive(Record)]
#[record(name = "RuleTransform")]
pub struct Transform {
    /// Type of the transform.
    #[field(required)]
    r#type: Option<TransformType>,
    /// Config for `host-header-rewrite`.
    host_header_rewrite_config: Option<HostHeaderRewriteConfig>,
    /// Config for `url-rewrite`.
    url_rewrite_config: Option<UrlRewriteConfig>,
}

/// Refuses incomplete transforms, and two of the same type.
pub(crate) fn check(transforms: &[Transform]) -> Result<()> {
    for (n, transform) in transforms.iter().enumerate() {
        let path = format!("Transforms[{n}]");
        if transforms[..n].iter().any(|other| other.r#type == transform.r#type) {
            return Err(errors::transform_repeated(transform.type_name()).with_field(path));
        }
        transform.check().map_err(|error| error.in_field(&path))?;
    }
    Ok(())
}

impl Transform {
    fn type_name(&self) -> &str {
        self.r#type.as_ref().map_or("", wire_name)
    }

    fn check(&self) -> Result<()> {
        let host = self.host_header_rewrite_config.as_ref().and_then(|config| config.rewrites.as_deref());
        let url = self.url_rewrite_config.as_ref().and_then(|config| config.rewrites.as_deref());
        let (own, name, other) = match self.r#type {
            Some(TransformType::HostHeaderRewrite) => (host, "HostHeaderRewriteConfig", "UrlRewriteConfig"),
            _ => (url, "UrlRewriteConfig", "HostHeaderRewriteConfig"),
        };
        refuse_fields(self, &[other], |field| errors::transform_config_unsupported(field, self.type_name()))?;
        let [rewrite] = own.unwrap_or_default() else {
            return Err(
                errors::transform_rewrite_count(self.type_name()).with_field(format!("{name}.Rewrites"))
            );
        };
        let expression = rewrite.regex.as_deref().unwrap_or_default();
        check_regex(expression, &format!("{name}.Rewrites[0].Regex"))
    }
}
