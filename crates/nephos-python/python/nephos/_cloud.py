"""Clouds inside the process, with their clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, TypeVar, overload

from nephos import _context, _nephos
from nephos.boto import BotoMixin

if TYPE_CHECKING:
    from nephos import ExplainedAccess, LoggedDecision
    from nephos._controls import Controls
    from nephos._models import Model

F = TypeVar("F", bound=Callable[..., Any])


class Clock:
    """The clock of a cloud: reads, advances, freezes and resumes its time."""

    __slots__ = ("_cloud",)

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def now(self) -> datetime:
        """The time of the cloud, in UTC."""
        return self._cloud._now()

    @property
    def is_frozen(self) -> bool:
        """True if the time changes only when it is advanced."""
        return self._cloud.is_frozen()

    def advance(self, by: timedelta | float | str | None = None, **parts: float) -> int:
        """Advances the time by a timedelta, seconds, or a text such as `31d` or `1h30m`; or by parts, as `days=7`. Does the work that
        falls due meanwhile, and returns the number of its pieces."""
        if by is None:
            by = timedelta(**parts)
        elif parts:
            raise TypeError("advance() takes a duration, or its parts, but not both")
        if isinstance(by, timedelta):
            by = by.total_seconds()
        if isinstance(by, str):
            by = _nephos.parse_duration(by)
        return self._cloud.advance(by)

    def set(self, time: datetime | str) -> None:
        """Advances the time to `time`; a datetime without an offset is in UTC."""
        if isinstance(time, datetime):
            time = (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).isoformat()
        self._cloud.set_time(time)

    def freeze(self) -> None:
        """Freezes the time."""
        self._cloud.freeze()

    def resume(self) -> None:
        """Lets the time run again, from where it was frozen."""
        self._cloud.resume()

    def __repr__(self) -> str:
        return f"<Clock {self.now().isoformat()}{' frozen' if self.is_frozen else ''}>"


def arn_of(principal: Model | str | None) -> str | None:
    """Returns the ARN of a caller."""
    return principal if principal is None or isinstance(principal, str) else principal.arn


class Cloud(BotoMixin, _nephos.Cloud):
    """A cloud inside the process: `Cloud()` in memory, `Cloud(path)` in a file.

    Inside `with Cloud() as cloud:`, calls without a session use it, and it is closed at the end.
    """

    __slots__ = ()

    @property
    def clock(self) -> Clock:
        """Clock of the cloud."""
        return Clock(self)

    @property
    def controls(self) -> Controls:
        """Test controls, such as `controls.target_health(…)` and `controls.event_deliveries()`, the outbox of events."""
        from nephos._controls import Controls

        return Controls(self)

    def tagged(self, key: str, value: str) -> list[Any]:
        """Returns the models of all kinds whose tag `key` has this value, in the account and the Region of the default session."""
        return self.session().tagged(key, value)

    def why(self, principal: Model | str, action: str, resource: str = "*", context: Mapping[str, Any] | None = None) -> ExplainedAccess:
        """Decides over a request that is not made, and says which statement decides. `principal` is a user, a role or the ARN of a caller;
        `context` has further condition keys, each with a value or several."""
        explained: ExplainedAccess = _nephos.explain_access(self, str(arn_of(principal)), action, resource, dict(context or {}))
        return explained

    def decisions(self, principal: Model | str | None = None) -> list[LoggedDecision]:
        """Returns the logged decisions over requests, in the order of their times; with `principal`, only those of this caller. They are
        logged while permissions are `record` or `enforce`."""
        return _nephos.decisions(self, arn_of(principal))

    def clear_decisions(self) -> None:
        """Removes all logged decisions."""
        _nephos.clear_decisions(self)

    def smallest_policy(self, principal: Model | str | None = None) -> dict[str, Any]:
        """Returns the smallest policy that allows the logged requests; with `principal`, those of this caller."""
        return _nephos.smallest_policy(self, arn_of(principal))

    @overload
    def register(self, name: str, function: F) -> F: ...

    @overload
    def register(self, name: str) -> Callable[[F], F]: ...

    def register(self, name: str, function: Any = None) -> Any:
        """Registers a function that the cloud calls by this name or ARN, such as to rotate a secret; also as a decorator.

        It gets the event, or the event and a context with a `session`, which is the current one inside of it. It runs on a thread of its
        own after the transaction that needs it; an exception is its failure, and the cloud tries again as the service would. Forks have
        the functions that were registered before. They are no part of the state of a file.
        """
        if function is None:
            return lambda function: self.register(name, function)
        from nephos._functions import takes_context

        if callable(function):
            takes_context(function)
        self._register(name, function)
        return function

    @overload
    def on(self, rule: Model | str, function: F, *, name: str | None = None) -> F: ...

    @overload
    def on(self, rule: Model | str, *, name: str | None = None) -> Callable[[F], F]: ...

    def on(self, rule: Any, function: Any = None, *, name: str | None = None) -> Any:
        """Calls a function with each event that an event rule selects; also as a decorator. Creates the rule if it is not saved.

        The function is registered, by `name` or a name that is made of those of the rule and the function, and is a target of the rule.
        """
        if function is None:
            return lambda function: self.on(rule, function, name=name)
        from nephos import _functions

        _functions.on(self, rule, function, name)
        return function

    def __repr__(self) -> str:
        return f"<Cloud {self.now()}{' frozen' if self.is_frozen() else ''}, permissions {self.permissions()}>"

    def __enter__(self) -> Cloud:
        _context.enter(self.session())
        return self

    def __exit__(self, *_: object) -> None:
        _context.leave()
        self.close()
