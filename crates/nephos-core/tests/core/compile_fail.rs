//! Mistakes in the use of the derives: the compiler's message says what is wrong, and where.
//!
//! After a message was changed on purpose, `TRYBUILD=overwrite cargo test -p nephos-core --test compile_fail`
//! updates the expected output.

#[test]
fn mistakes_are_compile_errors() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
