"""The fewest lines that give each test a fork of its own."""

import os
import subprocess
import urllib.request

import pytest


def call(method, url):
    urllib.request.urlopen(urllib.request.Request(url, method=method)).close()


@pytest.fixture(scope="session")
def nephos():
    program = os.environ.get("NEPHOS_PROGRAM", "nephos")
    command = [program, "serve", "--memory", "--listen", "127.0.0.1:0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().split()[-1] + "/_nephos"
        process.terminate()


@pytest.fixture
def cloud(nephos, monkeypatch):
    call("POST", f"{nephos}/fork")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"{nephos}/forks/fork-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "123456789012")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    yield
    call("DELETE", f"{nephos}/forks/fork-1")
