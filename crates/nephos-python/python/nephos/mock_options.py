"""Options of `mock_aws`, checked when they are given."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from nephos.boto import check_account
from nephos.mock_time import to_text

#: Settings of the permission check.
PERMISSIONS = ("off", "record", "enforce")

#: moto's settings of the kind `core` that are followed here; the other kinds are about single services of moto.
_CORE = ("mock_credentials", "reset_boto3_session")


@dataclasses.dataclass(frozen=True)
class Options:
    """What `mock_aws` was given. None stands for what is active around it, or else for the default."""

    cloud: Any = None
    account: str | None = None
    region: str | None = None
    clock: datetime.datetime | str | None = None
    permissions: str | None = None
    moto: bool | Iterable[str] = True
    config: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.account is not None:
            check_account(self.account)
        if self.region is not None and not (isinstance(self.region, str) and self.region):
            raise ValueError(f"region must be a name such as 'us-east-1', got {self.region!r}")
        check_permissions(self.permissions)
        to_time(self.clock)
        if isinstance(self.moto, str):
            raise ValueError(f"moto must be True, False or a list of services, got {self.moto!r}; did you mean [{self.moto!r}]?")
        for name in self.config.get("core", {}):
            if name not in _CORE:
                raise ValueError(f"config: the setting core.{name} is not supported; core has {' and '.join(_CORE)}")

    def core(self, name: str) -> bool:
        """Returns a setting of moto's kind `core`, which is on by default."""
        return bool(self.config.get("core", {}).get(name, True))


def check_permissions(permissions: str | None) -> None:
    """Raises ValueError if this is not a setting of the permission check."""
    if permissions not in (None, *PERMISSIONS):
        raise ValueError(f"permissions must be one of {', '.join(PERMISSIONS)}, got {permissions!r}")


def to_time(clock: datetime.datetime | str | None) -> str | None:
    """Returns a time as text; None for the present, at which "frozen" stops the clock."""
    if clock is None or clock == "frozen":
        return None
    if isinstance(clock, str):
        try:
            clock = datetime.datetime.fromisoformat(clock.replace("Z", "+00:00"))
        except ValueError:
            raise ValueError(f"clock must be a time such as '2030-01-31T12:00:00Z' or 'frozen', got {clock!r}") from None
    if not isinstance(clock, datetime.datetime):
        raise ValueError(f"clock must be a datetime, a text or 'frozen', got {clock!r}")
    return to_text(clock)
