"""The shorter ways through botocore: users see the same answers and events as with botocore's own code, and nothing of theirs is left out."""

import datetime
import logging
import re
import time

import boto3
import botocore.endpoint
import botocore.history
import botocore.httpsession
import botocore.parsers
import pytest
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError, NoCredentialsError, WaiterError
from botocore.stub import Stubber

import nephos
from nephos import boto_session, mock_calls


@pytest.fixture
def full_requests(monkeypatch):
    """Counts the requests that botocore prepares itself, which the shorter way does not."""
    counted = []

    original = boto_session.answer

    def answer(cloud, request, account=None):
        counted.append(request)
        return original(cloud, request, account)

    monkeypatch.setattr(boto_session, "answer", answer)
    return counted


@pytest.fixture
def logs():
    with nephos.mock_aws():
        yield boto3.client("logs")


def test_shorter_ways_are_used(logs, full_requests):
    assert mock_calls.is_known_botocore()
    logs.create_log_group(logGroupName="/a")
    with pytest.raises(ClientError):
        logs.create_log_group(logGroupName="/a")
    assert full_requests == []


OPERATIONS = [
    ("logs", "describe_log_groups", {}),
    ("logs", "get_log_events", {"logGroupName": "/none", "logStreamName": "x"}),
    ("schemas", "list_registries", {"Limit": 5}),
    ("schemas", "describe_registry", {"RegistryName": "none"}),
    ("iam", "get_user", {"UserName": "ada"}),
    ("iam", "get_user", {"UserName": "none"}),
    ("ec2", "describe_vpcs", {"Filters": [{"Name": "is-default", "Values": ["true"]}]}),
    ("ec2", "describe_vpcs", {"VpcIds": ["vpc-none"]}),
    ("sts", "get_caller_identity", {}),
    ("secretsmanager", "get_secret_value", {"SecretId": "db"}),
    ("events", "put_events", {"Entries": [{"Source": "a", "DetailType": "b", "Detail": "{}"}]}),
]


@pytest.mark.parametrize(("service", "operation", "parameters"), OPERATIONS, ids=[f"{one[1]}-{n}" for n, one in enumerate(OPERATIONS)])
def test_answers_are_those_of_botocores_own_code(service, operation, parameters, full_requests, caplog):
    def call(client):
        try:
            answer = getattr(client, operation)(**parameters)
        except ClientError as error:
            answer = {**error.response, "class": type(error).__name__}
        answer["ResponseMetadata"]["HTTPHeaders"].pop("date", None)
        # IDs of requests and events are random.
        return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID", str(answer))

    base = nephos.Cloud(time="2026-01-31T12:00:00Z", seed=3)
    base.client("iam").create_user(UserName="ada", Path="/team/")
    base.client("secretsmanager").create_secret(Name="db", SecretString="x", ClientRequestToken="0" * 32)
    full_requests.clear()
    with nephos.mock_aws(cloud=base.fork()):
        short = call(boto3.client(service))
    assert full_requests == []
    # With debug messages, each step of botocore runs.
    with caplog.at_level(logging.DEBUG, "botocore"), nephos.mock_aws(cloud=base.fork()):
        full = call(boto3.client(service))
    assert len(full_requests) == 1
    assert short == full


#: Events of a call in their order, of which `needs-retry` comes last for a failed attempt, too.
EVENTS = [
    "provide-client-params",
    "before-parameter-build",
    "before-call",
    "request-created",
    "choose-signer",
    "before-sign",
    "before-send",
    "before-parse",
    "response-received",
    "needs-retry",
    "after-call",
]


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_reaches_a_handler(logs, event):
    logs.describe_log_groups()
    seen = []
    logs.meta.events.register(f"{event}.logs.DescribeLogGroups", lambda **given: seen.append(given["event_name"]))
    logs.describe_log_groups()
    logs.describe_log_groups()
    assert set(seen) == {f"{event}.cloudwatch-logs.DescribeLogGroups"} and len(seen) == 2


def test_handlers_of_all_events_are_called_in_order(logs):
    seen = []
    for event in EVENTS:
        logs.meta.events.register(f"{event}.*.*", lambda event=event, **given: seen.append(event))
    logs.describe_log_groups()
    assert seen == EVENTS


def test_removed_handler_is_not_called_and_the_way_is_short_again(logs, full_requests):
    seen = []

    def handler(**given):
        seen.append(given)

    logs.meta.events.register("before-send", handler)
    logs.describe_log_groups()
    assert (len(seen), len(full_requests)) == (1, 1)
    logs.meta.events.unregister("before-send", handler)
    logs.describe_log_groups()
    assert (len(seen), len(full_requests)) == (1, 1)


def test_before_send_answers_instead_of_the_cloud(logs):
    body = b'{"logGroups": [{"logGroupName": "/mine"}]}'

    def answer(request, **given):
        assert request.headers["Authorization"]
        return AWSResponse(request.url, 200, {}, boto_session.RawBody(body))

    logs.meta.events.register("before-send.logs", answer)
    assert [group["logGroupName"] for group in logs.describe_log_groups()["logGroups"]] == ["/mine"]


def test_request_created_changes_the_request(memory):
    # The account of the caller is in the credentials.
    with nephos.mock_aws(cloud=memory):
        sts = boto3.client("sts")

        def as_other(request, **given):
            scope = request.headers["Authorization"].replace("123456789012/", "210987654321/")
            request.headers.replace_header("Authorization", scope)

        sts.meta.events.register_last("request-created.sts", as_other)
        assert sts.get_caller_identity()["Account"] == "210987654321"


def test_before_parse_and_after_call_change_the_answer(logs):
    def add(customized_response_dict, **given):
        customized_response_dict["mine"] = 1

    def count(parsed, http_response, **given):
        parsed["length"] = len(http_response.content)

    logs.meta.events.register("before-parse.logs", add)
    logs.meta.events.register("after-call.logs", count)
    answer = logs.describe_log_groups()
    assert (answer["mine"], answer["length"]) == (1, len(b'{"logGroups":[]}'))


@pytest.mark.parametrize("mode", ["legacy", "standard", "adaptive"])
def test_failed_attempts_are_repeated(monkeypatch, mode, full_requests):
    """The cloud is throttled twice, and then answers."""
    throttled = (400, [("content-type", "application/x-amz-json-1.1")], b'{"__type": "ThrottlingException", "message": "slowly"}')
    left, waited = [throttled, throttled], []
    monkeypatch.setattr("time.sleep", waited.append)

    class Throttled(nephos.Cloud):
        def request(self, *args):
            return left.pop() if left else super().request(*args)

    with nephos.mock_aws(cloud=Throttled()):
        client = boto3.client("logs", config=Config(retries={"mode": mode, "max_attempts": 4}))
        answer = client.describe_log_groups()
        assert answer["ResponseMetadata"]["RetryAttempts"] == 2
        assert client.describe_log_groups()["ResponseMetadata"]["RetryAttempts"] == 0
        left[:] = [throttled] * 20
        with pytest.raises(client.exceptions.ThrottlingException) as caught:
            client.describe_log_groups()
        assert caught.value.response["ResponseMetadata"]["MaxAttemptsReached"] is True
    assert len(waited) >= 2


def test_failing_cloud_raises_in_the_caller(monkeypatch):
    class Broken(nephos.Cloud):
        def request(self, *args):
            raise RuntimeError("broken")

    with nephos.mock_aws(cloud=Broken()), pytest.raises(RuntimeError, match="broken"):
        boto3.client("logs").describe_log_groups()


def test_stubber_paginator_and_waiter_work(logs):
    with Stubber(logs) as stubber:
        stubber.add_response("describe_log_groups", {"logGroups": [{"logGroupName": "/stubbed"}]})
        stubber.add_client_error("describe_log_groups", "ServiceUnavailableException")
        assert logs.describe_log_groups()["logGroups"][0]["logGroupName"] == "/stubbed"
        with pytest.raises(ClientError, match="ServiceUnavailable"):
            logs.describe_log_groups()
    for n in range(5):
        logs.create_log_group(logGroupName=f"/{n}")
    pages = logs.get_paginator("describe_log_groups").paginate(PaginationConfig={"PageSize": 2})
    assert [len(page["logGroups"]) for page in pages] == [2, 2, 1]
    iam = boto3.client("iam")
    with pytest.raises(WaiterError):
        iam.get_waiter("user_exists").wait(UserName="ada", WaiterConfig={"Delay": 0, "MaxAttempts": 2})
    iam.create_user(UserName="ada")
    iam.get_waiter("user_exists").wait(UserName="ada")


def test_functions_that_a_test_replaces_are_called(logs, monkeypatch, full_requests):
    def fail(session, request):
        raise botocore.httpsession.HTTPClientError(error="replaced")

    with monkeypatch.context() as change:
        change.setattr(botocore.httpsession.URLLib3Session, "send", fail)
        with pytest.raises(botocore.httpsession.HTTPClientError, match="replaced"):
            logs.describe_log_groups()
    prepared = []
    original = botocore.endpoint.Endpoint.prepare_request
    monkeypatch.setattr(botocore.endpoint.Endpoint, "prepare_request", lambda *given: prepared.append(1) or original(*given))
    logs.describe_log_groups()
    assert (len(prepared), len(full_requests)) == (1, 1)


def test_recorder_of_the_history_sees_the_request(logs):
    recorder, seen = botocore.history.get_global_history_recorder(), []

    class Handler(botocore.history.BaseHistoryHandler):
        def emit(self, event_type, payload, source):
            seen.append(event_type)

    recorder.add_handler(Handler())
    recorder.enable()
    try:
        logs.describe_log_groups()
    finally:
        recorder.disable()
        recorder._handlers.clear()
    assert "HTTP_REQUEST" in seen and "HTTP_RESPONSE" in seen


def test_requests_without_a_signature_or_credentials(monkeypatch):
    with nephos.mock_aws():
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        with pytest.raises(NoCredentialsError):
            boto3.client("logs").describe_log_groups()
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "123456789012")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")


def test_endpoint_follows_the_settings_of_the_client(logs):
    west = boto3.client("logs", region_name="eu-west-1")
    west.create_log_group(logGroupName="/west")
    logs.create_log_group(logGroupName="/east")
    hosts = []

    def note(params, **given):
        hosts.append(params["url"].split("/")[2])

    for client in (logs, west, boto3.client("logs", config=Config(use_fips_endpoint=True))):
        client.meta.events.register("before-call", note)
        client.describe_log_groups()
    assert hosts == ["logs.us-east-1.amazonaws.com", "logs.eu-west-1.amazonaws.com", "logs-fips.us-east-1.amazonaws.com"]


def test_parameters_that_decide_the_endpoint_do():
    """A call with an `EndpointId` would need another package, to be signed."""
    with nephos.mock_aws():
        events = boto3.client("events")
        put = events.meta.service_model.operation_model("PutEvents")
        found = [events._ruleset_resolver.construct_endpoint(put, given, {}).url for given in ({}, {"EndpointId": "abc.def"}, {})]
    here = "https://events.us-east-1.amazonaws.com"
    assert found == [here, "https://abc.def.endpoint.events.amazonaws.com", here]


@pytest.fixture(params=["UTC", "Europe/Berlin"])
def zone(request, monkeypatch):
    with monkeypatch.context() as change:
        change.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T12:00:00Z",
        "2026-01-31T12:00:00.5Z",
        "2026-01-31T12:00:00.123456Z",
        "2026-01-31T12:00:00.1234567Z",
        "2026-01-31T12:00:00+02:00",
        "Sat, 31 Jan 2026 12:00:00 GMT",
        "2026-01-31",
        "1769860800",
        1769860800,
        1769860800.25,
        -1,
    ],
)
def test_dates_are_read_as_botocore_reads_them(zone, text):
    original = botocore.parsers.DEFAULT_TIMESTAMP_PARSER
    short = mock_calls.short_parse_timestamp(original)
    assert repr(short(text)) == repr(original(text)) and short(text) == original(text)
    assert isinstance(short(text), datetime.datetime)


@pytest.mark.parametrize("text", ["2026-13-31T12:00:00Z", "2026-01-31T25:00:00Z", "never", 1e12])
def test_wrong_dates_are_refused_as_by_botocore(text):
    original = botocore.parsers.DEFAULT_TIMESTAMP_PARSER
    with pytest.raises(ValueError) as expected:
        original(text)
    with pytest.raises(ValueError) as caught:
        mock_calls.short_parse_timestamp(original)(text)
    assert str(caught.value) == str(expected.value)
