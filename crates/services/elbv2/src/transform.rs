//! Transforms: how a request is rewritten before it is handed on.

use super::names::invalid;
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
        let at = format!("Transforms[{n}]");
        if transforms[..n].iter().any(|other| other.r#type == transform.r#type) {
            return Err(invalid(&at, "a rule has one transform of a type at most"));
        }
        transform.check().map_err(|error| error.within(&at))?;
    }
    Ok(())
}

impl Transform {
    fn check(&self) -> Result<()> {
        let host = self.host_header_rewrite_config.as_ref().map(|config| &config.rewrites);
        let url = self.url_rewrite_config.as_ref().map(|config| &config.rewrites);
        let (own, name, other, other_name) = match self.r#type {
            Some(TransformType::HostHeaderRewrite) => {
                (host, "HostHeaderRewriteConfig", url, "UrlRewriteConfig")
            }
            _ => (url, "UrlRewriteConfig", host, "HostHeaderRewriteConfig"),
        };
        if other.is_some() {
            return Err(invalid(other_name, "is not for a transform of this type"));
        }
        let rewrites = own.and_then(|rewrites| rewrites.as_deref()).unwrap_or_default();
        let [rewrite] = rewrites else {
            return Err(invalid(&format!("{name}.Rewrites"), "has to have exactly one rewrite"));
        };
        let expression = rewrite.regex.as_deref().unwrap_or_default();
        if regex::Regex::new(expression).is_err() {
            let why = format!("{expression:?} is not a regular expression");
            return Err(invalid(&format!("{name}.Rewrites[0].Regex"), why));
        }
        Ok(())
    }
}
