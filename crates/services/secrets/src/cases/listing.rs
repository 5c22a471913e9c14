//! Listing secrets.

use super::{DAY, HOUR, World, ask, names, value};
use crate::{FilterKey, ListSecrets, Secret, SecretsFilter, SortBy, SortOrder};
use nephos_core::Result;

fn filter(key: FilterKey, values: &[&str]) -> Result<SecretsFilter> {
    SecretsFilter::builder().key(key).values(values).build()
}

/// Three secrets that differ in everything, an hour apart.
fn three(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    for (name, description, tags) in [
        ("web/b", "The database of the shop", [("team", "web"), ("stage", "live")]),
        ("web/a", "An API key", [("team", "web"), ("stage", "test")]),
        ("ops/c", "The shop's certificate", [("team", "ops"), ("stage", "live")]),
    ] {
        let secret = Secret::builder().name(name).description(description).tags(tags).build()?;
        objects.create(&secret).secret_string(name).wait()?;
        world.advance(HOUR)?;
    }
    Ok(())
}

/// Secrets come in the order of creation, or in another that is asked for, either way.
pub(super) fn secrets_are_listed_in_any_order(world: &World) -> Result<()> {
    three(world)?;
    let objects = Secret::objects(&world.session());
    world.advance(DAY)?;
    value(&world.session(), "web/a")?;
    world.advance(DAY)?;
    value(&world.session(), "ops/c")?;
    objects.set_value("web/b").secret_string("new").wait()?;
    assert_eq!(names(&objects.list().results().all().wait()?)?, ["web/b", "web/a", "ops/c"]);
    for (by, expected) in [
        (SortBy::CreatedDate, ["web/b", "web/a", "ops/c"]),
        (SortBy::Name, ["ops/c", "web/a", "web/b"]),
        (SortBy::LastChangedDate, ["web/a", "ops/c", "web/b"]),
        (SortBy::LastAccessedDate, ["web/b", "web/a", "ops/c"]),
    ] {
        for size in [1, 2, 100] {
            let list = || objects.list().sort_by(by.clone()).max_results(size);
            assert_eq!(names(&list().results().all().wait()?)?, expected, "{by:?} {size}");
            let ascending = list().sort_order(SortOrder::Ascending).results().all().wait()?;
            assert_eq!(names(&ascending)?, expected, "{by:?} {size}");
            let mut reversed = expected;
            reversed.reverse();
            let descending = list().sort_order(SortOrder::Descending).results().all().wait()?;
            assert_eq!(names(&descending)?, reversed, "{by:?} {size}");
        }
    }
    let first = objects.list().sort_by(SortBy::Name).results().first().wait()?.expect("there are three");
    assert_eq!(first, world.found_secret("ops/c")?, "a listing tells all that get tells");
    Ok(())
}

/// All filters have to pass; of the values of one, one is enough.
pub(super) fn secrets_are_chosen_by_filters(world: &World) -> Result<()> {
    three(world)?;
    let found = |filters: Vec<SecretsFilter>| {
        names(&Secret::objects(&world.session()).list().filters(filters).results().all().wait()?)
    };
    for (key, values, expected) in [
        (FilterKey::Name, &["web/"][..], &["web/b", "web/a"][..]),
        (FilterKey::Name, &["web/a", "ops"], &["web/a", "ops/c"]),
        (FilterKey::Name, &["WEB"], &[]),
        (FilterKey::Name, &["!web/"], &["ops/c"]),
        (FilterKey::Description, &["SHOP"], &["web/b", "ops/c"]),
        (FilterKey::TagKey, &["team"], &["web/b", "web/a", "ops/c"]),
        (FilterKey::TagValue, &["live"], &["web/b", "ops/c"]),
        (FilterKey::TagValue, &["Live"], &[]),
        (FilterKey::All, &["api"], &["web/a"]),
        (FilterKey::All, &["ops shop"], &["ops/c"]),
        (FilterKey::PrimaryRegion, &["us"], &[]),
        (FilterKey::OwningService, &["rds"], &[]),
    ] {
        assert_eq!(found(vec![filter(key.clone(), values)?])?, expected, "{key:?} {values:?}");
    }
    let both = vec![filter(FilterKey::TagValue, &["live"])?, filter(FilterKey::Name, &["web"])?];
    assert_eq!(found(both)?, ["web/b"]);
    Ok(())
}

/// Filters and sizes have bounds.
pub(super) fn filters_have_rules(world: &World) -> Result<()> {
    let list = |list: ListSecrets| ask(&world.session(), list);
    let name = || filter(FilterKey::Name, &["x"]);
    let many = |count: usize| (0..count).map(|_| name()).collect::<Result<Vec<_>>>();
    world.invalid_secret("Filters", || list(ListSecrets::new().filters(many(11)?)));
    list(ListSecrets::new().filters(many(10)?))?;
    for wrong in [&[][..], &["x"; 11], &["a*b"], &["a#"]] {
        assert!(filter(FilterKey::Name, wrong).is_err(), "{wrong:?}");
    }
    for size in [0, 101, -1] {
        world.invalid_secret("MaxResults", || list(ListSecrets::new().max_results(size)));
    }
    Ok(())
}

/// A result set that is filtered by name finds the same, however that gets to the service.
pub(super) fn a_filter_by_name_finds_the_same_wherever_it_is_applied(world: &World) -> Result<()> {
    three(world)?;
    let listed = || Secret::objects(&world.session()).list().results();
    let named = Secret::FIELDS.name;
    assert_eq!(names(&listed().filter(named.starts_with("web/")).all().wait()?)?, ["web/b", "web/a"]);
    assert_eq!(names(&listed().filter(named.eq("web/a")).all().wait()?)?, ["web/a"]);
    assert_eq!(names(&listed().filter(named.starts_with("!web")).all().wait()?)?, Vec::<String>::new());
    assert_eq!(names(&listed().filter(named.contains("/")).all().wait()?)?.len(), 3);
    Ok(())
}

/// What is scheduled for deletion is not listed unless it is asked for.
pub(super) fn secrets_that_are_scheduled_for_deletion_are_listed_when_asked_for(world: &World) -> Result<()> {
    three(world)?;
    let objects = Secret::objects(&world.session());
    objects.delete("web/a").wait()?;
    assert_eq!(names(&objects.list().results().all().wait()?)?, ["web/b", "ops/c"]);
    let all = objects.list().include_planned_deletion(true).results().all().wait()?;
    assert_eq!(names(&all)?, ["web/b", "web/a", "ops/c"]);
    assert!(all[1].deleted_date().is_some() && all[0].deleted_date().is_none());
    Ok(())
}
