"""Log streams and events through boto3."""

import pytest
from asserting import refused

HOUR = 3_600_000


@pytest.fixture
def stream(logs):
    logs.create_log_group(logGroupName="g")
    logs.create_log_stream(logGroupName="g", logStreamName="s")


def put(logs, events, stream="s"):
    events = [{"timestamp": time, "message": message} for time, message in events]
    return logs.put_log_events(logGroupName="g", logStreamName=stream, logEvents=events)


def messages(answer):
    return [event["message"] for event in answer["events"]]


def test_log_events_round_trip(logs, server, stream):
    now = server.now()
    answer = put(logs, [(now - 2, "first ✓"), (now - 1, '{"level": "warn"}'), (now, "line\nbreak\ttab")])
    assert "rejectedLogEventsInfo" not in answer
    read = logs.get_log_events(logGroupName="g", logStreamName="s", startFromHead=True)
    assert messages(read) == ["first ✓", '{"level": "warn"}', "line\nbreak\ttab"]
    assert [event["timestamp"] for event in read["events"]] == [now - 2, now - 1, now]
    assert all(event["ingestionTime"] >= now for event in read["events"])
    found = logs.filter_log_events(logGroupName="g")
    assert messages(found) == messages(read)
    assert {event["logStreamName"] for event in found["events"]} == {"s"}
    assert len({event["eventId"] for event in found["events"]}) == 3
    [described] = logs.describe_log_streams(logGroupName="g")["logStreams"]
    assert (described["firstEventTimestamp"], described["lastEventTimestamp"]) == (now - 2, now)
    assert described["lastIngestionTime"] == read["events"][0]["ingestionTime"]
    assert described["arn"] == "arn:aws:logs:us-east-1:123456789012:log-group:g:log-stream:s"


def test_too_old_and_too_new_log_events_are_rejected(logs, server, stream):
    now = server.now()
    answer = put(logs, [(now, "kept"), (now + 3 * HOUR, "new")])
    assert answer["rejectedLogEventsInfo"] == {"tooNewLogEventStartIndex": 1}
    answer = put(logs, [(now - 15 * 24 * HOUR, "old")])
    assert answer["rejectedLogEventsInfo"] == {"tooOldLogEventEndIndex": 1}
    assert messages(logs.filter_log_events(logGroupName="g")) == ["kept"]


def test_largest_batch_of_log_events(logs, server, stream):
    """Puts a batch of 1 MiB of events, each counted with 26 bytes more, and reads them in pages of 1 MiB."""
    now = server.now()
    put(logs, [(now + n, f"{n:06}".ljust(998, "x")) for n in range(1024)])
    with refused(logs, "InvalidParameterException"):
        put(logs, [(now + n, "x" * 999) for n in range(1024)])
    put(logs, [(now + 1024 + n, "y" * 998) for n in range(1024)])
    pages = list(logs.get_paginator("filter_log_events").paginate(logGroupName="g"))
    assert len(pages) > 1 and all(pages[n]["events"] for n in range(len(pages)))
    found = [event["timestamp"] for page in pages for event in page["events"]]
    assert found == [now + n for n in range(2048)]


def test_get_log_events_forward_and_backward(logs, server, stream):
    now = server.now()
    put(logs, [(now + n, str(n)) for n in range(7)])
    read = lambda **how: logs.get_log_events(logGroupName="g", logStreamName="s", limit=3, **how)
    page = read(startFromHead=True)
    assert messages(page) == ["0", "1", "2"]
    page = read(nextToken=page["nextForwardToken"])
    assert messages(page) == ["3", "4", "5"]
    assert messages(read(nextToken=page["nextBackwardToken"])) == ["0", "1", "2"]
    page = read(nextToken=page["nextForwardToken"])
    assert messages(page) == ["6"]
    end = read(nextToken=page["nextForwardToken"])
    assert (messages(end), end["nextForwardToken"]) == ([], page["nextForwardToken"])
    assert messages(read()) == ["4", "5", "6"], "without startFromHead the newest are returned"


def test_filter_log_events_pages_across_streams_by_time(logs, server, stream):
    logs.create_log_stream(logGroupName="g", logStreamName="t")
    now = server.now()
    put(logs, [(now + n, f"s{n}") for n in range(0, 10, 2)])
    put(logs, [(now + n, f"t{n}") for n in range(1, 10, 2)], stream="t")
    paginator = logs.get_paginator("filter_log_events")
    pages = list(paginator.paginate(logGroupName="g", PaginationConfig={"PageSize": 3}))
    assert [m for page in pages for m in messages(page)] == [f"{'st'[n % 2]}{n}" for n in range(10)]
    assert len(pages) == 4
    found = logs.filter_log_events(
        logGroupName="g", logStreamNames=["t"], startTime=now + 3, endTime=now + 7, filterPattern="?t3 ?t5"
    )
    assert messages(found) == ["t3", "t5"]
    assert messages(logs.filter_log_events(logGroupIdentifier="g", logStreamNamePrefix="t", limit=1)) == ["t1"]


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("", [0, 1, 2, 3]),
        ("ERROR", [0]),
        ('"disk full"', [0]),
        ("ERROR -disk", []),
        ("{ $.level = \"warn\" && $.ms > 20 }", [1]),
        ("{ $.ms = 5 }", [2]),
        ("[host, code = 5*, ...]", [3]),
        ("%disk f[a-z]+%", [0]),
    ],
)
def test_filter_patterns(logs, server, stream, pattern, wanted):
    all_messages = ["ERROR disk full", '{"level": "warn", "ms": 21}', '{"level": "info", "ms": 5}', "web 503 late"]
    now = server.now()
    put(logs, [(now + n, message) for n, message in enumerate(all_messages)])
    found = messages(logs.filter_log_events(logGroupName="g", filterPattern=pattern))
    assert found == [all_messages[n] for n in wanted]


def test_retention_expires_log_events(logs, server, stream):
    put(logs, [(server.now(), "old")])
    logs.put_retention_policy(logGroupName="g", retentionInDays=3)
    server.advance("48h")
    put(logs, [(server.now(), "new")])
    assert messages(logs.filter_log_events(logGroupName="g")) == ["old", "new"]
    stored = logs.describe_log_groups()["logGroups"][0]["storedBytes"]
    server.advance("25h")
    assert messages(logs.filter_log_events(logGroupName="g")) == ["new"]
    assert 0 < logs.describe_log_groups()["logGroups"][0]["storedBytes"] < stored
    answer = put(logs, [(server.now() - 80 * HOUR, "expired already")])
    assert answer["rejectedLogEventsInfo"] == {"expiredLogEventEndIndex": 1}


def test_log_streams_ordered_by_name_and_last_event(logs, server, stream):
    for name in ["a", "b", "c/d", "ü"]:
        logs.create_log_stream(logGroupName="g", logStreamName=name)
    put(logs, [(server.now(), "x")], stream="b")
    paginator = logs.get_paginator("describe_log_streams")
    listed = lambda **how: [
        stream["logStreamName"]
        for page in paginator.paginate(logGroupName="g", PaginationConfig={"PageSize": 2}, **how)
        for stream in page["logStreams"]
    ]
    assert listed() == ["a", "b", "c/d", "s", "ü"]
    assert listed(descending=True) == ["ü", "s", "c/d", "b", "a"]
    assert listed(logStreamNamePrefix="c") == ["c/d"]
    assert listed(orderBy="LastEventTime", descending=True)[0] == "b"
    assert len(listed(orderBy="LastEventTime")) == 5
    logs.delete_log_stream(logGroupName="g", logStreamName="b")
    assert listed() == ["a", "c/d", "s", "ü"]
    assert messages(logs.filter_log_events(logGroupName="g")) == []
    with refused(logs, "ResourceNotFoundException"):
        logs.get_log_events(logGroupName="g", logStreamName="b")


def test_log_group_fields(logs, server, stream):
    now = server.now()
    put(logs, [(now - 1, '{"level": "warn", "user": {"id": 7}}'), (now, '{"level": "info"}')])
    fields = logs.get_log_group_fields(logGroupName="g")["logGroupFields"]
    percents = {field["name"]: field["percent"] for field in fields}
    assert (percents["level"], percents["user.id"], percents["@message"]) == (100, 50, 100)
    around = logs.get_log_group_fields(logGroupIdentifier="g", time=now // 1000 - 3600)
    assert around["logGroupFields"] == []


def test_log_events_are_filtered_from_the_newest(logs, server, stream):
    now = server.now()
    put(logs, [(now - 3, "1"), (now - 2, "2"), (now - 1, "3")])
    page = logs.filter_log_events(logGroupName="g", startFromHead=False, limit=2)
    assert messages(page) == ["3", "2"]
    assert messages(logs.filter_log_events(logGroupName="g", limit=2, nextToken=page["nextToken"])) == ["1"]
    assert page["searchedLogStreams"] == []


def test_entity_of_log_events(logs, server, stream):
    event = {"timestamp": server.now(), "message": "x"}
    send = lambda keys: logs.put_log_events(
        logGroupName="g", logStreamName="s", logEvents=[event], entity={"keyAttributes": keys}
    )
    assert "rejectedEntityInfo" not in send({"Type": "Service", "Name": "api", "Environment": "prod"})
    assert send({"Type": "Team", "Name": "web"})["rejectedEntityInfo"] == {"errorType": "InvalidTypeValue"}
    assert len(logs.filter_log_events(logGroupName="g")["events"]) == 2


def test_sequence_token_is_absent_before_the_first_event(logs, server, stream):
    describe = lambda: logs.describe_log_streams(logGroupName="g")["logStreams"][0]
    assert "uploadSequenceToken" not in describe()
    put(logs, [(server.now(), "x")])
    assert "uploadSequenceToken" in describe()
