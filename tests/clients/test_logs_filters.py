"""Metric filters, subscription filters and data protection through boto3."""

import json

import pytest

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
