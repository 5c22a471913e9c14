//! Reading several values at once.

use super::{World, errors};
use crate::{FilterKey, Secret, SecretsFilter};
use nephos_core::{Resource, Result, Text};

fn ids(names: &[&str]) -> Vec<Text> {
    names.iter().copied().map(Text::from).collect()
}

fn named(beginning: &str) -> Result<Vec<SecretsFilter>> {
    Ok(vec![SecretsFilter::builder().key(FilterKey::Name).values([beginning]).build()?])
}

/// What can be read is told, and what cannot be, with the code that it would be refused with.
pub(super) fn what_cannot_be_read_is_told_beside_the_rest(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let one = world.secret("one", "1")?;
    world.secret("two", "2")?;
    world.secret("gone", "3")?;
    objects.delete("gone").wait()?;
    objects.create(&Secret::builder().name("empty").build()?).wait()?;
    let list = ids(&["two", "none", one.require_arn()?, "gone", "empty"]);
    let read = objects.batch_get_value().secret_id_list(list).wait()?;
    let values = read.secret_values().unwrap_or_default();
    let values: Vec<_> = values.iter().map(|value| value.secret_string().map(|text| text.expose())).collect();
    assert_eq!(values, [Some("2"), Some("1")]);
    let refused = read.errors().unwrap_or_default();
    let refused: Vec<_> = refused.iter().map(|error| (error.secret_id(), error.error_code())).collect();
    assert_eq!(
        refused,
        [
            (Some("none"), Some("ResourceNotFoundException")),
            (Some("gone"), Some("InvalidRequestException")),
            (Some("empty"), Some("ResourceNotFoundException")),
        ]
    );
    assert!(world.found_secret("two")?.last_accessed_date().is_some(), "it was read");
    Ok(())
}

/// One refusal is enough for a strict batch.
pub(super) fn a_strict_batch_fails_as_a_whole(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.secret("one", "1")?;
    let read = |names: &[&str]| objects.batch_get_value().secret_id_list(ids(names)).strict(true).wait();
    assert_eq!(read(&["one"])?.secret_values().map(<[_]>::len), Some(1));
    world.refused(&errors::NOT_FOUND, None, || read(&["one", "none"]));
    Ok(())
}

/// Secrets that pass filters are read a page at a time; those that are scheduled for deletion are left out.
pub(super) fn filtered_secrets_are_read_page_by_page(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    for n in 0..5 {
        world.secret(&format!("web/{n}"), &n.to_string())?;
    }
    world.secret("ops", "x")?;
    objects.delete("web/3").wait()?;
    for size in [1, 2, 20] {
        let (mut told, mut token) = (Vec::new(), None::<Text>);
        loop {
            let page = objects
                .batch_get_value()
                .filters(named("web/")?)
                .max_results(size)
                .next_token(token)
                .wait()?;
            let values = page.secret_values().unwrap_or_default();
            assert!(values.len() as i64 <= size);
            told.extend(
                values.iter().filter_map(|value| value.secret_string().map(|text| text.expose().to_owned())),
            );
            token = page.next_token().map(Into::into);
            if token.is_none() {
                break;
            }
        }
        assert_eq!(told, ["0", "1", "2", "4"], "{size}");
    }
    Ok(())
}

/// A batch is named or filtered, one of the two.
pub(super) fn a_batch_is_of_named_secrets_or_of_filtered_ones(world: &World) -> Result<()> {
    let batch = || Secret::objects(&world.session()).batch_get_value();
    let list = || ids(&["one"]);
    let filters = named("x")?;
    world.invalid_secret("SecretIdList", || batch().wait());
    world.invalid_secret("Filters", || batch().secret_id_list(list()).filters(filters.clone()).wait());
    world.invalid_secret("MaxResults", || batch().secret_id_list(list()).max_results(5).wait());
    world.invalid_secret("NextToken", || batch().secret_id_list(list()).next_token("x").wait());
    world.invalid_secret("MaxResults", || batch().filters(filters.clone()).max_results(21).wait());
    world.invalid_secret("SecretIdList", || batch().secret_id_list(ids(&["x"; 21])).wait());
    world.refused(&errors::INVALID_TOKEN, "NextToken", || {
        batch().filters(filters.clone()).next_token("x").wait()
    });
    Ok(())
}
