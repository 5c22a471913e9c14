"""What the tests say about refusals."""

import contextlib
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
    """A call that the service refuses under `code`, as the exception of that name if the model has one."""
    with pytest.raises(ClientError) as caught:
        yield caught
    error, response = caught.value, caught.value.response
    seen = (response["Error"]["Code"], response["ResponseMetadata"]["HTTPStatusCode"])
    assert seen == (code, status), f"{seen}: {error}"
    assert response["Error"]["Message"], "a refusal says why"
    assert response["ResponseMetadata"]["RequestId"], "a refusal has a request id"
    if modeled:
        assert isinstance(error, getattr(client.exceptions, code)), f"{code} was not taken for the model's exception"
    else:
        assert type(error) is ClientError
