//! Tags: the same rules for all three kinds.

use super::{
    BAD_REQUEST, NOT_FOUND, World, discoverers::discoverer, expected, models::create_schema, refusal,
};
use nephos_core::{Map, Result, Text, prelude::*};
use nephos_schemas::{Discoverer, Registry, Schema};

/// Creates a registry, a schema in it and a discoverer, and returns their ARNs.
fn create_resources(world: &World) -> Result<[Text; 3]> {
    let session = world.session();
    let schema = create_schema(world, "r", "s")?;
    let registry = Registry::objects(&session).get("r").wait()?.unwrap();
    let discoverer = Discoverer::objects(&session).create(&discoverer("a")).wait()?;
    Ok([registry.registry_arn(), schema.schema_arn(), discoverer.discoverer_arn()]
        .map(|arn| arn.unwrap().into()))
}

fn tags(pairs: &[(&str, &str)]) -> Map<Text> {
    pairs.iter().map(|(key, value)| (Text::new(key), Text::new(value))).collect()
}

pub(super) fn tags_are_added_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    let [registry, schema, discoverer] = create_resources(world)?;
    Registry::objects(&session).tag(registry.as_str(), tags(&[("a", "1"), ("b", "2")])).wait()?;
    Registry::objects(&session).tag(registry.as_str(), tags(&[("b", "3")])).wait()?;
    Schema::objects(&session).tag(schema.as_str(), tags(&[("s", "")])).wait()?;
    Discoverer::objects(&session).tag(discoverer.as_str(), tags(&[("d", "x y")])).wait()?;
    let found = Registry::objects(&session).get("r").wait()?.unwrap();
    assert_eq!(found.tags_map().wait()?, tags(&[("a", "1"), ("b", "3")]));
    assert_eq!(found.list_tags().wait()?, found.tags_map().wait()?);
    let schema_found = Schema::objects(&session).get("r", "s").wait()?.unwrap();
    assert_eq!(schema_found.tags_map().wait()?, tags(&[("s", "")]));
    assert_eq!(Discoverer::objects(&session).list_tags(discoverer.as_str()).wait()?, tags(&[("d", "x y")]));
    Registry::objects(&session).untag(registry.as_str(), ["a", "z"].map(Text::new).to_vec()).wait()?;
    Discoverer::objects(&session).untag(discoverer.as_str(), vec![Text::new("d")]).wait()?;
    assert_eq!(Registry::objects(&session).get("r").wait()?.unwrap().tags_map().wait()?, tags(&[("b", "3")]));
    assert_eq!(Discoverer::objects(&session).list_tags(discoverer).wait()?, Map::<Text>::default());
    Ok(())
}

pub(super) fn invalid_tags_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    for arn in create_resources(world)? {
        let tag = |tags: Map<Text>| Registry::objects(&session).tag(arn.as_str(), tags).wait();
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
            let (code, field) = refusal(world, || tag(tags(&[(key, value)])));
            assert_eq!(code, BAD_REQUEST);
            fields.push(field.unwrap_or_default());
        }
        assert!(fields.iter().all(|field| field.starts_with("Tags")), "{fields:?}");
        let many = |range: std::ops::Range<usize>| -> Map<Text> {
            range.map(|n| (Text::from(format!("k{n}")), Text::new("v"))).collect()
        };
        assert_eq!(refusal(world, || tag(many(0..51))), expected(BAD_REQUEST, "Tags"));
        tag(many(0..50))?;
        tag(many(10..20))?;
        assert_eq!(refusal(world, || tag(many(50..51))), expected(BAD_REQUEST, "Tags"));
        let untag = || Registry::objects(&session).untag(arn.as_str(), vec![Text::new("aws:x")]).wait();
        assert_eq!(refusal(world, untag), expected(BAD_REQUEST, "TagKeys"));
    }
    assert!(Registry::builder().registry_name("x").tags([("aws:x", "v")]).build().is_err());
    Ok(())
}

pub(super) fn invalid_or_missing_resource_arn_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    create_resources(world)?;
    let base = "arn:aws:schemas:us-east-1:123456789012:";
    for (arn, code, field) in [
        ("r".to_owned(), BAD_REQUEST, "ResourceArn"),
        ("arn:aws:sqs:us-east-1:123456789012:r".to_owned(), BAD_REQUEST, "ResourceArn"),
        (format!("{base}registry/q"), NOT_FOUND, ""),
        (format!("{base}schema/r"), NOT_FOUND, ""),
        (format!("{base}schema/r/t"), NOT_FOUND, ""),
        (format!("{base}schema/q/s"), NOT_FOUND, ""),
        (format!("{base}discoverer/x"), NOT_FOUND, ""),
        (format!("{base}r"), NOT_FOUND, ""),
        ("arn:aws:schemas:us-east-1:210987654321:registry/r".to_owned(), NOT_FOUND, ""),
        ("arn:aws:schemas:eu-west-1:123456789012:registry/r".to_owned(), NOT_FOUND, ""),
    ] {
        let tag = || Schema::objects(&session).tag(arn.as_str(), tags(&[("k", "v")])).wait();
        assert_eq!(refusal(world, tag), expected(code, field), "{arn}");
        let untag = || Schema::objects(&session).untag(arn.as_str(), vec![Text::new("k")]).wait();
        assert_eq!(refusal(world, untag), expected(code, field), "{arn}");
        let list = || Schema::objects(&session).list_tags(arn.as_str()).wait();
        assert_eq!(refusal(world, list), expected(code, field), "{arn}");
    }
    Ok(())
}
