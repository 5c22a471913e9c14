//! Tests of parts of the service that no case can show alone.

mod instance;
mod network;
mod zones;
