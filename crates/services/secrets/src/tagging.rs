//! Tags of secrets.

use super::{Empty, Kept, SERVICE, Secret, SecretManager, errors, kept};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    Map, Result, Steppable, Steps, TagChange, Text, operation,
    record::Fields,
    tags::{self, MOST},
};

/// A list of tags as a mapping: each key once, each rule kept.
fn mapped(given: Vec<nephos_core::Tag>) -> Result<Map<Text>> {
    let mut tags = Map::default();
    for tag in given {
        let (key, value) = (tag.key().unwrap_or_default(), tag.value().unwrap_or_default());
        if tags.insert(Text::new(key), Text::new(value)).is_some() {
            let why = "is given twice; a key has one value";
            return Err(errors::INVALID.because(why).with_field(format!("Tags[{key}]")));
        }
    }
    check_number(&tags)?;
    tags::check_pairs(tags.iter().map(|(key, value)| (key.as_str(), value.as_str())))
        .map_err(|error| error.within("Tags").with_code(&errors::INVALID))?;
    Ok(tags)
}

fn check_number(tags: &Map<Text>) -> Result<()> {
    let counted = tags.iter().filter(|(key, value)| !tags::is_reserved(key, value)).count();
    if counted > MOST {
        let why = format!("a secret has at most {MOST} tags, not {counted}");
        return Err(errors::INVALID.because(why).with_field("Tags"));
    }
    Ok(())
}

fn listed(tags: Map<Text>) -> Option<Vec<nephos_core::Tag>> {
    (!tags.is_empty()).then(|| tags.into_iter().map(nephos_core::Tag::from).collect())
}

/// The tags that a new secret is given.
pub(super) fn given(tags: Vec<nephos_core::Tag>) -> Result<Option<Vec<nephos_core::Tag>>> {
    mapped(tags).map(listed)
}

impl Kept {
    /// The tags as a mapping.
    fn tags_map(&self) -> Map<Text> {
        let tags = self.tags.iter().flatten();
        tags.map(|tag| (tag.key().unwrap_or_default().into(), tag.value().unwrap_or_default().into()))
            .collect()
    }

    /// Puts these tags in place of its own.
    fn put_tags(mut self, cx: &mut Tx<'_>, tags: Map<Text>) -> Result<Empty> {
        if self.tags_map() != tags {
            self.tags = listed(tags);
            self.put_changed(cx)?;
        }
        Ok(Empty {})
    }
}

/// Puts tags on a secret, in place of tags with the same keys.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "secret:{SecretId}")]
pub struct TagResource {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
    /// The tags.
    pub tags: Vec<nephos_core::Tag>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let given = mapped(self.tags)?;
        let kept = kept::require_own(cx, &self.secret_id)?;
        let mut tags = kept.tags_map();
        tags.extend(given);
        check_number(&tags)?;
        kept.put_tags(cx, tags)
    }
}

/// Takes tags off a secret.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "secret:{SecretId}")]
pub struct UntagResource {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
    /// The keys of the tags.
    #[field(each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        if let Some(key) = self.tag_keys.iter().find(|key| tags::is_reserved(key, "")) {
            let why = format!("the tag {key} is reserved and cannot be removed");
            return Err(errors::INVALID.because(why).with_field("TagKeys"));
        }
        let kept = kept::require_own(cx, &self.secret_id)?;
        let mut tags = kept.tags_map();
        self.tag_keys.iter().for_each(|key| drop(tags.shift_remove(key)));
        kept.put_tags(cx, tags)
    }
}

/// Makes the change that a caller made to the tags of `model`, which is `current` at the service.
pub(super) async fn retag(steps: &Steps, id: &Text, current: &dyn Fields, model: &dyn Fields) -> Result<()> {
    let (put, removed) = TagChange::of(model).against(&tags::known(current));
    if !removed.is_empty() {
        steps.call(UntagResource::new(id.clone(), removed)).await?;
    }
    if !put.is_empty() {
        let put: Vec<_> = put.into_iter().map(nephos_core::Tag::from).collect();
        steps.call(TagResource::new(id.clone(), put)).await?;
    }
    Ok(())
}

/// Puts tags on a secret, in place of tags with the same keys.
#[operation(kind = Secret, call = "tag", effect = write, output = ())]
pub struct Tag {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
    /// The tags.
    pub tags: Vec<nephos_core::Tag>,
}

impl Steppable for Tag {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(TagResource::new(self.secret_id.clone(), self.tags.clone())).await?;
        Ok(())
    }
}

/// Takes tags off a secret.
#[operation(kind = Secret, call = "untag", effect = write, output = ())]
pub struct Untag {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
    /// The keys of the tags.
    #[field(each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Steppable for Untag {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(UntagResource::new(self.secret_id.clone(), self.tag_keys.clone())).await?;
        Ok(())
    }
}
