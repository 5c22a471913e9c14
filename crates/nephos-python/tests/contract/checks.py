"""Checks that cases of several services share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nephos
import pytest


def refused(code: str, call: Callable[[], Any], field: str | None = None) -> nephos.Error:
    """Checks that a call is refused with the code, and returns the error."""
    with pytest.raises(nephos.Error) as caught:
        call()
    assert caught.value.code == code, caught.value
    if field is not None:
        assert caught.value.field == field, caught.value
    return caught.value


def invalid(field: str, call: Callable[[], Any]) -> nephos.Error:
    """Checks that a value is refused with its field, and returns the error."""
    with pytest.raises(ValueError) as caught:
        call()
    assert isinstance(caught.value, nephos.Error)
    assert caught.value.field == field, caught.value
    return caught.value
