//! A toy kind with what the others lack: no identity, no tags, lists and mappings as defaults, bounds of floats,
//! open bounds, and secrets within a nested record.

use super::shelf;
use nephos_core::{Choice, Map, Record, Resource, Secret, Slot, Text, Value};

/// Material of a trunk.
#[derive(Choice, Clone, Debug, PartialEq)]
#[choice(name = "TrunkMaterial")]
pub enum Material {
    /// Oak.
    Oak,
    /// Tin, which is `METAL` on the wire.
    #[choice("tin", wire = "METAL")]
    Tin,
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// Lock of a trunk.
#[derive(Record)]
#[record(case = "camel", name = "TrunkLock")]
pub struct Lock {
    /// Manufacturer of the lock.
    #[field(name = "madeBy", alias = "maker", wire = "manufacturer")]
    made_by: Option<Text>,
    /// Combination that opens it.
    #[field(sensitive, length(4..), pattern = "[0-9]*")]
    combination: Option<Text>,
    /// Number of turns.
    #[field(range(..=9), default = 3)]
    turns: Option<i64>,
    /// Emergency PIN.
    #[field(sensitive)]
    pin: Option<i64>,
    /// Serial number, assigned by the service.
    #[field(service_set)]
    serial: Option<Text>,
}

/// A trunk in the attic.
#[derive(Resource)]
#[resource(service = shelf::SERVICE, case = "camel", no_delete)]
pub struct Trunk {
    /// Purpose of the trunk.
    #[field(alias = "use", alias = "purpose", wire = "kind", default = "clothes")]
    r#type: Option<Text>,
    /// Weight in kilograms.
    #[field(range(0..=100))]
    weight: Option<f64>,
    /// Materials, from the outside in.
    #[field(each(one_of("Oak", "tin")))]
    materials: Option<Vec<Material>>,
    /// Names of the things in it.
    #[field(default = [])]
    things: Option<Vec<Text>>,
    /// Layer of each thing.
    #[field(default = {}, each(range(1..)))]
    layers: Option<Map<i64>>,
    /// Lock of the trunk.
    lock: Option<Lock>,
    /// Two labels of any type.
    #[field(length(2..=2))]
    labels: Option<Vec<Value>>,
    /// Numbers of spare keys.
    #[field(each(pattern = "[0-9]*"))]
    keys: Option<Vec<Secret>>,
    slot: Slot,
}
