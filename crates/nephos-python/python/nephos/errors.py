"""Exceptions: one class for each kind of error, which are ValueError or RuntimeError where a wrong value or state is to blame."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """An operation failed. The text names the code, the message, the field and the nearest valid choice."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        status: int = 400,
        field: str | None = None,
        hint: str | None = None,
        operation: str | None = None,
        request_id: str | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        """Error code of the provider."""
        self.status = status
        """Status of the response on the wire."""
        self.field = field
        """Path of the field that is wrong."""
        self.hint = hint
        """The nearest valid choice, or what to do."""
        self.operation = operation
        """Name of the operation that failed."""
        self.request_id = request_id
        """ID of the request, if an endpoint answered it."""
        self.retryable = retryable
        """True if the same call may succeed later."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), str(self), dict(self.__dict__))


def _restore(cls: type[Error], message: str, facts: dict[str, Any]) -> Error:
    return cls(message, **facts)


class NotFound(Error):
    """The resource does not exist."""


class AlreadyExists(Error):
    """The resource exists already."""


class Invalid(Error, ValueError):
    """A value breaks a rule."""


class Conflict(Error):
    """Another change got in the way, or something still depends on the resource."""


class InState(Error):
    """The resource is in a state that does not allow this."""


class Protected(Error):
    """The resource is protected from deletion."""


class Denied(Error):
    """The caller may not do this."""


class Expired(Error):
    """A token, a credential or a wait has expired."""


class Throttled(Error):
    """Too many requests."""


class LimitExceeded(Error):
    """A quota is used up."""


class Unsupported(Error):
    """The operation is not supported."""


class NoSession(Error, RuntimeError):
    """There is no session to act through."""


class Frozen(Error):
    """The field, or the whole model, cannot be changed by callers."""


class FrozenField(Frozen, ValueError):
    """The field is set by the service."""


class FrozenModel(Frozen, RuntimeError):
    """The model is read-only."""


class NoMatch(Error, RuntimeError):
    """A regular expression did not match."""


class NotUpdatable(Error, RuntimeError):
    """The kind has no update."""


class DaemonDown(Error, RuntimeError):
    """The local container daemon is not running."""


class Transport(Error):
    """The request did not reach the endpoint, or its answer did not arrive."""


class Corrupt(Error):
    """Stored data is damaged."""


class Internal(Error):
    """A fault of the service or of this library."""


def of_error(
    kind: str,
    python: tuple[bool, bool],
    message: str,
    code: str,
    status: int,
    field: str | None,
    hint: str | None,
    operation: str | None,
    request_id: str | None,
    retryable: bool,
) -> Error:
    """Makes the exception for an error of the library."""
    if hint is None and "did you mean " in message:
        hint = message.rpartition("did you mean ")[2].rstrip("?")
    cls: type[Error] = globals().get(kind, Error)
    if cls is Frozen:
        cls = FrozenField if python[0] else FrozenModel
    return cls(
        message,
        code=code,
        status=status,
        field=field,
        hint=hint,
        operation=operation,
        request_id=request_id,
        retryable=retryable,
    )
