"""Base classes of records, models and managers."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Concatenate, Generic, Iterator, NamedTuple, ParamSpec, TypeVar

from nephos import _async, _context, _nephos, errors
from nephos._signatures import Described, signature

if TYPE_CHECKING:
    import inspect

    from typing_extensions import Self

R = TypeVar("R")
P = ParamSpec("P")
M = TypeVar("M", bound="Model")


class Change(NamedTuple):
    """A row that a call would change."""

    row: str
    """Resource that the row belongs to."""
    before: dict[str, Any]
    """Fields before the change; empty if the row is new."""
    after: dict[str, Any]
    """Fields after the change; empty if the row was deleted."""


class Preview(NamedTuple):
    """A call that was run and rolled back."""

    answer: Any
    """What the call would return."""
    changes: list[Change]
    """Rows that it would change."""


def _preview(answer: Any, changes: list[tuple[str, dict[str, Any], dict[str, Any]]]) -> Preview:
    return Preview(answer, [Change(*change) for change in changes])


class Choice(str, enum.Enum):
    """Base class of enums. Their members are texts."""

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, spec: str) -> str:
        return str.__format__(self, spec)


if TYPE_CHECKING:

    class Call(Generic[P, R]):
        """A call with its parameters and its answer, for the stubs."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

        def preview(self, *args: P.args, **kwargs: P.kwargs) -> Preview:
            """Runs the call, rolls it back, and returns its answer with the rows that it would change."""

    def call(function: Callable[Concatenate[Any, P], R]) -> Call[P, R]:
        """Declares a method that is a call, for the stubs."""


class BoundCall(Described):
    """A call of a manager or of a model. Calling it runs it; `preview` runs it and rolls it back."""

    __slots__ = ("_call", "_session", "_model")

    def __init__(self, call: Any, session: Any, model: Any) -> None:
        self._call = call
        self._session = session
        self._model = model

    def _signature(self) -> inspect.Signature:
        return signature(self._call, on_model=self._model is not None)

    def _used_session(self) -> Any:
        if self._session is not None or (self._model is not None and self._model.session is not None):
            return self._session
        return _context.current_session()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _nephos.run_call(self._call, self._used_session(), self._model, args, kwargs)

    def preview(self, *args: Any, **kwargs: Any) -> Preview:
        """Runs the call, rolls it back, and returns its answer with the rows that it would change."""
        return _preview(*_nephos.preview_call(self._call, self._used_session(), self._model, args, kwargs))

    def __repr__(self) -> str:
        return f"<call {self._call.name}>"


class BoundSave:
    """The save of a model. Calling it saves; `preview` saves and rolls that back."""

    __slots__ = ("_model",)

    def __init__(self, model: Model) -> None:
        self._model = model

    def __call__(self, **kwargs: Any) -> None:
        self._model._use_session()
        _nephos.save_model(self._model, kwargs)

    def preview(self, **kwargs: Any) -> Preview:
        """Saves, rolls that back, and returns the model as it would be with the rows that would change."""
        self._model._use_session()
        return _preview(*_nephos.preview_save(self._model, kwargs))


class CallDescriptor:
    """A call as an attribute of managers, or of models."""

    __slots__ = ("call", "on_model")

    def __init__(self, call: Any, on_model: bool) -> None:
        self.call = call
        self.on_model = on_model

    def __get__(self, owner: Any, cls: Any) -> Any:
        if owner is None:
            return self
        if self.on_model:
            return BoundCall(self.call, None, owner)
        return BoundCall(self.call, owner._session, None)


class AsyncDescriptor:
    """The coroutine function of a call, or of another method."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, owner: Any, cls: Any) -> Any:
        if owner is None:
            return self
        function: Any = getattr(owner, self.name)

        async def run(*args: Any, **kwargs: Any) -> Any:
            return await _async.run(function, args, kwargs)

        # Its signature is that of the function.
        run.__wrapped__ = function  # type: ignore[attr-defined]
        run.__name__, run.__doc__ = f"a{self.name}", function.__doc__
        return run


class Manager(Generic[M]):
    """Calls of a kind, for a session."""

    __slots__ = ("_session",)

    _session: _nephos.Session | None

    def __init__(self, session: _nephos.Session | _nephos.Cloud | None = None) -> None:
        self._session = _context.session_of(session)

    def using(self, session: _nephos.Session | _nephos.Cloud) -> Self:
        """Returns the manager for another session, or for a cloud."""
        return type(self)(session)

    __call__ = using

    @property
    def session(self) -> _nephos.Session | None:
        """Session of the calls: the one that was given, or else the current one."""
        return self._session or _context.current_session()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class ListingManager(Manager[M]):
    """Calls of a kind that can be listed, and queries of all its models."""

    __slots__ = ()

    def _all(self) -> _nephos.ResultSet[M]:
        results: _nephos.ResultSet[M] = getattr(self, "list")()
        return results

    def all(self) -> list[M]:
        """Returns all models as a list."""
        return self._all().all()

    def filter(self, **criteria: Any) -> _nephos.ResultSet[M]:
        """Returns the models that match all criteria, each a `field__lookup` with its value."""
        return self._all().filter(**criteria)

    def order_by(self, path: str) -> _nephos.ResultSet[M]:
        """Returns the models in another order: a path of fields, with `-` before it for descending."""
        return self._all().order_by(path)

    def first(self) -> M | None:
        """Returns the first model, or none."""
        return self._all().first()

    def count(self) -> int:
        """Returns the number of models."""
        return self._all().count()

    def exists(self) -> bool:
        """True if there is a model."""
        return self._all().exists()

    def __iter__(self) -> Iterator[M]:
        return iter(self._all())

    async def aall(self) -> list[M]:
        """Returns all models as a list."""
        return await self._all().aall()

    async def afirst(self) -> M | None:
        """Returns the first model, or none."""
        return await self._all().afirst()

    async def acount(self) -> int:
        """Returns the number of models."""
        return await self._all().acount()

    async def aexists(self) -> bool:
        """True if there is a model."""
        return await self._all().aexists()


class Record(_nephos.Record):
    """A validated record: values are checked when it is made and when a field is assigned."""

    __slots__ = ()

    __shape__: ClassVar[Any]

    def model_dump(
        self,
        *,
        mode: str = "python",
        include: Any = None,
        exclude: Any = None,
        by_alias: bool = False,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
    ) -> dict[str, Any]:
        """Returns the fields as a mapping, and records in them, too. `mode="json"` has only values that JSON has, and hides secrets."""
        dumped = self._dump(
            mode=mode,
            by_alias=by_alias,
            exclude_unset=exclude_unset,
            exclude_defaults=exclude_defaults,
            exclude_none=exclude_none,
        )
        if include is not None:
            dumped = {name: value for name, value in dumped.items() if name in include}
        if exclude is not None:
            dumped = {name: value for name, value in dumped.items() if name not in exclude}
        return dumped

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """Returns the fields as JSON; secrets are hidden. The options are those of `model_dump`."""
        import json

        separators = (",", ":") if indent is None else None
        return json.dumps(self.model_dump(mode="json", **options), indent=indent, separators=separators, ensure_ascii=False)

    def _repr_html_(self) -> str:
        """Returns the fields as a table, for Jupyter; secrets are hidden."""
        from nephos import _html

        return _html.of_record(self)

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """Returns the JSON schema of the fields."""
        from nephos import _schema

        return _schema.of(cls)


class ModelList(list[M]):
    """A list of models, which Jupyter shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Returns the models as a table; secrets are hidden."""
        from nephos import _html

        return _html.of_records(type(self[0]).__name__ if self else "models", self)


class Model(Record):
    """A model of a kind: a record that is a resource."""

    __slots__ = ()

    def _use_session(self) -> None:
        if self.session is None and (session := _context.current_session()) is not None:
            self.set_session(session)

    @property
    def arn(self) -> str | None:
        """ARN; none while it is not known. A kind without ARNs is a value error."""
        arn: str | None = self._identity("arn")
        return arn

    @property
    def name(self) -> str | None:
        """Name; none while it is not known. A kind without names is a value error."""
        name: str | None = self._identity("name")
        return name

    @property
    def pk(self) -> Any:
        """Primary key. A kind without one is a value error."""
        return self._identity("pk")

    @property
    def save(self) -> BoundSave:
        """Creates the resource, or updates it if it is saved: sends what changed, and copies back what the service assigned."""
        return BoundSave(self)

    async def asave(self, **kwargs: Any) -> None:
        """Saves the model as `save` does."""
        await _async.run(self.save, (), kwargs)

    def delete(self, **kwargs: Any) -> Any:
        """Deletes the resource."""
        raise self.__shape__.kind.unsupported("delete")

    async def adelete(self, **kwargs: Any) -> Any:
        """Deletes the resource."""
        return await _async.run(self.delete, (), kwargs)

    def refresh(self) -> None:
        """Reads the resource again; what was not saved is lost."""
        latest = self._latest()
        if latest is None:
            raise self._is_gone()
        self._replace(latest)

    async def arefresh(self) -> None:
        """Reads the resource again; what was not saved is lost."""
        await _async.run(self.refresh)

    def wait_until(self, reached: Callable[[Self], bool], *, every: float = 15, at_most: int = 40) -> Self:
        """Gets the resource again until `reached` is true of it, and returns it. `every` is the number of seconds between two polls,
        by which the clock of a cloud in this process is advanced, and `at_most` the maximum number of polls."""
        self._use_session()
        session = self.session
        for poll in range(at_most):
            if poll and session is not None:
                session._pause(every)
            latest: Self | None = self._latest()
            if latest is None:
                raise self._is_gone()
            if reached(latest):
                return latest
        raise errors.Expired(f"timed out after {at_most} polls waiting for {type(self).__name__}")

    async def await_until(self, reached: Callable[[Self], bool], *, every: float = 15, at_most: int = 40) -> Self:
        """Waits as `wait_until` does."""
        found: Self = await _async.run(self.wait_until, (reached,), {"every": every, "at_most": at_most})
        return found

    def _is_gone(self) -> LookupError:
        return LookupError(f"the {type(self).__name__} {self.pk!r} does not exist any more")

    def _latest(self) -> Any:
        get = next((call for call in self.__shape__.kind.calls if call.name == "get"), None)
        if get is None:
            raise self.__shape__.kind.unsupported("get")
        self._use_session()
        return _nephos.run_call(get, None, self, (), {})
