//! Cases: task definitions and services that use an image are looked up, and images that are in use.

use super::{
    World, create,
    images::{by_digest, by_tag, push},
};
use nephos_core::{ErrorKind, Map, Result, Results, Tag, Text, Value, prelude::*};
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

fn names(found: &Results<TaskDefinition>) -> Result<Vec<String>> {
    let name = |one: &TaskDefinition| format!("{}:{}", one.family().unwrap(), one.revision().unwrap());
    let mut names: Vec<_> = found.all().wait()?.iter().map(name).collect();
    names.sort();
    Ok(names)
}

pub(super) fn task_definitions_of_an_image_are_found(world: &World) -> Result<()> {
    let image = scene(world)?;
    let of = |status: UseStatus| image.task_definitions().status(status).results();
    assert_eq!(names(&image.task_definitions().results())?, ["api:1", "shop:2"]);
    assert_eq!(names(&of(UseStatus::Inactive))?, ["shop:1"]);
    assert_eq!(names(&of(UseStatus::All))?, ["api:1", "shop:1", "shop:2"]);
    assert_eq!(names(&image.task_definitions().tags(team("shop")).results())?, ["shop:2"]);
    let of_shop = of(UseStatus::All).filter(TaskDefinition::FIELDS.family.eq("shop")).order_by("-revision");
    assert_eq!(of_shop.values_flat("revision").wait()?, [Value::Int(2), Value::Int(1)]);
    let images = Image::objects(&world.session());
    assert_eq!(names(&images.task_definitions("web", by_tag("v2")).results())?, [""; 0]);
    let mut first = image.task_definitions().results().first().wait()?.unwrap();
    assert!(first.is_saved() && first.session().is_some());
    first.tags_mut().wait()?;
    Ok(())
}

pub(super) fn task_definitions_of_an_image_are_listed_in_pages(world: &World) -> Result<()> {
    let image = scene(world)?;
    let page = |token: Option<Text>| image.task_definitions().status(UseStatus::All).page(token).wait();
    let active = page(None)?;
    assert_eq!(active.items.len(), 2);
    let inactive = page(active.next_token)?;
    assert_eq!((inactive.items.len(), inactive.next_token), (1, None));
    // Nothing is requested before a model is needed.
    let missing = Image::objects(&world.session()).task_definitions("none", by_tag("v1")).results();
    assert_eq!(missing.first().wait().unwrap_err().kind(), ErrorKind::NotFound);
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
    let arns = |found: Results<Service>| -> Result<Vec<String>> {
        let arn = |one: &Service| one.service_arn().unwrap().rsplit_once(":service/").unwrap().1.to_owned();
        Ok(found.all().wait()?.iter().map(arn).collect())
    };
    let all = image.services().results();
    assert_eq!(arns(all.clone())?, ["east/web", "west/web"]);
    assert_eq!(arns(all.order_by("-serviceArn"))?, ["west/web", "east/web"]);
    assert_eq!(arns(all.filter(Service::FIELDS.cluster_arn.ends_with("west")))?, ["west/web"]);
    assert_eq!(arns(image.services().tags(team("api")).results())?, ["west/web"]);
    assert_eq!(arns(image.services().status(UseStatus::Inactive).results())?, [""; 0]);
    assert_eq!(arns(image.services().status(UseStatus::All).results())?.len(), 2);
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
