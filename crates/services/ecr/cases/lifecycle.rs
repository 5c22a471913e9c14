//! Cases: lifecycle policies, and the sentences of their validator.

use super::{World, create};
use nephos_core::Result;
use nephos_ecr::{Repository, errors};

/// Returns a policy with these rules, long enough to be accepted.
pub(super) fn policy(rules: &[String]) -> String {
    format!(r#"{{ "rules": [{}]{} }}"#, rules.join(", "), " ".repeat(100))
}

pub(super) fn rule(priority: i64, selection: &str) -> String {
    format!(r#"{{"rulePriority": {priority}, "selection": {{{selection}}}, "action": {{"type": "expire"}}}}"#)
}

const UNTAGGED: &str = r#""tagStatus": "untagged", "countType": "imageCountMoreThan", "countNumber": 3"#;
const ANY: &str =
    r#""tagStatus": "any", "countType": "sinceImagePushed", "countUnit": "days", "countNumber": 14"#;

fn tagged(list: &str) -> String {
    format!(r#""tagStatus": "tagged", {list}, "countType": "imageCountMoreThan", "countNumber": 1"#)
}

pub(super) fn lifecycle_policy_is_set_read_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let repositories = Repository::objects(&session);
    let get = || repositories.get_lifecycle_policy("web").wait();
    let refused = world.refused(&errors::LIFECYCLE_POLICY_NOT_FOUND, None, get);
    let text = "Lifecycle policy does not exist for the repository with name 'web' in the registry with id '123456789012'";
    assert_eq!(refused.wire_message(), text);
    let set = repositories.set_lifecycle_policy("web", policy(&[rule(1, UNTAGGED), rule(2, ANY)])).wait()?;
    let stored = r#"{"rules":[{"rulePriority":1,"selection":{"tagStatus":"untagged","countType":"imageCountMoreThan","countNumber":3},"action":{"type":"expire"}},"#;
    assert!(set.lifecycle_policy_text().is_some_and(|text| text.starts_with(stored)), "{set:?}");
    let found = repositories.get_lifecycle_policy("web").wait()?;
    assert_eq!(found.lifecycle_policy_text(), set.lifecycle_policy_text());
    assert_eq!(found.last_evaluated_at().map(|at| at.as_second()), Some(0));
    assert_eq!(repositories.delete_lifecycle_policy("web").wait()?, found);
    world.refused(&errors::LIFECYCLE_POLICY_NOT_FOUND, None, get);
    repositories.set_lifecycle_policy("web", policy(&[rule(1, ANY)])).wait()?;
    repositories.delete("web").wait()?;
    create(&session, "web")?;
    world.refused(&errors::LIFECYCLE_POLICY_NOT_FOUND, None, get);
    Ok(())
}

#[track_caller]
fn assert_refused(world: &World, text: &str, detail: &str) {
    let repositories = Repository::objects(&world.session());
    let set = || repositories.set_lifecycle_policy("web", text).wait();
    let refused = world.refused(&errors::INVALID, "lifecyclePolicyText", set);
    let start = "Invalid parameter at 'LifecyclePolicyText' failed to satisfy constraint: 'Lifecycle policy validation failure:";
    assert_eq!(refused.wire_message(), format!("{start} {detail}'"), "{text}");
}

pub(super) fn invalid_lifecycle_policies_are_refused(world: &World) -> Result<()> {
    create(&world.session(), "web")?;
    let unreadable = "Could not map policyString into LifecyclePolicy.";
    assert_refused(world, &"x".repeat(100), unreadable);
    assert_refused(world, &format!("[{}]", " ".repeat(100)), unreadable);
    let missing = |names: &str| format!("object has missing required properties ([{names}])");
    assert_refused(world, &format!("{{{}}}", " ".repeat(100)), &missing(r#""rules""#));
    assert_refused(world, &policy(&["{}".to_owned()]), &missing(r#""action","rulePriority","selection""#));
    assert_refused(world, &policy(&[rule(1, "")]), &missing(r#""countNumber","countType","tagStatus""#));
    let type_rule = "does not match any allowed primitive type";
    let item = format!(r#"instance type (string) {type_rule} (allowed: ["object"])"#);
    assert_refused(world, &policy(&[r#""rule""#.to_owned()]), &item);
    assert_refused(
        world,
        &policy(&[]),
        "array is too short: must have at least 1 elements but instance has 0 elements",
    );
    let replaced = |from: &str, to: &str| policy(&[rule(1, ANY).replace(from, to)]);
    let not_allowed = r#"object instance has properties which are not allowed by the schema: (["test"])"#;
    assert_refused(world, &replaced(r#""rulePriority""#, r#""test": 1, "rulePriority""#), not_allowed);
    assert_refused(world, &replaced(r#""type""#, r#""test": 1, "type""#), not_allowed);
    assert_refused(world, &replaced(r#""tagStatus""#, r#""test": 1, "tagStatus""#), not_allowed);
    let not_in_enum =
        |values: &str| format!("instance value (test) not found in enum :(possible values: [{values}])");
    assert_refused(world, &replaced("expire", "test"), &not_in_enum(r#""expire""#));
    assert_refused(world, &replaced(r#""any""#, r#""test""#), &not_in_enum(r#""any","tagged","untagged""#));
    assert_refused(world, &replaced("days", "test"), &not_in_enum(r#""days""#));
    let count_types = not_in_enum(r#""imageCountMoreThan","sinceImagePushed""#);
    assert_refused(world, &replaced("sinceImagePushed", "test"), &count_types);
    let too_low = "numeric instance is lower than the required minimum (minimum: 1, found: 0)";
    assert_refused(world, &replaced("14", "0"), too_low);
    assert_refused(world, &policy(&[rule(0, ANY)]), too_low);
    Ok(())
}

pub(super) fn rules_of_a_lifecycle_policy_fit_to_each_other(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let no_schema = "instance failed to match exactly one schema (matched 0 out of 2)";
    let prefixes = tagged(r#""tagPrefixList": ["prod"]"#);
    let selections = [
        format!(r#"{UNTAGGED}, "countUnit": "days""#),
        format!(r#"{UNTAGGED}, "tagPrefixList": ["prod"]"#),
        format!(r#"{UNTAGGED}, "tagPrefixList": null"#),
        format!(r#"{UNTAGGED}, "storageClass": "archive""#),
        format!(r#"{prefixes}, "tagPatternList": ["prod*"]"#),
        UNTAGGED.replace("untagged", "tagged"),
        ANY.replace(r#""countUnit": "days", "#, ""),
        ANY.replace("sinceImagePushed", "sinceImageTransitioned"),
    ];
    for selection in selections {
        assert_refused(world, &policy(&[rule(1, &selection)]), no_schema);
    }
    let pairs = [
        ([rule(1, UNTAGGED), rule(1, ANY)], "rulePriority 1 is used by more than one rule"),
        ([rule(1, ANY), rule(2, UNTAGGED)], "a rule with tagStatus any must have the highest rulePriority"),
        ([rule(1, UNTAGGED), rule(2, UNTAGGED)], "only one rule can have tagStatus untagged"),
        ([rule(1, &prefixes), rule(2, &prefixes)], "rules must have different lists of tags"),
    ];
    for (rules, detail) in pairs {
        assert_refused(world, &policy(&rules), detail);
    }
    let five = tagged(r#""tagPatternList": ["*a*b*c*d*"]"#);
    assert_refused(world, &policy(&[rule(1, &five)]), "a tag pattern can contain a maximum of 4 wildcards");
    let archived =
        ANY.replace("sinceImagePushed", "sinceImageTransitioned") + r#", "storageClass": "archive""#;
    let archive = rule(3, &ANY.replace("sinceImagePushed", "sinceImagePulled"));
    let archive = archive.replace(r#""expire""#, r#""transition", "targetStorageClass": "archive""#);
    let rules = [rule(1, &prefixes), rule(2, UNTAGGED), archive, rule(4, &archived)];
    Repository::objects(&session).set_lifecycle_policy("web", policy(&rules)).wait()?;
    Ok(())
}
