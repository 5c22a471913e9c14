"""What the server acknowledged, and the comparison with what it has."""

import collections
import itertools
import re

from history import History
from server import Refused


class Ledger:
    """Acknowledged changes, by kind. Each worker writes only entries of its own."""

    def __init__(self):
        self.lines, self.events, self.deleted = set(), set(), set()
        # Names of secrets, and the values that they may have; None if it may not exist.
        self.secrets = {}
        # Number of values that each worker has set.
        self.secret_values = collections.Counter()
        self.users = collections.defaultdict(list)
        self.failures, self.found = [], {}
        self.history = History()
        self.numbers = itertools.count()

    def number(self):
        """Returns a number that was not used before."""
        return next(self.numbers)

    def fail(self, message):
        self.failures.append(message)

    def verify(self, server, workers):
        """Notes a failure for all that was acknowledged and is not there, or is there twice."""
        lines = [line for number in range(workers) for line in messages(server, f"/soak/{number}", "lines")]
        self.compare("log events", self.lines, lines)
        delivered = " ".join(all_messages(server, "/soak/events"))
        self.compare("delivered events", self.events, re.findall(r'"name":\s*"(event-\d+-\d+)"', delivered))
        existing = users(server)
        self.compare("users", {name for names in self.users.values() for name in names}, existing)
        for name in self.deleted.intersection(existing):
            self.fail(f"the user {name} was deleted and is there")
        for name, values in self.secrets.items():
            value = secret(server, name)
            if value not in values:
                self.fail(f"the secret {name} has {value}; it was set to {values}")
        self.found["secrets"] = len(self.secrets)
        self.found["calls on registers and names"] = self.history.check(self.fail)

    def compare(self, kind, expected, found):
        for name in expected.difference(found):
            self.fail(f"{kind}: {name} was acknowledged and is missing")
        for name, count in collections.Counter(found).items():
            if count > 1:
                self.fail(f"{kind}: {name} is there {count} times")
        self.found[kind] = len(expected)


def messages(server, group, stream):
    """Returns the messages of a stream."""
    token = None
    while True:
        parameters = {"nextToken": token} if token else {}
        page = server.json(
            "logs", "GetLogEvents", logGroupName=group, logStreamName=stream, startFromHead=True, **parameters
        )
        yield from (event["message"] for event in page["events"])
        if page["nextForwardToken"] == token:
            return
        token = page["nextForwardToken"]


def all_messages(server, group):
    """Returns the messages of all streams of a group."""
    token = None
    while True:
        parameters = {"nextToken": token} if token else {}
        page = server.json("logs", "DescribeLogStreams", logGroupName=group, **parameters)
        for stream in page["logStreams"]:
            yield from messages(server, group, stream["logStreamName"])
        token = page.get("nextToken")
        if not token:
            return


def users(server):
    """Returns the names of all users."""
    names, marker = [], None
    while True:
        page = server.form("iam", "ListUsers", **({"Marker": marker} if marker else {}))
        names += re.findall(r"<UserName>([^<]+)</UserName>", page)
        found = re.search(r"<Marker>([^<]+)</Marker>", page)
        if not found:
            return names
        marker = found[1]


def secret(server, name):
    """Returns the value of a secret; None if it does not exist."""
    try:
        return server.json("secretsmanager", "GetSecretValue", SecretId=name)["SecretString"]
    except Refused as refused:
        if refused.code != "ResourceNotFoundException":
            raise
        return None
