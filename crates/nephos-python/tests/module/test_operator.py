"""Controls, the outbox, decisions over requests, tags of all kinds and waiting: what an operator of a cloud reaches."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator

import nephos
import pytest
from nephos import EventRule, EventTarget, LogGroup, User

PATTERN = '{"source": ["shop"]}'
QUEUE = "arn:aws:sqs:us-east-1:123456789012:orders"


@pytest.fixture
def cloud() -> Iterator[nephos.Cloud]:
    with nephos.Cloud(clock="2026-01-31T12:00:00Z", seed=7) as cloud:
        yield cloud


def put_event(cloud: nephos.Cloud) -> None:
    cloud.client("events").put_events(Entries=[{"Source": "shop", "DetailType": "order", "Detail": "{}"}])


def test_every_control_of_the_control_endpoint_is_a_method(cloud: nephos.Cloud) -> None:
    status, _, body = cloud.request("POST", "http://localhost/_nephos/nonsense", {}, b"") or (0, [], b"")
    assert status == 404
    assert b"unknown control request" in body
    named = body.decode().partition("access/policy, ")[2].partition(" and DELETE")[0].split(", ")
    assert len(named) > 5
    assert [name.replace("-", "_") for name in sorted(named)] == sorted(dir(cloud.controls))
    for name in dir(cloud.controls):
        control = getattr(cloud.controls, name)
        assert control.__doc__ and control.__name__ == name
        assert inspect.signature(control).parameters
    with pytest.raises(AttributeError, match="did you mean target_health?"):
        cloud.controls.target_healt


def test_controls_set_what_no_operation_sets(cloud: nephos.Cloud) -> None:
    vpc = nephos.Vpc.objects.list()[0]
    groups = nephos.TargetGroup.objects.create(TargetGroupName="web", Name="web", Protocol="HTTP", Port=80, VpcId=vpc.VpcId, TargetType="ip")
    nephos.TargetGroup.objects.register(groups[0].arn, [{"Id": "172.31.0.9"}])
    assert cloud.controls.target_health(groups[0].arn, "172.31.0.9", "failing") is None
    assert cloud.controls.target_health(targetGroupArn=groups[0].arn, target="172.31.0.9", health="failing") is None
    with pytest.raises(ValueError, match="did you mean failing?"):
        cloud.controls.target_health(groups[0].arn, "172.31.0.9", "fails")
    with pytest.raises(ValueError, match="did you mean port?"):
        cloud.controls.target_health(groups[0].arn, "172.31.0.9", "failing", prt=80)


def test_outbox_is_listed_and_emptied(cloud: nephos.Cloud) -> None:
    EventRule(Name="orders", EventPattern=PATTERN).save()
    EventTarget.objects.put(Rule="orders", Targets=[{"Id": "1", "Arn": QUEUE}])
    put_event(cloud)
    put_event(cloud)
    deliveries = cloud.controls.event_deliveries(Rule="orders").Deliveries
    assert [(one.TargetArn, one.State) for one in deliveries] == [(QUEUE, "DELIVERED")] * 2
    cloud.controls.remove_event_deliveries(UpTo=deliveries[0].Number)
    assert len(cloud.controls.event_deliveries().Deliveries) == 1
    assert cloud.controls.remove_event_deliveries() is None
    assert cloud.controls.event_deliveries().Deliveries == []


def test_decisions_are_explained_logged_and_made_a_policy(cloud: nephos.Cloud) -> None:
    iam = cloud.client("iam")
    iam.create_user(UserName="ada")
    key = iam.create_access_key(UserName="ada")["AccessKey"]
    keys = {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}
    cloud.set_permissions("record")
    cloud.client("logs", **keys).create_log_group(logGroupName="/web")
    ada = User.objects.get("ada")
    explained = cloud.why(ada, "logs:CreateLogGroup", "arn:aws:logs:us-east-1:123456789012:log-group:/web", {"aws:SecureTransport": True})
    assert explained.Allowed is False and "identity" in explained.Reason
    assert explained.Principal == ada.Arn and explained.Context["aws:securetransport"] == "true"
    assert [(one.Action, one.Allowed, one.Refused) for one in cloud.decisions(ada)] == [("logs:CreateLogGroup", False, False)]
    assert cloud.decisions("arn:aws:iam::123456789012:user/bob") == []
    statement = cloud.smallest_policy(ada)["Statement"][0]
    assert statement["Action"] == "logs:CreateLogGroup" and "/web" in statement["Resource"]
    cloud.clear_decisions()
    assert cloud.decisions() == []
    with pytest.raises(ValueError, match="context|must be"):
        cloud.why(ada, "logs:CreateLogGroup", "*", {"aws:x": {"a": 1}})


def test_models_of_all_kinds_are_found_by_a_tag(cloud: nephos.Cloud) -> None:
    LogGroup.objects.create(logGroupName="/web", tags={"team": "web"})
    nephos.EventBus.objects.create(Name="web", Tags={"team": "web"})
    LogGroup.objects.create(logGroupName="/api", tags={"team": "api"})
    found = cloud.tagged("team", "web")
    assert [type(model) for model in found] == [nephos.EventBus, LogGroup]
    group = found[1]
    assert group.is_saved and group.model_changed == []
    group.retentionInDays = 30
    group.save()
    assert LogGroup.objects.get("/web").retentionInDays == 30
    assert cloud.session(region="eu-west-1").tagged("team", "web") == []


def test_waiting_polls_until_a_state_is_reached() -> None:
    with nephos.Cloud(transitions="realistic", clock="2026-01-31T12:00:00Z") as cloud:
        cluster = nephos.DBInstance.objects.create(
            DBInstanceIdentifier="db", DBInstanceClass="db.t3.micro", Engine="postgres", EngineVersion="16.3", MasterUsername="ada", MasterUserPassword="correct-horse", AllocatedStorage=20
        )
        assert cluster.DBInstanceStatus == "creating"
        before = cloud.clock.now()
        found = cluster.wait_until(lambda latest: latest.DBInstanceStatus == "available")
        assert found.DBInstanceStatus == "available" and cloud.clock.now() > before
        assert asyncio.run(cluster.await_until(lambda latest: latest.DBInstanceStatus == "available")).is_saved
        with pytest.raises(nephos.errors.Expired, match="2 polls"):
            cluster.wait_until(lambda latest: False, at_most=2)
        found.delete(SkipFinalSnapshot=True)
        with pytest.raises(LookupError, match="does not exist any more"):
            cluster.wait_until(lambda latest: False)
