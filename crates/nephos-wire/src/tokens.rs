//! Default values of idempotency tokens.

use nephos_core::{
    FieldSet, Ids, Ref,
    fill::{self, Reader},
    record::Fields,
};

/// Sets every idempotency token that is not set to a new value, in nested records too.
///
/// Call it once per request, before it is encoded: a retry after a failure must have the same token.
pub fn fill_tokens(record: &mut dyn Fields, ids: &Ids) {
    for (index, field) in record.shape().fields.iter().enumerate() {
        if field.details.token && record.field(index).view().is_null() {
            // A token that is not text is left unset.
            if fill::fill(record.field_mut(index), Ref::Text(&ids.uuid()), &Reader::TRUSTED).is_ok() {
                record.note_given(FieldSet::single(index));
            }
        } else if field.ty.has_records_within() {
            record.field_mut(index).each_record(&mut |inner| fill_tokens(inner, ids));
        }
    }
}
