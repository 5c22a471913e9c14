import boto3
import pytest


@pytest.fixture(scope="session")
def nephos_cloud(nephos_cloud):
    """Prepares, once for all tests, what each of them expects. In a project this stands in conftest.py."""
    nephos_cloud.client("logs").create_log_group(logGroupName="/shared")
    return nephos_cloud


def names(logs):
    return [group["logGroupName"] for group in logs.describe_log_groups()["logGroups"]]


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_a_fork(cloud, turn):
    logs = cloud.client("logs")
    assert names(logs) == ["/shared"]
    logs.delete_log_group(logGroupName="/shared")


def test_code_under_test_finds_it(aws):
    """`aws` sets the environment and the default session, so that `boto3.client` calls the fork."""
    assert names(boto3.client("logs")) == ["/shared"]


@pytest.mark.nephos(clock="2090-01-31T12:00:00Z")
def test_time(aws, clock):
    """The clock begins at the time of the marker, and stands still until it is moved."""
    logs = boto3.client("logs")
    logs.put_retention_policy(logGroupName="/shared", retentionInDays=30)
    logs.create_log_stream(logGroupName="/shared", logStreamName="main")
    now = int(clock.now().timestamp() * 1000)
    logs.put_log_events(logGroupName="/shared", logStreamName="main", logEvents=[{"timestamp": now, "message": "started"}])
    clock.advance(days=29)
    assert len(logs.filter_log_events(logGroupName="/shared")["events"]) == 1
    clock.advance(days=1)
    assert logs.filter_log_events(logGroupName="/shared")["events"] == []


@pytest.mark.nephos(account="210987654321", region="eu-west-1", permissions="record")
def test_markers(aws):
    assert boto3.client("sts").get_caller_identity()["Account"] == "210987654321"
    assert aws.region_name == "eu-west-1"
