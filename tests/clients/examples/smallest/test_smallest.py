"""A test as it was written for moto, without its decorator."""

import boto3
import pytest


@pytest.mark.parametrize("run", [1, 2])
def test_a_group_is_created(cloud, run):
    logs = boto3.client("logs", region_name="us-east-1")
    logs.create_log_group(logGroupName="/web/api")
    assert len(logs.describe_log_groups()["logGroups"]) == 1
