//! Operations on connections.

use super::{
    Connection, ConnectionAuthParameters, ConnectionManager, ConnectionState, ConnectivityParameters, QUOTA,
    secret,
};
use crate::{errors, paging::Page};
use nephos_cloud::{Addressed, Handler, Stored, Tx};
use nephos_core::{Map, Record, Result, Text, Value, field_value::FieldType, operation};

/// Creates a connection, and the secret with its authorization.
#[operation(
    of = Connection, call = "create", model, read_back, needs(name, authorization_type, auth_parameters),
    takes(settable), answers(connection_arn, connection_state, creation_time, last_modified_time),
    effect = write, subject = "connection/{Name}"
)]
pub struct CreateConnection {}

/// Refuses a way to a private endpoint.
fn check_connectivity(given: Option<&ConnectivityParameters>) -> Result<()> {
    let checked = given.map_or(Ok(()), ConnectivityParameters::check);
    checked.map_err(|refused| refused.with_field("InvocationConnectivityParameters"))
}

impl Handler for CreateConnection {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        // Only an empty ARN is accepted, which means none.
        check_connectivity(self.invocation_connectivity_parameters.take().as_ref())?;
        let content = self.auth_parameters.merge_into(&self.authorization_type, Map::default())?;
        if Connection::find_by(cx, &[&self.name])?.is_some() {
            return Err(errors::connection_exists(&self.name).with_field("Name"));
        }
        QUOTA.add_one(cx, errors::too_many)?;
        let key = self.kms_key_identifier.as_ref().filter(|key| !key.is_empty());
        let secret = secret::create(cx, &self.name, key, &content);
        let mut connection = Connection::from_given(self);
        connection.secret_arn = match secret {
            Ok(arn) => Some(arn),
            Err(refused) => {
                QUOTA.remove_one(cx)?;
                return Err(refused);
            }
        };
        let name = connection.name.as_deref().unwrap_or_default();
        connection.connection_arn = Some(Connection::arn_with(cx.scope(), &[name, &cx.ids().uuid()]).into());
        connection.creation_time = Some(cx.now());
        connection.authorize(cx, &content);
        connection.put_changed(cx)?;
        Ok(connection.into())
    }
}

/// Describes a connection.
#[operation(
    of = Connection, call = "get", none_if_missing, needs(name), effect = read, output = Connection,
    subject = "connection/{Name}"
)]
pub struct DescribeConnection {}

impl Handler for DescribeConnection {
    fn run(self, cx: &mut Tx<'_>) -> Result<Connection> {
        Connection::require(cx, &self.name, "Name")
    }
}

/// Lists connections, in order of their names.
#[operation(
    of = Connection, call = "list", page(connections, next_token), include(Page),
    pushdown(name_prefix = "Name"), effect = read
)]
pub struct ListConnections {
    /// Prefix of the names of connections.
    #[field(like = Connection::name)]
    pub name_prefix: Option<Text>,
    /// State of the connections.
    pub connection_state: Option<ConnectionState>,
}

impl Handler for ListConnections {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let prefix = self.name_prefix.as_deref().unwrap_or_default();
        let wanted = Connection::table(cx.scope()).text_prefix(prefix);
        let state = self.connection_state.as_ref();
        let page = cx.page_rows(&self, &wanted, |found: Connection| {
            let is_wanted = state.is_none() || found.connection_state.as_ref() == state;
            Ok(is_wanted.then_some(found))
        })?;
        Ok(page.into())
    }
}

/// Changes a connection. Parameters of the authorization that are not given stay; an empty text clears a field.
#[operation(
    of = Connection, call = "update", changes, needs(name), takes(changeable),
    answers(connection_arn, connection_state, creation_time, last_modified_time, last_authorized_time),
    effect = write, subject = "connection/{Name}"
)]
pub struct UpdateConnection {}

impl Handler for UpdateConnection {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut connection = Connection::require(cx, &self.name, "Name")?;
        connection.check_not_deleting()?;
        self.check_changes()?;
        check_connectivity(self.invocation_connectivity_parameters.take().as_ref())?;
        let current = connection.clone();
        let content = self.new_content(cx, &mut connection)?;
        let (key, before) = (self.kms_key_identifier.clone(), connection.kms_key_identifier.clone());
        self.auth_parameters = None;
        connection.take_given(&mut self);
        // A refusal of the secrets service comes before the first change: a key is refused before the value is replaced.
        if let (Some(key), Some(secret)) = (&key, &connection.secret_arn)
            && connection.kms_key_identifier != before
        {
            secret::SECRETS.set_crypto_key(cx, secret, key)?;
        }
        if let Some(content) = content {
            match &connection.secret_arn {
                Some(secret) => secret::SECRETS.replace(cx, secret, &content)?,
                None => {
                    let name = connection.name.as_deref().unwrap_or_default();
                    let key = connection.kms_key_identifier.as_ref();
                    connection.secret_arn = Some(secret::create(cx, name, key, &content)?);
                }
            }
            connection.authorize(cx, &content);
        }
        if connection != current {
            connection.put_changed(cx)?;
        }
        Ok(connection.into())
    }
}

impl UpdateConnection {
    /// Refuses an update that changes nothing, or parameters of the authorization without its type.
    fn check_changes(&self) -> Result<()> {
        let parameters = self.auth_parameters.as_ref();
        let authorizes =
            self.authorization_type.is_some() && parameters.is_some_and(ConnectionAuthParameters::has_type);
        if authorizes || self.description.is_some() || self.kms_key_identifier.is_some() {
            return Ok(());
        }
        let field = if parameters.is_some() { "AuthorizationType" } else { "AuthParameters" };
        Err(errors::connection_update_incomplete().with_field(field))
    }

    /// Returns the new content of the secret; `None` if the authorization does not change. A secret that cannot be read, because
    /// somebody deleted it, no longer belongs to the connection.
    fn new_content(&self, cx: &mut Tx<'_>, connection: &mut Connection) -> Result<Option<Map<Value>>> {
        let is_same_type =
            self.authorization_type.is_none() || self.authorization_type == connection.authorization_type;
        let is_same = self.auth_parameters.is_none() || self.auth_parameters == connection.auth_parameters;
        if is_same_type && is_same && connection.secret_arn.is_some() {
            return Ok(None);
        }
        let before = connection.authorization_type.clone();
        let Some(ty) = self.authorization_type.as_ref().or(before.as_ref()) else { return Ok(None) };
        let current = match &connection.secret_arn {
            Some(arn) => secret::SECRETS.read(cx, arn)?,
            None => None,
        };
        if current.is_none() {
            connection.secret_arn = None;
        }
        let is_authorized = matches!(
            connection.connection_state,
            Some(ConnectionState::Authorized | ConnectionState::Authorizing)
        );
        let known = current.clone().filter(|_| is_authorized);
        let mut content = current.unwrap_or_default();
        if before.as_ref() != Some(ty) {
            content.retain(|name, _| *name == *"invocation_http_parameters");
        }
        let given = self.auth_parameters.clone().unwrap_or_else(ConnectionAuthParameters::blank);
        let content = given.merge_into(ty, content)?;
        Ok(Some(content).filter(|new| !known.is_some_and(|known| nephos_cloud::is_same_content(&known, new))))
    }
}

/// Reason of the state of a connection without authorization.
const DEAUTHORIZED: &str =
    "The authorization parameters were removed from this connection by a DeauthorizeConnection operation.";

/// Removes the authorization of a connection, and its secret.
#[operation(
    of = Connection, call = "deauthorize", on_model, needs(name), effect = write,
    answers(connection_arn, connection_state, creation_time, last_modified_time, last_authorized_time), subject = "connection/{Name}"
)]
pub struct DeauthorizeConnection {}

impl Handler for DeauthorizeConnection {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut connection = Connection::require(cx, &self.name, "Name")?;
        connection.check_not_deleting()?;
        if let Some(secret) = &connection.secret_arn {
            secret::SECRETS.delete(cx, secret)?;
        }
        connection.auth_parameters = Some(ConnectionAuthParameters::blank());
        connection.state_reason = Some(DEAUTHORIZED.into());
        connection.connection_state = Some(ConnectionState::Deauthorizing);
        connection.put_changed(cx)?;
        Ok(connection.into())
    }
}

/// Deletes a connection, and its secret. API destinations that use it become inactive.
#[operation(
    of = Connection, call = "delete", on_model, needs(name), effect = write,
    answers(connection_arn, connection_state, creation_time, last_modified_time, last_authorized_time), subject = "connection/{Name}"
)]
pub struct DeleteConnection {}

impl Handler for DeleteConnection {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut connection = Connection::require(cx, &self.name, "Name")?;
        connection.connection_state = Some(ConnectionState::Deleting);
        connection.put_changed(cx)?;
        Ok(connection.into())
    }
}
