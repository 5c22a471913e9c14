"""The records of benches/models.rs in pydantic, with the same rules and the same measurements."""

import pathlib
import time
from datetime import datetime
from enum import Enum
from typing import Annotated, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field


class MachineState(str, Enum):
    RUNNING = "RUNNING"
    STOPPED = "STOPPED"
    PENDING = "PENDING"


class MachineEndpoint(BaseModel):
    model_config = ConfigDict(validate_assignment=True, extra="forbid")
    Address: str
    Port: Annotated[Optional[int], Field(ge=1, le=65535)] = None


class Machine(BaseModel):
    model_config = ConfigDict(validate_assignment=True, extra="forbid")
    Name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z][a-z0-9-]*$")]
    Arn: Annotated[Optional[str], Field(min_length=20, max_length=2048)] = None
    Description: Annotated[Optional[str], Field(max_length=256)] = None
    Class: str
    Engine: str
    EngineVersion: Annotated[Optional[str], Field(pattern=r"^[0-9]+(\.[0-9]+)*$")] = None
    Zone: Optional[str] = None
    Network: Optional[str] = None
    KeyId: Optional[str] = None
    Owner: Annotated[Optional[str], Field(pattern=r"^[0-9]{12}$")] = None
    Size: Annotated[Optional[int], Field(ge=1, le=65536)] = None
    Iops: Annotated[Optional[int], Field(ge=0, le=100000)] = None
    Throughput: Optional[int] = None
    Port: Annotated[Optional[int], Field(ge=1, le=65535)] = None
    Retention: Optional[Literal[1, 3, 5, 7, 14, 30, 60, 90]] = None
    Tier: Annotated[Optional[int], Field(ge=0, le=15)] = None
    Encrypted: Optional[bool] = None
    Protected: Optional[bool] = None
    Public: Optional[bool] = None
    Load: Optional[float] = None
    Cost: Optional[float] = None
    Created: Optional[datetime] = None
    ChangedAt: Optional[datetime] = None
    Restorable: Optional[datetime] = None
    State: Optional[MachineState] = None
    Wanted: Optional[MachineState] = None
    Groups: Annotated[Optional[list[str]], Field(max_length=16)] = None
    Zones: Optional[list[str]] = None
    Labels: Optional[dict[str, str]] = None
    Endpoint: Optional[MachineEndpoint] = None


class Settings(BaseModel):
    model_config = ConfigDict(validate_assignment=True, extra="forbid")
    Name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z][a-z0-9-]*$")]
    Class: str
    Engine: Annotated[str, Field(min_length=1, max_length=32)]
    EngineVersion: Annotated[Optional[str], Field(pattern=r"^[0-9]+(\.[0-9]+)*$")] = None
    Zone: Optional[str] = None
    Owner: Annotated[Optional[str], Field(pattern=r"^[0-9]{12}$")] = None
    License: Optional[str] = None
    Storage: Optional[str] = None
    Network: Optional[str] = None
    Charset: Optional[str] = None
    Window: Annotated[Optional[str], Field(min_length=11, max_length=11)] = None
    Days: Optional[str] = None
    Size: Annotated[Optional[int], Field(ge=1, le=65536)] = None
    MaxSize: Annotated[Optional[int], Field(ge=1, le=65536)] = None
    Iops: Annotated[Optional[int], Field(ge=0, le=100000)] = None
    Throughput: Optional[int] = None
    Port: Annotated[Optional[int], Field(ge=1, le=65535)] = None
    Retention: Optional[Literal[1, 3, 5, 7, 14, 30, 60, 90]] = None
    Tier: Annotated[Optional[int], Field(ge=0, le=15)] = None
    Interval: Optional[int] = None
    Encrypted: Optional[bool] = None
    Protected: Optional[bool] = None
    Public: Optional[bool] = None
    MultiAz: Optional[bool] = None
    Minor: Optional[bool] = None
    CopyTags: Optional[bool] = None
    Insights: Optional[bool] = None
    Dedicated: Optional[bool] = None
    State: Optional[MachineState] = None
    Wanted: Optional[MachineState] = None


def report(name, times, work):
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter_ns()
        for _ in range(times // 5):
            work()
        best = min(best, (time.perf_counter_ns() - started) / (times // 5))
    print(f"{name} {best:.1f}")


def main():
    folder = pathlib.Path(__file__).parent
    short = (folder / "settings.json").read_bytes()
    long = (folder / "machine.json").read_bytes()
    settings = Settings.model_validate_json(short)
    machine = Machine.model_validate_json(long)
    report("decode_short", 50_000, lambda: Settings.model_validate_json(short))
    report("decode_long", 50_000, lambda: Machine.model_validate_json(long))
    report("encode_short", 50_000, lambda: settings.model_dump_json(exclude_none=True))
    report("encode_long", 50_000, lambda: machine.model_dump_json(exclude_none=True))

    def assign_int():
        machine.Size = 600

    def assign_text():
        machine.Name = "alpha-1"

    def assign_refused():
        try:
            machine.Size = 0
        except ValueError:
            pass

    report("assign_int", 200_000, assign_int)
    report("assign_text", 200_000, assign_text)
    report("assign_refused", 50_000, assign_refused)


main()
