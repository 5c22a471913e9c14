"""pytest plugin beside moto's tests: their `mock_aws` is that of Nephos, and no connection leaves this machine."""

import json
import os
import socket

import moto
import pytest
import right_groups

import nephos
from nephos import mock_frame

RECORD = os.environ["SUITE_RECORD"]

BEFORE = pytest.StashKey[int]()

moto.mock_aws = nephos.mock_aws
right_groups.install()
_connect = socket.socket.connect


def _connect_on_this_machine(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(("127.", "::1", "localhost")):
        raise ConnectionRefusedError(f"only loopback is allowed, not {address[0]}")
    return _connect(self, address)


socket.socket.connect = _connect_on_this_machine


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """Stops mocks that a class leaves active, as one does whose `setup_class` fails: later tests would share its cloud."""
    group = item.getparent(pytest.Class) or item.getparent(pytest.Module)
    before = group.stash.setdefault(BEFORE, len(mock_frame._frames))
    try:
        return (yield)
    finally:
        if nextitem is None or group not in nextitem.listchain():
            for frame in reversed(mock_frame._frames[before:]):
                frame.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed or (report.when == "call" and report.passed):
        lines = report.longreprtext.strip().splitlines()
        outcome = {"id": report.nodeid, "passed": report.passed, "why": lines[-1][:300] if lines else ""}
        with open(RECORD, "a") as file:
            file.write(json.dumps(outcome) + "\n")
    return report
