//! Versions: numbered, sorted by number, deleted one by one.

use crate::{
    BAD, MISSING, refused,
    schemas::{made, openapi},
    told,
};
use nephos::{Cloud, Result, Schema, prelude::*};

crate::cases! {
    versions_are_listed_by_number, an_older_version_can_be_read, a_version_can_be_deleted, a_number_is_given_once,
    the_only_version_stays,
}

/// Puts further documents, until there are `count` versions.
fn up_to(cloud: &Cloud, count: usize) -> Result<Schema> {
    let mut model = made(cloud, "r", "s")?;
    for n in 2..=count {
        model.set_content(openapi(&format!("f{n}")))?;
        model.save().wait()?;
        assert_eq!(model.schema_version(), Some(n.to_string().as_str()));
    }
    Ok(model)
}

fn numbers(cloud: &Cloud) -> Result<Vec<String>> {
    let versions = Schema::objects(&cloud.session()).list_versions("r", "s").limit(3).wait()?;
    Ok(versions.iter().map(|version| version.schema_version().unwrap().to_owned()).collect())
}

fn count(cloud: &Cloud) -> Result<Option<i64>> {
    let listed = Schema::objects(&cloud.session()).list("r").results().first().wait()?;
    Ok(listed.and_then(|schema| schema.version_count()))
}

fn versions_are_listed_by_number(cloud: &Cloud) -> Result<()> {
    let model = up_to(cloud, 12)?;
    let expected: Vec<_> = (1..=12).map(|n| n.to_string()).collect();
    assert_eq!(numbers(cloud)?, expected);
    let versions = model.versions().wait()?;
    assert_eq!(versions.len(), 12);
    assert_eq!(versions[9].schema_arn(), model.schema_arn());
    assert_eq!(versions[9].schema_name(), Some("s"));
    assert_eq!(versions[9].r#type().map(ToString::to_string).as_deref(), Some("OpenApi3"));
    assert_eq!(count(cloud)?, Some(12));
    Ok(())
}

fn an_older_version_can_be_read(cloud: &Cloud) -> Result<()> {
    up_to(cloud, 10)?;
    let session = cloud.session();
    let get = |version: &str| Schema::objects(&session).get("r", "s").schema_version(version).wait();
    assert_eq!(get("9")?.unwrap().content(), Some(openapi("f9").as_str()));
    assert_eq!(Schema::objects(&session).get("r", "s").wait()?.unwrap().schema_version(), Some("10"));
    for none in ["11", "0", "-1", "01", "+1", "x", "", "99999999999999999999"] {
        assert!(get(none)?.is_none(), "{none:?}");
    }
    Ok(())
}

fn a_version_can_be_deleted(cloud: &Cloud) -> Result<()> {
    up_to(cloud, 3)?;
    let session = cloud.session();
    let delete = |version: &str| Schema::objects(&session).delete_version("r", "s", version).wait();
    delete("2")?;
    assert_eq!((numbers(cloud)?, count(cloud)?), (vec!["1".to_owned(), "3".to_owned()], Some(2)));
    assert_eq!(refused(cloud, || delete("2")), told(MISSING, ""));
    assert_eq!(refused(cloud, || delete("two")), told(MISSING, ""));
    delete("3")?;
    let newest = Schema::objects(&session).get("r", "s").wait()?.unwrap();
    assert_eq!((newest.schema_version(), newest.content()), (Some("1"), Some(openapi("id").as_str())));
    Ok(())
}

fn a_number_is_given_once(cloud: &Cloud) -> Result<()> {
    let mut model = up_to(cloud, 2)?;
    Schema::objects(&cloud.session()).delete_version("r", "s", "2").wait()?;
    model.set_content(openapi("later"))?;
    model.save().wait()?;
    assert_eq!(model.schema_version(), Some("3"));
    assert_eq!(count(cloud)?, Some(2));
    Ok(())
}

fn the_only_version_stays(cloud: &Cloud) -> Result<()> {
    made(cloud, "r", "s")?;
    let session = cloud.session();
    let delete = || Schema::objects(&session).delete_version("r", "s", "1").wait();
    assert_eq!(refused(cloud, delete), told(BAD, "SchemaVersion"));
    Ok(())
}
