//! Environment variables of remote sessions, read when the session is built.

use nephos_core::{Credentials, Map};
use std::fmt;

/// Variables that are read, here or by the provider's crate.
const NAMES: [&str; 36] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_ACCOUNT_ID",
    "AWS_CA_BUNDLE",
    "AWS_CONFIG_FILE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_DEFAULT_REGION",
    "AWS_EC2_METADATA_DISABLED",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
    "AWS_EC2_METADATA_V1_DISABLED",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_STS",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
    "AWS_MAX_ATTEMPTS",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_RETRY_MODE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_STS_REGIONAL_ENDPOINTS",
    "AWS_USE_DUALSTACK_ENDPOINT",
    "AWS_USE_FIPS_ENDPOINT",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "USERPROFILE",
];

/// Variables that name a source of credentials, other than access keys.
#[cfg(feature = "profiles")]
const SOURCES: [&str; 5] = [
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
];

/// Environment variables of [`NAMES`]. Some values are secret, so `Debug` prints the names only.
#[derive(Clone)]
pub(super) struct Environment(Map<String>);

impl Environment {
    /// Reads the variables of [`NAMES`].
    pub(super) fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &&str| Some(((*name).into(), variable(name).filter(|value| !value.is_empty())?));
        Self(NAMES.iter().filter_map(set).collect())
    }

    /// Returns a variable.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns the access keys in the environment.
    pub(super) fn credentials(&self) -> Option<Credentials> {
        Some(Credentials {
            access_key_id: self.get("AWS_ACCESS_KEY_ID")?.into(),
            secret_access_key: self.get("AWS_SECRET_ACCESS_KEY")?.into(),
            session_token: self.get("AWS_SESSION_TOKEN").map(Into::into),
            expiration: None,
        })
    }

    /// True if a variable names a source of credentials, other than access keys.
    #[cfg(feature = "profiles")]
    pub(super) fn has_credential_source(&self) -> bool {
        SOURCES.iter().any(|name| self.get(name).is_some())
    }

    /// Returns all variables as pairs of name and value.
    #[cfg(feature = "profiles")]
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_variables_are_read_and_values_are_not_printed() {
        let all = [
            ("AWS_ACCESS_KEY_ID", "AKIA"),
            ("AWS_SECRET_ACCESS_KEY", "hidden"),
            ("PATH", "/bin"),
            ("HOME", ""),
        ];
        let variable =
            |name: &str| all.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let environment = Environment::read(variable);
        assert_eq!(format!("{environment:?}"), "{\"AWS_ACCESS_KEY_ID\", \"AWS_SECRET_ACCESS_KEY\"}");
        assert_eq!((environment.get("PATH"), environment.get("HOME")), (None, None));
        let credentials = environment.credentials().unwrap();
        assert_eq!(credentials.secret_access_key.expose(), "hidden");
        assert!(NAMES.is_sorted());
    }
}
