//! Authorization of connections: its parameters, and the content of the secret that keeps them.

use crate::errors;
use nephos_core::{Choice, Map, Record, Result, Secret, Text, Value, choices};

choices! {
    /// Type of authorization.
    #[derive(Eq)]
    pub enum ConnectionAuthorizationType {
        /// User name and password.
        Basic = "BASIC",
        /// A token that an authorization endpoint issues for client credentials.
        OAuth = "OAUTH_CLIENT_CREDENTIALS",
        /// A header with a key.
        ApiKey = "API_KEY",
    }
}

choices! {
    /// HTTP method of requests for tokens.
    pub enum ConnectionOAuthHttpMethod {
        /// `GET`.
        Get = "GET",
        /// `POST`.
        Post = "POST",
        /// `PUT`.
        Put = "PUT",
    }
}

/// User name and password.
#[derive(Record)]
pub struct ConnectionBasicAuthParameters {
    /// User name.
    #[field(length(1..=512), pattern = r"^[ \t]*[^\x00-\x1F:\x7F]+([ \t]+[^\x00-\x1F:\x7F]+)*[ \t]*$")]
    username: Option<Text>,
    /// Password, which is not returned.
    #[field(length(1..=512), pattern = r"^[ \t]*[^\x00-\x1F:\x7F]+([ \t]+[^\x00-\x1F:\x7F]+)*[ \t]*$")]
    password: Option<Secret>,
}

/// Header with a key.
#[derive(Record)]
pub struct ConnectionApiKeyAuthParameters {
    /// Name of the header.
    #[field(like = ConnectionBasicAuthParameters::username)]
    api_key_name: Option<Text>,
    /// Key, which is not returned.
    #[field(like = ConnectionBasicAuthParameters::password)]
    api_key_value: Option<Secret>,
}

/// Client credentials.
#[derive(Record)]
pub struct ConnectionOAuthClientParameters {
    /// ID of the client.
    #[field(name = "ClientID", like = ConnectionBasicAuthParameters::username)]
    client_id: Option<Text>,
    /// Secret of the client, which is not returned.
    #[field(like = ConnectionBasicAuthParameters::password)]
    client_secret: Option<Secret>,
}

/// Requests for tokens.
#[derive(Record)]
pub struct ConnectionOAuthParameters {
    /// Client credentials.
    client_parameters: Option<ConnectionOAuthClientParameters>,
    /// URL of the authorization endpoint.
    #[field(length(1..=2048), pattern = r"^((%[0-9A-Fa-f]{2}|[-()_.!~*';/?:@\x26=+$,A-Za-z0-9])+)([).!';/?:,])?$")]
    authorization_endpoint: Option<Text>,
    /// HTTP method.
    http_method: Option<ConnectionOAuthHttpMethod>,
    /// Further parameters of the requests.
    o_auth_http_parameters: Option<ConnectionHttpParameters>,
}

/// A header of requests.
#[derive(Record)]
pub struct ConnectionHeaderParameter {
    /// Name.
    #[field(length(..=512), pattern = r"^[!#$%&'*+-.^_`|~0-9a-zA-Z]+$")]
    key: Option<Text>,
    /// Value; one that is secret is not returned.
    #[field(length(..=512), pattern = r"^[ \t]*[\x20-\x7E]+([ \t]+[\x20-\x7E]+)*[ \t]*$")]
    value: Option<Secret>,
    /// True if the value is secret; false by default.
    is_value_secret: Option<bool>,
}

/// A query parameter of requests.
#[derive(Record)]
pub struct ConnectionQueryStringParameter {
    /// Name.
    #[field(length(..=512), pattern = r"[^\x00-\x1F\x7F]+")]
    key: Option<Text>,
    /// Value; one that is secret is not returned.
    #[field(length(..=512), pattern = r"[^\x00-\x09\x0B\x0C\x0E-\x1F\x7F]+")]
    value: Option<Secret>,
    /// True if the value is secret; false by default.
    is_value_secret: Option<bool>,
}

/// A member that is added to the body of requests.
#[derive(Record)]
pub struct ConnectionBodyParameter {
    /// Name.
    key: Option<Text>,
    /// Value; one that is secret is not returned.
    value: Option<Secret>,
    /// True if the value is secret; false by default.
    is_value_secret: Option<bool>,
}

/// Parameters that are added to requests.
#[derive(Record)]
pub struct ConnectionHttpParameters {
    /// Headers.
    #[field(length(..=100))]
    header_parameters: Option<Vec<ConnectionHeaderParameter>>,
    /// Query parameters.
    #[field(length(..=100))]
    query_string_parameters: Option<Vec<ConnectionQueryStringParameter>>,
    /// Members of the body.
    #[field(length(..=100))]
    body_parameters: Option<Vec<ConnectionBodyParameter>>,
}

/// Resource configuration of a private endpoint.
#[derive(Record)]
pub struct ConnectivityResource {
    /// ARN of the resource configuration.
    #[field(
        required, length(..=2048),
        pattern = r"^(?:^arn:[a-z0-9\-]+:vpc-lattice:[a-zA-Z0-9\-]+:\d{12}:resourceconfiguration/rcfg-[0-9a-z]{17}$|^$)"
    )]
    resource_configuration_arn: Option<Text>,
    /// ARN of the association of the resource configuration with the connection.
    #[field(service_set)]
    resource_association_arn: Option<Text>,
}

/// Way to a private endpoint.
#[derive(Record)]
pub struct ConnectivityParameters {
    /// Resource configuration of the endpoint.
    #[field(required)]
    resource_parameters: Option<ConnectivityResource>,
}

impl ConnectivityParameters {
    /// Refuses a resource configuration, because none exist. An empty ARN means no private endpoint.
    pub(crate) fn check(&self) -> Result<()> {
        let resource = self.resource_parameters.as_ref();
        match resource.and_then(|resource| resource.resource_configuration_arn.as_deref()) {
            None | Some("") => Ok(()),
            Some(arn) => {
                let hint = "private endpoints are not emulated: resource configurations do not exist";
                Err(errors::resource_configuration_not_found(arn).with_hint(hint))
            }
        }
    }
}

/// Parameters of the authorization of a connection. Secret values are kept in a secret, and are not returned.
#[derive(Record)]
pub struct ConnectionAuthParameters {
    /// User name and password, for the type `BASIC`.
    basic_auth_parameters: Option<ConnectionBasicAuthParameters>,
    /// Requests for tokens, for the type `OAUTH_CLIENT_CREDENTIALS`.
    o_auth_parameters: Option<ConnectionOAuthParameters>,
    /// Header with a key, for the type `API_KEY`.
    api_key_auth_parameters: Option<ConnectionApiKeyAuthParameters>,
    /// Parameters that are added to each request to an API destination.
    invocation_http_parameters: Option<ConnectionHttpParameters>,
    /// Way to a private authorization endpoint.
    connectivity_parameters: Option<ConnectivityParameters>,
}

/// Text of a value, also of one that must not be printed.
fn exposed(value: &Value) -> Option<&str> {
    value.as_text().or_else(|| value.as_secret().map(Secret::expose))
}

/// Converts parameters of requests to the form in secrets, and back without secret values.
trait HttpParameter: Sized {
    fn to_value(&self) -> Value;
    fn from_value(value: &Value) -> Self;
}

macro_rules! http_parameter {
    ($($record:ident),+) => {$(
        impl HttpParameter for $record {
            fn to_value(&self) -> Value {
                let is_secret = self.is_value_secret.unwrap_or(false);
                let members = [
                    ("key", self.key.clone().into()),
                    ("value", self.value.clone().into()),
                    ("is_value_secret", Value::Bool(is_secret)),
                ];
                members.into_iter().collect()
            }

            fn from_value(value: &Value) -> Self {
                let is_secret = value["is_value_secret"].as_bool().unwrap_or(false);
                let text = |name: &str| exposed(&value[name]);
                Self {
                    key: text("key").map(Text::from),
                    value: text("value").filter(|_| !is_secret).map(Secret::from),
                    is_value_secret: Some(is_secret),
                }
            }
        }
    )+};
}

http_parameter!(ConnectionHeaderParameter, ConnectionQueryStringParameter, ConnectionBodyParameter);

impl ConnectionHttpParameters {
    fn to_value(&self) -> Value {
        fn list<P: HttpParameter>(parameters: Option<&Vec<P>>) -> Option<Value> {
            Some(Value::List(parameters?.iter().map(P::to_value).collect()))
        }
        let lists = [
            ("header_parameters", list(self.header_parameters.as_ref())),
            ("query_string_parameters", list(self.query_string_parameters.as_ref())),
            ("body_parameters", list(self.body_parameters.as_ref())),
        ];
        lists.into_iter().filter_map(|(name, list)| Some((name, list?))).collect()
    }

    fn from_value(value: &Value) -> Self {
        fn list<P: HttpParameter>(value: &Value) -> Option<Vec<P>> {
            Some(value.as_list()?.iter().map(P::from_value).collect())
        }
        Self {
            header_parameters: list(&value["header_parameters"]),
            query_string_parameters: list(&value["query_string_parameters"]),
            body_parameters: list(&value["body_parameters"]),
        }
    }
}

/// Name of the parameters of a type of authorization, and the members of the secret that they need, with their paths in a request.
fn needs_of(ty: &ConnectionAuthorizationType) -> (&'static str, &'static [(&'static str, &'static str)]) {
    match ty {
        ConnectionAuthorizationType::Basic => {
            let members =
                &[("username", "basicAuthParameters.username"), ("password", "basicAuthParameters.password")];
            ("BasicAuthParameters", members)
        }
        ConnectionAuthorizationType::ApiKey => {
            let members = &[
                ("api_key_name", "apiKeyAuthParameters.apiKeyName"),
                ("api_key_value", "apiKeyAuthParameters.apiKeyValue"),
            ];
            ("ApiKeyAuthParameters", members)
        }
        _ => (
            "OAuthParameters",
            &[
                ("client_id", "oAuthParameters.clientParameters.clientID"),
                ("client_secret", "oAuthParameters.clientParameters.clientSecret"),
                ("authorization_endpoint", "oAuthParameters.authorizationEndpoint"),
                ("http_method", "oAuthParameters.httpMethod"),
            ],
        ),
    }
}

impl ConnectionAuthParameters {
    /// True if it has the parameters of a type of authorization.
    pub(crate) fn has_type(&self) -> bool {
        self.basic_auth_parameters.is_some()
            || self.o_auth_parameters.is_some()
            || self.api_key_auth_parameters.is_some()
    }

    /// Returns the content of the secret of a connection: `content` with these parameters instead of those that it has.
    pub(crate) fn merge_into(
        &self,
        ty: &ConnectionAuthorizationType,
        mut content: Map<Value>,
    ) -> Result<Map<Value>> {
        let (wanted, needs) = needs_of(ty);
        let given = [
            ("BasicAuthParameters", self.basic_auth_parameters.is_some()),
            ("OAuthParameters", self.o_auth_parameters.is_some()),
            ("ApiKeyAuthParameters", self.api_key_auth_parameters.is_some()),
        ];
        if let Some((other, _)) = given.iter().find(|(name, is_given)| *is_given && *name != wanted) {
            let refused = errors::auth_parameters_of_other_type(other, ty.as_str());
            return Err(refused.with_field("AuthParameters"));
        }
        if let Some(connectivity) = &self.connectivity_parameters {
            connectivity.check().map_err(|refused| refused.with_field("AuthParameters"))?;
        }
        for (name, value) in self.members() {
            content.insert(name.into(), value);
        }
        if let Some((_, member)) = needs.iter().find(|(name, _)| !content.contains_key(*name)) {
            let refused = if given.contains(&(wanted, true)) {
                errors::auth_member_missing(member)
            } else {
                errors::permission_incomplete(wanted)
            };
            return Err(refused.with_field("AuthParameters"));
        }
        if let Some(endpoint) = content.get("authorization_endpoint").and_then(Value::as_text) {
            check_url(endpoint, "AuthorizationEndpoint")
                .map_err(|refused| refused.with_field("AuthParameters"))?;
        }
        Ok(content)
    }

    /// Returns the members that were given, in the form that they have in secrets.
    fn members(&self) -> Vec<(&'static str, Value)> {
        let mut members = Vec::new();
        if let Some(basic) = &self.basic_auth_parameters {
            members.push(("username", Value::from(basic.username.clone())));
            members.push(("password", basic.password.clone().into()));
        }
        if let Some(key) = &self.api_key_auth_parameters {
            members.push(("api_key_name", key.api_key_name.clone().into()));
            members.push(("api_key_value", key.api_key_value.clone().into()));
        }
        if let Some(oauth) = &self.o_auth_parameters {
            if let Some(client) = &oauth.client_parameters {
                members.push(("client_id", client.client_id.clone().into()));
                members.push(("client_secret", client.client_secret.clone().into()));
            }
            members.push(("authorization_endpoint", oauth.authorization_endpoint.clone().into()));
            members.push(("http_method", oauth.http_method.as_ref().map(|method| method.as_str()).into()));
            let http = oauth.o_auth_http_parameters.as_ref();
            members.push(("oauth_http_parameters", http.map(ConnectionHttpParameters::to_value).into()));
        }
        let http = self.invocation_http_parameters.as_ref();
        members.push(("invocation_http_parameters", http.map(ConnectionHttpParameters::to_value).into()));
        members.retain(|(_, value)| !value.is_null());
        members
    }

    /// Reads the parameters from the content of a secret, without those that are secret.
    pub(crate) fn from_secret(ty: &ConnectionAuthorizationType, content: &Map<Value>) -> Self {
        let text = |name: &str| content.get(name).and_then(Value::as_text).map(Text::from);
        let http = |name: &str| content.get(name).map(ConnectionHttpParameters::from_value);
        let is = |wanted: ConnectionAuthorizationType| (*ty == wanted).then_some(());
        Self {
            basic_auth_parameters: is(ConnectionAuthorizationType::Basic)
                .map(|()| ConnectionBasicAuthParameters { username: text("username"), password: None }),
            api_key_auth_parameters: is(ConnectionAuthorizationType::ApiKey).map(|()| {
                ConnectionApiKeyAuthParameters { api_key_name: text("api_key_name"), api_key_value: None }
            }),
            o_auth_parameters: is(ConnectionAuthorizationType::OAuth).map(|()| ConnectionOAuthParameters {
                client_parameters: Some(ConnectionOAuthClientParameters {
                    client_id: text("client_id"),
                    client_secret: None,
                }),
                authorization_endpoint: text("authorization_endpoint"),
                http_method: text("http_method").map(|method| method_of(&method)),
                o_auth_http_parameters: http("oauth_http_parameters"),
            }),
            invocation_http_parameters: http("invocation_http_parameters"),
            connectivity_parameters: None,
        }
    }
}

/// Returns the method with this name.
fn method_of(name: &str) -> ConnectionOAuthHttpMethod {
    let known = ConnectionOAuthHttpMethod::SHAPE.values.iter().position(|value| value.name == name);
    known.map_or_else(|| Choice::from_unknown(name), Choice::from_index)
}

/// Refuses a URL that is not one of HTTP.
pub(crate) fn check_url(url: &str, parameter: &str) -> Result<()> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    if rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/')) {
        return Ok(());
    }
    Err(errors::endpoint_invalid(parameter).with_field(parameter).with_hint(url))
}
