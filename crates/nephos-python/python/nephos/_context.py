"""The session that calls use if they are given none."""

from __future__ import annotations

from contextvars import ContextVar

from nephos import _nephos

# Sessions that were entered, in this thread or task.
_entered: ContextVar[tuple[_nephos.Session, ...]] = ContextVar("nephos_sessions", default=())
_default: _nephos.Session | None = None


def current_session() -> _nephos.Session | None:
    """Returns the session that was entered last, or else the default session."""
    entered = _entered.get()
    return entered[-1] if entered else _default


def session_of(given: _nephos.Session | _nephos.Cloud | None) -> _nephos.Session | None:
    """Returns a session as it is, and the default session of a cloud."""
    return given.session() if isinstance(given, _nephos.Cloud) else given


def set_default_session(session: _nephos.Session | _nephos.Cloud | None) -> _nephos.Session | None:
    """Sets the session of calls outside of every `with session:`, or that of a cloud, and returns the one before."""
    global _default
    before = _default
    _default = session_of(session)
    return before


def enter(session: _nephos.Session) -> None:
    """Makes a session the current one."""
    _entered.set((*_entered.get(), session))


def leave() -> None:
    """Makes the session from before the current one again."""
    _entered.set(_entered.get()[:-1])
