//! Explains which part of a pattern an event does not match.

use super::{Alternative, Event, Leaf, Pattern};
use std::fmt;

/// Number of values of a field that an explanation shows.
const MAX_SHOWN_VALUES: usize = 8;
/// Number of combinations of `$or` that an explanation shows.
const MAX_SHOWN_ALTERNATIVES: usize = 8;

/// Explanation of the match of one event, field by field. Its [`Display`](fmt::Display) form has one line for each field.
///
/// ```
/// use nephos_core::json;
/// use nephos_events::pattern::{Event, Pattern};
///
/// let pattern = Pattern::parse(r#"{"source": ["shop"], "detail": {"state": [{"prefix": "paid"}]}}"#)?;
/// let value = json::parse(br#"{"source": "shop", "detail": {"state": "open"}}"#).expect("it is JSON");
/// let explanation = pattern.explain(&Event::prepare(&value).expect("it is an object"));
/// assert!(!explanation.matched);
/// assert_eq!(
///     explanation.to_string(),
///     "no match: detail.state is \"open\", expected {\"prefix\":\"paid\"}\n\
///      ✗ detail.state: \"open\", expected {\"prefix\":\"paid\"}\n\
///      ✓ source: \"shop\"\n"
/// );
/// # Ok::<(), nephos_events::pattern::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// True if the event matches the pattern.
    pub matched: bool,
    /// Fields of each combination of the objects of `$or`; one list if the pattern has no `$or`.
    pub alternatives: Vec<AlternativeExplanation>,
}

/// Explanation of the fields that must match together.
#[derive(Clone, Debug, PartialEq)]
pub struct AlternativeExplanation {
    /// True if all fields match.
    pub matched: bool,
    /// Fields, in the order of their names.
    pub fields: Vec<FieldExplanation>,
}

/// Explanation of one field of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldExplanation {
    /// Name of the field, with the names of the objects around it.
    pub field: String,
    /// True if a value of the event, or its absence, is one of the choices.
    pub matched: bool,
    /// Values of the field in the event, as JSON.
    pub values: Vec<String>,
    /// Choices of the pattern, as JSON.
    pub choices: Vec<String>,
}

impl Pattern {
    /// Explains which fields of the pattern the event matches.
    pub fn explain(&self, event: &Event<'_>) -> Explanation {
        let alternatives: Vec<_> = self.alternatives.iter().map(|fields| fields.explain(event)).collect();
        Explanation { matched: alternatives.iter().any(|alternative| alternative.matched), alternatives }
    }
}

impl Alternative {
    fn explain(&self, event: &Event<'_>) -> AlternativeExplanation {
        let fields = self.leaves.iter().map(|leaf| leaf.explain(event)).collect();
        AlternativeExplanation { matched: self.matches(event), fields }
    }
}

impl Leaf {
    fn explain(&self, event: &Event<'_>) -> FieldExplanation {
        let values = event.values(&self.path);
        // A field of an array can be missing in one of its items.
        let is_absent = values.iter().all(|value| !event.items(value).is_empty());
        FieldExplanation {
            field: self.path.to_string(),
            matched: values.iter().any(|value| self.accepts(value)) || (self.accepts_absence() && is_absent),
            values: values.iter().map(|value| value.scalar.to_string()).collect(),
            choices: self.choices.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Explanation {
    /// First field that the event does not match, in the combination with the fewest such fields. None if the event
    /// matches, or if only the fields of an array do not match in the same item.
    pub fn first_mismatch(&self) -> Option<&FieldExplanation> {
        if self.matched {
            return None;
        }
        let mismatches = |alternative: &&AlternativeExplanation| alternative.mismatches().count();
        self.alternatives.iter().min_by_key(mismatches)?.mismatches().next()
    }
}

impl AlternativeExplanation {
    fn mismatches(&self) -> impl Iterator<Item = &FieldExplanation> {
        self.fields.iter().filter(|field| !field.matched)
    }
}

impl FieldExplanation {
    fn values_text(&self) -> String {
        match &*self.values {
            [] => "missing".to_owned(),
            [value] => value.clone(),
            values if values.len() > MAX_SHOWN_VALUES => {
                format!(
                    "{}, and {} more",
                    values[..MAX_SHOWN_VALUES].join(", "),
                    values.len() - MAX_SHOWN_VALUES
                )
            }
            values => values.join(", "),
        }
    }

    fn choices_text(&self) -> String {
        self.choices.join(" or ")
    }
}

impl fmt::Display for FieldExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (field, values) = (&self.field, self.values_text());
        if self.matched {
            write!(f, "✓ {field}: {values}")
        } else {
            write!(f, "✗ {field}: {values}, expected {}", self.choices_text())
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first_mismatch() {
            _ if self.matched => writeln!(f, "match")?,
            Some(field) => {
                let (values, choices) = (field.values_text(), field.choices_text());
                writeln!(f, "no match: {} is {values}, expected {choices}", field.field)?;
            }
            None => writeln!(f, "no match: no item of the array has values for all fields")?,
        }
        let several = self.alternatives.len() > 1;
        for (number, alternative) in (1..).zip(self.alternatives.iter().take(MAX_SHOWN_ALTERNATIVES)) {
            if several {
                let result = if alternative.matched { "match" } else { "no match" };
                writeln!(f, "combination {number} of {}: {result}", self.alternatives.len())?;
            }
            for field in &alternative.fields {
                writeln!(f, "{}{field}", if several { "  " } else { "" })?;
            }
        }
        match self.alternatives.len().saturating_sub(MAX_SHOWN_ALTERNATIVES) {
            0 => Ok(()),
            hidden => writeln!(f, "and {hidden} more combinations"),
        }
    }
}
