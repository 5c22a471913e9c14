//! What the other toys lack: a kind without any identity or tags, containers as defaults, a number with bounds, open
//! bounds, and something hidden within a nested record.

use super::shelf;
use nephos_core::{Choice, Map, Record, Resource, Secret, Slot, Text, Value};

/// What a trunk is made of.
#[derive(Choice, Clone, Debug, PartialEq)]
#[choice(name = "TrunkMaterial")]
pub enum Material {
    /// Oak.
    Oak,
    /// Tin, which the provider calls a metal.
    #[choice("tin", wire = "METAL")]
    Tin,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A lock.
#[derive(Record)]
#[record(case = "camel", name = "TrunkLock")]
pub struct Lock {
    /// Who made it.
    #[field(name = "madeBy", alias = "maker", wire = "manufacturer")]
    made_by: Option<Text>,
    /// What opens it.
    #[field(sensitive, length(4..), pattern = "[0-9]*")]
    combination: Option<Text>,
    /// How often it was turned.
    #[field(range(..=9), default = 3)]
    turns: Option<i64>,
    /// What opens it in need.
    #[field(sensitive)]
    pin: Option<i64>,
    /// What the service counts it by.
    #[field(service_set)]
    serial: Option<Text>,
}

/// A trunk.
#[derive(Resource)]
#[resource(service = shelf::SERVICE, case = "camel")]
pub struct Trunk {
    /// What it is for.
    #[field(alias = "use", alias = "purpose", wire = "kind", default = "clothes")]
    r#type: Option<Text>,
    /// How heavy it is.
    #[field(range(0..=100))]
    weight: Option<f64>,
    /// What it is made of, outside first.
    #[field(each(one_of("Oak", "tin")))]
    materials: Option<Vec<Material>>,
    /// What is in it.
    #[field(default = [])]
    things: Option<Vec<Text>>,
    /// Where each thing lies.
    #[field(default = {}, each(range(1..)))]
    layers: Option<Map<i64>>,
    /// What keeps it shut.
    lock: Option<Lock>,
    /// Labels, or nothing.
    #[field(length(2..=2))]
    labels: Option<Vec<Value>>,
    /// What opens it, besides.
    #[field(each(pattern = "[0-9]*"))]
    keys: Option<Vec<Secret>>,
    slot: Slot,
}
