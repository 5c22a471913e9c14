"""Tests of the tenants. They pass with moto, too: only the next line would say `from moto import mock_aws`."""

from nephos import mock_aws

import json
import unittest

import boto3
import pytest
from botocore.exceptions import ClientError

from tenants import TRUST, Tenants


@pytest.fixture
def tenants():
    with mock_aws():
        yield Tenants()


def test_there_are_no_tenants_at_first(tenants):
    assert tenants.names() == []


def test_a_tenant_has_a_log_group(tenants):
    tenants.create("ada", retention=90)
    (group,) = boto3.client("logs", region_name="us-east-1").describe_log_groups()["logGroups"]
    assert (group["logGroupName"], group["retentionInDays"]) == ("/tenants/ada", 90)


def test_a_tenant_has_a_password(tenants):
    password = tenants.create("ada")
    assert tenants.password("ada") == password
    assert tenants.password("grace") is None


def test_the_password_is_encrypted_with_the_key_of_the_tenant(tenants):
    tenants.create("ada")
    secret = tenants.secrets.describe_secret(SecretId="tenants/ada")
    key = tenants.keys.describe_key(KeyId="alias/tenants/ada")["KeyMetadata"]
    assert secret["KmsKeyId"] == key["KeyId"]


@mock_aws
def test_the_previous_password_stays():
    tenants = Tenants()
    first = tenants.create("ada")
    assert tenants.change_password("ada") == tenants.password("ada") != first
    previous = tenants.secrets.get_secret_value(SecretId="tenants/ada", VersionStage="AWSPREVIOUS")
    assert previous["SecretString"] == first


@mock_aws
def test_texts_are_sealed():
    tenants = Tenants()
    tenants.create("ada")
    sealed = tenants.seal("ada", "a letter")
    assert b"a letter" not in sealed
    assert tenants.unseal(sealed) == "a letter"


def test_tenants_are_listed_over_pages(tenants):
    names = [f"tenant-{number:02}" for number in range(60)]
    for name in names:
        tenants.logs.create_log_group(logGroupName=f"/tenants/{name}")
    assert tenants.names() == names


def test_nothing_stays_of_a_tenant_that_is_refused(tenants):
    tenants.iam.create_role(RoleName="tenant-ada", AssumeRolePolicyDocument=json.dumps(TRUST))
    with pytest.raises(ClientError) as refused:
        tenants.create("ada")
    assert refused.value.response["Error"]["Code"] == "EntityAlreadyExists"
    assert tenants.names() == []


def test_regions_are_apart(tenants):
    tenants.create("ada")
    assert Tenants("eu-west-1").names() == []


@mock_aws
class TestDeletion(unittest.TestCase):
    def setUp(self):
        self.tenants = Tenants()
        self.tenants.create("ada")

    def test_a_deleted_tenant_is_gone(self):
        self.tenants.delete("ada")
        assert self.tenants.names() == []
        assert self.tenants.password("ada") is None
        key = self.tenants.keys.describe_key(KeyId="alias/tenants/ada")["KeyMetadata"]
        assert key["KeyState"] == "PendingDeletion"
