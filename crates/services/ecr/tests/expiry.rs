//! Expiry of images by lifecycle policies, compared with a plain model, and previews over time.

use nephos_cloud::Transitions;
use nephos_core::{Session, SignedDuration, Text};
use nephos_ecr::{
    DescribeImages, ImageScanningConfiguration, ImageTagMutability, PutImage, Repository, errors,
    lifecycle::{ImageFacts, LifecyclePolicy, evaluate},
};
use nephos_ecr_cases::Cloud;
use nephos_testing::ask;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn cloud() -> Cloud {
    Cloud::options().clock(nephos_testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory()
}

fn create(session: &Session) {
    let scanning = ImageScanningConfiguration::builder().build().expect("no required fields");
    let web = Repository::builder()
        .repository_name("web")
        .image_tag_mutability(ImageTagMutability::Mutable)
        .image_scanning_configuration(scanning);
    Repository::objects(session).create(&web.build().expect("a repository")).wait().expect("it is new");
}

/// A push of the test: hours since the last one, a tag, and for a list the numbers of earlier images.
#[derive(Clone, Debug)]
struct Push {
    hours: i64,
    tag: Option<&'static str>,
    children: Option<Vec<usize>>,
}

fn pushes() -> impl Strategy<Value = Vec<Push>> {
    let tag = prop::option::of(prop::sample::select(vec!["a1", "a2", "b1", "b2"]));
    let children = prop::option::weighted(0.4, prop::collection::vec(0..8_usize, 1..4));
    let one = (0..40_i64, tag, children).prop_map(|(hours, tag, children)| Push { hours, tag, children });
    prop::collection::vec(one, 1..9)
}

/// A policy with a rule for tags and a rule for all images.
fn policies() -> impl Strategy<Value = String> {
    let count = |most: i64| {
        prop_oneof![
            (1..most).prop_map(|n| format!(r#""countType":"imageCountMoreThan","countNumber":{n}"#)),
            (1..most).prop_map(|n| format!(
                r#""countType":"sinceImagePushed","countUnit":"days","countNumber":{n}"#
            )),
        ]
    };
    let status = prop::sample::select(vec![
        r#""tagStatus":"untagged""#,
        r#""tagStatus":"tagged","tagPrefixList":["a"]"#,
        r#""tagStatus":"tagged","tagPatternList":["*1"]"#,
    ]);
    (status, count(4), count(5)).prop_map(|(status, first, second)| {
        let rule = |priority: u8, selection: String| {
            format!(
                r#"{{"rulePriority":{priority},"selection":{{{selection}}},"action":{{"type":"expire"}}}}"#
            )
        };
        let rules = [rule(1, format!("{status},{first}")), rule(2, format!(r#""tagStatus":"any",{second}"#))];
        format!(r#"{{"rules":[{}]}}"#, rules.join(","))
    })
}

/// Pushes images, and returns the digests of the images of each list.
fn push_all(cloud: &Cloud, session: &Session, pushes: &[Push]) -> BTreeMap<Text, BTreeSet<Text>> {
    let mut digests: Vec<Text> = Vec::new();
    let mut lists = BTreeMap::new();
    for (n, push) in pushes.iter().enumerate() {
        cloud.clock().advance(SignedDuration::from_hours(push.hours)).expect("the clock moves");
        let children: BTreeSet<Text> =
            push.children.iter().flatten().filter_map(|index| digests.get(*index).cloned()).collect();
        let manifest = if push.children.is_some() {
            let each = children.iter().map(|digest| format!(r#"{{"digest":"{digest}","size":1}}"#));
            let each = each.collect::<Vec<_>>().join(",");
            let index = "application/vnd.oci.image.index.v1+json";
            format!(r#"{{"mediaType":"{index}","number":{n},"manifests":[{each}]}}"#)
        } else {
            format!(r#"{{"schemaVersion":1,"number":{n},"fsLayers":[]}}"#)
        };
        let mut put = PutImage::new("web", manifest);
        put.image_tag = push.tag.map(Text::from);
        let image = ask(session, put).expect("a valid image");
        let digest: Text =
            image.image().and_then(|image| image.image_id()?.image_digest()).expect("a digest").into();
        lists.insert(digest.clone(), children);
        digests.push(digest);
    }
    lists
}

/// Facts about all images, by digest.
fn facts(session: &Session) -> BTreeMap<Text, ImageFacts> {
    let found = ask(session, DescribeImages::new("web")).expect("the repository exists");
    let images = found.image_details().unwrap_or_default().iter();
    let one = |image: &nephos_ecr::ImageDetail| {
        let facts = ImageFacts {
            tags: image.image_tags().unwrap_or_default().to_vec(),
            pushed_at: image.image_pushed_at().expect("a time"),
            pulled_at: None,
            archived_at: None,
        };
        (Text::from(image.image_digest().expect("a digest")), facts)
    };
    images.map(one).collect()
}

/// The plain model: an image stays if it is not selected, or if it is in a list that stays.
fn stays(digest: &Text, selected: &BTreeSet<Text>, lists: &BTreeMap<Text, BTreeSet<Text>>) -> bool {
    let mut containing = lists.iter().filter(|(_, children)| children.contains(digest));
    !selected.contains(digest) || containing.any(|(list, _)| stays(list, selected, lists))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expiry_agrees_with_the_plain_model(pushes in pushes(), text in policies()) {
        let cloud = cloud();
        let session = cloud.session();
        create(&session);
        let lists = push_all(&cloud, &session, &pushes);
        let repositories = Repository::objects(&session);
        repositories.set_lifecycle_policy("web", text.as_str()).wait().expect("a valid policy");
        let before = facts(&session);
        cloud.clock().advance(SignedDuration::from_hours(24)).expect("the clock moves");
        let policy = LifecyclePolicy::parse(&text).expect("a valid policy");
        let images: Vec<_> = before.values().cloned().collect();
        let digests: Vec<_> = before.keys().collect();
        let now = repositories.get_lifecycle_policy("web").wait().expect("a policy").last_evaluated_at();
        let selected = evaluate(&policy, &images, now.expect("it was evaluated"));
        let selected: BTreeSet<Text> = selected.into_iter().map(|(index, _)| digests[index].clone()).collect();
        let expected: BTreeMap<_, _> =
            before.into_iter().filter(|(digest, _)| stays(digest, &selected, &lists)).collect();
        prop_assert_eq!(facts(&session), expected);
    }
}

#[test]
fn second_preview_waits_for_the_first() {
    let cloud = cloud();
    let session = cloud.session();
    create(&session);
    let text = r#"{"rules":[{"rulePriority":1,"selection":{"tagStatus":"any","countType":"imageCountMoreThan",
        "countNumber":1},"action":{"type":"expire"}}]}"#;
    let repositories = Repository::objects(&session);
    let start = || repositories.start_lifecycle_policy_preview("web").lifecycle_policy_text(text).wait();
    start().expect("it is the first");
    let running = repositories.get_lifecycle_policy_preview("web").wait().expect("a preview");
    assert_eq!((running.preview_results().map(<[_]>::len), running.summary()), (Some(0), None));
    let refused = start().expect_err("the first runs");
    assert_eq!(refused.code(), errors::PREVIEW_IN_PROGRESS.code);
    cloud.clock().advance(SignedDuration::from_secs(10)).expect("the clock moves");
    start().expect("the first is complete");
}
