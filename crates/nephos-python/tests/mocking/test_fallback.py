"""Requests for services that are not here: to moto, or refused by name."""

import importlib.util
import json

import boto3
import moto
import pytest
from botocore.exceptions import ClientError

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


def test_error_of_a_missing_operation_says_how_moto_gets_the_service():
    with mock_aws(region="us-east-1"):
        for service, call in (("ecs", lambda ecs: ecs.list_tasks()), ("ec2", lambda ec2: ec2.create_key_pair(KeyName="a"))):
            with pytest.raises(ClientError, match=rf"mock_aws\(moto=\['{service}'\]\) gives the service to moto"):
                call(boto3.client(service))
    with mock_aws(moto=["ecs"], region="us-east-1"):
        boto3.client("ecs").create_cluster(clusterName="default")
        assert boto3.client("ecs").list_tasks()["taskArns"] == []
    with mock_aws(moto=False, region="us-east-1"):
        with pytest.raises(ClientError) as refused:
            boto3.client("ecs").list_tasks()
        assert "moto" not in str(refused.value)


def put_rule(target, **options):
    events = boto3.client("events")
    events.put_rule(Name="orders", EventPattern='{"source": ["shop"]}')
    events.put_targets(Rule="orders", Targets=[{"Id": "1", "Arn": target, **options}])
    return events


def put_event(events, number=1):
    events.put_events(Entries=[{"Source": "shop", "DetailType": "order", "Detail": json.dumps({"n": number})}])


def receive(sqs, url):
    found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    return [json.loads(message["Body"]) for message in found]


def test_events_reach_queues_of_moto():
    with mock_aws(region="us-east-1") as cloud:
        sqs = boto3.client("sqs")
        url = sqs.create_queue(QueueName="orders")["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        events = put_rule(arn)
        for number in range(3):
            put_event(events, number)
        found = receive(sqs, url)
        assert [event["detail"]["n"] for event in found] == [0, 1, 2]
        assert found[0]["source"] == "shop"
        assert receive(sqs, url) == [], "each event arrives once"
        put_event(events, 3)
        with mock_aws():
            assert [event["detail"]["n"] for event in receive(sqs, url)] == [3]
        assert len(cloud.controls.event_deliveries().Deliveries) == 4, "they stay in the outbox"


def test_events_reach_fifo_queues_of_moto():
    with mock_aws(region="eu-west-1", account="210987654321"):
        sqs = boto3.client("sqs")
        url = sqs.create_queue(QueueName="orders.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
        put_event(put_rule("arn:aws:sqs:eu-west-1:210987654321:orders.fifo", SqsParameters={"MessageGroupId": "shop"}))
        found = sqs.receive_message(QueueUrl=url, AttributeNames=["All"])["Messages"]
        assert found[0]["Attributes"]["MessageGroupId"] == "shop"


def test_events_reach_topics_of_moto_and_their_subscribers():
    with mock_aws(region="us-east-1"):
        sqs, sns = boto3.client("sqs"), boto3.client("sns")
        url = sqs.create_queue(QueueName="orders")["QueueUrl"]
        topic = sns.create_topic(Name="orders")["TopicArn"]
        options = {"Attributes": {"RawMessageDelivery": "true"}}
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint="arn:aws:sqs:us-east-1:123456789012:orders", **options)
        put_event(put_rule(topic))
        assert [event["detail"]["n"] for event in receive(sqs, url)] == [1]


def test_event_for_a_queue_that_moto_has_not_is_reported():
    with mock_aws(region="us-east-1"):
        put_event(put_rule("arn:aws:sqs:us-east-1:123456789012:gone"))
        with pytest.warns(UserWarning, match="rule orders did not reach arn:aws:sqs:us-east-1:123456789012:gone in moto"):
            assert "QueueUrls" not in boto3.client("sqs").list_queues()


def test_schedules_reach_queues_of_moto():
    with mock_aws(region="us-east-1", clock="2030-01-31T12:00:00Z") as cloud:
        url = boto3.client("sqs").create_queue(QueueName="ticks")["QueueUrl"]
        events = boto3.client("events")
        events.put_rule(Name="ticks", ScheduleExpression="rate(5 minutes)")
        events.put_targets(Rule="ticks", Targets=[{"Id": "1", "Arn": "arn:aws:sqs:us-east-1:123456789012:ticks"}])
        cloud.clock.advance("16m")
        assert len(receive(boto3.client("sqs"), url)) == 3
