//! Tests of parts of `role`.

mod linked_services;
