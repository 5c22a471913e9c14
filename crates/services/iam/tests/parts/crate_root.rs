//! Tests of `the crate`.

use nephos_core::{
    Operation as _, Value, dynamic,
    fill::{self, Reader},
};
use nephos_iam::CreateUser;

#[test]
fn messages_about_broken_rules_have_no_values() {
    let name = Value::from("a b");
    let filled = dynamic::request(CreateUser::OPERATION, &mut |params| {
        fill::fill_field(params, "UserName", name.view(), &Reader::REQUEST, 0)
    });
    let text = "1 validation error detected: Value at 'userName' failed to satisfy constraint: Member must satisfy \
                regular expression pattern: [\\w+=,.@-]+";
    assert_eq!(filled.map(drop).unwrap_err().wire_message(), text);
}
