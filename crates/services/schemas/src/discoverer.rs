//! Discoverers: what learns schemas from the events of an event bus.
//!
//! They have their states and settings; no event is looked at, because event buses do not tell of events yet.

use super::{Empty, SERVICE, errors, paging, tagging};
use nephos_cloud::{Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{
    Arn, Choice, Error, Map, Record, Resource, Result, Slot, Text, datum::DatumType, operation, partition_of,
};

mod calls;

pub use calls::{Create, Delete, Get, List, Start, Stop, Update};

/// Whether a discoverer learns.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum DiscovererState {
    /// It does.
    #[choice("STARTED")]
    Started,
    /// It does not.
    #[choice("STOPPED")]
    Stopped,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A discoverer: it learns schemas from the events of an event bus.
#[derive(Resource)]
#[resource(
    service = SERVICE, arn = "DiscovererArn", pk = "DiscovererId", mark = "DiscovererId", tags = "Tags",
    calls(
        Create, Get, List, Update, Delete, Start, Stop,
        tagging::of_discoverer::Tag, tagging::of_discoverer::Untag, tagging::of_discoverer::ListTags
    ),
    create = Create, update = Update, delete = Delete, get = Get,
)]
pub struct Discoverer {
    /// Resource name.
    #[field(service_set)]
    pub(super) discoverer_arn: Option<Text>,
    /// What it is known by; the service issues it.
    #[field(service_set)]
    pub(super) discoverer_id: Option<Text>,
    /// Resource name of the event bus.
    #[field(fixed, length(20..=1600))]
    source_arn: Option<Text>,
    /// Whether it learns.
    #[field(service_set)]
    state: Option<DiscovererState>,
    /// Whether it learns from events that come from other accounts, too; it does if not said.
    cross_account: Option<bool>,
    /// Tags.
    #[field(wire = "tags")]
    pub(super) tags: Option<Map<Text>>,
    /// What it is for. A listing does not tell it; `get` does.
    #[field(length(..=256))]
    description: Option<Text>,
    slot: Slot,
}

/// What the id of every discoverer begins with; the event bus's name follows.
const ID_PREFIX: &str = "events-event-bus-";

impl Stored for Discoverer {
    const TABLE: &'static str = "schemas/discoverer";

    fn identify(&self, key: Key) -> Key {
        key.text(self.discoverer_id.as_deref().unwrap_or_default())
    }

    fn shed(&mut self) {
        (self.discoverer_id, self.discoverer_arn, self.source_arn) = (None, None, None);
    }

    fn restore(&mut self, scope: &Scope, mut identity: Parts<'_>) {
        let id = identity.text().unwrap_or_default();
        let bus = id.strip_prefix(ID_PREFIX).unwrap_or_default();
        self.source_arn = Some(scope.arn("events", &["event-bus/", bus]).into());
        self.discoverer_arn = Some(arn_of(scope, &id).into());
        self.discoverer_id = Some(id);
    }
}

/// The resource name of the discoverer with that id.
pub(super) fn arn_of(scope: &Scope, id: &str) -> Arn {
    scope.arn("schemas", &["discoverer/", id])
}

/// The discoverer with that id, which must exist.
pub(super) fn require(cx: &Tx<'_>, id: &str) -> Result<Discoverer> {
    let found = cx.get(&Discoverer::table(cx.scope()).text(id))?;
    found.ok_or_else(|| errors::NOT_FOUND.because(format!("there is no discoverer {id}")))
}

/// The id of the discoverer for the event bus that `source` names: there is one for each.
fn id_for(scope: &Scope, source: &str) -> Result<Text> {
    let wrong = |why: &str| -> Error { errors::INVALID.because(why).with_field("SourceArn") };
    let parts = Arn::parts(source);
    let bus = parts.and_then(|[_, service, _, _, resource]| {
        resource.strip_prefix("event-bus/").filter(|bus| service == "events" && !bus.is_empty())
    });
    let (Some([partition, _, region, account, _]), Some(bus)) = (parts, bus) else {
        let why = "is not the resource name of an event bus (arn:aws:events:region:account:event-bus/name)";
        return Err(wrong(why));
    };
    if region != scope.region() || partition != partition_of(region) {
        return Err(wrong("is an event bus of another Region"));
    }
    if account != scope.account() {
        return Err(wrong("is an event bus of another account"));
    }
    Ok([ID_PREFIX, bus].concat().into())
}

/// Creates a discoverer, which learns from then on.
#[operation(service = SERVICE, effect = write, output = Discoverer, http("POST", "/v1/discoverers", 201), subject = "discoverer/*")]
pub struct CreateDiscoverer {
    /// What it is for.
    #[field(length(..=256))]
    pub description: Option<Text>,
    /// Resource name of the event bus.
    #[field(length(20..=1600))]
    pub source_arn: Text,
    /// Whether it learns from events that come from other accounts, too; it does if not said.
    pub cross_account: Option<bool>,
    /// Its tags.
    #[field(wire = "tags")]
    pub tags: Option<Map<Text>>,
}

impl Handler for CreateDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Discoverer> {
        let id = id_for(cx.scope(), &self.source_arn)?;
        let tags = self.tags.filter(|tags| !tags.is_empty());
        tags.as_ref().map_or(Ok(()), tagging::check)?;
        let mut discoverer = Discoverer::blank();
        discoverer.discoverer_arn = Some(arn_of(cx.scope(), &id).into());
        discoverer.discoverer_id = Some(id);
        if cx.exists(&discoverer.key(cx.scope()))? {
            let why = format!("there is a discoverer for {} already", self.source_arn);
            return Err(errors::EXISTS.because(why));
        }
        discoverer.source_arn = Some(self.source_arn);
        discoverer.state = Some(DiscovererState::Started);
        discoverer.cross_account = Some(self.cross_account.unwrap_or(true));
        discoverer.description = self.description;
        discoverer.tags = tags;
        cx.put(discoverer.clone())?;
        Ok(discoverer)
    }
}

/// Describes a discoverer.
#[operation(
    service = SERVICE, effect = read, output = Discoverer, http("GET", "/v1/discoverers/id/{discovererId}", 200), subject = "discoverer/{DiscovererId}")]
pub struct DescribeDiscoverer {
    /// Its id.
    #[field(wire = "discovererId", in_path)]
    pub discoverer_id: Text,
}

impl Handler for DescribeDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Discoverer> {
        require(cx, &self.discoverer_id)
    }
}

/// Lists discoverers, in ASCII order of their ids.
#[operation(service = SERVICE, effect = read, output = Discoverers, http("GET", "/v1/discoverers", 200), subject = "discoverer/*")]
pub struct ListDiscoverers {
    /// Only those whose ids begin so.
    #[field(wire = "discovererIdPrefix", in_query)]
    pub discoverer_id_prefix: Option<Text>,
    /// How many at most; 100 if not said.
    #[field(page_size, wire = "limit", in_query, range(1..))]
    pub limit: Option<i64>,
    /// Where the page before ended.
    #[field(page_token, wire = "nextToken", in_query)]
    pub next_token: Option<Text>,
    /// Only those of event buses whose resource names begin so.
    #[field(wire = "sourceArnPrefix", in_query)]
    pub source_arn_prefix: Option<Text>,
}

/// A page of discoverers.
#[derive(Record)]
#[record(name = "ListDiscoverersResponse")]
pub struct Discoverers {
    /// The discoverers.
    discoverers: Option<Vec<Discoverer>>,
    /// Where this page ends.
    next_token: Option<Text>,
}

impl Handler for ListDiscoverers {
    fn run(self, cx: &mut Tx<'_>) -> Result<Discoverers> {
        let table = Discoverer::table(cx.scope());
        let within = table.clone().text_prefix(self.discoverer_id_prefix.as_deref().unwrap_or_default());
        let wanted = paging::wanted(&within, self.next_token.as_deref(), self.limit);
        let prefix = self.source_arn_prefix.as_deref().unwrap_or_default();
        let of_source =
            |found: &Discoverer| found.source_arn.as_deref().unwrap_or_default().starts_with(prefix);
        let id = |found: &Discoverer| found.discoverer_id.clone().unwrap_or_default();
        let (discoverers, next_token) = cx.page(
            &self,
            wanted,
            |id| table.clone().text(id),
            id,
            |mut found: Discoverer| {
                found.description = None;
                Ok(Some(found).filter(of_source))
            },
        )?;
        Ok(Discoverers { discoverers: Some(discoverers), next_token })
    }
}

/// Changes a discoverer.
#[operation(
    service = SERVICE, effect = write, output = Discoverer, http("PUT", "/v1/discoverers/id/{discovererId}", 200), subject = "discoverer/{DiscovererId}")]
pub struct UpdateDiscoverer {
    /// What it is for; left as it is if not said.
    #[field(length(..=256))]
    pub description: Option<Text>,
    /// Its id.
    #[field(wire = "discovererId", in_path)]
    pub discoverer_id: Text,
    /// Whether it learns from events that come from other accounts, too; left as it is if not said.
    pub cross_account: Option<bool>,
}

impl Handler for UpdateDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Discoverer> {
        let mut discoverer = require(cx, &self.discoverer_id)?;
        discoverer.description = self.description.or(discoverer.description);
        discoverer.cross_account = self.cross_account.or(discoverer.cross_account);
        cx.put(discoverer.clone())?;
        Ok(discoverer)
    }
}

/// Deletes a discoverer. What it learnt stays.
#[operation(
    service = SERVICE, effect = write, output = Empty, http("DELETE", "/v1/discoverers/id/{discovererId}", 204), subject = "discoverer/{DiscovererId}")]
pub struct DeleteDiscoverer {
    /// Its id.
    #[field(wire = "discovererId", in_path)]
    pub discoverer_id: Text,
}

impl Handler for DeleteDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let discoverer = require(cx, &self.discoverer_id)?;
        cx.remove(&discoverer)?;
        Ok(Empty {})
    }
}

/// The state of a discoverer.
#[derive(Record)]
#[record(name = "DiscovererStateOutput")]
pub struct DiscovererStateOutput {
    /// Its id.
    discoverer_id: Option<Text>,
    /// Whether it learns.
    state: Option<DiscovererState>,
}

/// Lets a discoverer learn. One that does already goes on.
#[operation(
    service = SERVICE, effect = write, output = DiscovererStateOutput,
    http("POST", "/v1/discoverers/id/{discovererId}/start", 200), subject = "discoverer/{DiscovererId}")]
pub struct StartDiscoverer {
    /// Its id.
    #[field(wire = "discovererId", in_path)]
    pub discoverer_id: Text,
}

impl Handler for StartDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<DiscovererStateOutput> {
        set_state(cx, &self.discoverer_id, DiscovererState::Started)
    }
}

/// Lets a discoverer rest. One that does already goes on resting.
#[operation(
    service = SERVICE, effect = write, output = DiscovererStateOutput,
    http("POST", "/v1/discoverers/id/{discovererId}/stop", 200), subject = "discoverer/{DiscovererId}")]
pub struct StopDiscoverer {
    /// Its id.
    #[field(wire = "discovererId", in_path)]
    pub discoverer_id: Text,
}

impl Handler for StopDiscoverer {
    fn run(self, cx: &mut Tx<'_>) -> Result<DiscovererStateOutput> {
        set_state(cx, &self.discoverer_id, DiscovererState::Stopped)
    }
}

fn set_state(cx: &mut Tx<'_>, id: &str, state: DiscovererState) -> Result<DiscovererStateOutput> {
    let mut discoverer = require(cx, id)?;
    discoverer.state = Some(state.clone());
    let told = DiscovererStateOutput { discoverer_id: discoverer.discoverer_id.clone(), state: Some(state) };
    cx.put(discoverer)?;
    Ok(told)
}
