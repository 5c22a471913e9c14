//! Facts about the kinds of the service for the laws over all kinds.

use nephos_core::{Result, Session};
use nephos_events::{ApiDestination, Archive, Connection, EventBus, EventRule, EventTarget, Replay};
use nephos_testing::{Duplicate, KindFacts, LawFacts, RemainingRows, Step};

const EVENT_BUS: KindFacts = KindFacts {
    examples: &[
        r#"{"Name": "one", "Description": "d", "Tags": [{"Key": "team", "Value": "web"}]}"#,
        r#"{"Name": "two"}"#,
    ],
    changes: &[r#"{"DeadLetterConfig": {"Arn": "arn:aws:sqs:us-east-1:123456789012:dead"}}"#],
    idempotent_delete: true,
    ..KindFacts::of::<EventBus>()
};

const EVENT_RULE: KindFacts = KindFacts {
    examples: &[
        r#"{"Name": "one", "EventPattern": "{\"source\": [\"shop\"]}", "Tags": [{"Key": "team", "Value": "web"}]}"#,
        r#"{"Name": "two", "EventBusName": "one", "EventPattern": "{\"source\": [\"shop\"]}"}"#,
        r#"{"Name": "three", "ScheduleExpression": "rate(1 day)", "State": "DISABLED"}"#,
    ],
    duplicate: Duplicate::Idempotent,
    idempotent_delete: true,
    ..KindFacts::of::<EventRule>()
};

const EVENT_TARGET: KindFacts = KindFacts {
    examples: &[
        r#"{"Rule": "one", "Id": "one", "Arn": "arn:aws:sqs:us-east-1:123456789012:orders"}"#,
        r#"{"Rule": "one", "Id": "two", "Arn": "arn:aws:logs:us-east-1:123456789012:log-group:/a",
        "RetryPolicy": {"MaximumRetryAttempts": 2}}"#,
    ],
    duplicate: Duplicate::Idempotent,
    changes: &[
        r#"{"DeadLetterConfig": {"Arn": "arn:aws:sqs:us-east-1:123456789012:dead"}}"#,
        r#"{"InputPath": "$.detail"}"#,
        r#"{"KinesisParameters": {"PartitionKeyPath": "$.detail.id"}}"#,
        r#"{"BatchParameters": {"JobDefinition": "report", "JobName": "report"}}"#,
        r#"{"GraphQLParameters": {"GraphQLOperation": "mutation { add }"}}"#,
        r#"{"RunCommandParameters": {"RunCommandTargets": [{"Key": "tag:role", "Values": ["web"]}]}}"#,
        r#"{"SageMakerPipelineParameters": {"PipelineParameterList": [{"Name": "a", "Value": "1"}]}}"#,
    ],
    page_items: &[Step::last(
        "put",
        r#"{"Rule": "three", "Targets": [{"Id": "queue", "Arn": "arn:aws:sqs:us-east-1:123456789012:orders"}]}"#,
    )],
    calls_without_resource: &["rules"],
    ..KindFacts::of::<EventTarget>()
};

const CONNECTION: KindFacts = KindFacts {
    examples: &[
        r#"{"Name": "one", "Description": "d", "AuthorizationType": "BASIC",
        "AuthParameters": {"BasicAuthParameters": {"Username": "ann", "Password": "hunter2"}}}"#,
        r#"{"Name": "two", "AuthorizationType": "BASIC", "AuthParameters": {
        "BasicAuthParameters": {"Username": "ben", "Password": "hunter3"},
        "InvocationHttpParameters": {"HeaderParameters": [{"Key": "X-Team", "IsValueSecret": false}]}}}"#,
    ],
    changes: &[
        r#"{"KmsKeyIdentifier": "$CryptoKey.KeyId"}"#,
        r#"{"AuthorizationType": "API_KEY",
        "AuthParameters": {"ApiKeyAuthParameters": {"ApiKeyName": "X-Key", "ApiKeyValue": "hunter2"}}}"#,
    ],
    never_created: &[("InvocationConnectivityParameters", "needs a resource configuration, and none exist")],
    never_changed: &[("InvocationConnectivityParameters", "needs a resource configuration, and none exist")],
    ..KindFacts::of::<Connection>()
};

const API_DESTINATION: KindFacts = KindFacts {
    examples: &[
        r#"{"Name": "one", "Description": "d", "ConnectionArn": "$Connection0.ConnectionArn",
        "InvocationEndpoint": "https://example.com/one/*", "HttpMethod": "POST", "InvocationRateLimitPerSecond": 5}"#,
        r#"{"Name": "two", "ConnectionArn": "$Connection.ConnectionArn",
        "InvocationEndpoint": "http://localhost:9/two", "HttpMethod": "PUT"}"#,
    ],
    ..KindFacts::of::<ApiDestination>()
};

const ARCHIVE: KindFacts = KindFacts {
    examples: &[
        r#"{"ArchiveName": "one", "EventSourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/default"}"#,
        r#"{"ArchiveName": "two", "EventSourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/one",
        "Description": "d", "EventPattern": "{\"source\": [\"shop\"]}", "RetentionDays": 7}"#,
    ],
    ..KindFacts::of::<Archive>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    unchecked_references: &[(
        &["EventTarget put EventBusName", "EventTarget remove EventBusName"],
        "needs targets; the calls create and delete try the same operations",
    )],
    kinds: &[
        EVENT_BUS,
        EVENT_RULE,
        EVENT_TARGET,
        CONNECTION,
        API_DESTINATION,
        ARCHIVE,
        KindFacts::excluded::<Replay>(
            "nothing deletes it, and its end depends on the duration of transitions",
        ),
    ],
    unpaged: &[("ListReplays", "nothing deletes a replay, so that there is no example")],
    page_parameters: &[(
        "ListRuleNamesByTarget",
        r#"{"TargetArn": "arn:aws:sqs:us-east-1:123456789012:orders"}"#,
    )],
    subject_parts: &[(
        ":rule/default/",
        ":rule/",
        "the ARN of a rule of the default bus does not have its name",
    )],
    remaining_rows: &[
        (RemainingRows::Key("count", "events/delivery"), "deliveries are numbered"),
        (RemainingRows::Key("count", "events/recent-event/default"), "the default bus numbers its events"),
        (RemainingRows::Key("events/event-bus", "default"), "the default bus cannot be deleted"),
        (RemainingRows::Table("events/delivery"), "deliveries stay in the outbox"),
        (RemainingRows::Table("events/recent-event"), "the default bus keeps its newest events"),
    ],
    clean_up,
    ..LawFacts::of(&nephos_events::SERVICE)
};

/// Deletes rules and their targets, which are listed by bus and by rule.
fn clean_up(session: &Session) -> Result<()> {
    for bus in EventBus::objects(session).list().results().all().wait()? {
        for rule in bus.rules().wait()? {
            for target in rule.targets().wait()? {
                target.delete().force(true).wait()?;
            }
            rule.delete().force(true).wait()?;
        }
    }
    Ok(())
}
