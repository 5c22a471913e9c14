"""Functions of Python that a cloud calls: rotation functions of secrets, and targets of event rules."""

from __future__ import annotations

import gc
import json
import logging
import weakref
from typing import Any

import nephos
import pytest
from nephos import EventBus, EventRule, EventTarget, LogGroup, Secret

PATTERN = '{"source": ["shop"]}'


def put_order(cloud: nephos.Cloud, **detail: Any) -> None:
    entry = {"Source": "shop", "DetailType": "Order", "Detail": json.dumps(detail)}
    answer = cloud.client("events").put_events(Entries=[entry])
    assert answer["FailedEntryCount"] == 0


def rotate(event: dict[str, Any]) -> None:
    """A rotation function as in the manuals, with the models of the current session."""
    secret, version = event["SecretId"], event["ClientRequestToken"]
    if event["Step"] == "createSecret":
        Secret.objects.set_value(secret, SecretString="new", ClientRequestToken=version, VersionStages=["PROVIDERPENDING"])
    elif event["Step"] == "finishSecret":
        [current] = [key for key, labels in Secret.objects.get(secret).SecretVersionsToStages.items() if "PROVIDERCURRENT" in labels]
        Secret.objects.update_version_stage(
            secret, VersionStage="PROVIDERCURRENT", MoveToVersionId=version, RemoveFromVersionId=current
        )


def test_secret_is_rotated_by_a_function() -> None:
    with nephos.Cloud() as cloud:
        steps = []

        @cloud.register("renew")
        def renew(event: dict[str, Any], context: Any) -> None:
            steps.append((event["Step"], context.function_name, context.session.account))
            rotate(event)

        Secret.objects.create(Name="db", SecretString="old")
        Secret.objects.rotate("db", RotationFunctionARN="renew", RotationRules={"AutomaticallyAfterDays": 30})
        assert Secret.objects.get_value("db").SecretString.get_secret_value() == "new"
        names = ["createSecret", "setSecret", "testSecret", "finishSecret"]
        assert steps == [(name, "renew", "123456789012") for name in names]


def test_exception_is_the_failure_and_the_step_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    with nephos.Cloud(time="2026-01-31T12:00:00Z") as cloud:
        attempts = []

        @cloud.register("renew")
        def renew(event: dict[str, Any]) -> None:
            attempts.append(event["Step"])
            if len(attempts) == 1:
                raise LookupError("no database")
            rotate(event)

        Secret.objects.create(Name="db", SecretString="old")
        with caplog.at_level(logging.WARNING, "nephos"):
            Secret.objects.rotate("db", RotationFunctionARN="renew", RotationRules={"AutomaticallyAfterDays": 30})
        assert attempts == ["createSecret"]
        assert "the function renew failed" in caplog.text and "no database" in caplog.text
        assert Secret.objects.get_value("db").SecretString.get_secret_value() == "old"
        cloud.clock.advance("1m")
        assert attempts[:3] == ["createSecret", "createSecret", "setSecret"]
        assert Secret.objects.get_value("db").SecretString.get_secret_value() == "new"


def test_event_rule_calls_a_function() -> None:
    with nephos.Cloud() as cloud:
        totals: list[int] = []

        def count(event: dict[str, Any]) -> None:
            totals.append(event["detail"]["total"])
            # A function can call the cloud.
            LogGroup.objects.create(logGroupName=f"/order/{len(totals)}")

        rule = EventRule(Name="orders", EventPattern=PATTERN)
        assert cloud.on(rule, count) is count
        assert rule.is_saved
        put_order(cloud, total=250)
        put_order(cloud, total=7)
        assert totals == [250, 7]
        assert [group.name for group in LogGroup.objects.list()] == ["/order/1", "/order/2"]
        [target] = EventTarget.objects.list("orders")
        assert (target.Id, target.Arn) == ("orders-count", "arn:aws:lambda:us-east-1:123456789012:function:orders-count")


def test_rule_can_be_saved_before_and_have_several_functions() -> None:
    with nephos.Cloud() as cloud:
        called: list[str] = []
        rule = EventRule.objects.create(Name="orders", EventPattern=PATTERN)
        cloud.on(rule, lambda event: called.append("one"))
        cloud.on("orders", lambda event: called.append("two"))

        @cloud.on(rule, name="third")
        async def third(event: dict[str, Any]) -> None:
            called.append("three")

        put_order(cloud)
        assert sorted(called) == ["one", "three", "two"]
        assert [target.Id for target in EventTarget.objects.list("orders")] == ["orders-lambda", "orders-lambda-2", "third"]


def test_rule_of_another_bus_and_region() -> None:
    with nephos.Cloud() as cloud, cloud.session(region="eu-west-1"):
        called: list[str] = []
        EventBus.objects.create(Name="shop")
        cloud.on(EventRule(Name="orders", EventBusName="shop", EventPattern=PATTERN), lambda event: called.append(event["region"]))
        events = cloud.client("events", region_name="eu-west-1")
        events.put_events(Entries=[{"Source": "shop", "DetailType": "x", "Detail": "{}", "EventBusName": "shop"}])
        assert called == ["eu-west-1"]


def test_failed_target_is_called_again() -> None:
    with nephos.Cloud(time="2026-01-31T12:00:00Z") as cloud:
        attempts: list[int] = []

        def fail(event: dict[str, Any]) -> None:
            attempts.append(1)
            raise ValueError("not now")

        cloud.on(EventRule(Name="orders", EventPattern=PATTERN), fail)
        put_order(cloud)
        assert len(attempts) == 1
        cloud.clock.advance("1s")
        assert len(attempts) == 2


def test_forks_have_the_functions_of_their_cloud() -> None:
    with nephos.Cloud() as cloud:
        called: list[str] = []
        cloud.on(EventRule(Name="orders", EventPattern=PATTERN), lambda event: called.append("both"))
        fork = cloud.fork()
        fork.on("orders", lambda event: called.append("fork"), name="only-fork")
        put_order(cloud)
        assert called == ["both"]
        called.clear()
        put_order(fork)
        assert sorted(called) == ["both", "fork"]


def test_wrong_functions_are_refused() -> None:
    with nephos.Cloud() as cloud:
        for wrong, expected in [
            (1, "expected a callable, found int"),
            (lambda: None, "takes an event"),
            (lambda a, b, c: None, "takes an event"),
            (lambda *, event: None, "takes an event"),
        ]:
            with pytest.raises(TypeError, match=expected):
                cloud.register("f", wrong)
        with pytest.raises(ValueError, match="empty string"):
            cloud.register("", print)
        with pytest.raises(TypeError, match="expected a nephos.EventRule"):
            cloud.on(LogGroup(logGroupName="/web"), lambda event: None)
        with pytest.raises(LookupError, match="'none' does not exist"):
            cloud.on("none", lambda event: None)
        # Nothing of that was registered.
        assert cloud._function("f") is None


def test_cloud_and_a_function_that_refers_to_it_are_freed() -> None:
    class Watched(nephos.Cloud):
        pass

    cloud = Watched()
    cloud.register("self", lambda event, cloud=cloud: cloud.now())
    fork = cloud.fork()
    watched = [weakref.ref(cloud), weakref.ref(fork)]
    del cloud, fork
    gc.collect()
    assert [one() for one in watched] == [None, None]


def test_function_of_a_cloud_that_is_gone_fails_and_says_so() -> None:
    cloud = nephos.Cloud()
    session = cloud.session()
    cloud.register("renew", lambda event: None)
    Secret.objects.using(session).create(Name="db", SecretString="old")
    del cloud
    gc.collect()
    Secret.objects.using(session).rotate("db", RotationFunctionARN="renew", RotationRules={"AutomaticallyAfterDays": 30})
    assert Secret.objects.using(session).get_value("db").SecretString.get_secret_value() == "old"
