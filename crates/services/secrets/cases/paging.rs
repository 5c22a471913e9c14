//! Pagination of secrets and versions.

use super::{DAY, World, ask, errors, names, token};
use nephos_core::{Result, Text};
use nephos_secrets::{ListSecretVersionIds, ListSecrets, Secret, SecretVersion, SortBy};

/// Creates `count` secrets, and returns their names in order.
fn create_secrets(world: &World, count: usize) -> Result<Vec<String>> {
    let mut all: Vec<_> = (0..count).map(|n| format!("secret-{:02}", n * 7 % count)).collect();
    for name in &all {
        Secret::objects(&world.session()).create(&Secret::builder().name(name).build()?).wait()?;
    }
    all.sort();
    Ok(all)
}

/// Page sizes and sort orders do not matter.
pub(super) fn pagination_returns_each_secret_once(world: &World) -> Result<()> {
    let all = create_secrets(world, 23)?;
    for by in [SortBy::Name, SortBy::CreatedDate, SortBy::LastChangedDate, SortBy::LastAccessedDate] {
        for size in [1, 2, 5, 22, 23, 24, 100] {
            let list = Secret::objects(&world.session()).list().sort_by(by.clone()).max_results(size);
            // All secrets have the same times, so they are sorted by name.
            assert_eq!(names(&list.results().all().wait()?)?, all, "{by:?} {size}");
        }
    }
    let last = ask(&world.session(), ListSecrets::new().max_results(23))?;
    assert_eq!((last.secret_list().map(<[_]>::len), last.next_token()), (Some(23), None));
    Ok(())
}

pub(super) fn pagination_returns_each_version_once(world: &World) -> Result<()> {
    world.create_secret("web", "0")?;
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

/// A token expires after a day.
pub(super) fn pagination_token_is_bound_to_account_region_and_query(world: &World) -> Result<()> {
    create_secrets(world, 4)?;
    let page = ask(&world.session(), ListSecrets::new().max_results(2))?;
    let token: Text = page.next_token().expect("there is another page").into();
    let next = || ListSecrets::new().max_results(2).next_token(token.clone());
    assert_eq!(ask(&world.session(), next())?.secret_list().map(<[_]>::len), Some(2));
    let wrong = &errors::INVALID_TOKEN;
    world.refused(wrong, "NextToken", || ask(&world.other_account(), next()));
    world.refused(wrong, "NextToken", || ask(&world.other_region(), next()));
    world.refused(wrong, "NextToken", || ask(&world.session(), next().sort_by(SortBy::Name)));
    world.refused(wrong, "NextToken", || ask(&world.session(), ListSecrets::new().next_token("forged")));
    world.create_secret("web", "x")?;
    world.refused(wrong, "NextToken", || {
        ask(&world.session(), ListSecretVersionIds::new("web").next_token(token.clone()))
    });
    world.advance(DAY)?;
    ask(&world.session(), next())?;
    world.advance(1)?;
    world.refused(wrong, "NextToken", || ask(&world.session(), next()));
    Ok(())
}
