"""moto, as the place of services that are not here."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterable
from typing import Any
from unittest.mock import patch

from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from nephos import boto_session
from nephos.boto import UnsupportedService
from nephos.mock_events import EventReceivers


class Moto:
    """moto's services for one mock and those inside it. moto is imported when the first request is for it."""

    def __init__(self, allowed: bool, config: dict[str, Any]) -> None:
        self._allowed = allowed
        self._config = config
        self._models: Any = None
        self._config_patch: Any = None
        self.events = EventReceivers()

    def empty(self) -> Moto:
        """Returns one that begins with nothing."""
        return Moto(self._allowed, self._config)

    def answer(self, request: AWSPreparedRequest) -> AWSResponse:
        """Returns moto's answer; raises if there is none."""
        service = boto_session.service_of(request)

        def refused(hint: str) -> UnsupportedService:
            return UnsupportedService.of(service, request.method, request.url, hint)

        if not self._allowed:
            raise refused("mock_aws(moto=False) passes no request to moto")
        if importlib.util.find_spec("moto") is None:
            raise refused(f"pip install 'moto[{service}]', and mock_aws passes its requests to moto")
        self._start()
        account = boto_session.account_of(request)
        if account is not None:
            request.headers["x-moto-account-id"] = account
        answered = self._models.botocore_stubber.process_request(request)
        if answered is None or answered[2] == "Not yet implemented":
            raise refused("neither is it in moto")
        status, headers, body = answered
        return boto_session.to_response(request, status, headers, body.encode() if isinstance(body, str) else body)

    def stop(self) -> None:
        """Drops what moto's services have."""
        if self._models is not None:
            self._reset()
            self._config_patch.stop()
            self._models = None
        self.events = EventReceivers()

    def _start(self) -> None:
        """Empties moto's services, as its own mock does at its start."""
        if self._models is None:
            import moto.core.config
            import moto.core.models

            self._models = moto.core.models
            self._config_patch = patch.dict(moto.core.config.default_user_config, self._config)
            self._config_patch.start()
            self._reset()

    def _reset(self) -> None:
        self._models.MockAWS().reset()
        self._models.reset_model_data()


class SuspendedMoto:
    """moto's own mock, if one is active: it would answer first, and is suspended until `resume`."""

    def __init__(self) -> None:
        models: Any = sys.modules.get("moto.core.models")
        self._stubber: Any = models.botocore_stubber if models else None
        self._was_enabled: bool = bool(models) and models.botocore_stubber.enabled
        if self._was_enabled:
            self._stubber.enabled = False

    def resume(self) -> None:
        """Lets moto answer again."""
        if self._was_enabled:
            self._stubber.enabled = True


def signing_names(services: Iterable[str]) -> frozenset[str]:
    """Returns the names that requests for services, by their names in boto3, are signed with."""
    loader = boto_session.shared_loader()
    known = loader.list_available_services("service-2")
    names = set()
    for service in services:
        if service not in known:
            import difflib

            near = difflib.get_close_matches(service, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"moto: {service!r} is not a service of boto3{hint}")
        metadata = loader.load_service_model(service, "service-2")["metadata"]
        names.add(metadata.get("signingName", metadata["endpointPrefix"]))
    return frozenset(names)


#: Message for an operation that a service here does not have, in JSON or XML.
_NO_OPERATION = re.compile(rb'(\w+) has no operation (\\"|"|&quot;)\w+\2')


def with_moto_hint(body: bytes) -> bytes:
    """Returns the body of an error, which says how moto gets the service if an operation is missing."""
    return _NO_OPERATION.sub(rb"\g<0>; mock_aws(moto=['\1']) gives the service to moto", body, count=1)
