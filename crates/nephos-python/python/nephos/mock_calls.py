"""Shorter ways through botocore for requests that a mock answers.

botocore builds, signs and prepares a request in three objects before it sends it, evaluates the rules of endpoints for each call, and reads
dates of any form. What only a network needs is left out, if nobody but botocore itself looks at it: with a handler of somebody else for
one of these steps, with a function that somebody else replaced, with the recorder of the history or with debug messages, botocore's own
code runs.
"""

from __future__ import annotations

import copy
import datetime
import functools
import logging
import re
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import botocore.auth
import botocore.context
import botocore.endpoint
import botocore.handlers
import botocore.history
import botocore.hooks
import botocore.httpsession
import botocore.model
import botocore.parsers
import botocore.regions
import botocore.retryhandler
import botocore.signers
import botocore.useragent
from botocore.endpoint import Endpoint
from dateutil.tz import tzlocal, tzutc

from nephos import boto_session

if TYPE_CHECKING:
    from nephos.mock_frame import Frame

_logger = logging.getLogger("botocore")
_history = botocore.history.get_global_history_recorder()

#: Steps that are left out. A function that is not the original any more is somebody else's, and is called.
_STEPS = ("create_request", "prepare_request", "_get_response", "_do_get_response", "_send")
_ORIGINALS = tuple(vars(Endpoint).get(name) for name in _STEPS)

#: botocore's handlers of the steps that are left out: functions, and functions of bound methods.
_REQUEST_CREATED = {
    botocore.handlers.add_retry_headers,
    botocore.signers.RequestSigner.handler,
    getattr(botocore.useragent.UserAgentString, "rebuild_and_replace_user_agent_handler", None),
}
_CHOOSE_SIGNER = {
    botocore.handlers.set_operation_specific_signer,
    getattr(botocore.handlers, "_set_auth_scheme_preference_signer", None),
}

_NO_SIGNATURE = "0" * 64


#: What the ways below use and what other versions of botocore may not have.
_USED = (
    (Endpoint, ("_send_request", "_update_retries_context", "_add_modeled_error_fields", "_needs_retry", *_STEPS)),
    (botocore.hooks.EventAliaser, ("_alias_event_name",)),
    (botocore.hooks.HierarchicalEmitter(), ("_lookup_cache", "_handlers")),
    (botocore.model.OperationModel, ("context_parameters", "operation_context_parameters", "static_context_parameters")),
    (botocore.model.ServiceModel, ("resolved_protocol",)),
    (botocore.parsers, ("DEFAULT_TIMESTAMP_PARSER",)),
    (botocore.regions, ("EndpointRulesetResolver",)),
    (botocore.signers.RequestSigner, ("_choose_signer",)),
    (_history, ("_enabled",)),
)


def is_known_botocore() -> bool:
    """True if this version of botocore has what the shorter ways use."""
    return all(hasattr(owner, name) for owner, names in _USED for name in names)


class Plan(NamedTuple):
    """Ways of an operation of a client, as long as nobody registers or removes a handler."""

    #: botocore's cache of handlers, which is another one after a change.
    handlers: dict[str, Any]
    #: Signer of the requests; none if botocore's own code has to run.
    signer: Any
    #: Handlers of moto, which are suspended while a mock is active.
    stubbers: tuple[Any, ...]
    #: Events that somebody listens to.
    before_parse: str | None
    response_received: str | None
    #: True if only botocore's handler of legacy retries listens, which does nothing after a success.
    has_plain_retries: bool


def _function(handler: Any) -> Any:
    return getattr(handler, "__func__", handler)


def make_plan(endpoint: Endpoint, operation: Any) -> Plan:
    """Makes the plan of an operation."""
    emitter: Any = endpoint._event_emitter
    inner = emitter._emitter
    suffix = f"{operation.service_model.service_id.hyphenize()}.{operation.name}"

    def handlers(event: str) -> list[Any]:
        return list(inner._handlers.prefix_search(emitter._alias_event_name(f"{event}.{suffix}")))

    created, stubbers = handlers("request-created"), tuple(handlers("before-send"))
    signers = [handler.__self__ for handler in created if _function(handler) is botocore.signers.RequestSigner.handler]
    is_plain = (
        len(signers) == 1
        and {_function(handler) for handler in created} <= _REQUEST_CREATED
        and {_function(handler) for handler in handlers("choose-signer")} <= _CHOOSE_SIGNER
        and not handlers("before-sign")
        and all(type(one).__module__.startswith("moto.") and hasattr(one, "enabled") for one in stubbers)
        and not (operation.has_streaming_input or operation.has_streaming_output or operation.has_event_stream_output)
    )
    return Plan(
        inner._lookup_cache,
        signers[0] if is_plain else None,
        stubbers,
        f"before-parse.{suffix}" if handlers("before-parse") else None,
        f"response-received.{suffix}" if handlers("response-received") else None,
        all(type(handler) is botocore.retryhandler.RetryHandler for handler in handlers("needs-retry")),
    )


class ShortCalls:
    """Replacement of `Endpoint._send_request`. `is_answered` is true for URLs that the active mock answers."""

    def __init__(self, current: Callable[[], Frame | None], is_answered: Callable[[str], bool]) -> None:
        self._current = current
        self._is_answered = is_answered
        self._plans: weakref.WeakKeyDictionary[Any, dict[str, Plan]] = weakref.WeakKeyDictionary()
        #: The `send` of botocore's HTTP session while a mock is active.
        self.send: Any = None

    def send_request(self, original: Any) -> Any:
        @functools.wraps(original)
        def send_request(endpoint: Any, request: dict[str, Any], operation: Any) -> Any:
            frame = self._current()
            plan = self._plan(endpoint, operation) if frame is not None and self._is_usual(endpoint) else None
            if frame is None or plan is None or not self._is_answered(request["url"]):
                return original(endpoint, request, operation)
            parts = to_parts(request, plan.signer, operation.name)
            if parts is None:
                return original(endpoint, request, operation)
            endpoint._update_retries_context(request["context"], 1)
            try:
                answered = frame.answer_parts(*parts)
            except Exception as error:
                outcome: Any = (None, error)
                _emit_received(endpoint, plan, operation, request["context"], outcome)
            else:
                if answered is None:
                    return original(endpoint, request, operation)
                outcome = _receive(endpoint, plan, operation, request, answered)
            return _finish(endpoint, plan, operation, request, outcome)

        return send_request

    def _is_usual(self, endpoint: Any) -> bool:
        """True if nobody replaced a step, and nobody records the steps."""
        session = botocore.httpsession.URLLib3Session
        return (
            type(endpoint) is Endpoint
            and type(endpoint.http_session) is session
            and vars(session).get("send") is self.send
            and all(vars(Endpoint).get(name) is step for name, step in zip(_STEPS, _ORIGINALS))
            and not _history._enabled
            and not _logger.isEnabledFor(logging.DEBUG)
        )

    def _plan(self, endpoint: Any, operation: Any) -> Plan | None:
        plans = self._plans.get(endpoint)
        if plans is None:
            plans = self._plans[endpoint] = {}
        plan = plans.get(operation.name)
        if plan is None or plan.handlers is not endpoint._event_emitter._emitter._lookup_cache:
            plan = plans[operation.name] = make_plan(endpoint, operation)
        if plan.signer is None or any(one.enabled for one in plan.stubbers):
            return None
        return plan


def to_parts(request: dict[str, Any], signer: Any, operation_name: str) -> tuple[str, str, dict[str, Any], bytes] | None:
    """Returns method, URL, headers and body as they would be sent, with the credential scope and without a signature."""
    context, body = request["context"], request["body"]
    signing = context.get("signing") or {}
    if signing.get("request_credentials") or signing.get("identity_cache") is not None or signer._credentials is None:
        return None
    if isinstance(body, dict):
        body = urlencode(body, doseq=True).encode()
    elif isinstance(body, str):
        body = body.encode()
    elif body is not None and type(body) is not bytes:
        return None
    if signer._choose_signer(operation_name, "standard", context) != "v4":
        return None
    keys = signer._credentials.get_frozen_credentials()
    now = datetime.datetime.now(datetime.timezone.utc).strftime(botocore.auth.SIGV4_TIMESTAMP)
    region = signing.get("region") or signer._region_name
    name = signing.get("signing_name") or signer._signing_name
    headers = dict(boto_session.header_pairs(request["headers"]))
    headers["X-Amz-Date"] = now
    if keys.token:
        headers["X-Amz-Security-Token"] = keys.token
    headers["Authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys.access_key}/{now[:8]}/{region}/{name}/aws4_request, "
        f"SignedHeaders=host;x-amz-date, Signature={_NO_SIGNATURE}"
    )
    if body and "Content-Length" not in request["headers"]:
        headers["Content-Length"] = str(len(body))
    return request["method"], request["url"], headers, body or b""


def _receive(endpoint: Any, plan: Plan, operation: Any, request: dict[str, Any], answered: tuple[int, Any, bytes]) -> Any:
    """Parses an answer, as botocore does it."""
    context = request["context"]
    response = boto_session.make_response(request["url"], *answered)
    received = botocore.endpoint.convert_to_response_dict(response, operation)
    if context.get("checksum"):
        botocore.endpoint.handle_checksum_body(response, received, context, operation)
    customized: dict[str, Any] = {}
    if plan.before_parse is not None:
        endpoint._event_emitter.emit(
            plan.before_parse, operation_model=operation, response_dict=received, customized_response_dict=customized
        )
    parser = endpoint._response_parser_factory.create_parser(operation.service_model.resolved_protocol)
    parsed = parser.parse(received, operation.output_shape)
    parsed.update(customized)
    if response.status_code >= 300:
        endpoint._add_modeled_error_fields(received, parsed, operation, parser)
    outcome = ((response, parsed), None)
    _emit_received(endpoint, plan, operation, context, outcome)
    return outcome


def _emit_received(endpoint: Any, plan: Plan, operation: Any, context: dict[str, Any], outcome: Any) -> None:
    if plan.response_received is None:
        return
    success, exception = outcome
    endpoint._event_emitter.emit(
        plan.response_received,
        response_dict=success and botocore.endpoint.convert_to_response_dict(success[0], operation),
        parsed_response=success and success[1],
        context=context,
        exception=exception,
    )


def _finish(endpoint: Any, plan: Plan, operation: Any, request: dict[str, Any], outcome: Any) -> Any:
    """Tries again as long as botocore's handlers say so, and returns the response or raises the error."""
    success, exception = outcome
    attempts = 1
    is_done = plan.has_plain_retries and success is not None and success[0].status_code < 300 and "x-amz-crc32" not in success[0].headers
    while not is_done and endpoint._needs_retry(attempts, operation, request, success, exception):
        attempts += 1
        endpoint._update_retries_context(request["context"], attempts, success)
        again = endpoint.create_request(request, operation)
        success, exception = endpoint._get_response(again, operation, request["context"])
    if success is not None and "ResponseMetadata" in success[1]:
        success[1]["ResponseMetadata"]["RetryAttempts"] = attempts - 1
    if exception is not None:
        raise exception
    return success


class Endpoints(NamedTuple):
    """What is known of the endpoints of a client, as long as nobody changes its handlers or settings."""

    handlers: dict[str, Any]
    settings: tuple[Any, ...]
    #: By operation, the parameters without which nothing of a call decides the endpoint; none if something else does.
    deciding: dict[str, tuple[str, ...] | None]
    #: The endpoint of calls without these parameters.
    found: list[Any]


class ShortEndpoints:
    """Replacement of `EndpointRulesetResolver.construct_endpoint`, which keeps the endpoints that no parameter of a call decides."""

    def __init__(self, current: Callable[[], Frame | None]) -> None:
        self._current = current
        self._kept: weakref.WeakKeyDictionary[Any, Endpoints] = weakref.WeakKeyDictionary()

    def construct_endpoint(self, original: Any) -> Any:
        @functools.wraps(original)
        def construct_endpoint(resolver: Any, operation_model: Any, call_args: Any, request_context: Any) -> Any:
            if self._current() is None:
                return original(resolver, operation_model, call_args, request_context)
            handlers = resolver._event_emitter._emitter._lookup_cache
            settings = (resolver._builtins, resolver._client_context, resolver._use_ssl)
            kept = self._kept.get(resolver)
            if kept is None or kept.handlers is not handlers or kept.settings != settings:
                # Copies, because somebody may change the mappings.
                kept = self._kept[resolver] = Endpoints(handlers, tuple(map(copy.copy, settings)), {}, [])
            if operation_model.name not in kept.deciding:
                kept.deciding[operation_model.name] = deciding_parameters(resolver, operation_model)
            deciding = kept.deciding[operation_model.name]
            if deciding is None or any(name in (call_args or ()) for name in deciding):
                return original(resolver, operation_model, call_args, request_context)
            if not kept.found:
                kept.found.append(original(resolver, operation_model, call_args, request_context))
            return kept.found[0]

        return construct_endpoint


def deciding_parameters(resolver: Any, operation: Any) -> tuple[str, ...] | None:
    """Returns the parameters of a call that decide its endpoint; none if something else of the call does, too."""
    emitter = resolver._event_emitter
    event = emitter._alias_event_name(f"before-endpoint-resolution.{resolver._service_model.service_id.hyphenize()}")
    # The account is asked of the credentials, and is noted as a feature of the call.
    used = {param.builtin for param in resolver._param_definitions.values()}
    others = operation.static_context_parameters or operation.operation_context_parameters or used & _ACCOUNT_BUILTINS
    if others or emitter._emitter._handlers.prefix_search(event):
        return None
    return tuple(param.member_name for param in operation.context_parameters)


_ACCOUNT_BUILTINS = {"AWS::Auth::AccountId", "AWS::Auth::AccountIdEndpointMode"}

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6})\d*)?Z")
_UTC = tzutc()


@functools.lru_cache(maxsize=1)
def _local(*settings: Any) -> tzlocal:
    """Returns the local time zone, which does not follow later changes of the settings."""
    return tzlocal()


def short_parse_timestamp(original: Any) -> Any:
    """Returns a parser of dates that reads seconds and the form of the services itself."""

    @functools.wraps(original)
    def parse_timestamp(value: Any) -> Any:
        local = _local(time.timezone, time.altzone, time.daylight, time.tzname)
        try:
            if type(value) is float or type(value) is int:
                return datetime.datetime.fromtimestamp(value, local)
            found = _DATE.fullmatch(value) if type(value) is str else None
            if found is None:
                return original(value)
            *parts, fraction = found.groups()
            year, month, day, hour, minute, second = map(int, parts)
            microsecond = int(fraction.ljust(6, "0")) if fraction else 0
            # On a machine whose time is UTC, dateutil says that it is local.
            zone = local if "UTC" in time.tzname else _UTC
            return datetime.datetime(year, month, day, hour, minute, second, microsecond, zone)
        except (OSError, OverflowError, ValueError):
            return original(value)

    return parse_timestamp
