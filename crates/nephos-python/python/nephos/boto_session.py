"""The botocore session of a cloud, which knows nothing of the environment, and the HTTP session of its clients."""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import botocore.loaders
import botocore.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict, _HeaderKey

from nephos.boto import UnsupportedService

#: Session variables that are read neither from the environment nor from files of the user.
_SEALED = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}


class _SearchPaths(list[str]):
    """Folders of models; boto3 adds its own to the loader of each session."""

    def append(self, path: str) -> None:
        if path not in self:
            super().append(path)


@functools.cache
def shared_loader(data_path: str | None = None) -> botocore.loaders.Loader:
    """Returns the loader of models for all sessions, which parses each model once."""
    loader = botocore.loaders.create_loader(data_path)
    loader._search_paths = _SearchPaths(loader.search_paths)
    return loader


class CloudSession(botocore.session.Session):
    """A botocore session with fixed credentials and Region."""

    def __init__(self, keys: dict[str, str], region: str, prepare: Callable[[Any], None]) -> None:
        super().__init__(session_vars=_SEALED)
        self._prepare = prepare
        self.register_component("data_loader", shared_loader())
        self.set_config_variable("region", region)
        self.set_config_variable("ignore_configured_endpoint_urls", True)
        self.set_credentials(keys["aws_access_key_id"], keys["aws_secret_access_key"], keys.get("aws_session_token"))

    def create_client(self, *args: Any, **options: Any) -> Any:
        client = super().create_client(*args, **options)
        self._prepare(client)
        return client


def route(client: Any, cloud: Any) -> None:
    """Replaces the HTTP session of `client` by one that calls `cloud`."""
    client._endpoint.http_session = CloudHttpSession(cloud)


class CloudHttpSession:
    """A botocore HTTP session that calls a cloud in this process. It has no state, so that threads can share it."""

    def __init__(self, cloud: Any) -> None:
        self._cloud = cloud

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        response = answer(self._cloud, request)
        if response is None:
            hint = "clients of a cloud reach only its services; under nephos.mock_aws other services pass to moto"
            raise UnsupportedService.of(service_of(request), request.method, request.url, hint)
        return response

    def close(self) -> None:
        """Does nothing: there is no connection."""


def answer(cloud: Any, request: AWSPreparedRequest, account: str | None = None) -> AWSResponse | None:
    """Returns the answer of `cloud`, or None if it does not have the service of `request`."""
    answered = cloud.request(request.method, request.url, header_pairs(request.headers), body_bytes(request.body), account)
    if answered is None:
        # The one that answers instead reads the body again.
        request.reset_stream()
        return None
    return to_response(request, *answered)


def to_response(request: AWSPreparedRequest, status: int, headers: Any, body: bytes) -> AWSResponse:
    """Returns a response for botocore. `headers` is a mapping or a list of pairs."""
    return make_response(request.url, status, headers, body, is_stream=request.stream_output)


def make_response(url: str, status: int, headers: Any, body: bytes, is_stream: bool = False) -> AWSResponse:
    """Returns a response for botocore, whose body is read as a stream or is already there."""
    response = AWSResponse(url, status, (), RawBody(body))
    response.headers = ResponseHeaders(headers)
    if not is_stream:
        response._content = body
    return response


#: Keys of headers. They do not change, and responses have the same again and again.
_header_key = functools.lru_cache(maxsize=1024)(_HeaderKey)


class ResponseHeaders(HeadersDict):
    """The headers of a response, with keys that are made once."""

    def __init__(self, headers: Any) -> None:
        pairs = headers.items() if isinstance(headers, Mapping) else headers
        self._dict = {_header_key(name): value for name, value in pairs}

    def __getitem__(self, name: str) -> Any:
        return self._dict[_header_key(name)]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _header_key(name) in self._dict

    def __iter__(self) -> Iterator[str]:
        return iter([key._key for key in self._dict])


class RawBody(io.BytesIO):
    """A response body as botocore reads it from urllib3: at once, in parts, or as a stream of chunks."""

    def stream(self, amt: int = 65536, decode_content: bool | None = None) -> Iterator[bytes]:
        """Yields the rest of the body."""
        while chunk := self.read(amt):
            yield chunk


def header_pairs(headers: Any) -> list[tuple[str, str | bytes]]:
    """Returns headers as pairs of a name and a value."""
    # `HeadersDict.items` makes two objects more for each header, and takes nine times as long.
    items = headers._dict.items() if type(headers) is HeadersDict else headers.items()
    return [(str(name), value if type(value) is bytes else str(value)) for name, value in items]


def body_bytes(body: Any) -> bytes:
    """Returns a request body, which botocore has as bytes, text or a file."""
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode()
    if hasattr(body, "read"):
        content = body.read()
        return content.encode() if isinstance(content, str) else content
    return bytes(body)


def scope_of(request: AWSPreparedRequest) -> list[str] | None:
    """Returns what `request` is signed for: access key, date, Region, service and a constant."""
    authorization: Any = request.headers.get("Authorization", "")
    if isinstance(authorization, bytes):
        authorization = authorization.decode("latin-1")
    scope: list[str] = authorization.partition("Credential=")[2].partition(",")[0].split("/")
    return scope if len(scope) == 5 else None


def account_of(request: AWSPreparedRequest) -> str | None:
    """Returns the account that the access key of `request` is, if it is one."""
    key = (scope_of(request) or [""])[0]
    return key if len(key) == 12 and key.isdigit() else None


def service_of(request: AWSPreparedRequest) -> str:
    """Returns the signing name of the service that `request` is for, or the first label of its host."""
    scope = scope_of(request)
    if scope is not None:
        return scope[3]
    host: str = request.url.partition("://")[2].partition("/")[0]
    return host.partition(".")[0]
