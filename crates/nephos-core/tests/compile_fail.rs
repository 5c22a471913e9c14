//! Mistakes that a newcomer makes with the derives: the compiler tells in our words what is wrong, and where.
//!
//! After a message was changed on purpose, `TRYBUILD=overwrite cargo test -p nephos-core --test compile_fail` writes
//! the new ones down.

#[test]
fn mistakes_are_told_when_they_are_compiled() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
