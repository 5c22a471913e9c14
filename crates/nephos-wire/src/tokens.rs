//! Idempotency tokens: what a caller who leaves one out means.

use nephos_core::{
    FieldSet, Ids, Ref,
    fill::{self, Reader},
    record::Fields,
};

/// Gives every idempotency token that is not set a new value, in nested records too.
///
/// A request that is sent again after a failure has to carry the same token: this is called once per request, before
/// it is encoded.
pub fn fill_tokens(record: &mut dyn Fields, ids: &Ids) {
    for (index, field) in record.shape().fields.iter().enumerate() {
        if field.token && record.field(index).view().is_null() {
            // A token that is no text has no value that could be made up.
            if fill::fill(record.field_mut(index), Ref::Text(&ids.uuid()), &Reader::TRUSTED).is_ok() {
                record.note_given(FieldSet::single(index));
            }
        } else if field.ty.has_records_within() {
            record.field_mut(index).each_record(&mut |inner| fill_tokens(inner, ids));
        }
    }
}
