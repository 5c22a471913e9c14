//! Connections: their authorization, secrets and states.

use super::World;
use nephos_cloud::{Service, ServiceSet};
use nephos_core::{Error, Result, Value, json, prelude::*};
use nephos_events::{
    Connection, ConnectionApiKeyAuthParameters, ConnectionAuthParameters, ConnectionAuthorizationType,
    ConnectionBasicAuthParameters, ConnectionHeaderParameter, ConnectionHttpParameters,
    ConnectionOAuthClientParameters, ConnectionOAuthHttpMethod, ConnectionOAuthParameters, ConnectionState,
    ConnectivityParameters, ConnectivityResource, CreateConnection, DeleteConnection, DescribeConnection,
    UpdateConnection, errors,
};
use nephos_secrets::Secret;
use nephos_testing::{ask, names};

/// Authorization with a user name and a password.
pub(super) fn basic(password: &str) -> Result<ConnectionAuthParameters> {
    let basic = ConnectionBasicAuthParameters::builder().username("ann").password(password).build()?;
    ConnectionAuthParameters::builder().basic_auth_parameters(basic).build()
}

fn api_key() -> Result<ConnectionAuthParameters> {
    let key = ConnectionApiKeyAuthParameters::builder().api_key_name("X-Key").api_key_value("hush");
    ConnectionAuthParameters::builder().api_key_auth_parameters(key.build()?).build()
}

fn oauth() -> Result<ConnectionAuthParameters> {
    let client =
        ConnectionOAuthClientParameters::builder().client_id("shop").client_secret("hush").build()?;
    let oauth = ConnectionOAuthParameters::builder()
        .client_parameters(client)
        .authorization_endpoint("https://example.com/token")
        .http_method(ConnectionOAuthHttpMethod::Post);
    ConnectionAuthParameters::builder().o_auth_parameters(oauth.build()?).build()
}

impl World {
    /// Creates a connection with a user name and the password `hush`.
    pub(super) fn create_connection(&self, name: &str) -> Result<Connection> {
        self.create_connection_with(name, ConnectionAuthorizationType::Basic, basic("hush")?)
    }

    fn create_connection_with(
        &self,
        name: &str,
        ty: ConnectionAuthorizationType,
        parameters: ConnectionAuthParameters,
    ) -> Result<Connection> {
        let connection = Connection::builder().name(name).authorization_type(ty).auth_parameters(parameters);
        Connection::objects(&self.session()).create(&connection.build()?).wait()
    }

    pub(super) fn existing_connection(&self, name: &str) -> Result<Connection> {
        Ok(Connection::objects(&self.session()).get(name).wait()?.unwrap())
    }

    /// Content of the secret of a connection.
    fn content(&self, connection: &Connection) -> Result<Value> {
        let value = Secret::objects(&self.session()).get_value(connection.secret_arn().unwrap()).wait()?;
        json::parse(value.secret_string().unwrap().expose().as_bytes())
    }

    fn count_secrets(&self) -> Result<usize> {
        Secret::objects(&self.session()).list().results().count().wait()
    }
}

pub(super) fn created_connection_is_returned_by_get_and_list(world: &World) -> Result<()> {
    let session = world.session();
    let connection = Connection::builder()
        .name("shop")
        .description("of shops")
        .authorization_type(ConnectionAuthorizationType::Basic)
        .auth_parameters(basic("hush")?)
        .build()?;
    let created = Connection::objects(&session).create(&connection).wait()?;
    assert!(created.require_arn()?.starts_with("arn:aws:events:us-east-1:123456789012:connection/shop/"));
    assert_eq!(created.connection_state(), Some(&ConnectionState::Authorized));
    assert_eq!(created.creation_time().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(created.last_authorized_time(), created.creation_time());
    let secret = created.secret_arn().unwrap();
    assert!(
        secret.starts_with("arn:aws:secretsmanager:us-east-1:123456789012:secret:events!connection/shop/")
    );
    let secrets = Secret::objects(&session);
    assert_eq!(secrets.get(secret).wait()?.unwrap().owning_service(), Some("events"));
    let refused = secrets.delete(secret).force_delete_without_recovery(true).wait().unwrap_err();
    assert_eq!(refused.message(), "Operation is not allowed on secret owned by events");
    assert_eq!(secrets.get(secret).wait()?.unwrap().description(), None);
    assert_eq!(world.existing_connection("shop")?, created);
    let listed = Connection::objects(&session).list().results().all().wait()?.remove(0);
    assert_eq!(
        (listed.require_arn()?, listed.connection_state()),
        (created.require_arn()?, created.connection_state())
    );
    assert_eq!((listed.secret_arn(), listed.description(), listed.auth_parameters()), (None, None, None));
    let refused = world.refused(&errors::EXISTS, "Name", || world.create_connection("shop"));
    assert_eq!(refused.message(), "Connection shop already exists.");
    assert!(Connection::objects(&world.other_region()).get("shop").wait()?.is_none());
    let refused = world.refused(&errors::NOT_FOUND, None, || ask(&session, DescribeConnection::new("b")));
    assert_eq!(refused.message(), "Failed to describe the connection(s). Connection 'b' does not exist.");
    Ok(())
}

pub(super) fn secret_values_are_only_in_the_secret(world: &World) -> Result<()> {
    let header = |key: &str, value: &str, is_secret| {
        let header = ConnectionHeaderParameter::builder().key(key).value(value);
        header.is_value_secret(is_secret).build()
    };
    let headers = [header("X-Team", "web", false)?, header("X-Pin", "hush", true)?];
    let http = ConnectionHttpParameters::builder().header_parameters(headers).build()?;
    let mut parameters = basic("hush")?;
    parameters.set_invocation_http_parameters(http)?;
    let basic = world.create_connection_with("a", ConnectionAuthorizationType::Basic, parameters)?;
    let key = world.create_connection_with("b", ConnectionAuthorizationType::ApiKey, api_key()?)?;
    let token = world.create_connection_with("c", ConnectionAuthorizationType::OAuth, oauth()?)?;
    let expected = r#"{"username":"ann","password":"hush","invocation_http_parameters":{"header_parameters":[
        {"key":"X-Team","value":"web","is_value_secret":false},{"key":"X-Pin","value":"hush","is_value_secret":true}]}}"#;
    assert_eq!(world.content(&basic)?, json::parse(expected.as_bytes())?);
    let expected = r#"{"api_key_name":"X-Key","api_key_value":"hush"}"#;
    assert_eq!(world.content(&key)?, json::parse(expected.as_bytes())?);
    let expected = r#"{"client_id":"shop","client_secret":"hush",
        "authorization_endpoint":"https://example.com/token","http_method":"POST"}"#;
    assert_eq!(world.content(&token)?, json::parse(expected.as_bytes())?);
    let shown = basic.auth_parameters().unwrap();
    assert_eq!(shown.basic_auth_parameters().unwrap().username(), Some("ann"));
    assert_eq!(shown.basic_auth_parameters().unwrap().password(), None);
    let headers = shown.invocation_http_parameters().unwrap().header_parameters().unwrap();
    assert_eq!(headers[0].value().map(nephos_core::Secret::expose), Some("web"));
    assert_eq!((headers[1].key(), headers[1].value()), (Some("X-Pin"), None));
    let shown = key.auth_parameters().unwrap().api_key_auth_parameters().unwrap();
    assert_eq!((shown.api_key_name(), shown.api_key_value()), (Some("X-Key"), None));
    let shown = token.auth_parameters().unwrap().o_auth_parameters().unwrap();
    assert_eq!(shown.client_parameters().unwrap().client_secret(), None);
    assert_eq!(shown.http_method(), Some(&ConnectionOAuthHttpMethod::Post));
    for connection in [basic, key, token] {
        assert!(!format!("{connection:?}").contains("hush"));
    }
    let has_text = |row: &[u8]| row.windows(4).any(|part| part == b"hush");
    assert!(!world.state()?.iter().any(|(_, row)| has_text(row)));
    Ok(())
}

pub(super) fn authorization_parameters_are_checked(world: &World) -> Result<()> {
    let create = |ty: ConnectionAuthorizationType, parameters: ConnectionAuthParameters| {
        let create = || world.create_connection_with("a", ty.clone(), parameters.clone());
        world.refused(&errors::VALIDATION, "AuthParameters", create)
    };
    let empty = ConnectionAuthParameters::builder().build()?;
    let refused = create(ConnectionAuthorizationType::Basic, empty);
    assert_eq!(refused.message(), "Parameter(s) BasicAuthParameters must be specified.");
    create(ConnectionAuthorizationType::ApiKey, basic("hush")?);
    let half = ConnectionBasicAuthParameters::builder().username("ann").build()?;
    let half = ConnectionAuthParameters::builder().basic_auth_parameters(half).build()?;
    let refused = create(ConnectionAuthorizationType::Basic, half);
    assert_eq!(
        refused.message(),
        "1 validation error detected: Value null at 'authParameters.basicAuthParameters.password' failed to satisfy \
         constraint: Member must not be null"
    );
    let mut parameters = oauth()?;
    let mut token = parameters.o_auth_parameters().unwrap().clone();
    token.set_authorization_endpoint("ftp://example.com")?;
    parameters.set_o_auth_parameters(token)?;
    create(ConnectionAuthorizationType::OAuth, parameters);
    for name in ["", "a b", "é", &"x".repeat(65)] {
        assert!(Connection::builder().name(name).build().is_err(), "{name:?}");
    }
    let password = ConnectionBasicAuthParameters::builder().username("ann").password("a:b").build();
    assert!(password.is_err_and(|error: Error| !error.to_string().contains("a:b")));
    Ok(())
}

pub(super) fn private_endpoints_are_refused(world: &World) -> Result<()> {
    let configuration =
        "arn:aws:vpc-lattice:us-east-1:123456789012:resourceconfiguration/rcfg-0123456789abcdef0";
    let private = |arn: &str| {
        let resource = ConnectivityResource::builder().resource_configuration_arn(arn).build()?;
        ConnectivityParameters::builder().resource_parameters(resource).build()
    };
    let create = |own: Option<&str>, token: Option<&str>| {
        let mut parameters = basic("hush")?;
        if let Some(arn) = token {
            parameters.set_connectivity_parameters(private(arn)?)?;
        }
        let mut create = CreateConnection::new("a", ConnectionAuthorizationType::Basic, parameters);
        create.invocation_connectivity_parameters = own.map(private).transpose()?;
        ask(&world.session(), create)
    };
    let field = "InvocationConnectivityParameters";
    world.refused(&errors::NOT_FOUND, field, || create(Some(configuration), None));
    world.refused(&errors::NOT_FOUND, "AuthParameters", || create(None, Some(configuration)));
    // An empty ARN means a public endpoint.
    create(Some(""), Some(""))?;
    assert_eq!(world.existing_connection("a")?.invocation_connectivity_parameters(), None);
    Ok(())
}

pub(super) fn update_keeps_secret_values_that_are_not_given(world: &World) -> Result<()> {
    let mut connection = world.create_connection("a")?;
    let (created, secret) = (connection.creation_time(), connection.secret_arn().unwrap().to_owned());
    world.advance(1000)?;
    let user = ConnectionBasicAuthParameters::builder().username("ben").build()?;
    connection
        .set_auth_parameters(ConnectionAuthParameters::builder().basic_auth_parameters(user).build()?)?;
    connection.set_description("new")?;
    connection.save().wait()?;
    let found = world.existing_connection("a")?;
    assert_eq!((found.description(), found.secret_arn()), (Some("new"), Some(secret.as_str())));
    assert_eq!(found.creation_time(), created);
    assert!(found.last_authorized_time() > found.creation_time());
    assert_eq!(world.content(&found)?, json::parse(br#"{"username":"ben","password":"hush"}"#)?);
    // Another type needs its own parameters.
    let update = |parameters| {
        let mut update = UpdateConnection::new("a");
        update.authorization_type = Some(ConnectionAuthorizationType::ApiKey);
        update.auth_parameters = parameters;
        ask(&world.session(), update)
    };
    let text = "Failed to update the connection(s). At least one of the following is required: Description, KmsKeyIdentifier, \
        AuthorizationType with BasicAuthParameters, ApiKeyAuthParameters, or OAuthParameters.";
    let refused = world.refused(&errors::VALIDATION, "AuthParameters", || update(None));
    assert_eq!(refused.message(), text);
    let mut without_type = UpdateConnection::new("a");
    without_type.auth_parameters = Some(basic("new")?);
    let refused = world
        .refused(&errors::VALIDATION, "AuthorizationType", || ask(&world.session(), without_type.clone()));
    assert_eq!(refused.message(), text);
    update(Some(api_key()?))?;
    let mut found = world.existing_connection("a")?;
    assert_eq!(found.authorization_type(), Some(&ConnectionAuthorizationType::ApiKey));
    assert_eq!(found.secret_arn(), Some(secret.as_str()));
    assert_eq!(world.content(&found)?, json::parse(br#"{"api_key_name":"X-Key","api_key_value":"hush"}"#)?);
    found.set_description(None::<&str>)?;
    found.save().wait()?;
    assert_eq!(world.existing_connection("a")?.description(), None);
    world.refused(&errors::NOT_FOUND, None, || ask(&world.session(), UpdateConnection::new("b")));
    Ok(())
}

pub(super) fn token_authorization_takes_time(world: &World) -> Result<()> {
    let create = CreateConnection::new("a", ConnectionAuthorizationType::OAuth, oauth()?);
    let created = ask(&world.session(), create)?;
    assert_eq!(created.connection_state(), Some(&ConnectionState::Authorizing));
    let found = world.existing_connection("a")?;
    assert_eq!(found.connection_state(), Some(&ConnectionState::Authorized));
    assert_eq!(found.last_authorized_time().map(|time| time.as_millisecond()), Some(world.now()));
    Ok(())
}

pub(super) fn deauthorized_connection_has_no_secret(world: &World) -> Result<()> {
    let connection = world.create_connection("a")?;
    assert_eq!(world.count_secrets()?, 1);
    let changed = connection.deauthorize().wait()?;
    assert_eq!(changed.connection_state(), Some(&ConnectionState::Deauthorizing));
    let mut found = world.existing_connection("a")?;
    assert_eq!(found.connection_state(), Some(&ConnectionState::Deauthorized));
    assert_eq!(found.secret_arn(), None);
    assert_eq!(found.auth_parameters(), Some(&ConnectionAuthParameters::builder().build()?));
    let reason = "The authorization parameters were removed from this connection by a DeauthorizeConnection operation.";
    assert_eq!(found.state_reason(), Some(reason));
    assert_eq!(world.count_secrets()?, 0);
    let user = ConnectionBasicAuthParameters::builder().username("ben").build()?;
    let half = ConnectionAuthParameters::builder().basic_auth_parameters(user).build()?;
    found.set_auth_parameters(half)?;
    world.refused(&errors::VALIDATION, "AuthParameters", || found.save().wait());
    found.set_auth_parameters(basic("other")?)?;
    found.save().wait()?;
    let found = world.existing_connection("a")?;
    assert_eq!(found.connection_state(), Some(&ConnectionState::Authorized));
    assert!(found.secret_arn().unwrap().contains(":secret:events!connection/a/"));
    assert_eq!(world.content(&found)?, json::parse(br#"{"username":"ann","password":"other"}"#)?);
    Ok(())
}

pub(super) fn connections_are_listed_by_prefix_and_state(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["b", "dev", "a"] {
        world.create_connection(name)?;
    }
    world.existing_connection("b")?.deauthorize().wait()?;
    let list = || Connection::objects(&session).list();
    assert_eq!(names(&list().limit(1).results().all().wait()?)?, ["a", "b", "dev"]);
    assert_eq!(names(&list().name_prefix("de").results().all().wait()?)?, ["dev"]);
    let authorized = list().connection_state(ConnectionState::Authorized).limit(1);
    assert_eq!(names(&authorized.results().all().wait()?)?, ["a", "dev"]);
    world.refused(&errors::VALIDATION, "Limit", || list().limit(101).results().all().wait());
    Ok(())
}

pub(super) fn deleted_connection_takes_its_secret_along(world: &World) -> Result<()> {
    let session = world.session();
    world.create_connection("a")?;
    let deleted = ask(&session, DeleteConnection::new("a"))?;
    assert_eq!(deleted.connection_state(), Some(&ConnectionState::Deleting));
    assert!(Connection::objects(&session).get("a").wait()?.is_none());
    assert_eq!(world.count_secrets()?, 0);
    world.refused(&errors::NOT_FOUND, None, || ask(&session, DeleteConnection::new("a")));
    world.create_connection("a")?;
    Ok(())
}

pub(super) fn number_of_connections_is_limited(world: &World) -> Result<()> {
    world.create_connection("a")?;
    world.cloud().run_in_transaction(|cx| cx.add_to_count("events/connection", 2999))?;
    let refused = world.refused(&errors::LIMIT_EXCEEDED, None, || world.create_connection("b"));
    assert_eq!(refused.message(), "The requested resource exceeds the maximum number allowed.");
    Connection::objects(&world.session()).delete("a").wait()?;
    world.create_connection("b")?;
    Ok(())
}

/// A cloud without secrets.
#[derive(Debug)]
struct WithoutSecrets;

impl ServiceSet for WithoutSecrets {
    const SERVICES: &'static [&'static Service] = &[&nephos_events::EVENTS];
}

pub(super) fn cloud_without_secrets_has_no_connections(_: &World) -> Result<()> {
    let cloud = nephos_testing::options::<WithoutSecrets>().in_memory();
    let world = World::from(nephos_testing::World::new(nephos_cloud::Kernel::from(cloud)));
    world.refused(&errors::INTERNAL, None, || world.create_connection("a"));
    Ok(())
}
