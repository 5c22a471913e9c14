"""Cases of events, schemas, databases, caches, container images, pipelines, the network and STS."""

from __future__ import annotations

import json

import nephos
import pytest
from checks import refused
from nephos import CacheUser, CallerIdentity, DBInstance, Discoverer, EventBus, EventRule, Pipeline, Repository, Schema, SecurityGroup, Vpc

OPENAPI = json.dumps({"openapi": "3.0.0", "info": {"title": "Event", "version": "1"}, "paths": {}, "components": {"schemas": {}}})


def test_created_rule_is_returned_by_get_and_list(world: nephos.Cloud) -> None:
    EventRule.objects.create(EventRule(Name="nightly", ScheduleExpression="rate(1 day)", State="DISABLED"))
    rule = EventRule.objects.get("nightly")
    assert rule.State == "DISABLED" and rule.EventBusName == "default"
    assert rule.arn == "arn:aws:events:us-east-1:123456789012:rule/nightly"
    assert [found.Name for found in EventRule.objects.list()] == ["nightly"]


def test_pattern_or_schedule_is_required(world: nephos.Cloud) -> None:
    with pytest.raises(nephos.Error):
        EventRule.objects.create(Name="none")


def test_rule_is_enabled_and_disabled(world: nephos.Cloud) -> None:
    EventRule.objects.create(Name="nightly", ScheduleExpression="rate(1 day)")
    rule = EventRule.objects.get("nightly")
    rule.disable()
    assert EventRule.objects.get("nightly").State == "DISABLED"
    rule.enable()
    assert EventRule.objects.get("nightly").State == "ENABLED"


def test_sent_events_have_an_envelope_and_ids_in_order(world: nephos.Cloud) -> None:
    EventBus.objects.create(Name="orders")
    bus = EventBus.objects.get(Name="orders")
    EventRule.objects.create(Name="all", EventBusName="orders", EventPattern=json.dumps({"source": ["shop"]}))
    assert [rule.Name for rule in bus.rules()] == ["all"]
    answer = EventBus.objects.put_events("orders", [{"Source": "shop", "DetailType": "order", "Detail": "{}", "EventBusName": "orders"}])
    assert answer.FailedEntryCount == 0 and len(answer.Entries) == 1 and answer.Entries[0].EventId


def test_created_schema_is_returned_by_get(world: nephos.Cloud) -> None:
    nephos.Registry.objects.create(RegistryName="shop")
    Schema.objects.create(RegistryName="shop", SchemaName="order", Type="OpenApi3", Content=OPENAPI, Tags={"a": "b"})
    schema = Schema.objects.get("shop", "order")
    assert list(schema.pk.items()) == [("RegistryName", "shop"), ("SchemaName", "order")]
    assert schema.SchemaVersion == "1" and schema.tags == {"a": "b"} and json.loads(schema.Content) == json.loads(OPENAPI)


def test_created_discoverer_is_returned_by_get(world: nephos.Cloud) -> None:
    source = "arn:aws:events:us-east-1:123456789012:event-bus/default"
    created = Discoverer.objects.create(SourceArn=source)
    found = Discoverer.objects.get(created.DiscovererId)
    assert found.State == "STARTED" and found.pk == created.DiscovererId and found.SourceArn == source


def test_instance_is_created_described_and_deleted(world: nephos.Cloud) -> None:
    model = DBInstance(DBInstanceIdentifier="web", DBInstanceClass="db.t3.micro", Engine="postgres", EngineVersion="16.3", AllocatedStorage=20, MasterUsername="root_user")
    assert model.AutoMinorVersionUpgrade and model.StorageEncrypted and model.BackupRetentionPeriod == 1
    created = DBInstance.objects.create(model, MasterUserPassword="correct-horse")
    assert created.DBInstanceStatus == "creating"
    found = DBInstance.objects.get("WEB")
    assert found.DBInstanceStatus == "available" and "correct-horse" not in repr(found)
    found.delete(SkipFinalSnapshot=True)
    assert DBInstance.objects.get("web") is None


def test_user_model_saves_and_deletes(world: nephos.Cloud) -> None:
    user = CacheUser(UserId="ann", UserName="ann", Engine="redis", AccessString="on ~* +@all")
    user.save(NoPasswordRequired=True)
    assert user.Status == "active" and user.arn.endswith(":user:ann")
    user.AccessString = "off ~* +@all"
    user.save()
    assert CacheUser.objects.get("ann").AccessString.startswith("off")
    user.delete()
    assert CacheUser.objects.get("ann") is None


def test_created_repository_is_returned_by_get(world: nephos.Cloud) -> None:
    model = Repository(repositoryName="web", imageTagMutability="IMMUTABLE", imageScanningConfiguration={"scanOnPush": True})
    model.save()
    found = Repository.objects.get("web")
    assert found.imageScanningConfiguration.scanOnPush is True and found.repositoryUri.endswith("/web")
    assert found.createdAt == world.clock.now()
    refused("RepositoryAlreadyExistsException", lambda: Repository.objects.create(model))


def test_missing_pipeline_is_not_found(world: nephos.Cloud) -> None:
    assert Pipeline.objects.get("none") is None
    refused("PipelineNotFoundException", lambda: Pipeline.objects.start_execution("none"))


def test_every_account_has_a_default_network_in_every_region(world: nephos.Cloud) -> None:
    for session in (world.session(), world.session(account="210987654321"), world.session(region="eu-west-1")):
        [vpc] = Vpc.objects.using(session).list()
        assert vpc.IsDefault and vpc.CidrBlock == "172.31.0.0/16"
        assert nephos.Subnet.objects.using(session).count() >= 3
        assert SecurityGroup.objects.using(session).first().GroupName == "default"


def test_created_vpc_can_be_read(world: nephos.Cloud) -> None:
    vpc = Vpc.objects.create(CidrBlock="10.0.0.0/16", Tags=[{"Key": "Name", "Value": "web"}])
    found = Vpc.objects.get(vpc.VpcId)
    assert found.VpcId == vpc.VpcId and found.tags == {"Name": "web"} and found.State == "available"


def test_caller_is_the_root_of_its_account(world: nephos.Cloud) -> None:
    identity = CallerIdentity.objects.get()
    assert (identity.Account, identity.arn) == ("123456789012", "arn:aws:iam::123456789012:root")
    other = CallerIdentity.objects.using(world.session(account="210987654321")).get()
    assert other.Account == "210987654321"
