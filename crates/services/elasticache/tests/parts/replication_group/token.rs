//! Tests of `replication_group::token`.

use nephos_core::Secret;
use nephos_elasticache::parts::token::*;

#[test]
fn tokens_have_allowed_characters_and_length() {
    check(&Secret::from("0123456789ab!&#$^<>-")).unwrap();
    for token in ["0123456789abcde", "0123456789abcde/", "0123456789abcde ", "0123456789abcdeé"] {
        check(&Secret::from(token)).unwrap_err();
    }
    check(&Secret::from("a".repeat(129))).unwrap_err();
}
