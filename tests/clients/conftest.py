"""Shared fixtures: the program under test, its server, and the clients that call it."""

import json
import os
import pathlib
import subprocess
import sys
import urllib.request

import boto3
import dateutil.parser
import pytest
from botocore.config import Config

from asserting import HANG, Refusal, check_answers

ROOT = pathlib.Path(__file__).resolve().parents[2]

ACCOUNT, REGION = "123456789012", "us-east-1"


def pytest_terminal_summary(terminalreporter):
    """Prints the tables of tests, which run in other processes."""
    for report in terminalreporter.stats.get("passed", []):
        for name, value in getattr(report, "user_properties", []):
            if name == "table":
                terminalreporter.write_line("\n" + value)


@pytest.fixture(scope="session")
def program():
    """Returns the path of the built program."""
    built = pathlib.Path(os.environ.get("NEPHOS_PROGRAM", ROOT / "target/debug/nephos"))
    assert built.exists(), f"{built} does not exist: run tests/clients/run, which builds it"
    return built


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """Returns environment variables that are independent of the user who runs the tests."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "NEPHOS_"))}
    home = tmp_path_factory.mktemp("home")
    return inherited | {
        "HOME": str(home),
        "AWS_CONFIG_FILE": str(home / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(home / "credentials"),
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": "127.0.0.1",
    }


@pytest.fixture(scope="session")
def registry(program):
    """Returns the program's description of each service on the wire."""
    output = subprocess.run([program, "explain", "--wire", "-o", "json"], capture_output=True, text=True, check=True)
    return {service["service"]: service for service in json.loads(output.stdout)}


class Server:
    """`nephos serve` on a free port, with a cloud in memory."""

    def __init__(self, program, environment):
        self.process = subprocess.Popen(
            [program, "serve", "--memory", "--listen", "127.0.0.1:0"],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        # The line is printed when connections are accepted.
        line = self.process.stdout.readline()
        assert line.startswith("listening at http://127.0.0.1:"), f"the server printed {line!r}"
        self.url = line.removeprefix("listening at ").strip()

    def control(self, path, body=None):
        """Calls the control endpoint: POST with a body, GET without."""
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/_nephos/{path}", data=data)) as answer:
            return json.load(answer)

    def now(self):
        """Returns the time of the cloud, in milliseconds since 1970."""
        return int(dateutil.parser.isoparse(self.control("clock")["now"]).timestamp() * 1000)

    def advance(self, duration):
        """Advances the clock of the cloud."""
        self.control("clock", {"advance": duration})

    def stop(self):
        self.process.terminate()
        assert self.process.wait(timeout=HANG) == 0, "the server did not exit with 0"


@pytest.fixture(scope="module")
def module_server(program, environment):
    """Starts one server for the tests of a module."""
    server = Server(program, environment)
    yield server
    server.stop()


@pytest.fixture
def server(module_server):
    """Returns an empty server. Its clock may have been advanced by another test."""
    module_server.control("reset", {})
    return module_server


@pytest.fixture(scope="session")
def boto(environment):
    """Returns one boto3 session, which caches the models."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ.update({name: value for name, value in environment.items() if name.startswith("AWS_")})
    return boto3.Session()


@pytest.fixture
def client(server, boto):
    """Creates boto3 clients of the server: `client("logs", account=…, region=…)`."""

    def make(service, account=ACCOUNT, region=REGION, checked=True):
        made = boto.client(
            service,
            endpoint_url=server.url,
            region_name=region,
            aws_access_key_id=account,
            aws_secret_access_key="secret",
            config=Config(parameter_validation=checked, retries={"total_max_attempts": 1}, read_timeout=HANG),
        )
        check_answers(made)
        return made

    return make


@pytest.fixture
def logs(client):
    return client("logs")


@pytest.fixture
def schemas(client):
    return client("schemas")


class AwsCli:
    """The AWS CLI, calling the server."""

    def __init__(self, url, environment):
        self.url, self.environment = url, environment

    def run(self, *words, account=ACCOUNT, region=REGION):
        variables = self.environment | {
            "AWS_ACCESS_KEY_ID": account,
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": region,
            "AWS_MAX_ATTEMPTS": "1",
            "AWS_PAGER": "",
        }
        aws = pathlib.Path(sys.executable).with_name("aws")
        command = [sys.executable, aws, "--endpoint-url", self.url, "--output", "json", *map(str, words)]
        return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=HANG)

    def __call__(self, *words, **where):
        """Runs a command, which must succeed; returns its output."""
        ended = self.run(*words, **where)
        assert ended.returncode == 0, f"aws {' '.join(map(str, words))}: {ended.stderr}"
        return json.loads(ended.stdout) if ended.stdout.strip() else None

    def refused(self, *words, **where):
        """Runs a command, which the service must refuse; returns the error."""
        ended = self.run(*words, **where)
        assert ended.returncode == 255, f"aws {' '.join(map(str, words))} exited with {ended.returncode}: {ended.stderr}"
        return Refusal.from_cli(ended.stderr)


@pytest.fixture
def aws(server, environment):
    return AwsCli(server.url, environment)
