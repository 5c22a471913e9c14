//! Labels of versions.

use super::{World, ask, errors, token};
use crate::{CURRENT, GetSecretValue, PREVIOUS, Secret, SecretVersion};
use nephos_core::Result;

/// Version number and its labels, for those that have any.
fn labels(world: &World) -> Result<Vec<(usize, Vec<String>)>> {
    let told = world.found_secret("web")?.secret_versions_to_stages().cloned().unwrap_or_default();
    let mut labels: Vec<_> = told
        .iter()
        .map(|(id, labels)| {
            let mut labels: Vec<_> = labels.iter().map(|label| label.to_string()).collect();
            labels.sort();
            (id.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or_default(), labels)
        })
        .collect();
    labels.sort();
    Ok(labels)
}

fn put(world: &World, n: usize, stages: &[&str]) -> Result<()> {
    let set = Secret::objects(&world.session()).set_value("web").secret_string(n.to_string());
    let set = set.client_request_token(token(n));
    let set = if stages.is_empty() { set } else { set.version_stages(stages) };
    set.wait().map(drop)
}

fn begin(world: &World) -> Result<()> {
    let create = Secret::objects(&world.session()).create(&Secret::builder().name("web").build()?);
    create.secret_string("1").client_request_token(token(1)).wait()?;
    Ok(())
}

/// A label is on one version: the new one takes it from the old one.
pub(super) fn a_label_is_on_one_version(world: &World) -> Result<()> {
    let is = |expected: &[(usize, &[&str])]| -> Result<()> {
        let expected: Vec<_> = expected
            .iter()
            .map(|(n, labels)| (*n, labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>()))
            .collect();
        assert_eq!(labels(world)?, expected);
        Ok(())
    };
    begin(world)?;
    is(&[(1, &[CURRENT])])?;
    put(world, 2, &[])?;
    is(&[(1, &[PREVIOUS]), (2, &[CURRENT])])?;
    put(world, 3, &[])?;
    is(&[(2, &[PREVIOUS]), (3, &[CURRENT])])?;
    put(world, 4, &["PROVIDERPENDING"])?;
    is(&[(2, &[PREVIOUS]), (3, &[CURRENT]), (4, &["PROVIDERPENDING"])])?;
    put(world, 5, &["a", "b", CURRENT])?;
    is(&[(3, &[PREVIOUS]), (4, &["PROVIDERPENDING"]), (5, &[CURRENT, "a", "b"])])?;
    put(world, 6, &["b"])?;
    is(&[(3, &[PREVIOUS]), (4, &["PROVIDERPENDING"]), (5, &[CURRENT, "a"]), (6, &["b"])])
}

/// A label is moved from where it is, or taken off; the previous version follows the current one.
pub(super) fn a_label_is_moved_and_taken_off(world: &World) -> Result<()> {
    begin(world)?;
    put(world, 2, &[])?;
    put(world, 3, &["mine"])?;
    let update = |label: &str| Secret::objects(&world.session()).update_version_stage("web", label);
    let moved = update(CURRENT).move_to_version_id(token(3)).remove_from_version_id(token(2)).wait()?;
    assert_eq!(moved.name(), Some("web"));
    let owned = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    assert_eq!(labels(world)?, [(2, owned(&[PREVIOUS])), (3, owned(&[CURRENT, "mine"]))]);
    update("mine").remove_from_version_id(token(3)).wait()?;
    update("new").move_to_version_id(token(1)).wait()?;
    assert_eq!(labels(world)?, [(1, owned(&["new"])), (2, owned(&[PREVIOUS])), (3, owned(&[CURRENT]))]);
    let before = world.state()?;
    update("new").move_to_version_id(token(1)).wait()?;
    world.assert_unchanged(&before)?;
    update(CURRENT).move_to_version_id(token(1)).remove_from_version_id(token(3)).wait()?;
    assert_eq!(labels(world)?, [(1, owned(&[CURRENT, "new"])), (3, owned(&[PREVIOUS]))]);
    Ok(())
}

/// Who moves a label says where it is.
pub(super) fn a_label_that_cannot_be_moved_is_refused(world: &World) -> Result<()> {
    begin(world)?;
    put(world, 2, &[])?;
    let update = |label: &str| Secret::objects(&world.session()).update_version_stage("web", label);
    world.invalid_secret("MoveToVersionId", || update("x").wait());
    world.invalid_secret("RemoveFromVersionId", || update(CURRENT).move_to_version_id(token(1)).wait());
    world.invalid_secret("RemoveFromVersionId", || {
        update(CURRENT).move_to_version_id(token(2)).remove_from_version_id(token(1)).wait()
    });
    world.invalid_secret("RemoveFromVersionId", || update("x").remove_from_version_id(token(1)).wait());
    world.invalid_secret("VersionStage", || update(CURRENT).remove_from_version_id(token(2)).wait());
    world.refused(&errors::NOT_FOUND, None, || update("x").move_to_version_id(token(9)).wait());
    Ok(())
}

/// A secret has so many labels, over all of its versions.
pub(super) fn a_secret_has_20_labels_at_most(world: &World) -> Result<()> {
    begin(world)?;
    let many: Vec<_> = (0..19).map(|n| format!("label-{n}")).collect();
    put(world, 2, &many.iter().map(String::as_str).collect::<Vec<_>>())?;
    world.refused(&errors::LIMIT_EXCEEDED, "VersionStages", || put(world, 3, &["one more"]));
    world.refused(&errors::LIMIT_EXCEEDED, "VersionStages", || put(world, 3, &[]));
    put(world, 3, &["label-7"])
}

/// The provider's spelling of a label is taken for the specification's, which is what is told.
pub(super) fn labels_are_spelled_both_ways(world: &World) -> Result<()> {
    begin(world)?;
    put(world, 2, &["AWSCURRENT"])?;
    let owned = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    assert_eq!(labels(world)?, [(1, owned(&[PREVIOUS])), (2, owned(&[CURRENT]))]);
    for (label, expected) in [("AWSPREVIOUS", "1"), (PREVIOUS, "1"), ("AWSCURRENT", "2"), (CURRENT, "2")] {
        let got = ask(&world.session(), GetSecretValue::new("web").version_stage(label))?;
        assert_eq!(got.secret_string().map(|text| text.expose()), Some(expected), "{label}");
        assert!(
            got.version_stages()
                .is_some_and(|labels| labels.iter().all(|label| label.starts_with("PROVIDER")))
        );
    }
    let update = Secret::objects(&world.session()).update_version_stage("web", "AWSCURRENT");
    update.move_to_version_id(token(1)).remove_from_version_id(token(2)).wait()?;
    assert_eq!(labels(world)?, [(1, owned(&[CURRENT])), (2, owned(&[PREVIOUS]))]);
    Ok(())
}

/// Versions without labels are only told when they are asked for.
pub(super) fn versions_without_labels_are_told_when_asked_for(world: &World) -> Result<()> {
    begin(world)?;
    (2..=4).try_for_each(|n| put(world, n, &[]))?;
    let list = || SecretVersion::objects(&world.session()).list("web");
    let ids = |versions: Vec<SecretVersion>| super::names(&versions);
    assert_eq!(ids(list().results().all().wait()?)?, [token(3), token(4)]);
    let all = list().include_deprecated(true).results().all().wait()?;
    assert_eq!(all[0].version_stages(), None);
    assert_eq!(all[3].version_stages(), Some(&[CURRENT.into()][..]));
    assert_eq!(ids(all)?, [token(1), token(2), token(3), token(4)]);
    Ok(())
}
