"""Fixtures for the tests of boto3 clients, `mock_aws` and the pytest plugin."""

import os
import socket

import boto3
import pytest

import nephos
from nephos import mock_frame


def pytest_configure(config):
    # `pytest_plugins` would have to stand in the topmost conftest.py.
    config.pluginmanager.import_plugin("pytester")


@pytest.fixture(autouse=True)
def no_connections(monkeypatch):
    """Fails every connection of this process: nothing here has an endpoint to reach."""

    def refused(self, address):
        raise AssertionError(f"a test connects to {address}")

    monkeypatch.setattr(socket.socket, "connect", refused)


@pytest.fixture(autouse=True)
def user_environment(monkeypatch, tmp_path):
    """Sets the environment of a user with real credentials, which no test may use or change."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "MOTO_"))]:
        monkeypatch.delenv(name)
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws/config").write_text("[profile real]\nregion = eu-west-3\n")
    (tmp_path / ".aws/credentials").write_text("[real]\naws_access_key_id = AKIAREAL\naws_secret_access_key = real\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "real")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "real")
    monkeypatch.setenv("AWS_PROFILE", "real")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://example.com")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    before = variables()
    yield
    left = list(mock_frame._frames)
    for frame in reversed(left):
        frame.stop()
    assert not left, "a mock is still active"
    assert variables() == before


def variables():
    """Returns the variables that a mock may change."""
    return {name: value for name, value in os.environ.items() if name.startswith("AWS_")}


@pytest.fixture
def memory():
    """Returns an empty cloud."""
    return nephos.Cloud()


def group_names(logs):
    """Returns the names of the log groups that a client sees."""
    return [group["logGroupName"] for group in logs.describe_log_groups()["logGroups"]]


@pytest.fixture
def names():
    return group_names
