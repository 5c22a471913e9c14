"""What the tests say about answers and refusals."""

import contextlib
import json
import re
import typing

import pytest
from botocore.exceptions import ClientError


class Refusal(typing.NamedTuple):
    """A refusal as the AWS CLI tells it."""

    code: str
    operation: str
    message: str

    @classmethod
    def of_cli(cls, text):
        found = re.search(r"An error occurred \((\S+)\) when calling the (\S+) operation.*?: (.+)", text, re.DOTALL)
        assert found, f"the AWS CLI could not make sense of the refusal: {text}"
        return cls(found[1], found[2], found[3].strip())


@contextlib.contextmanager
def refused(client, code, status=400, modeled=True):
    """A call that the service refuses under `code`, as the exception of that name, or called `modeled`, if the model has
    one."""
    with pytest.raises(ClientError) as caught:
        yield caught
    error, response = caught.value, caught.value.response
    seen = (response["Error"]["Code"], response["ResponseMetadata"]["HTTPStatusCode"])
    assert seen == (code, status), f"{seen}: {error}"
    assert response["Error"]["Message"], "a refusal says why"
    assert response["ResponseMetadata"]["RequestId"], "a refusal has a request id"
    if modeled:
        name = code if modeled is True else modeled
        assert isinstance(error, getattr(client.exceptions, name)), f"{code} was not taken for the model's exception"
    else:
        assert type(error) is ClientError


# What JSON has for each type of a model. Instants are told by their form.
IN_JSON = {
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


def strangers(value, shape, usual_time, path=""):
    """What of a JSON answer is not in its model, or of another type: boto3 passes over it in silence."""
    if shape.type_name == "timestamp":
        form = shape.serialization.get("timestampFormat", usual_time)
        wanted = str if form == "iso8601" else (int, float)
    else:
        wanted = IN_JSON[shape.type_name]
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        yield f"{path}: {value!r} is no {shape.type_name}"
    elif shape.type_name == "structure":
        members = {member.serialization.get("name", name): member for name, member in shape.members.items()}
        for name, within in value.items():
            if name not in members:
                yield f"{path}.{name} is not in the model"
            else:
                yield from strangers(within, members[name], usual_time, f"{path}.{name}")
    elif shape.type_name == "list":
        for within in value:
            yield from strangers(within, shape.member, usual_time, f"{path}[]")
    elif shape.type_name == "map":
        for within in value.values():
            yield from strangers(within, shape.value, usual_time, f"{path}{{}}")


def check_answers(client):
    """Lets every answer that `client` gets in JSON be compared with its model, as it comes over the wire."""
    if client.meta.service_model.metadata["protocol"] not in ("json", "rest-json"):
        return

    def check(operation_model, response_dict, **_):
        if response_dict["status_code"] >= 300 or operation_model.output_shape is None or not response_dict["body"]:
            return
        found = list(strangers(json.loads(response_dict["body"]), operation_model.output_shape, "unixTimestamp"))
        assert not found, f"{operation_model.name}: {'; '.join(found)}"

    client.meta.events.register("before-parse", check)
