//! Tags: one set of rules for all three kinds.

use super::{BAD, MISSING, World, discoverers::discoverer, models::made, refused, told};
use crate::{Discoverer, Registry, Schema};
use nephos_core::{Map, Result, Text, prelude::*};

/// The resource names of a registry, a schema in it and a discoverer.
fn subjects(world: &World) -> Result<[Text; 3]> {
    let session = world.session();
    let schema = made(world, "r", "s")?;
    let registry = Registry::objects(&session).get("r").wait()?.unwrap();
    let discoverer = Discoverer::objects(&session).create(&discoverer("a")).wait()?;
    Ok([registry.registry_arn(), schema.schema_arn(), discoverer.discoverer_arn()]
        .map(|arn| arn.unwrap().into()))
}

fn tags(pairs: &[(&str, &str)]) -> Map<Text> {
    pairs.iter().map(|(key, value)| (Text::new(key), Text::new(value))).collect()
}

pub(super) fn tags_are_put_and_taken_off(world: &World) -> Result<()> {
    let session = world.session();
    let [registry, schema, discoverer] = subjects(world)?;
    Registry::objects(&session).tag(registry.as_str(), tags(&[("a", "1"), ("b", "2")])).wait()?;
    Registry::objects(&session).tag(registry.as_str(), tags(&[("b", "3")])).wait()?;
    Schema::objects(&session).tag(schema.as_str(), tags(&[("s", "")])).wait()?;
    Discoverer::objects(&session).tag(discoverer.as_str(), tags(&[("d", "x y")])).wait()?;
    let found = Registry::objects(&session).get("r").wait()?.unwrap();
    assert_eq!(found.tags_map().wait()?, tags(&[("a", "1"), ("b", "3")]));
    assert_eq!(found.list_tags().wait()?.tags(), Some(&found.tags_map().wait()?));
    let schema_found = Schema::objects(&session).get("r", "s").wait()?.unwrap();
    assert_eq!(schema_found.tags_map().wait()?, tags(&[("s", "")]));
    assert_eq!(
        Discoverer::objects(&session).list_tags(discoverer.as_str()).wait()?.tags(),
        Some(&tags(&[("d", "x y")]))
    );
    Registry::objects(&session).untag(registry.as_str(), ["a", "z"].map(Text::new).to_vec()).wait()?;
    Discoverer::objects(&session).untag(discoverer.as_str(), vec![Text::new("d")]).wait()?;
    assert_eq!(Registry::objects(&session).get("r").wait()?.unwrap().tags_map().wait()?, tags(&[("b", "3")]));
    assert_eq!(Discoverer::objects(&session).list_tags(discoverer).wait()?.tags(), Some(&Map::default()));
    Ok(())
}

pub(super) fn tags_keep_the_rules(world: &World) -> Result<()> {
    let session = world.session();
    for arn in subjects(world)? {
        let tag = |given: Map<Text>| Registry::objects(&session).tag(arn.as_str(), given).wait();
        let (long, longer) = ("k".repeat(129), "v".repeat(257));
        let mut fields = Vec::new();
        for (key, value) in [
            ("", "v"),
            ("aws:x", "v"),
            ("k", "AWS:v"),
            (&long, "v"),
            ("k", &longer),
            ("k!", "v"),
            ("k", "v#"),
        ] {
            let (code, field) = refused(world, || tag(tags(&[(key, value)])));
            assert_eq!(code, BAD);
            fields.push(field.unwrap_or_default());
        }
        assert!(fields.iter().all(|field| field.starts_with("Tags")), "{fields:?}");
        let many = |range: std::ops::Range<usize>| -> Map<Text> {
            range.map(|n| (Text::from(format!("k{n}")), Text::new("v"))).collect()
        };
        assert_eq!(refused(world, || tag(many(0..51))), told(BAD, "Tags"));
        tag(many(0..50))?;
        tag(many(10..20))?;
        assert_eq!(refused(world, || tag(many(50..51))), told(BAD, "Tags"));
        let untag = || Registry::objects(&session).untag(arn.as_str(), vec![Text::new("aws:x")]).wait();
        assert_eq!(refused(world, untag), told(BAD, "TagKeys"));
    }
    assert!(Registry::builder().registry_name("x").tags([("aws:x", "v")]).build().is_err());
    Ok(())
}

pub(super) fn subjects_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    subjects(world)?;
    let base = "arn:aws:schemas:us-east-1:123456789012:";
    for (arn, code, field) in [
        ("r".to_owned(), BAD, "ResourceArn"),
        ("arn:aws:sqs:us-east-1:123456789012:r".to_owned(), BAD, "ResourceArn"),
        (format!("{base}registry/q"), MISSING, ""),
        (format!("{base}schema/r"), MISSING, ""),
        (format!("{base}schema/r/t"), MISSING, ""),
        (format!("{base}schema/q/s"), MISSING, ""),
        (format!("{base}discoverer/x"), MISSING, ""),
        (format!("{base}r"), MISSING, ""),
        ("arn:aws:schemas:us-east-1:210987654321:registry/r".to_owned(), MISSING, ""),
        ("arn:aws:schemas:eu-west-1:123456789012:registry/r".to_owned(), MISSING, ""),
    ] {
        let tag = || Schema::objects(&session).tag(arn.as_str(), tags(&[("k", "v")])).wait();
        assert_eq!(refused(world, tag), told(code, field), "{arn}");
        let untag = || Schema::objects(&session).untag(arn.as_str(), vec![Text::new("k")]).wait();
        assert_eq!(refused(world, untag), told(code, field), "{arn}");
        let list = || Schema::objects(&session).list_tags(arn.as_str()).wait();
        assert_eq!(refused(world, list), told(code, field), "{arn}");
    }
    Ok(())
}
