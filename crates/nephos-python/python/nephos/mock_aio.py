"""Answers for aiobotocore, whose clients have HTTP sessions of their own."""

from __future__ import annotations

import inspect
import io
import sys
from collections.abc import Iterator
from typing import Any

from botocore.awsrequest import AWSResponse

#: Modules with the HTTP sessions, and the names of their classes.
_SESSIONS = {"aiobotocore.httpsession": "AIOHTTPSession", "aiobotocore.httpxsession": "HttpxSession"}


def sessions() -> Iterator[Any]:
    """Yields the classes of HTTP sessions, if aiobotocore is imported."""
    for module, name in _SESSIONS.items():
        cls = getattr(sys.modules.get(module), name, None)
        if cls is not None:
            yield cls


async def read_body(body: Any) -> Any:
    """Returns a request body whose file can be read without waiting."""
    if not hasattr(body, "read"):
        return body
    content = body.read()
    return await content if inspect.isawaitable(content) else content


def to_awaitable(response: AWSResponse) -> Any:
    """Returns a response whose content is awaited."""
    from aiobotocore.awsrequest import AioAWSResponse

    answered = AioAWSResponse(response.url, response.status_code, response.headers, AsyncBody(response.raw))
    answered._content = response._content
    return answered


class AsyncBody:
    """A response body as aiobotocore reads it from aiohttp."""

    def __init__(self, body: io.BytesIO) -> None:
        self._body = body
        self.content = self

    async def read(self, amt: int = -1) -> bytes:
        """Returns the next bytes; all that are left by default."""
        return self._body.read(amt)

    def at_eof(self) -> bool:
        """True if nothing is left."""
        return self._body.tell() == len(self._body.getbuffer())

    def close(self) -> None:
        """Does nothing: there is no connection."""
