//! Tests of `simulation::statements`.

use nephos_iam::parts::simulation::Position;
use nephos_iam::parts::statements::*;

#[test]
fn statements_have_positions() {
    let at = |line, column| Position::new(line, column);
    for (document, expected) in [
        (r#"{"Version":"2012-10-17","Statement":[{"a":1}]}"#, vec![[at(1, 38), at(1, 45)]]),
        (
            r#"{"Version": "2012-10-17", "Statement": [{}, {}]}"#,
            vec![[at(1, 41), at(1, 43)], [at(1, 44), at(1, 47)]],
        ),
        (r#"{"Statement": {"a": {"b": "}]"}}, "Id": "x"}"#, vec![[at(1, 14), at(1, 33)]]),
        ("{\n  \"Statement\": [\n    {\n    }\n  ]\n}", vec![[at(2, 17), at(4, 6)]]),
        (r#"{"Statement": [], "Id": "\"{"}"#, vec![]),
    ] {
        assert_eq!(positions(document), expected, "{document}");
    }
}

#[test]
fn statements_refer_to_context_keys() {
    let document = r#"{"Statement": [{"Condition": {"StringEquals": {"aws:username": "x", "s3:prefix": "${aws:UserId}"},
        "Bool": {"AWS:Username": true}}}, {"Resource": ["a/${aws:username, 'x'}/${*}"], "Action": "${a:b}"}]}"#;
    let keys = [vec!["aws:username", "s3:prefix", "aws:UserId"], vec!["aws:username"]];
    assert_eq!(context_keys(document), keys);
    assert!(context_keys("[").is_empty());
}
