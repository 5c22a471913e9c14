"""Caches through boto3 and the AWS CLI: clusters, users, user groups, parameter groups, waiters, errors."""

import pytest
from asserting import refused

NO_DELAY = {"Delay": 0, "MaxAttempts": 3}


@pytest.fixture
def cache(client):
    return client("elasticache")


def create(cache, name="web", engine="redis", **more):
    made = cache.create_cache_cluster(CacheClusterId=name, Engine=engine, CacheNodeType="cache.t4g.micro", **more)
    return made["CacheCluster"]


def test_cluster_is_created_described_and_deleted(cache):
    made = create(cache, Tags=[{"Key": "team", "Value": "web"}])
    assert made["CacheClusterStatus"] == "creating"
    assert not {"CacheClusterCreateTime", "CacheNodes", "ConfigurationEndpoint"} & set(made)
    assert (made["PendingModifiedValues"], made["CacheSecurityGroups"]) == ({}, [])
    cache.get_waiter("cache_cluster_available").wait(CacheClusterId="web", WaiterConfig=NO_DELAY)
    [found] = cache.describe_cache_clusters(CacheClusterId="web")["CacheClusters"]
    assert "CacheNodes" not in found and found["CacheClusterCreateTime"].tzinfo is not None
    assert (found["NetworkType"], found["IpDiscovery"], found["LogDeliveryConfigurations"]) == ("ipv4", "ipv4", [])
    [found] = cache.describe_cache_clusters(CacheClusterId="web", ShowCacheNodeInfo=True)["CacheClusters"]
    [node] = found["CacheNodes"]
    assert (node["CacheNodeId"], node["CacheNodeStatus"], node["Endpoint"]["Port"]) == ("0001", "available", 6379)
    tags = cache.list_tags_for_resource(ResourceName=found["ARN"])["TagList"]
    assert tags == [{"Key": "team", "Value": "web"}]
    assert cache.delete_cache_cluster(CacheClusterId="web")["CacheCluster"]["CacheClusterStatus"] == "deleting"
    cache.get_waiter("cache_cluster_deleted").wait(CacheClusterId="web", WaiterConfig=NO_DELAY)
    with refused(cache, "CacheClusterNotFound", 404, modeled="CacheClusterNotFoundFault") as caught:
        cache.describe_cache_clusters(CacheClusterId="web")
    assert caught.value.response["Error"]["Message"] == "CacheCluster not found: web"


def test_users_and_groups(cache):
    user = cache.create_user(
        UserId="app", UserName="app", Engine="redis", AccessString="on ~app::* +@read", Passwords=["0123456789abcdef"]
    )
    assert user["Authentication"] == {"Type": "password", "PasswordCount": 1}
    assert (user["Status"], user["MinimumEngineVersion"], user["UserGroupIds"]) == ("active", "6.0", [])
    group = cache.create_user_group(UserGroupId="web", Engine="redis", UserIds=["default", "app"])
    assert (group["Status"], group["UserIds"]) == ("creating", ["default", "app"])
    [found] = cache.describe_users(UserId="app")["Users"]
    assert found["UserGroupIds"] == ["web"]
    with refused(cache, "DefaultUserRequired", modeled="DefaultUserRequired") as caught:
        cache.create_user_group(UserGroupId="api", Engine="redis", UserIds=["app"])
    text = "User group needs to contain a user with the user name default."
    assert caught.value.response["Error"]["Message"] == text
    changed = cache.modify_user_group(UserGroupId="web", UserIdsToRemove=["app"])
    assert (changed["Status"], changed["PendingChanges"]) == ("modifying", {"UserIdsToRemove": ["app"]})
    [found] = cache.describe_user_groups(UserGroupId="web")["UserGroups"]
    assert (found["Status"], found["UserIds"]) == ("active", ["default"])


def test_parameter_groups(cache):
    name = {"CacheParameterGroupName": "web"}
    cache.create_cache_parameter_group(**name, CacheParameterGroupFamily="redis7", Description="web")
    change = [{"ParameterName": "maxmemory-policy", "ParameterValue": "allkeys-lru"}]
    assert cache.modify_cache_parameter_group(**name, ParameterNameValues=change)["CacheParameterGroupName"] == "web"
    [changed] = cache.describe_cache_parameters(**name, Source="user")["Parameters"]
    assert changed["ParameterValue"] == "allkeys-lru"
    for call, text in [
        ("describe_cache_parameter_groups", "CacheParameterGroup none not found."),
        ("delete_cache_parameter_group", "CacheParameterGroupnot found: none"),
    ]:
        with refused(cache, "CacheParameterGroupNotFound", 404, modeled="CacheParameterGroupNotFoundFault") as caught:
            getattr(cache, call)(CacheParameterGroupName="none")
        assert caught.value.response["Error"]["Message"] == text


def test_aws_cli(cache, aws):
    create(cache, engine="memcached", NumCacheNodes=2, AZMode="cross-az")
    aws("elasticache", "wait", "cache-cluster-available", "--cache-cluster-id", "web")
    shown = aws("elasticache", "describe-cache-clusters", "--show-cache-node-info")["CacheClusters"][0]
    assert [node["CacheNodeId"] for node in shown["CacheNodes"]] == ["0001", "0002"]
    assert shown["ConfigurationEndpoint"]["Port"] == 11211
    versions = aws("elasticache", "describe-cache-engine-versions", "--engine", "valkey", "--default-only")
    assert versions["CacheEngineVersions"][0]["CacheParameterGroupFamily"] == "valkey8"
    error = aws.refused("elasticache", "create-cache-cluster", "--cache-cluster-id", "api", "--engine", "redis")
    assert error.message == "The parameter CacheNodeType must be provided and must not be null."


def test_waiters_of_replication_groups_end(cache, aws):
    group = {"ReplicationGroupId": "web"}
    cache.create_replication_group(**group, ReplicationGroupDescription="web", CacheNodeType="cache.t4g.micro")
    cache.get_waiter("replication_group_available").wait(**group, WaiterConfig=NO_DELAY)
    aws("elasticache", "wait", "replication-group-available", "--replication-group-id", "web")
    cache.delete_replication_group(**group)
    cache.get_waiter("replication_group_deleted").wait(**group, WaiterConfig=NO_DELAY)
    aws("elasticache", "wait", "replication-group-deleted", "--replication-group-id", "web")
    aws("elasticache", "wait", "cache-cluster-deleted", "--cache-cluster-id", "web-001")
