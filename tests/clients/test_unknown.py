"""Unknown services and operations are refused in the protocol of the client."""

import json
import urllib.error
import urllib.request

import pytest
from asserting import refused

# Services that are not implemented, at least one for each protocol, and an operation without parameters.
UNKNOWN_SERVICES = [
    ("dynamodb", "list_tables", "UnknownOperationException", 400),  # JSON 1.0
    ("kinesis", "list_streams", "UnknownOperationException", 400),  # JSON 1.1
    ("sqs", "list_queues", "UnknownOperationException", 400),  # JSON 1.0, with codes of query services
    ("lambda", "list_functions", "UnknownOperationException", 404),  # by path, JSON
    ("cloudformation", "list_stacks", "InvalidAction", 400),  # forms and XML
    ("autoscaling", "describe_auto_scaling_groups", "InvalidAction", 400),
    ("s3", "list_buckets", "UnknownOperationException", 404),  # by path, XML
    ("route53", "list_hosted_zones", "UnknownOperationException", 404),
    ("cloudfront", "list_distributions", "UnknownOperationException", 404),
]


@pytest.mark.parametrize(("service", "operation", "code", "status"), UNKNOWN_SERVICES, ids=[s[0] for s in UNKNOWN_SERVICES])
def test_unknown_service_is_refused_with_a_code(client, service, operation, code, status):
    unknown = client(service)
    with refused(unknown, code, status, modeled=False) as error:
        getattr(unknown, operation)()
    signed_for = unknown.meta.service_model.signing_name
    message = f"the service {signed_for} is not in this cloud; serve --fallback URL passes it on"
    assert error.value.response["Error"]["Message"] == message


# Operations that are not implemented, of services that are.
MISSING = [
    ("logs", "describe_queries", {}, 400),
    ("logs", "describe_export_tasks", {}, 400),
    ("ec2", "describe_key_pairs", {}, 400),
]


@pytest.mark.parametrize(("service", "operation", "params", "status"), MISSING, ids=[m[1] for m in MISSING])
def test_unknown_operation_is_refused_with_a_code(client, service, operation, params, status):
    caller = client(service)
    code = "InvalidAction" if service == "ec2" else "UnknownOperationException"
    with refused(caller, code, status, modeled=False) as error:
        getattr(caller, operation)(**params)
    name = caller.meta.method_to_api_mapping[operation]
    assert error.value.response["Error"]["Message"] == f'{service} has no operation "{name}"'


def fetch(url, data=None, **headers):
    """Returns status, error code and body of an error response."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=data, headers=headers)) as answer:
            pytest.fail(f"the request succeeded: {answer.read()}")
    except urllib.error.HTTPError as error:
        return error.code, error.headers["x-amzn-errortype"], json.load(error)


def test_malformed_requests_are_refused(server):
    assert fetch(server.url)[:2] == (404, "UnknownOperationException")
    target = {"X-Amz-Target": "Logs_20140328.CreateLogGroup", "Content-Type": "application/x-amz-json-1.1"}
    for body in [b"no JSON", b"[]", b'"text"', b"{} {}", b"\xff\xfe"]:
        status, code, error = fetch(server.url, body, **target)
        assert (status, code, error["__type"]) == (400, "SerializationException", "SerializationException"), body
    deep = b'{"logGroupName": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    assert fetch(server.url, deep, **target)[0] == 400
