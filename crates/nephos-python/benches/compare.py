#!/usr/bin/env python3
"""Compares the package with pydantic, and prints ratios: `compare.py`, with the built module on the path and pydantic installed.

Each pair is measured in turns within one run, and the fastest of several rounds counts, so that other programs matter less.
"""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter
from timeit import Timer
from typing import Annotated, Any, Callable, Literal, Optional

import nephos
import pydantic

ROUNDS = 15
RETENTIONS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)


class Tag(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(validate_assignment=True)
    Key: Annotated[Optional[str], pydantic.Field(max_length=128)] = None
    Value: Annotated[Optional[str], pydantic.Field(max_length=256)] = None


class LogGroup(pydantic.BaseModel):
    """The same fields and rules as `nephos.LogGroup`."""

    model_config = pydantic.ConfigDict(validate_assignment=True)
    Arn: Optional[str] = None
    logGroupName: Annotated[Optional[str], pydantic.Field(min_length=1, max_length=512, pattern=r"^[.\-_/#A-Za-z0-9]+$")] = None
    creationTime: Optional[int] = None
    retentionInDays: Optional[Literal[RETENTIONS]] = None  # type: ignore[valid-type]
    metricFilterCount: Optional[int] = None
    storedBytes: Optional[int] = None
    kmsKeyId: Optional[str] = None
    dataProtectionStatus: Optional[Literal["ACTIVATED", "DELETED", "ARCHIVED", "DISABLED"]] = None
    inheritedProperties: Optional[list[Literal["ACCOUNT_DATA_PROTECTION"]]] = None
    logGroupClass: Optional[Literal["STANDARD", "INFREQUENT_ACCESS", "DELIVERY"]] = None
    logGroupArn: Optional[str] = None
    deletionProtectionEnabled: Optional[bool] = None
    bearerTokenAuthenticationEnabled: Optional[bool] = None
    Tags: Optional[list[Tag]] = None


def seconds(function: Callable[[], Any], times: int) -> float:
    start = perf_counter()
    for _ in range(times):
        function()
    return (perf_counter() - start) / times


def compare(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], times: int) -> None:
    compare_times(name, lambda: seconds(ours, times), lambda: seconds(theirs, times))


def compare_statements(name: str, statement: str, ours: Any, theirs: Any, value: Any = None) -> None:
    """Compares a statement about `model`, as a program has it, without the cost of a function around it."""
    timers = [Timer(statement, globals={"model": model, "value": value}) for model in (ours, theirs)]
    compare_times(name, *(lambda timer=timer: timer.timeit(5000) / 5000 for timer in timers))  # type: ignore[misc]


def compare_times(name: str, ours: Callable[[], float], theirs: Callable[[], float]) -> None:
    mine, other = [], []
    for _ in range(ROUNDS):
        mine.append(ours())
        other.append(theirs())
    print(f"{name:40} {min(mine) * 1e9:9.0f} ns  pydantic {min(other) * 1e9:9.0f} ns  {min(other) / min(mine):6.1f} times")


def main() -> None:
    ours, theirs = nephos.LogGroup(logGroupName="/web/api"), LogGroup(logGroupName="/web/api")
    values: dict[str, Any] = {"retentionInDays": 30, "logGroupName": "/web/other", "deletionProtectionEnabled": True, "kmsKeyId": "one", "logGroupClass": "DELIVERY"}
    for field, value in values.items():
        compare_statements(f"set {field}", f"model.{field} = value", ours, theirs, value)
    tags = [{"Key": "team", "Value": "web"}]
    compare_statements("set Tags", "model.Tags = value", ours, theirs, tags)
    for field in ("retentionInDays", "logGroupName"):
        compare_statements(f"get {field}", f"model.{field}", ours, theirs)
    compare("construct", lambda: nephos.LogGroup(logGroupName="/web", retentionInDays=30), lambda: LogGroup(logGroupName="/web", retentionInDays=30), 2000)
    compare("model_dump", ours.model_dump, theirs.model_dump, 2000)
    text = theirs.model_dump_json(exclude_none=True)
    compare("model_validate_json", lambda: nephos.LogGroup.model_validate_json(text), lambda: LogGroup.model_validate_json(text), 2000)

    cloud = nephos.Cloud()
    for n in range(1000):
        nephos.LogGroup.objects.using(cloud.session()).create(logGroupName=f"g{n:04}")
    objects = nephos.LogGroup.objects.using(cloud.session())
    print(f"{'fork of a cloud with 1,000 log groups':40} {min(seconds(cloud.fork, 50) for _ in range(ROUNDS)) * 1e3:9.3f} ms")
    print(f"{'get of one of them':40} {min(seconds(lambda: objects.get('g0500'), 200) for _ in range(ROUNDS)) * 1e3:9.3f} ms")
    print(f"{'list of all':40} {min(seconds(lambda: objects.list().all(), 1) for _ in range(ROUNDS)) * 1e3:9.3f} ms")
    code = "import time; start = time.perf_counter(); import nephos; print(time.perf_counter() - start)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(ROUNDS)]
    print(f"{'import nephos':40} {min(times) * 1e3:9.1f} ms")
    code = code.replace("import nephos;", "import nephos; nephos.LogGroup;")
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(ROUNDS)]
    print(f"{'import and the first class':40} {min(times) * 1e3:9.1f} ms")


if __name__ == "__main__":
    main()
