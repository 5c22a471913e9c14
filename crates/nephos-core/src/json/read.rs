//! Fills records from JSON text.

use super::{
    in_order::{InOrder, ReadState},
    input::Input,
};
use crate::{
    Error, FieldSet, Map, Result, TimeForm, Timestamp, Value,
    field_value::{FieldValue, Fill, Open, Spelling},
    fill::{Names, Reader, fill, put_null, with_field, wrong_type},
    record::Fields,
    scan::begins_with,
    shape::{FieldShape, Location, TagNames},
    value::Ref,
};

/// Fills `record` from the JSON object in `json`.
pub fn read(record: &mut dyn Fields, json: &[u8], reader: &Reader) -> Result<()> {
    read_tracked(record, json, reader, &mut ReadState::default())
}

/// Fills `record` and records the state of its fields in `read`.
pub(crate) fn read_tracked(
    record: &mut dyn Fields,
    json: &[u8],
    reader: &Reader,
    read: &mut ReadState,
) -> Result<()> {
    let mut text = Input::new(json);
    if reader.checked {
        // Invalid UTF-8 is an error of the document, not of a field.
        text.text()?;
    }
    text.space();
    if text.next() != Some(b'{') {
        return Err(text.error("expected an object of fields"));
    }
    text.record(record, reader, read)?;
    text.end()
}

/// Parses a JSON value.
pub fn parse(json: &[u8]) -> Result<Value> {
    let mut text = Input::new(json);
    text.space();
    let value = text.any()?;
    text.end()?;
    Ok(value)
}

/// Converts whole numbers from milliseconds since 1970 to instants.
fn millis_to_times(value: Value) -> Value {
    match value {
        Value::Int(millis) => Timestamp::from_millisecond(millis).map_or(value, Value::Time),
        Value::List(items) => Value::List(items.into_iter().map(millis_to_times).collect()),
        Value::Map(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (key, millis_to_times(value))).collect())
        }
        value => value,
    }
}

impl Input<'_> {
    /// Reads the fields of a record, after the opening brace.
    fn record(&mut self, record: &mut dyn Fields, reader: &Reader, read: &mut ReadState) -> Result<()> {
        self.enter()?;
        let shape = record.shape();
        InOrder::fill(record, self, reader, read)?;
        let mut more = if read.given.is_empty() { !self.skip_if_empty(b'}') } else { self.has_next(b'}')? };
        while more {
            let index = match shape.fields.get(read.expected) {
                Some(field) if self.skip_key_of(field, reader) => Some(read.expected),
                _ => self.read_key(record, reader, read.expected)?,
            };
            if let Some(index) = index {
                let field_value = record.field_mut(index);
                let field = &shape.fields[index];
                if reader.names == Names::Wire && field.details.time == TimeForm::EpochMillis {
                    let value = self.any()?;
                    fill(field_value, millis_to_times(value).view(), reader)
                        .map_err(|error| with_field(field, error))?;
                } else {
                    self.field_value(field_value, reader).map_err(|error| with_field(field, error))?;
                }
                if reader.names == Names::Wire && !field.details.spellings.is_empty() {
                    let spelled = field.respelled(field_value.view(), Spelling::Neutral);
                    let mut fresh = field_value.fresh();
                    fill(&mut *fresh, spelled.view(), reader)?;
                    field_value.take_from(&mut *fresh);
                }
                read.given.insert(index);
                read.valid.remove(index);
                read.expected = index + 1;
            }
            more = self.has_next(b'}')?;
        }
        self.leave();
        record.note_given(read.given);
        if record.settles() {
            record.settle();
            // Derived fields are not checked yet.
            read.valid = FieldSet::NONE;
        } else {
            read.set_finished(shape, reader);
        }
        Ok(())
    }

    /// Skips the key of `field`, which is probably next, and the colon. False if another key is next.
    #[inline]
    fn skip_key_of(&mut self, field: &FieldShape, reader: &Reader) -> bool {
        let key = match reader.names {
            Names::Any | Names::Name => field.key,
            Names::Wire if reader.tags != TagNames::Usual => return false,
            Names::Wire if field.location == Location::Body => field.wire_key,
            Names::Wire | Names::Alias => return false,
        };
        let matches = begins_with(&self.bytes()[self.at..], key.as_bytes());
        if matches {
            self.at += key.len();
            self.space();
        }
        matches
    }

    /// Reads any key. The value of an unknown one is ignored, kept or rejected, as the reader says.
    fn read_key(
        &mut self,
        record: &mut dyn Fields,
        reader: &Reader,
        expected: usize,
    ) -> Result<Option<usize>> {
        let key = self.key()?;
        self.colon()?;
        let found = reader.find(record.shape(), &key, expected);
        if found.is_none() {
            let value = match record.shape().extras {
                true => self.any()?,
                false if reader.is_own() => self.skip_own().map(|()| Value::Null)?,
                false => self.skip_any().map(|()| Value::Null)?,
            };
            reader.unknown(record, &key, || value)?;
        }
        Ok(found)
    }

    /// Reads the next value into `field_value`.
    #[inline]
    fn field_value(&mut self, field_value: &mut dyn FieldValue, reader: &Reader) -> Result<()> {
        if field_value.take_fast(self, reader.reading) {
            Ok(())
        } else {
            self.any_field_value(field_value, reader).map(drop)
        }
    }

    /// Reads the next value in any notation. Returns true if nothing in it is left to check.
    pub(crate) fn any_field_value(
        &mut self,
        field_value: &mut dyn FieldValue,
        reader: &Reader,
    ) -> Result<bool> {
        let value = match self.peek() {
            Some(b'"') => {
                let text = self.string()?;
                let value = Ref::Text(&text);
                field_value.put(value, reader.reading).map_err(|mismatch| wrong_type(mismatch.0, value))?;
                return Ok(false);
            }
            Some(b'{') => {
                self.at += 1;
                return match field_value.open() {
                    Open::Record(record) => {
                        let mut read = ReadState::default();
                        self.record(record, reader, &mut read)?;
                        Ok(read.finished && record.check_whole().is_ok())
                    }
                    Open::Map(map) => self.map(map, reader).map(|()| false),
                    Open::Any(any) => {
                        self.at -= 1;
                        *any = self.any()?;
                        Ok(false)
                    }
                    Open::Scalar | Open::List(_) => {
                        Err(mismatch(field_value, Ref::Map(&Map::<Value>::default()), reader))
                    }
                };
            }
            Some(b'[') => {
                self.at += 1;
                return match field_value.open() {
                    Open::List(list) => self.list(list, reader).map(|()| false),
                    Open::Any(any) => {
                        self.at -= 1;
                        *any = self.any()?;
                        Ok(false)
                    }
                    Open::Scalar | Open::Record(_) | Open::Map(_) => {
                        Err(mismatch(field_value, Ref::List(&Vec::<Value>::new()), reader))
                    }
                };
            }
            Some(b'n') => {
                self.word("null")?;
                return put_null(field_value, reader).map(|()| false);
            }
            Some(b't') => {
                self.word("true")?;
                Ref::Bool(true)
            }
            Some(b'f') => {
                self.word("false")?;
                Ref::Bool(false)
            }
            _ => self.number()?,
        };
        field_value.put(value, reader.reading).map_err(|mismatch| wrong_type(mismatch.0, value))?;
        Ok(false)
    }

    fn list(&mut self, list: &mut dyn Fill, reader: &Reader) -> Result<()> {
        self.enter()?;
        let mut more = !self.skip_if_empty(b']');
        let mut n = 0;
        while more {
            self.field_value(list.add(""), reader).map_err(|error| error.in_field(&format!("[{n}]")))?;
            n += 1;
            more = self.has_next(b']')?;
        }
        self.leave();
        Ok(())
    }

    fn map(&mut self, map: &mut dyn Fill, reader: &Reader) -> Result<()> {
        self.enter()?;
        let mut more = !self.skip_if_empty(b'}');
        while more {
            let key = self.key()?;
            self.colon()?;
            self.field_value(map.add(&key), reader).map_err(|error| error.in_field(&format!("[{key}]")))?;
            more = self.has_next(b'}')?;
        }
        self.leave();
        Ok(())
    }

    /// Skips a value that this program wrote: only its brackets and quotes are looked at.
    fn skip_own(&mut self) -> Result<()> {
        let Some(b'{' | b'[') = self.peek() else { return self.skip_any() };
        let (mut depth, mut is_text) = (0_usize, false);
        let mut bytes = self.bytes()[self.at..].iter().enumerate();
        while let Some((n, byte)) = bytes.next() {
            match byte {
                b'"' => is_text = !is_text,
                b'\\' if is_text => drop(bytes.next()),
                b'{' | b'[' if !is_text => depth += 1,
                b'}' | b']' if !is_text => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += n + 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        self.at = self.bytes().len();
        Err(self.error("a value has no end"))
    }

    /// Reads a value of any type without keeping it.
    fn skip_any(&mut self) -> Result<()> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(open @ (b'{' | b'[')) => {
                self.at += 1;
                self.enter()?;
                let close = if open == b'{' { b'}' } else { b']' };
                let mut more = !self.skip_if_empty(close);
                while more {
                    if open == b'{' {
                        self.key()?;
                        self.colon()?;
                    }
                    self.skip_any()?;
                    more = self.has_next(close)?;
                }
                self.leave();
                Ok(())
            }
            Some(b'n') => self.word("null"),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            _ => self.number().map(drop),
        }
    }

    /// Reads a value of any type.
    fn any(&mut self) -> Result<Value> {
        Ok(match self.peek() {
            Some(b'"') => Value::Text(self.string()?.as_ref().into()),
            Some(b'{') => {
                self.at += 1;
                self.enter()?;
                let mut entries = Map::default();
                let mut more = !self.skip_if_empty(b'}');
                while more {
                    let key = self.key()?;
                    self.colon()?;
                    entries.insert(key.as_ref().into(), self.any()?);
                    more = self.has_next(b'}')?;
                }
                self.leave();
                Value::Map(entries)
            }
            Some(b'[') => {
                self.at += 1;
                self.enter()?;
                let mut items = Vec::new();
                let mut more = !self.skip_if_empty(b']');
                while more {
                    items.push(self.any()?);
                    more = self.has_next(b']')?;
                }
                self.leave();
                Value::List(items)
            }
            Some(b'n') => self.word("null").map(|()| Value::Null)?,
            Some(b't') => self.word("true").map(|()| Value::Bool(true))?,
            Some(b'f') => self.word("false").map(|()| Value::Bool(false))?,
            _ => self.number()?.to_value(),
        })
    }
}

#[cold]
fn mismatch(field_value: &mut dyn FieldValue, value: Ref<'_>, reader: &Reader) -> Error {
    let expected = match field_value.open() {
        Open::Record(_) => "a record",
        Open::List(_) => "a list",
        Open::Map(_) => "a mapping",
        Open::Any(_) => "anything",
        // The error of a scalar says what it accepts.
        Open::Scalar => match field_value.put(value, reader.reading) {
            Err(mismatch) => mismatch.0,
            Ok(()) => "a single value",
        },
    };
    wrong_type(expected, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_parsed_as_the_json_standard_says() {
        assert_eq!(parse(br#" [1, -2.5e1, "a\u00e9\ud83d\ude00\n", null, true, {}] "#).unwrap(), {
            Value::List(vec![
                Value::Int(1),
                Value::Float(-25.0),
                "aé😀\n".into(),
                Value::Null,
                Value::Bool(true),
                Value::Map(Map::default()),
            ])
        });
        assert_eq!(parse(b"9223372036854775808").unwrap(), Value::Float(9_223_372_036_854_775_808.0));
        for bad in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            "1e",
            "-",
            "+1",
            "nul",
            "\"\\ud800\"",
            "\"\\x\"",
            "\"a\nb\"",
            "1 2",
            "[1 2]",
            "{\"a\" 1}",
            "{a:1}",
            "'a'",
            "1e999",
            "\"\\u12\"",
            "NaN",
        ] {
            let error = parse(bad.as_bytes()).unwrap_err();
            let mut skipped = Input::new(bad.as_bytes());
            let skipped = skipped.skip_any().and_then(|()| skipped.end());
            assert_eq!(skipped.unwrap_err().to_string(), error.to_string(), "{bad}");
        }
        assert!(parse(&[b'"', 0xFF, b'"']).is_err());
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn own_values_are_skipped_up_to_their_end() {
        for text in [
            r#"{}"#,
            r#"[]"#,
            r#"{"a":[1,{"b":"}]\"\\"},"[{"],"c":null}"#,
            r#""a{\"""#,
            "17",
            "true",
            r#"[[["\\\\"]]]"#,
        ] {
            let written = format!("{text},");
            let mut input = Input::new(written.as_bytes());
            input.skip_own().unwrap();
            assert_eq!(input.at, text.len(), "{text}");
        }
        for unfinished in ["{", r#"["]"#, r#"{"a":["#] {
            assert!(Input::new(unfinished.as_bytes()).skip_own().is_err(), "{unfinished}");
        }
    }
}
