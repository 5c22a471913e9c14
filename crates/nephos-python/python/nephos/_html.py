"""Tables of models and results, as Jupyter shows them. Every text is escaped, and secrets are hidden."""

from __future__ import annotations

import datetime
import html
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nephos import _nephos

#: Rows of a table; of a result set, no more than one more is fetched.
MAX_ROWS = 20

HIDDEN = "**********"


def of_record(record: Any) -> str:
    """Returns the fields of a record that have a value, one in a row."""
    rows = [(name, cell(value)) for name, value in _values(record).items()]
    return _table(type(record).__name__, (), [f"<th>{html.escape(name)}</th><td>{value}</td>" for name, value in rows])


def of_records(name: str, records: Iterable[Any]) -> str:
    """Returns records as rows, with a column for each field that has a value in one of them."""
    found = list(itertools.islice(records, MAX_ROWS + 1))
    shown = [_values(record) for record in found[:MAX_ROWS]]
    columns = list(dict.fromkeys(itertools.chain.from_iterable(shown)))
    rows = ["".join(f"<td>{cell(values.get(column))}</td>" for column in columns) for values in shown]
    more = len(found) > MAX_ROWS
    return _table(f"{name}: the first {MAX_ROWS}, there are more" if more else f"{name}: {len(found)}", columns, rows)


def cell(value: Any) -> str:
    """Returns a value as HTML: records as tables, everything else as escaped text."""
    if value is None:
        return ""
    if isinstance(value, _nephos.Record):
        return of_record(value)
    if isinstance(value, Mapping):
        return _table("", (), [f"<th>{html.escape(str(key))}</th><td>{cell(inner)}</td>" for key, inner in value.items()])
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return "<br>".join(cell(item) for item in value)
    if isinstance(value, datetime.datetime):
        value = value.isoformat(sep=" ")
    elif isinstance(value, bytes):
        value = repr(value)
    return html.escape(str(value))


def _values(record: Any) -> dict[str, Any]:
    """Returns the fields that have a value, and unknown fields."""
    values = {}
    for field in type(record).__shape__.fields:
        value = getattr(record, field.name)
        if value is not None:
            values[field.name] = HIDDEN if field.is_sensitive else value
    return {**values, **(record.model_extra or {})}


def _table(caption: str, columns: Sequence[str], rows: list[str]) -> str:
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        "<table>"
        + (f"<caption>{html.escape(caption)}</caption>" if caption else "")
        + (f"<thead><tr>{head}</tr></thead>" if head else "")
        + f"<tbody>{body}</tbody></table>"
    )
