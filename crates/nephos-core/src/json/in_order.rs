//! Fast path for the fields of a record that come in the order of its shape and without spaces, as nearly all do:
//! each is read with its static type and checked at once. The general decoder reads everything else.

use super::input::Input;
use crate::{
    FieldSet, Result,
    field_value::FieldType,
    fill::{Names, Reader, with_field},
    record::Fields,
    rules,
    shape::{Presence, RecordShape},
};

/// Decoder of a record's fields, as long as they come in the order of its shape.
#[derive(Debug)]
pub struct InOrder<'a, 'text> {
    input: &'a mut Input<'text>,
    reader: &'a Reader,
    shape: &'static RecordShape,
    /// Position of the next key; the end of the text if there is none.
    next: usize,
    read: &'a mut ReadState,
}

/// State of a record's fields while it is read.
#[derive(Debug, Default)]
pub(crate) struct ReadState {
    /// Fields that were given.
    pub(crate) given: FieldSet,
    /// Fields whose values keep all rules and need no nested defaults.
    pub(crate) valid: FieldSet,
    /// Probable index of the next field.
    pub(crate) expected: usize,
    /// True if no check and no default is left to do for any field.
    pub(crate) finished: bool,
}

impl<'a, 'text> InOrder<'a, 'text> {
    /// Fills fields of `record` while they come in order, from the first on. Leaves the input after the last of
    /// them.
    pub(super) fn fill(
        record: &mut dyn Fields,
        input: &'a mut Input<'text>,
        reader: &'a Reader,
        read: &'a mut ReadState,
    ) -> Result<()> {
        let (shape, next) = (record.shape(), input.at);
        match reader.names {
            Names::Any | Names::Name => record.take_in_order(&mut Self { input, reader, shape, next, read }),
            Names::Alias | Names::Wire => Ok(()),
        }
    }

    /// Fills a field if its key is next: its name in quotes, and the colon.
    // The length of a key is a constant at each call, so this is a comparison or two.
    #[inline(always)]
    pub fn take<const N: usize, T: FieldType>(
        &mut self,
        index: usize,
        key: &[u8; N],
        field_value: &mut T,
    ) -> Result<()> {
        if !self.input.has(self.next, key) {
            return Ok(());
        }
        self.input.at = self.next + N;
        self.take_value(index, field_value)
    }

    // Compiled once per type of field: inlined, it would be in every record many times.
    #[inline(never)]
    fn take_value<T: FieldType>(&mut self, index: usize, field_value: &mut T) -> Result<()> {
        let field = &self.shape.fields[index];
        self.input.space();
        let valid = match field_value.take_json(self.input, self.reader) {
            Ok(valid) => valid,
            Err(error) => return Err(with_field(field, error)),
        };
        self.next = self.input.after_comma();
        self.read.given.insert(index);
        self.read.expected = index + 1;
        // Only input of callers is checked.
        if self.reader.checked
            && valid
            && (field.rules.is_empty() || rules::satisfies_all(field.rules, field_value.view()))
        {
            self.read.valid.insert(index);
        }
        Ok(())
    }
}

impl ReadState {
    /// Sets `finished`.
    pub(super) fn set_finished(&mut self, shape: &RecordShape, reader: &Reader) {
        // Only input of callers is checked.
        self.finished =
            reader.checked && (self.valid == FieldSet::first(shape.fields.len()) || self.is_complete(shape));
    }

    fn is_complete(&self, shape: &RecordShape) -> bool {
        let blank =
            |index: usize| !self.given.contains(index) && shape.fields[index].presence != Presence::Required;
        let settled = |index: usize| self.valid.contains(index) || shape.fields[index].default.is_none();
        shape.checked.iter().all(|index| self.valid.contains(index) || blank(index))
            && (!shape.defaults || (0..shape.fields.len()).all(settled))
    }
}
