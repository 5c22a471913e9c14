//! Tests of parts of `delivery`.

mod destination_request;
