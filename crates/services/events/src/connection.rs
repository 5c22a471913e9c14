//! Connections: authorization of requests to API destinations.

pub(crate) mod auth;
mod changes;
pub(crate) mod secret;

pub use auth::*;
pub use changes::*;

use crate::{errors, paging::Page};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx};
use nephos_core::{Map, Record, Resource, Result, Slot, Text, Timestamp, Value, choices, operation};

/// Quota of connections per account and Region.
pub(crate) const QUOTA: Quota = Quota { counter: "events/connection", max: 3000, what: "connections" };

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

/// A connection: authorization of requests to API destinations.
#[derive(Resource)]
#[resource(
    arn("ConnectionArn", "connection/{Name}/{}"), name = "Name", pk = "Name", saved_when = "ConnectionArn",
    not_found = |name| errors::connection_not_found(name)
)]
pub struct Connection {
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=64), pattern = r"[\.\-_A-Za-z0-9]+")]
    pub(crate) name: Option<Text>,
    /// ARN.
    #[field(service_set)]
    pub(crate) connection_arn: Option<Text>,
    /// Description.
    #[field(unlisted, length(..=512), clear = "")]
    pub(crate) description: Option<Text>,
    /// Way to a private endpoint of API destinations.
    #[field(unlisted)]
    invocation_connectivity_parameters: Option<ConnectivityParameters>,
    /// State.
    #[field(service_set)]
    pub(crate) connection_state: Option<ConnectionState>,
    /// Reason of the state.
    #[field(service_set)]
    pub(crate) state_reason: Option<Text>,
    /// Type of authorization.
    pub(crate) authorization_type: Option<ConnectionAuthorizationType>,
    /// ARN of the secret.
    #[field(unlisted, service_set)]
    pub(crate) secret_arn: Option<Text>,
    /// ID, ARN or alias of the crypto key that encrypts the secret.
    #[field(unlisted, length(..=2048), pattern = r"^[a-zA-Z0-9_\-/:]*$", clear = "")]
    pub(crate) kms_key_identifier: Option<Text>,
    /// Parameters of the authorization, without their secret values.
    #[field(unlisted)]
    pub(crate) auth_parameters: Option<ConnectionAuthParameters>,
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
    Connection in "events/connection" by name; states(
        "ConnectionState": "AUTHORIZING" => "AUTHORIZED" 10, "DEAUTHORIZING" => "DEAUTHORIZED" 10,
        "DELETING" => removed 10 then Connection::clean_up
    )
}

impl Connection {
    /// Sets the authorization that a secret has, and the state that follows from it.
    pub(crate) fn authorize(&mut self, cx: &Tx<'_>, content: &Map<Value>) {
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
    pub(crate) fn put_changed(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.last_modified_time = Some(cx.now());
        cx.put_and_schedule_transition(self.clone())
    }

    /// Deletes the secret of a connection that is removed.
    fn clean_up(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        if let Some(secret) = &self.secret_arn {
            secret::delete(cx, secret)?;
        }
        QUOTA.remove_one(cx)
    }

    /// Refuses a connection that is being deleted.
    pub(crate) fn check_not_deleting(&self) -> Result<()> {
        match self.connection_state {
            Some(ConnectionState::Deleting) => {
                Err(errors::connection_deleting(self.name.as_deref().unwrap_or_default()))
            }
            _ => Ok(()),
        }
    }
}

/// Creates a connection, and the secret with its authorization.
#[operation(
    of = Connection, call = "create", model, read_back, needs(name, authorization_type, auth_parameters),
    takes(settable), answers(connection_arn, connection_state, creation_time, last_modified_time),
    effect = write, subject = "connection/{Name}"
)]
pub struct CreateConnection {}

pub(crate) fn check_connectivity(given: Option<&ConnectivityParameters>) -> Result<()> {
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
    of = Connection, call = "get", optional, needs(name), effect = read, output = Connection,
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
    of = Connection, call = "list", page(connections, next_token), also(Page),
    pushes(name_prefix = "Name"), effect = read
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
