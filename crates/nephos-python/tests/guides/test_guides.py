"""The code of the guides runs: each file that a page shows, and the example project with moto and with Nephos."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
EXAMPLE = ROOT / "examples/python"


def run(folder, *files):
    """Runs the tests of files in a process of its own; returns how many passed."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "MOTO_"))}
    # botocraft makes clients when it is imported.
    variables["AWS_DEFAULT_REGION"] = "us-east-1"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "pytest_nephos", "-p", "no:cacheprovider", "-c", os.devnull, *files]
    ended = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return int(re.search(r"(\d+) passed", ended.stdout)[1])


@pytest.mark.parametrize("guide", sorted(path.name for path in HERE.glob("*_*.py") if not path.name.startswith("test_")))
def test_the_code_of_a_guide_runs(guide, tmp_path):
    assert run(tmp_path, str(HERE / guide)) >= 2


def test_before_and_after_differ_in_one_line():
    before = (HERE / "moto_before.py").read_text()
    assert before.replace("from moto import", "from nephos import") == (HERE / "moto_after.py").read_text()


@pytest.mark.parametrize("package", ["moto", "nephos"])
def test_the_example_project_passes(package, tmp_path):
    tests = (EXAMPLE / "test_tenants.py").read_text()
    line = "from nephos import mock_aws\n"
    assert tests.count(line) == 1
    (tmp_path / "test_tenants.py").write_text(tests.replace(line, f"from {package} import mock_aws\n"))
    (tmp_path / "tenants.py").write_bytes((EXAMPLE / "tenants.py").read_bytes())
    assert run(tmp_path) == 10
