//! Uses every word of every derive in a program that compiles; `compile_fail` has those that do not.

#![allow(dead_code, reason = "most of it is only described, not used")]

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
    docs: "Ships.",
    api_version: "2026-01-01",
    protocol: Protocol::RestJson,
    kinds: &[Ship::KIND, Tide::KIND],
    operations: &[RegisterShip::OPERATION],
    calls: &[ShipCreate::CALLS, ShipGet::CALLS, ShipList::CALLS, ShipUpdate::CALLS, ShipDelete::CALLS],
    codes: ALL,
    invalid: &INVALID,
    invalid_token: || INVALID.with_message("The token is invalid."),
    ..ServiceShape::named("harbour")
};

/// Spellings of engines on the wire.
static ENGINES: &[(&str, &str)] = &[("steam", "AWS_STEAM")];

/// Propulsion of a ship.
#[derive(Choice, Clone, Debug, PartialEq)]
#[choice(name = "Propulsion")]
enum Drive {
    /// Sail.
    Sail,
    /// Engine.
    #[choice("ENGINE", wire = "AWS_ENGINE")]
    Engine,
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A sail.
#[derive(Record)]
#[record(name = "SailRecord", case = "camel", extras, check = check_sail, derive_fields = derive_is_set)]
struct Sail {
    /// Area in square metres.
    #[field(range(0..), default = 0.5)]
    area: Option<f64>,
    /// True if the sail is up.
    is_set: Option<bool>,
    extra: Extra,
}

fn check_sail(_sail: &Sail) -> Result<()> {
    Ok(())
}

fn derive_is_set(sail: &mut Sail) {
    sail.is_set.get_or_insert(false);
}

/// A ship.
#[derive(Resource)]
#[resource(
    service = SERVICE, case = "pascal", arn = "ShipArn", name = "Name", pk("Name", "Port"), exists_if = "ShipArn", tags = "Tags",
    relation(sisters, many = Ship, with = find_sisters), relation(tide, one = Tide, with = find_tide), check = check_ship
)]
struct Ship {
    /// ARN of the ship.
    #[field(service_set, wire = "arn", alias = "Arn")]
    ship_arn: Option<Text>,
    /// Name of the ship.
    #[field(required, length(1..=10), pattern = "[A-Z][a-z]+")]
    name: Option<Text>,
    /// Home port.
    #[field(default = "Piraeus")]
    port: Option<Text>,
    /// Type of the engine.
    #[field(spellings = ENGINES, one_of("steam", "diesel"))]
    engine: Option<Text>,
    /// Propulsion of the ship.
    #[field(name = "type", default = "Sail")]
    r#type: Option<Drive>,
    /// Time at which it was built.
    #[field(time = "epoch_seconds")]
    built: Option<Timestamp>,
    /// Time at which it was last seen.
    #[field(time = "epoch_millis")]
    seen: Option<Timestamp>,
    /// Time at which it was painted.
    #[field(time = "iso8601")]
    painted: Option<Timestamp>,
    /// Time at which it sank.
    #[field(time = "http", in_header)]
    sank: Option<Timestamp>,
    /// Sails of the ship.
    #[field(item = "Sail", flat, length(..=3), default = [])]
    sails: Option<Vec<Sail>>,
    /// Size of the crew by rank.
    #[field(default = {}, each(range(1..=99)))]
    crew: Option<Map<i64>>,
    /// Image of the flag.
    flag: Option<Blob>,
    /// Radio code.
    code: Option<Secret>,
    /// Log of the ship.
    #[field(sensitive)]
    log: Option<Text>,
    /// Cargo, of any type.
    cargo: Option<Value>,
    /// Tags of the ship.
    #[field(not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

fn check_ship(_ship: &Ship) -> Result<()> {
    Ok(())
}

async fn find_sisters(_ship: &Ship) -> Result<Vec<Ship>> {
    Ok(Vec::new())
}

async fn find_tide(_ship: &Ship) -> Result<Option<Tide>> {
    Ok(None)
}

/// The tide, read-only.
#[derive(Resource)]
#[resource(service = SERVICE, frozen, extras)]
struct Tide {
    /// Height in metres.
    metres: Option<f64>,
    slot: Slot,
}

/// Registers a ship.
#[operation(service = SERVICE, case = "camel", effect = write, output = Registered, http("PUT", "/ships/{name}", 201))]
struct RegisterShip {
    /// Name of the ship.
    #[field(in_path)]
    name: Text,
    /// Dry run: validate without executing.
    #[field(in_query, wire = "dry-run")]
    dry_run: Option<bool>,
    /// Idempotency token.
    #[field(idempotency_token)]
    client_token: Option<Text>,
}

/// A registered ship.
#[derive(Record)]
struct Registered {
    /// The registered ship.
    ship: Option<Ship>,
}

/// Builds a ship.
#[operation(kind = Ship, call = "create", effect = write, output = Ship)]
struct ShipCreate {
    /// Ship to build.
    #[field(model)]
    model: Ship,
}

/// Changes a ship.
#[operation(kind = Ship, call = "update", effect = write, output = Ship)]
struct ShipUpdate {
    /// Ship to change.
    #[field(model)]
    model: Ship,
    /// Reason of the change.
    reason: Option<Text>,
}

/// Gets a ship; none if it does not exist.
#[operation(kind = Ship, call = "get", effect = read, output = Option<Ship>)]
struct ShipGet {
    /// Name of the ship.
    name: Text,
}

/// Scraps a ship.
#[operation(kind = Ship, call = "delete", effect = write, output = (), on_model)]
struct ShipDelete {
    /// ARN of the ship.
    #[field(from_field = "ShipArn")]
    id: Text,
}

/// Lists the ships.
#[operation(kind = Ship, call = "list", effect = read, output = Page<Ship>, pages)]
struct ShipList {}

impl ManagerOperation for ShipCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<Ship> {
        let registered = context
            .call(RegisterShip::new(self.model.name.clone().unwrap_or_default()).dry_run(false))
            .await?;
        registered.ship.ok_or_else(|| INVALID.with_message("the answer has no ship"))
    }
}

impl ManagerOperation for ShipUpdate {
    async fn run(&self, _context: &WorkflowContext) -> Result<Ship> {
        Ok(self.model.clone())
    }
}

impl ManagerOperation for ShipGet {
    async fn run(&self, _context: &WorkflowContext) -> Result<Option<Ship>> {
        Ok(None)
    }
}

impl ManagerOperation for ShipDelete {
    async fn run(&self, _context: &WorkflowContext) -> Result<()> {
        Ok(())
    }
}

impl Listing for ShipList {
    type Model = Ship;

    async fn page(&self, _context: &WorkflowContext, _request: &PageRequest) -> Result<Page<Ship>> {
        Ok(Page::default())
    }
}

#[test]
fn every_attribute_of_the_derives_compiles() {
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
    let time = |name: &str| Ship::SHAPE.field(name).unwrap().1.details.time;
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
