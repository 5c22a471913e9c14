"""Databases through boto3 and the AWS CLI: instances, clusters, snapshots, groups, waiters, errors."""

import json

import pytest
from asserting import refused

NO_DELAY = {"Delay": 0, "MaxAttempts": 3}
USER = {"MasterUsername": "boss", "MasterUserPassword": "correct-horse"}


@pytest.fixture
def rds(client):
    return client("rds")


@pytest.fixture
def docdb(client):
    return client("docdb")


def create(rds, name="web", engine="postgres", **more):
    made = rds.create_db_instance(
        DBInstanceIdentifier=name, DBInstanceClass="db.t4g.medium", Engine=engine, **{"AllocatedStorage": 20, **USER, **more}
    )
    return made["DBInstance"]


def describe(rds, name="web"):
    [found] = rds.describe_db_instances(DBInstanceIdentifier=name)["DBInstances"]
    return found


def wait(rds, waiter, **arguments):
    rds.get_waiter(waiter).wait(**arguments, WaiterConfig=NO_DELAY)


def test_instance_is_created_described_and_deleted(rds):
    made = create(rds, Tags=[{"Key": "team", "Value": "web"}])
    assert made["DBInstanceStatus"] == "creating"
    assert not {"Endpoint", "InstanceCreateTime", "LatestRestorableTime", "KmsKeyId"} & set(made)
    assert made["PendingModifiedValues"] == {"MasterUserPassword": "****"}
    assert (made["DbInstancePort"], made["TagList"]) == (0, [{"Key": "team", "Value": "web"}])
    wait(rds, "db_instance_available", DBInstanceIdentifier="web")
    found = describe(rds)
    assert (found["Endpoint"]["Port"], found["Endpoint"]["HostedZoneId"]) == (5432, "Z2R2ITUGPM61AM")
    assert (found["PendingModifiedValues"], found["DBSecurityGroups"]) == ({}, [])
    assert found["DBParameterGroups"][0]["DBParameterGroupName"].startswith("default.postgres")
    assert found["DBSubnetGroup"]["SubnetGroupStatus"] == "Complete"
    assert found["StorageEncrypted"] is False and found["BackupRetentionPeriod"] == 1
    deleted = rds.delete_db_instance(DBInstanceIdentifier="web", SkipFinalSnapshot=True)["DBInstance"]
    assert deleted["DBInstanceStatus"] == "deleting"
    wait(rds, "db_instance_deleted", DBInstanceIdentifier="web")
    with refused(rds, "DBInstanceNotFound", 404, modeled="DBInstanceNotFoundFault") as caught:
        describe(rds)
    assert caught.value.response["Error"]["Message"] == "DBInstance web not found."


def test_change_is_pending_and_applied(rds):
    create(rds)
    changed = rds.modify_db_instance(DBInstanceIdentifier="web", AllocatedStorage=40, DeletionProtection=True)["DBInstance"]
    assert (changed["AllocatedStorage"], changed["PendingModifiedValues"]) == (20, {"AllocatedStorage": 40})
    assert (changed["DBInstanceStatus"], changed["DeletionProtection"]) == ("available", True)
    rds.modify_db_instance(DBInstanceIdentifier="web", ApplyImmediately=True)
    assert (describe(rds)["AllocatedStorage"], describe(rds)["PendingModifiedValues"]) == (40, {})
    with refused(rds, "InvalidParameterCombination", modeled=False) as caught:
        rds.delete_db_instance(DBInstanceIdentifier="web", SkipFinalSnapshot=True)
    text = "Cannot delete protected DB Instance, please disable deletion protection and try again."
    assert caught.value.response["Error"]["Message"] == text


def test_managed_password_is_a_secret(rds, client):
    made = rds.create_db_instance(
        DBInstanceIdentifier="web", DBInstanceClass="db.t4g.micro", Engine="mysql", AllocatedStorage=20,
        MasterUsername="boss", ManageMasterUserPassword=True,
    )["DBInstance"]
    assert made["MasterUserSecret"]["SecretStatus"] == "creating"
    secret = describe(rds)["MasterUserSecret"]
    assert secret["SecretStatus"] == "active"
    value = json.loads(client("secretsmanager").get_secret_value(SecretId=secret["SecretArn"])["SecretString"])
    assert value["username"] == "boss" and len(value["password"]) >= 8


def test_snapshot_is_made_and_restored(rds):
    create(rds)
    snapshot = {"DBSnapshotIdentifier": "before"}
    made = rds.create_db_snapshot(DBInstanceIdentifier="web", **snapshot)["DBSnapshot"]
    assert (made["Status"], made["SnapshotType"]) == ("creating", "manual")
    wait(rds, "db_snapshot_available", **snapshot)
    wait(rds, "db_snapshot_completed", **snapshot)
    restored = rds.restore_db_instance_from_db_snapshot(DBInstanceIdentifier="copy", **snapshot)["DBInstance"]
    assert (restored["DBInstanceStatus"], restored["PendingModifiedValues"]) == ("creating", {})
    wait(rds, "db_instance_available", DBInstanceIdentifier="copy")
    rds.delete_db_snapshot(**snapshot)
    wait(rds, "db_snapshot_deleted", **snapshot)


def test_cluster_has_a_writer_and_readers(rds):
    made = rds.create_db_cluster(DBClusterIdentifier="shop", Engine="aurora-postgresql", **USER)["DBCluster"]
    assert (made["Status"], made["DBClusterMembers"], made["AllocatedStorage"]) == ("creating", [], 1)
    wait(rds, "db_cluster_available", DBClusterIdentifier="shop")
    for name in ["one", "two"]:
        rds.create_db_instance(
            DBInstanceIdentifier=name, DBInstanceClass="db.r6g.large", Engine="aurora-postgresql", DBClusterIdentifier="shop"
        )
    wait(rds, "db_instance_available", Filters=[{"Name": "db-cluster-id", "Values": ["shop"]}])
    [found] = rds.describe_db_clusters(DBClusterIdentifier="shop")["DBClusters"]
    writers = {member["DBInstanceIdentifier"]: member["IsClusterWriter"] for member in found["DBClusterMembers"]}
    assert writers == {"one": True, "two": False}
    rds.failover_db_cluster(DBClusterIdentifier="shop")
    [found] = rds.describe_db_clusters(DBClusterIdentifier="shop")["DBClusters"]
    writers = {member["DBInstanceIdentifier"]: member["IsClusterWriter"] for member in found["DBClusterMembers"]}
    assert writers == {"one": False, "two": True}
    with refused(rds, "InvalidDBClusterStateFault", modeled="InvalidDBClusterStateFault"):
        rds.delete_db_cluster(DBClusterIdentifier="shop", SkipFinalSnapshot=True)
    for name in ["one", "two"]:
        rds.delete_db_instance(DBInstanceIdentifier=name)
    rds.delete_db_cluster(DBClusterIdentifier="shop", SkipFinalSnapshot=True)
    wait(rds, "db_cluster_deleted", DBClusterIdentifier="shop")


def test_document_databases_have_their_client(docdb, rds):
    made = docdb.create_db_cluster(DBClusterIdentifier="docs", Engine="docdb", **USER)["DBCluster"]
    assert made["Endpoint"].endswith(".us-east-1.docdb.amazonaws.com") and made["Port"] == 27017
    docdb.create_db_instance(
        DBInstanceIdentifier="docs-1", DBInstanceClass="db.t3.medium", Engine="docdb", DBClusterIdentifier="docs"
    )
    wait(docdb, "db_instance_available", DBInstanceIdentifier="docs-1")
    [found] = docdb.describe_db_clusters(Filters=[{"Name": "engine", "Values": ["docdb"]}])["DBClusters"]
    assert found["DBClusterMembers"][0]["PromotionTier"] == 1
    assert docdb.stop_db_cluster(DBClusterIdentifier="docs")["DBCluster"]["Status"] == "available"
    assert docdb.describe_db_clusters(DBClusterIdentifier="docs")["DBClusters"][0]["Status"] == "stopped"
    assert docdb.start_db_cluster(DBClusterIdentifier="docs")["DBCluster"]["Status"] == "stopped"
    create(rds)
    engines = {found["Engine"] for found in rds.describe_db_instances()["DBInstances"]}
    assert engines == {"docdb", "postgres"}, "the wire lists all engines"


def test_parameter_groups(rds):
    name = {"DBParameterGroupName": "web"}
    rds.create_db_parameter_group(**name, DBParameterGroupFamily="postgres16", Description="web")
    create(rds, EngineVersion="16.3", **name)
    change = {"ParameterName": "max_connections", "ParameterValue": "200", "ApplyMethod": "pending-reboot"}
    rds.modify_db_parameter_group(**name, Parameters=[change])
    assert describe(rds)["DBParameterGroups"][0]["ParameterApplyStatus"] == "pending-reboot"
    rds.reboot_db_instance(DBInstanceIdentifier="web")
    assert describe(rds)["DBParameterGroups"][0]["ParameterApplyStatus"] == "in-sync"
    [changed] = rds.describe_db_parameters(**name, Source="user")["Parameters"]
    assert (changed["ParameterName"], changed["ParameterValue"]) == ("max_connections", "200")
    with refused(rds, "InvalidDBParameterGroupState", modeled="InvalidDBParameterGroupStateFault"):
        rds.delete_db_parameter_group(**name)


def test_aws_cli(rds, aws):
    create(rds)
    aws("rds", "wait", "db-instance-available", "--db-instance-identifier", "web")
    shown = aws("rds", "describe-db-instances", "--query", "DBInstances[].[DBInstanceIdentifier,DBInstanceStatus]")
    assert shown == [["web", "available"]]
    versions = aws("rds", "describe-db-engine-versions", "--engine", "mysql", "--default-only")
    assert versions["DBEngineVersions"][0]["DBParameterGroupFamily"].startswith("mysql8")
    error = aws.refused(
        "rds", "create-db-instance", "--db-instance-identifier", "api", "--engine", "dbase", "--db-instance-class", "db.t3.micro"
    )
    assert error.message == "Invalid DB engine"
