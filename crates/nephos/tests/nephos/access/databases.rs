//! Permissions that requests about databases and containers need beside their own: on roles, secrets, keys and sources.

use super::world::{ACCOUNT, World, allow, allow_if, ann, call, deny, set, text_at};
use nephos::{ErrorKind, Permissions};
use serde_json::json as object;

const ROLE: &str = "arn:aws:iam::123456789012:role/deliver";

/// Parameters of a new instance.
fn instance(id: &str) -> serde_json::Value {
    object!({"DBInstanceIdentifier": id, "DBInstanceClass": "db.t3.micro", "Engine": "postgres", "AllocatedStorage": 20,
        "MasterUsername": "boss", "BackupRetentionPeriod": 1})
}

fn with(mut input: serde_json::Value, more: &serde_json::Value) -> String {
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input.to_string()
}

/// Returns the refusal of a request of a user with these statements; none if it is not refused for want of permissions.
fn refusal(world: &World, statements: &[String], action: &str, input: &str) -> Option<String> {
    let world = world.fork();
    let who = statements.iter().fold(ann(), |who, statement| who.inline(statement.clone()));
    let session = world.session(&who);
    set(&world.cloud, Permissions::Enforce);
    match call(&session, action, input) {
        Err(error) if error.kind() == ErrorKind::Denied => Some(error.message().to_owned()),
        _ => None,
    }
}

#[test]
fn roles_that_are_handed_to_services_must_be_passed() {
    let world = World::new();
    let monitoring = object!({"MonitoringRoleArn": ROLE, "MonitoringInterval": 60});
    let password =
        object!({"MasterUserPassword": "correct-horse", "MonitoringRoleArn": ROLE, "MonitoringInterval": 60});
    let cluster = object!({"DBClusterIdentifier": "new", "Engine": "aurora-mysql", "MasterUsername": "boss"});
    let task = object!({"family": "web", "containerDefinitions": [{"name": "web", "image": "web"}]});
    let rule = object!({"ecrRepositoryPrefix": "up", "upstreamRegistryUrl": "210987654321.dkr.ecr.us-east-1.amazonaws.com"});
    for (action, input, receiver) in [
        ("rds:CreateDBInstance", with(instance("new"), &password), "monitoring.rds.amazonaws.com"),
        (
            "rds:ModifyDBInstance",
            with(object!({"DBInstanceIdentifier": "db"}), &monitoring),
            "monitoring.rds.amazonaws.com",
        ),
        ("rds:CreateDBCluster", with(cluster, &password), "monitoring.rds.amazonaws.com"),
        (
            "rds:ModifyDBCluster",
            with(object!({"DBClusterIdentifier": "db"}), &monitoring),
            "monitoring.rds.amazonaws.com",
        ),
        (
            "ecs:RegisterTaskDefinition",
            with(task.clone(), &object!({"taskRoleArn": ROLE})),
            "ecs-tasks.amazonaws.com",
        ),
        (
            "ecs:RegisterTaskDefinition",
            with(task.clone(), &object!({"taskRoleArn": "deliver"})),
            "ecs-tasks.amazonaws.com",
        ),
        (
            "ecs:RegisterTaskDefinition",
            with(task, &object!({"executionRoleArn": ROLE})),
            "ecs-tasks.amazonaws.com",
        ),
        (
            "ecr:CreatePullThroughCacheRule",
            with(rule, &object!({"customRoleArn": ROLE})),
            "ecr.amazonaws.com",
        ),
    ] {
        let service = format!("{}:*", action.split(':').next().unwrap());
        let own = allow(&service, "*");
        let refused = refusal(&world, std::slice::from_ref(&own), action, &input)
            .unwrap_or_else(|| panic!("{action} {input}"));
        let expected = format!("is not authorized to perform: iam:PassRole on resource: {ROLE} ");
        assert!(refused.contains(&expected), "{action}: {refused}");
        let passed_to =
            |receiver: &str| format!(r#""StringEquals": {{"iam:PassedToService": "{receiver}"}}"#);
        let pass = allow_if("iam:PassRole", &passed_to(receiver));
        assert_eq!(refusal(&world, &[own.clone(), pass], action, &input), None, "{action}");
        let other = allow_if("iam:PassRole", &passed_to("other.amazonaws.com"));
        assert!(refusal(&world, &[own, other], action, &input).is_some(), "{action}");
    }
}

#[test]
fn managed_passwords_need_permissions_on_secrets_and_keys() {
    let world = World::new();
    let input = with(instance("new"), &object!({"ManageMasterUserPassword": true}));
    let create = |others: &[(&str, &str)]| {
        let others = others.iter().map(|(action, resource)| allow(action, resource));
        let statements: Vec<_> = [allow("rds:*", "*")].into_iter().chain(others).collect();
        refusal(&world, &statements, "rds:CreateDBInstance", &input)
    };
    let [key, tag] = [("kms:DescribeKey", "*"), ("secretsmanager:TagResource", "*")];
    let secret = ("secretsmanager:CreateSecret", "arn:aws:secretsmanager:*:*:secret:rds!db-*");
    for (allowed, missing) in [
        (&[tag, secret][..], "kms:DescribeKey"),
        (&[key, secret], "secretsmanager:TagResource"),
        (&[key, tag], "secretsmanager:CreateSecret"),
    ] {
        let refused = create(allowed).unwrap_or_else(|| panic!("{missing}"));
        assert!(
            refused.contains(&format!("is not authorized to perform: {missing} on resource")),
            "{refused}"
        );
    }
    assert_eq!(create(&[key, tag, secret]), None);
    let own = with(
        instance("new"),
        &object!({"MasterUserPassword": "correct-horse", "ManageMasterUserPassword": false}),
    );
    assert_eq!(refusal(&world, &[allow("rds:*", "*")], "rds:CreateDBInstance", &own), None);
    let root = world.as_root(ACCOUNT, "rds:CreateDBInstance", &serde_json::from_str(&input).unwrap());
    assert_eq!(text_at(&root, &["DBInstance", "MasterUserSecret", "SecretStatus"]), "creating");
}

/// A source is asked about by whatever name it is given.
#[test]
fn sources_of_restores_are_decided_over_by_any_name() {
    let world = World::new();
    let password = object!({"MasterUserPassword": "correct-horse"});
    let input = serde_json::from_str(&with(instance("db"), &password)).unwrap();
    let created = world.as_root(ACCOUNT, "rds:CreateDBInstance", &input);
    let resource_id = text_at(&created, &["DBInstance", "DbiResourceId"]);
    let cluster = object!({"DBClusterIdentifier": "all", "Engine": "aurora-mysql", "MasterUsername": "boss",
        "MasterUserPassword": "correct-horse"});
    let created = world.as_root(ACCOUNT, "rds:CreateDBCluster", &cluster);
    let cluster_id = text_at(&created, &["DBCluster", "DbClusterResourceId"]);
    world.cloud.clock().advance(nephos::SignedDuration::from_hours(30)).unwrap();
    let backups = world.as_root(ACCOUNT, "rds:DescribeDBInstanceAutomatedBackups", &object!({}));
    let backups = text_at(&backups, &["DBInstanceAutomatedBackups", "0", "DBInstanceAutomatedBackupsArn"]);
    let of_instance = |parameter: &str, value: &str| {
        let target = object!({"TargetDBInstanceIdentifier": "copy", "UseLatestRestorableTime": true});
        ("rds:RestoreDBInstanceToPointInTime", with(target, &object!({parameter: value})))
    };
    let of_cluster = |parameter: &str, value: &str| {
        let target = object!({"DBClusterIdentifier": "copy", "UseLatestRestorableTime": true});
        ("rds:RestoreDBClusterToPointInTime", with(target, &object!({parameter: value})))
    };
    let everything = allow("rds:*", "*");
    for (source, (action, input)) in [
        ("db:db", of_instance("SourceDBInstanceIdentifier", "db")),
        ("db:db", of_instance("SourceDBInstanceIdentifier", "DB")),
        ("db:db", of_instance("SourceDbiResourceId", &resource_id)),
        ("db:db", of_instance("SourceDbiResourceId", &resource_id.to_lowercase())),
        ("db:db", of_instance("SourceDBInstanceAutomatedBackupsArn", &backups)),
        ("cluster:all", of_cluster("SourceDBClusterIdentifier", "ALL")),
        ("cluster:all", of_cluster("SourceDbClusterResourceId", &cluster_id)),
    ] {
        let denied = deny("rds:*", &format!("arn:aws:rds:us-east-1:123456789012:{source}"));
        assert!(refusal(&world, &[everything.clone(), denied], action, &input).is_some(), "{action} {input}");
        assert_eq!(
            refusal(&world, std::slice::from_ref(&everything), action, &input),
            None,
            "{action} {input}"
        );
    }
}
