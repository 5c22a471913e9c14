"""Environment variables, and the default sessions of boto3 and of Nephos, while `mock_aws` is active."""

from __future__ import annotations

import os
import sys
from typing import Any

from nephos import _context
from nephos.boto import DEFAULT_REGION, SECRET

#: Variables that name other credentials or another endpoint.
_REMOVED = (
    "AWS_ACCOUNT_ID",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_DEFAULT_PROFILE",
    "AWS_PROFILE",
    "AWS_ROLE_ARN",
    "AWS_SECURITY_TOKEN",
    "AWS_SESSION_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
)
_ENDPOINTS = "AWS_ENDPOINT_URL"


class Environment:
    """A change of environment variables and of default sessions, which can be undone."""

    def __init__(self, cloud: Any, account: str, region: str | None) -> None:
        variables = _sealed(account, region)
        # It is made first, because it may be refused.
        session = cloud.session(account, variables["AWS_DEFAULT_REGION"])
        self._variables = _change(variables)
        self._boto3_session = _swap_boto3_session(None)
        self._session = _context.set_default_session(session)

    def undo(self, later: Environment | None) -> None:
        """Restores what was there before. `later` is the next change that is still there, if this is not the last one."""
        if later is None:
            _change(self._variables)
            _swap_boto3_session(self._boto3_session)
            _context.set_default_session(self._session)
        else:
            # The later change restores in its turn what was there before this one.
            later._variables |= self._variables
            later._boto3_session = self._boto3_session
            later._session = self._session


def _sealed(account: str, region: str | None) -> dict[str, str | None]:
    """Returns variables for `account` that lead to no credentials, files or endpoints of the user."""
    endpoints = [name for name in os.environ if name.startswith(_ENDPOINTS)]
    variables: dict[str, str | None] = dict.fromkeys([*_REMOVED, *endpoints])
    variables |= {
        "AWS_ACCESS_KEY_ID": account,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    # A file that is named explicitly belongs to the test, and may say the Region.
    default_region = None if "AWS_CONFIG_FILE" in os.environ else DEFAULT_REGION
    variables["AWS_DEFAULT_REGION"] = region or os.environ.get("AWS_DEFAULT_REGION", default_region)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        variables[name] = os.environ.get(name, os.devnull)
    if region is not None:
        variables["AWS_REGION"] = region
    return variables


def _change(variables: dict[str, str | None]) -> dict[str, str | None]:
    """Sets the variables with a value, removes those without; returns their previous values."""
    previous = {name: os.environ.get(name) for name in variables}
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    return previous


def _swap_boto3_session(session: Any) -> Any:
    """Sets boto3's default session, and returns the previous one. There is none before boto3 is imported."""
    boto3: Any = sys.modules.get("boto3")
    if boto3 is None:
        return None
    previous = boto3.DEFAULT_SESSION
    boto3.DEFAULT_SESSION = session
    return previous
