//! Cases: replication, scanning and settings of the registry.

use super::{World, create, plan};
use nephos_core::{Record as _, Result};
use nephos_ecr::{
    ImageScanningConfiguration, RegistryScanningRule, ReplicationConfiguration, Repository, ScanFrequency,
    ScanType, errors,
};

pub(super) fn replication_is_kept_and_checked(world: &World) -> Result<()> {
    let repositories = Repository::objects(&world.session());
    let described = repositories.describe_registry().wait()?;
    assert_eq!(described.registry_id(), Some("123456789012"));
    assert_eq!(described.replication_configuration().and_then(|none| none.rules()).map(<[_]>::len), Some(0));
    let to = |region: &str| {
        let rule = format!(r#"{{"destinations": [{{"region": "{region}", "registryId": "123456789012"}}]}}"#);
        ReplicationConfiguration::from_json(format!(r#"{{"rules": [{rule}]}}"#))
    };
    let there = to("eu-west-1")?;
    assert_eq!(repositories.set_replication(there.clone()).wait()?, there);
    let here = to("us-east-1")?;
    let set = || repositories.set_replication(here.clone()).wait();
    let refused = world.refused(&errors::INVALID, "replicationConfiguration", set);
    let text = "Invalid parameter at 'replicationConfiguration' failed to satisfy constraint: 'Replication destination \
                cannot be the same as the source registry'";
    assert_eq!(refused.wire_message(), text);
    assert_eq!(repositories.describe_registry().wait()?.replication_configuration(), Some(&there));
    Ok(())
}

fn rule(frequency: &str, filter: &str) -> Result<RegistryScanningRule> {
    let filter = format!(r#"{{"filter": "{filter}", "filterType": "WILDCARD"}}"#);
    RegistryScanningRule::from_json(format!(
        r#"{{"scanFrequency": "{frequency}", "repositoryFilters": [{filter}]}}"#
    ))
}

pub(super) fn scanning_of_repositories_follows_the_rules_of_the_registry(world: &World) -> Result<()> {
    let session = world.session();
    let repositories = Repository::objects(&session);
    create(&session, "prod/web")?;
    let on_push = ImageScanningConfiguration::builder().scan_on_push(true).build().unwrap();
    repositories.create(&plan("test").image_scanning_configuration(on_push).build()?).wait()?;
    let frequencies = || -> Result<Vec<(ScanFrequency, usize)>> {
        let found = repositories.get_scanning(["prod/web", "test", "none"]).wait()?;
        let failures = found.failures().unwrap_or_default();
        assert_eq!(
            failures.iter().map(|failed| failed.repository_name()).collect::<Vec<_>>(),
            [Some("none")]
        );
        let each = found.scanning_configurations().unwrap_or_default().iter();
        Ok(each
            .map(|own| (own.scan_frequency().unwrap().clone(), own.applied_scan_filters().unwrap().len()))
            .collect())
    };
    assert_eq!(frequencies()?, [(ScanFrequency::Manual, 0), (ScanFrequency::ScanOnPush, 0)]);
    let initial = repositories.get_registry_scanning().wait()?;
    assert_eq!(initial.scanning_configuration().and_then(|own| own.scan_type()), Some(&ScanType::Basic));
    let rules = [rule("SCAN_ON_PUSH", "*")?, rule("CONTINUOUS_SCAN", "prod/*")?];
    let basic = || repositories.set_registry_scanning().rules(rules.to_vec()).wait();
    world.refused(&errors::INVALID, "rules", basic);
    let manual = rule("MANUAL", "*")?;
    let enhanced = || repositories.set_registry_scanning().scan_type(ScanType::Enhanced);
    world.refused(&errors::INVALID, "rules", || enhanced().rules(vec![manual.clone()]).wait());
    enhanced().rules(rules.to_vec()).wait()?;
    assert_eq!(frequencies()?, [(ScanFrequency::ContinuousScan, 1), (ScanFrequency::ScanOnPush, 1)]);
    Ok(())
}

pub(super) fn account_settings_are_checked(world: &World) -> Result<()> {
    let repositories = Repository::objects(&world.session());
    let value = |name: &str| -> Result<_> {
        Ok(repositories.get_account_setting(name).wait()?.value().map(str::to_owned))
    };
    assert_eq!(value("BASIC_SCAN_TYPE_VERSION")?.as_deref(), Some("AWS_NATIVE"));
    assert_eq!(value("REGISTRY_POLICY_SCOPE")?.as_deref(), Some("V2"));
    repositories.set_account_setting("BASIC_SCAN_TYPE_VERSION", "CLAIR").wait()?;
    assert_eq!(value("BASIC_SCAN_TYPE_VERSION")?.as_deref(), Some("CLAIR"));
    world.refused(&errors::INVALID, "name", || value("SCAN"));
    let set = || repositories.set_account_setting("REGISTRY_POLICY_SCOPE", "V3").wait();
    world.refused(&errors::INVALID, "value", set);
    Ok(())
}
