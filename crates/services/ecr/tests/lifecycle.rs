//! Evaluation of lifecycle policies: documented examples, and a plain model of it.

use nephos_core::{SignedDuration, Text, Timestamp};
use nephos_ecr::lifecycle::{Action, CountType, ImageFacts, LifecyclePolicy, Rule, TagSelection, evaluate};
use proptest::prelude::*;

fn now() -> Timestamp {
    Timestamp::from_second(1_700_000_000).expect("a time")
}

/// An image with these tags that was pushed some days ago.
fn image(tags: &[&str], days: i64) -> ImageFacts {
    ImageFacts {
        tags: tags.iter().map(|tag| Text::from(*tag)).collect(),
        pushed_at: now() - SignedDuration::from_hours(days * 24),
        pulled_at: None,
        archived_at: None,
    }
}

fn keep(priority: i64, tags: TagSelection, count_number: i64) -> Rule {
    Rule { priority, tags, count_type: CountType::ImageCountMoreThan, count_number, action: Action::Expire }
}

fn prefix(prefix: &str) -> TagSelection {
    TagSelection::Prefixes(vec![prefix.into()])
}

/// An image that an earlier rule is about is left alone by later rules.
#[test]
fn rules_are_applied_by_priority() {
    let images = [image(&["beta-1", "prod-1"], 10), image(&["beta-2", "prod-2"], 9), image(&["beta-3"], 8)];
    let policy = LifecyclePolicy { rules: vec![keep(1, prefix("prod"), 1), keep(2, prefix("beta"), 1)] };
    assert_eq!(evaluate(&policy, &images, now()), [(0, 1)]);
    let policy = LifecyclePolicy { rules: vec![keep(1, prefix("beta"), 1), keep(2, prefix("prod"), 1)] };
    assert_eq!(evaluate(&policy, &images, now()), [(0, 1), (1, 1)]);
}

#[test]
fn rule_for_all_images_counts_those_of_earlier_rules() {
    let tags = ["alpha-1", "beta-1", "alpha-2", "git-1", "git-2"];
    let images: Vec<_> = tags.iter().zip([12, 11, 10, 9, 8]).map(|(tag, days)| image(&[tag], days)).collect();
    let policy = LifecyclePolicy { rules: vec![keep(1, prefix("alpha"), 1), keep(2, TagSelection::Any, 1)] };
    assert_eq!(evaluate(&policy, &images, now()), [(0, 1), (1, 2), (3, 2)]);
}

#[test]
fn several_prefixes_must_all_match() {
    let images = [image(&["alpha1"], 3), image(&["alpha2", "beta"], 2)];
    let both = TagSelection::Prefixes(vec!["alpha".into(), "beta".into()]);
    let rule = Rule { count_type: CountType::SinceImagePushed, ..keep(1, both, 1) };
    assert_eq!(evaluate(&LifecyclePolicy { rules: vec![rule] }, &images, now()), [(1, 1)]);
}

#[test]
fn image_expires_after_the_last_day_and_not_before() {
    let rule = Rule { count_type: CountType::SinceImagePushed, ..keep(1, TagSelection::Any, 14) };
    let policy = LifecyclePolicy { rules: vec![rule] };
    assert_eq!(evaluate(&policy, &[image(&[], 14)], now()), []);
    assert_eq!(evaluate(&policy, &[image(&[], 14)], now() + SignedDuration::from_secs(1)), [(0, 1)]);
}

/// The plain model: whether a rule selects an image, without regard to how the others are found.
fn is_selected(policy: &LifecyclePolicy, images: &[ImageFacts], index: usize, rule: &Rule) -> bool {
    let has = |image: &ImageFacts, fits: &dyn Fn(&str) -> bool| image.tags.iter().any(|tag| fits(tag));
    let is_about = |rule: &Rule, image: &ImageFacts| {
        let by_tags = match &rule.tags {
            TagSelection::Any => true,
            TagSelection::Untagged => image.tags.is_empty(),
            TagSelection::Prefixes(all) => all.iter().all(|one| has(image, &|tag| tag.starts_with(&**one))),
            // Patterns of the test are a start and a wildcard.
            TagSelection::Patterns(all) => {
                all.iter().all(|one| has(image, &|tag| tag.starts_with(one.trim_end_matches('*'))))
            }
        };
        by_tags && (rule.count_type == CountType::SinceImageTransitioned) == image.archived_at.is_some()
    };
    let image = &images[index];
    let earlier = policy.rules.iter().take_while(|other| other.priority < rule.priority);
    if !is_about(rule, image) || earlier.into_iter().any(|other| is_about(other, image)) {
        return false;
    }
    let since = match rule.count_type {
        CountType::ImageCountMoreThan => {
            let is_newer = |other: usize| (images[other].pushed_at, other) > (image.pushed_at, index);
            let newer = (0..images.len()).filter(|other| is_about(rule, &images[*other]) && is_newer(*other));
            return i64::try_from(newer.count()).expect("a number") >= rule.count_number;
        }
        CountType::SinceImagePushed => image.pushed_at,
        CountType::SinceImagePulled => image.pulled_at.unwrap_or(image.pushed_at),
        CountType::SinceImageTransitioned => image.archived_at.expect("it is archived"),
    };
    now().duration_since(since).as_secs() > rule.count_number * 86_400
}

fn tags() -> impl Strategy<Value = Vec<Text>> {
    let tag = prop::sample::select(vec!["a1", "a2", "b1", "b2", "ab"]).prop_map(Text::from);
    prop::collection::vec(tag, 0..3)
}

fn images() -> impl Strategy<Value = Vec<ImageFacts>> {
    let hours = || 0..200_i64;
    let time = |hours: i64| now() - SignedDuration::from_hours(hours);
    let one = (tags(), hours(), prop::option::of(hours()), prop::option::of(hours())).prop_map(
        move |(tags, pushed, pulled, archived)| ImageFacts {
            tags,
            pushed_at: time(pushed),
            pulled_at: pulled.map(time),
            archived_at: archived.map(time),
        },
    );
    prop::collection::vec(one, 0..12)
}

fn policies() -> impl Strategy<Value = LifecyclePolicy> {
    let texts = |end: &'static str| {
        let text = prop::sample::select(vec!["a", "b", "a1"])
            .prop_map(move |text| Text::from(format!("{text}{end}")));
        prop::collection::vec(text, 1..3)
    };
    let selection = prop_oneof![
        Just(TagSelection::Any),
        Just(TagSelection::Untagged),
        texts("").prop_map(TagSelection::Prefixes),
        texts("*").prop_map(TagSelection::Patterns),
    ];
    let count_type = prop::sample::select(vec![
        CountType::ImageCountMoreThan,
        CountType::SinceImagePushed,
        CountType::SinceImagePulled,
        CountType::SinceImageTransitioned,
    ]);
    let rules = prop::collection::vec((selection, count_type, 1..6_i64), 0..5);
    rules.prop_map(|rules| {
        let numbered = rules.into_iter().zip(1..);
        let rule = |((tags, count_type, count_number), priority)| Rule {
            count_type,
            ..keep(priority, tags, count_number)
        };
        LifecyclePolicy { rules: numbered.map(rule).collect() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn evaluation_agrees_with_the_plain_model(policy in policies(), images in images()) {
        let mut found = evaluate(&policy, &images, now());
        found.sort_unstable();
        let pairs = (0..images.len()).flat_map(|index| policy.rules.iter().map(move |rule| (index, rule)));
        let selected = pairs.filter(|(index, rule)| is_selected(&policy, &images, *index, rule));
        let expected: Vec<_> = selected.map(|(index, rule)| (index, rule.priority)).collect();
        prop_assert_eq!(found, expected);
    }
}
