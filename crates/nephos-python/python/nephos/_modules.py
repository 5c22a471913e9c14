"""Modules of the services, whose classes are made when they are first used."""

from __future__ import annotations

import sys
import types
from functools import cache
from typing import Any

from nephos import _nephos


class ServiceModule(types.ModuleType):
    """Module of a service: its kinds, records and enums."""

    def __init__(self, service: Any) -> None:
        super().__init__(f"nephos.{service.name}", service.doc)
        self.__dict__["_service"] = service
        self.__package__ = "nephos"

    def __getattr__(self, name: str) -> Any:
        found = None if name.startswith("_") else members(self.__dict__["_service"].name).get(name)
        if found is None:
            raise missing(self, name, dir(self))
        made = class_of(found)
        setattr(self, name, made)
        return made

    def __dir__(self) -> list[str]:
        return sorted(members(self.__dict__["_service"].name))


@cache
def services() -> dict[str, Any]:
    """All services by name."""
    return {service.name: service for service in _nephos.services()}


@cache
def kinds() -> dict[str, str]:
    """Names of all kinds, each with that of its service."""
    return dict(_nephos.kind_names())


@cache
def members(service: str) -> dict[str, Any]:
    """Shapes of the records and enums of a service by name. A record that has the name of a kind gets another one."""
    found: dict[str, Any] = {}
    for shape in (*services()[service].records, *services()[service].choices):
        name = shape.name
        while name in found:
            name += "Record"
        found[name] = shape
    return found


@cache
def shared() -> dict[str, Any]:
    """Shapes of the records and enums of several services, and of those of none, by name."""
    users: dict[int, int] = {}
    found: dict[str, Any] = {shape.name: shape for shape in _nephos.access_shapes()}
    for service in services():
        for name, shape in members(service).items():
            users[shape.id] = users.get(shape.id, 0) + 1
            if users[shape.id] > 1:
                found.setdefault(name, shape)
    return found


@cache
def homes() -> dict[int, tuple[str, str]]:
    """Module and name of the class of each record and enum."""
    found = {shape.id: ("nephos", name) for name, shape in shared().items()}
    for service in services():
        for name, shape in members(service).items():
            found.setdefault(shape.id, (f"nephos.{service}", name))
    return found


def class_of(shape: Any) -> type:
    """Returns the class of a record or an enum."""
    if isinstance(shape, _nephos.Choice):
        return _nephos.class_of_choice(shape)
    return _nephos.class_of_record(shape)


def find(name: str) -> Any:
    """Returns the class of a kind, or of a record of several services, as an attribute of the package."""
    package = sys.modules["nephos"]
    if name in kinds():
        made = getattr(sys.modules[f"nephos.{kinds()[name]}"], name)
    elif not name.startswith("_") and name in shared():
        made = class_of(shared()[name])
    else:
        raise missing(package, name, dir(package))
    setattr(package, name, made)
    return made


def missing(module: types.ModuleType, name: str, known: list[str]) -> AttributeError:
    """Returns the error for a name that a module does not have, with the nearest one that it has."""
    near = "" if name.startswith("_") else _nephos.suggest(name, [one for one in known if not one.startswith("_")])
    return AttributeError(f"module {module.__name__!r} has no attribute {name!r}{near}")


def names() -> list[str]:
    """Names of the modules of services, of the kinds, and of the records of several services."""
    return [*services(), *kinds(), *shared()]


def register() -> None:
    """Registers the modules of the services, so that `import nephos.logs` finds them."""
    package = sys.modules["nephos"]
    for service in services().values():
        module = ServiceModule(service)
        sys.modules[module.__name__] = module
        setattr(package, service.name, module)


def version() -> str:
    """Version of the package."""
    return _nephos.VERSION
