#!/usr/bin/env python3
"""Writes the stubs of the classes that are made from the shapes: `stubs.py FOLDER` writes into the folder of the package.

Needs the built module on the path. The package has a stub for itself and one for each service.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Iterator

from nephos import _classes, _controls, _modules, _nephos, _signatures

HEADER = '''"""{doc}"""

# Written by stubs.py.

import datetime as _dt
from builtins import dict as _dict, list as _list
from collections.abc import Mapping as _Mapping, Sequence as _Sequence
from typing import Any as _Any, ClassVar as _ClassVar, Literal as _Literal

from nephos._models import Choice as _Choice, ListingManager as _ListingManager, Manager as _Manager, Model as _Model, Record as _Record
from nephos._models import Call as _Call, call as _call
from nephos._nephos import ResultSet as _ResultSet, SecretBytes as _SecretBytes, SecretStr as _SecretStr
from nephos._tags import Tags as _Tags
'''

SIMPLE = {
    "bool": ("bool", "bool"),
    "int": ("int", "int"),
    "float": ("float", "float"),
    "str": ("str", "str"),
    "datetime": ("_dt.datetime", "_dt.datetime | str"),
    "bytes": ("bytes", "bytes | str"),
    "secret": ("_SecretStr", "_SecretStr | str"),
    "any": ("_Any", "_Any"),
}


class Module:
    """The stub of one service."""

    def __init__(self, members: dict[str, Any], service: str = "") -> None:
        self.service = service
        self.own = {shape.id: name for name, shape in members.items()}
        self.imports: set[str] = set()
        self.attributes = attributes(members.values())

    def name_of(self, shape: Any) -> str:
        """Returns the name of a class in this module."""
        module, name = _modules.homes()[shape.id]
        if shape.id in self.own and self.own[shape.id] not in self.attributes:
            return self.own[shape.id]
        self.imports.add(f"import {module}" if module != "nephos" else "import nephos")
        return f"{module}.{name}"

    def types(self, of: Any) -> tuple[str, str]:
        """Returns the type that is read, and the type that is accepted."""
        if of[0] == "list":
            got, taken = self.types(of[1])
            return f"_list[{got}]", f"_Sequence[{taken}]"
        if of[0] == "dict":
            got, taken = self.types(of[1])
            return f"_dict[str, {got}]", f"_Mapping[str, {taken}]"
        if of[0] == "choice":
            name = self.name_of(of[1])
            values = ", ".join(repr(value) for value, _, _ in of[1].values)
            return name, f"{name} | _Literal[{values}]" if values else f"{name} | str"
        if of[0] == "record":
            name = self.name_of(of[1])
            return name, f"{name} | _Mapping[str, _Any]"
        return SIMPLE[of[0]]

    def field_types(self, field: Any) -> tuple[str, str]:
        """Returns the types of a field."""
        if field.is_tags:
            got, taken = self.types(field.type)
            return got, f"{taken} | _Mapping[str, str]" if field.type[0] == "list" else f"{taken} | _Sequence[_Mapping[str, str]]"
        if field.is_sensitive and field.type[0] in ("str", "bytes"):
            return SIMPLE["secret"] if field.type[0] == "str" else ("_SecretBytes", "_SecretBytes | bytes | str")
        return self.types(field.type)

    def record(self, name: str, shape: Any) -> Iterator[str]:
        """Writes a record or a model."""
        kind = shape.kind
        yield f"\nclass {name}({'_Model' if kind else '_Record'}):"
        yield from docstring(shape.doc, "    ")
        fields = shape.fields
        yield "    def __init__("
        yield "        self,"
        given = [field for field in fields if _signatures.is_name(field.name)]
        if given:
            yield "        *,"
        for field in sorted(given, key=lambda field: not field.is_required):
            taken = self.field_types(field)[1]
            yield f"        {field.name}: {taken}" + ("," if field.is_required else " | None = ...,")
        tags = [field for field in given if field.is_tags]
        if tags and not any(field.name == "tags" for field in given):
            yield f"        tags: {self.field_types(tags[0])[1]} | None = ...,"
        if shape.extras:
            yield "        **extra: _Any,"
        yield "    ) -> None: ..."
        taken_names = {field.name for field in fields}
        for field in given:
            got, accepted = self.field_types(field)
            yield "    @property"
            yield f"    def {field.name}(self) -> {got} | None:" + ("" if field.doc else " ...")
            yield from docstring(field.doc, "        ")
            if not (field.is_service_set or (kind and kind.frozen)):
                yield f"    @{field.name}.setter"
                yield f"    def {field.name}(self, value: {accepted} | None) -> None: ..."
        if kind:
            yield from self.kind(name, kind, taken_names)

    def kind(self, name: str, kind: Any, fields: set[str]) -> Iterator[str]:
        """Writes what a model has beside its fields."""
        calls = {call.name for call in kind.calls if call.instance}
        for relation, target, many in kind.relations:
            if relation not in fields | calls:
                of = self.name_of(target)
                yield "    @property"
                yield f"    def {relation}(self) -> {f'_list[{of}]' if many else f'{of} | None'}: ..."
        if kind.tags_field and "tags" not in fields:
            yield "    @property"
            yield "    def tags(self) -> _Tags: ..."
            yield "    @tags.setter"
            yield "    def tags(self, tags: _Mapping[str, str]) -> None: ..."
        for call in kind.calls:
            if call.instance and call.name not in fields:
                yield from self.call(name, call, on_model=True)
        yield f"    objects: _ClassVar[{kind.name}Manager]"
        listed = any(call.name == "list" for call in kind.calls)
        yield f"\nclass {kind.name}Manager({f'_ListingManager[{name}]' if listed else f'_Manager[{name}]'}):"
        yield f'    """Manager of {kind.name}."""'
        for call in kind.calls:
            yield from self.call(name, call, on_model=False)

    def parameters(self, call: Any, on_model: bool = False, model: str = "") -> list[str]:
        """Returns the parameters of a call."""
        parts = ["self"]
        for argument in _signatures.arguments(call, on_model):
            taken = self.field_types(argument.field)[1] if argument.field else model
            if not argument.is_positional and "*" not in parts:
                parts.append("*")
            may_be_none = not argument.is_positional or argument.field is None
            given = f"{taken} | None" if may_be_none else taken
            parts.append(f"{argument.name}: {given}" + ("" if argument.is_required else " = ..."))
        return parts

    def answer(self, call: Any) -> str:
        """Returns the type of an answer."""
        answer = _signatures.answer_of(call)
        return self.types(answer[0])[0] + (" | None" if answer[1] else "") if answer else "None"

    def call(self, model: str, call: Any, on_model: bool) -> Iterator[str]:
        """Writes a call of a manager or a model."""
        parts = self.parameters(call, on_model, model)
        if call.is_listing:
            answer = f"_ResultSet[{self.types(call.output)[0].removeprefix('_list[').removesuffix(']')}]"
        else:
            answer = self.answer(call)
        name = _classes.method_name(call.name)
        if call.is_listing:
            yield f"    def {name}({', '.join(parts)}) -> {answer}:" + ("" if call.doc else " ...")
            yield from docstring(call.doc, "        ")
            return
        # The base class has a `delete` with any parameters, for kinds without one.
        ignore = "  # type: ignore[override]" if on_model and name == "delete" else ""
        yield "    @_call"
        yield f"    def {name}({', '.join(parts)}) -> {answer}:" + ("" if call.doc else " ...") + ignore
        yield from docstring(call.doc, "        ")
        yield f"    async def a{name}({', '.join(parts)}) -> {answer}: ...{ignore}"

    def choice(self, name: str, choice: Any) -> Iterator[str]:
        """Writes an enum."""
        yield f"\nclass {name}(_Choice):"
        yield from docstring(choice.doc, "    ")
        for value, _, _ in choice.values:
            yield f"    {_classes.member_name(value)} = {value!r}"

    def text(self) -> str:
        """Returns the stub."""
        lines: list[str] = []
        for name, shape in _modules.members(self.service).items():
            home = _modules.homes()[shape.id]
            if home[0] == "nephos":
                # Written once, in the package.
                lines.append(f"\nfrom nephos import {home[1]} as {name}")
            elif isinstance(shape, _nephos.Choice):
                lines += self.choice(name, shape)
            else:
                lines += self.record(name, shape)
        return self.header(_modules.services()[self.service].doc or self.service) + "\n".join(lines) + "\n"

    def header(self, doc: str) -> str:
        """Returns the beginning of the stub: the documentation of the module, and the imports."""
        return HEADER.format(doc=doc) + "".join(f"{line}\n" for line in sorted(self.imports))


class Controls(Module):
    """The test controls of all services."""

    def __init__(self) -> None:
        super().__init__({})

    def text(self) -> str:
        lines = ["\nclass Controls:", *docstring(_controls.Controls.__doc__ or "", "    ")]
        for name, control in _controls.all_controls().items():
            lines.append(f"    def {name}({', '.join(self.parameters(control))}) -> {self.answer(control)}:")
            lines += docstring(control.doc, "        ")
        return self.header("Test controls of a cloud.") + "\n".join(lines) + "\n"


class Shared(Module):
    """The records of several services, which are in the package itself."""

    def __init__(self) -> None:
        super().__init__(_modules.shared())

    def text(self) -> str:
        lines: list[str] = []
        for name, shape in _modules.shared().items():
            lines += self.choice(name, shape) if isinstance(shape, _nephos.Choice) else self.record(name, shape)
        return self.header("Records of several services.") + "\n".join(lines) + "\n"


def attributes(shapes: Any) -> set[str]:
    """Names of the fields of records, which hide classes of the same names inside the class."""
    records = [shape for shape in shapes if not isinstance(shape, _nephos.Choice)]
    return {field.name for shape in records for field in shape.fields}


def docstring(doc: str, indent: str) -> Iterator[str]:
    if doc:
        text = doc.replace("\\", "\\\\").replace('"""', "'''").strip()
        text += " " if text.endswith('"') else ""
        yield f'{indent}"""{text}"""'


def package() -> str:
    """Returns the stub of the package: the source without what finds names at run time."""
    import nephos

    source = Path(str(nephos.__file__)).read_text()
    head, _, _ = source.partition("__version__ =")
    head = head.replace("from nephos import _modules, errors\n", "from nephos import errors as errors\n")
    kinds = _modules.kinds()
    lines = [head.rstrip(), "", "__version__: str", ""]
    lines += [f"from nephos import {service} as {service}" for service in _modules.services()]
    lines += [f"from nephos.{service} import {kind} as {kind}" for kind, service in kinds.items()]
    lines += [f"from nephos._shared import {name} as {name}" for name in _modules.shared()]
    return "\n".join(lines) + "\n"


def main(folder: Path) -> None:
    (folder / "__init__.pyi").write_text(package())
    (folder / "_shared.pyi").write_text(Shared().text())
    (folder / "_controls.pyi").write_text(Controls().text())
    for service in _modules.services():
        (folder / f"{service}.pyi").write_text(Module(_modules.members(service), service).text())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
