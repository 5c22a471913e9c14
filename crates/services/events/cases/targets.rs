//! Targets: created, read, listed, replaced, removed.

use super::{QUEUE, World};
use nephos_cloud::read_key;
use nephos_core::{Result, Text, prelude::*};
use nephos_events::{
    AssignPublicIp, DeadLetterConfig, EcsParameters, EventBus, EventRule, EventTarget, GraphQLParameters,
    LaunchType, ListRuleNamesByTarget, NetworkConfiguration, PlacementConstraint, PlacementConstraintType,
    PlacementStrategy, PlacementStrategyType, PutEventsRequestEntry, RedshiftDataParameters, RetryPolicy,
    SqsParameters, VpcConfiguration, errors,
};
use nephos_testing::{ask, names};
use std::collections::BTreeSet;

const TOPIC: &str = "arn:aws:sns:us-east-1:123456789012:orders";
const CLUSTER: &str = "arn:aws:ecs:us-east-1:123456789012:cluster/web";
const ROLE: &str = "arn:aws:iam::123456789012:role/events";

pub(super) fn created_target_is_returned_by_get_and_list(world: &World) -> Result<()> {
    let session = world.session();
    world.create_bus("a")?;
    let rule = world.create_rule("a", "r")?;
    let target = EventTarget::builder()
        .event_bus_name("a")
        .rule("r")
        .id("queue")
        .arn(QUEUE)
        .retry_policy(RetryPolicy::builder().maximum_retry_attempts(3).build()?)
        .build()?;
    let created = EventTarget::objects(&session).create(&target).wait()?;
    assert_eq!((created.rule(), created.event_bus_name()), (Some("r"), Some("a")));
    assert_eq!(created.retry_policy().unwrap().maximum_retry_attempts(), Some(3));
    let found = EventTarget::objects(&session).get("r", "queue").event_bus_name("a").wait()?.unwrap();
    assert_eq!(found, created);
    let listed = EventTarget::objects(&session).list("r").event_bus_name("a").results().all().wait()?;
    assert_eq!(listed, [found]);
    assert_eq!(rule.targets().wait()?, listed);
    assert!(EventTarget::objects(&session).get("r", "other").event_bus_name("a").wait()?.is_none());
    // The default bus does not have the rule.
    assert!(EventTarget::objects(&session).get("r", "queue").wait()?.is_none());
    let list = || EventTarget::objects(&session).list("r").results().all().wait();
    let refused = world.refused(&errors::NOT_FOUND, None, list);
    assert_eq!(refused.message(), "Rule r does not exist on EventBus default.");
    created.delete().wait()?;
    assert_eq!(rule.targets().wait()?, []);
    Ok(())
}

pub(super) fn targets_are_replaced_by_id(world: &World) -> Result<()> {
    let session = world.session();
    world.create_rule("default", "r")?;
    let mut target = world.create_target("r", "t", QUEUE)?;
    target.set_arn(TOPIC)?;
    target.set_input_path("$.detail")?;
    target.save().wait()?;
    let found = EventTarget::objects(&session).list("r").results().all().wait()?;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].require_arn()?, found[0].input_path()), (TOPIC, Some("$.detail")));
    // A replaced rule keeps its targets.
    world.create_rule("default", "r")?;
    world.create_target("r", "t", QUEUE)?;
    let found = EventTarget::objects(&session).get("r", "t").wait()?.unwrap();
    assert_eq!((found.require_arn()?, found.input_path()), (QUEUE, None));
    assert_eq!(EventRule::objects(&session).list_by_target(TOPIC).wait()?, []);
    Ok(())
}

pub(super) fn missing_targets_are_returned_as_failed(world: &World) -> Result<()> {
    let session = world.session();
    world.create_rule("default", "r")?;
    world.create_target("r", "a", QUEUE)?;
    let ids = || ["a", "b"].map(Text::new).to_vec();
    let failed = EventTarget::objects(&session).remove("r", ids()).wait()?;
    assert_eq!(failed.failed_entry_count(), Some(1));
    let entry = &failed.failed_entries().unwrap()[0];
    assert_eq!((entry.target_id(), entry.error_code()), (Some("b"), Some("ResourceNotFoundException")));
    assert_eq!(entry.error_message(), Some("Rule 'r' does not have a target with the Id 'b'."));
    assert_eq!(EventTarget::objects(&session).list("r").results().count().wait()?, 0);
    let strict = EventTarget::objects(&session).remove("r", ids()).strict(true).wait().unwrap_err();
    assert_eq!(strict.code(), errors::NOT_FOUND.code);
    let target = EventTarget::builder().id("a").arn(QUEUE).build()?;
    let put = EventTarget::objects(&session).put("r", vec![target]).strict(true).wait()?;
    assert_eq!((put.failed_entry_count(), put.failed_entries().map(<[_]>::len)), (Some(0), Some(0)));
    Ok(())
}

pub(super) fn number_of_targets_is_limited(world: &World) -> Result<()> {
    let session = world.session();
    world.create_rule("default", "r")?;
    let targets = |count: usize| -> Vec<EventTarget> {
        let target = |number| EventTarget::builder().id(format!("t{number}")).arn(QUEUE).build().unwrap();
        (0..count).map(target).collect()
    };
    let put = |count: usize| EventTarget::objects(&session).put("r", targets(count)).wait();
    let refused = world.refused(&errors::LIMIT_EXCEEDED, "Targets", || put(6));
    assert_eq!(refused.message(), "The requested resource exceeds the maximum number allowed.");
    world.refused(&errors::VALIDATION, "Targets", || put(0));
    world.refused(&errors::VALIDATION, "Targets", || put(11));
    put(5)?;
    put(5)?;
    let one_more = || world.create_target("r", "more", QUEUE);
    world.refused(&errors::LIMIT_EXCEEDED, "Targets", one_more);
    EventTarget::objects(&session).delete("r", "t0").wait()?;
    one_more()?;
    let listed = EventTarget::objects(&session).list("r").limit(2).results().all().wait()?;
    assert_eq!(names(&listed)?, ["more", "t1", "t2", "t3", "t4"]);
    Ok(())
}

pub(super) fn rules_are_listed_by_target(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["c", "a", "b"] {
        world.create_rule("default", name)?;
        world.create_target(name, "one", QUEUE)?;
        world.create_target(name, "two", QUEUE)?;
    }
    world.create_target("b", "topic", TOPIC)?;
    let list = |arn: &str| EventRule::objects(&session).list_by_target(arn).wait();
    assert_eq!(names(&list(QUEUE)?)?, ["a", "b", "c"]);
    assert_eq!(names(&list(TOPIC)?)?, ["b"]);
    let target = EventTarget::objects(&session).get("b", "topic").wait()?.unwrap();
    assert_eq!(names(&target.rules().wait()?)?, ["b"]);
    let mut query = ListRuleNamesByTarget::new(QUEUE);
    query.limit = Some(2);
    let first = ask(&session, query.clone())?;
    assert_eq!(first.rule_names().unwrap(), ["a", "b"]);
    query.next_token = first.next_token().map(Text::new);
    let last = ask(&session, query)?;
    assert_eq!((last.rule_names().unwrap().len(), last.next_token()), (1, None));
    EventTarget::objects(&session).delete("a", "one").wait()?;
    assert_eq!(list(QUEUE)?.len(), 3);
    EventTarget::objects(&session).delete("a", "two").wait()?;
    assert_eq!(names(&list(QUEUE)?)?, ["b", "c"]);
    world.create_bus("x")?;
    assert_eq!(EventRule::objects(&session).list_by_target(QUEUE).event_bus_name("x").wait()?, []);
    Ok(())
}

pub(super) fn rule_is_deleted_only_without_targets(world: &World) -> Result<()> {
    let rule = world.create_rule("default", "r")?;
    let target = world.create_target("r", "t", QUEUE)?;
    let refused = world.refused(&errors::VALIDATION, "Name", || rule.delete().wait());
    assert_eq!(refused.message(), "Rule can't be deleted since it has targets.");
    target.delete().wait()?;
    rule.delete().wait()?;
    Ok(())
}

pub(super) fn rule_is_deleted_with_its_targets_on_request(world: &World) -> Result<()> {
    let session = world.session();
    world.create_bus("a")?;
    for bus in ["default", "a"] {
        world.create_rule(bus, "r")?;
        for id in ["one", "two"] {
            let target = EventTarget::builder().event_bus_name(bus).rule("r").id(id).arn(QUEUE).build()?;
            EventTarget::objects(&session).create(&target).wait()?;
        }
    }
    let delete = || EventRule::objects(&session).delete("r").event_bus_name("a");
    world.refused(&errors::VALIDATION, "Name", || delete().remove_targets(false).wait());
    delete().remove_targets(true).wait()?;
    assert!(EventRule::objects(&session).get("r").event_bus_name("a").wait()?.is_none());
    // The rule of the same name on another bus keeps its targets, and a new rule has none.
    assert_eq!(EventTarget::objects(&session).list("r").results().all().wait()?.len(), 2);
    assert_eq!(world.create_rule("a", "r")?.targets().wait()?, []);
    // Nothing happens without the rule.
    delete().wait()?;
    delete().remove_targets(true).wait()?;
    Ok(())
}

pub(super) fn dead_letter_queue_is_a_standard_queue(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    let session = world.session();
    for arn in ["arn:aws:sns:us-east-1:123456789012:t", "arn:aws:sqs:us-east-1:123456789012:q.fifo", "q"] {
        let queue = DeadLetterConfig::builder().arn(arn).build()?;
        let target = EventTarget::builder().rule("r").id("t").arn(QUEUE).dead_letter_config(queue.clone());
        let target = target.build()?;
        world.refused(&errors::VALIDATION, "Targets", || {
            EventTarget::objects(&session).create(&target).wait()
        });
        let bus = EventBus::builder().name("a").dead_letter_config(queue).build()?;
        let create = || EventBus::objects(&session).create(&bus).wait();
        let refused = world.refused(&errors::VALIDATION, "DeadLetterConfig", create);
        assert!(refused.message().starts_with("Parameter DeadLetterConfig.Arn is not valid. Reason: "));
    }
    Ok(())
}

pub(super) fn parameters_of_services_are_required(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    for (arn, parameters) in [
        ("arn:aws:batch:us-east-1:123456789012:job-queue/q", "BatchParameters"),
        ("arn:aws:redshift:us-east-1:123456789012:cluster:c", "RedshiftDataParameters"),
        ("arn:aws:ssm:us-east-1:123456789012:document/d", "RunCommandParameters"),
    ] {
        let target = EventTarget::builder().rule("r").id("t").arn(arn);
        let target = target.role_arn("arn:aws:iam::123456789012:role/events").build()?;
        let create = || EventTarget::objects(&world.session()).create(&target).wait();
        let refused = world.refused(&errors::VALIDATION, "Targets", create);
        assert_eq!(refused.message(), format!("Parameter(s) {parameters} must be specified for target: t."));
    }
    world.create_target("r", "t", "arn:aws:ssm:us-east-1:123456789012:automation-definition/d")?;
    Ok(())
}

pub(super) fn targets_are_checked(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    let long = "x".repeat(65);
    for id in ["", "a b", "a/b", &long] {
        assert!(EventTarget::builder().id(id).arn(QUEUE).build().is_err(), "{id}");
    }
    let refused = world.refused(&errors::VALIDATION, "Targets", || world.create_target("r", "t", "queue"));
    assert_eq!(
        refused.message(),
        "Parameter queue is not valid. Reason: Provided Arn is not in correct format."
    );
    let fifo = format!("{QUEUE}.fifo");
    let refused = world.refused(&errors::VALIDATION, "Targets", || world.create_target("r", "t", &fifo));
    assert_eq!(refused.message(), "Parameter(s) SqsParameters must be specified for target: t.");
    let queue = SqsParameters::builder().message_group_id("g").build()?;
    let target = EventTarget::builder().rule("r").id("t").arn(fifo.as_str()).sqs_parameters(queue).build()?;
    EventTarget::objects(&world.session()).create(&target).wait()?;
    for invoked_with_role in [
        "arn:aws:kinesis:us-east-1:123456789012:stream/s",
        "arn:aws:codebuild:us-east-1:123456789012:project/p",
        "arn:aws:codepipeline:us-east-1:123456789012:p",
    ] {
        let create = || world.create_target("r", "t", invoked_with_role);
        let refused = world.refused(&errors::VALIDATION, "Targets", create);
        assert_eq!(refused.message(), format!("RoleArn is required for target {invoked_with_role}."));
    }
    world.refused(&errors::NOT_FOUND, None, || world.create_target("missing", "t", QUEUE));
    let without_rule = EventTarget::builder().id("t").arn(QUEUE).build()?;
    let create = || EventTarget::objects(&world.session()).create(&without_rule).wait();
    assert!(create().is_err());
    Ok(())
}

pub(super) fn members_of_parameters_are_checked(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    let mut target = EventTarget::builder().rule("r").id("t").arn(QUEUE).build()?;
    let mut set = |name: &str, value: &str| target.set(name, nephos_core::json::parse(value.as_bytes())?);
    for (name, valid, invalid) in [
        ("HttpParameters", r#"{"PathParameterValues": ["a b"]}"#, r#"{"PathParameterValues": [" "]}"#),
        ("HttpParameters", r#"{"HeaderParameters": {"a": "x y"}}"#, r#"{"HeaderParameters": {"a": "é"}}"#),
        (
            "HttpParameters",
            r#"{"QueryStringParameters": {"a": "é"}}"#,
            r#"{"QueryStringParameters": {"a": "\u0001"}}"#,
        ),
        (
            "RedshiftDataParameters",
            r#"{"Database": "d", "SecretManagerArn": "$.detail.secret[0]"}"#,
            r#"{"Database": "d", "SecretManagerArn": "secret"}"#,
        ),
        (
            "RunCommandParameters",
            r#"{"RunCommandTargets": [{"Key": "tag:é", "Values": ["v"]}]}"#,
            r#"{"RunCommandTargets": [{"Key": "tag#", "Values": ["v"]}]}"#,
        ),
        ("RetryPolicy", r#"{"MaximumRetryAttempts": 0}"#, r#"{"MaximumRetryAttempts": 186}"#),
        ("RetryPolicy", r#"{"MaximumEventAgeInSeconds": 86400}"#, r#"{"MaximumEventAgeInSeconds": 59}"#),
    ] {
        set(name, valid)?;
        assert!(set(name, invalid).is_err(), "{invalid}");
    }
    EventTarget::objects(&world.session()).create(&target).wait()?;
    Ok(())
}

/// Creates a target of tasks.
fn create_tasks(world: &World, tasks: Option<EcsParameters>) -> Result<EventTarget> {
    let mut target = EventTarget::builder().rule("r").id("t").arn(CLUSTER).role_arn(ROLE).build()?;
    if let Some(tasks) = tasks {
        target.set_ecs_parameters(tasks)?;
    }
    EventTarget::objects(&world.session()).create(&target).wait()
}

pub(super) fn parameters_of_tasks_are_checked(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    let tasks = || {
        EcsParameters::builder().task_definition_arn("arn:aws:ecs:us-east-1:123456789012:task-definition/web")
    };
    let network = |address: AssignPublicIp| -> Result<NetworkConfiguration> {
        let vpc = VpcConfiguration::builder().subnets(["subnet-1"]).assign_public_ip(address).build()?;
        NetworkConfiguration::builder().vpc_configuration(vpc).build()
    };
    world.refused(&errors::VALIDATION, "Targets", || create_tasks(world, None));
    for invalid in [
        tasks().launch_type(LaunchType::Fargate).build()?,
        tasks()
            .launch_type(LaunchType::Ec2)
            .network_configuration(network(AssignPublicIp::Enabled)?)
            .build()?,
        tasks().network_configuration(network(AssignPublicIp::Enabled)?).build()?,
        tasks()
            .placement_strategy([PlacementStrategy::builder()
                .r#type(PlacementStrategyType::Binpack)
                .field("colour")
                .build()?])
            .build()?,
        tasks()
            .placement_constraints([PlacementConstraint::builder()
                .r#type(PlacementConstraintType::DistinctInstance)
                .expression("x")
                .build()?])
            .build()?,
    ] {
        world.refused(&errors::VALIDATION, "Targets", || create_tasks(world, Some(invalid)));
    }
    let valid = tasks()
        .launch_type(LaunchType::Fargate)
        .network_configuration(network(AssignPublicIp::Enabled)?)
        .build()?;
    assert_eq!(create_tasks(world, Some(valid.clone()))?.ecs_parameters(), Some(&valid));
    assert!(VpcConfiguration::builder().subnets(["s"; 17]).build().is_err());
    assert!(VpcConfiguration::builder().subnets(["s"]).security_groups(["g"; 6]).build().is_err());
    Ok(())
}

pub(super) fn parameters_of_targets_are_returned(world: &World) -> Result<()> {
    let session = world.session();
    world.create_rule("default", "r")?;
    let mut target = EventTarget::builder().rule("r").id("t").arn(QUEUE).role_arn(ROLE).build()?;
    for (name, value) in [
        ("RunCommandParameters", r#"{"RunCommandTargets": [{"Key": "InstanceIds", "Values": ["i-1"]}]}"#),
        ("KinesisParameters", r#"{"PartitionKeyPath": "$.id"}"#),
        ("BatchParameters", r#"{"JobDefinition": "d", "JobName": "n", "ArrayProperties": {"Size": 2}}"#),
        ("HttpParameters", r#"{"PathParameterValues": ["a"], "HeaderParameters": {"h": "v"}}"#),
        ("SageMakerPipelineParameters", r#"{"PipelineParameterList": [{"Name": "n", "Value": "v"}]}"#),
        ("DeadLetterConfig", r#"{"Arn": "arn:aws:sqs:us-east-1:123456789012:failed"}"#),
        ("RetryPolicy", r#"{"MaximumRetryAttempts": 185, "MaximumEventAgeInSeconds": 60}"#),
    ] {
        target.set(name, nephos_core::json::parse(value.as_bytes())?)?;
    }
    let created = EventTarget::objects(&session).create(&target).wait()?;
    assert_eq!(created, EventTarget::objects(&session).get("r", "t").wait()?.unwrap());
    assert_eq!(created.kinesis_parameters(), target.kinesis_parameters());
    assert_eq!(created.run_command_parameters(), target.run_command_parameters());
    assert_eq!(created.batch_parameters(), target.batch_parameters());
    assert_eq!(created.http_parameters(), target.http_parameters());
    assert_eq!(created.sage_maker_pipeline_parameters(), target.sage_maker_pipeline_parameters());
    assert_eq!(created.dead_letter_config(), target.dead_letter_config());
    assert_eq!(created.retry_policy(), target.retry_policy());
    Ok(())
}

pub(super) fn sensitive_texts_are_sealed_and_not_printed(world: &World) -> Result<()> {
    let session = world.session();
    world.create_rule("default", "r")?;
    let graphql = GraphQLParameters::builder().graph_ql_operation("mutation hush { x }").build()?;
    let redshift = RedshiftDataParameters::builder()
        .database("d")
        .sql("select hush")
        .sqls(["select hush", "delete hush"]);
    let target = EventTarget::builder()
        .rule("r")
        .id("t")
        .arn(QUEUE)
        .graph_ql_parameters(graphql)
        .redshift_data_parameters(redshift.build()?)
        .build()?;
    let created = EventTarget::objects(&session).create(&target).wait()?;
    assert_eq!(created.graph_ql_parameters(), target.graph_ql_parameters());
    assert_eq!(created.redshift_data_parameters(), target.redshift_data_parameters());
    assert!(!format!("{created:?}").contains("hush"));
    let has_text = |row: &[u8]| row.windows(4).any(|part| part == b"hush");
    assert!(!world.state()?.iter().any(|(_, row)| has_text(row)));
    created.delete().wait()?;
    // The sealed texts are deleted with their target, and when it is replaced by one without them.
    let has_texts = || -> Result<bool> {
        Ok(world
            .state()?
            .iter()
            .any(|(key, _)| read_key(key).is_some_and(|(table, _)| table == "events/target-texts")))
    };
    assert!(!has_texts()?);
    EventTarget::objects(&session).create(&target).wait()?;
    assert!(has_texts()?);
    world.create_target("r", "t", QUEUE)?;
    assert!(!has_texts()?);
    assert_eq!(EventTarget::objects(&session).get("r", "t").wait()?.unwrap().graph_ql_parameters(), None);
    Ok(())
}

pub(super) fn every_row_belongs_to_a_listed_table(world: &World) -> Result<()> {
    world.create_bus("a")?;
    world.create_rule("default", "r")?;
    let graphql = GraphQLParameters::builder().graph_ql_operation("query").build()?;
    let target = EventTarget::builder().rule("r").id("t").arn(QUEUE).graph_ql_parameters(graphql).build()?;
    EventTarget::objects(&world.session()).create(&target).wait()?;
    let daily = EventRule::builder().name("daily").schedule_expression("rate(1 day)").build()?;
    EventRule::objects(&world.session()).create(&daily).wait()?;
    let archive = world.create_archive("a", "default")?;
    world.replay("again", &archive, &[])?;
    let entry = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail("{}").build()?;
    EventBus::objects(&world.session()).put_events("default", [entry]).wait()?;
    world.create_planned_call()?;
    let rows = world.state()?;
    let tables = rows.iter().filter_map(|(key, _)| Some(read_key(key)?.0));
    let own: BTreeSet<_> = tables.filter(|table| table.starts_with("events/")).collect();
    let listed: BTreeSet<_> = nephos_events::EVENTS.tables.iter().map(|table| table.name).collect();
    assert_eq!(own, listed);
    Ok(())
}
