//! Listings of secrets.

use super::{DAY, HOUR, World, ask, names, value};
use nephos_core::Result;
use nephos_secrets::{FilterKey, ListSecrets, Secret, SecretsFilter, SortBy, SortOrder};

fn filter(key: FilterKey, values: &[&str]) -> Result<SecretsFilter> {
    SecretsFilter::builder().key(key).values(values).build()
}

/// Creates three secrets that differ in every attribute, one hour apart.
fn create_three_secrets(world: &World) -> Result<()> {
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

/// The default is the order of creation, ascending.
pub(super) fn list_sorts_by_field_and_order(world: &World) -> Result<()> {
    create_three_secrets(world)?;
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
    let first = objects.list().sort_by(SortBy::Name).results().first().wait()?.expect("three secrets exist");
    assert_eq!(first, world.existing_secret("ops/c")?, "a listing returns the same fields as get");
    Ok(())
}

/// A secret must match all filters, and one of the values of each.
pub(super) fn list_applies_filters(world: &World) -> Result<()> {
    create_three_secrets(world)?;
    let list_names = |filters: Vec<SecretsFilter>| {
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
        (FilterKey::All, &["shop the"], &["web/b", "ops/c"]),
        (FilterKey::All, &["ops shop"], &[]),
        (FilterKey::PrimaryRegion, &["us"], &[]),
        (FilterKey::OwningService, &["rds"], &[]),
    ] {
        assert_eq!(list_names(vec![filter(key.clone(), values)?])?, expected, "{key:?} {values:?}");
    }
    let both = vec![filter(FilterKey::TagValue, &["live"])?, filter(FilterKey::Name, &["web"])?];
    assert_eq!(list_names(both)?, ["web/b"]);
    Ok(())
}

/// Words end at special characters, between letters and digits, and at changes of letter case.
pub(super) fn list_filter_splits_texts_into_words(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    for name in ["prod/AppBeta/x", "prod_AppBeta-7", "uat/COMPANY", "uat/COMPANYthings"] {
        objects.create(&Secret::builder().name(name).build()?).wait()?;
        world.advance(1000)?;
    }
    for (value, expected) in [
        ("AppBeta", &["prod/AppBeta/x", "prod_AppBeta-7"][..]),
        ("beta", &["prod/AppBeta/x", "prod_AppBeta-7"]),
        ("appbeta", &[]),
        ("prod7", &["prod_AppBeta-7"]),
        ("company", &["uat/COMPANY"]),
        ("Ythings", &["uat/COMPANYthings"]),
        ("things", &[]),
        ("pany", &[]),
        ("/", &[]),
    ] {
        let listed = objects.list().filters([filter(FilterKey::All, &[value])?]).results().all().wait()?;
        assert_eq!(names(&listed)?, expected, "{value}");
    }
    Ok(())
}

pub(super) fn filter_and_page_size_limits_are_checked(world: &World) -> Result<()> {
    let list = |list: ListSecrets| ask(&world.session(), list);
    let name = || filter(FilterKey::Name, &["x"]);
    let many = |count: usize| (0..count).map(|_| name()).collect::<Result<Vec<_>>>();
    world.assert_violation("Filters", || list(ListSecrets::new().filters(many(11)?)));
    list(ListSecrets::new().filters(many(10)?))?;
    for wrong in [&[][..], &["x"; 11], &["a*b"], &["a#"]] {
        assert!(filter(FilterKey::Name, wrong).is_err(), "{wrong:?}");
    }
    for size in [0, 101, -1] {
        world.assert_violation("MaxResults", || list(ListSecrets::new().max_results(size)));
    }
    Ok(())
}

/// The results are the same whether or not a predicate is translated into a filter of the service.
pub(super) fn name_predicates_filter_listed_secrets(world: &World) -> Result<()> {
    create_three_secrets(world)?;
    let listed = || Secret::objects(&world.session()).list().results();
    let name = Secret::FIELDS.name;
    assert_eq!(names(&listed().filter(name.starts_with("web/")).all().wait()?)?, ["web/b", "web/a"]);
    assert_eq!(names(&listed().filter(name.eq("web/a")).all().wait()?)?, ["web/a"]);
    assert_eq!(names(&listed().filter(name.starts_with("!web")).all().wait()?)?, Vec::<String>::new());
    assert_eq!(names(&listed().filter(name.contains("/")).all().wait()?)?.len(), 3);
    Ok(())
}

pub(super) fn list_includes_planned_deletions_only_on_request(world: &World) -> Result<()> {
    create_three_secrets(world)?;
    let objects = Secret::objects(&world.session());
    objects.delete("web/a").wait()?;
    assert_eq!(names(&objects.list().results().all().wait()?)?, ["web/b", "ops/c"]);
    let all = objects.list().include_planned_deletion(true).results().all().wait()?;
    assert_eq!(names(&all)?, ["web/b", "web/a", "ops/c"]);
    assert!(all[1].deleted_date().is_some() && all[0].deleted_date().is_none());
    Ok(())
}
