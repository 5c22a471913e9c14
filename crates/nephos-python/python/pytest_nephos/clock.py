"""The clock of a cloud, for tests."""

from __future__ import annotations

import datetime
from typing import Any

from nephos.mock_options import to_time
from nephos.mock_time import from_text


class Clock:
    """The time of a cloud. It runs until it is frozen, and moves only forwards."""

    def __init__(self, cloud: Any) -> None:
        self._cloud = cloud

    def now(self) -> datetime.datetime:
        """Returns the time of the cloud, with its offset."""
        return from_text(self._cloud.now())

    def advance(self, duration: datetime.timedelta | None = None, **parts: float) -> None:
        """Moves the time on, and does what falls due meanwhile: `clock.advance(days=7)`."""
        total = (duration or datetime.timedelta()) + datetime.timedelta(**parts)
        self._cloud.advance(total.total_seconds())

    def set(self, time: datetime.datetime | str) -> None:
        """Moves the time on to `time`, and does what falls due meanwhile."""
        self._cloud.set_time(to_time(time))

    def freeze(self) -> None:
        """Stops the clock; `advance` and `set` still move it."""
        self._cloud.freeze()

    def resume(self) -> None:
        """Lets the clock run on."""
        self._cloud.resume()
