//! Cases: pull-through cache rules.

use super::World;
use nephos_core::Result;
use nephos_ecr::{
    CreatePullThroughCacheRule, DescribePullThroughCacheRules, Repository, UpstreamRegistry, errors,
};
use nephos_testing::ask;

/// Of another account, whose secrets are not looked up.
const SECRET: &str = "arn:aws:secretsmanager:us-east-1:210987654321:secret:ecr-pullthroughcache/hub-AbCdEf";

pub(super) fn cache_rule_is_created_changed_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let repositories = Repository::objects(&session);
    let created = repositories.create_pull_through_cache_rule("quay", "quay.io").wait()?;
    assert_eq!(created.upstream_registry(), Some(&UpstreamRegistry::Quay));
    assert_eq!(created.created_at().map(|at| at.as_millisecond()), Some(world.now()));
    let hub = repositories.create_pull_through_cache_rule("hub", "registry-1.docker.io");
    hub.credential_arn(SECRET).wait()?;
    let create = || repositories.create_pull_through_cache_rule("quay", "quay.io").wait();
    world.refused(&errors::CACHE_RULE_EXISTS, "ecrRepositoryPrefix", create);
    let changed = repositories.update_pull_through_cache_rule("quay").credential_arn(SECRET).wait()?;
    assert_eq!((changed.credential_arn(), changed.upstream_registry_url()), (Some(SECRET), None));
    let all = repositories.list_pull_through_cache_rules().max_results(1).wait()?;
    let prefixes: Vec<_> = all.iter().map(|rule| rule.ecr_repository_prefix().unwrap()).collect();
    assert_eq!(prefixes, ["hub", "quay"]);
    assert_eq!(all[1].credential_arn(), Some(SECRET));
    let valid = repositories.validate_pull_through_cache_rule("quay").wait()?;
    assert_eq!((valid.is_valid(), valid.failure()), (Some(true), None));
    repositories.delete_pull_through_cache_rule("quay").wait()?;
    let delete = || repositories.delete_pull_through_cache_rule("quay").wait();
    world.refused(&errors::CACHE_RULE_NOT_FOUND, "ecrRepositoryPrefix", delete);
    let both = DescribePullThroughCacheRules::new().ecr_repository_prefixes(["hub"]).max_results(1);
    world.refused(&errors::INVALID, "maxResults", || ask(&session, both.clone()));
    Ok(())
}

pub(super) fn upstream_registries_are_checked(world: &World) -> Result<()> {
    let repositories = Repository::objects(&world.session());
    let create = |host: &str| repositories.create_pull_through_cache_rule("cache", host);
    world.refused(&errors::UPSTREAM_UNSUPPORTED, "upstreamRegistryUrl", || create("example.com").wait());
    let other = || create("quay.io").upstream_registry(UpstreamRegistry::DockerHub).wait();
    world.refused(&errors::UPSTREAM_UNSUPPORTED, "upstreamRegistryUrl", other);
    for host in ["registry-1.docker.io", "ghcr.io", "web.azurecr.io", "registry.gitlab.com", "cgr.dev"] {
        world.refused(&errors::INVALID, "credentialArn", || create(host).wait());
    }
    for host in ["public.ecr.aws", "registry.k8s.io", "210987654321.dkr.ecr.us-east-1.amazonaws.com"] {
        create(host).wait()?;
        repositories.delete_pull_through_cache_rule("cache").wait()?;
    }
    world.refused(&errors::INVALID, "ecrRepositoryPrefix", || {
        repositories.create_pull_through_cache_rule("A", "quay.io").wait()
    });
    Ok(())
}

pub(super) fn cache_rules_of_other_accounts_need_a_registry_policy(world: &World) -> Result<()> {
    let other = world.other_account();
    let create = CreatePullThroughCacheRule::new("quay", "quay.io").registry_id("123456789012");
    world.refused(&errors::DENIED, None, || ask(&other, create.clone()));
    let policy = r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Principal": {"AWS": "210987654321"},
        "Action": "ecr:CreatePullThroughCacheRule", "Resource": "*"}}"#;
    let repositories = Repository::objects(&world.session());
    repositories.set_registry_policy(policy).wait()?;
    ask(&other, create)?;
    assert_eq!(repositories.list_pull_through_cache_rules().wait()?.len(), 1);
    Ok(())
}
