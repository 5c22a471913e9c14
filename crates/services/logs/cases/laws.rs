//! Facts about the kinds of the service for the laws over all kinds.

use super::protection::EMAIL_POLICY;
use nephos_core::{Resource, Result, Session};
use nephos_logs::{
    DeleteAccountPolicy, DescribeAccountPolicies, Destination, LogEvent, LogGroup, LogStream, MetricFilter,
    PolicyType, PutAccountPolicy, SubscriptionFilter,
};
use nephos_testing::{
    CreatedBy, Duplicate, FilledResource, KindFacts, LawFacts, StateFileCheck, Step, World, ask,
};

const LOG_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"logGroupName": "/a", "retentionInDays": 7, "Tags": [{"Key": "team", "Value": "web"}]}"#,
        r#"{"logGroupName": "/a/b", "logGroupClass": "INFREQUENT_ACCESS"}"#,
        r#"{"logGroupName": "/b", "kmsKeyId": "$CryptoKey0.Arn"}"#,
    ],
    extras: &[
        Step::last(
            "put_data_protection_policy",
            r#"{"logGroupIdentifier": "/a", "policyDocument": "{\"Name\": \"policy\", \"Version\": \"2021-06-01\", \"Statement\": [{\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Audit\": {\"FindingsDestination\": {}}}}, {\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Deidentify\": {\"MaskConfig\": {}}}}]}"}"#,
        ),
        Step::last(
            "put_resource_policy",
            r#"{"policyName": "law", "resourceArn": "arn:aws:logs:us-east-1:123456789012:log-group:/a",
            "policyDocument": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"}"#,
        ),
        Step::last(
            "put_resource_policy",
            r#"{"policyName": "law", "resourceArn": "arn:aws:logs:us-east-1:123456789012:log-group:/b",
            "policyDocument": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"}"#,
        ),
    ],
    deletion_blockers: &[("update", r#"{"deletionProtectionEnabled": false}"#)],
    ..KindFacts::of::<LogGroup>()
};

const LOG_STREAM: KindFacts = KindFacts {
    examples: &[
        r#"{"logGroupName": "/a", "logStreamName": "/a"}"#,
        r#"{"logGroupName": "/a", "logStreamName": "/a 2"}"#,
    ],
    ..KindFacts::of::<LogStream>()
};

const LOG_EVENT: KindFacts = KindFacts {
    examples: &[
        r#"{"logGroupName": "/a", "logStreamName": "/a", "logEvents": [{"timestamp": 1769860800000, "message": "ERROR one"}]}"#,
        r#"{"logGroupName": "/a", "logStreamName": "/a 2", "logEvents": [{"timestamp": 1769860801000, "message": "two"}]}"#,
    ],
    created_by: Some(CreatedBy { kind: LogEvent::KIND, call: "put", items: Some("logEvents") }),
    duplicate: Duplicate::Allowed,
    matched_by: &["message", "logStreamName"],
    list_parameters: &[("logGroupIdentifier", "logGroupName")],
    ..KindFacts::of::<LogEvent>()
};

const METRIC_FILTER: KindFacts = KindFacts {
    examples: &[
        r#"{"logGroupName": "/a", "filterName": "/a", "filterPattern": "ERROR",
        "metricTransformations": [{"metricName": "m", "metricNamespace": "n", "metricValue": "1"}]}"#,
        r#"{"logGroupName": "/a", "filterName": "two", "filterPattern": "",
        "metricTransformations": [{"metricName": "m", "metricNamespace": "n", "metricValue": "$.a",
        "dimensions": {"d": "$.d"}, "unit": "Bytes/Second"}]}"#,
    ],
    unique: Some(("filterName", "two#")),
    changes: &[r#"{"emitSystemFieldDimensions": ["@aws.region"]}"#],
    ..KindFacts::of::<MetricFilter>()
};

const SUBSCRIPTION_FILTER: KindFacts = KindFacts {
    examples: &[
        r#"{"logGroupName": "/a", "filterName": "/a", "filterPattern": "",
        "destinationArn": "arn:aws:lambda:us-east-1:123456789012:function:out"}"#,
        r#"{"logGroupName": "/a", "filterName": "two", "filterPattern": "x",
        "destinationArn": "arn:aws:kinesis:us-east-1:123456789012:stream/out",
        "roleArn": "arn:aws:iam::123456789012:role/out", "distribution": "Random"}"#,
    ],
    unique: Some(("filterName", "two#")),
    changes: &[
        r#"{"destinationArn": "arn:aws:lambda:us-east-1:123456789012:function:other"}"#,
        r#"{"emitSystemFields": ["@source.log"]}"#,
        r#"{"roleArn": "arn:aws:iam::123456789012:role/other"}"#,
    ],
    // A log group can have five filters, and the first one has some.
    settings: &[
        r#"{"logGroupName": "/b", "emitSystemFields": ["@source.log"]}"#,
        r#"{"logGroupName": "/b", "applyOnTransformedLogs": true}"#,
        r#"{"logGroupName": "/b", "fieldSelectionCriteria": "@aws.region IN [\"us-east-1\"]"}"#,
    ],
    ..KindFacts::of::<SubscriptionFilter>()
};

const DESTINATION: KindFacts = KindFacts {
    examples: &[
        r#"{"destinationName": "/a", "targetArn": "arn:aws:kinesis:us-east-1:123456789012:stream/out",
        "roleArn": "arn:aws:iam::123456789012:role/out"}"#,
        r#"{"destinationName": "two", "targetArn": "arn:aws:firehose:us-east-1:123456789012:deliverystream/out",
        "roleArn": "arn:aws:iam::123456789012:role/out", "Tags": [{"Key": "team", "Value": "web"}],
        "accessPolicy": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"}"#,
    ],
    changes: &[
        r#"{"targetArn": "arn:aws:kinesis:us-east-1:123456789012:stream/other"}"#,
        r#"{"roleArn": "arn:aws:iam::123456789012:role/other"}"#,
        r#"{"accessPolicy": "{\"Statement\": {\"Effect\": \"Deny\", \"Principal\": \"*\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"}"#,
    ],
    ..KindFacts::of::<Destination>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[LOG_GROUP, LOG_STREAM, LOG_EVENT, METRIC_FILTER, SUBSCRIPTION_FILTER, DESTINATION],
    unchecked_references: &[(
        &[
            "LogGroup put_data_protection_policy logGroupIdentifier",
            "LogGroup delete_data_protection_policy logGroupIdentifier",
        ],
        "it names the log group itself",
    )],
    texts: &[
        "arn:aws:logs:us-east-1:123456789012:log-group:/a",
        "arn:aws:logs:us-east-1:123456789012:log-group:/b",
        "arn:aws:logs:us-east-1:123456789012:log-group:/a:*",
        "arn:aws:logs:eu-west-1:123456789012:log-group:/a",
        "arn:aws:logs:us-east-1:210987654321:log-group:/a",
        "arn:aws:lambda:us-east-1:123456789012:function:out",
        r#"{"Name": "policy", "Version": "2021-06-01", "Statement": [
        {"DataIdentifier": ["arn:aws:dataprotection::aws:data-identifier/EmailAddress"],
        "Operation": {"Audit": {"FindingsDestination": {}}}},
        {"DataIdentifier": ["arn:aws:dataprotection::aws:data-identifier/EmailAddress"],
        "Operation": {"Deidentify": {"MaskConfig": {}}}}]}"#,
    ],
    unpaged: &[("GetLogEvents", "its tokens also lead to later events, so its pages have no end")],
    page_parameters: &[
        ("DescribeLogStreams", r#"{"logGroupName": "/a"}"#),
        ("FilterLogEvents", r#"{"logGroupName": "/a"}"#),
        ("DescribeResourcePolicies", r#"{"policyScope": "RESOURCE"}"#),
    ],
    subject_parts: &[(":log-stream:", "", "a log group is checked as all its streams")],
    clean_up,
    fill_tables,
    state_files: &[StateFileCheck {
        file: "state-1",
        opened: |world| assert_events(world, 2),
        later: |world| assert_events(world, 0),
    }],
    ..LawFacts::of(&nephos_logs::SERVICE)
};

/// Deletes the account policies, which are not a kind.
fn clean_up(session: &Session) -> Result<()> {
    let found = ask(session, DescribeAccountPolicies::new(PolicyType::DataProtection))?;
    for policy in found.account_policies().unwrap_or_default() {
        let name = policy.policy_name().unwrap_or_default();
        ask(session, DeleteAccountPolicy::new(name, PolicyType::DataProtection))?;
    }
    Ok(())
}

/// Adds an account policy.
fn fill_tables(session: &Session) -> Result<Vec<FilledResource>> {
    ask(session, PutAccountPolicy::new("all", EMAIL_POLICY, PolicyType::DataProtection))?;
    Ok(Vec::new())
}

/// Asserts the number of events in a log group that keeps them for seven days.
fn assert_events(world: &World, expected: usize) -> Result<()> {
    let events = LogEvent::objects(&world.other_region()).list("/a").results().count().wait()?;
    assert_eq!(events, expected);
    Ok(())
}
