"""Every error of CloudWatch Logs that a client can cause, through boto3."""

import json

import pytest
from asserting import refused
from test_logs_filters import FUNCTION, HIDES_EMAIL

ONE = [{"metricName": "N", "metricNamespace": "Web", "metricValue": "1"}]
KEY = "arn:aws:kms:us-east-1:123456789012:key/k"
ARN = "arn:aws:logs:us-east-1:123456789012:log-group:"
MISSING = {"logGroupName": "missing"}
IN_MISSING = MISSING | {"logStreamName": "s"}
EVENT = {"timestamp": 1, "message": "x"}
STREAM = "arn:aws:kinesis:us-east-1:123456789012:stream/out"
ROLE = "arn:aws:iam::123456789012:role/out"
DESTINATION = "arn:aws:logs:us-east-1:123456789012:destination:"
POLICY = {"policyName": "p", "policyType": "DATA_PROTECTION_POLICY"}
FILTER = {"filterName": "f", "filterPattern": ""}
STATEMENT = {"Effect": "Allow", "Resource": "*"}
LETS_WRITE = json.dumps(
    {"Statement": STATEMENT | {"Principal": {"Service": "es.amazonaws.com"}, "Action": "logs:PutLogEvents"}}
)
LETS_SUBSCRIBE = json.dumps({"Statement": STATEMENT | {"Principal": "*", "Action": "logs:PutSubscriptionFilter"}})

# Operation and parameters that are refused in an account with a log group `g` with a stream `s` and a resource policy `p`,
# a protected log group `kept` with a stream `s`, and a log group `seldom` of the class INFREQUENT_ACCESS.
NOT_FOUND = [
    ("delete_log_group", MISSING),
    ("put_retention_policy", MISSING | {"retentionInDays": 1}),
    ("delete_retention_policy", MISSING),
    ("put_log_group_deletion_protection", {"logGroupIdentifier": "missing", "deletionProtectionEnabled": True}),
    ("put_bearer_token_authentication", {"logGroupIdentifier": "missing", "bearerTokenAuthenticationEnabled": True}),
    ("associate_kms_key", MISSING | {"kmsKeyId": KEY}),
    ("disassociate_kms_key", MISSING),
    ("tag_resource", {"resourceArn": ARN + "missing", "tags": {"a": "b"}}),
    ("untag_resource", {"resourceArn": ARN + "missing", "tagKeys": ["a"]}),
    ("list_tags_for_resource", {"resourceArn": ARN + "missing"}),
    ("list_tags_for_resource", {"resourceArn": ARN.replace("us-east-1", "eu-west-1") + "g"}),
    ("create_log_stream", IN_MISSING),
    ("delete_log_stream", IN_MISSING),
    ("delete_log_stream", {"logGroupName": "g", "logStreamName": "missing"}),
    ("describe_log_streams", MISSING),
    ("put_log_events", IN_MISSING | {"logEvents": [EVENT]}),
    ("put_log_events", {"logGroupName": "g", "logStreamName": "missing", "logEvents": [EVENT]}),
    ("get_log_events", IN_MISSING),
    ("filter_log_events", MISSING),
    ("filter_log_events", {"logGroupName": "g", "logStreamNames": ["missing"]}),
    ("get_log_group_fields", MISSING),
    ("put_metric_filter", MISSING | FILTER | {"metricTransformations": ONE}),
    ("describe_metric_filters", MISSING),
    ("delete_metric_filter", {"logGroupName": "g", "filterName": "missing"}),
    ("put_subscription_filter", MISSING | FILTER | {"destinationArn": FUNCTION}),
    ("describe_subscription_filters", MISSING),
    ("delete_subscription_filter", {"logGroupName": "g", "filterName": "missing"}),
    ("put_data_protection_policy", {"logGroupIdentifier": "missing", "policyDocument": HIDES_EMAIL}),
    ("get_data_protection_policy", {"logGroupIdentifier": "missing"}),
    ("delete_data_protection_policy", {"logGroupIdentifier": "g"}),
    ("delete_account_policy", POLICY),
    ("tag_log_group", MISSING | {"tags": {"a": "b"}}),
    ("untag_log_group", MISSING | {"tags": ["a"]}),
    ("list_tags_log_group", MISSING),
    ("put_resource_policy", {"policyName": "p", "policyDocument": LETS_WRITE, "resourceArn": ARN + "missing"}),
    ("describe_resource_policies", {"resourceArn": ARN + "missing"}),
    ("delete_resource_policy", {"policyName": "missing"}),
    ("delete_destination", {"destinationName": "missing"}),
    ("list_tags_for_resource", {"resourceArn": DESTINATION + "missing"}),
]

INVALID = [
    ("create_log_group", {"logGroupName": "has spaces"}),
    ("create_log_group", {"logGroupName": ""}),
    ("create_log_group", {"logGroupName": "x" * 513}),
    ("create_log_group", {"logGroupName": "aws/reserved"}),
    ("create_log_group", {}),
    ("create_log_group", {"logGroupName": "n", "kmsKeyId": "not a key"}),
    ("create_log_group", {"logGroupName": "n", "logGroupClass": "LARGE"}),
    ("create_log_group", {"logGroupName": "n", "tags": {"aws:x": "reserved"}}),
    ("create_log_group", {"logGroupName": "n", "tags": {"k" * 129: "too long"}}),
    ("describe_log_groups", {"limit": 0}),
    ("describe_log_groups", {"limit": 51}),
    ("describe_log_groups", {"nextToken": "made up"}),
    ("describe_log_groups", {"logGroupNamePrefix": "a", "logGroupNamePattern": "b"}),
    ("describe_log_groups", {"accountIdentifiers": ["210987654321"]}),
    ("describe_log_groups", {"logGroupIdentifiers": ["g"], "limit": 1}),
    ("put_retention_policy", {"logGroupName": "g", "retentionInDays": 31}),
    ("associate_kms_key", {"kmsKeyId": KEY}),
    ("tag_resource", {"resourceArn": "g", "tags": {"a": "b"}}),
    ("untag_resource", {"resourceArn": ARN + "g", "tagKeys": ["aws:x"]}),
    ("create_log_stream", {"logGroupName": "g", "logStreamName": "a:b"}),
    ("describe_log_streams", {}),
    ("describe_log_streams", {"logGroupName": "g", "orderBy": "LastEventTime", "logStreamNamePrefix": "a"}),
    ("put_log_events", {"logGroupName": "g", "logStreamName": "s", "logEvents": []}),
    ("put_log_events", {"logGroupName": "g", "logStreamName": "s", "logEvents": [EVENT | {"timestamp": 2}, EVENT]}),
    ("put_log_events", {"logGroupName": "g", "logStreamName": "s", "logEvents": [{"message": "when?"}]}),
    ("get_log_events", {"logGroupName": "g", "logStreamName": "s", "startTime": 2, "endTime": 1}),
    ("filter_log_events", {"logGroupName": "g", "filterPattern": "{ $.a = "}),
    ("filter_log_events", {"logGroupName": "g", "logStreamNames": ["s"], "logStreamNamePrefix": "s"}),
    ("get_log_group_fields", {}),
    ("put_metric_filter", {"logGroupName": "g", "metricTransformations": ONE * 2} | FILTER),
    ("put_metric_filter", {"logGroupName": "g", "metricTransformations": [ONE[0] | {"metricValue": "x"}]} | FILTER),
    ("describe_metric_filters", {"metricName": "N"}),
    ("test_metric_filter", {"filterPattern": "[a, ", "logEventMessages": ["x"]}),
    ("put_subscription_filter", {"logGroupName": "g", "destinationArn": "nowhere"} | FILTER),
    ("put_data_protection_policy", {"logGroupIdentifier": "g", "policyDocument": "{}"}),
    ("put_account_policy", POLICY | {"policyDocument": "no JSON"}),
    ("put_account_policy", POLICY | {"policyDocument": HIDES_EMAIL, "dryRun": True}),
    ("put_account_policy", POLICY | {"policyDocument": HIDES_EMAIL, "selectionCriteria": "LogGroupNamePrefix"}),
    ("delete_account_policy", POLICY | {"dryRun": True}),
    ("describe_account_policies", {}),
    ("describe_account_policies", {"policyType": "DATA_PROTECTION_POLICY", "accountIdentifiers": ["210987654321"]}),
    ("filter_log_events", {"logGroupName": "g", "startFromHead": False, "startTime": 0}),
    ("list_log_groups", {"logGroupNamePattern": "a"}),
    ("list_log_groups", {"accountIdentifiers": ["210987654321"]}),
    ("tag_log_group", {"logGroupName": "g", "tags": {"aws:x": "reserved"}}),
    ("put_resource_policy", {"policyName": "p", "policyDocument": "{}"}),
    ("put_resource_policy", {"policyName": "p"}),
    ("put_destination", {"destinationName": "d", "targetArn": FUNCTION, "roleArn": ROLE}),
    ("put_destination", {"destinationName": "d", "targetArn": STREAM, "roleArn": "nobody"}),
    ("put_destination_policy", {"destinationName": "missing", "accessPolicy": LETS_SUBSCRIBE}),
    ("put_subscription_filter", {"logGroupName": "g", "destinationArn": DESTINATION + "missing"} | FILTER),
]

OTHERS = [
    ("ResourceAlreadyExistsException", "create_log_group", {"logGroupName": "g"}),
    ("ResourceAlreadyExistsException", "create_log_stream", {"logGroupName": "g", "logStreamName": "s"}),
    ("ValidationException", "delete_log_group", {"logGroupName": "kept"}),
    ("ValidationException", "delete_log_stream", {"logGroupName": "kept", "logStreamName": "s"}),
    ("ValidationException", "get_log_group_fields", {"logGroupName": "g", "logGroupIdentifier": "g"}),
    (
        "ValidationException",
        "associate_kms_key",
        {"logGroupName": "g", "resourceIdentifier": ARN + "g", "kmsKeyId": KEY},
    ),
    (
        "AccessDeniedException",
        "put_subscription_filter",
        {"logGroupName": "g", "destinationArn": FUNCTION.replace("123456789012", "210987654321")} | FILTER,
    ),
    (
        "OperationAbortedException",
        "delete_resource_policy",
        {"policyName": "p", "resourceArn": ARN + "g", "expectedRevisionId": "another"},
    ),
    ("TooManyTagsException", "create_log_group", {"logGroupName": "n", "tags": {f"k{n}": "" for n in range(51)}}),
    ("TooManyTagsException", "tag_resource", {"resourceArn": ARN + "g", "tags": {f"k{n}": "" for n in range(51)}}),
    (
        "InvalidOperationException",
        "put_metric_filter",
        {"logGroupName": "seldom", "metricTransformations": ONE} | FILTER,
    ),
    (
        "InvalidOperationException",
        "put_subscription_filter",
        {"logGroupName": "seldom", "destinationArn": FUNCTION} | FILTER,
    ),
]

REFUSALS = [
    *(("ResourceNotFoundException", *call) for call in NOT_FOUND),
    *(("InvalidParameterException", *call) for call in INVALID),
    *OTHERS,
]


@pytest.fixture
def prepared_client(client):
    """Returns a client without parameter validation, in an account with a few resources."""
    logs = client("logs", checked=False)
    logs.create_log_group(logGroupName="g")
    logs.create_log_group(logGroupName="kept", deletionProtectionEnabled=True)
    logs.create_log_group(logGroupName="seldom", logGroupClass="INFREQUENT_ACCESS")
    for group in ["g", "kept"]:
        logs.create_log_stream(logGroupName=group, logStreamName="s")
    logs.put_resource_policy(policyName="p", policyDocument=LETS_WRITE, resourceArn=ARN + "g")
    return logs


@pytest.mark.parametrize(("code", "operation", "params"), REFUSALS, ids=[f"{r[1]}-{r[0]}" for r in REFUSALS])
def test_error_code_and_unchanged_state(prepared_client, code, operation, params):
    everything = lambda: (
        prepared_client.describe_log_groups()["logGroups"],
        prepared_client.describe_log_streams(logGroupName="g")["logStreams"],
        prepared_client.list_tags_for_resource(resourceArn=ARN + "g")["tags"],
        prepared_client.describe_account_policies(policyType="DATA_PROTECTION_POLICY")["accountPolicies"],
        prepared_client.describe_resource_policies(policyScope="RESOURCE")["resourcePolicies"],
        prepared_client.describe_destinations()["destinations"],
    )
    before = everything()
    with refused(prepared_client, code):
        getattr(prepared_client, operation)(**params)
    assert everything() == before


# Error codes that no client can cause.
UNREACHABLE = {
    "ServiceUnavailableException",  # the service is always available
}


def test_every_error_code_is_tested_or_unreachable(registry):
    reached = {refusal[0] for refusal in REFUSALS} | {"LimitExceededException"}
    assert reached | UNREACHABLE == {error["code"] for error in registry["logs"]["errors"]}
    assert not reached & UNREACHABLE


def test_values_of_a_wrong_type(prepared_client):
    with refused(prepared_client, "SerializationException", modeled=False):
        prepared_client.create_log_group(logGroupName=7)
    with refused(prepared_client, "SerializationException", modeled=False):
        prepared_client.describe_log_groups(limit="many")


def test_limit_exceeded(prepared_client):
    put = lambda name: prepared_client.put_subscription_filter(
        logGroupName="g", filterName=name, filterPattern="", destinationArn=FUNCTION
    )
    for n in range(5):
        put(f"f{n}")
    with refused(prepared_client, "LimitExceededException"):
        put("more")
    put("f1")
    prepared_client.put_account_policy(**POLICY, policyDocument=HIDES_EMAIL)
    with refused(prepared_client, "LimitExceededException"):
        prepared_client.put_account_policy(**POLICY | {"policyName": "another"}, policyDocument=HIDES_EMAIL)


def test_unknown_parameter_is_ignored(server, logs, monkeypatch):
    """Ignores parameters that a later version of boto3 may send, as the provider does."""
    members = logs.meta.service_model.operation_model("CreateLogGroup").input_shape.members
    monkeypatch.setitem(members, "logGroupColour", members["kmsKeyId"])
    logs.create_log_group(logGroupName="n", logGroupColour="red")
    (group,) = logs.describe_log_groups()["logGroups"]
    assert group["logGroupName"] == "n" and "logGroupColour" not in group


PRINTED = (
    "MetricTransformation(metricName=N, metricNamespace=Web, metricValue=1, defaultValue=null, unit=null, dimensions=null)"
)

# Operation and parameters that are refused, and the text of the error.
TEXTS = [
    ("delete_log_group", MISSING, "The specified log group does not exist."),
    ("create_log_group", {"logGroupName": "g"}, "The specified log group already exists"),
    ("create_log_group", {"logGroupName": "aws/x"}, "Log groups starting with AWS/ are reserved for AWS."),
    ("describe_log_groups", {"nextToken": "made up"}, "The specified nextToken is invalid."),
    (
        "describe_log_groups",
        {"logGroupNamePrefix": "a", "logGroupNamePattern": "b"},
        "LogGroup name prefix and LogGroup name pattern are mutually exclusive parameters.",
    ),
    (
        "filter_log_events",
        {"logGroupName": "g", "logGroupIdentifier": "g"},
        "LogGroup name and LogGroup ARN are mutually exclusive parameters.",
    ),
    (
        "put_log_events",
        {"logGroupName": "g", "logStreamName": "s", "logEvents": [EVENT | {"timestamp": 2}, EVENT]},
        "Log events in a single PutLogEvents request must be in chronological order.",
    ),
    (
        "put_subscription_filter",
        {"logGroupName": "g", "destinationArn": STREAM} | FILTER,
        "destinationArn for vendor kinesis cannot be used without roleArn",
    ),
    ("delete_account_policy", POLICY, "Policy with name [p] does not exist."),
    (
        "put_metric_filter",
        {"logGroupName": "g", "filterName": "f", "filterPattern": "[a", "metricTransformations": ONE},
        "If a filter pattern starts with '[' it must end with ']'",
    ),
    (
        "put_metric_filter",
        {"logGroupName": "g", "metricTransformations": ONE * 2} | FILTER,
        f"1 validation error detected: Value '[{PRINTED}, {PRINTED}]' at 'metricTransformations' failed to satisfy constraint: "
        "Member must have length less than or equal to 1",
    ),
    (
        "put_subscription_filter",
        {"logGroupName": "g", "destinationArn": FUNCTION, "distribution": "Even"} | FILTER,
        "1 validation error detected: Value at 'distribution' failed to satisfy constraint: "
        "Member must satisfy enum value set: [Random, ByLogStream]",
    ),
    (
        "delete_log_group",
        {"logGroupName": "kept"},
        "Cannot delete log group with deletion protection enabled. Disable deletion protection first.",
    ),
]


@pytest.mark.parametrize(("operation", "params", "text"), TEXTS, ids=[f"{t[0]}-{n}" for n, t in enumerate(TEXTS)])
def test_error_has_the_text_of_the_provider(prepared_client, operation, params, text):
    with pytest.raises(prepared_client.exceptions.ClientError) as caught:
        getattr(prepared_client, operation)(**params)
    assert caught.value.response["Error"]["Message"] == text
