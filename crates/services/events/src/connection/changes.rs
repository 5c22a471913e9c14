//! Changes of connections: updates, deauthorization, deletion.

use crate::{
    Connection, ConnectionManager, ConnectionState,
    connection::{self, auth::ConnectionAuthParameters, check_connectivity},
};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{Map, Record, Result, Value, field_value::FieldType, operation};

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
            connection::secret::set_crypto_key(cx, secret, key)?;
        }
        if let Some(content) = content {
            match &connection.secret_arn {
                Some(secret) => connection::secret::replace(cx, secret, &content)?,
                None => {
                    let name = connection.name.as_deref().unwrap_or_default();
                    let key = connection.kms_key_identifier.as_ref();
                    connection.secret_arn = Some(connection::secret::create(cx, name, key, &content)?);
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
            Some(arn) => connection::secret::read(cx, arn)?,
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
        Ok(Some(content).filter(|new| !known.is_some_and(|known| connection::secret::is_same(&known, new))))
    }
}

/// Removes the authorization of a connection, and its secret.
#[operation(
    of = Connection, call = "deauthorize", instance, needs(name), effect = write,
    answers(connection_arn, connection_state, creation_time, last_modified_time, last_authorized_time), subject = "connection/{Name}"
)]
pub struct DeauthorizeConnection {}

impl Handler for DeauthorizeConnection {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut connection = Connection::require(cx, &self.name, "Name")?;
        connection.check_not_deleting()?;
        if let Some(secret) = connection.secret_arn.take() {
            connection::secret::delete(cx, &secret)?;
        }
        (connection.auth_parameters, connection.state_reason) = (None, None);
        connection.connection_state = Some(ConnectionState::Deauthorizing);
        connection.put_changed(cx)?;
        Ok(connection.into())
    }
}

/// Deletes a connection, and its secret. API destinations that use it become inactive.
#[operation(
    of = Connection, call = "delete", instance, needs(name), effect = write,
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
