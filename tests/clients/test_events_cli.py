"""Events through the AWS CLI and the `nephos` program. Each command takes almost a second to start, so a test has many steps."""

import json
import subprocess

from asserting import HANG

ACCOUNT, REGION = "123456789012", "us-east-1"
GROUP = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/events"


def test_rule_sends_events_to_a_log_group(aws, logs):
    logs.create_log_group(logGroupName="/events")
    made = aws("events", "create-event-bus", "--name", "shop", "--tags", "Key=team,Value=web")
    assert made["EventBusArn"].endswith(":event-bus/shop")
    on = ["--event-bus-name", "shop"]
    aws("events", "put-rule", "--name", "orders", *on, "--event-pattern", '{"source": ["shop"]}')
    aws("events", "put-targets", "--rule", "orders", *on, "--targets", f"Id=log,Arn={GROUP},InputPath=$.detail")
    order = {"Source": "shop", "DetailType": "Order", "Detail": '{"total": 7}', "EventBusName": "shop"}
    sent = aws("events", "put-events", "--entries", json.dumps([order, order | {"Detail": "no"}]))
    assert (sent["FailedEntryCount"], sent["Entries"][1]["ErrorCode"]) == (1, "MalformedDetail")
    assert aws("logs", "filter-log-events", "--log-group-name", "/events", "--query", "events[].message") == ['{"total":7}']
    again = aws.refused("events", "create-event-bus", "--name", "shop")
    assert again == ("ResourceAlreadyExistsException", "CreateEventBus", "Event bus shop already exists.")
    assert aws.refused("events", "delete-rule", "--name", "orders", *on).code == "ValidationException"
    aws("events", "remove-targets", "--rule", "orders", *on, "--ids", "log")
    aws("events", "delete-rule", "--name", "orders", *on)
    assert aws("events", "list-rules", *on) == {"Rules": []}


def test_pages_of_rules(aws, client):
    events = client("events")
    made = [f"r{n}" for n in range(5)]
    for name in made:
        events.put_rule(Name=name, ScheduleExpression="rate(1 day)")
    names = lambda answer: [rule["Name"] for rule in answer["Rules"]]
    assert names(aws("events", "list-rules", "--page-size", 2)) == made
    first = aws("events", "list-rules", "--page-size", 2, "--max-items", 3)
    assert names(first) == made[:3]
    assert names(aws("events", "list-rules", "--starting-token", first["NextToken"])) == made[3:]


def test_program_watches_a_bus_and_explains(program, environment, server, client, tmp_path):
    events = client("events")
    events.put_rule(Name="large", EventPattern='{"detail": {"total": [{"numeric": [">", 100]}]}}')
    events.put_targets(Rule="large", Targets=[{"Id": "queue", "Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:orders"}])

    def nephos(*words):
        command = [program, *words, "--endpoint", server.url]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=HANG)

    for total in [7, 250]:
        detail = json.dumps({"total": total})
        events.put_events(Entries=[{"Source": "shop", "DetailType": "Order", "Detail": detail}])
    watched = nephos("events", "watch", "--since-start", "--limit", "2")
    ends = [line.split(" ", 1)[1] for line in watched.stdout.splitlines()]
    assert ends == ['shop "Order" (no rule) {"total":7}', 'shop "Order" (large) {"total":250}'], watched.stderr
    event = json.loads(nephos("events", "watch", "--since-start", "--limit", "1", "-o", "jsonl").stdout)
    file = tmp_path / "event.json"
    file.write_text(json.dumps(event))
    explained = nephos("events", "explain-match", "large", str(file))
    assert explained.returncode == 1
    assert explained.stdout.startswith("no match: detail.total is 7, expected"), explained.stdout
    listed = nephos("event-bus", "deliveries", "-o", "json", "--query", "[].[Rule, State]")
    assert json.loads(listed.stdout) == [["large", "DELIVERED"]]
