"""Makes the classes of records, models, managers and enums from their shapes."""

from __future__ import annotations

import enum
import keyword
import re
from typing import Any

from nephos import _modules, _nephos
from nephos._models import AsyncDescriptor, CallDescriptor, Choice, ListingManager, Manager, Model, Record
from nephos._tags import tags_of


class Objects:
    """The attribute `objects` of a kind: its manager."""

    __slots__ = ("manager",)

    def __init__(self, manager: type[Manager]) -> None:
        self.manager = manager

    def __get__(self, model: Any, cls: Any) -> Any:
        return self.manager(None if model is None else model.session)


class Relation:
    """A relation of a kind: the models that belong to a model."""

    def __init__(self, name: str, doc: str) -> None:
        self.name = name
        self.__doc__ = doc

    def __get__(self, model: Any, cls: Any) -> Any:
        if model is None:
            return self
        model._use_session()
        return _nephos.look_up(model, self.name)


def record_class(shape: Any) -> type:
    """Makes the class of a record."""
    kind = shape.kind
    module, name = _modules.homes().get(shape.id, ("nephos", shape.name))
    body: dict[str, Any] = {"__slots__": (), "__shape__": shape, "__doc__": shape.doc, "__module__": module}
    fields = {field.name: field for field in shape.fields}
    for field in fields.values():
        for alias in field.aliases:
            if alias.isidentifier():
                body[alias] = field
    if kind:
        add_kind(body, kind, fields, module)
    body.update(fields)
    return type(Model if kind else Record)(name, (Model if kind else Record,), body)


def add_kind(body: dict[str, Any], kind: Any, fields: dict[str, Any], module: str) -> None:
    """Adds relations, calls and the manager of a kind."""
    manager: dict[str, Any] = {"__slots__": (), "__doc__": f"Manager of {kind.name}.", "__module__": module}
    is_listed = False
    for call in kind.calls:
        name = method_name(call.name)
        is_listed |= name == "list"
        manager[name] = CallDescriptor(call, on_model=False)
        if not call.is_listing:
            manager[f"a{name}"] = AsyncDescriptor(name)
        if call.instance and name not in fields:
            body[name] = CallDescriptor(call, on_model=True)
            if not call.is_listing:
                body.setdefault(f"a{name}", AsyncDescriptor(name))
    for name, target, _ in kind.relations:
        body.setdefault(name, Relation(name, f"{target.name} of this {kind.name}."))
    if kind.tags_field:
        body["tags"] = tags_of(kind)
    manager_class = type(f"{kind.name}Manager", (ListingManager if is_listed else Manager,), manager)
    body["objects"] = Objects(manager_class)


def method_name(name: str) -> str:
    """Returns the name of a call as a method."""
    return f"{name}_" if keyword.iskeyword(name) else name


def choice_class(choice: Any) -> type[enum.Enum]:
    """Makes the class of an enum. Its members are texts."""
    names = [(member_name(value), value) for value, _, _ in choice.values]
    module, name = _modules.homes().get(choice.id, ("nephos", choice.name))
    made = Choice(name, names, module=module, qualname=name)
    made.__doc__ = choice.doc
    return made


def member_name(value: str) -> str:
    """Returns the name of the member for a value."""
    name = re.sub(r"\W", "_", value)
    if not name or name[0].isdigit() or keyword.iskeyword(name) or name.startswith("_") or hasattr(str, name) or name == "mro":
        return f"V_{name}"
    return name
