from __future__ import annotations

import re

import nephos
import pytest
from checks import invalid, refused
from nephos import Secret, SecretVersion

NOT_FOUND = "ResourceNotFoundException"


def create(name: str, value: str = "x", **fields: object) -> Secret:
    return Secret.objects.create(Secret(Name=name, **fields), SecretString=value)


def value(name: str, **parameters: object) -> str:
    return Secret.objects.get_value(name, **parameters).SecretString.get_secret_value()


def test_created_secret_is_returned_by_get(world: nephos.Cloud) -> None:
    key = nephos.CryptoKey.objects.create()
    created = create("web/db", "hunter2", Description="the database", CryptoKeyId=key.arn, Tags=[{"Key": "team", "Value": "web"}])
    got = Secret.objects.get("web/db")
    assert created == got
    assert (got.name, got.Description, got.CryptoKeyId) == ("web/db", "the database", key.arn)
    assert got.Tags == [nephos.Tag(Key="team", Value="web")]
    assert re.fullmatch(r"arn:aws:secretsmanager:us-east-1:123456789012:secret:web/db-\w{6}", got.arn)
    assert got.CreatedDate == got.LastChangedDate == world.clock.now()
    assert list(got.SecretVersionsToStages.values()) == [["PROVIDERCURRENT"]]
    assert (got.DeletedDate, got.LastAccessedDate, got.LastRotatedDate, got.RotationEnabled) == (None, None, None, None)
    assert value("web/db") == "hunter2"
    assert got.describe().VersionIdsToStages == got.SecretVersionsToStages


def test_secret_without_value_has_no_versions(world: nephos.Cloud) -> None:
    secret = Secret.objects.create(Name="empty")
    assert secret.SecretVersionsToStages is None
    assert SecretVersion.objects.list("empty").all() == []
    refused(NOT_FOUND, lambda: Secret.objects.get_value("empty"))
    Secret.objects.set_value("empty", SecretString="first", VersionStages=["mine"])
    labels = Secret.objects.get("empty").SecretVersionsToStages
    assert [label for labels in labels.values() for label in labels] == ["PROVIDERCURRENT", "mine"]
    assert value("empty") == "first"


@pytest.mark.parametrize("name", ["a", "web/Api_1+x=y.z@home-!", "x" * 512, "name-AbCdEf"])
def test_name_characters_and_length_are_checked(world: nephos.Cloud, name: str) -> None:
    assert create(name).name == name
    assert Secret.objects.get(name).name == name
    for wrong in ("a b", "a:b", "a*", "ä", "a\n", "a,b", "a#"):
        invalid("Name", lambda: create(wrong))
    invalid("Name", lambda: Secret(Name="x" * 513))
    invalid("Name", Secret)


@pytest.mark.parametrize("name", ["a b", "a:b", "ä", "arn:x", "arn:aws:secretsmanager:us-east-1:123456789012:web"])
def test_invalid_name_is_refused_by_every_operation(world: nephos.Cloud, name: str) -> None:
    objects = Secret.objects
    for call in (objects.get, objects.get_value, objects.restore, objects.rotate, objects.cancel_rotation, objects.describe):
        invalid("SecretId", lambda: call(name))
    invalid("SecretId", lambda: objects.delete(name, ForceDeleteWithoutRecovery=True))
    invalid("SecretId", lambda: objects.set_value(name, SecretString="x"))


def test_secret_is_found_by_name_or_arn(world: nephos.Cloud) -> None:
    secret, similar = create("web"), create("web-AbCdEf", "y")
    partial = "arn:aws:secretsmanager:us-east-1:123456789012:secret:web"
    for identifier in ("web", secret.arn, partial):
        assert Secret.objects.get(identifier) == secret
    for identifier in ("web-AbCdEf", similar.arn, f"{partial}-AbCdEf"):
        assert Secret.objects.get(identifier) == similar
    for identifier in (secret.arn[:-6] + "zzzzzz", secret.arn.replace("us-east-1", "eu-west-1"), "we", "web-"):
        assert Secret.objects.get(identifier) is None


def test_missing_secret_is_not_found(world: nephos.Cloud) -> None:
    objects = Secret.objects
    assert objects.get("none") is None
    for call in (objects.describe, objects.get_value, objects.delete, objects.restore, objects.rotate, objects.cancel_rotation):
        refused(NOT_FOUND, lambda: call("none"))
    refused(NOT_FOUND, lambda: objects.set_value("none", SecretString="x"))


def test_duplicate_name_is_refused(world: nephos.Cloud) -> None:
    create("web")
    error = refused("ResourceExistsException", lambda: create("web"))
    assert isinstance(error, nephos.errors.AlreadyExists)


def test_accounts_and_regions_are_isolated(world: nephos.Cloud) -> None:
    create("web")
    for session in (world.session(account="210987654321"), world.session(region="eu-west-1")):
        assert Secret.objects.using(session).get("web") is None
        Secret.objects.using(session).create(Name="web", SecretString="other")
    assert value("web") == "x"


def test_update_changes_only_what_differs(world: nephos.Cloud) -> None:
    secret = create("web", Description="one")
    secret.Description = "two"
    assert secret.model_changed == ["Description"]
    secret.save()
    assert Secret.objects.get("web").Description == "two"
    assert value("web") == "x"


def test_update_with_value_creates_version(world: nephos.Cloud) -> None:
    create("web", "one")
    Secret.objects.set_value("web", SecretString="two")
    assert value("web") == "two"
    assert value("web", VersionStage="PROVIDERPREVIOUS") == "one"
    assert SecretVersion.objects.list("web").count() == 2


def test_save_creates_then_updates(world: nephos.Cloud) -> None:
    secret = Secret(Name="web")
    secret.save(SecretString="one")
    arn = secret.arn
    secret.Description = "two"
    secret.save()
    assert Secret.objects.get("web").arn == arn and Secret.objects.get("web").Description == "two"


def test_service_set_fields_are_read_only(world: nephos.Cloud) -> None:
    secret = create("web")
    for field in ("ARN", "CreatedDate", "DeletedDate", "RotationEnabled", "OwningService", "PrimaryRegion"):
        error = invalid(field, lambda: setattr(secret, field, None))
        assert isinstance(error, nephos.errors.FrozenField)
