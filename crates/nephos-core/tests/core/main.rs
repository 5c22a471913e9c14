//! Tests of the model layer with toy services.

#![allow(unreachable_pub, reason = "one test program with modules that share toys")]
#![allow(clippy::unwrap_used, reason = "a failure in a helper should fail the test")]

mod assignment;
mod calls;
mod compile_fail;
mod derived;
mod dynamic;
mod guidelines;
mod identity;
mod json;
mod lookups;
mod names;
mod permissions;
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
mod violations;
mod workflows;
