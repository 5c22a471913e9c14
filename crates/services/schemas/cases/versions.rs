//! Versions: numbered, sorted by number, deleted one by one.

use super::{
    BAD_REQUEST, NOT_FOUND, World, expected,
    models::{create_schema, openapi},
    refusal,
};
use nephos_core::{Result, prelude::*};
use nephos_schemas::Schema;

/// Creates a schema with `count` versions.
fn create_versions(world: &World, count: usize) -> Result<Schema> {
    let mut model = create_schema(world, "r", "s")?;
    for n in 2..=count {
        model.set_content(openapi(&format!("f{n}")))?;
        model.save().wait()?;
        assert_eq!(model.schema_version(), Some(n.to_string().as_str()));
    }
    Ok(model)
}

fn version_numbers(world: &World) -> Result<Vec<String>> {
    let versions = Schema::objects(&world.session()).list_versions("r", "s").limit(3).wait()?;
    Ok(versions.iter().map(|version| version.schema_version().unwrap().to_owned()).collect())
}

fn version_count(world: &World) -> Result<Option<i64>> {
    let listed = Schema::objects(&world.session()).list("r").results().first().wait()?;
    Ok(listed.and_then(|schema| schema.version_count()))
}

pub(super) fn versions_are_sorted_by_number(world: &World) -> Result<()> {
    let model = create_versions(world, 12)?;
    let expected: Vec<_> = (1..=12).map(|n| n.to_string()).collect();
    assert_eq!(version_numbers(world)?, expected);
    let versions = model.versions().wait()?;
    assert_eq!(versions.len(), 12);
    assert_eq!(versions[9].schema_arn(), model.schema_arn());
    assert_eq!(versions[9].schema_name(), Some("s"));
    assert_eq!(versions[9].r#type().map(ToString::to_string).as_deref(), Some("OpenApi3"));
    assert_eq!(version_count(world)?, Some(12));
    Ok(())
}

pub(super) fn older_version_can_be_read(world: &World) -> Result<()> {
    create_versions(world, 10)?;
    let session = world.session();
    let get = |version: &str| Schema::objects(&session).get("r", "s").schema_version(version).wait();
    assert_eq!(get("9")?.unwrap().content(), Some(openapi("f9").as_str()));
    assert_eq!(Schema::objects(&session).get("r", "s").wait()?.unwrap().schema_version(), Some("10"));
    for none in ["11", "0", "-1", "01", "+1", "x", "", "99999999999999999999"] {
        assert!(get(none)?.is_none(), "{none:?}");
    }
    Ok(())
}

pub(super) fn version_can_be_deleted(world: &World) -> Result<()> {
    create_versions(world, 3)?;
    let session = world.session();
    let delete = |version: &str| Schema::objects(&session).delete_version("r", "s", version).wait();
    delete("2")?;
    assert_eq!(
        (version_numbers(world)?, version_count(world)?),
        (vec!["1".to_owned(), "3".to_owned()], Some(2))
    );
    assert_eq!(refusal(world, || delete("2")), expected(NOT_FOUND, ""));
    assert_eq!(refusal(world, || delete("two")), expected(NOT_FOUND, ""));
    delete("3")?;
    let newest = Schema::objects(&session).get("r", "s").wait()?.unwrap();
    assert_eq!((newest.schema_version(), newest.content()), (Some("1"), Some(openapi("id").as_str())));
    Ok(())
}

pub(super) fn version_number_is_not_reused(world: &World) -> Result<()> {
    let mut model = create_versions(world, 2)?;
    Schema::objects(&world.session()).delete_version("r", "s", "2").wait()?;
    model.set_content(openapi("later"))?;
    model.save().wait()?;
    assert_eq!(model.schema_version(), Some("3"));
    assert_eq!(version_count(world)?, Some(2));
    Ok(())
}

pub(super) fn only_version_cannot_be_deleted(world: &World) -> Result<()> {
    create_schema(world, "r", "s")?;
    let session = world.session();
    let delete = || Schema::objects(&session).delete_version("r", "s", "1").wait();
    assert_eq!(refusal(world, delete), expected(BAD_REQUEST, "SchemaVersion"));
    Ok(())
}
