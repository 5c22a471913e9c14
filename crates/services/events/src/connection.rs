//! Connections: authorization of requests to API destinations.

use super::{
    SERVICE,
    connection_auth::{ConnectionAuthParameters, ConnectionAuthorizationType, ConnectivityParameters},
    connection_secret, errors,
    paging::Page,
};
use nephos_cloud::{Handler, Quota, Stored, Transition, Tx, Work};
use nephos_core::{
    FromModel, ManagerOperation, Map, Record, Resource, Result, SignedDuration, Slot, Text, Timestamp, Value,
    WorkflowContext, choices, field_value::FieldType, operation,
};
use nephos_store::Direction;

/// Quota of connections per account and Region.
const QUOTA: Quota = Quota { counter: "events/connection", max: 3000, what: "connections" };

/// Duration of changes of the state at the provider, in seconds.
const SECONDS: i64 = 10;

choices! {
    /// State of a connection.
    #[derive(Eq)]
    pub enum ConnectionState {
        /// Being created.
        Creating = "CREATING",
        /// Being changed.
        Updating = "UPDATING",
        /// Being deleted.
        Deleting = "DELETING",
        /// Ready for use.
        Authorized = "AUTHORIZED",
        /// Without authorization: it was removed, or refused by an API destination.
        Deauthorized = "DEAUTHORIZED",
        /// Waiting for authorization.
        Authorizing = "AUTHORIZING",
        /// Being deauthorized.
        Deauthorizing = "DEAUTHORIZING",
        /// Ready for use, with a private endpoint.
        Active = "ACTIVE",
        /// The private endpoint cannot be reached.
        FailedConnectivity = "FAILED_CONNECTIVITY",
    }
}

/// A connection: authorization of requests to API destinations. Its secret values are kept in a secret.
#[derive(Resource)]
#[resource(
    service = SERVICE, arn = "ConnectionArn", name = "Name", pk = "Name", saved_when = "ConnectionArn",
    calls(
        ConnectionCreate, DescribeConnection, ListConnections, ConnectionUpdate, DeauthorizeConnection, DeleteConnection
    ),
    create = ConnectionCreate, update = ConnectionUpdate, delete = DeleteConnection, get = DescribeConnection,
)]
pub struct Connection {
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=64), pattern = r"[\.\-_A-Za-z0-9]+")]
    pub(crate) name: Option<Text>,
    /// ARN.
    #[field(service_set)]
    pub(crate) connection_arn: Option<Text>,
    /// Description. A listing does not return it; `get` does.
    #[field(length(..=512))]
    description: Option<Text>,
    /// Way to a private endpoint of API destinations. A listing does not return it; `get` does.
    invocation_connectivity_parameters: Option<ConnectivityParameters>,
    /// State.
    #[field(service_set)]
    pub(crate) connection_state: Option<ConnectionState>,
    /// Reason of the state.
    #[field(service_set)]
    pub(crate) state_reason: Option<Text>,
    /// Type of authorization.
    pub(crate) authorization_type: Option<ConnectionAuthorizationType>,
    /// ARN of the secret. A listing does not return it; `get` does.
    #[field(service_set)]
    pub(crate) secret_arn: Option<Text>,
    /// ID, ARN or alias of the crypto key that encrypts the secret. A listing does not return it; `get` does.
    #[field(length(..=2048), pattern = r"^[a-zA-Z0-9_\-/:]*$")]
    kms_key_identifier: Option<Text>,
    /// Parameters of the authorization, without their secret values. A listing does not return it; `get` does.
    auth_parameters: Option<ConnectionAuthParameters>,
    /// Time of creation.
    #[field(service_set)]
    creation_time: Option<Timestamp>,
    /// Time of the last change.
    #[field(service_set)]
    last_modified_time: Option<Timestamp>,
    /// Time of the last authorization.
    #[field(service_set)]
    last_authorized_time: Option<Timestamp>,
    slot: Slot,
}

nephos_cloud::stored! {
    Connection in "events/connection" by name; transitions(
        Transition::new("ConnectionState", "AUTHORIZING", "AUTHORIZED", SECONDS),
        Transition::new("ConnectionState", "DEAUTHORIZING", "DEAUTHORIZED", SECONDS)
    )
}

impl Connection {
    fn into_listed(mut self) -> Self {
        (self.description, self.invocation_connectivity_parameters) = (None, None);
        (self.secret_arn, self.kms_key_identifier, self.auth_parameters) = (None, None, None);
        self
    }

    /// Sets the authorization that a secret has, and the state that follows from it.
    fn authorize(&mut self, cx: &Tx<'_>, content: &Map<Value>) {
        let Some(ty) = &self.authorization_type else { return };
        self.auth_parameters = Some(ConnectionAuthParameters::from_secret(ty, content));
        self.connection_state = Some(match ty {
            ConnectionAuthorizationType::OAuth => ConnectionState::Authorizing,
            _ => ConnectionState::Authorized,
        });
        (self.state_reason, self.last_authorized_time) = (None, Some(cx.now()));
    }

    /// Marks the connection as one whose authorization is missing or was refused, until it is updated.
    pub(crate) fn put_deauthorized(mut self, cx: &mut Tx<'_>, reason: &str) -> Result<()> {
        self.connection_state = Some(ConnectionState::Deauthorized);
        self.state_reason = Some(reason.chars().take(512).collect::<String>().into());
        cx.put(self)
    }

    /// Stores the connection, with the current time as that of its last change.
    fn put_changed(mut self, cx: &mut Tx<'_>) -> Result<ChangedConnection> {
        self.last_modified_time = Some(cx.now());
        let changed = ChangedConnection {
            connection_arn: self.connection_arn.clone(),
            connection_state: self.connection_state.clone(),
            creation_time: self.creation_time,
            last_modified_time: self.last_modified_time,
            last_authorized_time: self.last_authorized_time,
        };
        cx.put_and_schedule_transition(self)?;
        Ok(changed)
    }

    /// Refuses a connection that is being deleted.
    fn check_not_deleting(&self) -> Result<()> {
        match self.connection_state {
            Some(ConnectionState::Deleting) => {
                Err(errors::connection_deleting(self.name.as_deref().unwrap_or_default()))
            }
            _ => Ok(()),
        }
    }
}

/// Finds the connection `name`.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<Connection>> {
    cx.get(&Connection::table(cx.scope()).text(name))
}

/// Finds the connection with this ARN.
pub(crate) fn find_by_arn(cx: &Tx<'_>, arn: &str) -> Result<Option<Connection>> {
    let found = find(cx, name_in_arn(arn))?;
    Ok(found.filter(|found| found.connection_arn.as_deref() == Some(arn)))
}

/// Returns the name in the ARN of a connection or API destination.
pub(crate) fn name_in_arn(arn: &str) -> &str {
    arn.rsplit('/').nth(1).unwrap_or_default()
}

/// Returns the connection `name`, or an error if it does not exist.
pub(crate) fn require(cx: &Tx<'_>, name: &str) -> Result<Connection> {
    find(cx, name)?.ok_or_else(|| errors::connection_not_found(name))
}

/// Creates a connection, and the secret with its authorization.
#[operation(
    service = SERVICE, of = Connection, needs(name, authorization_type, auth_parameters),
    takes(description, invocation_connectivity_parameters, kms_key_identifier),
    effect = write, output = CreatedConnection, subject = "connection/{Name}"
)]
pub struct CreateConnection {}

/// The connection that was created.
#[derive(Record)]
#[record(answer, name = "CreateConnectionResponse")]
pub struct CreatedConnection {
    /// ARN.
    connection_arn: Option<Text>,
    /// State.
    connection_state: Option<ConnectionState>,
    /// Time of creation.
    creation_time: Option<Timestamp>,
    /// Time of the last change.
    last_modified_time: Option<Timestamp>,
}

/// The connection that was changed.
#[derive(Record)]
#[record(answer, name = "UpdateConnectionResponse")]
pub struct ChangedConnection {
    /// ARN.
    connection_arn: Option<Text>,
    /// State.
    connection_state: Option<ConnectionState>,
    /// Time of creation.
    creation_time: Option<Timestamp>,
    /// Time of the last change.
    last_modified_time: Option<Timestamp>,
    /// Time of the last authorization.
    last_authorized_time: Option<Timestamp>,
}

fn check_connectivity(given: Option<&ConnectivityParameters>) -> Result<()> {
    let checked = given.map_or(Ok(()), ConnectivityParameters::check);
    checked.map_err(|refused| refused.with_field("InvocationConnectivityParameters"))
}

impl Handler for CreateConnection {
    fn run(self, cx: &mut Tx<'_>) -> Result<CreatedConnection> {
        check_connectivity(self.invocation_connectivity_parameters.as_ref())?;
        let content = self.auth_parameters.merge_into(&self.authorization_type, Map::default())?;
        if find(cx, &self.name)?.is_some() {
            return Err(errors::connection_exists(&self.name).with_field("Name"));
        }
        QUOTA.add_one(cx, errors::too_many)?;
        let key = self.kms_key_identifier.as_ref().filter(|key| !key.is_empty());
        let secret = connection_secret::create(cx, &self.name, key, &content);
        let mut connection = Self::into_connection(self);
        connection.secret_arn = match secret {
            Ok(arn) => Some(arn),
            Err(refused) => {
                QUOTA.remove_one(cx)?;
                return Err(refused);
            }
        };
        let (name, id) = (connection.name.as_deref().unwrap_or_default(), cx.ids().uuid());
        connection.connection_arn = Some(cx.scope().arn("events", &["connection/", name, "/", &id]).into());
        connection.creation_time = Some(cx.now());
        connection.authorize(cx, &content);
        let created = connection.put_changed(cx)?;
        Ok(CreatedConnection {
            connection_arn: created.connection_arn,
            connection_state: created.connection_state,
            creation_time: created.creation_time,
            last_modified_time: created.last_modified_time,
        })
    }
}

impl CreateConnection {
    /// Makes the model, without empty texts.
    fn into_connection(self) -> Connection {
        let mut connection = Connection::from_given(self);
        connection.clear_empty();
        connection
    }
}

impl Connection {
    /// Removes what an empty text, or an empty ARN, clears.
    fn clear_empty(&mut self) {
        for text in [&mut self.description, &mut self.kms_key_identifier] {
            text.take_if(|text| text.is_empty());
        }
        // Only an empty ARN is accepted.
        self.invocation_connectivity_parameters = None;
    }
}

/// Describes a connection.
#[operation(
    service = SERVICE, of = Connection, call = "get", optional, needs(name), effect = read, output = Connection,
    subject = "connection/{Name}"
)]
pub struct DescribeConnection {}

impl Handler for DescribeConnection {
    fn run(self, cx: &mut Tx<'_>) -> Result<Connection> {
        require(cx, &self.name)
    }
}

/// Lists connections, in order of their names.
#[operation(
    service = SERVICE, of = Connection, call = "list", pages, gives(connections, next_token), also(Page),
    pushes(name_prefix = "Name"), effect = read, output = Connections, subject = "*"
)]
pub struct ListConnections {
    /// Prefix of the names of connections.
    #[field(like = Connection::name)]
    pub name_prefix: Option<Text>,
    /// State of the connections.
    pub connection_state: Option<ConnectionState>,
}

nephos_core::page! {
    /// A page of connections.
    #[record(name = "ListConnectionsResponse")]
    pub struct Connections { connections: Connection, next_token }
}

impl Handler for ListConnections {
    fn run(self, cx: &mut Tx<'_>) -> Result<Connections> {
        let prefix = self.name_prefix.as_deref().unwrap_or_default();
        let wanted = Connection::table(cx.scope()).text_prefix(prefix);
        let state = self.connection_state.as_ref();
        let page = cx.page_rows(&self, &wanted, Direction::Ascending, |found: Connection| {
            let is_wanted = state.is_none() || found.connection_state.as_ref() == state;
            Ok(is_wanted.then(|| found.into_listed()))
        })?;
        Ok(page.into())
    }
}

/// Changes a connection. Parameters of the authorization that are not given stay; an empty text clears a field.
#[operation(
    service = SERVICE, of = Connection, needs(name),
    takes(
        description, authorization_type, auth_parameters, invocation_connectivity_parameters, kms_key_identifier
    ),
    effect = write, output = ChangedConnection, subject = "connection/{Name}"
)]
pub struct UpdateConnection {}

impl Handler for UpdateConnection {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<ChangedConnection> {
        let mut connection = require(cx, &self.name)?;
        connection.check_not_deleting()?;
        check_connectivity(self.invocation_connectivity_parameters.as_ref())?;
        let content = self.new_content(cx, &connection)?;
        let (key, before) = (self.kms_key_identifier.clone(), connection.kms_key_identifier.clone());
        self.auth_parameters = None;
        connection.take_given(&mut self);
        connection.clear_empty();
        // A refusal of the secrets service comes before the first change: a key is refused before the value is replaced.
        if let (Some(key), Some(secret)) = (&key, &connection.secret_arn)
            && connection.kms_key_identifier != before
        {
            connection_secret::set_crypto_key(cx, secret, key)?;
        }
        if let Some(content) = content {
            match &connection.secret_arn {
                Some(secret) => connection_secret::replace(cx, secret, &content)?,
                None => {
                    let (name, key) = (&self.name, connection.kms_key_identifier.as_ref());
                    connection.secret_arn = Some(connection_secret::create(cx, name, key, &content)?);
                }
            }
            connection.authorize(cx, &content);
        }
        connection.put_changed(cx)
    }
}

impl UpdateConnection {
    /// Returns the new content of the secret; `None` if the authorization is not changed.
    fn new_content(&self, cx: &mut Tx<'_>, connection: &Connection) -> Result<Option<Map<Value>>> {
        if self.auth_parameters.is_none() && self.authorization_type.is_none() {
            return Ok(None);
        }
        let Some(ty) = self.authorization_type.as_ref().or(connection.authorization_type.as_ref()) else {
            return Ok(None);
        };
        let current = match &connection.secret_arn {
            Some(arn) => connection_secret::read(cx, arn)?,
            None => None,
        };
        let mut content = current.unwrap_or_default();
        if connection.authorization_type.as_ref() != Some(ty) {
            content.retain(|name, _| *name == *"invocation_http_parameters");
        }
        let given = self.auth_parameters.clone().unwrap_or_else(ConnectionAuthParameters::blank);
        given.merge_into(ty, content).map(Some)
    }
}

/// Removes the authorization of a connection, and its secret.
#[operation(
    service = SERVICE, of = Connection, call = "deauthorize", instance, needs(name), effect = write,
    output = ChangedConnection, subject = "connection/{Name}"
)]
pub struct DeauthorizeConnection {}

impl Handler for DeauthorizeConnection {
    fn run(self, cx: &mut Tx<'_>) -> Result<ChangedConnection> {
        let mut connection = require(cx, &self.name)?;
        connection.check_not_deleting()?;
        if let Some(secret) = connection.secret_arn.take() {
            connection_secret::delete(cx, &secret)?;
        }
        (connection.auth_parameters, connection.state_reason) = (None, None);
        connection.connection_state = Some(ConnectionState::Deauthorizing);
        connection.put_changed(cx)
    }
}

/// Deletes a connection, and its secret. API destinations that use it become inactive.
#[operation(
    service = SERVICE, of = Connection, call = "delete", instance, needs(name), effect = write,
    output = ChangedConnection, subject = "connection/{Name}"
)]
pub struct DeleteConnection {}

impl Handler for DeleteConnection {
    fn run(self, cx: &mut Tx<'_>) -> Result<ChangedConnection> {
        let mut connection = require(cx, &self.name)?;
        connection.connection_state = Some(ConnectionState::Deleting);
        let removal = RemoveConnection { name: Some(self.name) };
        cx.schedule_transition(SignedDuration::from_secs(SECONDS), &removal)?;
        connection.put_changed(cx)
    }
}

/// Removal of a connection that is being deleted.
#[derive(Record)]
#[record(row)]
pub(crate) struct RemoveConnection {
    /// Name of the connection.
    name: Option<Text>,
}

impl Work for RemoveConnection {
    const NAME: &'static str = "events/remove-connection";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(connection) = find(cx, &self.name.unwrap_or_default())? else { return Ok(()) };
        if connection.connection_state != Some(ConnectionState::Deleting) {
            return Ok(());
        }
        if let Some(secret) = &connection.secret_arn {
            connection_secret::delete(cx, secret)?;
        }
        QUOTA.remove_one(cx)?;
        cx.remove(&connection)
    }
}

/// Creates a connection, and the secret with its authorization.
#[operation(kind = Connection, call = "create", effect = write, output = Connection)]
pub struct ConnectionCreate {
    /// The connection.
    #[field(model, name = "model")]
    pub model: Connection,
}

impl ManagerOperation for ConnectionCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<Connection> {
        context.call(CreateConnection::from_model(&self.model)?).await?;
        context.call(DescribeConnection::from_model(&self.model)?).await
    }
}

/// Changes a connection, where the model was changed. Secret values that the model does not have stay.
#[operation(kind = Connection, call = "update", effect = write, output = Connection)]
pub struct ConnectionUpdate {
    /// The connection.
    #[field(model, name = "model")]
    pub model: Connection,
}

impl ManagerOperation for ConnectionUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Connection> {
        let model = &self.model;
        if let Some(mut update) = UpdateConnection::changes_of(model)? {
            // The service ignores absent fields, and clears those with an empty text.
            let is_cleared =
                |field: &str, value: &Option<Text>| value.is_none() && model.changed().contains(&field);
            if is_cleared("Description", &model.description) {
                update.description = Some(Text::default());
            }
            if is_cleared("KmsKeyIdentifier", &model.kms_key_identifier) {
                update.kms_key_identifier = Some(Text::default());
            }
            context.call(update).await?;
        }
        context.call(DescribeConnection::from_model(model)?).await
    }
}
