"""A cloud for each case, with a fixed time."""

from __future__ import annotations

from collections.abc import Iterator

import nephos
import pytest

START = "2026-01-31T12:00:00Z"
OTHER_ACCOUNT = "210987654321"


@pytest.fixture(scope="session")
def first_cloud() -> nephos.Cloud:
    return nephos.Cloud(time=START, seed=7)


@pytest.fixture
def world(first_cloud: nephos.Cloud) -> Iterator[nephos.Cloud]:
    with first_cloud.fork() as cloud:
        yield cloud
