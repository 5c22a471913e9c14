import datetime

import boto3
import pytest
from botocore.exceptions import ClientError
from nephos import mock_aws


@mock_aws(account="210987654321", region="eu-west-1")
def test_account_and_region():
    boto3.client("logs").create_log_group(logGroupName="/web")
    (group,) = boto3.client("logs").describe_log_groups()["logGroups"]
    assert group["arn"] == "arn:aws:logs:eu-west-1:210987654321:log-group:/web:*"


def test_time():
    with mock_aws(clock="2030-01-31T12:00:00Z") as cloud:
        secrets = boto3.client("secretsmanager")
        created = secrets.create_secret(Name="db", SecretString="hunter2")
        assert secrets.describe_secret(SecretId="db")["CreatedDate"].astimezone(datetime.timezone.utc).year == 2030
        secrets.delete_secret(SecretId="db", RecoveryWindowInDays=7)
        cloud.clock.advance(days=7)
        with pytest.raises(secrets.exceptions.ResourceNotFoundException):
            secrets.describe_secret(SecretId=created["ARN"])


@mock_aws(permissions="enforce")
def test_permissions():
    iam = boto3.client("iam")
    iam.create_user(UserName="ada")
    key = iam.create_access_key(UserName="ada")["AccessKey"]
    ada = boto3.client("logs", aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"])
    with pytest.raises(ClientError, match="not authorized to perform: logs:DescribeLogGroups"):
        ada.describe_log_groups()


def test_several_accounts():
    with mock_aws():
        boto3.client("logs").create_log_group(logGroupName="/web")
        other = boto3.client("logs", aws_access_key_id="210987654321", aws_secret_access_key="x")
        assert other.describe_log_groups()["logGroups"] == []


@mock_aws(moto=["ec2"])
def test_a_service_is_left_to_moto():
    """Key pairs are not here; the other services are."""
    boto3.client("ec2").create_key_pair(KeyName="ada")
    boto3.client("logs").create_log_group(logGroupName="/web")
