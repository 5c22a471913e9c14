//! Tests of `filter::pattern::columns`.

use super::{assert_extracts, assert_matches, assert_rejected};

const APACHE: &str =
    r#"127.0.0.1 Prod frank [10/Oct/2000:13:25:15 -0700] "GET /index.html HTTP/1.0" 404 1534"#;
const INFO: &str = "INFO 09/25/2014 12:00:00 GET /service/resource/67 1200";
const PART: &str = "INFO 09/25/2014 12:00:01 POST /service/resource/67/part/111 1310";
const WARNING: &str = "WARNING 09/25/2014 12:00:02 Invalid user request";
const ERROR: &str = "ERROR 09/25/2014 12:00:02 Failed to process request";

#[test]
fn columns_match_as_documented() {
    assert_matches(&[
        ("[ip, user, username, timestamp, request, status_code, bytes]", &[APACHE], &["a b c", ""]),
        (
            r"[ip=%127\.0\.0\.[1-9]%, user, username, timestamp, request =*.html*, status_code = 4*, bytes]",
            &[APACHE],
            &["10.0.0.1 a b c x.html 404 1", "127.0.0.1 a b c x.html 200 1"],
        ),
        ("[..., request =*.html*, status_code = 4*, bytes]", &[APACHE, "x.html 404 1"], &[INFO, "404 1"]),
        (
            "[ip, user, username, timestamp, request =*.html*, status_code = 404 || status_code = 410, bytes]",
            &[APACHE, "1 2 3 4 x.html 410 7"],
            &["1 2 3 4 x.html 400 7"],
        ),
        ("[ip, user, ..., bytes > 1000]", &[APACHE, INFO], &["a b 999", "a b word", "1001"]),
        ("[ip, user, ...]", &[APACHE, "a b"], &["a"]),
        ("[...]", &[APACHE, ""], &[]),
        ("[..., status = 4* && status != 403, bytes]", &[APACHE], &["403 1", "500 1"]),
        ("[w1=ERROR, w2]", &["ERROR message", ERROR], &[WARNING, INFO, "ERROR", "ERRORS x"]),
        ("[w1=ERROR || w1=WARNING, w2]", &[ERROR, WARNING], &[INFO]),
        ("[w1!=ERROR && w1!=WARNING, w2]", &[INFO], &[ERROR, WARNING]),
        ("[w1=ERROR]", &["ERROR", " ERROR\n"], &[ERROR]),
        ("[logLevel, date, time, method, url=%/service/resource/[0-9]+$%, response_time]", &[INFO], &[PART]),
        (
            "[logLevel, date, time, method, url=%/service/resource/[0-9]+/part/[0-9]+$%, response_time]",
            &[PART],
            &[INFO],
        ),
        (
            r#"[timestamp=*Z, request_id="*-*", event]"#,
            &["2016-01-01T00:00:00.000Z\t6e6a2c-77\tfirst second third"],
            &["2016-01-01T00:00:00.000Z 6e6a2c first"],
        ),
        (r#"[..., port="22", action="REJECT", status]"#, &["2 eni 22 REJECT OK"], &["2 eni 22 ACCEPT OK"]),
        ("[n <= 1e3, m >= -1.5]", &["1000 -1.5"], &["1000.1 -1.5", "1000 -1.6", "1000 x"]),
        ("[n = 200, ...]", &["200.0 x", "200"], &["201 x"]),
        ("[(w=A || w=B) && w!=%B%, ...]", &["A x"], &["B x", "C x"]),
    ]);
}

#[test]
fn fields_are_extracted_by_name_or_position() {
    assert_extracts(&[
        (
            "[ip, user, username, timestamp, request =*.html*, status_code = 4*, bytes]",
            APACHE,
            "$ip: 127.0.0.1 | $user: Prod | $username: frank | $timestamp: 10/Oct/2000:13:25:15 -0700 | \
             $request: GET /index.html HTTP/1.0 | $status_code: 404 | $bytes: 1534",
        ),
        (
            "[..., request=*.html*, status_code=4*,]",
            APACHE,
            "$1: 127.0.0.1 | $2: Prod | $3: frank | $4: 10/Oct/2000:13:25:15 -0700 | \
             $request: GET /index.html HTTP/1.0 | $status_code: 404 | $7: 1534",
        ),
    ]);
}

#[test]
fn the_last_column_takes_the_rest_of_the_message() {
    assert_extracts(&[
        ("[level, rest]", "WARN \"a b\" [c] d ", "$level: WARN | $rest: \"a b\" [c] d"),
        ("[level, rest]", "WARN \"a b\" ", "$level: WARN | $rest: a b"),
    ]);
}

#[test]
fn only_closed_quotes_and_brackets_group_a_field() {
    assert_extracts(&[
        ("[...]", r#""say \"hi\" now" x"#, r#"$1: say \"hi\" now | $2: x"#),
        ("[...]", "[a b]c", "$1: a b | $2: c"),
        ("[...]", "\"a b", "$1: \"a | $2: b"),
        ("[...]", "[a [b", "$1: [a | $2: [b"),
        ("[...]", "k=\"a b\"", "$1: k=\"a | $2: b\""),
        ("[...]", "\"\" []", "$1:  | $2: "),
        ("[...]", "\u{a0}é\u{2003}日", "$1: é | $2: 日"),
    ]);
}

#[test]
fn invalid_columns_are_rejected_with_the_position() {
    assert_rejected(&[
        ("[a, b", "If a filter pattern starts with '[' it must end with ']'"),
        ("[]", "expected a column, at character 2"),
        ("[a b]", "expected one of ="),
        ("[a, b.c]", "expected one of = != < <= > >=, at character 6"),
        ("[\"a\", b]", "expected a column name"),
        ("[..., a, ...]", "only one ..., at character 10"),
        ("[a, b, a]", "same name, at character 8"),
        ("[status = 4* && bytes > 1000]", "can only test its own column, at character 17"),
        ("[a=!ERROR]", "a value with '!'"),
        ("[a=]", "expected a value"),
        ("[a > x]", "> needs a number"),
        ("[a=1 b]", "expected a comma"),
        ("[a=1 &&]", "expected a column name"),
        ("[a] b]", "expected the end of the pattern"),
        ("[a=%x%, b=%y%, c=%z%]", "at most 2 regular expressions"),
    ]);
}
