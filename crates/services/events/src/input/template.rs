//! Templates of input: text with placeholders in angle brackets.

use super::InputPath;
use nephos_core::{
    Value,
    json::{self, Writing},
};

/// Maximum length of the input that a template makes, in bytes: that of an event.
pub const MAX_INPUT: usize = 1024 * 1024;

/// A variable that every template can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// ARN of the rule.
    RuleArn,
    /// Name of the rule.
    RuleName,
    /// Time at which the event was received.
    IngestionTime,
    /// The event, without its detail.
    Event,
    /// The event, with its detail.
    EventJson,
}

impl Reserved {
    /// Returns the variable with this name, if there is one.
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "aws.events.rule-arn" => Self::RuleArn,
            "aws.events.rule-name" => Self::RuleName,
            "aws.events.event.ingestion-time" => Self::IngestionTime,
            "aws.events.event" => Self::Event,
            "aws.events.event.json" => Self::EventJson,
            _ => return None,
        })
    }

    /// True for variables that only templates of JSON objects can use.
    fn needs_object(self) -> bool {
        matches!(self, Self::Event | Self::EventJson)
    }

    fn value(self, event: &Value, rule: &RuleFacts<'_>) -> Value {
        match self {
            Self::RuleArn => Value::Text(rule.arn.into()),
            Self::RuleName => Value::Text(rule.name.into()),
            Self::IngestionTime => Value::Text(rule.ingestion_time.into()),
            Self::EventJson => event.clone(),
            Self::Event => {
                let mut event = event.clone();
                if let Value::Map(members) = &mut event {
                    members.shift_remove("detail");
                }
                event
            }
        }
    }
}

/// Values of the reserved variables that are not part of the event.
#[derive(Clone, Copy, Debug)]
pub struct RuleFacts<'a> {
    /// ARN of the rule.
    pub arn: &'a str,
    /// Name of the rule.
    pub name: &'a str,
    /// Time at which the event was received, in ISO 8601.
    pub ingestion_time: &'a str,
}

/// Refusal of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// The template has a placeholder that is no variable.
    UnknownPlaceholder(String),
    /// The template is not a JSON object, and has a placeholder that only JSON objects can have.
    ObjectNeeded(String),
    /// The template does not become JSON.
    NotJson,
}

/// A part of a template.
#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Placeholder { variable: Variable, is_quoted: bool },
}

#[derive(Clone, Debug)]
enum Variable {
    Reserved(Reserved),
    Path(InputPath),
}

/// A template of input: a JSON object, or texts in quotes, with placeholders for values of the event.
///
/// ```
/// use nephos_core::json;
/// use nephos_events::input::{InputPath, RuleFacts, Template};
///
/// let paths = |name: &str| (name == "state").then(|| InputPath::parse("$.detail.state")).flatten();
/// let template = Template::parse(r#"{"text": "it is <state>", "state": <state>}"#, paths).expect("it is valid");
/// let event = json::parse(br#"{"detail": {"state": "RUNNING"}}"#).expect("it is JSON");
/// let rule = RuleFacts { arn: "arn", name: "r", ingestion_time: "2026-01-31T12:00:00Z" };
/// assert_eq!(template.render(&event, &rule).as_deref(), Some(r#"{"text": "it is RUNNING", "state": "RUNNING"}"#));
/// ```
#[derive(Clone, Debug)]
pub struct Template {
    pieces: Vec<Piece>,
    is_object: bool,
}

impl Template {
    /// Parses a template. `find_path` returns the path of the variable with a name, if there is one.
    pub fn parse(text: &str, find_path: impl Fn(&str) -> Option<InputPath>) -> Result<Self, TemplateError> {
        let is_object = text.trim_start().starts_with('{');
        let mut template = Self { pieces: Vec::new(), is_object };
        let (mut rest, mut quotes) = (text, Quotes::default());
        while let Some((before, name, after)) = split_placeholder(rest) {
            quotes.read(before);
            let variable = match Reserved::from_name(name) {
                Some(reserved) if reserved.needs_object() && !is_object => {
                    return Err(TemplateError::ObjectNeeded(name.to_owned()));
                }
                Some(reserved) => Variable::Reserved(reserved),
                None => match find_path(name) {
                    Some(path) => Variable::Path(path),
                    None => return Err(TemplateError::UnknownPlaceholder(name.to_owned())),
                },
            };
            template.pieces.push(Piece::Text(before.to_owned()));
            template.pieces.push(Piece::Placeholder { variable, is_quoted: quotes.is_inside });
            rest = after;
        }
        template.pieces.push(Piece::Text(rest.to_owned()));
        template.check_json()?;
        Ok(template)
    }

    /// Refuses a template that does not become JSON: an object, or a text on each line.
    fn check_json(&self) -> Result<(), TemplateError> {
        let sample = self.write(|_| Some(Value::Int(0))).unwrap_or_default();
        let is_json = |text: &str| json::parse(text.as_bytes()).is_ok();
        let is_valid = is_json(&sample)
            || (!self.is_object
                && !sample.trim().is_empty()
                && sample.lines().map(str::trim).filter(|line| !line.is_empty()).all(is_json));
        is_valid.then_some(()).ok_or(TemplateError::NotJson)
    }

    /// True for the template of a JSON object, whose output must be JSON.
    pub fn is_object(&self) -> bool {
        self.is_object
    }

    /// Replaces the placeholders by the values of an event.
    ///
    /// A value outside quotes is written as JSON. Inside quotes, a text is written without its quotes, and an array or object
    /// without any quotes. The value of a path that the event does not have is an empty text. Returns none if the text would be
    /// longer than [`MAX_INPUT`].
    pub fn render(&self, event: &Value, rule: &RuleFacts<'_>) -> Option<String> {
        self.write(|variable| match variable {
            Variable::Reserved(reserved) => Some(reserved.value(event, rule)),
            Variable::Path(path) => path.select(event),
        })
    }

    fn write(&self, value_of: impl Fn(&Variable) -> Option<Value>) -> Option<String> {
        let mut written = String::new();
        for piece in &self.pieces {
            if written.len() > MAX_INPUT {
                return None;
            }
            match piece {
                Piece::Text(text) => written.push_str(text),
                Piece::Placeholder { variable, is_quoted } => {
                    let value = value_of(variable).unwrap_or(Value::Text("".into()));
                    let json = json::write(value.view(), Writing::EXPOSED);
                    match (is_quoted, &value) {
                        (false, _) => written.push_str(&json),
                        (true, Value::Text(_)) => written.push_str(&json[1..json.len() - 1]),
                        (true, _) => written.push_str(&json.replace('"', "").replace('\\', r"\\")),
                    }
                }
            }
        }
        Some(written).filter(|written| written.len() <= MAX_INPUT)
    }
}

/// Splits a template at its first placeholder: the text before it, its name, and the text after it.
fn split_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('<')?;
    let (name, after) = rest.split_once('>')?;
    Some((before, name, after))
}

/// Position in a template, inside or outside quotes.
#[derive(Default)]
struct Quotes {
    is_inside: bool,
    is_escaped: bool,
}

impl Quotes {
    fn read(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                _ if self.is_escaped => self.is_escaped = false,
                '\\' => self.is_escaped = self.is_inside,
                '"' => self.is_inside = !self.is_inside,
                _ => {}
            }
        }
    }
}
