//! Labels of versions.

use super::{World, ask, errors, token};
use nephos_core::Result;
use nephos_secrets::{CURRENT, GetSecretValue, PENDING, PREVIOUS, Secret, SecretVersion};

/// Returns the number and labels of each version that has labels.
fn labels_by_version(world: &World) -> Result<Vec<(usize, Vec<String>)>> {
    let stages = world.existing_secret("web")?.secret_versions_to_stages().cloned().unwrap_or_default();
    let mut labels: Vec<_> = stages
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

fn put_value(world: &World, n: usize, stages: &[&str]) -> Result<()> {
    let set = Secret::objects(&world.session()).set_value("web").secret_string(n.to_string());
    let set = set.client_request_token(token(n));
    let set = if stages.is_empty() { set } else { set.version_stages(stages) };
    set.wait().map(drop)
}

fn create_first_version(world: &World) -> Result<()> {
    let create = Secret::objects(&world.session()).create(&Secret::builder().name("web").build()?);
    create.secret_string("1").client_request_token(token(1)).wait()?;
    Ok(())
}

/// A new version takes its labels from older ones.
pub(super) fn label_is_on_at_most_one_version(world: &World) -> Result<()> {
    let assert_labels = |expected: &[(usize, &[&str])]| -> Result<()> {
        let expected: Vec<_> = expected
            .iter()
            .map(|(n, labels)| (*n, labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>()))
            .collect();
        assert_eq!(labels_by_version(world)?, expected);
        Ok(())
    };
    create_first_version(world)?;
    assert_labels(&[(1, &[CURRENT])])?;
    put_value(world, 2, &[])?;
    assert_labels(&[(1, &[PREVIOUS]), (2, &[CURRENT])])?;
    put_value(world, 3, &[])?;
    assert_labels(&[(2, &[PREVIOUS]), (3, &[CURRENT])])?;
    put_value(world, 4, &["PROVIDERPENDING"])?;
    assert_labels(&[(2, &[PREVIOUS]), (3, &[CURRENT]), (4, &["PROVIDERPENDING"])])?;
    put_value(world, 5, &["a", "b", CURRENT])?;
    assert_labels(&[(3, &[PREVIOUS]), (4, &["PROVIDERPENDING"]), (5, &[CURRENT, "a", "b"])])?;
    put_value(world, 6, &["b"])?;
    assert_labels(&[(3, &[PREVIOUS]), (4, &["PROVIDERPENDING"]), (5, &[CURRENT, "a"]), (6, &["b"])])
}

/// The version that was current becomes the previous one.
pub(super) fn label_is_moved_and_removed(world: &World) -> Result<()> {
    create_first_version(world)?;
    put_value(world, 2, &[])?;
    put_value(world, 3, &["mine"])?;
    let update = |label: &str| Secret::objects(&world.session()).update_version_stage("web", label);
    let moved = update(CURRENT).move_to_version_id(token(3)).remove_from_version_id(token(2)).wait()?;
    assert_eq!(moved.name(), Some("web"));
    let owned = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    assert_eq!(labels_by_version(world)?, [(2, owned(&[PREVIOUS])), (3, owned(&[CURRENT, "mine"]))]);
    update("mine").remove_from_version_id(token(3)).wait()?;
    update("new").move_to_version_id(token(1)).wait()?;
    assert_eq!(
        labels_by_version(world)?,
        [(1, owned(&["new"])), (2, owned(&[PREVIOUS])), (3, owned(&[CURRENT]))]
    );
    let before = world.state()?;
    update("new").move_to_version_id(token(1)).wait()?;
    world.assert_unchanged(&before)?;
    update(CURRENT).move_to_version_id(token(1)).remove_from_version_id(token(3)).wait()?;
    assert_eq!(labels_by_version(world)?, [(1, owned(&[CURRENT, "new"])), (3, owned(&[PREVIOUS]))]);
    Ok(())
}

/// The pending label stays on the version that becomes current, until that version is replaced or another takes the label.
pub(super) fn pending_label_is_removed_from_replaced_version(world: &World) -> Result<()> {
    let owned = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    let make_current = |from: usize, to: usize| {
        let update = Secret::objects(&world.session()).update_version_stage("web", CURRENT);
        update.move_to_version_id(token(to)).remove_from_version_id(token(from)).wait()
    };
    create_first_version(world)?;
    put_value(world, 2, &[PENDING])?;
    make_current(1, 2)?;
    assert_eq!(labels_by_version(world)?, [(1, owned(&[PREVIOUS])), (2, owned(&[CURRENT, PENDING]))]);
    put_value(world, 3, &[])?;
    assert_eq!(labels_by_version(world)?, [(2, owned(&[PREVIOUS])), (3, owned(&[CURRENT]))]);
    put_value(world, 4, &[PENDING])?;
    make_current(3, 4)?;
    put_value(world, 5, &[PENDING])?;
    let expected = [(3, owned(&[PREVIOUS])), (4, owned(&[CURRENT])), (5, owned(&[PENDING]))];
    assert_eq!(labels_by_version(world)?, expected);
    make_current(4, 5)?;
    assert_eq!(labels_by_version(world)?, [(4, owned(&[PREVIOUS])), (5, owned(&[CURRENT, PENDING]))]);
    Ok(())
}

/// A move must name the version that has the label.
pub(super) fn invalid_label_moves_are_refused(world: &World) -> Result<()> {
    create_first_version(world)?;
    put_value(world, 2, &[])?;
    let update = |label: &str| Secret::objects(&world.session()).update_version_stage("web", label);
    world.assert_invalid("MoveToVersionId", || update("x").wait());
    let error =
        world.assert_invalid("RemoveFromVersionId", || update(CURRENT).move_to_version_id(token(1)).wait());
    let text = format!(
        "The parameter RemoveFromVersionId can't be empty. Staging label AWSCURRENT is currently attached to version {}, \
         so you must explicitly reference that version in RemoveFromVersionId.",
        token(2)
    );
    assert_eq!(error.message(), text);
    world.assert_invalid("RemoveFromVersionId", || {
        update(CURRENT).move_to_version_id(token(2)).remove_from_version_id(token(1)).wait()
    });
    world.assert_invalid("RemoveFromVersionId", || update("x").remove_from_version_id(token(1)).wait());
    world.assert_invalid("VersionStage", || update(CURRENT).remove_from_version_id(token(2)).wait());
    world.refused(&errors::NOT_FOUND, None, || update("x").move_to_version_id(token(9)).wait());
    Ok(())
}

/// The limit counts the labels of all versions.
pub(super) fn secret_can_have_at_most_20_labels(world: &World) -> Result<()> {
    create_first_version(world)?;
    let many: Vec<_> = (0..19).map(|n| format!("label-{n}")).collect();
    put_value(world, 2, &many.iter().map(String::as_str).collect::<Vec<_>>())?;
    world.refused(&errors::LIMIT_EXCEEDED, "VersionStages", || put_value(world, 3, &["one more"]));
    world.refused(&errors::LIMIT_EXCEEDED, "VersionStages", || put_value(world, 3, &[]));
    put_value(world, 3, &["label-7"])
}

/// Answers have the specification's spelling.
pub(super) fn labels_are_accepted_in_both_spellings(world: &World) -> Result<()> {
    create_first_version(world)?;
    put_value(world, 2, &["AWSCURRENT"])?;
    let owned = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    assert_eq!(labels_by_version(world)?, [(1, owned(&[PREVIOUS])), (2, owned(&[CURRENT]))]);
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
    assert_eq!(labels_by_version(world)?, [(1, owned(&[CURRENT])), (2, owned(&[PREVIOUS]))]);
    Ok(())
}

pub(super) fn list_includes_deprecated_versions_only_on_request(world: &World) -> Result<()> {
    create_first_version(world)?;
    (2..=4).try_for_each(|n| put_value(world, n, &[]))?;
    let list = || SecretVersion::objects(&world.session()).list("web");
    let ids = |versions: Vec<SecretVersion>| super::names(&versions);
    assert_eq!(ids(list().results().all().wait()?)?, [token(3), token(4)]);
    let all = list().include_deprecated(true).results().all().wait()?;
    assert_eq!(all[0].version_stages(), None);
    assert_eq!(all[3].version_stages(), Some(&[CURRENT.into()][..]));
    assert_eq!(ids(all)?, [token(1), token(2), token(3), token(4)]);
    Ok(())
}
