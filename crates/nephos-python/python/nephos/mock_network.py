"""Interception of requests while `mock_aws` is active: none for AWS leaves the machine.

botocore's HTTP session is replaced for all clients, whenever they were made, and that of aiobotocore. urllib3 answers requests for hosts of AWS, such as
presigned URLs that `requests` fetches, in the same way. Other libraries cannot resolve the names of these hosts.
"""

from __future__ import annotations

import datetime
import functools
import ipaddress
import socket
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import botocore.auth
import botocore.endpoint
import botocore.httpsession
import botocore.parsers
import botocore.regions
import botocore.session
import botocore.useragent
import urllib3
import urllib3.connectionpool
from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict
from botocore.exceptions import EndpointConnectionError

from nephos import boto_session, mock_aio, mock_calls

if TYPE_CHECKING:
    from nephos.mock_frame import Frame

#: Domains of AWS: those of its partitions, and of the portal for single sign-on.
_AWS_DOMAINS = (
    "amazonaws.com",
    "amazonaws.com.cn",
    "amazonaws.eu",
    "api.amazonwebservices.com.cn",
    "api.amazonwebservices.eu",
    "api.aws",
    "api.aws.hci.ic.gov",
    "api.aws.ic.gov",
    "api.aws.scloud",
    "api.cloud-aws.adc-e.uk",
    "awsapps.com",
    "c2s.ic.gov",
    "cloud.adc-e.uk",
    "csp.hci.ic.gov",
    "on.aws",
    "sc2s.sgov.gov",
)

#: Addresses at which machines of AWS find credentials.
_METADATA_HOSTS = {"169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23"}


class Network:
    """The patches of one process. `current` returns the innermost active mock."""

    def __init__(self, current: Callable[[], Frame | None]) -> None:
        self._current = current
        self._patches: list[tuple[Any, str, Any, Any]] = []
        self._calls = mock_calls.ShortCalls(current, lambda url: _place_of(url.split("/", 3)[2]) == "elsewhere")
        self._endpoints = mock_calls.ShortEndpoints(current)

    def install(self) -> None:
        """Replaces the functions that send requests."""
        self._patch(botocore.httpsession.URLLib3Session, "send", self._botocore_send)
        self._patch(botocore.auth.SigV4Auth, "add_auth", self._botocore_add_auth)
        # Earlier versions have nothing of a call in the name of the software, and build it once.
        if hasattr(botocore.useragent, "get_context"):
            self._patch(botocore.useragent.UserAgentString, "to_string", self._user_agent_to_string)
        if mock_calls.is_known_botocore():
            self._calls.send = vars(botocore.httpsession.URLLib3Session)["send"]
            self._patch(botocore.endpoint.Endpoint, "_send_request", self._calls.send_request)
            self._patch(botocore.regions.EndpointRulesetResolver, "construct_endpoint", self._endpoints.construct_endpoint)
            self._patch(botocore.parsers, "DEFAULT_TIMESTAMP_PARSER", mock_calls.short_parse_timestamp)
        self._patch(botocore.session, "create_loader", lambda original: boto_session.shared_loader)
        self._patch(urllib3.connectionpool.HTTPConnectionPool, "urlopen", self._urllib3_urlopen)
        self._patch(socket, "getaddrinfo", self._socket_getaddrinfo)
        self.install_async()

    def install_async(self) -> None:
        """Replaces those of aiobotocore once it is imported, which may be while a mock is active."""
        patched = [owner for owner, *_ in self._patches]
        for session in mock_aio.sessions():
            if session not in patched:
                self._patch(session, "send", self._aiobotocore_send)

    def remove(self) -> None:
        """Restores the functions, unless somebody else replaced them meanwhile: those that are here then pass all on."""
        for owner, name, original, ours in reversed(self._patches):
            if getattr(owner, name) is ours:
                setattr(owner, name, original)
        self._patches.clear()

    def _patch(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        original = getattr(owner, name)
        ours = make(original)
        setattr(owner, name, ours)
        self._patches.append((owner, name, original, ours))

    def _botocore_send(self, original: Any) -> Any:
        @functools.wraps(original)
        def send(session: Any, request: AWSPreparedRequest) -> Any:
            answer = self._answer(request)
            return original(session, request) if answer is None else answer

        return send

    def _aiobotocore_send(self, original: Any) -> Any:
        @functools.wraps(original)
        async def send(session: Any, request: AWSPreparedRequest) -> Any:
            if self._current() is not None:
                request.body = await mock_aio.read_body(request.body)
            answer = self._answer(request)
            return await original(session, request) if answer is None else mock_aio.to_awaitable(answer)

        return send

    def _answer(self, request: AWSPreparedRequest) -> AWSResponse | None:
        """Returns the answer to a request of botocore, or None if it is sent: without a mock, and to this machine."""
        frame = self._current()
        place = "loopback" if frame is None else _place_of(request.url.split("/", 3)[2])
        if frame is None or place == "loopback":
            return None
        if place == "metadata":
            raise EndpointConnectionError(endpoint_url=request.url, error=_REFUSED)
        return frame.answer(request)

    def _botocore_add_auth(self, original: Any) -> Any:
        """Names the caller in the header without a signature, which nobody verifies and which takes 40 percent of the time of a call."""

        @functools.wraps(original)
        def add_auth(auth: Any, request: Any) -> None:
            is_plain = type(auth) is botocore.auth.SigV4Auth and auth.credentials is not None
            if self._current() is None or not is_plain or _place_of(request.url.split("/", 3)[2]) != "elsewhere":
                original(auth, request)
                return
            request.context["timestamp"] = datetime.datetime.now(datetime.timezone.utc).strftime(botocore.auth.SIGV4_TIMESTAMP)
            auth._modify_request_before_signing(request)
            request.headers["Authorization"] = (
                f"AWS4-HMAC-SHA256 Credential={auth.scope(request)}, SignedHeaders=host;x-amz-date, Signature={_NO_SIGNATURE}"
            )

        return add_auth

    def _user_agent_to_string(self, original: Any) -> Any:
        """Keeps the name of the software, which botocore builds twice for each call, in a quarter of its time."""
        kept: weakref.WeakKeyDictionary[Any, tuple[Any, str]] = weakref.WeakKeyDictionary()

        @functools.wraps(original)
        def to_string(agent: Any) -> str:
            context = botocore.useragent.get_context()
            features = frozenset(context.features) if context else None
            key = (features, [vars(agent).get(name) for name in _AGENT_PARTS])
            found = kept.get(agent)
            if found is None or found[0] != key:
                found = kept[agent] = (key, original(agent))
            return found[1]

        return to_string

    def _urllib3_urlopen(self, original: Any) -> Any:
        @functools.wraps(original)
        def urlopen(pool: Any, method: str, url: str, body: Any = None, headers: Any = None, *args: Any, **options: Any) -> Any:
            frame = self._current()
            if frame is None or not is_aws_host(pool.host):
                return original(pool, method, url, body, headers, *args, **options)
            path = url[url.index("/", url.index("://") + 3) :] if "://" in url else url
            address = f"{pool.scheme}://{pool.host}{path}"
            named = HeadersDict(pool.headers if headers is None else headers)
            answer = frame.answer(AWSPreparedRequest(method, address, named, body, stream_output=True))
            return urllib3.HTTPResponse(
                body=answer.raw,
                headers=dict(answer.headers),
                status=answer.status_code,
                preload_content=options.get("preload_content", True),
                decode_content=options.get("decode_content", True),
                request_method=method,
                request_url=url,
            )

        return urlopen

    def _socket_getaddrinfo(self, original: Any) -> Any:
        @functools.wraps(original)
        def getaddrinfo(host: Any, *args: Any, **options: Any) -> Any:
            name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
            if self._current() is not None and name and is_aws_host(name):
                raise socket.gaierror(socket.EAI_NONAME, f"{_REFUSED} ({name})")
            return original(host, *args, **options)

        return getaddrinfo


#: Attributes of botocore's `UserAgentString` that may change after it was made.
_AGENT_PARTS = (
    "_session_user_agent_name",
    "_session_user_agent_version",
    "_session_user_agent_extra",
    "_client_config",
    "_client_features",
)

_NO_SIGNATURE = "0" * 64

_REFUSED = "no request to AWS leaves this machine while nephos.mock_aws is active"


@functools.lru_cache(maxsize=1024)
def is_aws_host(host: str) -> bool:
    """True for hosts of AWS and for the addresses of its metadata services."""
    name = host.lower().rstrip(".").strip("[]")
    return name in _METADATA_HOSTS or name.endswith(tuple(f".{domain}" for domain in _AWS_DOMAINS))


@functools.lru_cache(maxsize=1024)
def _place_of(authority: str) -> str:
    """Returns where botocore's request for `authority` would go: "loopback", "metadata" or "elsewhere"."""
    host = authority.rpartition("@")[2]
    host = host.partition("]")[0].strip("[") if host.startswith("[") else host.partition(":")[0]
    if host in _METADATA_HOSTS:
        return "metadata"
    if host == "localhost" or host.endswith(".localhost"):
        return "loopback"
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    return "loopback" if is_loopback else "elsewhere"
