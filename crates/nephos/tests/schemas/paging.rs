//! Page tokens: for 24 hours, for one account, for one listing.

use crate::{BAD, refused, registries::registry, schemas::made, told};
use nephos::{
    Cloud, Result, Session, SignedDuration, Text,
    services::schemas::{ListRegistries, ListSchemaVersions, ListSchemas, Registry, Schemas, SearchSchemas},
};
use nephos_core::{BoxFuture, Outcome, Script, Steps, operation::WireOperation, shape::Effect, wait};
use std::sync::Arc;

crate::cases! { a_token_lasts_a_day, a_token_is_bound, every_item_is_seen_once, a_page_is_limited }

/// An operation of the service as a script of its own.
struct Raw<O>(O);

impl<O: WireOperation> Script for Raw<O> {
    fn name(&self) -> &'static str {
        O::OPERATION.name
    }

    fn effect(&self) -> Effect {
        O::OPERATION.effect
    }

    fn play<'s>(&'s self, steps: &'s Steps) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move { Ok(Box::new(steps.call(self.0.clone()).await?) as Outcome) })
    }
}

/// Carries out an operation of the service.
fn raw<O: WireOperation>(session: &Session, operation: O) -> Result<O::Output> {
    let outcome = wait(session.transport().run(session, Arc::new(Raw(operation))))?;
    Ok(*outcome.downcast::<O::Output>().unwrap())
}

fn registries(cloud: &Cloud, names: &[&str]) -> Result<()> {
    names
        .iter()
        .try_for_each(|name| Registry::objects(&cloud.session()).create(&registry(name)).wait().map(drop))
}

fn a_token_lasts_a_day(cloud: &Cloud) -> Result<()> {
    let session = cloud.session();
    cloud.clock().freeze()?;
    registries(cloud, &["a", "b", "c"])?;
    let first = raw(&session, ListRegistries::new().limit(1))?;
    let token = Text::new(first.next_token().unwrap());
    let next = || raw(&session, ListRegistries::new().limit(2).next_token(token.clone()));
    cloud.clock().advance(SignedDuration::from_hours(24))?;
    let second = next()?;
    let names: Vec<_> =
        second.registries().unwrap().iter().map(|found| found.registry_name().unwrap()).collect();
    assert_eq!((names.as_slice(), second.next_token()), (["b", "c"].as_slice(), None));
    cloud.clock().advance(SignedDuration::from_secs(1))?;
    assert_eq!(refused(cloud, next), told(BAD, "nextToken"));
    Ok(())
}

fn a_token_is_bound(cloud: &Cloud) -> Result<()> {
    let session = cloud.session();
    registries(cloud, &["a", "b", "c"])?;
    let token = Text::new(raw(&session, ListRegistries::new().limit(1))?.next_token().unwrap());
    let list = || ListRegistries::new().next_token(token.clone());
    for other in [session.with_account("210987654321"), session.with_region("eu-west-1")] {
        assert_eq!(refused(cloud, || raw(&other, list())), told(BAD, "nextToken"));
    }
    let prefixed = || raw(&session, list().registry_name_prefix("b"));
    assert_eq!(refused(cloud, prefixed), told(BAD, "nextToken"));
    let forged = || raw(&session, ListRegistries::new().next_token("forged"));
    assert_eq!(refused(cloud, forged), told(BAD, "nextToken"));
    Ok(())
}

fn every_item_is_seen_once(cloud: &Cloud) -> Result<()> {
    let session = cloud.session();
    for name in ["a", "b", "c", "d"] {
        made(cloud, "r", name)?;
    }
    made(cloud, "r2", "e")?;
    let names = |page: &Schemas| -> Vec<String> {
        page.schemas().unwrap().iter().map(|schema| schema.schema_name().unwrap().to_owned()).collect()
    };
    let mut list = ListSchemas::new("r").limit(2);
    let first = raw(&session, list.clone())?;
    assert_eq!(names(&first), ["a", "b"]);
    // What comes and goes in between shifts nothing.
    nephos::Schema::objects(&session).delete("r", "b").wait()?;
    made(cloud, "r", "a2")?;
    list = list.next_token(Text::new(first.next_token().unwrap()));
    let second = raw(&session, list)?;
    assert_eq!((names(&second), second.next_token()), (vec!["c".to_owned(), "d".to_owned()], None));

    let found = raw(&session, SearchSchemas::new("order", "r").limit(3))?;
    assert_eq!(found.schemas().unwrap().len(), 3);
    let rest = SearchSchemas::new("order", "r").next_token(Text::new(found.next_token().unwrap()));
    assert_eq!(raw(&session, rest)?.schemas().unwrap().len(), 1);
    assert_eq!(raw(&session, ListSchemaVersions::new("r", "a"))?.next_token(), None);
    Ok(())
}

fn a_page_is_limited(cloud: &Cloud) -> Result<()> {
    let session = cloud.session();
    for n in 0..101 {
        Registry::objects(&session).create(&registry(&format!("r{n:03}"))).wait()?;
    }
    for limit in [None, Some(100), Some(1000)] {
        let page = raw(&session, ListRegistries::new().limit(limit))?;
        assert_eq!((page.registries().unwrap().len(), page.next_token().is_some()), (100, true), "{limit:?}");
    }
    assert_eq!(Registry::objects(&session).list().results().count().wait()?, 101);
    Ok(())
}
