//! Tests of parts of the service that no case can show alone.

mod load_balancer;
mod network;
mod routing;
mod trust_store;
