//! The model layer on two toy services.

#![allow(unreachable_pub, reason = "one test program with modules that share toys")]
#![allow(clippy::unwrap_used, reason = "what fails in a test fails the test, in its helpers too")]

mod assignment;
mod calls;
mod derived;
mod dynamic;
mod guidelines;
mod identity;
mod json;
mod lookups;
mod names;
mod predicates;
mod pushdown;
mod relations;
mod results;
mod save;
mod shapes;
mod smoke;
mod sources;
mod strings;
mod tags;
mod tour;
mod toys;
mod transform;
mod workflows;
