//! The provider's own registries: `aws.events` and `discovered-schemas`.

use super::{
    World, ask,
    discoverers::discoverer,
    errors,
    models::{create_schema, openapi, schema},
    registries::registry,
};
use nephos_core::{Map, Result, Text};
use nephos_schemas::{Discoverer, ListSchemas, Registry, RegistryScope, Schema};
use serde_json::Value;

const EC2: &str = "aws.ec2@EC2InstanceStateChangeNotification";

pub(super) fn events_of_provider_are_listed_and_read(world: &World) -> Result<()> {
    let session = world.session();
    let before = world.state()?;
    let [listed] = Registry::objects(&session)
        .list()
        .scope(RegistryScope::Provider)
        .results()
        .all()
        .wait()?
        .try_into()
        .unwrap();
    assert_eq!(listed.registry_name(), Some("aws.events"));
    assert_eq!(listed.registry_arn(), Some("arn:aws:schemas:us-east-1:123456789012:registry/aws.events"));
    assert_eq!(Registry::objects(&session).get("aws.events").wait()?.as_ref(), Some(&listed));

    let found = Schema::objects(&session).get("aws.events", EC2).wait()?.unwrap();
    assert_eq!(
        found.schema_arn(),
        Some(format!("arn:aws:schemas:us-east-1:123456789012:schema/aws.events/{EC2}").as_str())
    );
    assert_eq!((found.schema_version(), found.r#type()), (Some("1"), Some("OpenApi3")));
    let description =
        "Schema for event type EC2InstanceStateChangeNotification, published by AWS service aws.ec2";
    assert_eq!(found.description(), Some(description));
    assert!(found.last_modified().is_some() && found.version_created_date() == found.last_modified());
    let document: Value = serde_json::from_str(found.content().unwrap()).unwrap();
    let envelope = &document["components"]["schemas"]["AWSEvent"];
    assert_eq!(envelope["x-amazon-events-source"], "aws.ec2");
    assert_eq!(envelope["x-amazon-events-detail-type"], "EC2 Instance State-change Notification");

    let exported = found.export().wait()?.unwrap();
    assert!(exported.content().unwrap().contains("#/definitions/EC2InstanceStateChangeNotification"));
    let [version] = found.versions().wait()?.try_into().unwrap();
    assert_eq!((version.schema_arn(), version.schema_version()), (found.schema_arn(), Some("1")));
    let get = |version: &str| Schema::objects(&session).get("aws.events", EC2).schema_version(version).wait();
    assert_eq!(get("1")?.as_ref(), Some(&found));
    assert!(get("2")?.is_none() && get("x")?.is_none());
    assert!(Schema::objects(&session).get("aws.events", "aws.ec2@Unknown").wait()?.is_none());
    assert!(Schema::objects(&session).list_tags(found.schema_arn().unwrap()).wait()?.is_empty());
    world.assert_unchanged(&before)
}

pub(super) fn schemas_of_provider_are_searched_and_paged(world: &World) -> Result<()> {
    let session = world.session();
    let all = Schema::objects(&session).list("aws.events").limit(2).results().all().wait()?;
    let names: Vec<_> = all.iter().map(|schema| schema.schema_name().unwrap()).collect();
    assert!(names.contains(&EC2) && names.is_sorted(), "{names:?}");
    assert!(all.iter().all(|schema| schema.version_count() == Some(1) && schema.content().is_none()));
    let ec2 = || ListSchemas::new("aws.events").schema_name_prefix("aws.e");
    let first = ask(&session, ec2().limit(1))?;
    assert_eq!(first.schemas().unwrap()[0].schema_name(), Some(EC2));
    let second = ask(&session, ec2().limit(1).next_token(Text::new(first.next_token().unwrap())))?;
    assert_eq!(second.schemas().unwrap()[0].schema_name(), Some("aws.ecr@ECRImageAction"));
    let found = Schema::objects(&session).search("aws.events", "INSTANCE-id").limit(1).wait()?;
    let found: Vec<_> = found.iter().map(|found| found.schema_name().unwrap()).collect();
    assert_eq!(found, [EC2]);
    Ok(())
}

pub(super) fn provider_owned_resources_cannot_be_changed(world: &World) -> Result<()> {
    let session = world.session();
    Discoverer::objects(&session).create(&discoverer("a")).wait()?;
    world.refused(&errors::EXISTS, None, || {
        Registry::objects(&session).create(&registry("aws.events")).wait()
    });
    let tags = || -> Map<Text> { [("k".into(), "v".into())].into_iter().collect() };
    for name in ["aws.events", "discovered-schemas"] {
        world.refused(&errors::FORBIDDEN, None, || Registry::objects(&session).delete(name).wait());
        let described = Registry::builder().registry_name(name).description("mine").build()?;
        world.refused(&errors::FORBIDDEN, None, || Registry::objects(&session).update(&described).wait());
        let found = Registry::objects(&session).get(name).wait()?.unwrap();
        let arn = found.registry_arn().unwrap();
        world.refused(&errors::FORBIDDEN, None, || Registry::objects(&session).tag(arn, tags()).wait());
        let untag = || Registry::objects(&session).untag(arn, vec![Text::new("k")]).wait();
        world.refused(&errors::FORBIDDEN, None, untag);
    }
    let create = || Schema::objects(&session).create(&schema("aws.events", "mine", &openapi("id"))).wait();
    world.refused(&errors::FORBIDDEN, None, create);
    let mut found = Schema::objects(&session).get("aws.events", EC2).wait()?.unwrap();
    found.set_description("mine")?;
    world.refused(&errors::FORBIDDEN, None, || Schema::objects(&session).update(&found).wait());
    world.refused(&errors::FORBIDDEN, None, || Schema::objects(&session).delete("aws.events", EC2).wait());
    let delete = || Schema::objects(&session).delete_version("aws.events", EC2, "1").wait();
    world.refused(&errors::FORBIDDEN, None, delete);
    let arn = found.schema_arn().unwrap();
    world.refused(&errors::FORBIDDEN, None, || Schema::objects(&session).tag(arn, tags()).wait());
    Ok(())
}

/// The registry of discovered schemas exists while there are discoverers or schemas in it.
pub(super) fn discovered_schemas_exist_with_discoverers(world: &World) -> Result<()> {
    let session = world.session();
    let before = world.state()?;
    let get = || Registry::objects(&session).get("discovered-schemas").wait();
    assert!(get()?.is_none());
    let create = || Registry::objects(&session).create(&registry("discovered-schemas")).wait();
    world.refused(&errors::INVALID, "RegistryName", create);
    Discoverer::objects(&session).create(&discoverer("a")).wait()?;
    let arn = "arn:aws:schemas:us-east-1:123456789012:registry/discovered-schemas";
    assert_eq!(get()?.unwrap().registry_arn(), Some(arn));
    world.refused(&errors::EXISTS, None, create);
    let local = || Registry::objects(&session).list().scope(RegistryScope::Local).results().count().wait();
    assert_eq!(local()?, 1);
    assert_eq!(Schema::objects(&session).list("discovered-schemas").results().count().wait()?, 0);
    create_schema(world, "discovered-schemas", "shop@Order")?;
    Discoverer::objects(&session).delete("events-event-bus-a").wait()?;
    assert_eq!(local()?, 1, "discovered schemas are kept");
    Schema::objects(&session).delete("discovered-schemas", "shop@Order").wait()?;
    assert!(get()?.is_none());
    world.assert_unchanged(&before)
}
