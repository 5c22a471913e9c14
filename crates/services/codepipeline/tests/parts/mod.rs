//! Tests of parts of the service that no case can show alone.

mod webhook;
