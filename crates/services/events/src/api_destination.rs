//! API destinations: HTTP endpoints that are targets of rules.

use crate::{
    Connection, ConnectionState,
    connection::auth::{ConnectionOAuthParameters, check_url},
    delivery, errors,
    paging::Page,
};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx};
use nephos_core::{Empty, Record, Resource, Result, Slot, Text, Timestamp, choices, operation};

/// Quota of API destinations per account and Region.
const QUOTA: Quota = Quota { counter: "events/api-destination", max: 3000, what: "API destinations" };

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
        /// `POST`.
        Post = "POST",
        /// `GET`.
        Get = "GET",
        /// `HEAD`.
        Head = "HEAD",
        /// `OPTIONS`.
        Options = "OPTIONS",
        /// `PUT`.
        Put = "PUT",
        /// `PATCH`.
        Patch = "PATCH",
        /// `DELETE`.
        Delete = "DELETE",
    }
}

/// An API destination: an HTTP endpoint that is a target of rules.
#[derive(Resource)]
#[resource(
    arn("ApiDestinationArn", "api-destination/{Name}/{}"), name = "Name", pk = "Name",
    saved_when = "ApiDestinationArn", relation(connection, one = Connection, with = connection_of),
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
    #[field(unlisted, length(..=512), clear = "")]
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

/// Creates an API destination.
#[operation(
    of = ApiDestination, call = "create", model, read_back,
    needs(name, connection_arn, invocation_endpoint, http_method), takes(settable),
    answers(api_destination_arn, api_destination_state, creation_time, last_modified_time),
    effect = write, subject = "api-destination/{Name}"
)]
pub struct CreateApiDestination {}

impl Handler for CreateApiDestination {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut destination = ApiDestination::from_given(self);
        destination.check_endpoint()?;
        destination.check_connection(cx)?;
        let name = destination.name.clone().unwrap_or_default();
        if ApiDestination::find_by(cx, &[&name])?.is_some() {
            return Err(errors::api_destination_exists(&name).with_field("Name"));
        }
        QUOTA.add_one(cx, errors::too_many)?;
        let arn = ApiDestination::arn_with(cx.scope(), &[&name, &cx.ids().uuid()]);
        destination.api_destination_arn = Some(arn.into());
        destination.invocation_rate_limit_per_second.get_or_insert(DEFAULT_RATE);
        destination.creation_time = Some(cx.now());
        Ok(destination.put_changed(cx)?.into())
    }
}

/// Describes an API destination.
#[operation(
    of = ApiDestination, call = "get", optional, needs(name), effect = read,
    output = ApiDestination, subject = "api-destination/{Name}"
)]
pub struct DescribeApiDestination {}

impl Handler for DescribeApiDestination {
    fn run(self, cx: &mut Tx<'_>) -> Result<ApiDestination> {
        ApiDestination::require(cx, &self.name, "Name")?.with_state(cx)
    }
}

/// Lists API destinations, in order of their names.
#[operation(
    of = ApiDestination, call = "list", page(api_destinations, next_token), also(Page),
    pushes(name_prefix = "Name"), effect = read
)]
pub struct ListApiDestinations {
    /// Prefix of the names of API destinations.
    #[field(like = ApiDestination::name)]
    pub name_prefix: Option<Text>,
    /// ARN of the connection of the API destinations.
    #[field(like = ApiDestination::connection_arn)]
    pub connection_arn: Option<Text>,
}

impl Handler for ListApiDestinations {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let cx = &*cx;
        let prefix = self.name_prefix.as_deref().unwrap_or_default();
        let wanted = ApiDestination::table(cx.scope()).text_prefix(prefix);
        let connection = self.connection_arn.as_ref();
        let page = cx.page_rows(&self, &wanted, |found: ApiDestination| {
            if connection.is_some() && found.connection_arn.as_ref() != connection {
                return Ok(None);
            }
            found.with_state(cx).map(Some)
        })?;
        Ok(page.into())
    }
}

/// Changes an API destination. An empty description is removed.
#[operation(
    of = ApiDestination, call = "update", changes, needs(name), takes(changeable),
    answers(api_destination_arn, api_destination_state, creation_time, last_modified_time),
    effect = write, subject = "api-destination/{Name}"
)]
pub struct UpdateApiDestination {}

impl Handler for UpdateApiDestination {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut destination = ApiDestination::require(cx, &self.name, "Name")?;
        let current = destination.clone();
        let has_connection = self.connection_arn.is_some();
        destination.take_given(&mut self);
        // An API destination whose connection was deleted can be changed in other ways.
        destination.check_endpoint()?;
        if has_connection {
            destination.check_connection(cx)?;
        }
        let changed =
            if destination == current { current.with_state(cx) } else { destination.put_changed(cx) };
        Ok(changed?.into())
    }
}

/// Deletes an API destination.
#[operation(
    of = ApiDestination, call = "delete", instance, needs(name), effect = write,
    subject = "api-destination/{Name}"
)]
pub struct DeleteApiDestination {}

impl Handler for DeleteApiDestination {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let destination = ApiDestination::require(cx, &self.name, "Name")?;
        delivery::destination_rate::remove(cx, &self.name)?;
        QUOTA.remove_one(cx)?;
        cx.remove(&destination)?;
        Ok(Empty {})
    }
}
