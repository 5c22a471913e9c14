"""Tests that use the fixtures of conftest.py: each has its own fork and its own time."""

import boto3
import pytest


def group_names(logs):
    return [group["logGroupName"] for group in logs.describe_log_groups()["logGroups"]]


@pytest.mark.parametrize("run", [1, 2])
def test_every_test_starts_from_the_prepared_cloud(cloud, run):
    logs = boto3.client("logs")
    assert group_names(logs) == ["/shared"]
    logs.create_log_group(logGroupName="/mine")
    logs.delete_log_group(logGroupName="/shared")
    assert group_names(logs) == ["/mine"]


def test_events_expire(cloud, clock):
    logs = boto3.client("logs")
    logs.put_retention_policy(logGroupName="/shared", retentionInDays=30)
    logs.create_log_stream(logGroupName="/shared", logStreamName="main")
    event = {"timestamp": int(clock.now().timestamp() * 1000), "message": "started"}
    logs.put_log_events(logGroupName="/shared", logStreamName="main", logEvents=[event])

    clock.advance(days=29)
    assert len(logs.filter_log_events(logGroupName="/shared")["events"]) == 1
    clock.advance(days=1)
    assert logs.filter_log_events(logGroupName="/shared")["events"] == []


def test_a_deleted_secret_can_be_restored_for_seven_days(cloud, clock):
    secrets = boto3.client("secretsmanager")
    secrets.create_secret(Name="db", SecretString="hunter2")
    secrets.delete_secret(SecretId="db", RecoveryWindowInDays=7)

    clock.advance(days=6)
    secrets.restore_secret(SecretId="db")
    assert secrets.get_secret_value(SecretId="db")["SecretString"] == "hunter2"

    secrets.delete_secret(SecretId="db", RecoveryWindowInDays=7)
    clock.advance(days=7)
    with pytest.raises(secrets.exceptions.ResourceNotFoundException):
        secrets.describe_secret(SecretId="db")


def test_accounts_are_apart(cloud):
    other = cloud.client("logs", account="210987654321")
    assert group_names(other) == []
    other.create_log_group(logGroupName="/shared")
    assert len(group_names(boto3.client("logs"))) == 1


def test_every_test_starts_at_the_same_time(clock):
    assert clock.now().isoformat() == "2040-01-31T12:00:00+00:00"


def test_a_refused_call_changes_nothing(cloud):
    before = cloud.control("GET", "state")
    logs = boto3.client("logs")
    with pytest.raises(logs.exceptions.InvalidParameterException):
        logs.put_retention_policy(logGroupName="/shared", retentionInDays=31)
    assert cloud.control("GET", "state") == before
