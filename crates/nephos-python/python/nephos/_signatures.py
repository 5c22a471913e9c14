"""Signatures of calls, from their shapes: for `inspect.signature`, `help` and the type stubs."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

if TYPE_CHECKING:
    import inspect


class Argument(NamedTuple):
    """An argument of a call."""

    name: str
    field: Any
    """Its field; none for the whole model."""
    is_positional: bool
    is_required: bool


def arguments(call: Any, on_model: bool = False) -> list[Argument]:
    """Returns the arguments of a call of a manager, or of a model on itself; those by position first."""
    positional = call.positional(on_model)
    params = [param for param in call.params if not param.is_wire_only and is_name(param.name)]
    # The fields of the model can be given in its place.
    takes_model = not on_model and any(param.is_model for param in params)
    found: dict[str, Argument] = {}
    for param in params:
        if param.is_model and takes_model:
            found["model"] = Argument("model", None, True, False)
        elif param.name in positional:
            found[param.name] = Argument(param.name, param, True, not takes_model)
        elif not param.is_model and not (on_model and param.is_required):
            found[param.name] = Argument(param.name, param, False, False)
    for field in call.model.fields if takes_model else ():
        if not field.is_service_set and is_name(field.name):
            found.setdefault(field.name, Argument(field.name, field, False, False))
    tags = [argument for argument in found.values() if argument.field and argument.field.is_tags and not argument.is_positional]
    if tags:
        # Their usual name, which every call takes.
        found.setdefault("tags", tags[0]._replace(name="tags"))
    return sorted(found.values(), key=lambda argument: not argument.is_positional)


def signature(call: Any, on_model: bool = False) -> inspect.Signature:
    """Returns the signature of a call."""
    # Imported when it is needed, so that `import nephos` stays short.
    import inspect

    parameters = [
        inspect.Parameter(
            argument.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD if argument.is_positional else inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if argument.is_required else None,
            annotation=_Annotation(
                argument.field.type if argument.field else ("record", call.model), argument.field is None or not argument.is_positional
            ),
        )
        for argument in arguments(call, on_model)
    ]
    return inspect.Signature(parameters, return_annotation=_Annotation(*answer_of(call)) if answer_of(call) else None)


def answer_of(call: Any) -> tuple[Any, bool] | None:
    """Returns the type of an answer, and whether it may be none; none if there is no answer."""
    answer = call.output
    if answer is None or answer[0] == "record" and not answer[1].fields:
        return None
    # Which answers can be none is not in the description, except for these.
    return answer, call.name == "get" and answer[0] == "record"


class _Fact:
    """An attribute of objects, which their class does not have."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        self._read = read

    def __get__(self, owner: Any, cls: Any) -> Any:
        return None if owner is None else self._read(owner)


class Described:
    """Base class of callables with the name, the documentation and the signature of a `_call`."""

    __slots__ = ()

    __name__ = _Fact(lambda owner: owner._call.name.replace("-", "_"))
    __doc__ = _Fact(lambda owner: owner._call.doc)
    __signature__ = _Fact(lambda owner: owner._signature())

    def __init_subclass__(cls) -> None:
        # Each class has a documentation of its own, if only none.
        cls.__doc__ = Described.__dict__["__doc__"]

    def _signature(self) -> inspect.Signature:
        return signature(getattr(self, "_call"))

    def __get__(self, owner: Any, cls: Any) -> Any:
        # As a method has it, so that `help` shows the call and not its class.
        return self


class _Annotation:
    """A type, written as in the stubs."""

    def __init__(self, of: Any, may_be_none: bool = False) -> None:
        self._of = of
        self._may_be_none = may_be_none

    def __repr__(self) -> str:
        name, *inner = self._of
        if self._may_be_none:
            return f"{_Annotation(self._of)!r} | None"
        if name == "list":
            return f"list[{_Annotation(inner[0])!r}]"
        if name == "dict":
            return f"dict[str, {_Annotation(inner[0])!r}]"
        if name in ("record", "choice"):
            return str(inner[0].name)
        return {"secret": "SecretStr", "any": "Any"}.get(name, str(name))


def is_name(name: str) -> bool:
    """True if a parameter of Python can have the name."""
    return name.isidentifier() and not keyword.iskeyword(name)
