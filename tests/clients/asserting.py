"""Assertions about answers and errors."""

import contextlib
import json
import re
import typing

import pytest
from botocore.exceptions import ClientError

# Seconds after which something hangs. It ends a test that would never end; no test needs it to pass.
HANG = 600


class Refusal(typing.NamedTuple):
    """An error of a service as the AWS CLI prints it."""

    code: str
    operation: str
    message: str

    @classmethod
    def from_cli(cls, text):
        found = re.search(r"An error occurred \((\S+)\) when calling the (\S+) operation.*?: (.+)", text, re.DOTALL)
        assert found, f"the AWS CLI could not parse the error: {text}"
        return cls(found[1], found[2], found[3].strip())


@contextlib.contextmanager
def refused(client, code, status=400, modeled=True):
    """Asserts that a call fails with `code` and `status`, and with the exception of the model: that of the same name, or
    of the name `modeled`; if `modeled` is false, with a plain ClientError."""
    with pytest.raises(ClientError) as caught:
        yield caught
    error, response = caught.value, caught.value.response
    seen = (response["Error"]["Code"], response["ResponseMetadata"]["HTTPStatusCode"])
    assert seen == (code, status), f"{seen}: {error}"
    assert response["Error"]["Message"], "an error must have a message"
    assert response["ResponseMetadata"]["RequestId"], "an error must have a request ID"
    if modeled:
        name = code if modeled is True else modeled
        assert isinstance(error, getattr(client.exceptions, name)), f"{code} is not the exception of the model"
    else:
        assert type(error) is ClientError


# JSON types by type of the model. Timestamps depend on their format.
JSON_TYPES = {
    "string": str,
    "blob": str,
    "boolean": bool,
    "integer": int,
    "long": int,
    "float": (int, float),
    "double": (int, float),
    "structure": dict,
    "map": dict,
    "list": list,
}


def unexpected_fields(value, shape, usual_time, path=""):
    """Returns fields of a JSON answer that are not in its model or have another type, which boto3 ignores silently."""
    if shape.type_name == "timestamp":
        form = shape.serialization.get("timestampFormat", usual_time)
        wanted = str if form == "iso8601" else (int, float)
    else:
        wanted = JSON_TYPES[shape.type_name]
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        yield f"{path}: {value!r} is not a {shape.type_name}"
    elif shape.type_name == "structure":
        members = {member.serialization.get("name", name): member for name, member in shape.members.items()}
        for name, within in value.items():
            if name not in members:
                yield f"{path}.{name} is not in the model"
            else:
                yield from unexpected_fields(within, members[name], usual_time, f"{path}.{name}")
    elif shape.type_name == "list":
        for within in value:
            yield from unexpected_fields(within, shape.member, usual_time, f"{path}[]")
    elif shape.type_name == "map":
        for within in value.values():
            yield from unexpected_fields(within, shape.value, usual_time, f"{path}{{}}")


def check_answers(client):
    """Compares every JSON answer that `client` receives with its model, before boto3 parses it."""
    if client.meta.service_model.metadata["protocol"] not in ("json", "rest-json"):
        return

    def check(operation_model, response_dict, **_):
        if operation_model.has_streaming_output:
            return
        if response_dict["status_code"] >= 300 or operation_model.output_shape is None or not response_dict["body"]:
            return
        found = list(unexpected_fields(json.loads(response_dict["body"]), operation_model.output_shape, "unixTimestamp"))
        assert not found, f"{operation_model.name}: {'; '.join(found)}"

    client.meta.events.register("before-parse", check)
