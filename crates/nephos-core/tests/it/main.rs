//! The model layer on two toy services.

#![allow(unreachable_pub, reason = "one test program with modules that share toys")]

mod smoke;
mod toys;
