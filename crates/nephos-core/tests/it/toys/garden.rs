//! The nested toy: beds with plants, and a read-only weather report.

use super::{Rows, shelf};
use nephos_core::{
    Answer, Blob, Choice, Error, Extra, Listing, ManagerOperation, Map, Operation, Page, PageRequest, Record,
    Request, Resource, Result, Secret, Slot, Text, Timestamp, Value, WorkflowContext, operation,
    record::Fields,
    shape::{Protocol, ServiceShape},
};
use std::any::Any;

nephos_core::codes! {
    /// There is no such bed.
    NOT_FOUND = "BedNotFound", 400, NotFound;
    /// A parameter is wrong.
    INVALID = "ValidationError", 400, Invalid;
}

pub static SERVICE: ServiceShape = ServiceShape {
    name: "garden",
    docs: "Beds with plants.",
    api_version: "2026-01-02",
    protocol: Protocol::AwsQuery { namespace: "http://garden.example/2026-01-02/" },
    endpoint: "garden",
    signing: "garden",
    global: true,
    kinds: &[Bed::KIND, Weather::KIND],
    operations: &[CreateBed::OPERATION, DescribeBeds::OPERATION],
    codes: ALL,
    invalid: &INVALID,
};

/// How much sun there is.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum Light {
    /// All day.
    #[choice("FULL_SUN")]
    FullSun,
    /// Never.
    #[choice("PROVIDER_SHADE", wire = "AWS_SHADE")]
    ProviderShade,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A plant.
#[derive(Record)]
#[record(hot, check = plant_rules)]
pub struct Plant {
    /// What it is.
    #[field(required, length(1..=12))]
    species: Option<Text>,
    /// How many there are.
    #[field(range(1..=99), default = 1)]
    count: Option<i64>,
    /// What it needs.
    light: Option<Light>,
    /// When it was planted.
    planted: Option<Timestamp>,
}

fn plant_rules(plant: &Plant) -> Result<()> {
    if plant.species.as_deref() == Some("oak") && plant.count > Some(1) {
        return Err(Error::invalid("Count", "one oak is enough"));
    }
    Ok(())
}

/// A fence, of whatever else it is made of.
#[derive(Record)]
#[record(extras, hot)]
pub struct Fence {
    /// How high it is.
    height: Option<f64>,
    extra: Extra,
}

/// Who planted it.
#[derive(Record)]
#[record(hot)]
pub struct Owner {
    /// Their resource name.
    #[field(name = "OwnerARN")]
    owner_arn: Option<Text>,
}

/// A bed.
#[derive(Resource)]
#[resource(
    service = SERVICE, hot, arn = "Owner.OwnerARN", pk("Name", "Owner"), saved_when = "BedId", tags = "Tags",
    calls(Plow, Find, Beds, Survey, Move), create = Plow, get = Find,
    relation(books, many = shelf::Book, with = books_about), relation(owner_bed, one = Bed, with = bed_of_owner),
    settle = count_plants
)]
pub struct Bed {
    /// The service's number.
    #[field(service_set)]
    bed_id: Option<Text>,
    /// What it is called.
    #[field(required)]
    name: Option<Text>,
    /// What grows in it.
    #[field(item = "Plant", length(..=5))]
    plants: Option<Vec<Plant>>,
    /// The sun on it.
    #[field(default = "FULL_SUN")]
    light: Option<Light>,
    /// What stands around it.
    fence: Option<Fence>,
    /// Whose it is.
    owner: Option<Owner>,
    /// Sizes by direction.
    sizes: Option<Map<f64>>,
    /// Plants by corner.
    corners: Option<Map<Plant>>,
    /// Labels by plant.
    labels: Option<Map<Vec<Text>>>,
    /// What opens the gate.
    gate_code: Option<Secret>,
    /// A picture.
    picture: Option<Blob>,
    /// Anything.
    anything: Option<Value>,
    /// How many plants there are.
    #[field(service_set)]
    plant_count: Option<i64>,
    /// Tags.
    tags: Option<Map<Text>>,
    slot: Slot,
}

fn count_plants(bed: &mut Bed) {
    if let Some(plants) = &bed.plants {
        bed.plant_count = Some(plants.iter().filter_map(|plant| plant.count).sum());
    }
}

async fn books_about(bed: &Bed) -> Result<Vec<shelf::Book>> {
    let session = bed.require_session()?;
    let prefix = bed.name.clone().unwrap_or_default();
    shelf::Book::objects(session).list().prefix(prefix).results().await
}

async fn bed_of_owner(bed: &Bed) -> Result<Option<Bed>> {
    let Some(owner) = bed.owner.as_ref().and_then(|owner| owner.owner_arn()) else { return Ok(None) };
    Bed::objects(bed.require_session()?).get(owner).await
}

/// What the sky did, read-only.
#[derive(Resource)]
#[resource(service = SERVICE, frozen, extras, name = "Station", pk = "Station")]
pub struct Weather {
    /// Where.
    station: Option<Text>,
    /// How warm.
    degrees: Option<f64>,
    slot: Slot,
}

/// Nothing.
#[derive(Record)]
pub struct Empty {}

/// Makes a bed.
#[operation(service = SERVICE, effect = write, output = BedAnswer, http("POST", "/beds/{Name}", 201))]
pub struct CreateBed {
    /// What it is called.
    #[field(in_path)]
    pub name: Text,
    /// The bed.
    pub bed: Bed,
    /// So that it is made once.
    #[field(token, in_query)]
    pub client_token: Option<Text>,
}

/// One bed.
#[derive(Record)]
pub struct BedAnswer {
    /// The bed.
    bed: Option<Bed>,
}

/// Beds.
#[operation(service = SERVICE, effect = read, output = BedsAnswer)]
pub struct DescribeBeds {
    /// Only these.
    pub names: Option<Vec<Text>>,
}

/// Beds.
#[derive(Record)]
pub struct BedsAnswer {
    /// The beds.
    beds: Option<Vec<Bed>>,
}

/// Makes a bed.
#[operation(kind = Bed, call = "create", effect = write, output = Vec<Bed>)]
pub struct Plow {
    /// The bed.
    #[field(model)]
    pub model: Bed,
}

/// A bed, if it is there.
#[operation(kind = Bed, call = "get", effect = read, output = Option<Bed>)]
pub struct Find {
    /// What it is called.
    pub name: Text,
}

/// The beds.
#[operation(kind = Bed, call = "list", effect = read, output = Page<Bed>, pages)]
pub struct Beds {}

/// All beds at once, in the service's own record.
#[operation(kind = Bed, call = "survey", effect = read, output = BedsAnswer)]
pub struct Survey {}

/// Moves a bed.
#[operation(kind = Bed, call = "relocate", effect = write, output = Bed, instance)]
pub struct Move {
    /// The service's number of the bed.
    #[field(from = "BedId")]
    pub id: Text,
    /// How far.
    pub metres: Option<i64>,
}

impl ManagerOperation for Plow {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Bed>> {
        let name = self.model.name.clone().unwrap_or_default();
        let made = context.call(CreateBed::new(name, self.model.clone())).await?;
        Ok(made.bed.into_iter().collect())
    }
}

impl ManagerOperation for Find {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Bed>> {
        let found = context.call(DescribeBeds::new().names([self.name.clone()])).await?;
        Ok(found.beds.and_then(|beds| beds.into_iter().next()))
    }
}

impl Listing for Beds {
    type Model = Bed;

    async fn page(&self, context: &WorkflowContext, _request: &PageRequest) -> Result<Page<Bed>> {
        let found = context.call(DescribeBeds::new()).await?;
        Ok(Page::only(found.beds.unwrap_or_default()))
    }
}

impl ManagerOperation for Survey {
    async fn run(&self, context: &WorkflowContext) -> Result<BedsAnswer> {
        context.call(DescribeBeds::new()).await
    }
}

impl ManagerOperation for Move {
    async fn run(&self, context: &WorkflowContext) -> Result<Bed> {
        let found = context.call(DescribeBeds::new()).await?;
        let mut beds = found.beds.unwrap_or_default().into_iter();
        beds.find(|bed| bed.bed_id.as_ref() == Some(&self.id))
            .ok_or_else(|| NOT_FOUND.with_message("no such bed"))
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
    let describe = params.downcast::<DescribeBeds>().expect("there are two operations");
    let wanted = |bed: &&Bed| match &describe.names {
        Some(names) => names.iter().any(|name| Some(name) == bed.name.as_ref()),
        None => true,
    };
    Ok(Box::new(BedsAnswer { beds: Some(rows.beds.values().filter(wanted).cloned().collect()) }))
}
