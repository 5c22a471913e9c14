//! Discoverers, which infer schemas from the events of an event bus.
//!
//! A started discoverer has a rule on its event bus, which sends it the events. The registry of discovered schemas exists as soon
//! as there is a discoverer.

use super::errors;
use nephos_cloud::{Addressed, Direction, Scope, Stored, Tx};
use nephos_core::{Arn, Map, Resource, Result, Slot, Text, choices, partition_of};

pub(crate) mod discovery;
pub(crate) mod inference;
mod operations;
pub(crate) mod widen;

pub(crate) use discovery::put;
pub use discovery::*;
pub use inference::*;
pub use operations::*;

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
    arn("DiscovererArn", "discoverer/{DiscovererId}"), pk = "DiscovererId", exists_if = "DiscovererId", tags = "Tags",
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
    #[field(not_in_list, length(..=256), clear = "")]
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
