//! Clouds in a PostgreSQL in a scratch folder. Without PostgreSQL, the tests say so and do nothing; with NEPHOS_NEEDS_POSTGRES they
//! fail.

mod cases;
mod round_trips;
mod servers;
