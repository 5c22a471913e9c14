"""The pytest plugin: a fork for each test, its clock, environment and markers; with xdist, with unittest, and free if unused."""

import importlib.metadata
import os
import subprocess
import sys

import pytest

INSTALLED = [point for point in importlib.metadata.entry_points(group="pytest11") if point.value == "pytest_nephos"]


@pytest.fixture
def run(pytester):
    """Runs pytest on a module with these tests; returns the outcomes."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider --strict-markers")

    def run(tests, *options, conftest="", separate=False, **expected):
        pytester.makeconftest(conftest)
        pytester.makepyfile(tests)
        start = pytester.runpytest_subprocess if separate else pytester.runpytest_inprocess
        result = start("-p", "pytest_nephos", *options)
        if expected:
            result.assert_outcomes(**expected)
        return result

    return run


PREPARED = """
import pytest

@pytest.fixture(scope="session")
def nephos_cloud(nephos_cloud):
    nephos_cloud.client("logs").create_log_group(logGroupName="/shared")
    return nephos_cloud
"""

HELPERS = """
import boto3
import datetime
import os
import pytest
import unittest
from botocore.exceptions import ClientError

def names(client=None):
    client = client or boto3.client("logs")
    return [group["logGroupName"] for group in client.describe_log_groups()["logGroups"]]
"""


def test_each_test_has_a_fork_of_the_prepared_cloud(run):
    tests = """
@pytest.mark.parametrize("turn", [1, 2])
def test_a_fork(cloud, turn):
    logs = cloud.client("logs")
    assert names(logs) == ["/shared"]
    logs.create_log_group(logGroupName="/mine")
    logs.delete_log_group(logGroupName="/shared")
    assert names(logs) == ["/mine"]

@pytest.mark.parametrize("turn", [1, 2])
def test_boto3_calls_it(aws, cloud, turn):
    assert names() == ["/shared"]
    boto3.client("logs").create_log_group(logGroupName="/mine")
    assert names(cloud.client("logs")) == names(aws.client("logs")) == ["/mine", "/shared"]
    assert boto3.DEFAULT_SESSION is aws
"""
    run(HELPERS + tests, conftest=PREPARED, passed=4)


def test_the_clock_moves(run):
    tests = """
def test_clock(cloud, clock):
    clock.freeze()
    start = clock.now()
    assert clock.now() == start and start.utcoffset() == datetime.timedelta()
    clock.advance(days=7)
    clock.advance(datetime.timedelta(hours=1))
    assert clock.now() - start == datetime.timedelta(days=7, hours=1)
    clock.set("2090-01-01T00:00:00Z")
    assert clock.now() == datetime.datetime(2090, 1, 1, tzinfo=datetime.timezone.utc)
    clock.set(datetime.datetime(2091, 1, 1))
    clock.resume()
    assert clock.now() != clock.now()

def test_secrets_are_purged(aws, clock):
    secrets = boto3.client("secretsmanager")
    secrets.create_secret(Name="db", SecretString="x")
    secrets.delete_secret(SecretId="db", RecoveryWindowInDays=7)
    clock.advance(days=6)
    secrets.describe_secret(SecretId="db")
    clock.advance(days=1)
    with pytest.raises(secrets.exceptions.ResourceNotFoundException):
        secrets.describe_secret(SecretId="db")
"""
    run(HELPERS + tests, passed=2)


def test_markers_say_what_a_test_begins_with(run):
    tests = """
pytestmark = pytest.mark.nephos(account="210987654321", region="eu-west-1")

@pytest.mark.nephos(region="eu-west-2", clock="2090-01-01T00:00:00Z")
def test_marked(aws, clock):
    assert boto3.client("sts").get_caller_identity()["Account"] == "210987654321"
    assert boto3.client("sts").meta.region_name == "eu-west-2"
    assert clock.now() == clock.now() == datetime.datetime(2090, 1, 1, tzinfo=datetime.timezone.utc)

@pytest.mark.nephos(permissions="enforce")
def test_permissions(aws, cloud):
    boto3.client("iam").create_user(UserName="ada")
    key = boto3.client("iam").create_access_key(UserName="ada")["AccessKey"]
    ada = boto3.client("logs", aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"])
    with pytest.raises(ClientError, match="AccessDenied"):
        ada.describe_log_groups()

def test_of_the_module(aws, cloud):
    assert boto3.client("sts").meta.region_name == "eu-west-1"
    assert cloud.permissions() == "off"
"""
    run(HELPERS + tests, passed=3)


def test_wrong_markers_are_refused(run):
    tests = """
@pytest.mark.nephos(regions="eu-west-1")
def test_unknown(aws):
    pass

@pytest.mark.nephos("eu-west-1")
def test_positional(cloud):
    pass

@pytest.mark.nephos(permissions="on")
def test_value(cloud):
    pass
"""
    result = run(HELPERS + tests, errors=3)
    result.stdout.fnmatch_lines(["*the marker nephos takes only the keywords account, region, clock, permissions, not regions"])
    result.stdout.fnmatch_lines(["*the marker nephos takes only the keywords account, region, clock, permissions, not 'eu-west-1'"])
    result.stdout.fnmatch_lines(["*permissions must be one of off, record, enforce, got 'on'*"])


def test_classes_of_unittest_use_it(run):
    tests = """
@pytest.mark.usefixtures("aws")
@pytest.mark.nephos(region="eu-west-1")
class TestGroups(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def inject(self, cloud, clock):
        self.cloud = cloud
        self.clock = clock

    def setUp(self):
        boto3.client("logs").create_log_group(logGroupName="/a")

    def test_first(self):
        self.assertEqual(names(self.cloud.client("logs", region_name="eu-west-1")), ["/a"])
        self.clock.advance(days=1)

    def test_second(self):
        self.assertEqual(names(), ["/a"])
        boto3.client("logs").create_log_group(logGroupName="/b")
"""
    run(HELPERS + tests, passed=2)


def test_mock_aws_inside_shares_the_cloud(run):
    tests = """
from nephos import mock_aws

@mock_aws
def test_both(aws, cloud):
    boto3.client("logs").create_log_group(logGroupName="/a")
    assert names(cloud.client("logs")) == ["/a"]
"""
    run(HELPERS + tests, passed=1)


def test_models_reach_the_fork(run):
    tests = """
import nephos

@pytest.mark.nephos(region="eu-west-1")
def test_models(cloud):
    nephos.LogGroup.objects.create(logGroupName="/a")
    assert names(cloud.client("logs", region_name="eu-west-1")) == ["/a"]

def test_outside():
    with pytest.raises(nephos.errors.NoSession):
        nephos.LogGroup.objects.create(logGroupName="/a")
"""
    run(HELPERS + tests, passed=2)


def test_workers_have_clouds_of_their_own(run):
    pytest.importorskip("xdist")
    tests = """
@pytest.mark.parametrize("number", range(40))
def test_fork(aws, number):
    assert names() == ["/shared"]
    boto3.client("logs").create_log_group(logGroupName="/mine")
"""
    run(HELPERS + tests, "-n", "2", separate=True, conftest=PREPARED, passed=40)


def test_the_environment_is_restored(run):
    tests = """
def test_inside(aws):
    assert os.environ["AWS_ACCESS_KEY_ID"] == "123456789012"

def test_outside():
    assert os.environ.get("AWS_ACCESS_KEY_ID") == "AKIAIOSFODNN7EXAMPLE"
"""
    run(HELPERS + tests, passed=2)


def test_it_costs_nothing_if_it_is_not_used(run):
    tests = """
import sys

def test_nothing_is_loaded(request):
    loaded = {"nephos", "boto3", "botocore"} & set(sys.modules)
    assert not loaded
"""
    run(tests, separate=True, passed=1)


@pytest.mark.skipif(not INSTALLED, reason="the package is not installed, only its sources are on the path")
def test_pytest_finds_it(tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it(cloud, clock, aws): pass")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "test_it.py"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout


@pytest.mark.skipif(not INSTALLED, reason="the package is not installed, only its sources are on the path")
def test_the_distribution_has_a_name_of_its_own():
    """`nephos` is the distribution of somebody else."""
    assert [point.dist.name for point in INSTALLED] == ["nephos-cloud"]
