//! Reads of several values in one call.

use super::{World, errors};
use nephos_core::{Resource, Result, Text};
use nephos_secrets::{FilterKey, Secret, SecretsFilter};

fn ids(names: &[&str]) -> Vec<Text> {
    names.iter().copied().map(Text::from).collect()
}

fn name_filter(prefix: &str) -> Result<Vec<SecretsFilter>> {
    Ok(vec![SecretsFilter::builder().key(FilterKey::Name).values([prefix]).build()?])
}

/// An error has the code that `GetSecretValue` would return for the secret.
pub(super) fn batch_returns_values_and_errors(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let one = world.create_secret("one", "1")?;
    world.create_secret("two", "2")?;
    world.create_secret("gone", "3")?;
    objects.delete("gone").wait()?;
    objects.create(&Secret::builder().name("empty").build()?).wait()?;
    let list = ids(&["two", "none", one.require_arn()?, "gone", "empty", "a b"]);
    let read = objects.batch_get_value().secret_id_list(list).wait()?;
    let values = read.secret_values().unwrap_or_default();
    let values: Vec<_> = values.iter().map(|value| value.secret_string().map(|text| text.expose())).collect();
    assert_eq!(values, [Some("2"), Some("1")]);
    let refused = read.errors().unwrap_or_default();
    let refused: Vec<_> =
        refused.iter().map(|error| (error.secret_id(), error.error_code(), error.message())).collect();
    let expected = [
        ("none", "ResourceNotFoundException", "Secrets Manager can't find the specified secret."),
        (
            "gone",
            "InvalidRequestException",
            "You can't perform this operation on the secret because it was marked for deletion.",
        ),
        (
            "empty",
            "ResourceNotFoundException",
            "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
        ),
        (
            "a b",
            "ValidationException",
            "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!",
        ),
    ];
    assert_eq!(refused, expected.map(|(id, code, text)| (Some(id), Some(code), Some(text))));
    assert!(world.existing_secret("two")?.last_accessed_date().is_some(), "a batch counts as an access");
    Ok(())
}

pub(super) fn strict_batch_fails_if_one_secret_cannot_be_read(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.create_secret("one", "1")?;
    let read = |names: &[&str]| objects.batch_get_value().secret_id_list(ids(names)).strict(true).wait();
    assert_eq!(read(&["one"])?.secret_values().map(<[_]>::len), Some(1));
    world.refused(&errors::NOT_FOUND, None, || read(&["one", "none"]));
    Ok(())
}

/// Secrets that are scheduled for deletion are left out.
pub(super) fn batch_with_filters_is_paginated(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    for n in 0..5 {
        world.create_secret(&format!("web/{n}"), &n.to_string())?;
    }
    world.create_secret("ops", "x")?;
    objects.delete("web/3").wait()?;
    for size in [1, 2, 20] {
        let (mut read, mut token) = (Vec::new(), None::<Text>);
        loop {
            let page = objects
                .batch_get_value()
                .filters(name_filter("web/")?)
                .max_results(size)
                .next_token(token)
                .wait()?;
            let values = page.secret_values().unwrap_or_default();
            assert!(values.len() as i64 <= size);
            read.extend(
                values.iter().filter_map(|value| value.secret_string().map(|text| text.expose().to_owned())),
            );
            token = page.next_token().map(Into::into);
            if token.is_none() {
                break;
            }
        }
        assert_eq!(read, ["0", "1", "2", "4"], "{size}");
    }
    Ok(())
}

pub(super) fn batch_takes_ids_or_filters_not_both(world: &World) -> Result<()> {
    let batch = || Secret::objects(&world.session()).batch_get_value();
    let list = || ids(&["one"]);
    let filters = name_filter("x")?;
    world.assert_invalid("SecretIdList", || batch().wait());
    world.assert_invalid("Filters", || batch().secret_id_list(list()).filters(filters.clone()).wait());
    world.assert_invalid("MaxResults", || batch().secret_id_list(list()).max_results(5).wait());
    world.assert_invalid("NextToken", || batch().secret_id_list(list()).next_token("x").wait());
    world.assert_violation("MaxResults", || batch().filters(filters.clone()).max_results(21).wait());
    world.assert_violation("SecretIdList", || batch().secret_id_list(ids(&["x"; 21])).wait());
    world.refused(&errors::INVALID_TOKEN, "NextToken", || {
        batch().filters(filters.clone()).next_token("x").wait()
    });
    Ok(())
}
