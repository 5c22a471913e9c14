"""Clouds inside the process, with their clock."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from nephos import _context, _nephos
from nephos.boto import BotoMixin


class Clock:
    """The clock of a cloud: reads, advances, freezes and resumes its time."""

    __slots__ = ("_cloud",)

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def now(self) -> datetime:
        """The time of the cloud, in UTC."""
        return self._cloud._now()

    @property
    def is_frozen(self) -> bool:
        """True if the time changes only when it is advanced."""
        return self._cloud.is_frozen()

    def advance(self, by: timedelta | float | str | None = None, **parts: float) -> int:
        """Advances the time by a timedelta, seconds, or a text such as `31d` or `1h30m`; or by parts, as `days=7`. Does the work that
        falls due meanwhile, and returns the number of its pieces."""
        if by is None:
            by = timedelta(**parts)
        elif parts:
            raise TypeError("advance() takes a duration, or its parts, but not both")
        if isinstance(by, timedelta):
            by = by.total_seconds()
        if isinstance(by, str):
            by = _nephos.parse_duration(by)
        return self._cloud.advance(by)

    def set(self, time: datetime | str) -> None:
        """Advances the time to `time`; a datetime without an offset is in UTC."""
        if isinstance(time, datetime):
            time = (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).isoformat()
        self._cloud.set_time(time)

    def freeze(self) -> None:
        """Freezes the time."""
        self._cloud.freeze()

    def resume(self) -> None:
        """Lets the time run again, from where it was frozen."""
        self._cloud.resume()

    def __repr__(self) -> str:
        return f"<Clock {self.now().isoformat()}{' frozen' if self.is_frozen else ''}>"


class Cloud(BotoMixin, _nephos.Cloud):
    """A cloud inside the process: `Cloud()` in memory, `Cloud(path)` in a file.

    Inside `with Cloud() as cloud:`, calls without a session use it, and it is closed at the end.
    """

    __slots__ = ()

    @property
    def clock(self) -> Clock:
        """Clock of the cloud."""
        return Clock(self)

    def __enter__(self) -> Cloud:
        _context.enter(self.session())
        return self

    def __exit__(self, *_: object) -> None:
        _context.leave()
        self.close()
