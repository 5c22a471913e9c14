//! Lifecycle policies as they are read from their documents.

use super::schema::{ObjectSchema, Schema};
use crate::errors;
use nephos_core::{Error, Map, Result, Text, Value, json};
use std::collections::HashSet;

/// Maximum number of rules of a policy.
const MAX_RULES: usize = 50;

/// Maximum number of items in a list of tags.
const MAX_TAG_LIST: usize = 100;

/// Maximum number of wildcards in a pattern of tags.
const MAX_WILDCARDS: usize = 4;

const POLICY: Schema = Schema::Object(ObjectSchema {
    required: &["rules"],
    properties: &[("rules", Schema::List { items: &RULE, max: MAX_RULES })],
    fits: None,
});

const RULE: Schema = Schema::Object(ObjectSchema {
    required: &["action", "rulePriority", "selection"],
    properties: &[
        ("action", ACTION),
        ("selection", SELECTION),
        ("rulePriority", Schema::Count),
        ("description", Schema::Text),
    ],
    fits: None,
});

const ACTION: Schema = Schema::Object(ObjectSchema {
    required: &["type"],
    properties: &[
        ("type", Schema::Choice { shown: &["expire"], further: &["transition"] }),
        ("targetStorageClass", Schema::Choice { shown: &["archive"], further: &[] }),
    ],
    fits: Some(|action| has_text(action, "type", "transition") == action.contains_key("targetStorageClass")),
});

const SELECTION: Schema = Schema::Object(ObjectSchema {
    required: &["countNumber", "countType", "tagStatus"],
    properties: &[
        ("tagStatus", Schema::Choice { shown: &["any", "tagged", "untagged"], further: &[] }),
        (
            "countType",
            Schema::Choice {
                shown: &["imageCountMoreThan", "sinceImagePushed"],
                further: &["sinceImagePulled", "sinceImageTransitioned"],
            },
        ),
        ("countUnit", Schema::Choice { shown: &["days"], further: &[] }),
        ("countNumber", Schema::Count),
        ("tagPrefixList", Schema::List { items: &Schema::Text, max: MAX_TAG_LIST }),
        ("tagPatternList", Schema::List { items: &Schema::Text, max: MAX_TAG_LIST }),
        ("storageClass", Schema::Choice { shown: &["archive", "standard"], further: &[] }),
    ],
    fits: Some(selection_fits),
});

/// True if a selection has tags with the status `tagged` only, a unit with times only, and archived images with the time of their
/// transition only.
fn selection_fits(selection: &Map<Value>) -> bool {
    let tag_lists =
        ["tagPrefixList", "tagPatternList"].iter().filter(|name| selection.contains_key(**name)).count();
    let has_tags = tag_lists == usize::from(has_text(selection, "tagStatus", "tagged"));
    let counts_images = has_text(selection, "countType", "imageCountMoreThan");
    let has_unit = selection.contains_key("countUnit") != counts_images;
    let since_transition = has_text(selection, "countType", "sinceImageTransitioned");
    has_tags && has_unit && since_transition == has_text(selection, "storageClass", "archive")
}

fn has_text(members: &Map<Value>, name: &str, text: &str) -> bool {
    members.get(name).and_then(Value::as_text) == Some(text)
}

/// A lifecycle policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LifecyclePolicy {
    /// Rules, in order of their priorities.
    pub rules: Vec<Rule>,
}

/// A rule of a lifecycle policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Priority, unique in the policy: the rule with the lowest number comes first.
    pub priority: i64,
    /// Images that the rule is about.
    pub tags: TagSelection,
    /// Images of these that are selected.
    pub count_type: CountType,
    /// Number of images that stay, or of days.
    pub count_number: i64,
    /// Action on selected images.
    pub action: Action,
}

/// Images that a rule is about, by their tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagSelection {
    /// All images.
    Any,
    /// Images without tags.
    Untagged,
    /// Images that have a tag with each of these prefixes.
    Prefixes(Vec<Text>),
    /// Images that have a tag for each of these patterns, in which `*` stands for any characters.
    Patterns(Vec<Text>),
}

/// Way in which a rule selects images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountType {
    /// All but the newest.
    ImageCountMoreThan,
    /// Those that were pushed before a number of days.
    SinceImagePushed,
    /// Those that were last pulled, or else pushed, before a number of days.
    SinceImagePulled,
    /// Those that were archived before a number of days.
    SinceImageTransitioned,
}

/// Action on the images that a rule selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// They are deleted.
    Expire,
    /// They are archived.
    Archive,
}

impl LifecyclePolicy {
    /// Reads the document of a policy.
    ///
    /// # Errors
    ///
    /// Refused with `InvalidParameterException`, and the sentence of the provider's validator.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(text).map(|(policy, _)| policy)
    }

    /// Reads the document of a policy. Also returns the document.
    pub(super) fn read(text: &str) -> Result<(Self, Value)> {
        let document = json::parse(text.as_bytes()).ok().filter(|document| matches!(document, Value::Map(_)));
        let unreadable = || refusal("Could not map policyString into LifecyclePolicy.");
        let document = document.ok_or_else(unreadable)?;
        POLICY.check(&document).map_err(|violation| refusal(&violation))?;
        let mut rules: Vec<_> = items(&document, "rules").iter().map(Rule::read).collect();
        rules.sort_by_key(|rule| rule.priority);
        let policy = Self { rules };
        policy.check()?;
        Ok((policy, document))
    }

    /// Refuses rules that cannot be in one policy.
    fn check(&self) -> Result<()> {
        let mut priorities = self.rules.iter().map(|rule| rule.priority);
        let mut seen = HashSet::new();
        if let Some(repeated) = priorities.find(|priority| !seen.insert(*priority)) {
            return Err(refusal(&format!("rulePriority {repeated} is used by more than one rule")));
        }
        for (n, rule) in self.rules.iter().enumerate() {
            // Rules about archived images are independent of the others.
            let mut earlier =
                self.rules[..n].iter().filter(|other| other.is_about_archive() == rule.is_about_archive());
            if let Some(other) =
                earlier.find(|other| other.tags == rule.tags || other.tags == TagSelection::Any)
            {
                return Err(refusal(match other.tags {
                    TagSelection::Any => "a rule with tagStatus any must have the highest rulePriority",
                    TagSelection::Untagged => "only one rule can have tagStatus untagged",
                    _ => "rules must have different lists of tags",
                }));
            }
            if let TagSelection::Patterns(patterns) = &rule.tags
                && patterns.iter().any(|pattern| pattern.matches('*').count() > MAX_WILDCARDS)
            {
                return Err(refusal(&format!(
                    "a tag pattern can contain a maximum of {MAX_WILDCARDS} wildcards"
                )));
            }
        }
        Ok(())
    }
}

impl Rule {
    /// Reads a rule that the schema accepted.
    fn read(rule: &Value) -> Self {
        let selection = rule.get("selection").unwrap_or(&Value::Null);
        let text = |of: &'_ Value, name: &str| of.get(name).and_then(Value::as_text).map(str::to_owned);
        let number = |of: &Value, name: &str| match of.get(name) {
            Some(Value::Int(number)) => *number,
            _ => 1,
        };
        let texts =
            |name: &str| items(selection, name).iter().filter_map(Value::as_text).map(Text::from).collect();
        let tags = match text(selection, "tagStatus").as_deref() {
            Some("any") => TagSelection::Any,
            Some("untagged") => TagSelection::Untagged,
            _ if selection.get("tagPatternList").is_some() => TagSelection::Patterns(texts("tagPatternList")),
            _ => TagSelection::Prefixes(texts("tagPrefixList")),
        };
        let count_type = match text(selection, "countType").as_deref() {
            Some("sinceImagePushed") => CountType::SinceImagePushed,
            Some("sinceImagePulled") => CountType::SinceImagePulled,
            Some("sinceImageTransitioned") => CountType::SinceImageTransitioned,
            _ => CountType::ImageCountMoreThan,
        };
        let action = rule.get("action").and_then(|action| text(action, "type"));
        Self {
            priority: number(rule, "rulePriority"),
            tags,
            count_type,
            count_number: number(selection, "countNumber"),
            action: if action.as_deref() == Some("transition") { Action::Archive } else { Action::Expire },
        }
    }

    /// True if the rule is about archived images, false for others.
    pub(super) fn is_about_archive(&self) -> bool {
        self.count_type == CountType::SinceImageTransitioned
    }
}

fn items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    match value.get(name) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

fn refusal(reason: &str) -> Error {
    errors::invalid_lifecycle_policy(reason).with_field("lifecyclePolicyText")
}
