//! Display of conditions and actions, for the view `map`.

use super::{Action, ActionType, Condition};
use std::fmt;

impl fmt::Display for Condition {
    /// Formats the type and the values: `path /a or /b`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field() {
            Some("path-pattern") => f.write_str("path")?,
            Some("host-header") => f.write_str("host")?,
            Some("http-request-method") => f.write_str("method")?,
            Some("query-string") => f.write_str("query")?,
            Some("source-ip") => f.write_str("from")?,
            Some("http-header") => {
                let name = self.http_header_config().and_then(|config| config.http_header_name());
                write!(f, "header {}", name.unwrap_or_default())?;
            }
            other => f.write_str(other.unwrap_or_default())?,
        }
        for (n, value) in self.all_values().iter().enumerate() {
            write!(f, "{}{value}", if n == 0 { " " } else { " or " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Action {
    /// Formats the action without its target groups: `redirect HTTP_301 to https://#{host}:443/#{path}?#{query}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.r#type() {
            None => Ok(()),
            Some(ActionType::Forward) => f.write_str("forward"),
            Some(ActionType::Redirect) => self.write_redirect(f),
            Some(ActionType::FixedResponse) => {
                let config = self.fixed_response_config();
                let code = config.and_then(|config| config.status_code()).unwrap_or_default();
                let content = config.and_then(|config| config.content_type());
                write!(f, "answer {code}")?;
                content.map_or(Ok(()), |content| write!(f, " {content}"))
            }
            Some(ActionType::AuthenticateOidc) => {
                let issuer = self.authenticate_oidc_config().and_then(|config| config.issuer());
                write!(f, "authenticate by {}", issuer.unwrap_or_default())
            }
            Some(ActionType::AuthenticateUserpool) => {
                let domain =
                    self.authenticate_user_pool_config().and_then(|config| config.user_pool_domain());
                write!(f, "authenticate by user pool {}", domain.unwrap_or_default())
            }
            Some(ActionType::JwtValidation) => {
                let issuer = self.jwt_validation_config().and_then(|config| config.issuer());
                write!(f, "validate the token of {}", issuer.unwrap_or_default())
            }
            Some(ActionType::Unknown(other)) => f.write_str(other),
        }
    }
}

impl Action {
    fn write_redirect(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use nephos_core::field_value::FieldValue;
        let Some(config) = self.redirect_config() else { return f.write_str("redirect") };
        let status = config.status_code().and_then(|status| status.view().as_text()).unwrap_or_default();
        let protocol =
            config.protocol().unwrap_or("#{protocol}").replace("HTTP", "http").replace("httpS", "https");
        let (host, port) = (config.host().unwrap_or("#{host}"), config.port().unwrap_or("#{port}"));
        let (path, query) = (config.path().unwrap_or("/#{path}"), config.query().unwrap_or("#{query}"));
        write!(f, "redirect {status} to {protocol}://{host}:{port}{path}?{query}")
    }
}
