//! Cases: policies of repositories and of the registry, and what they allow to other accounts.

use super::{World, create, existing};
use nephos_core::{Result, prelude::*};
use nephos_ecr::{
    CreateRepository, DeleteRepository, DescribeRepositories, GetRepositoryPolicy, ImageTagMutability,
    ListTagsForResource, Repository, errors,
};
use nephos_testing::{OTHER_ACCOUNT, ask};

fn statement(effect: &str, action: &str) -> String {
    let principal = format!(r#"{{"AWS": "arn:aws:iam::{OTHER_ACCOUNT}:root"}}"#);
    format!(
        r#"{{"Sid": "new statement", "Effect": "{effect}", "Principal": {principal}, "Action": {action}}}"#
    )
}

fn document(statements: &[String]) -> String {
    format!(r#"{{"Version": "2012-10-17", "Statement": [{}]}}"#, statements.join(","))
}

pub(super) fn repository_policy_is_set_read_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let repositories = Repository::objects(&session);
    let missing = "Repository policy does not exist for the repository with name 'web' in the registry with id \
                   '123456789012'";
    for read in [true, false] {
        let refused = world.refused(&errors::REPOSITORY_POLICY_NOT_FOUND, None, || match read {
            true => repositories.get_policy("web").wait(),
            false => repositories.delete_policy("web").wait(),
        });
        assert_eq!(refused.wire_message(), missing);
    }
    let policy = document(&[statement("Allow", r#"["ecr:DescribeRepositories", "ecr:ListImages"]"#)]);
    let set = repositories.set_policy("web", policy.as_str()).wait()?;
    let text = set.policy_text().unwrap();
    let start = "{\n  \"Version\" : \"2012-10-17\",\n  \"Statement\" : [ {\n    \"Sid\" : \"new statement\",";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains(r#""Action" : [ "ecr:DescribeRepositories", "ecr:ListImages" ]"#), "{text}");
    assert_eq!((set.registry_id(), set.repository_name()), (Some("123456789012"), Some("web")));
    assert_eq!(repositories.get_policy("web").wait()?, set);
    assert_eq!(repositories.delete_policy("web").wait()?, set);
    world.refused(&errors::REPOSITORY_POLICY_NOT_FOUND, None, || repositories.get_policy("web").wait());
    Ok(())
}

/// A policy does not outlive its repository.
pub(super) fn policy_is_deleted_with_its_repository(world: &World) -> Result<()> {
    let session = world.session();
    let repositories = Repository::objects(&session);
    create(&session, "web")?;
    repositories.set_policy("web", document(&[statement("Allow", r#""ecr:*""#)])).wait()?;
    repositories.delete("web").wait()?;
    create(&session, "web")?;
    world.refused(&errors::REPOSITORY_POLICY_NOT_FOUND, None, || repositories.get_policy("web").wait());
    Ok(())
}

pub(super) fn invalid_policies_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let repositories = Repository::objects(&session);
    let with_resource =
        statement("Allow", r#""ecr:*""#).replace(r#""Effect""#, r#""Resource": "*", "Effect""#);
    let invalid = [
        "no json".to_owned(),
        "[]".to_owned(),
        document(&[with_resource]),
        document(&[statement("Maybe", r#""ecr:*""#)]),
        document(&[statement("Allow", r#""s3:GetObject""#)]),
        document(&[r#"{"Effect": "Allow", "Action": "ecr:*"}"#.to_owned()]),
    ];
    for policy in invalid {
        let set = || repositories.set_policy("web", policy.as_str()).wait();
        let refused = world.refused(&errors::INVALID, "policyText", set);
        let text = "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Invalid repository policy provided'";
        assert_eq!(refused.wire_message(), text, "{policy}");
    }
    let valid = document(&[statement("Allow", r#""ecr:*""#)]);
    let set_missing = || repositories.set_policy("api", valid.as_str()).wait();
    world.refused(&errors::REPOSITORY_NOT_FOUND, "repositoryName", set_missing);
    Ok(())
}

pub(super) fn policy_that_locks_the_caller_out_must_be_forced(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let repositories = Repository::objects(&session);
    let deny = r#"{"Effect": "Deny", "Principal": "*", "Action": "ecr:SetRepositoryPolicy"}"#;
    let policy = document(&[deny.to_owned()]);
    let set = || repositories.set_policy("web", policy.as_str()).wait();
    world.refused(&errors::INVALID, "policyText", set);
    repositories.set_policy("web", policy.as_str()).force(true).wait()?;
    Ok(())
}

pub(super) fn repositories_of_other_accounts_need_a_policy(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let other = world.other_account();
    let describe = DescribeRepositories::new().registry_id("123456789012").repository_names(["web"]);
    let denied = world.refused(&errors::DENIED, None, || ask(&other, describe.clone()));
    assert_eq!(
        denied.message(),
        "User: arn:aws:iam::210987654321:root is not authorized to perform: ecr:DescribeRepositories on resource: \
         arn:aws:ecr:us-east-1:123456789012:repository/web because no resource-based policy allows the \
         ecr:DescribeRepositories action"
    );
    let actions = r#"["ecr:DescribeRepositories", "ecr:PutImageTagMutability"]"#;
    Repository::objects(&session).set_policy("web", document(&[statement("Allow", actions)])).wait()?;
    let found = ask(&other, describe)?;
    assert_eq!(found.repositories().unwrap()[0].registry_id(), Some("123456789012"));
    // A model of another registry is changed there.
    create(&other, "web")?;
    let mut shared = Repository::objects(&other).get("web").registry_id("123456789012").wait()?.unwrap();
    assert_eq!(shared.tags(), None);
    shared.set_image_tag_mutability(ImageTagMutability::Immutable)?;
    shared.save().wait()?;
    assert_eq!(existing(&session, "web")?.image_tag_mutability(), shared.image_tag_mutability());
    assert_ne!(existing(&other, "web")?.image_tag_mutability(), shared.image_tag_mutability());
    let delete = DeleteRepository::new("web").registry_id("123456789012");
    world.refused(&errors::DENIED, None, || ask(&other, delete.clone()));
    let get_policy = GetRepositoryPolicy::new("web").registry_id("123456789012");
    world.refused(&errors::DENIED, None, || ask(&other, get_policy.clone()));
    let all = DescribeRepositories::new().registry_id("123456789012");
    world.refused(&errors::DENIED, None, || ask(&other, all.clone()));
    let tags = ListTagsForResource::new("arn:aws:ecr:us-east-1:123456789012:repository/web");
    world.refused(&errors::INVALID, "resourceArn", || ask(&other, tags.clone()));
    Ok(())
}

pub(super) fn registry_policy_is_set_read_and_removed(world: &World) -> Result<()> {
    let repositories = Repository::objects(&world.session());
    let text = "Registry policy does not exist in the registry with id '123456789012'";
    let get = || repositories.get_registry_policy().wait();
    assert_eq!(world.refused(&errors::REGISTRY_POLICY_NOT_FOUND, None, get).wire_message(), text);
    let delete = || repositories.delete_registry_policy().wait();
    assert_eq!(world.refused(&errors::REGISTRY_POLICY_NOT_FOUND, None, delete).wire_message(), text);
    let without_resource = document(&[statement("Allow", r#""ecr:ReplicateImage""#)]);
    let set = || repositories.set_registry_policy(without_resource.as_str()).wait();
    let refused = world.refused(&errors::INVALID, "policyText", set);
    let text =
        "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Invalid registry policy provided'";
    assert_eq!(refused.wire_message(), text);
    let set = repositories.set_registry_policy(for_registry(r#""ecr:ReplicateImage""#)).wait()?;
    assert_eq!(set.registry_id(), Some("123456789012"));
    assert_eq!(repositories.get_registry_policy().wait()?, set);
    assert_eq!(repositories.delete_registry_policy().wait()?, set);
    world.refused(&errors::REGISTRY_POLICY_NOT_FOUND, None, || repositories.get_registry_policy().wait());
    Ok(())
}

fn for_registry(actions: &str) -> String {
    let resource = r#""Resource": "arn:aws:ecr:us-east-1:123456789012:repository/*", "Effect""#;
    document(&[statement("Allow", actions).replace(r#""Effect""#, resource)])
}

/// The policy of the registry counts for repositories that do not exist yet, and for all actions, unless its scope is the older
/// one.
pub(super) fn registry_policy_allows_creation_to_other_accounts(world: &World) -> Result<()> {
    let session = world.session();
    let other = world.other_account();
    let repositories = Repository::objects(&session);
    let there = |name: &str| CreateRepository::new(name).registry_id("123456789012");
    world.refused(&errors::DENIED, None, || ask(&other, there("web")));
    repositories.set_registry_policy(for_registry(r#"["ecr:CreateRepository", "ecr:Describe*"]"#)).wait()?;
    ask(&other, there("web"))?;
    assert_eq!(existing(&session, "web")?.registry_id(), Some("123456789012"));
    assert_eq!(
        Repository::objects(&other).list().registry_id("123456789012").results().all().wait()?.len(),
        1
    );
    repositories.set_account_setting("REGISTRY_POLICY_SCOPE", "V1").wait()?;
    let set = || repositories.set_registry_policy(for_registry(r#""ecr:DescribeRepositories""#)).wait();
    world.refused(&errors::INVALID, "policyText", set);
    repositories.set_registry_policy(for_registry(r#""ecr:*""#)).wait()?;
    ask(&other, there("api"))?;
    let list = || Repository::objects(&other).list().registry_id("123456789012").results().all().wait();
    world.refused(&errors::DENIED, None, list);
    Ok(())
}
