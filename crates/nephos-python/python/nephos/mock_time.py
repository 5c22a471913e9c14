"""Times of a test: as texts for a cloud, and those to which freezegun and time-machine move Python."""

from __future__ import annotations

import calendar
import datetime
import sys


def to_text(time: datetime.datetime) -> str:
    """Returns a time as a cloud takes it. A time without an offset is in UTC, as in the services."""
    aware = time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)
    return aware.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def moved_time() -> datetime.datetime | None:
    """Returns the time that freezegun or time-machine shows to Python, if one of them is active."""
    frozen = getattr(sys.modules.get("freezegun.api"), "freeze_factories", None)
    if frozen:
        # It is in UTC, without an offset, and may be of freezegun's own class.
        seconds = calendar.timegm(frozen[-1]().timetuple())
        utc = datetime.timezone.utc
        return datetime.datetime.fromtimestamp(seconds, utc) + datetime.timedelta(microseconds=frozen[-1]().microsecond)
    machine = sys.modules.get("time_machine")
    # The name before version 3.
    travels = getattr(machine, "traveller_stack", None) or getattr(machine, "coordinates_stack", None)
    return datetime.datetime.fromtimestamp(travels[-1].time_ns() / 1e9, datetime.timezone.utc) if travels else None
