"""Names, signatures and texts: what a person sees who tries the package in a terminal."""

from __future__ import annotations

import inspect
import pydoc
import warnings
from collections.abc import Iterator

import nephos
import pytest
from nephos import LogGroup


@pytest.fixture
def cloud() -> Iterator[nephos.Cloud]:
    with nephos.Cloud(clock="2026-01-31T12:00:00Z", seed=7) as cloud:
        yield cloud


def test_calls_have_signatures_and_help() -> None:
    create = inspect.signature(LogGroup.objects.create)
    assert list(create.parameters)[0] == "model"
    assert create.parameters["tags"].kind is inspect.Parameter.KEYWORD_ONLY
    assert create.parameters["retentionInDays"].default is None
    get = inspect.signature(LogGroup.objects.get)
    assert str(get).startswith("(logGroupIdentifier: str, *, ") and str(get).endswith("-> LogGroup | None")
    assert str(inspect.signature(LogGroup.objects.aget)) == str(get)
    assert "retentionInDays: int | None = None" in str(create) and "tags: dict[str, str] | None = None" in str(create)
    assert str(inspect.signature(nephos.DBInstance.objects.create)).count("tags: list[Tag] | None") == 1
    shown = pydoc.plain(pydoc.render_doc(nephos.LogGroup.objects.create))
    assert "retentionInDays" in shown and "Creates a log group" in shown
    for kind in nephos._modules.kinds():
        manager = getattr(nephos, kind).objects
        for call in getattr(nephos, kind).__shape__.kind.calls:
            assert inspect.signature(getattr(manager, nephos._classes.method_name(call.name))), (kind, call)


def test_names_that_do_not_exist_have_a_nearest_one() -> None:
    with pytest.raises(AttributeError, match="did you mean LogGroup?"):
        nephos.LogGrop
    with pytest.raises(AttributeError, match="did you mean LogGroupClass?"):
        nephos.logs.LogGroupClas
    assert not hasattr(nephos, "__wrapped__")


def test_identity_is_taken_under_the_name_of_its_field(cloud: nephos.Cloud) -> None:
    LogGroup.objects.create(logGroupName="/web")
    assert LogGroup.objects.get(logGroupName="/web").name == "/web"
    with pytest.raises(TypeError, match="multiple values for argument 'logGroupIdentifier'"):
        LogGroup.objects.get("/web", logGroupName="/api")
    with pytest.raises(TypeError, match="multiple values for argument 'Tags'"):
        nephos.CryptoKey.objects.create(tags={"a": "1"}, Tags={"b": "1"})
    with pytest.raises(ValueError, match="there is no such parameter"):
        LogGroup.objects.get("/web", logGroupNam="/web")


def test_reprs_show_a_few_names(cloud: nephos.Cloud) -> None:
    assert repr(LogGroup.objects.list()) == "<ResultSet of LogGroup>"
    for name in "abcde":
        LogGroup.objects.create(logGroupName=name)
    assert repr(LogGroup.objects.list()) == "<ResultSet of LogGroup: a, b, c, …>"
    assert repr(LogGroup.objects.list()[3:]) == "<ResultSet of LogGroup: d, e>"
    assert repr(cloud) == "<Cloud 2026-01-31T12:00:00Z frozen, permissions off>"


def test_orders_and_filters_by_names_that_a_kind_has_not(cloud: nephos.Cloud) -> None:
    LogGroup.objects.create(logGroupName="/web", retentionInDays=30)
    with pytest.raises(ValueError, match="creation: LogGroup has no such field; did you mean creationTime?"):
        LogGroup.objects.order_by("-creation")
    with pytest.warns(UserWarning, match="the filter matches nothing: retention: LogGroup has no such field; did you mean retentionInDays?"):
        assert LogGroup.objects.filter(retention__gte=30).count() == 0
    with pytest.warns(UserWarning, match="ge is neither a field here nor a lookup"):
        assert LogGroup.objects.filter(retentionInDays__ge=30).count() == 0


def test_all_names_that_a_kind_has_are_accepted(cloud: nephos.Cloud) -> None:
    listed = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (getattr(nephos, name) for name in nephos._modules.kinds()):
            try:
                found = kind.objects.list()
            except (AttributeError, nephos.Error):
                continue
            listed += 1
            for field in kind.__shape__.fields:
                last = {"dict": "__any key", "any": "__any key"}.get(field.type[0], "")
                found.filter(**{f"{field.name}{last}": "x", f"{field.name}__isnull": True}).order_by(f"-{field.name}{last}")
            for name in (*kind.__shape__.kind.identities, *(relation for relation, _, _ in kind.__shape__.kind.relations)):
                found.filter(**{f"{name}__isnull": False}).order_by(name)
    assert listed > 30


def test_a_cloud_stands_for_its_session(cloud: nephos.Cloud) -> None:
    other = nephos.Cloud()
    LogGroup.objects(other).create(logGroupName="/web")
    LogGroup.objects.using(other).create(logGroupName="/api")
    group = LogGroup(logGroupName="/set")
    group.set_session(other)
    group.save()
    before = nephos.set_default_session(other)
    try:
        assert nephos.current_session() is not None
        assert LogGroup.objects.count() == 0, "the cloud that was entered counts first"
    finally:
        nephos.set_default_session(before)
    assert {found.name for found in LogGroup.objects.using(other).list()} == {"/web", "/api", "/set"}
