//! Rows: records under keys. A row is JSON with the field names of the specification, so that newer versions can read the
//! rows of older ones, and a person can read both.

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

/// A record that is stored in rows of its own.
pub trait Stored: Record {
    /// Table of the rows: `service/kind`.
    const TABLE: &'static str;

    /// Transitions that the resource makes by itself.
    const TRANSITIONS: &'static [Transition<Self>] = &[];

    /// Appends the identity of the record within its account and Region to the key.
    fn identify(&self, key: Key) -> Key;

    /// Clears the derived fields: those that can be computed from the key or from other fields.
    fn strip_derived(&mut self) {}

    /// Sets the derived fields again. `identity` contains the parts that [`identify`](Self::identify) appended to the key.
    fn restore(&mut self, _scope: &Scope, _identity: Parts<'_>) {}

    /// Returns a function like [`restore`](Self::restore) for many records of `scope`.
    fn restorer(scope: &Scope) -> impl Fn(&mut Self, Parts<'_>) {
        |record, identity| record.restore(scope, identity)
    }

    /// Prefix of the keys in `scope`.
    fn table(scope: &Scope) -> Key {
        scope.key(Self::TABLE)
    }

    /// Key of the row in `scope`.
    fn key(&self, scope: &Scope) -> Key {
        self.identify(Self::table(scope))
    }
}

/// A field that is part of a key: a text or a number.
pub trait KeyPart: Sized {
    /// Appends the field to the key; an absent one as an empty text, or 0.
    fn add(key: Key, part: Option<&Self>) -> Key;

    /// Takes the field from the parts of a key.
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

/// Implements [`Stored`](crate::Stored) for a record. The fields after `by`, texts or numbers, are its key; they are not
/// repeated in the row.
///
/// `arn FIELD` is the field with the ARN that follows from the template of the kind; it is not stored.
/// `derived(…) => method` names fields that can be computed from others: they are not stored, and the method, which takes
/// the scope, sets them again. `states(…)` lists the states that the resource leaves by itself, with the seconds that this
/// takes at the provider: `states("Status": "CREATING" => "ACTIVE" 30, "DELETING" => removed 60 then Kind::clean_up)`.
///
/// `by FIELD ignoring case` is a key in lower case; the row has the name as it was given.
#[macro_export]
macro_rules! stored {
    (
        $record:ident in $table:literal by $($key:ident),+
        $(; arn $arn:ident)?
        $(; derived($($field:ident),+) => $set_derived:ident)?
        $(; states($state:literal: $($from:literal => $to:tt $seconds:literal $(then $hook:path)?),+ $(,)?))? $(;)?
    ) => {
        impl $crate::Stored for $record {
            const TABLE: &'static str = $table;
            $(
                const TRANSITIONS: &'static [$crate::Transition<Self>] =
                    &[$($crate::stored!(@transition $state, $from, $to, $seconds)$(.then($hook))?),+];
            )?

            fn identify(&self, key: $crate::Key) -> $crate::Key {
                $(let key = $crate::KeyPart::add(key, self.$key.as_ref());)+
                key
            }

            fn strip_derived(&mut self) {
                $(self.$key = None;)+
                $(self.$arn = None;)?
                $($(self.$field = None;)+)?
            }

            fn restore(&mut self, _scope: &$crate::Scope, mut identity: $crate::Parts<'_>) {
                $(self.$key = $crate::KeyPart::take(&mut identity);)+
                $(self.$arn = $crate::own_arn(self, _scope);)?
                $(self.$set_derived(_scope);)?
            }
        }
    };
    ($record:ident in $table:literal by $key:ident ignoring case; arn $arn:ident) => {
        impl $crate::Stored for $record {
            const TABLE: &'static str = $table;

            fn identify(&self, key: $crate::Key) -> $crate::Key {
                key.text(&self.$key.as_deref().unwrap_or_default().to_ascii_lowercase())
            }

            fn strip_derived(&mut self) {
                self.$arn = None;
            }

            fn restore(&mut self, scope: &$crate::Scope, _: $crate::Parts<'_>) {
                self.$arn = $crate::own_arn(self, scope);
            }
        }
    };
    (@transition $state:literal, $from:literal, removed, $seconds:literal) => {
        $crate::Transition::removal($state, $from, $seconds)
    };
    (@transition $state:literal, $from:literal, $to:literal, $seconds:literal) => {
        $crate::Transition::new($state, $from, $to, $seconds)
    };
}

/// A stored resource, which has an ARN and a name from the service.
pub trait StoredResource: Resource {
    /// ARN of the resource.
    fn own_arn(&self) -> &str {
        self.arn().ok().flatten().unwrap_or_default()
    }

    /// Name of the resource.
    fn own_name(&self) -> &str {
        self.name().ok().flatten().unwrap_or_default()
    }
}

impl<R: Resource + Stored> StoredResource for R {}

/// Serializes a record to a row.
pub(crate) fn encode(record: &dyn Fields) -> Vec<u8> {
    let mut row = Vec::with_capacity(256);
    json::write_to(&mut row, Ref::Record(record), Writing::EXPOSED);
    row
}

/// Deserializes a row.
pub(crate) fn decode<R: FieldType + Fields>(row: &[u8]) -> Result<R> {
    let mut record = R::blank();
    decode_into(&mut record, row)?;
    Ok(record)
}

/// Deserializes a row into a blank record.
pub(crate) fn decode_into(record: &mut dyn Fields, row: &[u8]) -> Result<()> {
    json::read(record, row, &Reader::TRUSTED).map_err(|error| {
        Error::new(ErrorKind::Corrupt, format!("malformed row: {}", error.message())).with_source(error)
    })
}

/// A table of a service, without the type of its rows.
#[derive(Clone, Copy)]
pub struct Table {
    /// Name of the table.
    pub name: &'static str,
    /// Returns the fields of a row, without secrets.
    show: Show,
    /// Runs the transition of the record under a key; none if its rows have no transitions.
    pub(crate) run_transition: Option<RunTransition>,
    rewrite_row: RewriteRow,
}

/// Runs a transition of the record under a key, which is in the given state.
type RunTransition = fn(&mut Tx<'_>, &Key, &str) -> Result<()>;

/// Reads a row and writes it again; returns its key and content.
type RewriteRow = fn(&Scope, &[u8], &[u8]) -> Result<(Vec<u8>, Vec<u8>)>;

/// Returns the fields of a row, by its scope, key and content.
type Show = fn(&Scope, &[u8], &[u8]) -> Result<Map<Value>>;

impl Table {
    /// Creates the table of `R`.
    pub const fn new<R: Stored>() -> Self {
        Self {
            name: R::TABLE,
            show: show::<R>,
            // Compiled only for rows that have any.
            run_transition: if R::TRANSITIONS.is_empty() { None } else { Some(states::run_transition::<R>) },
            rewrite_row: rewrite_row::<R>,
        }
    }

    /// Reads the row under `key` in `scope` and writes it again; returns the key and content, which should be the same.
    #[doc(hidden)]
    pub fn rewrite_row(&self, scope: &Scope, key: &[u8], row: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
        (self.rewrite_row)(scope, key, row)
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

fn rewrite_row<R: Stored>(scope: &Scope, key: &[u8], row: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let mut record: R = decode(row)?;
    record.restore(scope, Parts::after(key, &R::table(scope)));
    let key = record.key(scope);
    record.strip_derived();
    Ok((key.as_bytes().to_vec(), encode(&record)))
}

/// Describes a change of a row for a person: the resource, and its fields before and after. `None` for rows of indexes and
/// other tables that no service declares.
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
