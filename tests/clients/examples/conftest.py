"""Fixtures for tests of code that calls AWS: one served cloud, a fork of it for each test, and its clock."""

import datetime
import json
import os
import subprocess
import urllib.request
import uuid

import boto3
import pytest

# The time at which every test begins. It lies ahead, because the time of a cloud only moves forwards.
START = "2040-01-31T12:00:00Z"


class Cloud:
    """A cloud that is served at an endpoint: the main one, or a fork."""

    def __init__(self, endpoint):
        self.endpoint = endpoint

    def control(self, method, path, body=None):
        """Calls the control endpoint of this cloud."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.endpoint}/_nephos/{path}", data=data, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def client(self, service, account="123456789012", region="us-east-1"):
        """Makes a boto3 client for any account and Region."""
        keys = {"aws_access_key_id": account, "aws_secret_access_key": "test"}
        return boto3.client(service, endpoint_url=self.endpoint, region_name=region, **keys)


class Clock:
    """The time of a cloud. It stands still until a test moves it."""

    def __init__(self, cloud):
        self.cloud = cloud

    def now(self):
        return datetime.datetime.fromisoformat(self.cloud.control("GET", "clock")["now"])

    def advance(self, **duration):
        """Moves the time on, and does what falls due meanwhile: `clock.advance(days=7)`."""
        seconds = datetime.timedelta(**duration) // datetime.timedelta(seconds=1)
        self.cloud.control("POST", "clock", {"advance": seconds})


def prepare(cloud):
    """Creates what every test expects to find. It is done once."""
    cloud.client("logs").create_log_group(logGroupName="/shared")


@pytest.fixture(scope="session")
def main_cloud():
    """One served cloud for all tests. Tests use a fork of it."""
    program = os.environ.get("NEPHOS_PROGRAM", "nephos")
    command = [program, "serve", "--memory", "--listen", "127.0.0.1:0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        # The line is there as soon as connections are accepted.
        cloud = Cloud(process.stdout.readline().removeprefix("listening at ").strip())
        cloud.control("POST", "clock", {"frozen": True, "set": START})
        prepare(cloud)
        yield cloud
        process.terminate()


@pytest.fixture
def cloud(main_cloud, monkeypatch):
    """A fork for one test. Code under test finds it by the environment: `boto3.client("logs")` calls it."""
    name = uuid.uuid4().hex
    main_cloud.control("POST", "fork", {"name": name})
    fork = Cloud(f"{main_cloud.endpoint}/_nephos/forks/{name}")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", fork.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "123456789012")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    yield fork
    main_cloud.control("DELETE", f"forks/{name}")


@pytest.fixture
def clock(cloud):
    """The time of the test's fork."""
    return Clock(cloud)
