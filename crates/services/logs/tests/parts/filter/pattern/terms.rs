//! Tests of `filter::pattern::terms`.

use super::assert_matches;
use super::assert_rejected;

const BAD: &str = "[ERROR 400] BAD REQUEST";
const UNAUTHORIZED: &str = "[ERROR 401] UNAUTHORIZED REQUEST";
const MISSING: &str = "[ERROR 419] MISSING ARGUMENTS";
const INVALID: &str = "[ERROR 420] INVALID ARGUMENTS";
const SERVER: &str = "[ERROR 500] INTERNAL SERVER ERROR";
const SUCCESS: &str = "[SUCCESS 200] AUTHORIZED REQUEST";

#[test]
fn terms_match_as_documented() {
    assert_matches(&[
        ("ERROR", &[BAD, UNAUTHORIZED, MISSING, INVALID], &[SUCCESS, "error", ""]),
        ("ERROR", &["Exiting with ERRORCODE: -1"], &[]),
        ("ERROR ARGUMENTS", &[MISSING, INVALID], &[BAD, UNAUTHORIZED]),
        ("  ARGUMENTS   ERROR ", &[MISSING], &["ARGUMENTS", "ERROR"]),
        ("?ERROR ?ARGUMENTS", &[BAD, MISSING, "no ARGUMENTS"], &[SUCCESS]),
        ("?ERROR ?ARGUMENTS REQUEST", &["[INFO] REQUEST FAILED", BAD], &[MISSING]),
        ("?ERROR -REQUEST", &["anything"], &[BAD]),
        ("\"INTERNAL SERVER ERROR\"", &[SERVER], &["INTERNAL ERROR", "INTERNAL  SERVER ERROR"]),
        ("ERROR -ARGUMENTS", &[BAD, UNAUTHORIZED], &[MISSING, INVALID]),
        ("\"ERROR\" - \"Exiting\"", &[BAD], &["Exiting with ERRORCODE: -1"]),
        ("-ERROR", &[SUCCESS, ""], &[BAD]),
        ("-\"ERROR 4\" -SUCCESS", &[SERVER], &[BAD, SUCCESS]),
        ("snake_case 42", &["a snake_case_42"], &["snake case 42"]),
        (r#""say \"hi\" \\ \n""#, &[r#"say "hi" \ \n"#], &["say hi"]),
        ("%AUTHORIZED%", &[UNAUTHORIZED, SUCCESS], &[BAD]),
        (r"%\d{1,3}\.\d{1,3}%", &["v 10.1"], &["v 10,1"]),
        ("%[Ee]rror|[Ff]ail%", &["an error", "Failed"], &["ERROR"]),
        ("ERROR %4[01]\\d% -%BAD%", &[UNAUTHORIZED, MISSING], &[BAD, INVALID]),
        ("\"日本\"", &["の日本語"], &["日 本"]),
    ]);
}

#[test]
fn invalid_terms_are_rejected_with_the_position() {
    assert_rejected(&[
        ("request-id", "Invalid character(s) in term 'request-id'"),
        ("ok foo:bar", "at character 4"),
        ("é", "double quotes"),
        ("\"open", "not closed, at character 1"),
        ("ERROR \"open", "at character 7"),
        ("\"a\"b", "a space between terms, at character 4"),
        ("ERROR -", "expected a term, at character 8"),
        ("?", "expected a term"),
        ("%open", "% is not closed"),
        ("%a% %b% %c%", "at most 2 regular expressions, at character 9"),
        ("%something!%", "not supported"),
        ("$.a = 1", "Invalid character(s)"),
    ]);
}
