//! Cases: task definitions and services that use an image are looked up, and images that are in use.

use super::{
    World, create,
    images::{by_digest, by_tag, push},
};
use nephos_core::{ErrorKind, Map, Result, Tag, Text};
use nephos_ecr::{Image, UseStatus};
use nephos_ecs::{Cluster, ContainerDefinition, Service, TaskDefinition};

const URI: &str = "123456789012.dkr.ecr.us-east-1.amazonaws.com/web";

/// Registers a revision of a family with one container.
fn register(world: &World, family: &str, image: &str, team: &str) -> Result<()> {
    let container = ContainerDefinition::builder().name("main").image(image).build()?;
    let plan = TaskDefinition::builder().family(family).container_definitions([container]);
    let plan = plan.tags(vec![Tag::new("team", team)]).build()?;
    TaskDefinition::objects(&world.session()).create(&plan).wait().map(|_| ())
}

fn team(name: &str) -> Map<Text> {
    [(Text::from("team"), Text::from(name))].into_iter().collect()
}

/// An image with the tag `v1`, and task definitions: two revisions with it, the first deregistered, and others.
fn scene(world: &World) -> Result<Image> {
    let session = world.session();
    create(&session, "web")?;
    let digest = push(&session, "one", Some("v1"))?;
    push(&session, "two", Some("v2"))?;
    let v1 = format!("{URI}:v1");
    register(world, "shop", &v1, "shop")?;
    register(world, "shop", &v1, "shop")?;
    register(world, "api", &format!("{URI}@{digest}"), "api")?;
    register(world, "other", "nginx:latest", "shop")?;
    TaskDefinition::objects(&session).deregister("shop:1").wait()?;
    Ok(Image::objects(&session).get("web", by_tag("v1")).wait()?.unwrap())
}

fn names(found: &[TaskDefinition]) -> Vec<String> {
    let mut names: Vec<_> =
        found.iter().map(|one| format!("{}:{}", one.family().unwrap(), one.revision().unwrap())).collect();
    names.sort();
    names
}

pub(super) fn task_definitions_of_an_image_are_found(world: &World) -> Result<()> {
    let image = scene(world)?;
    assert_eq!(names(&image.task_definitions().wait()?), ["api:1", "shop:2"]);
    assert_eq!(names(&image.task_definitions().status(UseStatus::Inactive).wait()?), ["shop:1"]);
    assert_eq!(
        names(&image.task_definitions().status(UseStatus::All).wait()?),
        ["api:1", "shop:1", "shop:2"]
    );
    assert_eq!(names(&image.task_definitions().tags(team("shop")).wait()?), ["shop:2"]);
    let images = Image::objects(&world.session());
    assert_eq!(names(&images.task_definitions("web", by_tag("v2")).wait()?), [""; 0]);
    Ok(())
}

pub(super) fn services_of_an_image_are_found(world: &World) -> Result<()> {
    let image = scene(world)?;
    let session = world.session();
    for (cluster, name, definition) in
        [("east", "web", "shop"), ("west", "web", "api"), ("west", "nginx", "other")]
    {
        Cluster::objects(&session).create(&Cluster::builder().cluster_name(cluster).build()?).wait()?;
        let plan = Service::builder().service_name(name).task_definition(definition);
        let plan = plan.tags(vec![Tag::new("team", definition)]).build()?;
        Service::objects(&session).create(&plan).cluster(cluster).wait()?;
    }
    let arns = |found: Vec<Service>| -> Vec<String> {
        found
            .iter()
            .map(|one| one.service_arn().unwrap().rsplit_once(":service/").unwrap().1.to_owned())
            .collect()
    };
    assert_eq!(arns(image.services().wait()?), ["east/web", "west/web"]);
    assert_eq!(arns(image.services().tags(team("api")).wait()?), ["west/web"]);
    assert_eq!(arns(image.services().status(UseStatus::Inactive).wait()?), [""; 0]);
    Ok(())
}

pub(super) fn images_in_use_are_found(world: &World) -> Result<()> {
    let image = scene(world)?;
    let images = Image::objects(&world.session());
    let digest = image.image_id().unwrap().image_digest().unwrap();
    let found = images.in_use().results().all().wait()?;
    let ids: Vec<_> = found.iter().map(|one| one.image_id().unwrap().clone()).collect();
    assert_eq!(ids.len(), 2, "one reference by tag, one by digest: {ids:?}");
    assert!(ids.iter().all(|id| id.image_digest() == Some(digest)));
    assert!(ids.contains(&by_digest(digest)));
    assert_eq!(images.in_use().repository_prefix("we").results().all().wait()?.len(), 2);
    assert_eq!(images.in_use().repository_prefix("api").results().all().wait()?.len(), 0);
    assert_eq!(images.in_use().repository_names(["web"]).results().all().wait()?.len(), 2);
    assert_eq!(
        images.in_use().tags(team("shop")).results().all().wait()?.len(),
        0,
        "the repository has no tags"
    );
    let both = images.in_use().repository_names(["web"]).repository_prefix("we").results().all().wait();
    assert_eq!(both.unwrap_err().kind(), ErrorKind::Invalid);
    Ok(())
}
