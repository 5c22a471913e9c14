"""Lazy result sets, saves and calls from coroutines."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import nephos
import pytest
from checks import invalid, refused
from nephos import LogGroup


@pytest.fixture
def groups(world: nephos.Cloud) -> list[str]:
    names = [f"g{n:03}" for n in range(120)]
    for n, name in enumerate(names):
        LogGroup.objects.create(logGroupName=name, retentionInDays=[1, 7, 30][n % 3], tags={"n": str(n)})
    return names


def test_result_set_makes_no_request_before_the_first_model(world: nephos.Cloud) -> None:
    results = LogGroup.objects.list()
    filtered = results.filter(logGroupName__startswith="a").order_by("-logGroupName")[0:5]
    LogGroup.objects.create(logGroupName="a")
    assert [group.name for group in filtered] == ["a"]
    LogGroup.objects.create(logGroupName="ab")
    assert [group.name for group in filtered] == ["a"], "what was fetched is kept"
    assert repr(results) == "<ResultSet of LogGroup: a, ab>"


def test_every_way_of_reading_returns_each_model_once_in_order(groups: list[str]) -> None:
    results = LogGroup.objects.list()
    assert [group.name for group in results] == groups
    assert [group.name for group in results.all()] == groups
    assert [results[n].name for n in range(len(results))] == groups
    assert results.values_list("logGroupName", flat=True) == groups
    assert [row["logGroupName"] for row in results.values("logGroupName")] == groups
    assert [name for name, _ in results.values_list("logGroupName", "retentionInDays")] == groups
    assert [group.name for group in results[10:20] + results[0:3]] == groups[10:20] + groups[:3]
    assert [group.name for group in results[::-50]] == groups[::-50]
    assert list(results[500:]) == [] and results.first().name == "g000"


def test_at_counts_from_either_end_and_must_be_in_range(groups: list[str]) -> None:
    results = LogGroup.objects.list()
    assert results[0].name == results[-120].name == "g000" and results[119].name == results[-1].name == "g119"
    for wrong in (120, -121, 10**6):
        with pytest.raises(IndexError):
            results[wrong]
    with pytest.raises(TypeError):
        results["0"]  # type: ignore[call-overload]
    with pytest.raises(ValueError):
        results[::0]


def test_methods_do_not_change_the_set(groups: list[str]) -> None:
    results = LogGroup.objects.list()
    results.filter(retentionInDays=7), results.order_by("-logGroupName"), results[5:]
    assert [group.name for group in results] == groups


def test_filters_chain_and_an_empty_set_stays_empty(groups: list[str]) -> None:
    results = LogGroup.objects.filter(retentionInDays=7).filter(logGroupName__endswith="1")
    assert [group.name for group in results] == [name for n, name in enumerate(groups) if n % 3 == 1 and name.endswith("1")]
    empty = LogGroup.objects.filter(logGroupName="none")
    assert not empty and empty.count() == 0 and empty.first() is None and list(empty.filter(retentionInDays=7)) == []
    assert empty.values() == [] and empty.values_list("logGroupName") == []


@pytest.mark.parametrize(
    ("lookup", "value", "count"),
    [
        ("exact", "g001", 1),
        ("iexact", "G001", 1),
        ("contains", "01", 12),
        ("icontains", "G01", 10),
        ("startswith", "g00", 10),
        ("istartswith", "G00", 10),
        ("endswith", "9", 12),
        ("iendswith", "9", 12),
        ("regex", "^g0[12]", 20),
        ("iregex", "^G0[12]", 20),
        ("in", ["g001", "g002", "x"], 2),
        ("gt", "g117", 2),
        ("gte", "g117", 3),
        ("lt", "g002", 2),
        ("lte", "g002", 3),
        ("isnull", False, 120),
    ],
)
def test_each_lookup_accepts_only_matching_values(groups: list[str], lookup: str, value: object, count: int) -> None:
    assert LogGroup.objects.filter(**{f"logGroupName__{lookup}": value}).count() == count


def test_paths_lead_through_mappings_and_lists(world: nephos.Cloud) -> None:
    nephos.Secret.objects.create(nephos.Secret(Name="one", Tags=[{"Key": "team", "Value": "web"}]), SecretString="x")
    nephos.Secret.objects.create(Name="two")
    assert nephos.Secret.objects.filter(Tags__Value="web").values_list("Name", flat=True) == ["one"]
    assert nephos.Secret.objects.filter(Tags__Key__in=["team"]).count() == 1
    now = world.clock.now()
    assert nephos.Secret.objects.filter(CreatedDate__date=now.date().isoformat()).count() == 2
    assert nephos.Secret.objects.filter(CreatedDate__lte=now).count() == 2
    assert nephos.Secret.objects.filter(CreatedDate__lt=now - timedelta(seconds=1)).count() == 0
    assert nephos.Secret.objects.filter(CreatedDate__year=2026, CreatedDate__month=1, CreatedDate__hour=12).count() == 2


def test_invalid_parameters_are_reported_when_the_set_is_read(world: nephos.Cloud) -> None:
    with pytest.raises(ValueError):
        LogGroup.objects.filter(logGroupName__regex="(")
    with pytest.raises(ValueError):
        LogGroup.objects.list().values_list()
    with pytest.raises(ValueError):
        LogGroup.objects.list().values_list("a", "b", flat=True)
    invalid("logGroupNamePatern", lambda: list(LogGroup.objects.list(logGroupNamePatern="x")))


def test_await_and_wait_return_the_same(groups: list[str]) -> None:
    async def read() -> None:
        results = LogGroup.objects.list()
        assert [group.name async for group in results] == groups
        assert await results.acount() == await LogGroup.objects.acount() == 120
        assert (await results.afirst()).name == "g000" and await results.aexists() and (await results.aget(-1)).name == "g119"
        assert [group.name for group in await results.aall()] == groups
        group = await LogGroup.objects.aget("g000")
        group.retentionInDays = 30
        await group.asave()
        await group.arefresh()
        assert group.retentionInDays == 30
        await group.adelete()
        assert await LogGroup.objects.aget("g000") is None
        with pytest.raises(nephos.errors.NotFound):
            await LogGroup.objects.adelete("g000")
        found = await asyncio.gather(*(LogGroup.objects.aget(name) for name in groups[1:20]))
        assert [group.name for group in found] == groups[1:20]

    asyncio.run(read())


def test_listed_models_have_the_session_of_the_call(world: nephos.Cloud) -> None:
    session = world.session(region="eu-west-1")
    LogGroup.objects.using(session).create(logGroupName="a")
    assert LogGroup.objects(session).first().session.region == "eu-west-1"
    with session:
        assert LogGroup.objects.count() == 1 and nephos.current_session().region == "eu-west-1"
    assert LogGroup.objects.count() == 0


# Saves.


def test_save_creates_a_new_model_and_copies_service_set_fields(world: nephos.Cloud) -> None:
    group = LogGroup(logGroupName="/web", retentionInDays=7)
    assert not group.is_saved
    group.save(tags={"team": "web"})
    assert group.is_saved and group.arn.endswith(":/web:*") and group.creationTime
    assert group.tags == {"team": "web"}


def test_save_updates_a_saved_model(world: nephos.Cloud) -> None:
    LogGroup(logGroupName="/web").save()
    group = LogGroup.objects.get("/web")
    group.retentionInDays = 7
    group.tags["team"] = "web"
    preview = group.save.preview()
    assert preview.answer.retentionInDays == 7 and preview.changes[0].after["retentionInDays"] == 7
    assert LogGroup.objects.get("/web").retentionInDays is None
    group.save()
    assert LogGroup.objects.get("/web").retentionInDays == 7
    assert LogGroup.objects.get("/web").tags == {"team": "web"}


def test_save_uses_the_session_of_the_model(world: nephos.Cloud) -> None:
    other = world.session(account="210987654321")
    group = LogGroup(logGroupName="/web")
    group.set_session(other)
    group.save()
    assert LogGroup.objects.count() == 0 and LogGroup.objects.using(other).count() == 1


def test_save_rejects_unknown_and_invalid_parameters(world: nephos.Cloud) -> None:
    group = LogGroup(logGroupName="/web")
    invalid("tagz", lambda: group.save(tagz={}))
    invalid("tags", lambda: group.save(tags=[1]))
    assert not group.is_saved


def test_failed_save_leaves_the_model_unchanged(world: nephos.Cloud) -> None:
    LogGroup(logGroupName="/web").save()
    group = LogGroup.objects.get("/web")
    LogGroup.objects.delete("/web")
    group.retentionInDays = 7
    before = group.model_copy()
    refused("ResourceNotFoundException", group.save)
    assert group == before and group.model_changed == ["retentionInDays"]


def test_save_and_delete_of_unsupported_kinds_are_runtime_errors(world: nephos.Cloud) -> None:
    identity = nephos.CallerIdentity.objects.get()
    assert identity.Account == "123456789012"
    for call in (identity.save, identity.delete):
        with pytest.raises(RuntimeError):
            call()


def test_save_delete_and_wait_need_a_session() -> None:
    group = LogGroup(logGroupName="/web")
    for call in (group.save, group.delete, lambda: LogGroup.objects.get("a")):
        with pytest.raises(nephos.errors.NoSession) as caught:
            call()
        assert isinstance(caught.value, RuntimeError)


def test_delete_takes_the_key_from_the_model(world: nephos.Cloud) -> None:
    group = LogGroup(logGroupName="/web")
    group.save()
    group.delete()
    assert LogGroup.objects.count() == 0
    secret = nephos.Secret(Name="one")
    secret.save(SecretString="x")
    answer = secret.delete(RecoveryWindowInDays=7)
    assert answer.DeletionDate - world.clock.now() == timedelta(days=7)
    assert isinstance(answer.DeletionDate, datetime)
