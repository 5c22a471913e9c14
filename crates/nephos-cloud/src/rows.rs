//! Rows: records under keys. A row is JSON under the specification's names, so that a newer version reads what an older
//! one wrote, and a person can read both.

use crate::{
    Key, Scope, Transition, Tx,
    key::{self, Part, Parts},
    states,
};
use nephos_core::{
    Change, Error, ErrorKind, Map, Record, Ref, Resource, Result, Text, Value,
    field_value::FieldType,
    fill::Reader,
    json::{self, Writing},
    record::{self, Fields},
};
use nephos_store::RowChange;

/// A record that has rows of its own.
pub trait Stored: Record {
    /// The table its rows stand in: `service/kind`.
    const TABLE: &'static str;

    /// The changes of state that it makes by itself.
    const TRANSITIONS: &'static [Transition] = &[];

    /// Adds what tells it from others of its account and Region to the key.
    fn identify(&self, key: Key) -> Key;

    /// Takes out what the key says already, or what follows from the rest.
    fn strip_derived(&mut self) {}

    /// Puts that back in: `identity` is what [`identify`](Self::identify) added to the key.
    fn restore(&mut self, _scope: &Scope, _identity: Parts<'_>) {}

    /// The same for many records of `scope`, one after the other.
    fn restorer(scope: &Scope) -> impl Fn(&mut Self, Parts<'_>) {
        |record, identity| record.restore(scope, identity)
    }

    /// The beginning of the keys of those in `scope`.
    fn table(scope: &Scope) -> Key {
        scope.key(Self::TABLE)
    }

    /// The key of its row in `scope`.
    fn key(&self, scope: &Scope) -> Key {
        self.identify(Self::table(scope))
    }
}

/// A field that is part of a key: a text or a number.
pub trait KeyPart: Sized {
    /// Adds it to the key; an absent one as an empty text, or 0.
    fn add(key: Key, part: Option<&Self>) -> Key;

    /// Takes it from the parts of a key.
    fn take(parts: &mut Parts<'_>) -> Option<Self>;
}

impl KeyPart for Text {
    fn add(key: Key, part: Option<&Self>) -> Key {
        key.text(part.map(Self::as_str).unwrap_or_default())
    }

    fn take(parts: &mut Parts<'_>) -> Option<Self> {
        parts.text()
    }
}

impl KeyPart for i64 {
    fn add(key: Key, part: Option<&Self>) -> Key {
        key.number(part.copied().unwrap_or_default())
    }

    fn take(parts: &mut Parts<'_>) -> Option<Self> {
        parts.number()
    }
}

/// Stores a record in a table by fields of its own, texts or numbers, which are in the key of its row only.
///
/// `derived(…) => method` names fields that follow from the others: rows leave them out, and the method, which takes the
/// scope, puts them in again. `goes_on(…)` lists changes of state that the resource makes by itself.
#[macro_export]
macro_rules! stored {
    (
        $record:ident in $table:literal by $($key:ident),+
        $(; derived($($field:ident),+) => $settle:ident)? $(; goes_on($($transition:expr),+))? $(;)?
    ) => {
        impl $crate::Stored for $record {
            const TABLE: &'static str = $table;
            $(const TRANSITIONS: &'static [$crate::Transition] = &[$($transition),+];)?

            fn identify(&self, key: $crate::Key) -> $crate::Key {
                $(let key = $crate::KeyPart::add(key, self.$key.as_ref());)+
                key
            }

            fn strip_derived(&mut self) {
                $(self.$key = None;)+
                $($(self.$field = None;)+)?
            }

            fn restore(&mut self, _scope: &$crate::Scope, mut identity: $crate::Parts<'_>) {
                $(self.$key = $crate::KeyPart::take(&mut identity);)+
                $(self.$settle(_scope);)?
            }
        }
    };
}

/// A resource whose row is there, so that the service has assigned its ARN and name.
pub trait StoredResource: Resource {
    /// The ARN.
    fn own_arn(&self) -> &str {
        self.arn().ok().flatten().unwrap_or_default()
    }

    /// The name.
    fn own_name(&self) -> &str {
        self.name().ok().flatten().unwrap_or_default()
    }
}

impl<R: Resource + Stored> StoredResource for R {}

/// The row of `record`.
pub(crate) fn encode(record: &dyn Fields) -> Vec<u8> {
    let mut row = Vec::with_capacity(256);
    json::write_to(&mut row, Ref::Record(record), Writing::EXPOSED);
    row
}

/// The record that `row` holds.
pub(crate) fn decode<R: FieldType + Fields>(row: &[u8]) -> Result<R> {
    let mut record = R::blank();
    decode_into(&mut record, row)?;
    Ok(record)
}

/// Fills a blank record with what `row` holds.
pub(crate) fn decode_into(record: &mut dyn Fields, row: &[u8]) -> Result<()> {
    json::read(record, row, &Reader::TRUSTED).map_err(|error| {
        Error::new(ErrorKind::Corrupt, format!("a row cannot be read: {}", error.message()))
            .with_source(error)
    })
}

/// A table as a service declares it, for whoever does not know the type of its rows.
#[derive(Clone, Copy)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The fields of a row under its key, without what must not be shown.
    show: Show,
    /// Takes the record under a key on to its next state.
    pub(crate) go_on: fn(&mut Tx<'_>, &Key, &str) -> Result<()>,
    #[cfg(feature = "testing")]
    again: Again,
}

/// The key and content of a row, read and written again.
#[cfg(feature = "testing")]
type Again = fn(&Scope, &[u8], &[u8]) -> Result<(Vec<u8>, Vec<u8>)>;

/// The fields of a row, by its scope, key and content.
type Show = fn(&Scope, &[u8], &[u8]) -> Result<Map<Value>>;

impl Table {
    /// The table of `R`.
    pub const fn new<R: Stored>() -> Self {
        Self {
            name: R::TABLE,
            show: show::<R>,
            go_on: states::go_on::<R>,
            #[cfg(feature = "testing")]
            again: again::<R>,
        }
    }

    /// The row under `key` in `scope` as it is written again once it is read: the same key and content.
    #[cfg(feature = "testing")]
    pub fn again(&self, scope: &Scope, key: &[u8], row: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
        (self.again)(scope, key, row)
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

fn show<R: Stored>(scope: &Scope, key: &[u8], row: &[u8]) -> Result<Map<Value>> {
    let mut record: R = decode(row)?;
    record.restore(scope, Parts::after(key, &R::table(scope)));
    match record::to_value(&record) {
        Value::Map(fields) => Ok(fields),
        _ => Ok(Map::default()),
    }
}

#[cfg(feature = "testing")]
fn again<R: Stored>(scope: &Scope, key: &[u8], row: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let mut record: R = decode(row)?;
    record.restore(scope, Parts::after(key, &R::table(scope)));
    let key = record.key(scope);
    record.strip_derived();
    Ok((key.as_bytes().to_vec(), encode(&record)))
}

/// What a row change means to a person: which resource, and its fields before and after. `None` for rows that are only
/// there to find others.
pub(crate) fn describe(change: &RowChange, tables: &[Table]) -> Option<Result<Change>> {
    let (name, parts) = key::read(&change.key)?;
    let table = tables.iter().find(|table| table.name == name)?;
    let mut parts = parts.into_iter().map(|part| match part {
        Part::Number(number) => Text::from(number.to_string()),
        Part::Text(text) => text,
    });
    let scope = Scope::new(parts.next()?, parts.next()?);
    let kind = name.rsplit('/').next().unwrap_or(name);
    let row = parts.fold(Text::new(kind), |row, part| row + " " + &part);
    let fields = |row: Option<&nephos_store::Value>| match row {
        Some(row) => (table.show)(&scope, &change.key, row),
        None => Ok(Map::default()),
    };
    let (before, after) = (fields(change.before.as_ref()), fields(change.after.as_ref()));
    Some(before.and_then(|before| Ok(Change { row, before, after: after? })))
}
