"""The program's remote session on a server that nobody here wrote: moto's, for log groups."""

import json
import pathlib
import subprocess
import sys
import urllib.request

import pytest


@pytest.fixture(scope="module")
def moto_server(surroundings):
    """moto's server on a free port."""
    command = [sys.executable, pathlib.Path(sys.executable).with_name("moto_server"), "-H", "127.0.0.1", "-p", "0"]
    with subprocess.Popen(command, env=surroundings, stderr=subprocess.PIPE, text=True) as process:
        said = ""
        for line in process.stderr:
            said += line
            if " * Running on " in line:
                break
        else:
            pytest.fail(f"moto's server did not start: {said}")
        yield line.split()[-1]
        process.terminate()


class Program:
    """`nephos` on an endpoint."""

    def __init__(self, program, url, surroundings):
        self.command = [program, "--endpoint", url, "-o", "json"]
        self.surroundings = surroundings | {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "secret"}

    def run(self, *words):
        command = [*self.command, *map(str, words)]
        return subprocess.run(command, env=self.surroundings, capture_output=True, text=True, timeout=60)

    def __call__(self, *words):
        """What a command answers; it must end well."""
        ended = self.run(*words)
        assert ended.returncode == 0, f"nephos {' '.join(map(str, words))}: {ended.stderr}"
        return json.loads(ended.stdout) if ended.stdout.startswith(("{", "[", "null")) else ended.stdout

    def refused(self, *words):
        """The exit code and the service's code of a command that is refused."""
        ended = self.run(*words)
        assert ended.stderr.startswith("nephos: ") and ended.stderr.count("\n") == 1, ended.stderr
        return ended.returncode, ended.stderr.split(": ")[1]


@pytest.fixture
def nephos(program, moto_server, surroundings):
    urllib.request.urlopen(urllib.request.Request(f"{moto_server}/moto-api/reset", method="POST")).close()
    return Program(program, moto_server, surroundings)


def tags(group):
    return {tag["Key"]: tag["Value"] for tag in group["Tags"]}


def test_a_group_from_its_creation_to_its_end(nephos):
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


def test_what_is_not_there_is_null(nephos):
    """moto passes over the identifiers that a group is asked for by: another group is not taken for it."""
    absent = nephos.run("log-group", "get", "/absent")
    assert (absent.returncode, absent.stdout.strip()) == (3, "")
    for name in ["/a", "/web", "/web/api"]:
        nephos("log-group", "create", name)
    assert nephos("log-group", "get", "/web")["logGroupName"] == "/web"
    assert nephos("log-group", "get", "/web/api")["logGroupName"] == "/web/api"
    assert nephos.run("log-group", "get", "/we").returncode == 3


def test_a_listing_follows_the_pages(nephos):
    made = [f"/group/{n:02}" for n in range(11)]
    lines = "".join(json.dumps({"logGroupName": name}) + "\n" for name in made)
    command = [*nephos.command, "log-group", "create", "--from", "-"]
    subprocess.run(command, env=nephos.surroundings, input=lines, text=True, check=True, capture_output=True)
    names = lambda *how: [group["logGroupName"] for group in nephos("log-group", "list", *how)]
    assert names() == made
    assert names("--page-size", 3) == made
    assert names("--page-size", 3, "--limit", 7) == made[:7]
    assert names("--log-group-name-prefix", "/group/1") == made[10:]
    assert names("--where", "logGroupName__endswith=5", "--page-size", 2) == ["/group/05"]
    assert names("--sort", "-logGroupName", "--limit", 1) == made[-1:]


def test_refusals_are_told_by_code_and_exit_code(nephos):
    nephos("log-group", "create", "/a")
    assert nephos.refused("log-group", "create", "/a") == (4, "ResourceAlreadyExistsException")
    assert nephos.refused("log-group", "delete", "/absent") == (3, "ResourceNotFoundException")
    assert nephos.refused("log-stream", "create", "/absent", "s") == (3, "ResourceNotFoundException")
    # What is refused before it is sent is refused under the same code as the service would.
    assert nephos.refused("log-group", "create", "has spaces") == (5, "InvalidParameterException")
    assert nephos.refused("log-group", "update", "/a", "--retention-in-days", 31) == (5, "InvalidParameterException")


def test_streams_and_events(nephos):
    nephos("log-group", "create", "/a")
    nephos("log-stream", "create", "/a", "s")
    assert [stream["logStreamName"] for stream in nephos("log-stream", "list", "/a")] == ["s"]
    now = nephos("log-stream", "get", "/a", "s")["creationTime"]
    events = [{"timestamp": now, "message": "one ✓"}, {"timestamp": now + 1, "message": "two"}]
    nephos("log-event", "put", "/a", "s", json.dumps(events))
    assert [event["message"] for event in nephos("log-event", "list", "/a")] == ["one ✓", "two"]


def test_nobody_listening_is_told(program, surroundings):
    nobody = Program(program, "http://127.0.0.1:1", surroundings)
    assert nobody.refused("log-group", "list") == (9, "TransportError")
