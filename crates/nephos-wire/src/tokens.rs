//! Idempotency tokens: what a caller leaves out and a service must be given.

use nephos_core::{Ids, Ref, datum::Datum, fill, record::Fields};

/// Makes up every idempotency token that was left out.
pub fn fill_tokens(params: &mut dyn Fields, ids: &Ids) {
    for (index, field) in params.shape().fields.iter().enumerate() {
        if field.token && params.field(index).view().is_null() {
            // A token is text, and a UUID keeps every rule there is for one.
            let _ = fill::fill(
                params.field_mut(index) as &mut dyn Datum,
                Ref::Text(&ids.uuid()),
                &fill::Reader::TRUSTED,
            );
        }
    }
}
