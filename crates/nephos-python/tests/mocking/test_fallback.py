"""Requests for services that are not here: to moto, or refused by name."""

import importlib.util

import boto3
import moto
import pytest

from nephos import UnsupportedService, mock_aws


@pytest.fixture
def no_endpoint(monkeypatch):
    """Removes the endpoint of the environment, which moto's mock leaves to clients."""
    with monkeypatch.context() as change:
        change.delenv("AWS_ENDPOINT_URL")
        yield


def test_other_services_pass_to_moto():
    with mock_aws(region="us-east-1"):
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket="bucket")
        s3.put_object(Bucket="bucket", Key="k", Body=b"content")
        assert s3.get_object(Bucket="bucket", Key="k")["Body"].read() == b"content"
        boto3.client("logs").create_log_group(logGroupName="/a")
        with mock_aws():
            assert [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]] == ["bucket"]
    with mock_aws():
        assert s3.list_buckets()["Buckets"] == []


def test_accounts_are_apart_in_moto_too():
    with mock_aws(region="us-east-1"):
        boto3.client("sqs").create_queue(QueueName="q")
        with mock_aws(account="210987654321"):
            assert "QueueUrls" not in boto3.client("sqs").list_queues()
            url = boto3.client("sqs").create_queue(QueueName="q")["QueueUrl"]
            assert "/210987654321/" in url


def test_services_can_be_given_to_moto():
    with mock_aws(moto=["logs", "elbv2"], region="us-east-1") as cloud:
        boto3.client("logs").create_log_group(logGroupName="/a")
        assert cloud.client("logs").describe_log_groups()["logGroups"] == []
        boto3.client("iam").create_user(UserName="ada")
        assert len(cloud.client("iam").list_users()["Users"]) == 1


def test_nothing_passes_to_moto_if_it_is_not_allowed():
    with mock_aws(moto=False), pytest.raises(UnsupportedService, match=r"the service 's3' is not in this cloud .*moto=False"):
        boto3.client("s3").list_buckets()


def test_without_moto_the_error_says_what_to_install(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "moto" else find(name, *more))
    with mock_aws(), pytest.raises(UnsupportedService, match=r"'sqs' is not in this cloud .*pip install 'moto\[sqs\]'"):
        boto3.client("sqs").list_queues()


def test_services_that_moto_has_not_are_refused_too():
    with mock_aws(), pytest.raises(UnsupportedService, match="'outposts' .*neither is it in moto"):
        boto3.client("outposts").list_outposts()


def test_the_mock_of_moto_is_suspended_inside(names, no_endpoint):
    with moto.mock_aws():
        client = boto3.client("logs", region_name="us-east-1")
        client.create_log_group(logGroupName="/moto")
        with mock_aws():
            client.create_log_group(logGroupName="/nephos")
            assert names(client) == ["/nephos"]
        assert names(client) == ["/moto"]


def test_the_mock_of_moto_inside_answers_first(names, no_endpoint):
    with mock_aws():
        with moto.mock_aws():
            client = boto3.client("logs", region_name="us-east-1")
            assert names(client) == []
        client.create_log_group(logGroupName="/nephos")
        assert names(client) == ["/nephos"]


@mock_aws
class TestClass:
    """What a class has in moto, too, lasts from its setup to the end of the test, and no longer."""

    def setup_method(self):
        boto3.client("s3").create_bucket(Bucket="setup")

    @pytest.mark.parametrize("turn", [1, 2])
    def test_buckets(self, turn):
        buckets = boto3.client("s3").list_buckets()["Buckets"]
        assert [bucket["Name"] for bucket in buckets] == ["setup"]
        boto3.client("s3").create_bucket(Bucket="test")
