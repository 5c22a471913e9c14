//! Paths into events: `$.detail.items[0].name`.

use nephos_core::Value;

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// The member of an object.
    Member(String),
    /// The item of an array.
    Item(usize),
    /// All members of an object, or all items of an array.
    All,
}

/// A path into an event, in the dot notation of JSON paths.
///
/// ```
/// use nephos_core::json;
/// use nephos_events::input::InputPath;
///
/// let event = json::parse(br#"{"detail": {"items": [{"id": 1}, {"id": 2}]}}"#).expect("it is JSON");
/// let path = InputPath::parse("$.detail.items[1].id").expect("it is a path");
/// assert_eq!(path.select(&event).and_then(|found| found.as_int()), Some(2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPath {
    steps: Vec<Step>,
}

/// True for the characters of names in a path.
fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || "-_/:@".contains(character)
}

impl InputPath {
    /// Parses a path: `$`, and then members (`.name`), items (`[0]`) and wildcards (`.*`, `[*]`). `None` if it is not valid.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix('$')?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = match rest.strip_prefix('[') {
                Some(inside) => {
                    let (index, after) = inside.split_once(']')?;
                    (Self::parse_index(index)?, after)
                }
                None => {
                    let name = rest.strip_prefix('.')?;
                    let end = name.find(['.', '[']).unwrap_or(name.len());
                    (Self::parse_name(&name[..end])?, &name[end..])
                }
            };
            steps.push(step);
            rest = after;
        }
        Some(Self { steps })
    }

    fn parse_index(index: &str) -> Option<Step> {
        let quoted = |quote: char| index.strip_prefix(quote)?.strip_suffix(quote);
        match quoted('\'').or_else(|| quoted('"')) {
            Some(name) if !name.is_empty() => Some(Step::Member(name.to_owned())),
            None if index == "*" => Some(Step::All),
            None if index.bytes().all(|byte| byte.is_ascii_digit()) => index.parse().ok().map(Step::Item),
            _ => None,
        }
    }

    fn parse_name(name: &str) -> Option<Step> {
        match name {
            "*" => Some(Step::All),
            "" => None,
            name => name.chars().all(is_name_character).then(|| Step::Member(name.to_owned())),
        }
    }

    /// Returns the value at the path; `None` if the event does not have it. A path with wildcards selects the array of all
    /// values.
    pub fn select(&self, event: &Value) -> Option<Value> {
        let mut found = vec![event];
        for step in &self.steps {
            found = found.into_iter().flat_map(|value| step.select(value)).collect();
        }
        if self.steps.contains(&Step::All) {
            return Some(Value::List(found.into_iter().cloned().collect()));
        }
        found.first().map(|value| (*value).clone())
    }
}

impl Step {
    fn select<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match (self, value) {
            (Self::Member(name), Value::Map(members)) => members.get(name.as_str()).into_iter().collect(),
            (Self::Item(index), Value::List(items)) => items.get(*index).into_iter().collect(),
            (Self::All, Value::Map(members)) => members.values().collect(),
            (Self::All, Value::List(items)) => items.iter().collect(),
            _ => Vec::new(),
        }
    }
}
