//! Clouds in a PostgreSQL in a scratch folder. Without PostgreSQL, the tests say so and do nothing; with NEPHOS_NEEDS_POSTGRES they
//! fail.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod cases;
mod round_trips;
mod servers;
