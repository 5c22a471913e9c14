//! Evaluation of lifecycle policies: a pure function over the facts about images.

use super::document::{CountType, LifecyclePolicy, Rule, TagSelection};
use nephos_core::{Text, Timestamp};

const MILLISECONDS_PER_DAY: i128 = 86_400_000;

/// Facts about an image that rules test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageFacts {
    /// Tags.
    pub tags: Vec<Text>,
    /// Time of the push.
    pub pushed_at: Timestamp,
    /// Time of the last pull.
    pub pulled_at: Option<Timestamp>,
    /// Time of the transition to the archive, if the image is archived.
    pub archived_at: Option<Timestamp>,
}

/// Returns the images that a policy selects now, each with the priority of the rule that selects it, in order of the rules and
/// then of age.
///
/// All rules are evaluated over all images. An image that a rule is about is left alone by the rules after it, also if that rule
/// does not select it.
pub fn evaluate(policy: &LifecyclePolicy, images: &[ImageFacts], now: Timestamp) -> Vec<(usize, i64)> {
    let mut seen = vec![false; images.len()];
    let mut selected = Vec::new();
    for rule in &policy.rules {
        let mut about: Vec<_> = (0..images.len()).filter(|index| rule.is_about(&images[*index])).collect();
        about.sort_by_key(|index| (rule.time_of(&images[*index]), *index));
        let count = rule.count_selected(&about, images, now);
        selected.extend(
            about[..count].iter().filter(|index| !seen[**index]).map(|index| (*index, rule.priority)),
        );
        about.iter().for_each(|index| seen[*index] = true);
    }
    selected
}

impl Rule {
    /// True if the rule is about an image, which it selects if it is too old, or one too many.
    fn is_about(&self, image: &ImageFacts) -> bool {
        self.is_about_archive() == image.archived_at.is_some() && self.tags.matches(&image.tags)
    }

    /// Number of the oldest images that the rule selects of those that it is about, which are in order of age.
    fn count_selected(&self, about: &[usize], images: &[ImageFacts], now: Timestamp) -> usize {
        if self.count_type == CountType::ImageCountMoreThan {
            let kept = usize::try_from(self.count_number).unwrap_or(usize::MAX);
            return about.len().saturating_sub(kept);
        }
        about.iter().filter(|index| self.is_too_old(&images[**index], now)).count()
    }

    /// Time from which the rule counts the age of an image.
    fn time_of(&self, image: &ImageFacts) -> Timestamp {
        match self.count_type {
            CountType::SinceImagePulled => image.pulled_at.unwrap_or(image.pushed_at),
            CountType::SinceImageTransitioned => image.archived_at.unwrap_or(image.pushed_at),
            CountType::SinceImagePushed | CountType::ImageCountMoreThan => image.pushed_at,
        }
    }

    fn is_too_old(&self, image: &ImageFacts, now: Timestamp) -> bool {
        let age = now.duration_since(self.time_of(image)).as_millis();
        age > i128::from(self.count_number) * MILLISECONDS_PER_DAY
    }
}

impl TagSelection {
    fn matches(&self, tags: &[Text]) -> bool {
        match self {
            Self::Any => true,
            Self::Untagged => tags.is_empty(),
            Self::Prefixes(prefixes) => {
                prefixes.iter().all(|prefix| tags.iter().any(|tag| tag.starts_with(prefix.as_str())))
            }
            Self::Patterns(patterns) => {
                patterns.iter().all(|pattern| tags.iter().any(|tag| crate::wildcard::matches(pattern, tag)))
            }
        }
    }
}
