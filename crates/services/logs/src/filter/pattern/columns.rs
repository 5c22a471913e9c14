//! Patterns on space-delimited messages: `[ip, user, ..., status = 4*, bytes > 1000]`.

use super::{
    condition::{Condition, parse_number},
    parse::{Cursor, Expression},
};
use nephos_core::Result;

/// Columns of a message, with an ellipsis for any number of columns at one position.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    columns: Vec<Column>,
    /// Number of columns before the ellipsis.
    ellipsis: Option<usize>,
}

#[derive(Clone, Debug, Default)]
struct Column {
    name: Option<String>,
    condition: Option<Expression<Condition>>,
}

impl Columns {
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.open_bracket('[', ']')?;
        let mut this = Self { columns: Vec::new(), ellipsis: None };
        cursor.skip_space();
        if cursor.peek() == Some(']') {
            return Err(cursor.error("expected a column"));
        }
        loop {
            cursor.skip_space();
            let start = cursor.position();
            if cursor.eat("...") {
                if this.ellipsis.replace(this.columns.len()).is_some() {
                    return Err(cursor.error_at(start, "a pattern can have only one ..."));
                }
            } else {
                let column = Column::parse(cursor)?;
                if column.name.is_some() && this.columns.iter().any(|known| known.name == column.name) {
                    return Err(cursor.error_at(start, "two columns have the same name"));
                }
                this.columns.push(column);
            }
            cursor.skip_space();
            if !cursor.eat(",") {
                break;
            }
        }
        cursor.close_bracket("]", "expected a comma, an operator, && or || or ']'")?;
        Ok(this)
    }

    pub(super) fn matches(&self, message: &str) -> bool {
        self.align(message).is_some()
    }

    pub(super) fn extract(&self, message: &str) -> Option<Vec<(String, String)>> {
        let named = |(n, (column, field)): (usize, (Option<&Column>, &str))| {
            let name = column.and_then(|column| column.name.as_ref());
            (name.map_or_else(|| format!("${}", n + 1), |name| format!("${name}")), field.to_owned())
        };
        Some(self.align(message)?.into_iter().enumerate().map(named).collect())
    }

    /// Returns the fields of the message, each with its column; `None` if the message does not match.
    fn align<'a>(&self, message: &'a str) -> Option<Vec<(Option<&Column>, &'a str)>> {
        let mut fields = split_fields(message);
        if self.ellipsis.is_none() && fields.len() > self.columns.len() {
            // The last column takes the rest of the message, unparsed.
            let last = fields.get_mut(self.columns.len().checked_sub(1)?)?;
            last.text = message[last.start..].trim_end();
            fields.truncate(self.columns.len());
        }
        let skipped = fields.len().checked_sub(self.columns.len())?;
        let (before, after) = self.columns.split_at(self.ellipsis.unwrap_or(self.columns.len()));
        let columns =
            before.iter().map(Some).chain(std::iter::repeat_n(None, skipped)).chain(after.iter().map(Some));
        let aligned: Vec<_> = columns.zip(fields.iter().map(|field| field.text)).collect();
        aligned
            .iter()
            .all(|(column, field)| column.is_none_or(|column| column.accepts(field)))
            .then_some(aligned)
    }
}

impl Column {
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        if let Some(',' | ']') = cursor.peek() {
            return Ok(Self::default());
        }
        let mut ahead = cursor.clone();
        let bare = ahead.take_name();
        ahead.skip_space();
        if let Some(',' | ']') = ahead.peek() {
            *cursor = ahead;
            return Ok(Self { name: Some(bare.to_owned()), condition: None });
        }
        let mut name: Option<String> = None;
        let condition = cursor.parse_expression(&mut |cursor| {
            let start = cursor.position();
            let column = cursor.take_name();
            if column.is_empty() {
                return Err(cursor.error("expected a column name"));
            }
            if name.get_or_insert_with(|| column.to_owned()) != column {
                let message = "a condition can only test its own column";
                return Err(cursor.error_at(start, message));
            }
            cursor.skip_space();
            cursor.parse_condition()
        })?;
        Ok(Self { name, condition: Some(condition) })
    }

    fn accepts(&self, field: &str) -> bool {
        let Some(condition) = &self.condition else { return true };
        let number = parse_number(field);
        condition.holds(&mut |condition| condition.holds(field, number.as_ref().map(|number| number.view())))
    }
}

/// A field of a message, without its quotes or brackets.
struct Field<'a> {
    text: &'a str,
    start: usize,
}

/// Splits a message into fields at spaces; quotes and brackets that are closed group a field.
fn split_fields(message: &str) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    let mut at = 0;
    // Remember that no closing quote or bracket follows, so that the search is not repeated: it would be quadratic.
    let (mut quotes, mut brackets) = (true, true);
    loop {
        let rest = &message[at..];
        let start = at + rest.len() - rest.trim_start().len();
        let rest = &message[start..];
        let Some(first) = rest.chars().next() else { return fields };
        let closed = match first {
            '"' if quotes => closing_quote(rest),
            '[' if brackets => rest.find(']'),
            _ => None,
        };
        match first {
            '"' => quotes = closed.is_some(),
            '[' => brackets = closed.is_some(),
            _ => {}
        }
        let (text, length) = match closed {
            Some(end) => (&rest[1..end], end + 1),
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                (&rest[..end], end)
            }
        };
        fields.push(Field { text, start });
        at = start + length;
    }
}

/// Returns the position of the closing quote of `text`; a quote after a backslash does not close.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    let closes = |(_, byte): &(usize, u8)| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    };
    text.bytes().enumerate().skip(1).find(closes).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_extracts, assert_matches, assert_rejected};

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
            (
                "[logLevel, date, time, method, url=%/service/resource/[0-9]+$%, response_time]",
                &[INFO],
                &[PART],
            ),
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
            (
                r#"[..., port="22", action="REJECT", status]"#,
                &["2 eni 22 REJECT OK"],
                &["2 eni 22 ACCEPT OK"],
            ),
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
}
