//! Facts about the kinds of the service for the laws over all kinds.

use nephos_ecs::{Cluster, Service, TaskDefinition};
use nephos_testing::{Duplicate, KindFacts, LawFacts, RemainingRows};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[
        KindFacts {
            examples: &[
                r#"{"clusterName": "shop"}"#,
                r#"{"clusterName": "test", "settings": [{"name": "containerInsights", "value": "enabled"}],
                "capacityProviders": ["FARGATE"], "serviceConnectDefaults": {"namespace": "shop"},
                "defaultCapacityProviderStrategy": [{"capacityProvider": "FARGATE", "weight": 1}],
                "configuration": {"executeCommandConfiguration": {"logging": "DEFAULT"}}, "tags": [{"Key": "team", "Value": "web"}]}"#,
            ],
            duplicate: Duplicate::Idempotent,
            listed_at_once: true,
            ..KindFacts::of::<Cluster>()
        },
        KindFacts::excluded::<Service>(
            "a service needs a cluster and a task definition, which cannot be deleted",
        ),
        KindFacts::excluded::<TaskDefinition>("a revision is deregistered, and stays"),
    ],
    unpaged: &[
        (
            "ListServices",
            "a service needs a task definition, which cannot be deleted; a case compares the pages",
        ),
        ("ListTaskDefinitionFamilies", "a family cannot be deleted; a case compares the pages"),
        ("ListTaskDefinitions", "a revision cannot be deleted; a case compares the pages"),
    ],
    remaining_rows: &[
        (RemainingRows::Table("ecs/family"), "numbers of revisions are not used again"),
        (RemainingRows::Table("ecs/task-definition"), "a revision is deregistered, and stays"),
    ],
    ..LawFacts::of(&nephos_ecs::SERVICE)
};
