//! Connections: authorization of requests to API destinations.

pub(crate) mod auth;
mod operations;
pub(crate) mod secret;

pub use auth::*;
pub use operations::*;

use crate::errors;
use nephos_cloud::{Quota, Tx};
use nephos_core::{Map, Resource, Result, Slot, Text, Timestamp, Value, choices};

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
    arn("ConnectionArn", "connection/{Name}/{}"), name = "Name", pk = "Name", exists_if = "ConnectionArn",
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
    #[field(not_in_list, length(..=512), clear = "")]
    pub(crate) description: Option<Text>,
    /// Way to a private endpoint of API destinations.
    #[field(not_in_list)]
    invocation_connectivity_parameters: Option<ConnectivityParameters>,
    /// State.
    #[field(service_set)]
    pub(crate) connection_state: Option<ConnectionState>,
    /// Reason of the state.
    #[field(service_set)]
    pub(crate) state_reason: Option<Text>,
    /// Type of authorization.
    #[field(sent_with = "AuthParameters")]
    pub(crate) authorization_type: Option<ConnectionAuthorizationType>,
    /// ARN of the secret.
    #[field(not_in_list, service_set)]
    pub(crate) secret_arn: Option<Text>,
    /// ID, ARN or alias of the crypto key that encrypts the secret.
    #[field(not_in_list, length(..=2048), pattern = r"^[a-zA-Z0-9_\-/:]*$", clear = "")]
    pub(crate) kms_key_identifier: Option<Text>,
    /// Parameters of the authorization, without their secret values.
    #[field(not_in_list)]
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
        "ConnectionState": "AUTHORIZING" => "AUTHORIZED" 10 then Connection::complete_authorization,
        "DEAUTHORIZING" => "DEAUTHORIZED" 10 then Connection::forget_secret,
        "DELETING" => removed 10 then Connection::clean_up
    )
}

impl Connection {
    /// Sets the authorization that a secret has, and the state that follows from it. A connection that waits for a token was
    /// not authorized yet, which is the time 0.
    pub(crate) fn authorize(&mut self, cx: &Tx<'_>, content: &Map<Value>) {
        let Some(ty) = &self.authorization_type else { return };
        self.auth_parameters = Some(ConnectionAuthParameters::from_secret(ty, content));
        let (state, authorized) = match ty {
            ConnectionAuthorizationType::OAuth => (ConnectionState::Authorizing, Timestamp::UNIX_EPOCH),
            _ => (ConnectionState::Authorized, cx.now()),
        };
        self.connection_state = Some(state);
        self.last_authorized_time = Some(authorized);
        self.state_reason = None;
    }

    fn complete_authorization(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.last_authorized_time = Some(cx.now());
        Ok(())
    }

    /// Drops the ARN of the secret, which was deleted when the deauthorization began.
    fn forget_secret(&mut self, _: &mut Tx<'_>) -> Result<()> {
        self.secret_arn = None;
        Ok(())
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
            secret::SECRETS.delete(cx, secret)?;
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
