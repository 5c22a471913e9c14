//! Patterns on JSON messages: `{ $.user.id = 1 && ($.tags[*] = "beta*" || $.trial IS TRUE) }`.

use super::{
    condition::Condition,
    parse::{Cursor, Expression},
    selector::Selector,
};
use nephos_core::{Result, Value, json};
use std::borrow::Cow;

/// Maximum number of wildcard selectors in a pattern; a selector can have one wildcard.
const MAX_WILDCARD_SELECTORS: usize = 3;

/// A condition on a JSON message.
#[derive(Clone, Debug)]
pub(super) struct Json(Expression<Test>);

#[derive(Clone, Debug)]
struct Test {
    selector: Selector,
    requirement: Requirement,
}

#[derive(Clone, Debug)]
enum Requirement {
    /// A selected value passes the condition.
    Condition(Condition),
    /// A selected value is null, true or false.
    Is(Value),
    /// No value is selected.
    Absent,
}

impl Json {
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.open_bracket('{', '}')?;
        let mut wildcards = 0;
        let expression = cursor.parse_expression(&mut |cursor| {
            let start = cursor.position();
            let selector = Selector::parse(cursor)?;
            wildcards += usize::from(selector.has_wildcard());
            if wildcards > MAX_WILDCARD_SELECTORS {
                let message =
                    format!("a pattern can have at most {MAX_WILDCARD_SELECTORS} wildcard selectors");
                return Err(cursor.error_at(start, message));
            }
            Ok(Test { selector, requirement: parse_requirement(cursor)? })
        })?;
        cursor.close_bracket("}", "expected && or || or '}'")?;
        Ok(Self(expression))
    }

    pub(super) fn matches(&self, message: &str) -> bool {
        parse_object(message).is_some_and(|message| self.holds(&message))
    }

    pub(super) fn extract(&self, message: &str) -> Option<Vec<(String, String)>> {
        let message = parse_object(message).filter(|message| self.holds(message))?;
        let mut values: Vec<(String, String)> = Vec::new();
        self.0.visit(&mut |test| {
            let name = &test.selector.text;
            let found = test.selector.find(&message).into_iter().find_map(text_of);
            if let Some(value) = found.filter(|_| values.iter().all(|(known, _)| known != name)) {
                values.push((name.clone(), value.into_owned()));
            }
        });
        Some(values)
    }

    fn holds(&self, message: &Value) -> bool {
        self.0.holds(&mut |test| {
            let found = test.selector.find(message);
            match &test.requirement {
                Requirement::Condition(condition) => found.into_iter().any(|value| passes(condition, value)),
                Requirement::Is(wanted) => found.contains(&wanted),
                Requirement::Absent => found.is_empty(),
            }
        })
    }
}

/// Parses a message, if it is a JSON object.
fn parse_object(message: &str) -> Option<Value> {
    // The first character shows that most messages are not JSON objects.
    let is_object = message.trim_start().starts_with('{');
    is_object.then(|| json::parse(message.as_bytes()).ok()).flatten()
}

/// True if the value passes the condition. Objects, lists and nulls pass no comparison, not even `!=`; booleans pass
/// only `= *`.
fn passes(condition: &Condition, value: &Value) -> bool {
    match value {
        Value::Bool(_) => condition.is_presence(),
        Value::Int(_) | Value::Float(_) => {
            text_of(value).is_some_and(|text| condition.holds(&text, Some(value.view())))
        }
        _ => value.as_text().is_some_and(|text| condition.holds(text, None)),
    }
}

fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    value.view().text_form()
}

/// Parses the part of a test after its selector.
fn parse_requirement(cursor: &mut Cursor<'_>) -> Result<Requirement> {
    cursor.skip_space();
    let start = cursor.position();
    let word = |cursor: &mut Cursor<'_>| {
        cursor.skip_space();
        cursor.take_while(|c| c.is_ascii_alphabetic()).to_owned()
    };
    let message = match word(cursor).as_str() {
        "" => return cursor.parse_condition().map(Requirement::Condition),
        "IS" => match word(cursor).as_str() {
            "NULL" => return Ok(Requirement::Is(Value::Null)),
            "TRUE" => return Ok(Requirement::Is(Value::Bool(true))),
            "FALSE" => return Ok(Requirement::Is(Value::Bool(false))),
            "NOT" => "IS NOT is not supported",
            _ => "IS needs NULL, TRUE or FALSE",
        },
        "NOT" if word(cursor) == "EXISTS" => return Ok(Requirement::Absent),
        "EXISTS" => "EXISTS is not supported; write = *",
        _ => "expected an operator, IS or NOT EXISTS",
    };
    Err(cursor.error_at(start, message))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_extracts, assert_matches, assert_rejected};

    const TRAIL: &str = r#"{"eventType": "UpdateTrail", "sourceIPAddress": "111.111.111.111",
        "arrayKey": ["value", "another value"], "objectList": [{"name": "a", "id": 1}, {"name": "b", "id": 2}],
        "SomeObject": null, "ThisFlag": true, "cluster.name": "c"}"#;
    const USERS: &str = r#"{"user": {"id": 1, "email": "John.Stiles@example.com"},
        "users": [{"id": 2, "email": "John.Doe@example.com"}, {"id": 3, "email": "Jane.Doe@example.com"}],
        "actions": ["GET", "PUT", "DELETE"], "coordinates": [[0, 1, 2], [4, 5, 6], [7, 8, 9]]}"#;

    #[test]
    fn strings_match_as_documented() {
        assert_matches(&[
            (
                r#"{ $.eventType = "UpdateTrail" }"#,
                &[TRAIL],
                &[USERS, "UpdateTrail", "", "{", "[1]", "\"x\""],
            ),
            ("{$.eventType=UpdateTrail}", &[TRAIL], &[r#"{"eventType": "updateTrail"}"#]),
            ("{ $.sourceIPAddress != 123.123.* }", &[TRAIL], &[r#"{"sourceIPAddress": "123.123.0.1"}"#]),
            ("{ $.sourceIPAddress = 111.111.* }", &[TRAIL], &[]),
            (
                r#"{ $.arrayKey[0] = "value" }"#,
                &[TRAIL],
                &[r#"{"arrayKey": "value"}"#, r#"{"arrayKey": []}"#],
            ),
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
            (
                "{ $.id = 9007199254740993 }",
                &[r#"{"id": 9007199254740993}"#],
                &[r#"{"id": 9007199254740992}"#],
            ),
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
            (
                r#"{ ($.user.id = 2 && $.users[0].email = "nonmatch") || $.actions[2] = "GET" }"#,
                &[],
                &[USERS],
            ),
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
}
