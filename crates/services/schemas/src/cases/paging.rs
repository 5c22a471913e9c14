//! Page tokens: for 24 hours, for one account, for one listing.

use super::{BAD, HOUR, SECOND, World, ask, models::made, refused, registries::registry, told};
use crate::{ListRegistries, ListSchemaVersions, ListSchemas, Registry, Schemas, SearchSchemas};
use nephos_core::{Result, Text};

fn registries(world: &World, names: &[&str]) -> Result<()> {
    names
        .iter()
        .try_for_each(|name| Registry::objects(&world.session()).create(&registry(name)).wait().map(drop))
}

pub(super) fn a_token_lasts_a_day(world: &World) -> Result<()> {
    let session = world.session();
    registries(world, &["a", "b", "c"])?;
    let first = ask(&session, ListRegistries::new().limit(1))?;
    let token = Text::new(first.next_token().unwrap());
    let next = || ask(&session, ListRegistries::new().limit(2).next_token(token.clone()));
    world.advance(24 * HOUR)?;
    let second = next()?;
    let names: Vec<_> =
        second.registries().unwrap().iter().map(|found| found.registry_name().unwrap()).collect();
    assert_eq!((names.as_slice(), second.next_token()), (["b", "c"].as_slice(), None));
    world.advance(SECOND)?;
    assert_eq!(refused(world, next), told(BAD, "NextToken"));
    Ok(())
}

pub(super) fn a_token_is_bound(world: &World) -> Result<()> {
    let session = world.session();
    registries(world, &["a", "b", "c"])?;
    let token = Text::new(ask(&session, ListRegistries::new().limit(1))?.next_token().unwrap());
    let list = || ListRegistries::new().next_token(token.clone());
    for other in [world.other_account(), world.other_region()] {
        assert_eq!(refused(world, || ask(&other, list())), told(BAD, "NextToken"));
    }
    let prefixed = || ask(&session, list().registry_name_prefix("b"));
    assert_eq!(refused(world, prefixed), told(BAD, "NextToken"));
    let forged = || ask(&session, ListRegistries::new().next_token("forged"));
    assert_eq!(refused(world, forged), told(BAD, "NextToken"));
    Ok(())
}

pub(super) fn every_item_is_seen_once(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["a", "b", "c", "d"] {
        made(world, "r", name)?;
    }
    made(world, "r2", "e")?;
    let names = |page: &Schemas| -> Vec<String> {
        page.schemas().unwrap().iter().map(|schema| schema.schema_name().unwrap().to_owned()).collect()
    };
    let mut list = ListSchemas::new("r").limit(2);
    let first = ask(&session, list.clone())?;
    assert_eq!(names(&first), ["a", "b"]);
    // What comes and goes in between shifts nothing.
    crate::Schema::objects(&session).delete("r", "b").wait()?;
    made(world, "r", "a2")?;
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

pub(super) fn a_page_is_limited(world: &World) -> Result<()> {
    let session = world.session();
    for n in 0..101 {
        Registry::objects(&session).create(&registry(&format!("r{n:03}"))).wait()?;
    }
    for limit in [None, Some(100), Some(1000)] {
        let page = ask(&session, ListRegistries::new().limit(limit))?;
        assert_eq!((page.registries().unwrap().len(), page.next_token().is_some()), (100, true), "{limit:?}");
    }
    assert_eq!(Registry::objects(&session).list().results().count().wait()?, 101);
    Ok(())
}
