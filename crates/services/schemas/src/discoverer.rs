//! Discoverers, which infer schemas from the events of an event bus.
//!
//! A started discoverer has a rule on its event bus, which sends it the events. The registry of discovered schemas exists as soon
//! as there is a discoverer.

use super::{
    Empty, errors,
    paging::{self, Pagination},
    tagging,
};
use nephos_cloud::{Addressed, Direction, Handler, Scope, Stored, Tx, own_arn};
use nephos_core::{
    Arn, Map, Record, Resource, Result, Slot, Text, choices, operation, partition_of, record_of,
};

choices! {
    /// State of a discoverer.
    pub enum DiscovererState {
        /// The discoverer infers schemas.
        Started = "STARTED",
        /// The discoverer is stopped.
        Stopped = "STOPPED",
    }
}

/// A discoverer: infers schemas from the events of an event bus.
#[derive(Resource)]
#[resource(
    arn("DiscovererArn", "discoverer/{DiscovererId}"), pk = "DiscovererId", saved_when = "DiscovererId", tags = "Tags",
    not_found = |id| errors::discoverer_not_found(id)
)]
pub struct Discoverer {
    /// ARN of the discoverer.
    #[field(service_set)]
    pub(super) discoverer_arn: Option<Text>,
    /// ID of the discoverer, assigned by the service.
    #[field(service_set)]
    pub(super) discoverer_id: Option<Text>,
    /// ARN of the event bus.
    #[field(fixed, length(20..=1600))]
    source_arn: Option<Text>,
    /// State of the discoverer.
    #[field(service_set)]
    pub(super) state: Option<DiscovererState>,
    /// Discovery of schemas of events from other accounts; true by default.
    #[field(clear = true)]
    pub(super) cross_account: Option<bool>,
    /// Tags.
    #[field(wire = "tags")]
    pub(super) tags: Option<Map<Text>>,
    /// Description.
    #[field(unlisted, length(..=256), clear = "")]
    description: Option<Text>,
    slot: Slot,
}

/// Prefix of the ID of every discoverer; the name of the event bus follows.
pub(super) const ID_PREFIX: &str = "events-event-bus-";

nephos_cloud::stored! {
    Discoverer in "schemas/discoverer" by discoverer_id; arn discoverer_arn; derived(source_arn) => derive_source_arn
}

impl Discoverer {
    fn derive_source_arn(&mut self, scope: &Scope) {
        let id = self.discoverer_id.as_deref().unwrap_or_default();
        let bus = id.strip_prefix(ID_PREFIX).unwrap_or_default();
        self.source_arn = Some(scope.arn("events", &["event-bus/", bus]).into());
    }
}

/// Returns a discoverer, or an error if it does not exist.
pub(super) fn require(cx: &Tx<'_>, id: &str) -> Result<Discoverer> {
    Discoverer::find_by(cx, &[id])?.ok_or_else(|| Discoverer::not_found(id))
}

/// True if there is a discoverer.
pub(super) fn has_discoverers(cx: &Tx<'_>) -> Result<bool> {
    let all = Discoverer::table(cx.scope()).prefix_range();
    Ok(cx.first::<Discoverer>(&all, Direction::Ascending)?.is_some())
}

/// Returns the ID of the discoverer for the event bus with the ARN `source`. An event bus has at most one discoverer.
fn discoverer_id_for(scope: &Scope, source: &str) -> Result<Text> {
    let parts = Arn::parts(source);
    let bus = parts.and_then(|[_, service, _, _, resource]| {
        resource.strip_prefix("event-bus/").filter(|bus| service == "events" && !bus.is_empty())
    });
    let (Some([partition, _, region, account, _]), Some(bus)) = (parts, bus) else {
        let form = "arn:aws:events:<region>:<account>:event-bus/<name>";
        let refused = errors::event_bus_arn_invalid(source).with_field("SourceArn");
        return Err(refused.with_hint(format!("expected {form}")));
    };
    if region != scope.region() || partition != partition_of(region) {
        let refused = errors::event_bus_of_other_region(source).with_field("SourceArn");
        return Err(refused.with_hint(format!("expected Region {}", scope.region())));
    }
    if account != scope.account() {
        let refused = errors::event_bus_of_other_account(source).with_field("SourceArn");
        return Err(refused.with_hint(format!("expected account {}", scope.account())));
    }
    Ok([ID_PREFIX, bus].concat().into())
}

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
    of = Discoverer, call = "get", optional, also(DiscovererPath),
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
    of = Discoverer, call = "list", page(discoverers, next_token), also(Pagination),
    pushes(discoverer_id_prefix = "DiscovererId", source_arn_prefix = "SourceArn"), effect = read,
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
    of = Discoverer, call = "update", changes, also(DiscovererPath), takes(changeable), leaves(tags),
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
    of = Discoverer, call = "delete", instance,
    also(DiscovererPath),
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
    of = Discoverer, call = "start", instance, also(DiscovererPath),
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
    of = Discoverer, call = "stop", instance, also(DiscovererPath),
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
