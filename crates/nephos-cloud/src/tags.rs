//! Validation and changes of tags: the same rules for all services, with the error codes of each.

use nephos_core::{
    Code, Error, Map, Result, Tag, Text,
    tags::{self, MAX_TAGS},
};

/// Rules for the tags of a service: its error codes, and the names of its parameters for tags and keys.
#[derive(Clone, Copy, Debug)]
pub struct TagRules {
    /// Error code for an invalid tag.
    pub invalid: &'static Code,
    /// Error code for too many tags.
    pub too_many: &'static Code,
    /// Error code for a key that appears twice.
    pub duplicate: &'static Code,
    /// Name of the parameter with tags.
    pub tags: &'static str,
    /// Name of the parameter with keys of tags.
    pub keys: &'static str,
}

impl TagRules {
    /// Creates rules with one error code for everything.
    pub const fn new(code: &'static Code, tags: &'static str, keys: &'static str) -> Self {
        Self { invalid: code, too_many: code, duplicate: code, tags, keys }
    }

    /// Validates the tags of a list parameter; each key must appear once.
    pub fn read_list(&self, given: &[Tag]) -> Result<Map<Text>> {
        let pairs = given.iter().map(|tag| (tag.key().unwrap_or_default(), tag.value().unwrap_or_default()));
        self.read(pairs)
    }

    /// Validates tags that are keys and values; each key must appear once.
    pub fn read<'a>(&self, given: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Map<Text>> {
        let mut read = Map::default();
        for (n, (key, value)) in given.enumerate() {
            if key.is_empty() {
                return Err(self
                    .invalid
                    .with_message("is required")
                    .with_field(format!("{}[{n}].Key", self.tags)));
            }
            if read.insert(Text::new(key), Text::new(value)).is_some() {
                let message = "appears twice; a tag key can have only one value";
                return Err(self.duplicate.with_message(message).with_field(format!("{}[{key}]", self.tags)));
            }
        }
        self.check(&read)?;
        Ok(read)
    }

    /// Validates the tags of a map parameter.
    pub fn check(&self, given: &Map<Text>) -> Result<()> {
        self.check_number(given)?;
        let pairs = given.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        tags::check_pairs(pairs).map_err(|error| self.as_invalid(error))
    }

    /// Gives an error the code of the service and the name of its parameter.
    fn as_invalid(&self, error: Error) -> Error {
        error.in_field(self.tags).with_code(self.invalid)
    }

    /// Refuses more tags than a resource can have. Reserved tags are not counted.
    pub fn check_number(&self, tags: &Map<Text>) -> Result<()> {
        let counted = tags.iter().filter(|(key, value)| !tags::is_reserved(key, value)).count();
        if counted > MAX_TAGS {
            let message = format!("a resource can have at most {MAX_TAGS} tags, got {counted}");
            return Err(self.too_many.with_message(message).with_field(self.tags));
        }
        Ok(())
    }

    /// Adds tags to those of a resource; a tag with the same key is replaced.
    pub fn add(&self, mut before: Map<Text>, given: Map<Text>) -> Result<Map<Text>> {
        before.extend(given);
        self.check_number(&before)?;
        Ok(before)
    }

    /// Refuses keys of reserved tags, which cannot be removed.
    pub fn check_keys(&self, keys: &[Text]) -> Result<()> {
        match keys.iter().find(|key| tags::is_reserved(key, "")) {
            Some(key) => {
                let message = format!("the tag {key} is reserved and cannot be removed");
                Err(self.invalid.with_message(message).with_field(self.keys))
            }
            None => Ok(()),
        }
    }
}

/// Removes the tags with these keys.
pub fn without(mut tags: Map<Text>, keys: &[Text]) -> Map<Text> {
    keys.iter().for_each(|key| drop(tags.shift_remove(key)));
    tags
}

/// Converts tags to a list; `None` if there are no tags.
pub fn to_list<T: From<(Text, Text)>>(tags: Map<Text>) -> Option<Vec<T>> {
    (!tags.is_empty()).then(|| tags.into_iter().map(T::from).collect())
}
