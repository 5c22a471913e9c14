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
