"""`mock_aws` as a decorator of functions of every kind, and of classes of tests."""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nephos.mock import MockAWS

#: Method that prepares each test of a class, before the test and on the same instance.
_SETUPS = ("setup_method", "setup")

#: Methods that pytest calls with the method of the test if they seem to have a parameter for it.
_CALLED_WITH_METHOD = ("setup_method", "teardown_method")

#: Attribute of an instance with the state of its tests.
_STATE = "_nephos_state"


def decorate(mock: MockAWS, target: Any) -> Any:
    """Returns a function that runs while `mock` is active, or the class with such methods."""
    if inspect.isclass(target):
        return _decorate_test_case(mock, target) if issubclass(target, unittest.TestCase) else _decorate_class(mock, target)
    if not callable(target):
        raise TypeError(f"mock_aws decorates functions and classes, not {target!r}")
    return _decorate_function(target, lambda arguments: _Active(mock))


class _Active:
    """Context of one activation. With an `owner`, the state is that of the owner's previous activation, unless the test begins."""

    def __init__(self, mock: MockAWS, owner: Any = None, begins: bool = True) -> None:
        self._mock = mock
        self._owner = owner
        self._begins = begins

    def __enter__(self) -> None:
        kept = None if self._begins else getattr(self._owner, _STATE, None)
        frame = self._mock._activate(kept)
        if self._owner is not None:
            setattr(self._owner, _STATE, frame.state)

    def __exit__(self, *error: object) -> None:
        # The owner keeps its data for the next activation.
        self._mock.stop(remove_data=self._owner is None)


def _decorate_function(function: Callable[..., Any], active: Callable[[tuple[Any, ...]], _Active]) -> Callable[..., Any]:
    """Returns a function of the same kind that runs inside `active(arguments)`. Generators keep it until they end."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def run_coroutine(*arguments: Any, **named: Any) -> Any:
            with active(arguments):
                return await function(*arguments, **named)

        return run_coroutine

    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def run_async_generator(*arguments: Any, **named: Any) -> Any:
            with active(arguments):
                async for item in function(*arguments, **named):
                    yield item

        return run_async_generator

    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def run_generator(*arguments: Any, **named: Any) -> Any:
            with active(arguments):
                return (yield from function(*arguments, **named))

        return run_generator

    @functools.wraps(function)
    def run(*arguments: Any, **named: Any) -> Any:
        with active(arguments):
            return function(*arguments, **named)

    return run


def _decorate_test_case(mock: MockAWS, case: Any) -> Any:
    """Activates `mock` from `setUp` to the last cleanup of each test; what `setUpClass` creates is there in each test."""
    set_up_class = case.setUpClass.__func__
    tear_down_class = case.tearDownClass.__func__
    run = case.run
    tear_down = case.tearDown

    @functools.wraps(set_up_class)
    def prepare_class(cls: type[unittest.TestCase]) -> None:
        with _Active(mock, cls):
            set_up_class(cls)

    @functools.wraps(tear_down_class)
    def clean_class(cls: type[unittest.TestCase]) -> None:
        with _Active(mock, cls, begins=False):
            tear_down_class(cls)
        if _STATE in vars(cls):
            delattr(cls, _STATE)

    @functools.wraps(run)
    def run_test(self: unittest.TestCase, result: Any = None) -> Any:
        # That of a base class is not for this class, whose own `setUpClass` may not call that of the base.
        prepared = vars(type(self)).get(_STATE)
        setattr(self, _STATE, prepared.fork() if prepared is not None else None)
        with _Active(mock, self, begins=False):
            return run(self, result)

    @functools.wraps(tear_down)
    def clean(self: unittest.TestCase) -> None:
        # Debuggers call it after the run.
        with _Active(mock, self, begins=False):
            tear_down(self)

    case.setUpClass = classmethod(prepare_class)
    case.tearDownClass = classmethod(clean_class)
    case.run = run_test
    case.tearDown = clean
    return case


def _decorate_class(mock: MockAWS, cls: type) -> type:
    """Activates `mock` in each method. A test has a cloud of its own, which the method that prepares it has, too."""
    names = [name for name in dir(cls) if not name.startswith("_")]
    has_setup = any(name in names for name in _SETUPS)
    for name in names:
        attribute = inspect.getattr_static(cls, name)
        if inspect.isclass(attribute):
            setattr(cls, name, decorate(mock, attribute))
        elif inspect.isfunction(attribute):
            if name in _CALLED_WITH_METHOD:
                attribute = _ignore_more_arguments(attribute)
            begins = name in _SETUPS or (name.startswith("test") and not has_setup)
            # The default arguments keep the values of this round of the loop.
            active = lambda arguments, begins=begins: _Active(mock, arguments[0] if arguments else None, begins)  # noqa: E731
            setattr(cls, name, _decorate_function(attribute, active))
    return cls


def _ignore_more_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that can be called with more positional arguments than `function` has."""
    code = function.__code__
    takes_all = bool(code.co_flags & inspect.CO_VARARGS)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        return function(*(arguments if takes_all else arguments[: code.co_argcount]))

    return call
