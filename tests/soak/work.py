"""The calls of the load. Each notes in the ledger what was acknowledged, or that its outcome is not known."""

import datetime
import json
import time
import uuid

import history
from server import Refused

EVENTS_GROUP = "/soak/events"
USERS_OF_A_WORKER, SECRETS_OF_A_WORKER = 200, 20
# A secret has at most 100 versions in a day.
VERSIONS_OF_A_SECRET = 100


def prepare(server, workers):
    """Creates the resources that the load needs."""
    server.json("logs", "CreateLogGroup", logGroupName=EVENTS_GROUP)
    server.json("events", "PutRule", Name="soak", EventPattern='{"source":["soak"]}')
    arn = f"arn:aws:logs:us-east-1:123456789012:log-group:{EVENTS_GROUP}"
    answer = server.json("events", "PutTargets", Rule="soak", Targets=[{"Id": "log", "Arn": arn}])
    assert answer["FailedEntryCount"] == 0, answer
    for number in range(history.REGISTERS):
        server.json("events", "PutRule", Name=f"register-{number}", EventPattern='{"source":["none"]}')
    for number in range(workers):
        server.json("logs", "CreateLogGroup", logGroupName=f"/soak/{number}")
        server.json("logs", "CreateLogStream", logGroupName=f"/soak/{number}", logStreamName="lines")


def put_log_events(worker, server, ledger):
    now = datetime.datetime.fromisoformat(server.now())
    lines = [f"{worker.number}-{ledger.number()}" for _ in range(worker.random.randint(1, 20))]
    events = [{"timestamp": int(now.timestamp() * 1000), "message": line} for line in lines]
    answer = server.json(
        "logs", "PutLogEvents", logGroupName=f"/soak/{worker.number}", logStreamName="lines", logEvents=events
    )
    if "rejectedLogEventsInfo" in answer:
        ledger.fail(f"log events were rejected: {answer}")
    ledger.lines.update(lines)


def put_event(worker, server, ledger):
    name = f"event-{worker.number}-{ledger.number()}"
    entry = {"Source": "soak", "DetailType": "soak", "Detail": json.dumps({"name": name})}
    answer = server.json("events", "PutEvents", Entries=[entry])
    if answer["FailedEntryCount"]:
        ledger.fail(f"an event was refused: {answer}")
    ledger.events.add(name)


def put_secret(worker, server, ledger):
    turn, of_turn = divmod(ledger.secret_values[worker.number], VERSIONS_OF_A_SECRET * SECRETS_OF_A_WORKER)
    name = f"soak-{worker.number}-{turn}-{of_turn % SECRETS_OF_A_WORKER}"
    ledger.secret_values[worker.number] += 1
    value = f"value-{ledger.number()}"
    is_new = name not in ledger.secrets
    # Until the answer arrives, the secret may have either value.
    ledger.secrets.setdefault(name, {None}).add(value)
    change = {"SecretString": value, "ClientRequestToken": str(uuid.UUID(int=worker.random.getrandbits(128)))}
    if is_new:
        server.json("secretsmanager", "CreateSecret", Name=name, **change)
    else:
        update(server, name, change)
    ledger.secrets[name] = {value}


def update(server, name, change):
    """Sets a secret, which may not exist if the answer of its creation was lost."""
    try:
        server.json("secretsmanager", "PutSecretValue", SecretId=name, **change)
    except Refused as refused:
        if refused.code != "ResourceNotFoundException":
            raise
        server.json("secretsmanager", "CreateSecret", Name=name, **change)


def create_or_delete_user(worker, server, ledger):
    users = ledger.users[worker.number]
    if len(users) < USERS_OF_A_WORKER:
        name = f"user-{worker.number}-{ledger.number()}"
        server.form("iam", "CreateUser", UserName=name)
        users.append(name)
        return
    # A user whose deletion was not answered may exist or not: it is no longer checked.
    name = users.pop(0)
    server.form("iam", "DeleteUser", UserName=name)
    ledger.deleted.add(name)


def take_name(worker, server, ledger):
    """Creates a user whose name others try to take at the same time."""
    name = f"unique-{int(time.monotonic() * 4)}"
    outcome = "unknown"
    try:
        server.form("iam", "CreateUser", UserName=name, Path="/unique/")
        outcome = "taken"
    except Refused as refused:
        if refused.code != "EntityAlreadyExists":
            raise
        outcome = "refused"
    finally:
        ledger.history.note_name(name, outcome)


def write_register(worker, server, ledger):
    history.write_register(worker, server, ledger.history)


def read_register(worker, server, ledger):
    history.read_register(worker, server, ledger.history)


WORKS = [
    put_log_events, put_event, put_secret, create_or_delete_user, take_name,
    write_register, read_register, read_register,
]
