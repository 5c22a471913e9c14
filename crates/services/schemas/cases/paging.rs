//! Pagination tokens: valid for 24 hours, for one account, Region and listing.

use super::{
    BAD_REQUEST, HOUR, SECOND, World, ask, expected, models::create_schema, refusal, registries::registry,
};
use nephos_core::{Result, Text};
use nephos_schemas::{
    ListRegistries, ListSchemaVersions, ListSchemas, ListSchemasResponse, Registry, RegistryScope,
    SearchSchemas,
};

fn create_registries(world: &World, names: &[&str]) -> Result<()> {
    names
        .iter()
        .try_for_each(|name| Registry::objects(&world.session()).create(&registry(name)).wait().map(drop))
}

pub(super) fn pagination_token_expires_after_a_day(world: &World) -> Result<()> {
    let session = world.session();
    create_registries(world, &["a", "b", "c"])?;
    let list = || ListRegistries::new().scope(RegistryScope::Local);
    let first = ask(&session, list().limit(1))?;
    let token = Text::new(first.next_token().unwrap());
    let next = || ask(&session, list().limit(2).next_token(token.clone()));
    world.advance(24 * HOUR)?;
    let second = next()?;
    let names: Vec<_> =
        second.registries().unwrap().iter().map(|found| found.registry_name().unwrap()).collect();
    assert_eq!((names.as_slice(), second.next_token()), (["b", "c"].as_slice(), None));
    world.advance(SECOND)?;
    assert_eq!(refusal(world, next), expected(BAD_REQUEST, "NextToken"));
    Ok(())
}

pub(super) fn pagination_token_is_bound_to_account_region_and_query(world: &World) -> Result<()> {
    let session = world.session();
    create_registries(world, &["a", "b", "c"])?;
    let token = Text::new(ask(&session, ListRegistries::new().limit(1))?.next_token().unwrap());
    let list = || ListRegistries::new().next_token(token.clone());
    for other in [world.other_account(), world.other_region()] {
        assert_eq!(refusal(world, || ask(&other, list())), expected(BAD_REQUEST, "NextToken"));
    }
    let prefixed = || ask(&session, list().registry_name_prefix("b"));
    assert_eq!(refusal(world, prefixed), expected(BAD_REQUEST, "NextToken"));
    let forged = || ask(&session, ListRegistries::new().next_token("forged"));
    assert_eq!(refusal(world, forged), expected(BAD_REQUEST, "NextToken"));
    Ok(())
}

pub(super) fn pagination_returns_each_item_once(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["a", "b", "c", "d"] {
        create_schema(world, "r", name)?;
    }
    create_schema(world, "r2", "e")?;
    let names = |page: &ListSchemasResponse| -> Vec<String> {
        page.schemas().unwrap().iter().map(|schema| schema.schema_name().unwrap().to_owned()).collect()
    };
    let mut list = ListSchemas::new("r").limit(2);
    let first = ask(&session, list.clone())?;
    assert_eq!(names(&first), ["a", "b"]);
    // Items that are created or deleted between two pages do not shift the next page.
    nephos_schemas::Schema::objects(&session).delete("r", "b").wait()?;
    create_schema(world, "r", "a2")?;
    list = list.next_token(Text::new(first.next_token().unwrap()));
    let second = ask(&session, list)?;
    assert_eq!((names(&second), second.next_token()), (vec!["c".to_owned(), "d".to_owned()], None));

    let found = ask(&session, SearchSchemas::new("r", "order").limit(3))?;
    assert_eq!(found.schemas().unwrap().len(), 3);
    let rest = SearchSchemas::new("r", "order").next_token(Text::new(found.next_token().unwrap()));
    assert_eq!(ask(&session, rest)?.schemas().unwrap().len(), 1);
    assert_eq!(ask(&session, ListSchemaVersions::new("r", "a"))?.next_token(), None);
    Ok(())
}

pub(super) fn page_has_at_most_100_items(world: &World) -> Result<()> {
    let session = world.session();
    for n in 0..101 {
        Registry::objects(&session).create(&registry(&format!("r{n:03}"))).wait()?;
    }
    for limit in [None, Some(100), Some(1000)] {
        let page = ask(&session, ListRegistries::new().limit(limit))?;
        assert_eq!((page.registries().unwrap().len(), page.next_token().is_some()), (100, true), "{limit:?}");
    }
    assert_eq!(
        Registry::objects(&session).list().results().count().wait()?,
        102,
        "with that of the provider"
    );
    Ok(())
}
