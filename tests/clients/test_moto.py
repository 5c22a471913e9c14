"""Remote sessions of the program against a third-party server: moto, for log groups."""

import json
import pathlib
import subprocess
import sys
import urllib.request

import pytest
from asserting import HANG


@pytest.fixture(scope="module")
def moto_server(environment):
    """Starts moto's server on a free port; returns its URL."""
    command = [sys.executable, pathlib.Path(sys.executable).with_name("moto_server"), "-H", "127.0.0.1", "-p", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        output = ""
        for line in process.stderr:
            output += line
            if " * Running on " in line:
                break
        else:
            pytest.fail(f"moto's server did not start: {output}")
        yield line.split()[-1]
        process.terminate()


class Program:
    """The `nephos` program with an endpoint."""

    def __init__(self, program, url, environment):
        self.command = [program, "--endpoint", url, "-o", "json"]
        self.environment = environment | {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "secret"}

    def run(self, *words):
        command = [*self.command, *map(str, words)]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=HANG)

    def __call__(self, *words):
        """Runs a command, which must succeed; returns its output."""
        ended = self.run(*words)
        assert ended.returncode == 0, f"nephos {' '.join(map(str, words))}: {ended.stderr}"
        return json.loads(ended.stdout) if ended.stdout.startswith(("{", "[", "null")) else ended.stdout

    def refused(self, *words):
        """Runs a command, which must be refused; returns its exit code and the error code."""
        ended = self.run(*words)
        assert ended.stderr.startswith("nephos: ") and ended.stderr.count("\n") == 1, ended.stderr
        return ended.returncode, ended.stderr.split(": ")[1]


@pytest.fixture
def nephos(program, moto_server, environment):
    urllib.request.urlopen(urllib.request.Request(f"{moto_server}/moto-api/reset", method="POST")).close()
    return Program(program, moto_server, environment)


def tags(group):
    return {tag["Key"]: tag["Value"] for tag in group["Tags"]}


def test_log_group_lifecycle(nephos):
    nephos("log-group", "create", "/web/api", "--retention-in-days", 30, "--tags", "team=web")
    group = nephos("log-group", "get", "/web/api")
    assert (group["logGroupName"], group["retentionInDays"], tags(group)) == ("/web/api", 30, {"team": "web"})
    assert group["Arn"] == "arn:aws:logs:us-east-1:123456789012:log-group:/web/api:*"
    assert group["creationTime"] > 1_700_000_000_000
    changed = nephos("log-group", "update", "/web/api", "--retention-in-days", 90, "--tags", "team=db,stage=test")
    assert (changed["retentionInDays"], tags(changed)) == (90, {"team": "db", "stage": "test"})
    changed = nephos("log-group", "update", "/web/api", "--clear", "retention-in-days", "--tags", "stage=test")
    assert ("retentionInDays" in changed, tags(changed)) == (False, {"stage": "test"})
    assert nephos("log-group", "get", "/web/api") == changed
    nephos("log-group", "delete", "/web/api")
    assert nephos.run("log-group", "get", "/web/api").returncode == 3


def test_missing_log_group_is_not_found(nephos):
    """moto ignores `logGroupIdentifiers` and returns other groups, which must not be mistaken for the wanted one."""
    absent = nephos.run("log-group", "get", "/absent")
    assert (absent.returncode, absent.stdout.strip()) == (3, "")
    for name in ["/a", "/web", "/web/api"]:
        nephos("log-group", "create", name)
    assert nephos("log-group", "get", "/web")["logGroupName"] == "/web"
    assert nephos("log-group", "get", "/web/api")["logGroupName"] == "/web/api"
    assert nephos.run("log-group", "get", "/we").returncode == 3


def test_list_follows_pagination(nephos):
    made = [f"/group/{n:02}" for n in range(11)]
    lines = "".join(json.dumps({"logGroupName": name}) + "\n" for name in made)
    command = [*nephos.command, "log-group", "create", "--from", "-"]
    subprocess.run(command, env=nephos.environment, input=lines, text=True, check=True, capture_output=True)
    names = lambda *how: [group["logGroupName"] for group in nephos("log-group", "list", *how)]
    assert names() == made
    assert names("--page-size", 3) == made
    assert names("--page-size", 3, "--limit", 7) == made[:7]
    assert names("--log-group-name-prefix", "/group/1") == made[10:]
    assert names("--where", "logGroupName__endswith=5", "--page-size", 2) == ["/group/05"]
    assert names("--sort", "-logGroupName", "--limit", 1) == made[-1:]


def test_error_codes_and_exit_codes(nephos):
    nephos("log-group", "create", "/a")
    assert nephos.refused("log-group", "create", "/a") == (4, "ResourceAlreadyExistsException")
    assert nephos.refused("log-group", "delete", "/absent") == (3, "ResourceNotFoundException")
    assert nephos.refused("log-stream", "create", "/absent", "s") == (3, "ResourceNotFoundException")
    # Parameters that are rejected before sending have the same error code as from the service.
    assert nephos.refused("log-group", "create", "has spaces") == (5, "InvalidParameterException")
    assert nephos.refused("log-group", "update", "/a", "--retention-in-days", 31) == (5, "InvalidParameterException")


def test_log_streams_and_events(nephos):
    nephos("log-group", "create", "/a")
    nephos("log-stream", "create", "/a", "s")
    assert [stream["logStreamName"] for stream in nephos("log-stream", "list", "/a")] == ["s"]
    now = nephos("log-stream", "get", "/a", "s")["creationTime"]
    events = [{"timestamp": now, "message": "one ✓"}, {"timestamp": now + 1, "message": "two"}]
    nephos("log-event", "put", "/a", "s", json.dumps(events))
    assert [event["message"] for event in nephos("log-event", "list", "/a")] == ["one ✓", "two"]


def test_unreachable_endpoint_is_a_transport_error(program, environment):
    unreachable = Program(program, "http://127.0.0.1:1", environment)
    assert unreachable.refused("log-group", "list") == (9, "TransportError")
