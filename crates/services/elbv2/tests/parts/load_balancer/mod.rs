//! Tests of parts of `load_balancer`.

mod dns;
