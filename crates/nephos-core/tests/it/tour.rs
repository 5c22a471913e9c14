//! Every word of every derive, put to use: the program that compiles, where `compile_fail` has those that do not.

#![allow(dead_code, reason = "most of it is there to be described")]

use nephos_core::{
    Blob, Choice, Extra, Listing, ManagerOperation, Map, Operation, Page, PageRequest, Record, Resource,
    Result, Secret, Slot, Tag, Text, TimeForm, Timestamp, Value, WorkflowContext, operation,
    shape::{Http, Location, Presence, Protocol, ServiceShape},
};

nephos_core::codes! {
    /// A parameter is wrong.
    INVALID = "InvalidShip", 400, Invalid;
}

static SERVICE: ServiceShape = ServiceShape {
    name: "harbour",
    docs: "Ships.",
    api_version: "2026-01-01",
    protocol: Protocol::RestJson,
    endpoint: "harbour",
    signing: "harbour",
    global: false,
    kinds: &[Ship::KIND, Tide::KIND],
    operations: &[RegisterShip::OPERATION],
    codes: ALL,
    invalid: &INVALID,
};

/// The wire's spellings of engines.
static ENGINES: &[(&str, &str)] = &[("steam", "AWS_STEAM")];

/// What moves a ship.
#[derive(Choice, Clone, Debug, PartialEq)]
#[choice(name = "Propulsion")]
enum Drive {
    /// Wind.
    Sail,
    /// An engine.
    #[choice("ENGINE", wire = "AWS_ENGINE")]
    Engine,
    /// Anything else.
    #[choice(unknown)]
    Unknown(Text),
}

/// A sail.
#[derive(Record)]
#[record(name = "SailRecord", case = "camel", extras, check = sound, settle = furl)]
struct Sail {
    /// Its area.
    #[field(range(0..), default = 0.5)]
    area: Option<f64>,
    /// Whether it is set.
    is_set: Option<bool>,
    extra: Extra,
}

fn sound(_sail: &Sail) -> Result<()> {
    Ok(())
}

fn furl(sail: &mut Sail) {
    sail.is_set.get_or_insert(false);
}

/// A ship.
#[derive(Resource)]
#[resource(
    service = SERVICE, case = "pascal", arn = "ShipArn", name = "Name", pk("Name", "Port"), saved_when = "ShipArn", tags = "Tags",
    calls(Create, Get, List, Update, Delete), create = Create, update = Update, get = Get, delete = Delete,
    relation(sisters, many = Ship, with = sisters), relation(tide, one = Tide, with = tide), check = afloat
)]
struct Ship {
    /// Resource name.
    #[field(service_set, wire = "arn", alias = "Arn")]
    ship_arn: Option<Text>,
    /// What it is called.
    #[field(required, length(1..=10), pattern = "[A-Z][a-z]+")]
    name: Option<Text>,
    /// Where it is at home.
    #[field(default = "Piraeus")]
    port: Option<Text>,
    /// Its engine.
    #[field(spellings = ENGINES, one_of("steam", "diesel"))]
    engine: Option<Text>,
    /// What moves it.
    #[field(name = "type", default = "Sail")]
    r#type: Option<Drive>,
    /// When it was built.
    #[field(time = "epoch_seconds")]
    built: Option<Timestamp>,
    /// When it was last seen.
    #[field(time = "epoch_millis")]
    seen: Option<Timestamp>,
    /// When it was painted.
    #[field(time = "iso8601")]
    painted: Option<Timestamp>,
    /// When it sank.
    #[field(time = "http", in_header)]
    sank: Option<Timestamp>,
    /// Its sails.
    #[field(item = "Sail", flat, length(..=3), default = [])]
    sails: Option<Vec<Sail>>,
    /// Its crew by rank.
    #[field(default = {}, each(range(1..=99)))]
    crew: Option<Map<i64>>,
    /// Its flag.
    flag: Option<Blob>,
    /// Its code.
    code: Option<Secret>,
    /// Its log.
    #[field(sensitive)]
    log: Option<Text>,
    /// Anything.
    cargo: Option<Value>,
    /// Tags.
    #[field(not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

fn afloat(_ship: &Ship) -> Result<()> {
    Ok(())
}

async fn sisters(_ship: &Ship) -> Result<Vec<Ship>> {
    Ok(Vec::new())
}

async fn tide(_ship: &Ship) -> Result<Option<Tide>> {
    Ok(None)
}

/// The tide, read-only.
#[derive(Resource)]
#[resource(service = SERVICE, frozen, extras)]
struct Tide {
    /// How high.
    metres: Option<f64>,
    slot: Slot,
}

/// Registers a ship.
#[operation(service = SERVICE, case = "camel", effect = write, output = Registered, http("PUT", "/ships/{name}", 201))]
struct RegisterShip {
    /// What it is called.
    #[field(in_path)]
    name: Text,
    /// Whether only to try.
    #[field(in_query, wire = "dry-run")]
    dry_run: Option<bool>,
    /// So that it is registered once.
    #[field(token)]
    client_token: Option<Text>,
}

/// A registered ship.
#[derive(Record)]
struct Registered {
    /// The ship.
    ship: Option<Ship>,
}

/// Builds a ship.
#[operation(kind = Ship, call = "create", effect = write, output = Ship)]
struct Create {
    /// The ship.
    #[field(model)]
    model: Ship,
}

/// Changes a ship.
#[operation(kind = Ship, call = "update", effect = write, output = Ship)]
struct Update {
    /// The ship.
    #[field(model)]
    model: Ship,
    /// Why.
    reason: Option<Text>,
}

/// A ship, if it is there.
#[operation(kind = Ship, call = "get", effect = read, output = Option<Ship>)]
struct Get {
    /// What it is called.
    name: Text,
}

/// Scraps a ship.
#[operation(kind = Ship, call = "delete", effect = write, output = (), instance)]
struct Delete {
    /// Which.
    #[field(from = "ShipArn")]
    id: Text,
}

/// The ships.
#[operation(kind = Ship, call = "list", effect = read, output = Page<Ship>, pages)]
struct List {}

impl ManagerOperation for Create {
    async fn run(&self, context: &WorkflowContext) -> Result<Ship> {
        let registered = context
            .call(RegisterShip::new(self.model.name.clone().unwrap_or_default()).dry_run(false))
            .await?;
        registered.ship.ok_or_else(|| INVALID.with_message("it did not float"))
    }
}

impl ManagerOperation for Update {
    async fn run(&self, _steps: &WorkflowContext) -> Result<Ship> {
        Ok(self.model.clone())
    }
}

impl ManagerOperation for Get {
    async fn run(&self, _steps: &WorkflowContext) -> Result<Option<Ship>> {
        Ok(None)
    }
}

impl ManagerOperation for Delete {
    async fn run(&self, _steps: &WorkflowContext) -> Result<()> {
        Ok(())
    }
}

impl Listing for List {
    type Model = Ship;

    async fn page(&self, _steps: &WorkflowContext, _request: &PageRequest) -> Result<Page<Ship>> {
        Ok(Page::default())
    }
}

#[test]
fn every_word_of_the_derives_can_be_used() {
    let ship = Ship::from_json(r#"{"Name":"Argo","type":"AWS_ENGINE","Sails":[{"colour":"red"}]}"#).unwrap();
    assert_eq!(
        (ship.require_name().unwrap(), ship.port(), ship.r#type()),
        ("Argo", Some("Piraeus"), Some(&Drive::Engine))
    );
    let sail = &ship.sails().unwrap()[0];
    assert_eq!(
        (sail.area(), sail.is_set(), sail.get("colour").unwrap()),
        (Some(0.5), Some(false), "red".into())
    );
    let time = |name: &str| Ship::SHAPE.field(name).unwrap().1.time;
    assert_eq!(
        [time("Built"), time("Seen"), time("Painted")],
        [TimeForm::EpochSeconds, TimeForm::EpochMillis, TimeForm::Iso8601]
    );
    assert_eq!((time("Sank"), time("Name")), (TimeForm::Http, TimeForm::Usual));
    let register = RegisterShip::OPERATION;
    assert_eq!(register.http, Some(Http { method: "PUT", path: "/ships/{name}", status: 201 }));
    assert_eq!(
        (register.params.fields[0].location, register.params.fields[0].presence),
        (Location::Path, Presence::Required)
    );
}
