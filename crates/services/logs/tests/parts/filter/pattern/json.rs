//! Tests of `filter::pattern::json`.

use super::{assert_extracts, assert_matches, assert_rejected};

const TRAIL: &str = r#"{"eventType": "UpdateTrail", "sourceIPAddress": "111.111.111.111",
    "arrayKey": ["value", "another value"], "objectList": [{"name": "a", "id": 1}, {"name": "b", "id": 2}],
    "SomeObject": null, "ThisFlag": true, "cluster.name": "c"}"#;
const USERS: &str = r#"{"user": {"id": 1, "email": "John.Stiles@example.com"},
    "users": [{"id": 2, "email": "John.Doe@example.com"}, {"id": 3, "email": "Jane.Doe@example.com"}],
    "actions": ["GET", "PUT", "DELETE"], "coordinates": [[0, 1, 2], [4, 5, 6], [7, 8, 9]]}"#;

#[test]
fn strings_match_as_documented() {
    assert_matches(&[
        (r#"{ $.eventType = "UpdateTrail" }"#, &[TRAIL], &[USERS, "UpdateTrail", "", "{", "[1]", "\"x\""]),
        ("{$.eventType=UpdateTrail}", &[TRAIL], &[r#"{"eventType": "updateTrail"}"#]),
        ("{ $.sourceIPAddress != 123.123.* }", &[TRAIL], &[r#"{"sourceIPAddress": "123.123.0.1"}"#]),
        ("{ $.sourceIPAddress = 111.111.* }", &[TRAIL], &[]),
        (r#"{ $.arrayKey[0] = "value" }"#, &[TRAIL], &[r#"{"arrayKey": "value"}"#, r#"{"arrayKey": []}"#]),
        (r#"{ $.arrayKey[1] = "another*" }"#, &[TRAIL], &[]),
        ("{ $.objectList[1].id = 2 }", &[TRAIL], &[r#"{"objectList": [1, 2]}"#, r#"{"objectList": 2}"#]),
        (r#"{ $.['cluster.name'] = "c" }"#, &[TRAIL], &[r#"{"cluster": {"name": "c"}}"#]),
        (r#"{ $.a['b.c'].d = "é" }"#, &[r#"{"a": {"b.c": {"d": "é"}}}"#], &[]),
        ("{ $.eventType = * }", &[TRAIL, r#"{"eventType": false}"#], &[USERS, r#"{"eventType": null}"#]),
        ("{ $.a-b_c = x }", &[r#"{"a-b_c": "x"}"#], &[]),
        (r#"{ $.say = "a \"b\"" }"#, &[r#"{"say": "a \"b\""}"#], &[]),
    ]);
}

#[test]
fn lists_objects_and_missing_values_pass_no_comparison() {
    assert_matches(&[
        ("{ $.users = 1 }", &[], &[r#"{"users": [1, 2, 3]}"#, USERS]),
        ("{ $.users != 1 }", &[], &[r#"{"users": [1, 2, 3]}"#, USERS]),
        ("{ $.user != 1 }", &[r#"{"user": "me"}"#], &[USERS, r#"{"other": 1}"#, r#"{"user": null}"#]),
        ("{ $.flag = true }", &[r#"{"flag": "true"}"#], &[r#"{"flag": true}"#]),
        ("{ $.flag != true }", &[], &[r#"{"flag": false}"#]),
    ]);
}

#[test]
fn numbers_match_as_documented() {
    assert_matches(&[
        ("{ $.bandwidth > 75 }", &[r#"{"bandwidth": 75.1}"#], &[r#"{"bandwidth": 75}"#]),
        ("{ $.latency < 50 }", &[r#"{"latency": -3}"#], &[r#"{"latency": 50}"#, r#"{"latency": "5"}"#]),
        ("{ $.refreshRate >= 60 }", &[r#"{"refreshRate": 60}"#], &[r#"{"refreshRate": 59.9}"#]),
        ("{ $.responseTime <= 5 }", &[r#"{"responseTime": 5.0}"#], &[r#"{"responseTime": 5.01}"#]),
        ("{ $.errorCode = 400}", &[r#"{"errorCode": 400}"#, r#"{"errorCode": "400"}"#], &[TRAIL]),
        ("{ $.errorCode != 500 }", &[r#"{"errorCode": 400}"#], &[r#"{"errorCode": 5e2}"#]),
        ("{ $.number[0] = 1e+3 }", &[r#"{"number": [1000]}"#], &[r#"{"number": [1001]}"#]),
        ("{ $.number[0] != 1e-3 }", &[r#"{"number": [1]}"#], &[r#"{"number": [0.001]}"#]),
        ("{ $.n < 10e-3 }", &[r#"{"n": 0.009}"#], &[r#"{"n": 0.01}"#]),
        ("{ $.n > +1000 }", &[r#"{"n": 1001}"#], &[r#"{"n": 1000}"#]),
        ("{ $.status = 4* }", &[r#"{"status": 404}"#, r#"{"status": "4xx"}"#], &[r#"{"status": 504}"#]),
        (r#"{ $.status = "404" }"#, &[r#"{"status": 404}"#], &[]),
        ("{ $.id = 9007199254740993 }", &[r#"{"id": 9007199254740993}"#], &[r#"{"id": 9007199254740992}"#]),
    ]);
}

#[test]
fn is_and_not_exists_match_as_documented() {
    assert_matches(&[
        ("{ $.SomeObject IS NULL }", &[TRAIL], &[USERS, r#"{"SomeObject": {}}"#]),
        ("{ $.ThisFlag IS TRUE }", &[TRAIL], &[r#"{"ThisFlag": "true"}"#, USERS]),
        ("{ $.ThisFlag IS FALSE }", &[r#"{"ThisFlag": false}"#], &[TRAIL, USERS]),
        ("{ $.SomeOtherObject NOT EXISTS }", &[TRAIL], &[r#"{"SomeOtherObject": null}"#, "plain text"]),
        ("{$.arrayKey[2] NOT EXISTS&&$.arrayKey[1]=*}", &[TRAIL], &[]),
    ]);
}

#[test]
fn compound_expressions_match_as_documented() {
    assert_matches(&[
        (r#"{ ($.user.id = 1) && ($.users[0].email = "John.Doe@example.com") }"#, &[USERS], &[TRAIL]),
        (r#"{ ($.user.id = 2 && $.users[0].email = "nonmatch") || $.actions[2] = "GET" }"#, &[], &[USERS]),
        (
            r#"{ $.user.email = "John.Stiles@example.com" || $.coordinates[0][1] = x && $.actions[2] = x }"#,
            &[USERS],
            &[],
        ),
        (
            r#"{ ($.user.email = "John.Stiles@example.com" || $.coordinates[0][1] = x) && $.actions[2] = x }"#,
            &[],
            &[USERS],
        ),
        ("{ $.coordinates[1][2] = 6 && (($.user.id > 0)) }", &[USERS], &[]),
    ]);
}

#[test]
fn wildcard_selectors_and_regular_expressions_match_as_documented() {
    assert_matches(&[
        ("{ $.eventType = %Trail% }", &[TRAIL], &[r#"{"eventType": "Train"}"#]),
        ("{ $.eventType != %Trail% }", &[r#"{"eventType": "Train"}"#], &[TRAIL, "{}"]),
        ("{ $.arrayKey[*] = %val.{2}% }", &[TRAIL], &[r#"{"arrayKey": ["a", "b"]}"#]),
        (r"{ $.* = %111\.111\.111\.1[0-9]{1,2}% }", &[TRAIL], &[USERS]),
        (r#"{ $.users[*].email = "Jane*" }"#, &[USERS], &[TRAIL]),
        ("{ $.objectList[*].missing NOT EXISTS }", &[TRAIL, USERS], &[]),
        ("{ $.n = %^4\\d\\d$% }", &[r#"{"n": 404}"#], &[r#"{"n": 4040}"#]),
    ]);
}

#[test]
fn selected_values_are_extracted() {
    let latency = r#"{"latency": 50, "requestType": "GET"}"#;
    assert_extracts(&[
        ("{ $.latency = * }", latency, "$.latency: 50"),
        (
            "{ $.users[0].id = 2 || $.actions[*] = PUT && $.user.id != 7 && $.x NOT EXISTS }",
            USERS,
            "$.users[0].id: 2 | $.actions[*]: GET | $.user.id: 1",
        ),
        ("{ $.n > 1 && $.n < 9 }", r#"{"n": 2.5}"#, "$.n: 2.5"),
        ("GET", latency, ""),
    ]);
    assert_matches(&[("{ $.latency > 50 }", &[], &[latency])]);
}

#[test]
fn invalid_conditions_are_rejected_with_the_position() {
    assert_rejected(&[
        ("{ $.a = 1", "If a filter pattern starts with '{' it must end with '}'"),
        ("{ }", "expected a selector starting with $., at character 3"),
        ("{ a = 1 }", "expected a selector"),
        ("{ $[0] = 1 }", "expected a selector"),
        ("{ $.a.b. = 1 }", "expected a property name"),
        ("{ $.a.@b = 1 }", "need ['...'], at character 7"),
        ("{ $.a[x] = 1 }", "expected [0], [*] or ['name'], at character 6"),
        ("{ $.a[99999999999999999999999] = 1 }", "expected [0]"),
        ("{ $.[0] = 1 }", "expected a property"),
        ("{ $.a }", "expected one of ="),
        ("{ $.a == 1 }", "a value with '='"),
        ("{ $.a = }", "expected a value, at character 9"),
        ("{ $.a > b }", "> needs a number, at character 9"),
        ("{ $.a >= \"5\" }", ">= needs a number"),
        ("{ $.a < %5% }", "< needs a number"),
        ("{ $.a = b@c }", "a value with '@' must be in double quotes"),
        ("{ $.a = b c }", "expected && or || or '}', at character 11"),
        ("{ $.a = 1 && }", "expected a selector"),
        ("{ ($.a = 1 }", "or ')', at character 12"),
        ("{ $.a = 1 } }", "expected the end of the pattern"),
        ("{ $.a IS NOT NULL }", "IS NOT is not supported"),
        ("{ $.a EXISTS }", "EXISTS is not supported"),
        ("{ $.a IS 5 }", "IS needs NULL"),
        ("{ $.a NOT 5 }", "expected an operator"),
        ("{ $.a[*].b[*] = 1 }", "only one wildcard, at character 11"),
        ("{ $.*=1 || $.*=2 || $.*=3 || $.*=4 }", "at most 3 wildcard selectors"),
        ("{ $.a=%a% || $.a=%b% || $.a=%c% }", "at most 2 regular expressions"),
        ("{ $.a = %(b)% }", "parentheses"),
        ("{ $.a = \"b }", "not closed"),
    ]);
}
