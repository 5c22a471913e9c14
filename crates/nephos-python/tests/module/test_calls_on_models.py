"""Calls that a model runs on itself: what it supplies, what is given, and what is listed."""

from __future__ import annotations

import nephos
import pytest
from nephos import ActionType, CacheUser, Image, LogGroup, Pipeline, Repository, Role, TaskDefinition

MANIFEST = '{"mediaType": "application/vnd.oci.image.index.v1+json"}'
JENKINS = {"category": "Build", "owner": "Custom", "provider": "Jenkins", "version": "1"}
ROLE = "arn:aws:iam::123456789012:role/pipelines"
TRUST = """{"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "codepipeline.amazonaws.com"}, "Action": "sts:AssumeRole"}]}"""


def push() -> Image:
    Repository.objects.create(repositoryName="web", imageTagMutability="MUTABLE", imageScanningConfiguration={})
    Repository.objects.put_image("web", imageManifest=MANIFEST, imageTag="v1")
    image = Image.objects.get("web", {"imageTag": "v1"})
    assert image is not None
    return image


def test_lookups_of_an_image_are_result_sets() -> None:
    with nephos.Cloud():
        image = push()
        containers = [{"name": "main", "image": image.name}]
        for family in ("api", "shop"):
            TaskDefinition.objects.create(family=family, containerDefinitions=containers)
        found = image.task_definitions()
        assert isinstance(found, nephos.ResultSet)
        assert found.order_by("-family").values_list("family", flat=True) == ["shop", "api"]
        assert image.task_definitions(status="ALL").filter(family="api").count() == 1
        assert not image.services() and not image.vulnerabilities()


def test_only_a_missing_image_is_none() -> None:
    with nephos.Cloud():
        push()
        assert Image.objects.get("web", {"imageTag": "v2"}) is None
        with pytest.raises(ValueError, match="tag and digest"):
            Image.objects.get("web", {})
        with pytest.raises(nephos.errors.NotFound):
            Image.objects.delete("web", {"imageTag": "v2"}, strict=True)


def test_arguments_of_calls_are_not_taken_from_the_model() -> None:
    with nephos.Cloud():
        LogGroup.objects.create(logGroupName="/web")
        group = LogGroup.objects.get("/web")
        group.put_bearer_token_authentication(True)
        assert LogGroup.objects.get("/web").bearerTokenAuthenticationEnabled is True
        with pytest.raises(ValueError, match="bearerTokenAuthenticationEnabled"):
            group.put_bearer_token_authentication()


def test_action_type_is_saved_and_deletes_itself() -> None:
    with nephos.Cloud():
        counts = {"minimumCount": 0, "maximumCount": 5}
        built = ActionType(id=JENKINS, inputArtifactDetails=counts, outputArtifactDetails=counts)
        assert not built.is_saved
        built.save()
        custom = ActionType.objects.list(actionOwnerFilter="Custom")
        assert built.is_saved and custom.count() == 1
        with pytest.raises(ValueError):
            built.name
        custom.first().delete()
        assert not ActionType.objects.list(actionOwnerFilter="Custom")


def test_listed_pipeline_shows_and_saves_its_tags() -> None:
    with nephos.Cloud():
        fetch = {"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"}
        ask = {"category": "Approval", "owner": "Provider", "provider": "Manual", "version": "1"}
        stages = [
            {
                "name": "Source",
                "actions": [
                    {
                        "name": "Fetch",
                        "actionTypeId": fetch,
                        "outputArtifacts": [{"name": "source"}],
                        "configuration": {"S3Bucket": "sources", "S3ObjectKey": "web.zip"},
                    }
                ],
            },
            {"name": "Release", "actions": [{"name": "Ask", "actionTypeId": ask}]},
        ]
        store = {"type": "S3", "location": "artifacts"}
        Role.objects.create(RoleName="pipelines", AssumeRolePolicyDocument=TRUST)
        Pipeline.objects.create(name="web", roleArn=ROLE, artifactStore=store, stages=stages, tags=[{"Key": "team", "Value": "web"}])
        [listed] = Pipeline.objects.list()
        assert listed.tags == {"team": "web"}
        listed.tags["zone"] = "1"
        listed.save()
        assert Pipeline.objects.get("web").tags == {"team": "web", "zone": "1"}


def test_cache_user_is_found_with_its_engine() -> None:
    with nephos.Cloud():
        user = CacheUser.objects.get("default", Engine="redis")
        assert user.pk == user.arn and CacheUser.objects.get("default", Engine="valkey") is None
