"""Tags are taken as a mapping and as a list, under every usual name, by models and calls of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import nephos
import pytest
from nephos import _modules
from nephos._tags import Tags

SPELLINGS = ("tags", "Tags", "tag_list", "TagList")
VALUES = ({"team": "web"}, [{"Key": "team", "Value": "web"}], {}, [])


def kinds() -> Iterator[type]:
    return (getattr(nephos, kind) for kind in _modules.kinds())


def has_tags(fields: Any) -> bool:
    return any(field.is_tags for field in fields)


def refusal(run: Callable[[], Any]) -> str | None:
    """Returns the refusal of the tags, if they are refused; a call is refused for what else is missing, too."""
    try:
        run()
    except nephos.Error as error:
        field = error.field or ""
        return str(error) if field.lower().startswith("tag") else None
    return None


def test_models_of_all_kinds_take_tags_in_every_form() -> None:
    tagged = [kind for kind in kinds() if kind.__shape__.kind.tags_field]
    assert len(tagged) > 20
    for kind in tagged:
        names = {*SPELLINGS, kind.__shape__.kind.tags_field}
        for name in names:
            for value in VALUES:
                assert refusal(lambda: kind(**{name: value})) is None, (kind, name, value)
        if kind.__shape__.kind.frozen:
            continue
        for value in VALUES:
            model = kind.model_construct()
            setattr(model, kind.__shape__.kind.tags_field, value)
            assert dict(Tags(model, kind.__shape__.kind.tags_field)) == ({"team": "web"} if value else {}), (kind, value)


def test_calls_of_all_kinds_take_tags_in_every_form() -> None:
    tried = 0
    with nephos.Cloud():
        for kind in kinds():
            manager = kind.objects
            for call in kind.__shape__.kind.calls:
                is_of_model = any(param.is_model for param in call.params) and has_tags(kind.__shape__.fields)
                if call.is_listing or not (is_of_model or has_tags(call.params)):
                    continue
                run = getattr(manager, nephos._classes.method_name(call.name)).preview
                own = [param.name for param in call.params if param.is_tags and param.name != "resourceTags"]
                for name in SPELLINGS if own or is_of_model else ["resourceTags"]:
                    for value in VALUES:
                        assert refusal(lambda: run(**{name: value})) is None, (kind, call.name, name, value)
                        tried += 1
    assert tried > 500


def test_tags_arrive_whatever_their_form() -> None:
    with nephos.Cloud():
        for n, value in enumerate(VALUES[:2]):
            for name in SPELLINGS:
                key = nephos.CryptoKey.objects.create(**{name: value})
                assert dict(key.tags) == {"team": "web"}, (name, value)
                group = f"/{n}/{name}"
                nephos.LogGroup.objects.create(logGroupName=group, **{name: value})
                assert dict(nephos.LogGroup.objects.get(group).tags) == {"team": "web"}, (name, value)
                secret = nephos.Secret.objects.create(Name=group, SecretString="s", **{name: value})
                assert dict(nephos.Secret.objects.get(secret.ARN).tags) == {"team": "web"}, (name, value)
        group = nephos.LogGroup(logGroupName="/saved", TagList={"team": "web"})
        group.save(tags=[{"Key": "env", "Value": "test"}])
        assert dict(nephos.LogGroup.objects.get("/saved").tags) == {"team": "web", "env": "test"}


def test_tags_of_the_model_and_beside_it_are_merged() -> None:
    with nephos.Cloud():
        nephos.LogGroup.objects.create(logGroupName="/web", tags={"a": "1"}, Tags=[{"Key": "b", "Value": "2"}])
        assert dict(nephos.LogGroup.objects.get("/web").tags) == {"a": "1", "b": "2"}


def test_wrong_tags_are_refused() -> None:
    with nephos.Cloud():
        with pytest.raises(ValueError, match="given twice"):
            nephos.LogGroup.objects.create(logGroupName="/w", tags=[{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}])
        with pytest.raises(ValueError, match="a tag needs a key"):
            nephos.LogGroup.objects.create(logGroupName="/w", tags=[{"Value": "1"}])
        with pytest.raises(ValueError, match="expected text"):
            nephos.CryptoKey.objects.create(tags={"a": 1})
        with pytest.raises(ValueError, match="no such field"):
            nephos.LogGroup.objects.create(logGroupName="/w", taggs={"a": "1"})
        with pytest.raises(ValueError, match="tags"):
            nephos.KeyAlias(tags={"a": "1"})


def test_other_lists_and_mappings_take_one_form() -> None:
    with pytest.raises(ValueError, match="expected a list"):
        nephos.LoadBalancer(LoadBalancerName="web", SecurityGroups={"a": "b"})
