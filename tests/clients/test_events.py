"""Event buses, rules, targets and delivery through boto3."""

import datetime
import json

import pytest

from asserting import refused

ACCOUNT, REGION = "123456789012", "us-east-1"
OTHER = "210987654321"
QUEUE = f"arn:aws:sqs:{REGION}:{ACCOUNT}:orders"
GROUP = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/events"
PATTERN = json.dumps({"source": ["shop"]})


@pytest.fixture
def events(client):
    return client("events")


def bus_arn(name, account=ACCOUNT, region=REGION):
    return f"arn:aws:events:{region}:{account}:event-bus/{name}"


def entry(**members):
    return {"Source": "shop", "DetailType": "Order", "Detail": '{"total": 7}'} | members


def put_rule(events, name, *targets, bus="default", pattern=PATTERN):
    """Creates a rule with targets: ARNs, or targets without an ID."""
    events.put_rule(Name=name, EventBusName=bus, EventPattern=pattern)
    targets = [target if isinstance(target, dict) else {"Arn": target} for target in targets]
    if targets:
        numbered = [{"Id": f"t{n}"} | target for n, target in enumerate(targets)]
        answer = events.put_targets(Rule=name, EventBusName=bus, Targets=numbered)
        assert (answer["FailedEntryCount"], answer["FailedEntries"]) == (0, [])


def messages(logs):
    """Returns the messages in the log group."""
    found = logs.get_paginator("filter_log_events").paginate(logGroupName="/events").build_full_result()
    return [json.loads(event["message"]) for event in found["events"]]


def deliveries(server, **wanted):
    return server.control("event-deliveries", wanted)["Deliveries"]


def test_bus_lifecycle(events):
    created = events.create_event_bus(
        Name="shop",
        Description="Events of the shop",
        DeadLetterConfig={"Arn": QUEUE},
        LogConfig={"IncludeDetail": "FULL", "Level": "ERROR"},
        Tags=[{"Key": "team", "Value": "web"}],
    )
    assert created["EventBusArn"] == bus_arn("shop")
    found = events.describe_event_bus(Name="shop")
    assert (found["Arn"], found["Description"]) == (bus_arn("shop"), "Events of the shop")
    assert (found["DeadLetterConfig"], found["LogConfig"]["Level"]) == ({"Arn": QUEUE}, "ERROR")
    assert isinstance(found["CreationTime"], datetime.datetime)
    updated = events.update_event_bus(Name="shop", Description="Changed")
    assert (updated["Name"], updated["Description"]) == ("shop", "Changed")
    assert events.describe_event_bus()["Name"] == "default"
    assert [bus["Name"] for bus in events.list_event_buses()["EventBuses"]] == ["default", "shop"]
    assert [bus["Name"] for bus in events.list_event_buses(NamePrefix="sh")["EventBuses"]] == ["shop"]
    with refused(events, "ResourceAlreadyExistsException") as caught:
        events.create_event_bus(Name="shop")
    assert caught.value.response["Error"]["Message"] == "Event bus shop already exists."
    with refused(events, "ValidationException", modeled=False):
        events.delete_event_bus(Name="default")
    put_rule(events, "r", bus="shop")
    with refused(events, "ValidationException", modeled=False):
        events.delete_event_bus(Name="shop")
    events.delete_rule(Name="r", EventBusName="shop")
    events.delete_event_bus(Name="shop")
    events.delete_event_bus(Name="shop")
    with refused(events, "ResourceNotFoundException"):
        events.describe_event_bus(Name="shop")


def test_buses_are_paged(events):
    for n in range(7):
        events.create_event_bus(Name=f"b{n}")
    found, token, pages = [], {}, 0
    while token is not None:
        page = events.list_event_buses(NamePrefix="b", Limit=3, **token)
        found += [bus["Name"] for bus in page["EventBuses"]]
        token, pages = {"NextToken": page["NextToken"]} if "NextToken" in page else None, pages + 1
    assert (found, pages) == ([f"b{n}" for n in range(7)], 3)


def test_rule_lifecycle(events):
    tags = [{"Key": "team", "Value": "web"}]
    made = events.put_rule(Name="orders", EventPattern=PATTERN, Description="Orders", Tags=tags)
    arn = f"arn:aws:events:{REGION}:{ACCOUNT}:rule/orders"
    assert made["RuleArn"] == arn
    found = events.describe_rule(Name="orders")
    assert (found["Arn"], found["EventPattern"], found["State"]) == (arn, PATTERN, "ENABLED")
    assert (found["EventBusName"], found["CreatedBy"], found["Description"]) == ("default", ACCOUNT, "Orders")
    events.disable_rule(Name="orders")
    assert events.describe_rule(Name="orders")["State"] == "DISABLED"
    events.enable_rule(Name="orders")
    # A rule is replaced as a whole.
    events.put_rule(Name="orders", ScheduleExpression="rate(5 minutes)")
    found = events.describe_rule(Name="orders")
    assert found["ScheduleExpression"] == "rate(5 minutes)"
    assert "EventPattern" not in found and "Description" not in found
    with refused(events, "ValidationException", modeled=False):
        events.put_rule(Name="orders")
    with refused(events, "InvalidEventPatternException"):
        events.put_rule(Name="orders", EventPattern='{"source": "shop"}')
    with refused(events, "ResourceNotFoundException"):
        events.put_rule(Name="orders", EventBusName="nowhere", EventPattern=PATTERN)
    with refused(events, "ResourceNotFoundException") as caught:
        events.describe_rule(Name="nothing")
    assert caught.value.response["Error"]["Message"] == "Rule nothing does not exist on EventBus default."
    events.delete_rule(Name="orders")
    events.delete_rule(Name="orders")
    assert events.list_rules()["Rules"] == []


def test_rules_and_targets_are_paged(events):
    for n in range(5):
        put_rule(events, f"r{n}", QUEUE, {"Arn": GROUP}, QUEUE)
    paged = lambda operation, **given: events.get_paginator(operation).paginate(
        PaginationConfig={"PageSize": 2}, **given
    )
    assert len(list(paged("list_rules", NamePrefix="r"))) == 3
    rules = paged("list_rules").build_full_result()["Rules"]
    assert [rule["Name"] for rule in rules] == [f"r{n}" for n in range(5)]
    targets = paged("list_targets_by_rule", Rule="r0").build_full_result()["Targets"]
    assert [target["Id"] for target in targets] == ["t0", "t1", "t2"]
    names = paged("list_rule_names_by_target", TargetArn=QUEUE).build_full_result()["RuleNames"]
    assert names == [f"r{n}" for n in range(5)]
    with refused(events, "ValidationException", modeled=False):
        events.list_rules(NextToken="made up")


def test_targets_are_replaced_removed_and_limited(events):
    put_rule(events, "r", QUEUE)
    target = {"Id": "t0", "Arn": QUEUE, "RetryPolicy": {"MaximumRetryAttempts": 3, "MaximumEventAgeInSeconds": 60}}
    events.put_targets(Rule="r", Targets=[target])
    assert events.list_targets_by_rule(Rule="r")["Targets"] == [target]
    with refused(events, "ValidationException", modeled=False):
        events.delete_rule(Name="r")
    with refused(events, "LimitExceededException"):
        events.put_targets(Rule="r", Targets=[{"Id": f"n{n}", "Arn": QUEUE} for n in range(5)])
    removed = events.remove_targets(Rule="r", Ids=["t0", "missing"])
    assert removed["FailedEntryCount"] == 1
    [failed] = removed["FailedEntries"]
    assert (failed["TargetId"], failed["ErrorCode"]) == ("missing", "ResourceNotFoundException")
    events.delete_rule(Name="r")


def test_tags_of_buses_and_rules(events):
    bus = events.create_event_bus(Name="shop", Tags=[{"Key": "a", "Value": "1"}])["EventBusArn"]
    put_rule(events, "r", bus="shop")
    rule = events.describe_rule(Name="r", EventBusName="shop")["Arn"]
    assert rule.endswith(":rule/shop/r")
    for arn, expected in [(bus, {"a": "1", "b": "2"}), (rule, {"b": "2"})]:
        events.tag_resource(ResourceARN=arn, Tags=[{"Key": "b", "Value": "2"}])
        tags = events.list_tags_for_resource(ResourceARN=arn)["Tags"]
        assert {tag["Key"]: tag["Value"] for tag in tags} == expected
        events.untag_resource(ResourceARN=arn, TagKeys=list(expected))
        assert events.list_tags_for_resource(ResourceARN=arn)["Tags"] == []
    with refused(events, "ResourceNotFoundException"):
        events.list_tags_for_resource(ResourceARN=bus_arn("nowhere"))


def test_results_of_entries_are_in_their_order(events, client, server):
    sent = events.put_events(
        Entries=[
            entry(),
            {"DetailType": "Order", "Detail": "{}"},
            entry(Detail="no"),
            entry(Source="aws.s3"),
            entry(EventBusName="nowhere"),
        ]
    )
    codes = [result.get("ErrorCode") for result in sent["Entries"]]
    assert codes == [None, "InvalidArgument", "MalformedDetail", "NotAuthorizedForSourceException", None]
    assert sent["FailedEntryCount"] == 3
    assert [("EventId" in result) for result in sent["Entries"]] == [code is None for code in codes]
    [recent] = server.control("recent-events", {})["Events"]
    assert json.loads(recent["Event"])["id"] == sent["Entries"][0]["EventId"]
    # boto3 itself refuses an empty list.
    unchecked = client("events", checked=False)
    for entries in [[], [entry()] * 11, [entry(Detail=json.dumps({"text": "x" * 1024 * 1024}))]]:
        with refused(unchecked, "ValidationException", modeled=False):
            unchecked.put_events(Entries=entries)
    with refused(unchecked, "ValidationException", modeled=False) as caught:
        unchecked.put_events(Entries=[{"Source": "shop", "DetailType": "Order", "Detail": "{}"}] * 11)
    # The provider prints members that its API does not have.
    printed = (
        "PutEventsRequestEntry(time=null, source=shop, resources=null, detailType=Order, detail={}, eventBusName=null, "
        "traceHeader=null, kmsKeyIdentifier=null, internalMetadata=null)"
    )
    assert caught.value.response["Error"]["Message"] == (
        f"1 validation error detected: Value '[{', '.join([printed] * 11)}]' at 'entries' failed to satisfy constraint: "
        "Member must have length less than or equal to 10"
    )


def test_event_is_delivered_to_a_log_group(events, logs, server):
    logs.create_log_group(logGroupName="/events")
    put_rule(events, "orders", GROUP)
    time = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    sent = events.put_events(Entries=[entry(Time=time, Resources=["arn:aws:s3:::a"]), entry(Source="bank")])
    assert messages(logs) == [
        {
            "version": "0",
            "id": sent["Entries"][0]["EventId"],
            "detail-type": "Order",
            "source": "shop",
            "account": ACCOUNT,
            "time": "2026-01-02T03:04:05Z",
            "region": REGION,
            "resources": ["arn:aws:s3:::a"],
            "detail": {"total": 7},
        }
    ]
    recent = server.control("recent-events", {})["Events"]
    assert [event["Rules"] for event in recent] == [["orders"], []]
    assert deliveries(server) == []


def test_input_path_and_transformer(events, logs):
    logs.create_log_group(logGroupName="/events")
    transformer = {
        "InputPathsMap": {"total": "$.detail.total", "from": "$.source"},
        "InputTemplate": '{"total": <total>, "text": "<from> paid", "rule": "<aws.events.rule-name>"}',
    }
    put_rule(
        events,
        "orders",
        {"Arn": GROUP, "Input": '{"constant": true}'},
        {"Arn": GROUP, "InputPath": "$.detail"},
        {"Arn": GROUP, "InputTransformer": transformer},
    )
    events.put_events(Entries=[entry()])
    expected = [{"constant": True}, {"total": 7}, {"total": 7, "text": "shop paid", "rule": "orders"}]
    assert messages(logs) == expected
    with refused(events, "ValidationException", modeled=False):
        events.put_targets(Rule="orders", Targets=[{"Id": "x", "Arn": GROUP, "Input": "{}", "InputPath": "$"}])


def test_outbox_and_dead_letters(events, server):
    dead = f"arn:aws:sqs:{REGION}:{ACCOUNT}:dead"
    put_rule(events, "orders", QUEUE, {"Arn": GROUP, "DeadLetterConfig": {"Arn": dead}}, GROUP)
    events.put_events(Entries=[entry()])
    outbox, letter, failed = deliveries(server)
    assert (outbox["State"], outbox["TargetArn"]) == ("DELIVERED", QUEUE)
    assert json.loads(outbox["Input"])["detail"] == {"total": 7}
    assert (letter["State"], letter["DeadLetterArn"], letter["ErrorCode"]) == ("DEAD_LETTER", dead, "NO_RESOURCE")
    assert (failed["State"], failed["Attempts"]) == ("FAILED", 1)
    assert deliveries(server, State="FAILED") == [failed]
    assert deliveries(server, TargetArn=QUEUE) == [outbox]
    server.control("remove-event-deliveries", {"UpTo": letter["Number"]})
    assert deliveries(server) == [failed]


def test_schedule_fires_on_the_clock_of_the_cloud(events, logs, server):
    logs.create_log_group(logGroupName="/events")
    events.put_rule(Name="nightly", ScheduleExpression="cron(0 2 * * ? *)")
    events.put_targets(Rule="nightly", Targets=[{"Id": "log", "Arn": GROUP}])
    server.advance("3d")
    found = messages(logs)
    assert [event["time"][10:] for event in found] == ["T02:00:00Z"] * 3
    assert {(event["source"], event["detail-type"]) for event in found} == {("aws.events", "Scheduled Event")}
    assert found[0]["resources"] == [f"arn:aws:events:{REGION}:{ACCOUNT}:rule/nightly"]
    events.disable_rule(Name="nightly")
    server.advance("3d")
    assert len(messages(logs)) == 3


def test_buses_of_other_accounts_and_regions(events, client, server):
    theirs = client("events", account=OTHER, region="eu-west-1")
    arn = bus_arn("shared", OTHER, "eu-west-1")
    theirs.create_event_bus(Name="shared")
    theirs_logs = client("logs", account=OTHER, region="eu-west-1")
    theirs_logs.create_log_group(logGroupName="/events")
    put_rule(theirs, "all", f"arn:aws:logs:eu-west-1:{OTHER}:log-group:/events", bus="shared")
    put_rule(events, "away", arn)
    events.put_events(Entries=[entry()])
    [failed] = deliveries(server)
    assert (failed["State"], failed["ErrorCode"]) == ("FAILED", "NO_PERMISSIONS")
    [refusal] = events.put_events(Entries=[entry(EventBusName=arn)])["Entries"]
    assert refusal["ErrorCode"] == "AccessDeniedException"
    theirs.put_permission(EventBusName="shared", Action="events:PutEvents", Principal=ACCOUNT, StatementId="one")
    policy = json.loads(theirs.describe_event_bus(Name="shared")["Policy"])
    assert policy["Statement"][0]["Sid"] == "one"
    assert events.put_events(Entries=[entry(), entry(EventBusName=arn)])["FailedEntryCount"] == 0
    found = messages(theirs_logs)
    assert [(event["account"], event["region"]) for event in found] == [(ACCOUNT, REGION)] * 2
    theirs.remove_permission(EventBusName="shared", StatementId="one")
    assert "Policy" not in theirs.describe_event_bus(Name="shared")


def test_events_of_services_and_managed_rules(events, server):
    put_rule(events, "files", QUEUE, pattern=json.dumps({"source": ["aws.s3"]}))
    event = {"Source": "aws.s3", "DetailType": "Object Created", "Detail": '{"bucket": {"name": "b"}}'}
    sent = server.control("service-event", event)
    [delivery] = deliveries(server)
    assert delivery["EventId"] == sent["EventId"]
    managed = {"Name": "m", "ManagedBy": "schemas.amazonaws.com", "EventPattern": PATTERN, "TargetArn": QUEUE}
    server.control("managed-rule", managed)
    assert events.describe_rule(Name="m")["ManagedBy"] == "schemas.amazonaws.com"
    for change in [lambda: events.delete_rule(Name="m"), lambda: events.disable_rule(Name="m")]:
        with refused(events, "ManagedRuleException"):
            change()
    events.put_events(Entries=[entry()])
    assert [delivery["Rule"] for delivery in deliveries(server)] == ["files", "m"]
    server.control("remove-managed-rule", {"Name": "m"})
    assert [rule["Name"] for rule in events.list_rules()["Rules"]] == ["files"]


def test_patterns_are_tested(events):
    event = {"id": "1", "account": ACCOUNT, "source": "shop", "time": "2026-01-02T03:04:05Z", "region": REGION}
    event |= {"resources": [], "detail-type": "Order", "detail": {"total": 7}}
    matches = lambda pattern: events.test_event_pattern(EventPattern=json.dumps(pattern), Event=json.dumps(event))
    assert matches({"detail": {"total": [{"numeric": [">", 5]}]}})["Result"] is True
    assert matches({"source": [{"anything-but": "shop"}]})["Result"] is False
    with refused(events, "InvalidEventPatternException"):
        matches({"source": [{"nothing": "x"}]})
