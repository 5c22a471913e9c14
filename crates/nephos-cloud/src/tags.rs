//! Tags as services handle them: one set of rules, each service's own codes.

use nephos_core::{
    Code, Error, Map, Result, Tag, Text,
    tags::{self, MAX_TAGS},
};

/// The rules for tags of a service: what it raises when one is broken, and the parameters that tags and keys come in.
#[derive(Clone, Copy, Debug)]
pub struct TagRules {
    /// The code for a tag that breaks a rule.
    pub invalid: &'static Code,
    /// The code for too many tags.
    pub too_many: &'static Code,
    /// The code for a key that is given twice.
    pub duplicate: &'static Code,
    /// The parameter that holds tags.
    pub tags: &'static str,
    /// The parameter that holds keys of tags.
    pub keys: &'static str,
}

impl TagRules {
    /// Rules with one code for everything.
    pub const fn new(code: &'static Code, tags: &'static str, keys: &'static str) -> Self {
        Self { invalid: code, too_many: code, duplicate: code, tags, keys }
    }

    /// The tags that a caller gives as a list, checked: each key once, each rule kept.
    pub fn read_list(&self, given: &[Tag]) -> Result<Map<Text>> {
        let pairs = given.iter().map(|tag| (tag.key().unwrap_or_default(), tag.value().unwrap_or_default()));
        self.read(pairs)
    }

    /// The tags that a caller gives as keys and values, checked: each key once, each rule kept.
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
                let why = "is given twice; a key has one value";
                return Err(self.duplicate.with_message(why).with_field(format!("{}[{key}]", self.tags)));
            }
        }
        self.check(&read)?;
        Ok(read)
    }

    /// Checks the tags that a caller gives as a mapping.
    pub fn check(&self, given: &Map<Text>) -> Result<()> {
        self.check_number(given)?;
        let pairs = given.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        tags::check_pairs(pairs).map_err(|error| self.refused(error))
    }

    fn refused(&self, error: Error) -> Error {
        error.in_field(self.tags).with_code(self.invalid)
    }

    /// Refuses more tags than a resource can have; reserved ones are not counted.
    pub fn check_number(&self, tags: &Map<Text>) -> Result<()> {
        let counted = tags.iter().filter(|(key, value)| !tags::is_reserved(key, value)).count();
        if counted > MAX_TAGS {
            let why = format!("a resource can have at most {MAX_TAGS} tags, got {counted}");
            return Err(self.too_many.with_message(why).with_field(self.tags));
        }
        Ok(())
    }

    /// The tags of a resource with others set, in place of those with the same keys.
    pub fn add(&self, mut before: Map<Text>, given: Map<Text>) -> Result<Map<Text>> {
        before.extend(given);
        self.check_number(&before)?;
        Ok(before)
    }

    /// Refuses the removal of reserved tags.
    pub fn check_keys(&self, keys: &[Text]) -> Result<()> {
        match keys.iter().find(|key| tags::is_reserved(key, "")) {
            Some(key) => {
                let why = format!("the tag {key} is reserved and cannot be removed");
                Err(self.invalid.with_message(why).with_field(self.keys))
            }
            None => Ok(()),
        }
    }
}

/// The tags without those of these keys.
pub fn without(mut tags: Map<Text>, keys: &[Text]) -> Map<Text> {
    keys.iter().for_each(|key| drop(tags.shift_remove(key)));
    tags
}

/// The tags as a list; none if there are none.
pub fn to_list<T: From<(Text, Text)>>(tags: Map<Text>) -> Option<Vec<T>> {
    (!tags.is_empty()).then(|| tags.into_iter().map(T::from).collect())
}
