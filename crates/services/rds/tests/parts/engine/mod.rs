//! Tests of `engine`.

mod classes;

use nephos_rds::engine::*;

#[test]
fn nearest_engine_is_named() {
    let error = require("postgers").err().unwrap();
    assert_eq!(error.hint(), Some("did you mean postgres?"));
}
