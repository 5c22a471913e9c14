"""`mock_aws` as context manager and as decorator of functions of all kinds: state, nesting and options."""

import asyncio
import concurrent.futures
import datetime
import inspect
import json
import threading

import boto3
import pytest
from botocore.exceptions import ClientError

import nephos
from nephos import mock_aws


def logs():
    return boto3.client("logs", region_name="us-east-1")


def test_each_mock_begins_empty(names):
    for _ in range(2):
        with mock_aws() as cloud:
            logs().create_log_group(logGroupName="/a")
            assert names(logs()) == names(cloud.client("logs")) == ["/a"]


def test_clients_made_before_and_inside_work(names):
    before = logs()
    with mock_aws():
        before.create_log_group(logGroupName="/a")
        inside = logs()
        assert names(inside) == names(before) == ["/a"]
    with mock_aws():
        assert names(inside) == names(before) == []


def test_resources_and_sessions_work():
    with mock_aws():
        vpc = boto3.resource("ec2", region_name="us-east-1").create_vpc(CidrBlock="10.0.0.0/16")
        assert vpc.id in [found.id for found in boto3.Session(region_name="us-east-1").resource("ec2").vpcs.all()]


@mock_aws
def decorated(name="/a"):
    """Creates a log group in a mock."""
    logs().create_log_group(logGroupName=name)
    return [group["logGroupName"] for group in logs().describe_log_groups()["logGroups"]]


@mock_aws()
async def decorated_coroutine():
    logs().create_log_group(logGroupName="/a")
    await asyncio.sleep(0)
    return len(logs().describe_log_groups()["logGroups"])


@mock_aws
def decorated_generator():
    logs().create_log_group(logGroupName="/a")
    yield len(logs().describe_log_groups()["logGroups"])
    yield len(logs().describe_log_groups()["logGroups"])


@mock_aws
async def decorated_async_generator():
    logs().create_log_group(logGroupName="/a")
    yield len(logs().describe_log_groups()["logGroups"])


def test_functions_are_decorated():
    assert decorated() == decorated() == ["/a"]
    assert decorated("/b") == ["/b"]
    assert (decorated.__name__, decorated.__doc__) == ("decorated", "Creates a log group in a mock.")
    assert list(inspect.signature(decorated).parameters) == ["name"]
    assert decorated.__wrapped__.__name__ == "decorated"


def test_async_functions_are_decorated():
    assert inspect.iscoroutinefunction(decorated_coroutine)
    assert asyncio.run(decorated_coroutine()) == 1


def test_generators_are_decorated_until_they_end():
    assert inspect.isgeneratorfunction(decorated_generator)
    assert list(decorated_generator()) == [1, 1]

    async def collect():
        return [count async for count in decorated_async_generator()]

    assert asyncio.run(collect()) == [1]


def test_an_async_context_is_a_context():
    async def run():
        async with mock_aws() as cloud:
            return cloud.client("sts").get_caller_identity()["Account"]

    assert asyncio.run(run()) == "123456789012"


def test_it_decorates_only_functions_and_classes():
    with pytest.raises(TypeError, match="functions and classes"):
        mock_aws(3)


def test_nested_mocks_share_the_cloud(names):
    with mock_aws() as outer:
        logs().create_log_group(logGroupName="/a")
        assert decorated("/b") == ["/a", "/b"]
        with mock_aws() as inner:
            assert inner is outer
        assert names(logs()) == ["/a", "/b"]


def test_a_nested_mock_can_have_a_cloud_of_its_own(memory, names):
    with mock_aws():
        logs().create_log_group(logGroupName="/a")
        with mock_aws(cloud=memory) as cloud:
            assert cloud is memory
            assert names(logs()) == []
        assert names(logs()) == ["/a"]


def test_start_and_stop(names):
    mock = mock_aws()
    with pytest.raises(RuntimeError, match=r"stop\(\) was called before start"):
        mock.stop()
    mock.start()
    logs().create_log_group(logGroupName="/a")
    mock.stop(remove_data=False)
    mock.start(reset=False)
    assert names(logs()) == ["/a"]
    mock.reset()
    assert names(logs()) == []
    mock.stop()
    mock.start(reset=False)
    assert names(logs()) == []
    mock.stop()


def test_mocks_end_in_any_order(names, memory):
    first = mock_aws()
    second = mock_aws(cloud=memory, account="210987654321")
    first.start()
    second.start()
    first.stop()
    assert boto3.client("sts").get_caller_identity()["Account"] == "210987654321"
    second.stop()


def test_an_error_ends_the_mock():
    with pytest.raises(KeyError), mock_aws():
        raise KeyError
    with pytest.raises(RuntimeError, match="stop"):
        mock_aws().stop()


def test_account_and_region():
    with mock_aws(account="210987654321", region="eu-west-1"):
        group = "arn:aws:logs:eu-west-1:210987654321:log-group:/a:*"
        boto3.client("logs").create_log_group(logGroupName="/a")
        assert boto3.client("logs").describe_log_groups()["logGroups"][0]["arn"] == group
        with mock_aws(account="123456789012"):
            assert boto3.client("sts").get_caller_identity()["Account"] == "123456789012"
            assert boto3.client("sts").meta.region_name == "eu-west-1"
        assert boto3.client("sts").get_caller_identity()["Account"] == "210987654321"


def test_a_client_with_real_credentials_calls_as_the_account_of_the_mock():
    client = boto3.client("sts", region_name="us-east-1", aws_access_key_id="AKIAIOSFODNN7EXAMPLE", aws_secret_access_key="real")
    with mock_aws(account="210987654321"):
        assert client.get_caller_identity()["Account"] == "210987654321"


def test_an_assumed_role_calls_another_account():
    trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": "sts:AssumeRole"}]}
    with mock_aws():
        other = boto3.client("iam", aws_access_key_id="210987654321", aws_secret_access_key="x")
        role = other.create_role(RoleName="ops", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
        keys = boto3.client("sts").assume_role(RoleArn=role, RoleSessionName="me")["Credentials"]
        session = boto3.Session(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"])
        assert session.client("sts").get_caller_identity()["Arn"] == "arn:aws:sts::210987654321:assumed-role/ops/me"


def created(client):
    client.create_log_group(logGroupName="/a")
    milliseconds = client.describe_log_groups()["logGroups"][0]["creationTime"]
    return datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc).isoformat()


@pytest.mark.parametrize(
    "clock",
    [
        "2001-02-03T04:05:06Z",
        datetime.datetime(2001, 2, 3, 4, 5, 6),
        datetime.datetime(2001, 2, 3, 5, 5, 6, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
    ],
)
def test_the_clock_begins_at_a_time_and_stands_still(clock):
    with mock_aws(clock=clock) as cloud:
        assert created(logs()) == "2001-02-03T04:05:06+00:00"
        cloud.advance(60)
        logs().delete_log_group(logGroupName="/a")
        assert created(logs()) == "2001-02-03T04:06:06+00:00"


def test_the_clock_is_frozen():
    with mock_aws(clock="frozen") as cloud:
        assert cloud.now() == cloud.now()
    with mock_aws() as cloud:
        assert cloud.now() != cloud.now()


def test_the_clock_follows_freezegun():
    freezegun = pytest.importorskip("freezegun")
    with freezegun.freeze_time("2001-02-03T04:05:06") as frozen, mock_aws() as cloud:
        assert created(logs()) == "2001-02-03T04:05:06+00:00"
        frozen.tick(60)
        logs().delete_log_group(logGroupName="/a")
        assert created(logs()) == "2001-02-03T04:06:06+00:00"
        frozen.move_to("2000-01-01")
        logs().describe_log_groups()
        assert cloud.now() == "2001-02-03T04:06:06Z"
    with mock_aws():
        assert created(logs()) > "2026"


def test_the_clock_follows_time_machine():
    time_machine = pytest.importorskip("time_machine")
    with mock_aws() as cloud:
        with time_machine.travel("2091-02-03T04:05:06Z", tick=False):
            assert created(logs()) == "2091-02-03T04:05:06+00:00"
        logs().describe_log_groups()
        assert cloud.now() != cloud.now()


def test_permissions_are_enforced_inside(memory):
    with mock_aws(cloud=memory):
        boto3.client("iam").create_user(UserName="ada")
        key = boto3.client("iam").create_access_key(UserName="ada")["AccessKey"]
        ada = boto3.client("logs", aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"])
        with mock_aws(permissions="enforce"), pytest.raises(ClientError, match="AccessDenied"):
            ada.create_log_group(logGroupName="/a")
        ada.create_log_group(logGroupName="/a")
    assert memory.permissions() == "off"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"account": "1"}, "account must be a string of twelve digits"),
        ({"region": ""}, "region must be a name"),
        ({"clock": "tomorrow"}, "clock must be a time"),
        ({"clock": 7}, "clock must be a datetime"),
        ({"permissions": "on"}, "permissions must be one of off, record, enforce, got 'on'"),
        ({"moto": "s3"}, r"moto must be True, False or a list of services, got 's3'; did you mean \['s3'\]"),
        ({"config": {"core": {"passthrough": {}}}}, "core.passthrough is not supported"),
    ],
    ids=lambda value: None if isinstance(value, str) else next(iter(value)),
)
def test_wrong_options_are_refused_at_once(options, message):
    with pytest.raises(ValueError, match=message):
        mock_aws(**options)


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="accounts"):
        mock_aws(accounts=["210987654321"])
    with pytest.raises(ValueError, match="did you mean 's3'"), mock_aws(moto=["s33"]):
        pass


def test_models_reach_the_same_cloud(names):
    with mock_aws(region="eu-west-1"):
        nephos.LogGroup.objects.create(logGroupName="/a")
        assert names(boto3.client("logs")) == ["/a"]
        with mock_aws(account="210987654321"):
            assert nephos.LogGroup.objects.list().count() == 0
        assert nephos.LogGroup.objects.list().count() == 1
    with pytest.raises(nephos.errors.NoSession):
        nephos.LogGroup.objects.list().count()


def test_threads_see_the_mock(names):
    with mock_aws():
        client = logs()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: client.create_log_group(logGroupName=f"/{number:02}"), range(40)))
        assert len(names(client)) == 40


def test_threads_activate_mocks():
    """Activations overlap in every order; at the end none is left."""
    barrier = threading.Barrier(8)

    def activate(number):
        barrier.wait()
        for _ in range(20):
            with mock_aws(account=f"{number:012}"):
                pass

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(activate, range(8)))
    from nephos import mock_frame

    assert mock_frame.current() is None


def test_the_mock_is_exported_without_botocore():
    import subprocess
    import sys

    program = (
        "import sys, nephos; nephos.mock_aws(account='123456789012'); print(sorted({'boto3', 'botocore', 'pytest'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
    assert nephos.mock_aws is mock_aws
