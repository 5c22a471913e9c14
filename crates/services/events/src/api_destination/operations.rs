//! Operations on API destinations.

use super::{ApiDestination, ApiDestinationManager, DEFAULT_RATE};
use crate::{delivery, errors, paging::Page};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx};
use nephos_core::{Empty, Record, Result, Text, operation};

/// Quota of API destinations per account and Region.
const QUOTA: Quota = Quota { counter: "events/api-destination", max: 3000, what: "API destinations" };

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
    of = ApiDestination, call = "get", none_if_missing, needs(name), effect = read,
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
    of = ApiDestination, call = "list", page(api_destinations, next_token), include(Page),
    pushdown(name_prefix = "Name"), effect = read
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
    of = ApiDestination, call = "delete", on_model, needs(name), effect = write,
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
