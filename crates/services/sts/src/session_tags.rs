//! Session tags: passed when a session is created, and, if they are transitive, inherited by the sessions that it creates.

use super::errors;
use nephos_cloud::{Context, TagRules, TemporarySession};
use nephos_core::{Map, Result, Tag, Text};

const RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
    invalid: |key| errors::tag_invalid(key),
    reserved: |_| errors::reserved_tag(),
    too_many: errors::too_many_tags,
    duplicate: |_| errors::duplicate_tag(),
    tags: "Tags",
    keys: "TransitiveTagKeys",
};

/// Tags of a new session.
#[derive(Debug, Default)]
pub(crate) struct SessionTags {
    /// Tags in the request.
    passed: Map<Text>,
    /// Transitive tags of the session that makes the request.
    inherited: Map<Text>,
    /// Keys in the request of tags that are transitive.
    transitive: Vec<Text>,
}

impl SessionTags {
    /// Checks the tags and transitive keys of a request of `caller`.
    pub(crate) fn read(
        tags: &[Tag],
        transitive: Option<Vec<Text>>,
        caller: Option<&TemporarySession>,
    ) -> Result<Self> {
        let passed = RULES.read_list(tags)?;
        let mut keys: Vec<Text> = passed.keys().map(|key| key.to_lowercase()).collect();
        keys.sort_unstable();
        if keys.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(errors::duplicate_tag().with_field("Tags"));
        }
        let mut inherited: Map<Text> = Map::default();
        if let Some(session) = caller {
            let keys = session.transitive_tag_keys.as_deref().unwrap_or_default();
            let tags = session.tags.iter().flatten().filter(|(key, _)| has_key(keys.iter(), key));
            inherited.extend(tags.map(|(key, value)| (key.clone(), value.clone())));
        }
        if let Some(key) = passed.keys().find(|key| has_key(inherited.keys(), key)) {
            return Err(errors::transitive_tag_inherited().with_field("Tags").with_hint(key.as_str()));
        }
        let transitive = transitive.unwrap_or_default();
        if let Some(key) = transitive.iter().find(|key| !has_key(passed.keys(), key)) {
            return Err(errors::transitive_tag_missing()
                .with_field("TransitiveTagKeys")
                .with_hint(key.as_str()));
        }
        Ok(Self { passed, inherited, transitive })
    }

    /// True if the session has no tags.
    pub(crate) fn is_empty(&self) -> bool {
        self.passed.is_empty() && self.inherited.is_empty()
    }

    /// Tags in the request.
    pub(crate) fn passed(&self) -> &Map<Text> {
        &self.passed
    }

    /// Adds the condition keys of tags in a request.
    pub(crate) fn add_to(&self, mut context: Context) -> Context {
        for (key, value) in &self.passed {
            let name = format!("aws:RequestTag/{key}");
            context = context.with(&name, value.clone()).with("aws:TagKeys", key.clone());
        }
        self.transitive
            .iter()
            .fold(context, |context, key| context.with("sts:TransitiveTagKeys", key.clone()))
    }

    /// Sets the tags of a session.
    pub(crate) fn put_into(self, session: &mut TemporarySession) {
        let keys: Vec<Text> = self.inherited.keys().cloned().chain(self.transitive).collect();
        let mut tags = self.inherited;
        tags.extend(self.passed);
        session.tags = (!tags.is_empty()).then_some(tags);
        session.transitive_tag_keys = (!keys.is_empty()).then_some(keys);
    }
}

/// True if `key` is one of `keys`, ignoring case.
fn has_key<'k>(mut keys: impl Iterator<Item = &'k Text>, key: &str) -> bool {
    keys.any(|known| known.to_lowercase() == key.to_lowercase())
}
