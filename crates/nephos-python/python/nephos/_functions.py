"""Functions of Python that a cloud calls: rotation functions of secrets, and targets of event rules."""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from nephos import _context, _nephos

if TYPE_CHECKING:
    from nephos._cloud import Cloud

logger = logging.getLogger("nephos")

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class FunctionContext(NamedTuple):
    """Second argument of a function that a cloud calls."""

    function_name: str
    """Name or ARN that the function was registered by."""
    session: _nephos.Session
    """Session in the account and the Region of the call."""


def takes_context(function: Callable[..., Any]) -> bool:
    """True if a function has a second parameter, which is required or is called `context`. Raises TypeError if it takes no event."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        # Some functions of C have no signature.
        return False
    parameters = [one for one in signature.parameters.values() if one.kind in _POSITIONAL]
    has_context = len(parameters) > 1 and (parameters[1].default is inspect.Parameter.empty or parameters[1].name == "context")
    try:
        signature.bind(*([None, None] if has_context else [None]))
    except TypeError:
        raise TypeError(f"function: expected one that takes an event, or an event and a context, found {signature}") from None
    return has_context


def run(function: Callable[..., Any], name: str, session: _nephos.Session, event: Any) -> None:
    """Calls a function with an event, inside the session. Called on a thread of its own."""
    _context.enter(session)
    try:
        arguments = (event, FunctionContext(name, session)) if takes_context(function) else (event,)
        answer = function(*arguments)
        if inspect.iscoroutine(answer):
            import asyncio

            asyncio.run(answer)
    except BaseException:
        # The cloud keeps the message, and only the log can have the place.
        logger.warning("the function %s failed", name, exc_info=True)
        raise
    finally:
        _context.leave()


def on(cloud: Cloud, rule: Any, function: Callable[..., Any], name: str | None) -> None:
    """Registers a function, and makes it a target of an event rule."""
    import nephos

    session = _session_for(cloud, None if isinstance(rule, str) else rule.session)
    if isinstance(rule, str):
        rule = nephos.EventRule.objects.using(session).get(rule) or nephos.EventRule(Name=rule)
        if not rule.is_saved:
            raise LookupError(f"the event rule {rule.Name!r} does not exist; on() creates it from a model: EventRule(Name=…, EventPattern=…)")
    elif not isinstance(rule, nephos.EventRule):
        raise TypeError(f"rule: expected a nephos.EventRule or the name of a rule, found {type(rule).__name__}")
    takes_context(function)
    if not rule.is_saved:
        rule.set_session(session)
        rule.save()
    name = name or _name_for(cloud, rule.Name, function)
    cloud.register(name, function)
    arn = f"arn:aws:lambda:{session.region}:{session.account}:function:{name}"
    target = {"Id": name[:64], "Arn": arn}
    failed = nephos.EventTarget.objects.using(session).put(Rule=rule.Name, EventBusName=rule.EventBusName, Targets=[target])
    for failure in failed.FailedEntries or ():
        raise RuntimeError(f"the function {name} cannot be a target of {rule.Name}: {failure.ErrorMessage}")


def _session_for(cloud: Cloud, session: _nephos.Session | None) -> _nephos.Session:
    """Returns a session of the cloud in the account and the Region of `session`, or else of the current one."""
    like = session or _context.current_session()
    return cloud.session(like.account, like.region) if like else cloud.session()


def _name_for(cloud: Cloud, rule: str, function: Callable[..., Any]) -> str:
    """Returns a name for a function, which no other function of the cloud has."""
    own = re.sub(r"\W+", "-", getattr(function, "__name__", type(function).__name__)).strip("-")
    base = f"{rule}-{own}"[:56]
    name, number = base, 2
    while cloud._function(name) not in (None, function):
        name, number = f"{base}-{number}", number + 1
    return name
