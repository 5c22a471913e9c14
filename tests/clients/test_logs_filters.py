"""Metric filters, subscription filters and data protection through boto3."""

import json

import pytest
from asserting import refused

FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:f"
EMAIL = ["arn:aws:dataprotection::aws:data-identifier/EmailAddress"]
HIDES_EMAIL = json.dumps(
    {
        "Name": "policy",
        "Version": "2021-06-01",
        "Statement": [
            {"Sid": "audit", "DataIdentifier": EMAIL, "Operation": {"Audit": {"FindingsDestination": {}}}},
            {"Sid": "hide", "DataIdentifier": EMAIL, "Operation": {"Deidentify": {"MaskConfig": {}}}},
        ],
    }
)


@pytest.fixture
def group(logs):
    logs.create_log_group(logGroupName="g")
    logs.create_log_stream(logGroupName="g", logStreamName="s")


def test_metric_filter_round_trip(logs, server, group):
    transformation = {
        "metricName": "Late",
        "metricNamespace": "Web",
        "metricValue": "$.ms",
        "unit": "Milliseconds",
        "dimensions": {"Host": "$.host"},
    }
    before = server.now()
    logs.put_metric_filter(
        logGroupName="g", filterName="late", filterPattern="{ $.ms > 100 }", metricTransformations=[transformation]
    )
    [described] = logs.describe_metric_filters(logGroupName="g")["metricFilters"]
    assert before <= described.pop("creationTime") <= server.now()
    assert described == {
        "logGroupName": "g",
        "filterName": "late",
        "filterPattern": "{ $.ms > 100 }",
        "metricTransformations": [transformation],
        "applyOnTransformedLogs": False,
    }
    assert logs.describe_log_groups()["logGroups"][0]["metricFilterCount"] == 1
    # A fractional default value is kept.
    transformation = {"metricName": "N", "metricNamespace": "Web", "metricValue": "1", "defaultValue": 0.5}
    logs.put_metric_filter(
        logGroupName="g", filterName="late", filterPattern="", metricTransformations=[transformation]
    )
    [described] = logs.describe_metric_filters(metricName="N", metricNamespace="Web")["metricFilters"]
    assert described["metricTransformations"] == [transformation]
    logs.delete_metric_filter(logGroupName="g", filterName="late")
    assert logs.describe_metric_filters()["metricFilters"] == []


def test_metric_filter_pagination(logs, group):
    one = [{"metricName": "N", "metricNamespace": "Web", "metricValue": "1"}]
    made = [f"f{n}" for n in range(7)]
    for name in made:
        logs.put_metric_filter(logGroupName="g", filterName=name, filterPattern="", metricTransformations=one)
    pages = logs.get_paginator("describe_metric_filters").paginate(logGroupName="g", PaginationConfig={"PageSize": 3})
    assert list(pages.search("metricFilters[].filterName")) == made


def test_test_metric_filter(logs):
    matches = logs.test_metric_filter(
        filterPattern="[ip, user, code = 4*]", logEventMessages=["10.0.0.1 ann 404", "10.0.0.2 bob 200"]
    )["matches"]
    [match] = matches
    assert (match["eventNumber"], match["eventMessage"]) == (1, "10.0.0.1 ann 404")
    assert match["extractedValues"] == {"$ip": "10.0.0.1", "$user": "ann", "$code": "404"}


def test_subscription_filter_lifecycle(logs, group):
    stream, role = "arn:aws:kinesis:us-east-1:123456789012:stream/k", "arn:aws:iam::123456789012:role/r"
    logs.put_subscription_filter(logGroupName="g", filterName="f", filterPattern="ERROR", destinationArn=FUNCTION)
    logs.put_subscription_filter(
        logGroupName="g", filterName="k", filterPattern="", destinationArn=stream, roleArn=role, distribution="Random"
    )
    pages = logs.get_paginator("describe_subscription_filters").paginate(
        logGroupName="g", PaginationConfig={"PageSize": 1}
    )
    first, second = pages.search("subscriptionFilters[]")
    assert (first["filterName"], first["destinationArn"], first["filterPattern"]) == ("f", FUNCTION, "ERROR")
    assert (first["distribution"], "roleArn" in first) == ("ByLogStream", False)
    assert (second["filterName"], second["roleArn"], second["distribution"]) == ("k", role, "Random")
    logs.delete_subscription_filter(logGroupName="g", filterName="f")
    left = logs.describe_subscription_filters(logGroupName="g")["subscriptionFilters"]
    assert [subscription["filterName"] for subscription in left] == ["k"]


def test_data_protection_policy_masks_log_events(logs, server, group):
    status = lambda: logs.describe_log_groups()["logGroups"][0].get("dataProtectionStatus")
    assert status() is None
    described = logs.put_data_protection_policy(logGroupIdentifier="g", policyDocument=HIDES_EMAIL)
    assert (described["logGroupIdentifier"], described["policyDocument"]) == ("g", HIDES_EMAIL)
    assert status() == "ACTIVATED"
    assert logs.get_data_protection_policy(logGroupIdentifier="g")["policyDocument"] == HIDES_EMAIL
    event = {"timestamp": server.now(), "message": "from ann@example.com"}
    logs.put_log_events(logGroupName="g", logStreamName="s", logEvents=[event])
    [shown] = logs.filter_log_events(logGroupName="g")["events"]
    assert shown["message"].startswith("from ***") and "ann" not in shown["message"]
    [shown] = logs.get_log_events(logGroupName="g", logStreamName="s", unmask=True)["events"]
    assert shown["message"] == "from ann@example.com"
    logs.delete_data_protection_policy(logGroupIdentifier="g")
    assert status() == "DELETED"


def test_account_policy_is_inherited_by_log_groups(logs, group):
    policy = {"policyName": "p", "policyType": "DATA_PROTECTION_POLICY"}
    put = logs.put_account_policy(**policy, policyDocument=HIDES_EMAIL, scope="ALL")["accountPolicy"]
    assert (put["accountId"], put["scope"], put["policyDocument"]) == ("123456789012", "ALL", HIDES_EMAIL)
    [described] = logs.describe_account_policies(policyType="DATA_PROTECTION_POLICY")["accountPolicies"]
    assert described == put
    inherited = lambda: logs.describe_log_groups()["logGroups"][0].get("inheritedProperties", [])
    assert inherited() == ["ACCOUNT_DATA_PROTECTION"]
    logs.delete_account_policy(**policy)
    assert inherited() == []


def test_destination_lets_other_accounts_subscribe(logs, client, group):
    other = client("logs", account="210987654321")
    other.create_log_group(logGroupName="theirs")
    target, role = "arn:aws:kinesis:us-east-1:123456789012:stream/s", "arn:aws:iam::123456789012:role/r"
    put = logs.put_destination(destinationName="d", targetArn=target, roleArn=role, tags={"a": "b"})["destination"]
    assert put["arn"] == "arn:aws:logs:us-east-1:123456789012:destination:d"
    assert logs.describe_destinations(DestinationNamePrefix="d")["destinations"] == [put]
    assert logs.list_tags_for_resource(resourceArn=put["arn"])["tags"] == {"a": "b"}
    subscribe = lambda: other.put_subscription_filter(
        logGroupName="theirs", filterName="f", filterPattern="", destinationArn=put["arn"]
    )
    with refused(other, "AccessDeniedException", modeled="AccessDeniedException") as caught:
        subscribe()
    assert caught.value.response["Error"]["Message"] == (
        "User with accountId: 210987654321 is not authorized to perform: logs:PutSubscriptionFilter on resource: "
        + put["arn"]
    )
    statement = {"Effect": "Allow", "Principal": {"AWS": "210987654321"}, "Action": "logs:PutSubscriptionFilter"}
    policy = json.dumps({"Statement": statement | {"Resource": put["arn"]}})
    logs.put_destination_policy(destinationName="d", accessPolicy=policy)
    assert logs.describe_destinations()["destinations"][0]["accessPolicy"] == policy
    subscribe()
    logs.delete_destination(destinationName="d")
    assert logs.describe_destinations()["destinations"] == []


def test_resource_policies(logs, group):
    statement = {"Effect": "Allow", "Principal": {"Service": "es.amazonaws.com"}, "Action": "logs:PutLogEvents"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement | {"Resource": "*"}]})
    put = logs.put_resource_policy(policyName="p", policyDocument=document)["resourcePolicy"]
    assert (put["policyScope"], put["policyDocument"]) == ("ACCOUNT", document)
    assert logs.describe_resource_policies()["resourcePolicies"] == [put]
    logs.delete_resource_policy(policyName="p")
    arn = "arn:aws:logs:us-east-1:123456789012:log-group:g"
    put = logs.put_resource_policy(policyName="p", policyDocument=document, resourceArn=arn)
    [found] = logs.describe_resource_policies(resourceArn=arn)["resourcePolicies"]
    assert (found["revisionId"], found["policyScope"]) == (put["revisionId"], "RESOURCE")
    assert logs.describe_resource_policies()["resourcePolicies"] == []
