"""Records and models, as pydantic's users know them."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import datetime, timezone
from typing import Any

import nephos
import pytest
from checks import invalid
from nephos import CallerIdentity, CryptoKey, EventRule, Listener, LogGroup, Repository, Secret, Tag
from nephos.elbv2 import Action, Protocol

LISTENER = {"LoadBalancerArn": "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/app/web/1", "Port": 80}


def group(**fields: Any) -> LogGroup:
    return LogGroup(logGroupName="/web/api", **fields)


# Transformations.


def test_value_is_unchanged_without_an_expression() -> None:
    assert group().transform("logGroupName") == "/web/api"
    assert group().transform("logGroupName", None) == "/web/api"
    assert group(retentionInDays=30).transform("retentionInDays") == 30


def test_null_is_unchanged() -> None:
    assert group().transform("kmsKeyId", "(x)") is None


def test_unnamed_groups_return_the_first_group() -> None:
    assert group().transform("logGroupName", r"/(\w+)/(\w+)") == "web"


def test_named_groups_return_a_mapping() -> None:
    assert group().transform("logGroupName", r"/(?P<team>\w+)/(?P<part>\w+)(?P<no>x)?") == {"team": "web", "part": "api", "no": None}


def test_look_around_and_back_references_work_as_in_python() -> None:
    assert group().transform("logGroupName", r"(?<=/web/)(\w+)") == "api"


def test_no_match_is_a_runtime_error() -> None:
    with pytest.raises(RuntimeError) as caught:
        group().transform("logGroupName", "(nothing)")
    assert isinstance(caught.value, nephos.errors.NoMatch) and not isinstance(caught.value, ValueError)


def test_unknown_attribute_is_a_value_error() -> None:
    error = invalid("logGroupNam", lambda: group().transform("logGroupNam", "(x)"))
    assert error.hint == "logGroupName"


def test_expression_without_groups_is_a_value_error() -> None:
    invalid("transformer", lambda: group().transform("logGroupName", "web"))


def test_only_text_can_be_transformed() -> None:
    invalid("retentionInDays", lambda: group(retentionInDays=30).transform("retentionInDays", "(3)"))


def test_identities_and_extra_fields_can_be_transformed() -> None:
    assert group().transform("name", "(api)") == "api"
    identity = CallerIdentity.model_construct(Account="123456789012", more="left-right")
    assert identity.transform("more", "-(.*)") == "right"


# Construction from texts and from trusted values.


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("retentionInDays", "30", 30),
        ("deletionProtectionEnabled", "true", True),
        ("deletionProtectionEnabled", "off", False),
        ("logGroupClass", "DELIVERY", "DELIVERY"),
        ("kmsKeyId", "one", "one"),
    ],
)
def test_scalars_are_parsed_from_text(field: str, text: str, value: object) -> None:
    model = LogGroup.model_validate_strings({"logGroupName": "/web", field: text})
    assert getattr(model, field) == value and type(model) is LogGroup


def test_error_of_invalid_text_names_the_field() -> None:
    invalid("retentionInDays", lambda: LogGroup.model_validate_strings({"retentionInDays": "many"}))
    invalid("retentionInDays", lambda: LogGroup.model_validate_strings({"retentionInDays": "31"}))


def test_values_other_than_text_and_mappings_are_rejected() -> None:
    invalid("retentionInDays", lambda: LogGroup.model_validate_strings({"retentionInDays": 30}))


def test_strict_rejects_spaces_around_scalars() -> None:
    assert LogGroup.model_validate_strings({"retentionInDays": " 30 "}).retentionInDays == 30
    invalid("retentionInDays", lambda: LogGroup.model_validate_strings({"retentionInDays": " 30 "}, strict=True))


def test_by_alias_and_by_name_select_accepted_names() -> None:
    arn = "arn:aws:logs:us-east-1:123456789012:log-group:/web:*"
    assert LogGroup.model_validate_strings({"arn": arn}, by_name=False).Arn == arn
    assert LogGroup.model_validate_strings({"Arn": arn}, by_alias=False).Arn == arn
    invalid("arn", lambda: LogGroup.model_validate_strings({"arn": arn}, by_alias=False))
    with pytest.raises(ValueError):
        LogGroup.model_validate_strings({}, by_alias=False, by_name=False)


def test_context_is_ignored() -> None:
    assert LogGroup.model_validate_strings({"logGroupName": "a"}, context={"any": 1}).logGroupName == "a"


def test_trusted_data_is_not_checked() -> None:
    model = LogGroup.model_construct(logGroupName="a b", retentionInDays=31)
    assert (model.logGroupName, model.retentionInDays) == ("a b", 31)


def test_trusted_data_may_lack_required_fields() -> None:
    assert Secret.model_construct().Name is None
    invalid("Name", Secret)


def test_trusted_data_of_the_wrong_type_is_left_out() -> None:
    assert LogGroup.model_construct(retentionInDays="many", nothing=1).retentionInDays is None


def test_trusted_extra_fields_are_kept_if_the_kind_keeps_them() -> None:
    assert CallerIdentity.model_construct(Account="1", more=[1]).model_extra == {"more": [1]}
    assert not LogGroup.model_construct(more=1).model_extra


def test_fields_set_can_be_overridden() -> None:
    assert LogGroup.model_construct({"kmsKeyId"}, logGroupName="a").model_fields_set == {"kmsKeyId"}
    assert LogGroup.model_construct(logGroupName="a").model_fields_set == {"logGroupName"}


# Assignment.


def test_getters_return_what_the_builder_was_given() -> None:
    model = Listener(**LISTENER, DefaultActions=[Action(Type="fixed-response", FixedResponseConfig={"StatusCode": "404"})])
    assert model.Port == 80 and model.Protocol is Protocol.HTTPS
    assert model.DefaultActions[0].FixedResponseConfig.StatusCode == "404"
    assert type(model.DefaultActions[0]) is Action
    assert LogGroup.logGroupName.name == "logGroupName" and LogGroup.retentionInDays.type_name == "int"


def test_unset_fields_have_their_defaults() -> None:
    assert Listener(**LISTENER).Protocol == "HTTPS"
    assert Repository(repositoryName="web", imageTagMutability="MUTABLE", imageScanningConfiguration={}).Tags is None
    assert Listener(**LISTENER).model_fields_set >= {"LoadBalancerArn", "Port"}


def test_default_lists_and_mappings_are_not_shared() -> None:
    one, two = group(Tags=[{"Key": "a", "Value": "b"}]), group()
    one.Tags.append(Tag(Key="c", Value="d"))
    assert len(one.Tags) == 2 and two.Tags is None


def test_builder_reports_the_first_broken_rule() -> None:
    invalid("logGroupName", lambda: LogGroup(logGroupName="", retentionInDays=31))
    invalid("Port", lambda: Listener(**{**LISTENER, "Port": 70000}))
    invalid("LoadBalancerArn", lambda: Listener(Port=80))
    error = invalid("retentionInDay", lambda: LogGroup(retentionInDay=30))
    assert error.hint == "retentionInDays"


def test_rejected_value_keeps_the_old_value() -> None:
    model = group(retentionInDays=30)
    before = model.model_copy()
    for wrong in (31, "30", 30.5, [], {}, b"30", object):
        with pytest.raises((ValueError, TypeError)):
            model.retentionInDays = wrong  # type: ignore[assignment]
    assert model == before


def test_rules_of_nested_records_are_checked() -> None:
    model = Listener(**LISTENER)
    invalid("DefaultActions[0].Type", lambda: setattr(model, "DefaultActions", [{"Type": "forwards"}]))
    invalid("Tags[1].Key", lambda: setattr(group(), "Tags", [{"Key": "a"}, {"Key": 1}]))
    invalid("Tags[a]", lambda: setattr(group(), "Tags", [{"Key": "a"}, {"Key": "a"}]))


def test_setters_check_the_same_rules() -> None:
    model = group()
    invalid("logGroupName", lambda: setattr(model, "logGroupName", "a b"))
    model.logGroupName = "other"
    assert model.name == "other"
    with pytest.raises(AttributeError):
        model.logGroupNam = "x"  # type: ignore[attr-defined]


def test_nan_and_infinity_are_rejected() -> None:
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ValueError):
            nephos.DocDBCluster(DBClusterIdentifier="a", ServerlessV2ScalingConfiguration={"MinCapacity": wrong})


def test_read_only_kind_rejects_every_assignment() -> None:
    identity = CallerIdentity.model_construct(Account="123456789012")
    with pytest.raises(RuntimeError) as caught:
        identity.Account = "1"
    assert isinstance(caught.value, nephos.errors.FrozenModel)
    identity.set_session(None)


def test_derived_fields_are_updated_on_assignment(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create()
    assert key.Enabled is True
    key.disable()
    assert CryptoKey.objects.get(key.KeyId).Enabled is False


def test_secret_value_can_be_read_and_assigned_to_another_model(world: nephos.Cloud) -> None:
    nephos.User.objects.create(UserName="ann")
    key = nephos.AccessKey.objects.create(UserName="ann")
    assert isinstance(key.SecretAccessKey, nephos.SecretStr)
    secret = key.SecretAccessKey.get_secret_value()
    assert len(secret) == 40
    for shown in (repr(key), str(key), key.model_dump_json(), repr(key.model_dump()), repr(key.SecretAccessKey), str(key.SecretAccessKey)):
        assert secret not in shown
    copied = nephos.AccessKey.model_construct(SecretAccessKey=key.SecretAccessKey)
    assert copied.SecretAccessKey == key.SecretAccessKey
    assert pickle.loads(pickle.dumps(key)).SecretAccessKey.get_secret_value() == secret


def test_fields_are_cleared_without_naming_their_type() -> None:
    model = group(retentionInDays=30)
    model.retentionInDays = None
    assert model.retentionInDays is None
    model.kmsKeyId = "one"
    del model.kmsKeyId
    assert model.kmsKeyId is None


# Identities and equality.


def test_unknown_identity_is_null() -> None:
    assert group().Arn is None and group().pk is None and group().name == "/web/api"


def test_kind_without_an_identity_is_a_value_error() -> None:
    error = invalid("name", lambda: Listener(**LISTENER).name)
    assert "no name" in str(error)


def test_pk_of_several_fields_keeps_their_order() -> None:
    rule = EventRule(Name="one", EventBusName="default", ScheduleExpression="rate(1 day)")
    assert list(rule.pk.items()) == [("EventBusName", "default"), ("Name", "one")]


def test_set_and_changed_fields_are_tracked(world: nephos.Cloud) -> None:
    model = group(retentionInDays=30)
    LogGroup.objects.create(model)
    found = LogGroup.objects.get("/web/api")
    assert found.model_changed == []
    found.retentionInDays = 30
    assert found.model_changed == []
    found.retentionInDays = 60
    assert found.model_changed == ["retentionInDays"]


def test_equality_of_models_ignores_session_and_changes(world: nephos.Cloud) -> None:
    one, two = group(), group()
    two.set_session(world.session())
    assert one == two and not one != two and one != group(retentionInDays=1) and one != "x"
    with pytest.raises(TypeError):
        hash(one)


def test_clone_is_independent_of_the_original(world: nephos.Cloud) -> None:
    model = group(Tags=[Tag(Key="a", Value="b")])
    model.set_session(world.session())
    for clone in (copy.copy(model), copy.deepcopy(model), model.model_copy(), pickle.loads(pickle.dumps(model))):
        assert clone == model and clone is not model
        clone.Tags[0].Value = "c"
        assert model.Tags[0].Value == "b" and clone != model
    assert model.model_copy(update={"retentionInDays": 3}).retentionInDays == 3
    assert copy.copy(model).session is not None


def test_session_is_never_serialized_or_printed(world: nephos.Cloud) -> None:
    model = group()
    model.set_session(world.session())
    assert model.session.account == "123456789012"
    assert "session" not in repr(model).lower() and "session" not in model.model_dump() and "session" not in model.model_dump_json()
    assert pickle.loads(pickle.dumps(model)).session is None


# Serialization.


def test_invalid_json_is_rejected_with_line_and_column() -> None:
    text = '{"retentionInDays": 30, "logGroupName": "/web"}'
    assert LogGroup.model_validate_json(text) == LogGroup.model_validate(json.loads(text))
    invalid("retentionInDays", lambda: LogGroup.model_validate_json('{"retentionInDays": 31}'))
    with pytest.raises(ValueError, match="line 1"):
        LogGroup.model_validate_json('{"retentionInDays": }')


def test_json_of_nested_records_and_enums_has_the_spelling_of_the_specification(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create(Description="one")
    dumped = key.model_dump(exclude_none=True)
    assert isinstance(dumped["CreationDate"], datetime) and dumped["CreationDate"].tzinfo is timezone.utc
    assert CryptoKey.model_validate(dumped) == key
    assert CryptoKey.model_validate_json(key.model_dump_json(exclude_none=True)) == key
    assert json.loads(key.model_dump_json())["DeletionDate"] is None
    assert set(key.model_dump(include={"KeyId", "Arn"})) == {"KeyId", "Arn"}
    assert "KeyId" not in key.model_dump(exclude={"KeyId"})
    assert key.model_dump(mode="json", exclude_none=True)["CreationDate"] == "2026-01-31T12:00:00Z"


def test_kind_shapes_have_identities_and_relations() -> None:
    schema = LogGroup.model_json_schema()
    retention = schema["properties"]["retentionInDays"]["anyOf"][0]
    assert retention["type"] == "integer" and 30 in retention["enum"] and 31 not in retention["enum"]
    assert schema["properties"]["logGroupName"]["anyOf"][0]["maxLength"] == 512
    assert schema["$defs"]["Tag"]["properties"]["Key"]["anyOf"][0] == {"type": "string"}
    assert schema["properties"]["Arn"]["readOnly"] is True
