//! Managed policies and their versions.

use super::{DOCUMENT, World, ask, errors, names};
use nephos_core::{Resource, Result, Tag, Tagged};
use nephos_iam::{
    CreatePolicy, DeletePolicyVersion, GetPolicy, GetPolicyVersion, ListPolicyVersions, Policy, PolicyScope,
    PolicyVersion, SetDefaultPolicyVersion,
};

const OTHER_DOCUMENT: &str = r#"{"Version": "2012-10-17",
    "Statement": [{"Sid": "1", "Effect": "Deny", "NotAction": ["iam:*"], "Resource": "arn:aws:s3:::web/100%"}]}"#;

const UNKNOWN: &str = "arn:aws:iam::123456789012:policy/none";

pub(super) fn created_policy_is_returned_by_get(world: &World) -> Result<()> {
    let objects = Policy::objects(&world.session());
    let model = Policy::builder()
        .policy_name("Read")
        .path("/team/")
        .description("Reads.")
        .tags([("a", "1")])
        .build()?;
    let policy = objects.create(&model, DOCUMENT).wait()?;
    assert_eq!(policy.require_arn()?, "arn:aws:iam::123456789012:policy/team/Read");
    let id = policy.policy_id().unwrap_or_default();
    assert!(id.starts_with("ANPA") && id.len() == 21, "{id}");
    assert_eq!((policy.default_version_id(), policy.is_attachable()), (Some("v1"), Some(true)));
    assert_eq!((policy.attachment_count(), policy.permissions_boundary_usage_count()), (Some(0), Some(0)));
    assert_eq!((policy.create_date(), policy.description()), (policy.update_date(), Some("Reads.")));
    assert_eq!(objects.get(policy.require_arn()?).wait()?, Some(policy.clone()));
    let listed = objects.list().scope(PolicyScope::Local).results().first().wait()?.expect("it is listed");
    assert_eq!((listed.require_arn()?, listed.description()), (policy.require_arn()?, None));
    assert_eq!(listed.tags_map().wait()?.len(), 1);
    policy.delete().wait()?;
    assert!(objects.get(policy.require_arn()?).wait()?.is_none());
    Ok(())
}

pub(super) fn policy_name_is_unique_ignoring_case(world: &World) -> Result<()> {
    world.create_policy("Read")?;
    let create = || ask(&world.session(), CreatePolicy::new("read", DOCUMENT).path("/team/"));
    let error = world.refused(&errors::EXISTS, None, create);
    assert_eq!(error.message(), "A policy called read already exists. Duplicate names are not allowed.");
    Ok(())
}

pub(super) fn missing_or_invalid_arn_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    world.create_policy("read")?;
    let get = |arn: &str| ask(&session, GetPolicy::new(arn));
    let error = world.refused(&errors::NOT_FOUND, None, || get(UNKNOWN));
    assert_eq!(error.message(), format!("Policy {UNKNOWN} was not found."));
    for arn in ["arn:aws:iam::123456789012:policy/team/read", "arn:aws:iam::210987654321:policy/read"] {
        world.refused(&errors::NOT_FOUND, None, || get(arn));
    }
    let error = world.refused(&errors::INVALID, "PolicyArn", || get("this is not an ARN at all"));
    assert_eq!(error.message(), "Invalid ARN:  Could not be parsed!");
    world.refused(&errors::INVALID_INPUT, "PolicyArn", || get("arn:aws:iam::123456789012:user/read"));
    world.refused(&errors::INVALID, "PolicyArn", || get("short"));
    world.refused(&errors::NOT_FOUND, None, || Policy::objects(&session).delete(UNKNOWN).wait());
    world.refused(&errors::NOT_FOUND, None, || ask(&session, ListPolicyVersions::new(UNKNOWN)));
    Ok(())
}

/// Changes to a valid statement, and the texts that refuse them.
const MALFORMED: &[(&str, &str, &str)] = &[
    (r#""2012-10-17""#, r#""2008-10-17""#, "Policy document must be version 2012-10-17 or greater."),
    (r#""Version": "2012-10-17", "#, "", "Policy document must be version 2012-10-17 or greater."),
    (r#""2012-10-17""#, r#""2015-10-17""#, "Syntax errors in policy."),
    (r#""Version""#, r#""Id": 1, "Version""#, "Syntax errors in policy."),
    ("Allow", "allow", "The policy failed legacy parsing"),
    (r#""Effect": "Allow", "#, "", "Syntax errors in policy."),
    (r#""s3:GetObject""#, "[]", "Policy statement must contain actions."),
    (r#""s3:GetObject""#, "[[]]", "Syntax errors in policy."),
    (r#""s3:GetObject""#, r#""s3:Get:Object""#, "Actions/Condition can contain only one colon."),
    (r#""s3:GetObject""#, r#""s 3:GetObject""#, "Vendor s 3 is not valid"),
    (r#""*""#, "[]", "Policy statement must contain resources."),
    (r#""*""#, r#""web""#, r#"Resource web must be in ARN format or "*"."#),
    (r#""*""#, r#"["*", {}]"#, "Syntax errors in policy."),
    (r#""*""#, r#""arn:aws:s3::web""#, "The policy failed legacy parsing"),
    (r#""*""#, r#""arn:aws""#, "Resource vendor must be fully qualified and cannot contain regexes."),
    (r#""*""#, r#""arn:moon:s3""#, r#"Partition "moon" is not valid for resource "arn:moon:s3:*:*:*"."#),
    (
        r#""*""#,
        r#""arn:aws:s3:eu-west-1::web""#,
        "Resource arn:aws:s3:eu-west-1::web can not contain region information.",
    ),
    (
        r#""*""#,
        r#""arn:aws:iam:eu-west-1::user/ann""#,
        "IAM resource arn:aws:iam:eu-west-1::user/ann cannot contain region information.",
    ),
    (
        r#""*""#,
        r#""arn:aws:iam:::people/ann""#,
        "IAM resource path must either be \"*\" or start with user/, federated-user/, role/, group/, instance-profile/, mfa/, \
         server-certificate/, policy/, sms-mfa/, saml-provider/, oidc-provider/, report/, access-report/.",
    ),
    (
        r#""Effect""#,
        r#""Sid": "a b", "Effect""#,
        "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression [0-9A-Za-z]*",
    ),
    (r#""Effect""#, r#""Condition": {"Is": {"a": "b"}}, "Effect""#, "Syntax errors in policy."),
    (r#""Effect""#, r#""Condition": {"Bool": {"a": {}}}, "Effect""#, "Syntax errors in policy."),
    (
        r#""Effect""#,
        r#""Condition": {"DateLessThan": {"a": "soon"}}, "Effect""#,
        "The policy failed legacy parsing",
    ),
    (
        r#""Effect""#,
        r#""Condition": {"DateLessThan": {"a": "2016-13-01"}}, "Effect""#,
        "The policy failed legacy parsing",
    ),
];

/// Changes to a valid statement that the provider accepts.
const UNUSUAL: &[(&str, &str)] = &[
    (r#""s3:GetObject""#, r#""s3: any thing ""#),
    (r#""*""#, r#""arn:aws:web""#),
    (r#""*""#, r#"["*", "arn:*:s3:::web/*"]"#),
    (r#""Effect""#, r#""Condition": {}, "Effect""#),
    (r#""Effect""#, r#""Condition": {"Is": {}}, "Effect""#),
    (r#""Effect""#, r#""Condition": {"Bool": {"plain": []}}, "Effect""#),
    (
        r#""Effect""#,
        r#""Condition": {"DateLessThan": {"a": ["2016-12", "2016-12-13t2:00:00.5+01:00", "99"]}}, "Effect""#,
    ),
];

pub(super) fn documents_are_checked_in_the_order_of_the_provider(world: &World) -> Result<()> {
    for (from, to, text) in MALFORMED {
        let document = DOCUMENT.replace(from, to);
        let create = || ask(&world.session(), CreatePolicy::new("new", &*document));
        let error = world.refused(&errors::MALFORMED_POLICY, "PolicyDocument", create);
        assert_eq!(error.message(), *text, "{document}");
    }
    for (n, (from, to)) in UNUSUAL.iter().enumerate() {
        ask(&world.session(), CreatePolicy::new(format!("new-{n}"), DOCUMENT.replace(from, to)))?;
    }
    // The first mistake in this order counts, wherever it stands.
    let mistakes = [
        (
            r#""Statement": [{"#,
            r#""Statement": [{"Effect": "Allow"}, {"Extra": 1, "#,
            "Syntax errors in policy.",
        ),
        (
            r#""Statement": [{"#,
            r#""Statement": [{"Effect": "Allow"}, {"Sid": "é", "#,
            "The policy failed legacy parsing",
        ),
        (
            r#""Statement": [{"#,
            r#""Statement": [{"Effect": "Allow"}, {"#,
            "Policy statement must contain actions.",
        ),
    ];
    for (from, to, text) in mistakes {
        let mut document = DOCUMENT.replace(from, to);
        if text.contains("legacy") {
            document = document.replace(r#""*""#, r#""arn:aws:s3::web""#);
        }
        let create = || ask(&world.session(), CreatePolicy::new("new", &*document));
        let error = world.refused(&errors::MALFORMED_POLICY, "PolicyDocument", create);
        assert_eq!(error.message(), text, "{document}");
    }
    Ok(())
}

pub(super) fn malformed_document_is_refused(world: &World) -> Result<()> {
    let policy = world.create_policy("read")?;
    let arn = policy.require_arn()?;
    let actionless = r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Resource": "*"}}"#;
    for (document, text) in [
        ("{", "This policy contains invalid Json"),
        ("[]", "This policy contains invalid Json"),
        ("{}", "Syntax errors in policy."),
        (&DOCUMENT.replace("Allow", "Permit"), "Syntax errors in policy."),
        (actionless, "Policy statement must contain actions."),
        (&DOCUMENT.replace(r#", "Resource": "*""#, ""), "Policy statement must contain resources."),
        (
            &DOCUMENT.replace("\"Resource\"", "\"Principal\": \"*\", \"Resource\""),
            "Policy document should not specify a principal.",
        ),
        (
            &DOCUMENT.replace("s3:GetObject", "GetObject"),
            "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.",
        ),
    ] {
        let create = || ask(&world.session(), CreatePolicy::new("new", document));
        let error = world.refused(&errors::MALFORMED_POLICY, "PolicyDocument", create);
        assert_eq!(error.message(), text, "{document}");
        world.refused(&errors::MALFORMED_POLICY, "PolicyDocument", || {
            PolicyVersion::objects(&world.session()).create(arn, document).wait()
        });
    }
    Ok(())
}

/// Whitespace does not count.
pub(super) fn document_size_is_limited(world: &World) -> Result<()> {
    let document = |length: usize| {
        let sid = "a".repeat(length - DOCUMENT.replace(' ', "").len() - "\"Sid\":\"\",".len());
        DOCUMENT.replace("{\"Effect\"", &format!("{{\"Sid\": \"{sid}\",{}\"Effect\"", " ".repeat(50)))
    };
    let create = |name: &str, length| ask(&world.session(), CreatePolicy::new(name, document(length)));
    let error = world.refused(&errors::LIMIT_EXCEEDED, "PolicyDocument", || create("long", 6145));
    assert_eq!(error.message(), "Cannot exceed quota for PolicySize: 6144");
    create("long", 6144)?;
    Ok(())
}

/// The service returns documents percent-encoded; the typed API decodes them.
pub(super) fn document_is_percent_encoded(world: &World) -> Result<()> {
    let policy = world.create_policy("read")?;
    let versions = PolicyVersion::objects(&world.session());
    versions.create(policy.require_arn()?, OTHER_DOCUMENT).wait()?;
    let found = ask(&world.session(), GetPolicyVersion::new(policy.require_arn()?, "v2"))?;
    let document = found.policy_version().and_then(|version| version.document()).unwrap_or_default();
    assert!(document.starts_with("%7B%22Version%22%3A%20%222012-10-17%22%2C%0A%20"), "{document}");
    assert!(document.contains("s3%3A%3A%3Aweb%2F100%25"), "{document}");
    let version = versions.get(policy.require_arn()?, "v2").wait()?.expect("the version exists");
    assert_eq!(version.document(), Some(OTHER_DOCUMENT));
    assert_eq!(versions.get(policy.require_arn()?, "v3").wait()?, None);
    Ok(())
}

pub(super) fn default_version_is_changed(world: &World) -> Result<()> {
    let policy = world.create_policy("read")?;
    let arn = policy.require_arn()?;
    let versions = PolicyVersion::objects(&world.session());
    world.advance(1000)?;
    let second = versions.create(arn, OTHER_DOCUMENT).wait()?;
    assert_eq!((second.version_id(), second.is_default_version()), (Some("v2"), Some(false)));
    let third = versions.create(arn, DOCUMENT).set_as_default(true).wait()?;
    assert_eq!((third.version_id(), third.is_default_version()), (Some("v3"), Some(true)));
    let current = || Ok(Policy::objects(&world.session()).get(arn).wait()?.expect("the policy exists"));
    let changed: Result<Policy> = current();
    let changed = changed?;
    assert_eq!((changed.default_version_id(), changed.update_date()), (Some("v3"), third.create_date()));
    assert_ne!(changed.update_date(), changed.create_date());
    second.set_default().wait()?;
    let changed: Result<Policy> = current();
    assert_eq!(changed?.default_version_id(), Some("v2"));
    policy.set_default_version("v1").wait()?;
    let listed = policy.list_versions().wait()?;
    assert_eq!(names(&listed)?, ["v3", "v2", "v1"]);
    let defaults: Vec<_> = listed.iter().map(|version| version.is_default_version()).collect();
    assert_eq!(defaults, [Some(false), Some(false), Some(true)]);
    let set = || ask(&world.session(), SetDefaultPolicyVersion::new(arn, "v9"));
    let error = world.refused(&errors::NOT_FOUND, None, set);
    assert_eq!(error.message(), format!("Policy {arn} version v9 does not exist or is not attachable."));
    Ok(())
}

/// Numbers of deleted versions are not used again.
pub(super) fn policy_can_have_five_versions(world: &World) -> Result<()> {
    let policy = world.create_policy("read")?;
    let arn = policy.require_arn()?;
    let versions = PolicyVersion::objects(&world.session());
    for _ in 0..4 {
        versions.create(arn, OTHER_DOCUMENT).wait()?;
    }
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || versions.create(arn, DOCUMENT).wait());
    assert_eq!(
        error.message(),
        "A managed policy can have up to 5 versions. Before you create a new version, you must delete an existing \
         version."
    );
    versions.delete(arn, "v5").wait()?;
    assert_eq!(versions.create(arn, DOCUMENT).wait()?.version_id(), Some("v6"));
    for size in [1, 2, 5] {
        let listed = versions.list(arn).max_items(size).results().all().wait()?;
        assert_eq!(names(&listed)?, ["v6", "v4", "v3", "v2", "v1"], "{size}");
    }
    Ok(())
}

pub(super) fn default_version_cannot_be_deleted(world: &World) -> Result<()> {
    let policy = world.create_policy("read")?;
    let arn = policy.require_arn()?;
    let delete = |version: &str| ask(&world.session(), DeletePolicyVersion::new(arn, version));
    let error = world.refused(&errors::DELETE_CONFLICT, None, || delete("v1"));
    assert_eq!(error.message(), "Cannot delete the default version of a policy.");
    world.refused(&errors::NOT_FOUND, None, || delete("v2"));
    world.refused(&errors::INVALID, "VersionId", || delete("2"));
    let second = PolicyVersion::objects(&world.session()).create(arn, DOCUMENT).wait()?;
    world.refused(&errors::DELETE_CONFLICT, None, || policy.delete().wait());
    second.delete().wait()?;
    policy.delete().wait()
}

pub(super) fn listed_policies_are_filtered(world: &World) -> Result<()> {
    for (path, name) in [("/", "c"), ("/web/", "B"), ("/web/api/", "a")] {
        ask(&world.session(), CreatePolicy::new(name, DOCUMENT).path(path))?;
    }
    let objects = Policy::objects(&world.session());
    for size in [1, 2, 100] {
        let local = objects.list().scope(PolicyScope::Local).max_items(size).results();
        assert_eq!(names(&local.all().wait()?)?, ["a", "B", "c"]);
        let below = objects.list().path_prefix("/web/").max_items(size).results().all().wait()?;
        assert_eq!(names(&below)?, ["B", "a"]);
    }
    assert_eq!(objects.list().only_attached(true).results().count().wait()?, 0);
    world.create_user("ann")?.attach_policy("arn:aws:iam::123456789012:policy/c").wait()?;
    assert_eq!(names(&objects.list().only_attached(true).results().all().wait()?)?, ["c"]);
    Ok(())
}

pub(super) fn policy_has_tags(world: &World) -> Result<()> {
    let mut policy = world.create_policy("read")?;
    let arn = policy.require_arn()?.to_owned();
    let objects = Policy::objects(&world.session());
    objects.tag(&arn, vec![Tag::new("b", "2"), Tag::new("a", "1")]).wait()?;
    assert_eq!(objects.list_tags(&arn).wait()?, [Tag::new("a", "1"), Tag::new("b", "2")]);
    objects.untag(&arn, vec!["B".into()]).wait()?;
    policy.tags_mut().wait()?.insert("c", "3")?;
    policy.save().wait()?;
    assert_eq!(policy.list_tags().wait()?, [Tag::new("a", "1"), Tag::new("c", "3")]);
    world.refused(&errors::INVALID_INPUT, "Tags[aws:x]", || {
        objects.tag(&arn, vec![Tag::new("aws:x", "")]).wait()
    });
    world.refused(&errors::NOT_FOUND, None, || objects.untag(UNKNOWN, vec!["a".into()]).wait());
    Ok(())
}
