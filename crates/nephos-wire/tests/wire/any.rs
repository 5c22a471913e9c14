//! Random records of a shape, and requests and answers built from them.

use nephos_core::{
    Blob, Error, Request, Timestamp, Type, Value, dynamic,
    fill::{self, Reader},
    record::Fields,
    shape::{FieldShape, Location, OperationShape, Presence, RecordShape, ServiceShape},
};
use proptest::{collection::vec, option, prelude::*};

/// Values that a protocol cannot distinguish or cannot represent.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Minimum number of items of a list.
    pub list: usize,
    /// Minimum number of items of a flat list.
    pub flat: usize,
    /// Minimum number of entries of a mapping.
    pub map: usize,
    /// True if enum values may be unknown, which only a service sends.
    pub unknown: bool,
}

/// Returns a mapping that fills a record of `shape`. The first field is always set, so that no record is empty.
pub fn record(shape: &'static RecordShape, limits: Limits) -> BoxedStrategy<Value> {
    let fields = shape.fields.iter().enumerate();
    let fields = fields.filter(|(_, field)| field.location != Location::NotOnWire).map(move |(n, field)| {
        let value = value(field, &field.ty, limits, field.details.flat);
        let always = n == 0 || field.presence == Presence::Required;
        let value = if always { value.prop_map(Some).boxed() } else { option::of(value).boxed() };
        value.prop_map(|value| value.map(|value| (field.name.into(), value))).boxed()
    });
    fields.collect::<Vec<_>>().prop_map(|entries| Value::Map(entries.into_iter().flatten().collect())).boxed()
}

/// Returns text with all special characters, but without control characters, which XML lacks.
fn text() -> impl Strategy<Value = String> {
    "([ -~]|[<>&\"'%+/=.;\t\n\r]|[\u{a0}-\u{d7ff}]|[\u{10000}-\u{10ffff}]){0,12}"
}

fn value(field: &'static FieldShape, ty: &'static Type, limits: Limits, flat: bool) -> BoxedStrategy<Value> {
    let limit = |usual| if flat { limits.flat.max(usual) } else { usual };
    match ty {
        Type::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Type::Int => any::<i64>().prop_map(Value::from).boxed(),
        Type::Float => any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from).boxed(),
        Type::Text if field.location == Location::Path => "\\PC{1,12}".prop_map(Value::from).boxed(),
        Type::Text if field.location == Location::Header => "[!-~]{1,12}".prop_map(Value::from).boxed(),
        Type::Text if !field.details.spellings.is_empty() => {
            prop_oneof![Just("PROVIDERCURRENT"), Just("PROVIDERPENDING"), Just("other")]
                .prop_map(Value::from)
                .boxed()
        }
        Type::Text => text().prop_map(Value::from).boxed(),
        Type::Secret => text().prop_map(|text| Value::Secret(text.into())).boxed(),
        Type::Choice(shape) => {
            let known = (0..shape.values.len()).prop_map(|n| shape.values[n].name.to_owned());
            match limits.unknown {
                true => prop_oneof![known, "NEW_[A-Z]{1,4}"].prop_map(Value::from).boxed(),
                false => known.prop_map(Value::from).boxed(),
            }
        }
        Type::Time => time(field).prop_map(Value::from).boxed(),
        Type::Blob => vec(any::<u8>(), 0..20).prop_map(|bytes| Value::Blob(Blob(bytes))).boxed(),
        Type::Any => {
            let leaf = prop_oneof![
                any::<i64>().prop_map(Value::from),
                any::<bool>().prop_map(Value::from),
                text().prop_map(Value::from)
            ];
            prop_oneof![leaf.clone(), vec(leaf, 0..3).prop_map(Value::List)].boxed()
        }
        Type::Record(shape) => record(shape, limits),
        Type::List(item) => {
            vec(value(field, item, limits, false), limit(limits.list)..4).prop_map(Value::List).boxed()
        }
        Type::Map(of) => {
            let entries = vec((text(), value(field, of, limits, false)), limit(limits.map)..4);
            let map = |entries: Vec<(String, Value)>| {
                Value::Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
            };
            entries.prop_map(map).boxed()
        }
    }
}

/// Returns a timestamp with the precision of the field's format on the wire.
fn time(field: &FieldShape) -> impl Strategy<Value = Timestamp> + use<> {
    use nephos_core::TimeForm;
    let step = match (field.details.time, field.location) {
        (TimeForm::Http, _) | (TimeForm::Usual, Location::Header) => 1_000_000,
        (TimeForm::EpochMillis, _) => 1_000,
        _ => 1,
    };
    (0..4_000_000_000_000_000_i64)
        .prop_map(move |micros| Timestamp::from_microsecond(micros / step * step).unwrap())
}

/// Finds the operation of that name.
pub fn operation(service: &ServiceShape, name: &str) -> &'static OperationShape {
    service.operations.iter().find(|operation| operation.name == name).unwrap()
}

/// Fills `record` from a mapping under the specification's names.
pub fn fill(record: &mut dyn Fields, value: &Value) -> Result<(), Error> {
    let Value::Map(map) = value else { panic!("expected a mapping") };
    map.iter()
        .enumerate()
        .try_for_each(|(n, (key, value))| fill::fill_field(record, key, value.view(), &Reader::TRUSTED, n))
}

/// Creates the request for `operation` with these parameters.
pub fn request(operation: &'static OperationShape, params: &Value) -> Request {
    dynamic::request(operation, &mut |record| fill(record, params)).unwrap()
}

/// Creates the answer to `request` with these fields.
pub fn answer(request: &Request, fields: &Value) -> Box<dyn Fields> {
    let mut answer = (request.blank)();
    fill(&mut *answer, fields).unwrap();
    answer
}
