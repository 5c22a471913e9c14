import boto3
import pytest
from nephos import mock_aws


@mock_aws
def test_a_group_is_created():
    logs = boto3.client("logs", region_name="us-east-1")
    logs.create_log_group(logGroupName="/web/api")
    assert len(logs.describe_log_groups()["logGroups"]) == 1


@pytest.fixture
def secrets():
    with mock_aws():
        yield boto3.client("secretsmanager", region_name="us-east-1")


def test_a_secret_is_read(secrets):
    secrets.create_secret(Name="db", SecretString="hunter2")
    assert secrets.get_secret_value(SecretId="db")["SecretString"] == "hunter2"
