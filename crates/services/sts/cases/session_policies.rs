//! Policies and tags that sessions are created with, and the space that they take.

use super::{World, assume_with};
use nephos_core::{Resource, Result, Tag};
use nephos_iam::CreatePolicy;
use nephos_sts::{PolicyDescriptorType, errors};
use nephos_testing::ask;

/// A policy that allows an action.
pub(super) fn allow(action: &str) -> String {
    format!(
        r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Action": "{action}", "Resource": "*"}}]}}"#
    )
}

pub(super) fn malformed_policies_are_refused(world: &World) -> Result<()> {
    world.create_open_role("web")?;
    let session = world.session();
    let assume = |policy: &str| assume_with(&session, "web", |operation| operation.policy(policy));
    assert_eq!(assume(&allow("iam:*"))?.packed_policy_size(), Some(5));
    for (policy, text) in [
        ("{", "This policy contains invalid Json"),
        ("{}", "Syntax errors in policy."),
        (&allow("everything"), "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."),
        (&allow("*").replace("\"*\"}", "\"x\"}"), "Resource x must be in ARN format or \"*\"."),
        (
            &allow("*").replace("\"Action\"", "\"Principal\": \"*\", \"Action\""),
            "Policy document should not specify a principal.",
        ),
    ] {
        let error = world.refused(&errors::MALFORMED_POLICY, "Policy", || assume(policy));
        assert_eq!(error.message(), text, "{policy}");
    }
    world.refused(&errors::INVALID, "Policy", || assume(&" ".repeat(2049)));
    Ok(())
}

pub(super) fn managed_policies_must_exist(world: &World) -> Result<()> {
    world.create_open_role("web")?;
    let session = world.session();
    let created = ask(&session, CreatePolicy::new("read", allow("iam:Get*")))?;
    let arn = created.policy().unwrap().require_arn()?.to_owned();
    let assume = |arn: &str| {
        let policy = PolicyDescriptorType::builder().arn(arn).build()?;
        assume_with(&session, "web", |operation| operation.policy_arns([policy]))
    };
    assert!(assume(&arn)?.packed_policy_size().is_some());
    for missing in [&arn.replace("read", "write"), &arn.replace("123456789012", "210987654321")] {
        let error = world.refused(&errors::INVALID, "PolicyArns", || assume(missing));
        assert_eq!(error.message(), format!("{missing} is invalid"));
    }
    Ok(())
}

pub(super) fn packed_size_is_limited(world: &World) -> Result<()> {
    world.create_open_role("web")?;
    let session = world.session();
    let tags = |count: usize| -> Vec<Tag> {
        (0..count).map(|n| Tag::new(format!("key-{n:02}"), "v".repeat(250))).collect()
    };
    let assume = |count: usize| assume_with(&session, "web", |operation| operation.tags(tags(count)));
    assert_eq!(assume(8)?.packed_policy_size(), Some(100));
    let error = world.refused(&errors::PACKED_POLICY_TOO_LARGE, None, || assume(9));
    assert_eq!(error.message(), "Packed policy consumes 113% of allotted space, please use smaller policy.");
    Ok(())
}
