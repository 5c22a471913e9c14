"""Typed AWS resources, and a transactional cloud inside the process that answers for them.

    import nephos

    with nephos.Cloud() as cloud:
        nephos.LogGroup.objects.create(logGroupName="/web/api", retentionInDays=30, tags={"team": "web"})
        for group in nephos.LogGroup.objects.list().filter(retentionInDays__gte=30):
            print(group.name)

The kinds of all services are here (`nephos.LogGroup`); their records and enums are in the modules of the services
(`nephos.logs.LogGroupClass`). Classes are made when they are first used.
"""

from __future__ import annotations

from typing import Any

from nephos import _modules, errors
from nephos._cloud import Clock, Cloud
from nephos._context import current_session, set_default_session
from nephos._models import Change, Manager, Model, Preview, Record
from nephos._nephos import ResultSet, SecretBytes, SecretStr, Session
from nephos.boto import UnsupportedService
from nephos.errors import Error
from nephos.mock import mock_aws

__all__ = [
    "Change",
    "Clock",
    "Cloud",
    "Error",
    "Manager",
    "Model",
    "Preview",
    "Record",
    "ResultSet",
    "SecretBytes",
    "SecretStr",
    "Session",
    "UnsupportedService",
    "current_session",
    "errors",
    "mock_aws",
    "set_default_session",
]

__version__ = _modules.version()


def __getattr__(name: str) -> Any:
    return _modules.find(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_modules.names()})


_modules.register()
