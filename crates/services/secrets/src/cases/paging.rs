//! Pages of secrets and versions.

use super::{DAY, World, ask, errors, names, token};
use crate::{ListSecretVersionIds, ListSecrets, Secret, SecretVersion, SortBy};
use nephos_core::{Result, Text};

fn many(world: &World, count: usize) -> Result<Vec<String>> {
    let mut all: Vec<_> = (0..count).map(|n| format!("secret-{:02}", n * 7 % count)).collect();
    for name in &all {
        Secret::objects(&world.session()).create(&Secret::builder().name(name).build()?).wait()?;
    }
    all.sort();
    Ok(all)
}

/// With pages of any size, in any order, each secret is told once.
pub(super) fn pages_of_any_size_tell_each_secret_once(world: &World) -> Result<()> {
    let all = many(world, 23)?;
    for by in [SortBy::Name, SortBy::CreatedDate, SortBy::LastChangedDate, SortBy::LastAccessedDate] {
        for size in [1, 2, 5, 22, 23, 24, 100] {
            let list = Secret::objects(&world.session()).list().sort_by(by.clone()).max_results(size);
            // All are of the same moment, so that names decide.
            assert_eq!(names(&list.results().all().wait()?)?, all, "{by:?} {size}");
        }
    }
    let last = ask(&world.session(), ListSecrets::new().max_results(23))?;
    assert_eq!((last.secret_list().map(<[_]>::len), last.next_token()), (Some(23), None));
    Ok(())
}

/// The same of versions.
pub(super) fn pages_of_versions_tell_each_version_once(world: &World) -> Result<()> {
    world.secret("web", "0")?;
    let objects = Secret::objects(&world.session());
    for n in 0..7 {
        objects.set_value("web").secret_string(n.to_string()).client_request_token(token(n)).wait()?;
    }
    for size in [1, 3, 8, 100] {
        let list =
            SecretVersion::objects(&world.session()).list("web").include_deprecated(true).max_results(size);
        assert_eq!(list.results().count().wait()?, 8, "{size}");
        let labelled = SecretVersion::objects(&world.session()).list("web").max_results(size);
        assert_eq!(names(&labelled.results().all().wait()?)?, [token(5), token(6)], "{size}");
    }
    Ok(())
}

/// A token is good where it was made, for the same listing, for a day.
pub(super) fn tokens_are_for_one_account_region_and_query(world: &World) -> Result<()> {
    many(world, 4)?;
    let page = ask(&world.session(), ListSecrets::new().max_results(2))?;
    let token: Text = page.next_token().expect("there are more").into();
    let next = || ListSecrets::new().max_results(2).next_token(token.clone());
    assert_eq!(ask(&world.session(), next())?.secret_list().map(<[_]>::len), Some(2));
    let wrong = &errors::INVALID_TOKEN;
    world.refused(wrong, "NextToken", || ask(&world.other_account(), next()));
    world.refused(wrong, "NextToken", || ask(&world.other_region(), next()));
    world.refused(wrong, "NextToken", || ask(&world.session(), next().sort_by(SortBy::Name)));
    world.refused(wrong, "NextToken", || ask(&world.session(), ListSecrets::new().next_token("made up")));
    world.secret("web", "x")?;
    world.refused(wrong, "NextToken", || {
        ask(&world.session(), ListSecretVersionIds::new("web").next_token(token.clone()))
    });
    world.advance(DAY)?;
    ask(&world.session(), next())?;
    world.advance(1)?;
    world.refused(wrong, "NextToken", || ask(&world.session(), next()));
    Ok(())
}
