from __future__ import annotations

import pytest
from checks import invalid, refused
from conftest import OTHER_ACCOUNT

import nephos
from nephos import LogGroup, LogStream
from nephos.logs import LogGroupClass

RETENTIONS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653]


def create(name: str, **fields: object) -> LogGroup:
    LogGroup.objects.create(LogGroup(logGroupName=name, **fields))
    found = LogGroup.objects.get(name)
    assert found is not None
    return found


def test_get_returns_a_log_group_as_created(world: nephos.Cloud) -> None:
    key = nephos.CryptoKey.objects.create()
    group = LogGroup(
        logGroupName="/web/api",
        retentionInDays=30,
        kmsKeyId=key.arn,
        logGroupClass="INFREQUENT_ACCESS",
        deletionProtectionEnabled=True,
        Tags=[{"Key": "team", "Value": "web"}],
    )
    assert LogGroup.objects.create(group) is None
    created = int(world.clock.now().timestamp() * 1000)
    world.clock.advance("1h")
    found = LogGroup.objects.get("/web/api")
    assert found.arn == found.Arn == "arn:aws:logs:us-east-1:123456789012:log-group:/web/api:*"
    assert found.logGroupArn == "arn:aws:logs:us-east-1:123456789012:log-group:/web/api"
    assert found.name == "/web/api"
    assert found.pk == found.arn
    assert found.creationTime == created
    assert found.retentionInDays == 30
    assert (found.metricFilterCount, found.storedBytes) == (0, 0)
    assert found.kmsKeyId == key.arn
    assert (found.dataProtectionStatus, found.inheritedProperties) == (None, None)
    assert found.logGroupClass is LogGroupClass.INFREQUENT_ACCESS
    assert found.deletionProtectionEnabled is True
    assert found.bearerTokenAuthenticationEnabled is False
    assert found.tags["team"] == "web"
    assert found.is_saved and found.model_changed == []


def test_log_group_has_default_values(world: nephos.Cloud) -> None:
    found = create("plain")
    assert found.retentionInDays is None
    assert found.logGroupClass == "STANDARD"
    assert found.deletionProtectionEnabled is False
    assert found.kmsKeyId is None and len(found.tags) == 0


@pytest.mark.parametrize("name", ["", "a" * 513, "a b", "a:b", "a*", "é", "a\n", "a\0b", "a,b", "a@b"])
def test_invalid_log_group_names_are_rejected(world: nephos.Cloud, name: str) -> None:
    invalid("logGroupName", lambda: LogGroup(logGroupName=name))
    unchecked = LogGroup.model_construct(logGroupName=name)
    invalid("logGroupName", lambda: LogGroup.objects.create(unchecked))
    invalid("logGroupName", lambda: LogGroup.objects.create(logGroupName=name))


@pytest.mark.parametrize("name", ["aws/", "aws/spans"])
def test_log_group_names_with_reserved_prefix_are_rejected(world: nephos.Cloud, name: str) -> None:
    group = LogGroup(logGroupName=name)
    invalid("logGroupName", lambda: LogGroup.objects.create(group))


def test_create_without_name_is_rejected(world: nephos.Cloud) -> None:
    group = LogGroup(retentionInDays=1)
    invalid("logGroupName", lambda: LogGroup.objects.create(group))


@pytest.mark.parametrize("days", RETENTIONS)
def test_retention_must_be_an_allowed_number_of_days(world: nephos.Cloud, days: int) -> None:
    assert create(f"kept-{days}", retentionInDays=days).retentionInDays == days
    group = LogGroup(logGroupName="x", retentionInDays=7)
    wrong = days + 1000
    error = invalid("retentionInDays", lambda: setattr(group, "retentionInDays", wrong))
    assert error.hint and int(error.hint) in RETENTIONS
    assert group.retentionInDays == 7


@pytest.mark.parametrize("days", [0, 2, 4, 6, 8, 15, 31, 364, 366, 3652, 3654, -1, 2**63 - 1, -(2**63), "7", 7.5, True])
def test_events_never_expire_without_retention(world: nephos.Cloud, days: object) -> None:
    group = create("kept", retentionInDays=7)
    invalid("retentionInDays", lambda: setattr(group, "retentionInDays", days))
    group.retentionInDays = None
    group.save()
    assert LogGroup.objects.get("kept").retentionInDays is None


def test_log_group_name_is_unique_per_account_and_region(world: nephos.Cloud) -> None:
    group = create("/web")
    again = LogGroup(logGroupName="/web", retentionInDays=1)
    refused("ResourceAlreadyExistsException", lambda: LogGroup.objects.create(again))
    refused("ResourceAlreadyExistsException", lambda: LogGroup.objects.create(group))
    for session in (world.session(account=OTHER_ACCOUNT), world.session(region="eu-west-1")):
        objects = LogGroup.objects.using(session)
        objects.create(again)
        assert objects.list().count() == 1
        found = objects.get("/web")
        assert session.account in found.arn and session.region in found.arn
    assert LogGroup.objects.get("/web").retentionInDays is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("Arn", "arn:aws:logs:us-east-1:123456789012:log-group:/x:*"),
        ("creationTime", 1),
        ("metricFilterCount", 1),
        ("storedBytes", 1),
        ("dataProtectionStatus", "ACTIVATED"),
        ("inheritedProperties", ["ACCOUNT_DATA_PROTECTION"]),
        ("logGroupArn", "arn:aws:logs:us-east-1:123456789012:log-group:/x"),
        ("bearerTokenAuthenticationEnabled", True),
    ],
)
def test_service_set_fields_cannot_be_assigned(world: nephos.Cloud, field: str, value: object) -> None:
    group = create("/web")
    before = group.model_copy()
    error = invalid(field, lambda: setattr(group, field, value))
    assert isinstance(error, nephos.errors.Frozen)
    for wrong in ("ESSENTIALS", "standard", ""):
        invalid("logGroupClass", lambda: setattr(group, "logGroupClass", wrong))
    assert group == before


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("/web", "/web"),
        ("arn:aws:logs:us-east-1:123456789012:log-group:/web", "/web"),
        ("arn:aws:logs:us-east-1:123456789012:log-group:/web:*", "/web"),
        ("/we", None),
        ("/web/", None),
        ("/WEB", None),
        ("a b", None),
        ("arn:aws:logs:us-east-1:210987654321:log-group:/web", None),
        ("arn:aws:logs:eu-west-1:123456789012:log-group:/web", None),
        ("arn:aws:logs:us-east-1:123456789012:log-group:/web/none", None),
    ],
)
def test_get_finds_a_log_group_by_name_and_arn(world: nephos.Cloud, identifier: str, name: str | None) -> None:
    create("/web")
    create("/web/api")
    found = LogGroup.objects.get(identifier)
    assert (found and found.name) == name
    invalid("logGroupIdentifier", lambda: LogGroup.objects.get("arn:aws:kms:us-east-1:123456789012:key/one"))


def test_get_returns_none_for_a_missing_log_group(world: nephos.Cloud) -> None:
    assert LogGroup.objects.get("/web") is None
    create("/web")
    for session in (world.session(account=OTHER_ACCOUNT), world.session(region="eu-west-1")):
        assert LogGroup.objects.using(session).get("/web") is None
        assert not LogGroup.objects.using(session).exists()


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [("", True), ("/web/Api", True), ("b/A", True), ("i", True), ("api", False), ("/web/Api/", False), ("*", False), ("x", False)],
)
def test_get_applies_the_name_pattern(world: nephos.Cloud, pattern: str, matches: bool) -> None:
    create("/web/Api")
    found = LogGroup.objects.get("/web/Api", logGroupNamePattern=pattern)
    assert (found is not None) == matches


def test_invalid_get_parameters_are_rejected(world: nephos.Cloud) -> None:
    create("/web")

    def get(**parameters: object) -> LogGroup | None:
        return LogGroup.objects.get("/web", **parameters)

    for limit in (1, 50):
        assert get(limit=limit) is not None
    for limit in (0, 51, -1):
        invalid("limit", lambda: get(limit=limit))
    assert get(includeLinkedAccounts=False) is not None
    invalid("accountIdentifiers", lambda: get(accountIdentifiers=[OTHER_ACCOUNT]))
    invalid("accountIdentifiers", lambda: get(accountIdentifiers=[OTHER_ACCOUNT], includeLinkedAccounts=False))
    invalid("accountIdentifiers", lambda: get(accountIdentifiers=[OTHER_ACCOUNT] * 21, includeLinkedAccounts=True))
    for wrong in ("12345678901", "1234567890123", "12345678901x", ""):
        invalid("accountIdentifiers[0]", lambda: get(accountIdentifiers=[wrong], includeLinkedAccounts=True))
    invalid("logGroupNamePattern", lambda: get(logGroupNamePattern="a" * 513))
    error = invalid("logGroupNamePatern", lambda: get(logGroupNamePatern="x"))
    assert error.hint == "logGroupNamePattern"
    with pytest.raises(TypeError):
        LogGroup.objects.get("/web", "more")
    with pytest.raises(TypeError):
        LogGroup.objects.get("/web", logGroupIdentifier="/web")


def test_delete_removes_all_rows_of_a_log_group(world: nephos.Cloud) -> None:
    create("/web")
    LogStream.objects.create(logGroupName="/web", logStreamName="main")
    preview = LogGroup.objects.delete.preview("/web")
    assert preview.answer is None and len(preview.changes) >= 2
    assert LogGroup.objects.get("/web") is not None
    LogGroup.objects.delete("/web")
    assert LogGroup.objects.get("/web") is None
    refused("ResourceNotFoundException", lambda: LogGroup.objects.delete("/web"))


def test_deletion_protection_covers_log_group_and_streams(world: nephos.Cloud) -> None:
    group = create("/web", deletionProtectionEnabled=True)
    with pytest.raises(nephos.errors.Protected):
        group.delete()
    group.deletionProtectionEnabled = False
    group.save()
    group.delete()
    assert LogGroup.objects.get("/web") is None


def test_list_returns_groups_in_ascii_order(world: nephos.Cloud) -> None:
    for name in ("b", "a", "B", "A", "_", "a/b"):
        create(name)
    names = ["A", "B", "_", "a", "a/b", "b"]
    assert [group.name for group in LogGroup.objects.list()] == names
    assert LogGroup.objects.list().values_list("logGroupName", flat=True) == names
    assert [group.name for group in LogGroup.objects.list().order_by("-logGroupName")] == names[::-1]
    assert LogGroup.objects.list()[1].name == "B"
    assert LogGroup.objects.list()[-1].name == "b"
    assert [group.name for group in LogGroup.objects.list()[1:4:2]] == ["B", "a"]
    assert len(LogGroup.objects.list()) == LogGroup.objects.count() == 6
    with pytest.raises(IndexError):
        LogGroup.objects.list()[6]


@pytest.mark.parametrize(
    ("criteria", "names"),
    [
        ({"logGroupName__startswith": "/web"}, ["/web/a", "/web/b"]),
        ({"logGroupName__icontains": "WEB"}, ["/web/a", "/web/b"]),
        ({"logGroupName__in": ["/api", "/web/b"]}, ["/api", "/web/b"]),
        ({"logGroupName__regex": "b$"}, ["/web/b"]),
        ({"retentionInDays__gte": 30}, ["/web/a", "/web/b"]),
        ({"retentionInDays__gt": 30}, ["/web/b"]),
        ({"retentionInDays__lt": 30}, []),
        ({"retentionInDays__isnull": True}, ["/api"]),
        ({"retentionInDays": 30, "logGroupName__endswith": "a"}, ["/web/a"]),
        ({"logGroupClass": "STANDARD"}, ["/api", "/web/a", "/web/b"]),
        ({"logGroupClass": LogGroupClass.DELIVERY}, []),
        ({"nothing__exact": 1}, []),
    ],
)
def test_filters_return_the_same_groups_in_service_and_client(
    world: nephos.Cloud, criteria: dict[str, object], names: list[str]
) -> None:
    create("/web/a", retentionInDays=30)
    create("/web/b", retentionInDays=60)
    create("/api")
    found = LogGroup.objects.filter(**criteria)
    assert [group.name for group in found] == names
    assert found.count() == len(names) and found.exists() == bool(names) == bool(found)
    assert (found.first().name if names else found.first()) == (names[0] if names else None)


def test_get_fields_requires_either_name_or_identifier(world: nephos.Cloud) -> None:
    create("/web")
    assert LogGroup.objects.get_fields(logGroupName="/web") == []
    with pytest.raises(ValueError):
        LogGroup.objects.get_fields()
    with pytest.raises(ValueError):
        LogGroup.objects.get_fields(logGroupName="/web", logGroupIdentifier="/web")


def test_deleted_log_group_is_not_found(world: nephos.Cloud) -> None:
    group = create("/web")
    group.delete()
    assert LogGroup.objects.get("/web") is None and not LogGroup.objects.exists()
    refused("ResourceNotFoundException", group.delete)
    with pytest.raises(LookupError):
        group.refresh()


def test_get_returns_a_log_stream_as_created(world: nephos.Cloud) -> None:
    create("/web")
    LogStream.objects.create(logGroupName="/web", logStreamName="main")
    stream = LogStream.objects.list(logGroupName="/web").first()
    assert stream.logStreamName == stream.name == "main"
    assert stream.arn == "arn:aws:logs:us-east-1:123456789012:log-group:/web:log-stream:main"


def test_model_read_from_json_is_saved(world: nephos.Cloud) -> None:
    create("/web", retentionInDays=7)
    text = LogGroup.objects.get("/web").model_dump_json(exclude_none=True)
    model = LogGroup.model_validate_json(text)
    model.retentionInDays = 30
    model.save()
    assert LogGroup.objects.get("/web").retentionInDays == 30


def test_pagination_returns_each_group_once_for_every_page_size(world: nephos.Cloud) -> None:
    names = [f"g{n:02}" for n in range(23)]
    for name in names:
        create(name)
    for size in (1, 2, 7, 22, 23, 50):
        assert [group.name for group in LogGroup.objects.list(limit=size)] == names


def test_invalid_list_parameters_are_rejected(world: nephos.Cloud) -> None:
    for limit in (0, 51):
        invalid("limit", lambda: LogGroup.objects.list(limit=limit).all())
