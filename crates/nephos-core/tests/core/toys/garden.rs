//! The nested toy service: garden beds with plants, and a read-only weather report.

use super::{Rows, shelf};
use nephos_core::{
    Answer, Blob, Choice, Error, Extra, Listing, ManagerOperation, Map, Operation, Page, PageRequest, Record,
    Request, Resource, Result, Secret, Slot, Text, Timestamp, Value, WorkflowContext, operation,
    record::Fields,
    shape::{Protocol, ServiceShape},
};
use std::any::Any;

nephos_core::codes! {
    /// The bed does not exist.
    NOT_FOUND = "BedNotFound", 400, NotFound;
    /// A parameter is invalid.
    INVALID = "ValidationError", 400, Invalid;
}

pub static SERVICE: ServiceShape = SHAPE;

pub const SHAPE: ServiceShape = ServiceShape {
    docs: "BedList with plants.",
    api_version: "2026-01-02",
    protocol: Protocol::AwsQuery { namespace: "http://garden.example/2026-01-02/" },
    global: true,
    kinds: &[Bed::KIND, Weather::KIND],
    operations: &[CreateBed::OPERATION, DescribeBeds::OPERATION],
    calls: &[BedCreate::CALLS, BedGet::CALLS, BedList::CALLS, BedSurvey::CALLS, BedMove::CALLS],
    codes: ALL,
    invalid: &INVALID,
    invalid_token: || INVALID.with_message("The token is invalid."),
    ..ServiceShape::named("garden")
};

/// Amount of sun.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum Light {
    /// Sun all day.
    #[choice("FULL_SUN")]
    FullSun,
    /// No sun.
    #[choice("PROVIDER_SHADE", wire = "AWS_SHADE")]
    ProviderShade,
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// Plants of one species in a bed.
#[derive(Record)]
#[record(hot, check = check_oaks)]
pub struct Plant {
    /// Species of the plant.
    #[field(required, length(1..=12))]
    species: Option<Text>,
    /// Number of plants.
    #[field(range(1..=99), default = 1)]
    count: Option<i64>,
    /// Light that the plant needs.
    light: Option<Light>,
    /// Time at which it was planted.
    planted: Option<Timestamp>,
}

fn check_oaks(plant: &Plant) -> Result<()> {
    if plant.species.as_deref() == Some("oak") && plant.count > Some(1) {
        return Err(Error::invalid("Count", "only one oak is allowed"));
    }
    Ok(())
}

/// A fence. It keeps unknown fields.
#[derive(Record)]
#[record(extras, hot)]
pub struct Fence {
    /// Height in metres.
    height: Option<f64>,
    extra: Extra,
}

/// Owner of a bed.
#[derive(Record)]
#[record(hot)]
pub struct Owner {
    /// ARN of the owner. The tests use the name of the owner's bed.
    #[field(name = "OwnerARN")]
    owner_arn: Option<Text>,
}

/// A garden bed.
#[derive(Resource)]
#[resource(
    service = SERVICE, hot, arn = "Owner.OwnerARN", pk("Name", "Owner"), exists_if = "BedId", tags = "Tags",
    no_delete,
    relation(books, many = shelf::Book, with = find_books), relation(owner_bed, one = Bed, with = find_owner_bed),
    derive_fields = count_plants
)]
pub struct Bed {
    /// ID of the bed, assigned by the service.
    #[field(service_set)]
    bed_id: Option<Text>,
    /// Name of the bed.
    #[field(required)]
    name: Option<Text>,
    /// Plants in the bed.
    #[field(item = "Plant", length(..=5))]
    plants: Option<Vec<Plant>>,
    /// Light on the bed.
    #[field(default = "FULL_SUN")]
    light: Option<Light>,
    /// Fence around the bed.
    fence: Option<Fence>,
    /// Owner of the bed.
    owner: Option<Owner>,
    /// Sizes by direction.
    sizes: Option<Map<f64>>,
    /// Plants by corner.
    corners: Option<Map<Plant>>,
    /// Labels by plant.
    labels: Option<Map<Vec<Text>>>,
    /// Code of the gate.
    gate_code: Option<Secret>,
    /// Picture of the bed.
    picture: Option<Blob>,
    /// A value of any type.
    anything: Option<Value>,
    /// Number of all plants, computed from `plants`.
    #[field(service_set)]
    plant_count: Option<i64>,
    /// Tags of the bed.
    tags: Option<Map<Text>>,
    slot: Slot,
}

fn count_plants(bed: &mut Bed) {
    if let Some(plants) = &bed.plants {
        bed.plant_count = Some(plants.iter().filter_map(|plant| plant.count).sum());
    }
}

async fn find_books(bed: &Bed) -> Result<Vec<shelf::Book>> {
    let session = bed.require_session()?;
    let prefix = bed.name.clone().unwrap_or_default();
    shelf::Book::objects(session).list().prefix(prefix).results().await
}

async fn find_owner_bed(bed: &Bed) -> Result<Option<Bed>> {
    let Some(owner) = bed.owner.as_ref().and_then(|owner| owner.owner_arn()) else { return Ok(None) };
    Bed::objects(bed.require_session()?).get(owner).await
}

/// A weather report. It is read-only and keeps unknown fields.
#[derive(Resource)]
#[resource(service = SERVICE, frozen, extras, name = "Station", pk = "Station")]
pub struct Weather {
    /// Name of the station.
    station: Option<Text>,
    /// Temperature in degrees.
    degrees: Option<f64>,
    slot: Slot,
}

/// An empty answer.
#[derive(Record)]
pub struct Empty {}

/// Creates a bed.
#[operation(service = SERVICE, effect = write, output = BedAnswer, http("POST", "/beds/{Name}", 201))]
pub struct CreateBed {
    /// Name of the bed.
    #[field(in_path)]
    pub name: Text,
    /// Bed to create.
    pub bed: Bed,
    /// Idempotency token.
    #[field(idempotency_token, in_query)]
    pub client_token: Option<Text>,
}

/// Answer of `CreateBed`.
#[derive(Record)]
pub struct BedAnswer {
    /// The created bed.
    bed: Option<Bed>,
}

/// Describes beds.
#[operation(service = SERVICE, effect = read, output = BedsAnswer)]
pub struct DescribeBeds {
    /// Names of the beds to describe; all if not given.
    pub names: Option<Vec<Text>>,
}

/// Answer of `DescribeBeds`.
#[derive(Record)]
pub struct BedsAnswer {
    /// Beds that were found.
    beds: Option<Vec<Bed>>,
}

/// Creates a bed. The answer is a list with one bed.
#[operation(kind = Bed, call = "create", effect = write, output = Vec<Bed>)]
pub struct BedCreate {
    /// Bed to create.
    #[field(model)]
    pub model: Bed,
}

/// Gets a bed; none if it does not exist.
#[operation(kind = Bed, call = "get", effect = read, output = Option<Bed>)]
pub struct BedGet {
    /// Name of the bed.
    pub name: Text,
}

/// Lists the beds.
#[operation(kind = Bed, call = "list", effect = read, output = Page<Bed>, pages)]
pub struct BedList {}

/// Describes all beds, with the service's own record as the answer.
#[operation(kind = Bed, call = "survey", effect = read, output = BedsAnswer)]
pub struct BedSurvey {}

/// Moves a bed.
#[operation(kind = Bed, call = "relocate", effect = write, output = Bed, on_model)]
pub struct BedMove {
    /// ID of the bed.
    #[field(from_field = "BedId")]
    pub id: Text,
    /// Distance in metres.
    pub metres: Option<i64>,
}

impl ManagerOperation for BedCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Bed>> {
        let name = self.model.name.clone().unwrap_or_default();
        let made = context.call(CreateBed::new(name, self.model.clone())).await?;
        Ok(made.bed.into_iter().collect())
    }
}

impl ManagerOperation for BedGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Bed>> {
        let found = context.call(DescribeBeds::new().names([self.name.clone()])).await?;
        Ok(found.beds.and_then(|beds| beds.into_iter().next()))
    }
}

impl Listing for BedList {
    type Model = Bed;

    async fn page(&self, context: &WorkflowContext, _request: &PageRequest) -> Result<Page<Bed>> {
        let found = context.call(DescribeBeds::new()).await?;
        Ok(Page::only(found.beds.unwrap_or_default()))
    }
}

impl ManagerOperation for BedSurvey {
    async fn run(&self, context: &WorkflowContext) -> Result<BedsAnswer> {
        context.call(DescribeBeds::new()).await
    }
}

impl ManagerOperation for BedMove {
    async fn run(&self, context: &WorkflowContext) -> Result<Bed> {
        let found = context.call(DescribeBeds::new()).await?;
        let mut beds = found.beds.unwrap_or_default().into_iter();
        beds.find(|bed| bed.bed_id.as_ref() == Some(&self.id))
            .ok_or_else(|| NOT_FOUND.with_message(format!("bed {} does not exist", self.id)))
    }
}

pub fn answer(rows: &mut Rows, request: Request) -> Answer {
    let params: Box<dyn Any> = request.params;
    let params = match params.downcast::<CreateBed>() {
        Ok(create) => {
            let mut bed = create.bed;
            rows.next_id += 1;
            bed.bed_id = Some(format!("bed-{}", rows.next_id).into());
            rows.beds.insert(create.name.to_string(), bed.clone());
            return Ok(Box::new(BedAnswer { bed: Some(bed) }) as Box<dyn Fields>);
        }
        Err(params) => params,
    };
    let describe = params.downcast::<DescribeBeds>().expect("the service has two operations");
    let wanted = |bed: &&Bed| match &describe.names {
        Some(names) => names.iter().any(|name| Some(name) == bed.name.as_ref()),
        None => true,
    };
    Ok(Box::new(BedsAnswer { beds: Some(rows.beds.values().filter(wanted).cloned().collect()) }))
}
