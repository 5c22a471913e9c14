"""Tags of a model as a mapping, which writes through to the model."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

_UNSET: Any = object()


class Tags(MutableMapping[str, str]):
    """The tags of a model by key. If they are not known, they are fetched."""

    __slots__ = ("_model", "_field")

    def __init__(self, model: Any, field: str) -> None:
        self._model = model
        self._field = field

    def _read(self) -> dict[str, str]:
        tags = getattr(self._model, self._field)
        if tags is None and self._model.session is not None and self._model.is_saved:
            tags = getattr(self._model._latest(), self._field, None)
        if not tags:
            return {}
        if isinstance(tags, dict):
            return dict(tags)
        key, value = _names(tags[0])
        return {getattr(tag, key): getattr(tag, value) for tag in tags}

    def _write(self, tags: dict[str, str]) -> None:
        of = type(self._model).__dict__[self._field].type
        if of[0] == "dict":
            setattr(self._model, self._field, tags)
            return
        names = [field.name for field in of[1][1].fields]
        setattr(self._model, self._field, [dict(zip(names, pair)) for pair in tags.items()])

    def __getitem__(self, key: str) -> str:
        return self._read()[key]

    def __setitem__(self, key: str, value: str) -> None:
        self._write({**self._read(), key: value})

    def __delitem__(self, key: str) -> None:
        tags = self._read()
        del tags[key]
        self._write(tags)

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def clear(self) -> None:
        self._write({})

    def update(self, *args: Any, **kwargs: str) -> None:
        self._write({**self._read(), **dict(*args, **kwargs)})

    def __repr__(self) -> str:
        return repr(self._read())


def _names(tag: Any) -> list[str]:
    return [field.name for field in type(tag).__shape__.fields][:2]


def tags_of(kind: Any) -> property:
    """Returns the property `tags` of a kind."""
    field = kind.tags_field

    def read(model: Any) -> Tags:
        return Tags(model, field)

    def write(model: Any, tags: Any) -> None:
        Tags(model, field)._write(dict(tags))

    return property(read, write, doc="Tags by key. Changes are sent by `save`.")
