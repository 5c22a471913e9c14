//! API destinations: HTTP endpoints that are targets of rules.

mod operations;

pub use operations::*;

use crate::{Connection, ConnectionOAuthParameters, ConnectionState, connection::auth::check_url, errors};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Resource, Result, Slot, Text, Timestamp, choices};

/// Invocations per second of an API destination without a limit of its own.
pub(crate) const DEFAULT_RATE: i64 = 300;

choices! {
    /// State of an API destination.
    pub enum ApiDestinationState {
        /// Its connection is authorized.
        Active = "ACTIVE",
        /// Its connection is not authorized, or does not exist.
        Inactive = "INACTIVE",
    }
}

choices! {
    /// HTTP method of requests to an API destination.
    pub enum ApiDestinationHttpMethod {
        /// `HEAD`.
        Head = "HEAD",
        /// `POST`.
        Post = "POST",
        /// `PATCH`.
        Patch = "PATCH",
        /// `DELETE`.
        Delete = "DELETE",
        /// `PUT`.
        Put = "PUT",
        /// `GET`.
        Get = "GET",
        /// `OPTIONS`.
        Options = "OPTIONS",
    }
}

/// An API destination: an HTTP endpoint that is a target of rules.
#[derive(Resource)]
#[resource(
    arn("ApiDestinationArn", "api-destination/{Name}/{}"), name = "Name", pk = "Name",
    exists_if = "ApiDestinationArn", relation(connection, one = Connection, with = connection_of),
    not_found = |name| errors::api_destination_not_found(name)
)]
pub struct ApiDestination {
    /// ARN.
    #[field(service_set)]
    pub(crate) api_destination_arn: Option<Text>,
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=64), pattern = r"[\.\-_A-Za-z0-9]+")]
    pub(crate) name: Option<Text>,
    /// Description.
    #[field(not_in_list, length(..=512), clear = "")]
    description: Option<Text>,
    /// State, which follows from that of the connection.
    #[field(service_set)]
    api_destination_state: Option<ApiDestinationState>,
    /// ARN of the connection.
    #[field(
        required, length(1..=1600),
        pattern = r"^arn:aws([a-z]|\-)*:events:([a-z]|\d|\-)*:([0-9]{12})?:connection\/[\.\-_A-Za-z0-9]+\/[\-A-Za-z0-9]+$"
    )]
    pub(crate) connection_arn: Option<Text>,
    /// URL of the endpoint. Values of the target replace each `*` in it.
    #[field(required, like = ConnectionOAuthParameters::authorization_endpoint)]
    pub(crate) invocation_endpoint: Option<Text>,
    /// HTTP method.
    #[field(required)]
    pub(crate) http_method: Option<ApiDestinationHttpMethod>,
    /// Maximum number of invocations per second; 300 by default.
    #[field(range(1..), clear = 300)]
    pub(crate) invocation_rate_limit_per_second: Option<i64>,
    /// Time of creation.
    #[field(service_set)]
    creation_time: Option<Timestamp>,
    /// Time of the last change.
    #[field(service_set)]
    last_modified_time: Option<Timestamp>,
    slot: Slot,
}

nephos_cloud::stored!(ApiDestination in "events/api-destination" by name);

impl ApiDestination {
    /// Sets the state, which follows from that of the connection.
    fn with_state(mut self, cx: &Tx<'_>) -> Result<Self> {
        let connection =
            Connection::find(cx, self.connection_arn.as_deref().unwrap_or_default(), "ConnectionArn")?;
        let state = connection.and_then(|connection| connection.connection_state);
        self.api_destination_state = Some(match state {
            Some(ConnectionState::Authorized) => ApiDestinationState::Active,
            _ => ApiDestinationState::Inactive,
        });
        Ok(self)
    }

    /// Refuses an endpoint that is no URL.
    fn check_endpoint(&self) -> Result<()> {
        check_url(self.invocation_endpoint.as_deref().unwrap_or_default(), "InvocationEndpoint")
    }

    /// Refuses a connection that does not exist.
    fn check_connection(&self, cx: &Tx<'_>) -> Result<()> {
        let arn = self.connection_arn.as_deref().unwrap_or_default();
        if Connection::find(cx, arn, "ConnectionArn")?.is_some() {
            return Ok(());
        }
        let refused = errors::connection_not_found(name_in_arn(arn));
        Err(refused.with_field("ConnectionArn").with_hint(arn))
    }

    /// Stores the API destination, with the current time as that of its last change.
    fn put_changed(mut self, cx: &mut Tx<'_>) -> Result<Self> {
        self.last_modified_time = Some(cx.now());
        // The state is not stored: it follows from the connection.
        self.api_destination_state = None;
        cx.put(self.clone())?;
        self.with_state(cx)
    }
}

/// Returns the name in the ARN of a connection.
fn name_in_arn(arn: &str) -> &str {
    Connection::read_arn(arn).and_then(|parts| parts.first().copied()).unwrap_or_default()
}

/// Returns the connection of an API destination; `None` if it was deleted.
async fn connection_of(destination: &ApiDestination) -> Result<Option<Connection>> {
    let Some(arn) = destination.connection_arn.as_deref() else { return Ok(None) };
    let found = Connection::objects(destination.require_session()?).get(name_in_arn(arn)).await?;
    Ok(found.filter(|found| found.connection_arn.as_deref() == Some(arn)))
}
