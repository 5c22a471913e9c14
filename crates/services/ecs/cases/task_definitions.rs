//! Cases: task definitions.

use super::World;
use nephos_core::{Record, Result, Tag, Text};
use nephos_ecs::{
    ContainerDefinition, ListTaskDefinitionFamilies, ListTaskDefinitions, SortOrder, TaskDefinition,
    TaskDefinitionFamilyStatus, TaskDefinitionStatus, errors,
};
use nephos_testing::ask;

pub(super) fn container(name: &str, image: &str) -> Result<ContainerDefinition> {
    ContainerDefinition::builder().name(name).image(image).build()
}

/// Registers a revision with one container.
pub(super) fn register(world: &World, family: &str) -> Result<TaskDefinition> {
    let plan = TaskDefinition::builder().family(family).container_definitions([container("web", "web:v1")?]);
    let plan = plan.tags(vec![Tag::new("team", "web")]).build()?;
    TaskDefinition::objects(&world.session()).create(&plan).wait()
}

pub(super) fn revisions_are_numbered_and_deregistered(world: &World) -> Result<()> {
    let definitions = TaskDefinition::objects(&world.session());
    let first = register(world, "shop")?;
    assert_eq!(
        first.task_definition_arn(),
        Some("arn:aws:ecs:us-east-1:123456789012:task-definition/shop:1")
    );
    assert_eq!((first.revision(), first.status()), (Some(1), Some(&TaskDefinitionStatus::Active)));
    let [web] = first.container_definitions().unwrap() else { panic!("one container") };
    assert_eq!((web.image(), web.essential(), web.cpu()), (Some("web:v1"), Some(true), Some(0)));
    let second = register(world, "shop")?;
    assert_eq!(second.revision(), Some(2));
    let get = |name: &str| definitions.get(name).wait();
    assert_eq!(get("shop")?, Some(second.clone()));
    assert_eq!(get("shop:1")?, Some(first.clone()));
    assert_eq!(get(first.task_definition_arn().unwrap())?.unwrap().tags().unwrap().len(), 1);
    assert_eq!((get("shop:3")?, get("none")?), (None, None));
    let removed = definitions.deregister("shop:2").wait()?;
    assert_eq!(removed.status(), Some(&TaskDefinitionStatus::Inactive));
    assert_eq!(removed.deregistered_at().unwrap().as_millisecond(), world.now());
    assert_eq!(get("shop")?, Some(first), "the newest that is active");
    assert_eq!(get("shop:2")?.unwrap().status(), Some(&TaskDefinitionStatus::Inactive));
    assert_eq!(register(world, "shop")?.revision(), Some(3));
    world.refused(&errors::CLIENT, "taskDefinition", || definitions.deregister("shop").wait());
    Ok(())
}

pub(super) fn nested_members_are_kept(world: &World) -> Result<()> {
    let plan = TaskDefinition::from_json(
        r#"{"family": "shop", "volumes": [{"name": "data", "host": {"sourcePath": "/data"}}],
            "runtimePlatform": {"cpuArchitecture": "ARM64"}, "pidMode": "task",
            "containerDefinitions": [{"name": "web", "image": "web:v1",
                "logConfiguration": {"logDriver": "awslogs", "options": {"awslogs-group": "/web"}},
                "secrets": [{"name": "TOKEN", "valueFrom": "arn:aws:secretsmanager:us-east-1:123456789012:secret:t-abcdef"}],
                "mountPoints": [{"sourceVolume": "data", "containerPath": "/data", "readOnly": true}]}]}"#,
    )?;
    let session = world.session();
    TaskDefinition::objects(&session).create(&plan).wait()?;
    let found = TaskDefinition::objects(&session).get("shop").wait()?.unwrap();
    assert_eq!(found.volumes(), plan.volumes());
    assert_eq!(found.runtime_platform(), plan.runtime_platform());
    assert_eq!(found.pid_mode(), Some("task"));
    let [kept] = found.container_definitions().unwrap() else { panic!("one container") };
    let [given] = plan.container_definitions().unwrap() else { panic!("one container") };
    assert_eq!(kept.log_configuration(), given.log_configuration());
    assert_eq!(kept.secrets(), given.secrets());
    assert_eq!(kept.mount_points(), given.mount_points());
    Ok(())
}

pub(super) fn task_definitions_are_checked(world: &World) -> Result<()> {
    let definitions = TaskDefinition::objects(&world.session());
    let refused = |family: &str, containers: Vec<ContainerDefinition>, field: &str| -> Result<String> {
        let plan = TaskDefinition::builder().family(family).container_definitions(containers).build()?;
        let error = world.refused(&errors::CLIENT, field, || definitions.create(&plan).wait());
        Ok(error.wire_message().to_owned())
    };
    refused("a b", vec![container("web", "web")?], "family")?;
    let field = "containerDefinitions";
    assert_eq!(refused("shop", Vec::new(), field)?, "Container list cannot be empty.");
    let unnamed = ContainerDefinition::builder().image("web").build()?;
    assert_eq!(refused("shop", vec![unnamed], field)?, "Container.name should not be null or empty.");
    let without = ContainerDefinition::builder().name("web").build()?;
    assert_eq!(refused("shop", vec![without], field)?, "Container.image should not be null or empty.");
    refused("shop", vec![container("web", "a")?, container("web", "b")?], field)?;
    Ok(())
}

pub(super) fn task_definitions_are_listed(world: &World) -> Result<()> {
    let session = world.session();
    for family in ["api", "shop", "shop"] {
        register(world, family)?;
    }
    TaskDefinition::objects(&session).deregister("api:1").wait()?;
    let families = |status| -> Result<Vec<Text>> {
        let found = ask(&session, ListTaskDefinitionFamilies::new().status(status))?;
        Ok(found.families().unwrap().to_vec())
    };
    assert_eq!(families(TaskDefinitionFamilyStatus::Active)?, ["shop"]);
    assert_eq!(families(TaskDefinitionFamilyStatus::Inactive)?, ["api"]);
    assert_eq!(families(TaskDefinitionFamilyStatus::All)?, ["api", "shop"]);
    let prefixed = ask(&session, ListTaskDefinitionFamilies::new().family_prefix("sh"))?;
    assert_eq!(prefixed.families().unwrap().len(), 1);
    let listed = |list: ListTaskDefinitions| -> Result<Vec<Text>> {
        let found = ask(&session, list)?;
        let arns = found.task_definition_arns().unwrap().iter();
        Ok(arns.map(|arn| arn.rsplit_once('/').unwrap().1.into()).collect())
    };
    let list = || ListTaskDefinitions::new();
    assert_eq!(listed(list())?, ["shop:1", "shop:2"]);
    assert_eq!(listed(list().sort(SortOrder::Desc))?, ["shop:2", "shop:1"]);
    assert_eq!(listed(list().status(TaskDefinitionStatus::Inactive))?, ["api:1"]);
    assert_eq!(listed(list().family_prefix("sh"))?, [""; 0], "a whole family");
    let first = ask(&session, list().max_results(1))?;
    assert_eq!(listed(list().max_results(1).next_token(first.next_token().unwrap()))?, ["shop:2"]);
    Ok(())
}
