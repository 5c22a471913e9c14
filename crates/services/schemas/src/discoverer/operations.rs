//! Operations on discoverers.

use super::{Discoverer, DiscovererState, discoverer_id_for, require};
use crate::DiscovererManager;
use crate::{
    Empty, errors,
    paging::{self, Pagination},
    tagging,
};
use nephos_cloud::{Handler, Stored, Tx, own_arn};
use nephos_core::{Record, Result, Text, operation, record_of};

/// Path parameter of requests for one discoverer.
#[derive(Record)]
#[record(shared)]
pub struct DiscovererPath {
    /// ID of the discoverer.
    #[field(required, wire = "discovererId", in_path)]
    discoverer_id: Option<Text>,
}

/// Creates a discoverer and starts it. Discovered schemas are in the registry `discovered-schemas`. If the event bus does not
/// exist yet, the discoverer has to be started again when it does.
#[operation(
    of = Discoverer, call = "create", model, needs(source_arn),
    takes(settable), effect = write, output = Discoverer,
    http("POST", "/v1/discoverers", 201), subject = "*"
)]
pub struct CreateDiscoverer {}

impl Handler for CreateDiscoverer {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Discoverer> {
        let id = discoverer_id_for(cx.scope(), &self.source_arn)?;
        self.tags = tagging::check_tags(self.tags)?;
        self.cross_account.get_or_insert(true);
        let description = self.description.take();
        let mut discoverer = Discoverer::from_given(self);
        // An empty description is stored, too.
        discoverer.description = description;
        discoverer.discoverer_id = Some(id);
        discoverer.discoverer_arn = own_arn(&discoverer, cx.scope());
        discoverer.state = Some(DiscovererState::Started);
        if cx.exists(&discoverer.key(cx.scope()))? {
            return Err(errors::discoverer_exists(discoverer.source_arn.unwrap_or_default()));
        }
        discoverer.connect(cx)?;
        cx.put(discoverer.clone())?;
        Ok(discoverer)
    }
}

/// Describes a discoverer.
#[operation(
    of = Discoverer, call = "get", none_if_missing, include(DiscovererPath),
    effect = read, output = Discoverer, http("GET", "/v1/discoverers/id/{discovererId}", 200)
)]
pub struct DescribeDiscoverer {}

impl Handler for DescribeDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Discoverer> {
        require(cx, &self.discoverer_id)
    }
}

/// Lists discoverers, in ASCII order of their IDs.
#[operation(
    of = Discoverer, call = "list", page(discoverers, next_token), include(Pagination),
    pushdown(discoverer_id_prefix = "DiscovererId", source_arn_prefix = "SourceArn"), effect = read,
    http("GET", "/v1/discoverers", 200), subject = "discoverer/*"
)]
pub struct ListDiscoverers {
    /// Prefix of the IDs of discoverers.
    #[field(wire = "discovererIdPrefix", in_query)]
    pub discoverer_id_prefix: Option<Text>,
    /// Prefix of the ARNs of the event buses.
    #[field(wire = "sourceArnPrefix", in_query)]
    pub source_arn_prefix: Option<Text>,
}

impl Handler for ListDiscoverers {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (all, prefix) = (Discoverer::table(cx.scope()), self.discoverer_id_prefix.as_ref());
        let source = self.source_arn_prefix.as_deref().unwrap_or_default();
        let matches_source =
            |found: &Discoverer| found.source_arn.as_ref().is_some_and(|arn| arn.starts_with(source));
        Ok(paging::page(cx, &self, all, prefix, |found| Ok(Some(found).filter(matches_source)))?.into())
    }
}

/// Changes the description and cross-account discovery of a discoverer.
#[operation(
    of = Discoverer, call = "update", changes, include(DiscovererPath), takes(changeable), except(tags),
    effect = write, output = Discoverer, http("PUT", "/v1/discoverers/id/{discovererId}", 200)
)]
pub struct UpdateDiscoverer {}

impl Handler for UpdateDiscoverer {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Discoverer> {
        let mut discoverer = require(cx, &self.discoverer_id)?;
        if self.description.is_some() {
            // An empty description is stored, too.
            discoverer.description = self.description.take();
        }
        discoverer.take_given(&mut self);
        cx.put(discoverer.clone())?;
        Ok(discoverer)
    }
}

/// Deletes a discoverer. The schemas that it discovered are not deleted.
#[operation(
    of = Discoverer, call = "delete", on_model,
    include(DiscovererPath),
    effect = write, http("DELETE", "/v1/discoverers/id/{discovererId}", 204)
)]
pub struct DeleteDiscoverer {}

impl Handler for DeleteDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let discoverer = require(cx, &self.discoverer_id)?;
        discoverer.disconnect(cx)?;
        cx.remove(&discoverer)?;
        Ok(Empty {})
    }
}

/// ID and state of a discoverer.
#[record_of(of = Discoverer, answer, takes(discoverer_id, state))]
pub struct DiscovererStateOutput {}

/// Starts a discoverer: connects it to its event bus. No effect if it is started and connected.
#[operation(
    of = Discoverer, call = "start", on_model, include(DiscovererPath),
    effect = write, output = DiscovererStateOutput, http("POST", "/v1/discoverers/id/{discovererId}/start", 200)
)]
pub struct StartDiscoverer {}

impl Handler for StartDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<DiscovererStateOutput> {
        set_state(cx, &self.discoverer_id, DiscovererState::Started)
    }
}

/// Stops a discoverer. No effect if it is stopped.
#[operation(
    of = Discoverer, call = "stop", on_model, include(DiscovererPath),
    effect = write, output = DiscovererStateOutput, http("POST", "/v1/discoverers/id/{discovererId}/stop", 200)
)]
pub struct StopDiscoverer {}

impl Handler for StopDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<DiscovererStateOutput> {
        set_state(cx, &self.discoverer_id, DiscovererState::Stopped)
    }
}

fn set_state(cx: &mut Tx<'_>, id: &str, state: DiscovererState) -> Result<DiscovererStateOutput> {
    let mut discoverer = require(cx, id)?;
    discoverer.state = Some(state);
    discoverer.connect(cx)?;
    cx.put(discoverer.clone())?;
    Ok(discoverer.into())
}
