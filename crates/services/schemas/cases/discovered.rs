//! Schemas that discoverers infer from the events of their buses.

use super::{World, discoverers::discoverer, errors};
use nephos_core::{Result, prelude::*};
use nephos_schemas::{DiscoverEvent, Discoverer, Schema};
use serde_json::{Value, json};

const DEFAULT: &str = "arn:aws:schemas:us-east-1:123456789012:discoverer/events-event-bus-default";

/// Gives an event of an account to the discoverer of the default bus.
fn give_of(world: &World, account: &str, detail: Value) -> Result<()> {
    let event = json!({
        "version": "0", "id": "1", "detail-type": "Order placed", "source": "shop", "account": account,
        "time": "2026-01-31T12:00:00Z", "region": "us-east-1", "resources": [], "detail": detail,
    });
    world.control(DiscoverEvent::new(DEFAULT, event.to_string()))
}

fn give(world: &World, detail: Value) -> Result<()> {
    give_of(world, "123456789012", detail)
}

/// Numbers of the versions of the discovered schema.
fn versions(world: &World) -> Result<Vec<String>> {
    let session = world.session();
    let Some(found) = Schema::objects(&session).get("discovered-schemas", "shop@OrderPlaced").wait()? else {
        return Ok(Vec::new());
    };
    let versions = found.versions().wait()?;
    Ok(versions.iter().map(|version| version.schema_version().unwrap_or_default().to_owned()).collect())
}

pub(super) fn event_becomes_a_schema_and_new_members_a_version(world: &World) -> Result<()> {
    let session = world.session();
    Discoverer::objects(&session).create(&discoverer("default")).wait()?;
    give(world, json!({ "id": 1 }))?;
    assert_eq!(versions(world)?, ["1"]);
    let before = world.state()?;
    give(world, json!({ "id": 2 }))?;
    world.assert_unchanged(&before)?;
    give(world, json!({ "id": 3, "note": "quick" }))?;
    give(world, json!({ "id": 4, "note": "slow" }))?;
    assert_eq!(versions(world)?, ["1", "2"]);
    let found = Schema::objects(&session).get("discovered-schemas", "shop@OrderPlaced").wait()?.unwrap();
    assert_eq!(found.r#type(), Some("OpenApi3"));
    let document: Value = serde_json::from_str(found.content().unwrap()).unwrap();
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["AWSEvent"]["x-amazon-events-source"], "shop");
    let detail = json!({
        "type": "object",
        "required": ["id"],
        "properties": { "id": { "type": "integer" }, "note": { "type": "string" } },
    });
    assert_eq!(schemas["Orderplaced"], detail);
    let mut own = found.clone();
    let order = json!({ "Order": { "type": "string" } });
    let content = json!({
        "openapi": "3.0.0", "info": { "title": "Order", "version": "1" }, "paths": {}, "components": { "schemas": order },
    });
    own.set_content(content.to_string())?;
    own.save().wait()?;
    give(world, json!({ "other": true }))?;
    assert_eq!(versions(world)?, ["1", "2", "3"], "a document of another form stays");
    Ok(())
}

pub(super) fn stopped_discoverer_discovers_nothing(world: &World) -> Result<()> {
    let session = world.session();
    let discoverer = Discoverer::objects(&session).create(&discoverer("default")).wait()?;
    discoverer.stop().wait()?;
    let before = world.state()?;
    give(world, json!({}))?;
    world.assert_unchanged(&before)?;
    discoverer.start().wait()?;
    give(world, json!({}))?;
    assert_eq!(versions(world)?, ["1"]);
    Ok(())
}

pub(super) fn events_of_other_accounts_are_discovered_if_wanted(world: &World) -> Result<()> {
    let session = world.session();
    let own = discoverer("default");
    let mut created = Discoverer::objects(&session).create(&own).wait()?;
    created.set_cross_account(false)?;
    let mut created = Discoverer::objects(&session).update(&created).wait()?;
    give_of(world, "210987654321", json!({}))?;
    assert!(versions(world)?.is_empty());
    created.set_cross_account(true)?;
    Discoverer::objects(&session).update(&created).wait()?;
    give_of(world, "210987654321", json!({}))?;
    assert_eq!(versions(world)?, ["1"]);
    Ok(())
}

pub(super) fn unusable_events_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let discover = |arn: &str, event: &str| world.control(DiscoverEvent::new(arn, event));
    assert_eq!(discover(DEFAULT, "{}").unwrap_err().code(), errors::NOT_FOUND.code);
    Discoverer::objects(&session).create(&discoverer("default")).wait()?;
    let before = world.state()?;
    assert!(discover("arn:aws:events:us-east-1:123456789012:event-bus/default", "{}").is_err());
    let many: serde_json::Map<_, _> = (0..5000).map(|n| (format!("member-{n}"), json!(n))).collect();
    let large = json!({ "source": "s", "detail-type": "d", "detail": many }).to_string();
    for event in
        ["", "[]", "{}", r#"{"source": "s", "detail-type": "d"}"#, r#"{"source": 1}"#, large.as_str()]
    {
        let refused = discover(DEFAULT, event).unwrap_err();
        assert_eq!(refused.code(), errors::INVALID.code, "{refused}");
    }
    world.assert_unchanged(&before)
}
